//! `carpel plugin dev FILE`: the gallery on one plugin, which is asked anew whenever its file changes.
//!
//! A thread looks at the file, starts the plugin, asks for every card that the gallery can show and ends it again; the
//! gallery shows what it got, so that a plugin that hangs holds up no key. A version that cannot be used leaves the last
//! one on the screen, with the reason in the first row. Who leaves while a plugin is asked ends it. The process is the
//! business of [`crate::plugins::speaker`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use carpel_slots::registry::{Owner, RegistryBuilder};
use carpel_slots::{Card, CardCx, Density, Line, Registry, Role, ToolCall, ToolView};
use clap::Args;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::cli::exit::Exit;
use crate::cli::plugin::check::usable;
use crate::cli::{Common, gallery};
use crate::gallery::Gallery;
use crate::gallery::exhibits::{Exhibit, exhibits};
use crate::gallery::run::Change;
use crate::gallery::samples::{Samples, card_cx};
use crate::plugins::found::{Found, named};
use crate::plugins::speaker::{Fault, IsAwaited, Speaker};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Show a plugin's views in every state, anew whenever its file changes; `q` ends it.
#[derive(Args)]
pub struct Dev {
    /// The plugin: a library or an executable.
    file: PathBuf,
    /// Calls to show: JSON Lines, see docs/writing-a-tool-view.md.
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
}

impl Dev {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        gallery::check_terminal("a plugin is shown on a terminal; `carpel plugin check` is for a pipe")?;
        let samples = self.samples.as_deref().map(Samples::of_file).transpose()?.unwrap_or_default();
        usable(&self.file)?;
        let (changes, receiver) = unbounded_channel();
        let file = self.file.clone();
        let looker = std::thread::Builder::new()
            .name("plugin".to_owned())
            .spawn(move || look_on(&file, &samples, &changes))
            .context("there is no thread for the plugin to be had; end other programs and try again")?;
        let shown = Gallery {
            density: common.density,
            word: Some("the plugin is being asked".to_owned()),
            ..Gallery::default()
        };
        let shown = gallery::show(shown, common.registry(), common, Some(receiver));
        // It ends the plugin first. One that panicked has ended it already.
        let _ = looker.join();
        shown
    }
}

/// Loads the plugin now and after each change of its file, until nobody listens.
fn look_on(file: &Path, samples: &Samples, changes: &UnboundedSender<Change>) {
    let (mut before, mut loaded) = (None, None);
    while !changes.is_closed() {
        // Without a file the last version stays.
        let found = named(file).ok().filter(|_| file.symlink_metadata().is_ok());
        let now = found.as_ref().map(|found| found.stamp.clone());
        // A file that is still being written changes again.
        if let Some(found) = found.filter(|_| now == before && now != loaded) {
            loaded.clone_from(&now);
            let listener = changes.clone();
            let change = load(&found, samples, Box::new(move || !listener.is_closed()));
            if changes.send(change).is_err() {
                return;
            }
        }
        before = now;
        std::thread::sleep(LOOK);
    }
}

fn load(found: &Found, samples: &Samples, is_awaited: IsAwaited) -> Change {
    match load_all(found, samples, is_awaited) {
        Ok((registry, exhibits, word)) => Change { shown: Some((registry, exhibits)), word },
        Err(fault) => Change { shown: None, word: Some(format!("cannot be used: {}", fault.sentence())) },
    }
}

type Loaded = (Registry, Vec<Exhibit>, Option<String>);

fn load_all(found: &Found, samples: &Samples, is_awaited: IsAwaited) -> Result<Loaded, Fault> {
    let (speaker, hello) = Speaker::start(found, is_awaited)?;
    // Which calls there are does not depend on the cards.
    let exhibits: Vec<Exhibit> = of_plugin(&registry(&hello.views, &Arc::default()), samples);
    let mut asking = Asking { speaker: Some(speaker), gone: None };
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
    /// Why it can be asked no more.
    gone: Option<String>,
}

impl Asking {
    fn card(&mut self, view: &str, call: &ToolCall, density: Density) -> Card {
        let Some(speaker) = &mut self.speaker else { return Card::default() };
        match speaker.card(view, call, card_cx(density)) {
            Ok(card) => card,
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
