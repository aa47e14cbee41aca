//! Finds out what can be named in a prompt, on threads of its own: the chat asks and goes on, the answer comes later.
//!
//! One question of each kind is worked on at a time, and of several folders that were asked for only the last is read.
//! What there is says the pod's catalogue, so that ignore rules and skills are those of its tools; here it becomes rows
//! that are ready to be offered. Refuses to know what is typed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use carpel_slots::completion::{CompletionCx, Offer};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::completion::quoted;
use crate::link::{Catalogue, PodOptions};

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// All that there is to be named.
    Everything,
    /// What is in a folder, by the name that was typed.
    Folder(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// To [`Ask::Everything`]; it has no folder.
    Everything(CompletionCx),
    /// To [`Ask::Folder`], with its name.
    Folder(String, Arc<[Offer]>),
}

/// The threads that find out.
pub struct Naming {
    everything: mpsc::Sender<(PathBuf, Ask)>,
    folders: mpsc::Sender<(PathBuf, Ask)>,
    told: UnboundedReceiver<Told>,
}

impl Naming {
    /// Starts them; they end with the value. `pod` says whose skills count.
    pub fn start(pod: PodOptions) -> Naming {
        let (tell, told) = unbounded_channel();
        Naming { everything: worker(pod.clone(), tell.clone()), folders: worker(pod, tell), told }
    }

    /// Asks about the workspace `cwd`; empty is the one that the pod would be started in.
    pub fn ask(&self, cwd: &str, ask: Ask) {
        let worker = match ask {
            Ask::Everything => &self.everything,
            Ask::Folder(_) => &self.folders,
        };
        // A thread that could not be started never answers; then there is no list.
        let _ = worker.send((PathBuf::from(cwd), ask));
    }

    /// The next answer; none ever comes where nothing can be asked.
    pub async fn told(naming: &mut Option<Naming>) -> Option<Told> {
        match naming {
            Some(naming) => naming.told.recv().await,
            None => None,
        }
    }
}

fn worker(pod: PodOptions, tell: UnboundedSender<Told>) -> mpsc::Sender<(PathBuf, Ask)> {
    let (ask, asked) = mpsc::channel::<(PathBuf, Ask)>();
    let work = move || {
        while let Ok(first) = asked.recv() {
            let (cwd, ask) = asked.try_iter().last().unwrap_or(first);
            let cwd = if cwd.as_os_str().is_empty() { pod.cwd.clone() } else { cwd };
            let catalogue = catalogue(&pod, &cwd);
            if tell.send(answer(catalogue.as_ref(), ask)).is_err() {
                return;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("naming".to_owned()).spawn(work) {
        tracing::warn!(%error, "no thread to look around in the workspace");
    }
    ask
}

/// What can be named in a prompt to a pod that works in `cwd`: skills of a folder that is trusted count.
fn catalogue(pod: &PodOptions, cwd: &Path) -> Option<Catalogue> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    Catalogue::open(cwd, home, pod.trusted && cwd == pod.cwd).ok()
}

/// Reads the disk. A workspace that cannot be opened has nothing in it.
fn answer(catalogue: Option<&Catalogue>, ask: Ask) -> Told {
    match ask {
        Ask::Everything => Told::Everything(catalogue.map(everything).unwrap_or_default()),
        Ask::Folder(named) => {
            let folder = catalogue.map(|catalogue| catalogue.folder(&named)).unwrap_or_default();
            let offer = |name: &String| {
                quoted::offer(&format!("{}{name}", folder.prefix), &format!("{named}{name}"), "")
            };
            let offers = folder.names.iter().map(offer).collect();
            Told::Folder(named, offers)
        }
    }
}

fn everything(catalogue: &Catalogue) -> CompletionCx {
    let files = catalogue.files();
    let notes = catalogue.notes().into_iter().map(|note| {
        let shown = if note.about.is_empty() { &note.name } else { &note.about };
        let summary = if note.about.is_empty() { "" } else { &note.name };
        quoted::offer(&note.name, shown, summary)
    });
    let skills = catalogue.skills().into_iter();
    let skills = skills.map(|skill| Offer::new(&format!("/{} ", skill.name), &skill.name, &skill.about));
    let workflows =
        catalogue.workflows().into_iter().map(|flow| quoted::offer(&flow.name, &flow.name, &flow.about));
    CompletionCx {
        files: files.paths.iter().map(|path| quoted::offer(path, path, "")).collect(),
        more_files: files.more,
        folder: None,
        knowledge: notes.collect(),
        skills: skills.chain(workflows).collect(),
    }
}
