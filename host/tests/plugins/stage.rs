//! A place with plugins: a home of their own, and what a view or a command gets from them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use carpel::manifest::{ListedPlugin, Plugin};
use carpel::plugins::{Places, PluginEvent, PluginRow, Plugins, Setting};
use carpel_slots::testing::Sample;
use carpel_slots::{Block, CallState, Card, CardCx, Registry, ToolCall};
use tempfile::TempDir;

/// The script that goes wrong.
pub fn rogue() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/plugins/rogue.py")
}

/// A plugin by its command, as a manifest lists it.
pub fn command(words: &[&str]) -> ListedPlugin {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    ListedPlugin { plugin: Plugin::Command(words), folder: PathBuf::from("/") }
}

pub struct Stage {
    pub home: TempDir,
    pub plugins: Option<Plugins>,
    pub said: Vec<String>,
}

impl Stage {
    /// Plugins that a manifest lists.
    pub fn listed(listed: Vec<ListedPlugin>) -> Stage {
        let home = tempfile::tempdir().unwrap();
        Stage::with(home, |places| places.listed = listed)
    }

    /// The rogue in these modes, each with a note of its own to write to.
    pub fn rogues(modes: &[&str]) -> Stage {
        let home = tempfile::tempdir().unwrap();
        let script = rogue();
        let one = |mode: &&str| {
            let note = home.path().join(format!("note-{mode}"));
            command(&["python3", script.to_str().unwrap(), mode, note.to_str().unwrap()])
        };
        let listed = modes.iter().map(one).collect();
        Stage::with(home, |places| places.listed = listed)
    }

    /// Plugins in a folder that may have seen others, in places that are set.
    pub fn with(home: TempDir, set: impl FnOnce(&mut Places)) -> Stage {
        let setting = Stage::setting(&home, set);
        Stage::of(home, setting, Registry::linked())
    }

    pub fn setting(home: &TempDir, set: impl FnOnce(&mut Places)) -> Setting {
        let mut places = Places { own: Some(home.path().join("plugins")), ..Places::default() };
        set(&mut places);
        Setting {
            places,
            carpel: PathBuf::from(env!("CARGO_BIN_EXE_carpel")),
            state: Some(home.path().join("state")),
            precedence: Vec::new(),
        }
    }

    pub fn of(home: TempDir, setting: Setting, base: Registry) -> Stage {
        let plugins = Plugins::start(setting, base).unwrap();
        Stage { home, plugins: Some(plugins), said: Vec::new() }
    }

    pub fn plugins(&mut self) -> &mut Plugins {
        self.plugins.as_mut().unwrap()
    }

    /// Waits for the next event.
    pub fn event(&mut self) -> PluginEvent {
        let event = self.plugins().wait().unwrap();
        if let PluginEvent::Said(text) = &event {
            self.said.push(text.clone());
        }
        event
    }

    /// Waits until all have said hello or failed.
    pub fn settled(&mut self) -> Vec<PluginRow> {
        while !self.plugins().is_settled() {
            self.event();
        }
        self.plugins().rows()
    }

    pub fn row(&mut self, name: &str) -> PluginRow {
        let rows = self.plugins().rows();
        rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no {name} in {rows:?}")).clone()
    }

    /// The card of a call as it is shown now.
    pub fn card(&mut self, call: &ToolCall) -> Card {
        let registry = self.plugins().registry();
        let view = registry.view(&call.name, call.kind.as_ref());
        view.map(|view| view.card(call, &CardCx::default())).unwrap_or_default()
    }

    /// Asks for the card until it is as wanted.
    pub fn card_until(&mut self, call: &ToolCall, wanted: impl Fn(&Card) -> bool) -> Card {
        loop {
            let card = self.card(call);
            if wanted(&card) {
                return card;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until that is so.
    pub fn until(&mut self, what: impl Fn(&mut Stage) -> bool) {
        while !what(self) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub fn call(name: &str) -> ToolCall {
    Sample::new(name).arguments(r#"{"path":"a.rs"}"#).output("its output").in_state(CallState::Done)
}

/// The same call after a change.
pub fn changed(call: &ToolCall) -> ToolCall {
    ToolCall { own_revision: call.own_revision + 1, ..call.clone() }
}

pub fn title(card: &Card) -> String {
    card.title.as_ref().map(carpel_slots::Line::text).unwrap_or_default()
}

/// What is said of a plugin in a card that is not its own.
pub fn diagnosis(card: &Card) -> Option<String> {
    match card.body.as_ref()?.first()? {
        Block::Text(lines) => {
            lines.first().map(carpel_slots::Line::text).filter(|text| text.starts_with("plugin `"))
        }
        _ => None,
    }
}
