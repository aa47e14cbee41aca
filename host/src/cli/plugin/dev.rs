//! `carpel plugin dev FILE`: the gallery on one plugin, which is asked anew whenever its file changes.
//!
//! A thread looks at the file, starts the plugin, asks for every card that the gallery can show and ends it again; the
//! gallery shows what it got, so that a plugin that hangs holds up no key. A version that cannot be used leaves the last
//! one on the screen, with the reason in the first row. The process is `speaker.rs`'s business.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use carpel_slots::registry::{Owner, RegistryBuilder};
use carpel_slots::wire::{ABI, Reply, Request, WireCall};
use carpel_slots::{Card, CardCx, Density, Line, Registry, Role, ToolCall, ToolView};
use clap::Args;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::cli::exit::Exit;
use crate::cli::plugin::check::executable;
use crate::cli::plugin::speaker::{Fault, Speaker};
use crate::cli::{Common, gallery};
use crate::gallery::Gallery;
use crate::gallery::exhibits::{Exhibit, exhibits};
use crate::gallery::run::Change;
use crate::gallery::samples::Samples;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Show a plugin's views in every state, anew whenever its file changes; `q` ends it.
#[derive(Args)]
pub struct Dev {
    /// The plugin: an executable.
    file: PathBuf,
    /// Calls to show: JSON Lines, see docs/writing-a-tool-view.md.
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
}

impl Dev {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        gallery::check_terminal("a plugin is shown on a terminal; `carpel plugin check` is for a pipe")?;
        let samples = self.samples.as_deref().map(Samples::of_file).transpose()?.unwrap_or_default();
        executable(&self.file)?;
        let changes = watch(self.file.clone(), samples);
        let shown = Gallery {
            density: common.density,
            word: Some("the plugin is being asked".to_owned()),
            ..Gallery::default()
        };
        gallery::show(shown, common.registry(), common, Some(changes))
    }
}

/// Loads the plugin now and after each change of its file, until nobody listens.
fn watch(file: PathBuf, samples: Samples) -> UnboundedReceiver<Change> {
    let (changes, receiver) = unbounded_channel();
    std::thread::spawn(move || look_on(&file, &samples, &changes));
    receiver
}

fn look_on(file: &Path, samples: &Samples, changes: &UnboundedSender<Change>) {
    let mut loaded = None;
    let mut before = stamp(file);
    while !changes.is_closed() {
        let now = stamp(file);
        // A file that is still being written changes again.
        if now == before && now.is_some() && now != loaded {
            loaded = now;
            if changes.send(load(file, samples)).is_err() {
                return;
            }
        }
        before = now;
        std::thread::sleep(LOOK);
    }
}

/// What changes with a file; `None` while there is none.
fn stamp(file: &Path) -> Option<(SystemTime, u64, u64)> {
    let data = file.metadata().ok()?;
    Some((data.modified().ok()?, data.len(), data.ino()))
}

fn load(file: &Path, samples: &Samples) -> Change {
    match loaded(file, samples) {
        Ok((registry, exhibits, word)) => Change { shown: Some((registry, exhibits)), word },
        Err(reason) => Change { shown: None, word: Some(format!("cannot be used: {reason}")) },
    }
}

type Loaded = (Registry, Vec<Exhibit>, Option<String>);

fn loaded(file: &Path, samples: &Samples) -> Result<Loaded, String> {
    let reason = |fault: Fault| fault.sentence().to_owned();
    executable(file).map_err(|error| error.to_string())?;
    let mut speaker = Speaker::start(file).map_err(reason)?;
    let hello = speaker.hello().map_err(reason)?;
    if hello.abi != ABI {
        return Err(format!("it speaks ABI {}, this carpel {ABI}", hello.abi));
    }
    // Which calls there are does not depend on the cards.
    let exhibits: Vec<Exhibit> = of_plugin(&registry(&hello.views, &Arc::default()), samples);
    let mut asking = Asking { speaker: Some(speaker), next: 1, gone: None };
    let mut cards = HashMap::new();
    for exhibit in &exhibits {
        for (call, density) in
            exhibit.calls.iter().flat_map(|call| Density::ALL.map(|density| (call, density)))
        {
            let card = asking.card(&exhibit.title, call, density);
            cards.insert((Arc::clone(&call.key.id), density), card);
        }
    }
    Ok((registry(&hello.views, &Arc::new(cards)), exhibits, asking.gone))
}

const OWNER: &str = "the plugin";

fn registry(views: &[String], cards: &Arc<Cards>) -> Registry {
    let mut builder = RegistryBuilder::linked();
    for key in views {
        builder.view(key, &Owner::plugin(OWNER, ""), Arc::new(Told(Arc::clone(cards))));
    }
    builder.build()
}

fn of_plugin(registry: &Registry, samples: &Samples) -> Vec<Exhibit> {
    let mut all = exhibits(registry, samples);
    all.retain(|exhibit| exhibit.owner.as_deref() == Some(OWNER));
    all
}

type Cards = HashMap<(Arc<str>, Density), Card>;

/// A view that gives the cards which the plugin gave.
struct Told(Arc<Cards>);

impl ToolView for Told {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        self.0.get(&(Arc::clone(&call.key.id), cx.density)).cloned().unwrap_or_default()
    }
}

/// A plugin that is asked for one card after the other.
struct Asking {
    speaker: Option<Speaker>,
    next: u64,
    /// Why it can be asked no more.
    gone: Option<String>,
}

impl Asking {
    fn card(&mut self, view: &str, call: &ToolCall, density: Density) -> Card {
        let Some(speaker) = &mut self.speaker else { return Card::default() };
        let id = self.next;
        self.next += 1;
        let cx = CardCx { cwd: "/w".to_owned(), home: Some("/home/ada".to_owned()), density };
        let call = Box::new(WireCall::of(call));
        match speaker.ask(&Request::Card { id, view: view.to_owned(), call, cx }.encode(), id) {
            Ok(Reply::Card { card, .. }) => card,
            Ok(Reply::Error { message, .. }) => failed(&message),
            Ok(_) => failed("answered with no card"),
            Err(fault) => {
                if let Fault::Gone(reason) = &fault {
                    self.speaker = None;
                    self.gone = Some(reason.clone());
                }
                failed(fault.sentence())
            }
        }
    }
}

/// carpel's own card, with what the plugin did wrong in its note.
fn failed(reason: &str) -> Card {
    Card { note: Some(Line::of(Role::Error, reason)), ..Card::default() }
}
