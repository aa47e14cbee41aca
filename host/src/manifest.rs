//! The manifest: what a person has settled for every chat, and what a folder asks to be stricter about.
//!
//! Owns the settings as types, with nothing filled in: what is absent is the reader's default. A person's manifest may
//! hold every key; a folder's only those that cannot widen what may be done or say where words are sent, and only a
//! caller that knows the folder to be trusted reads it. `manifest/keys.rs` has every key with its line of help;
//! `manifest/reader.rs` finds all mistakes at once; `manifest/file.rs` knows the places. Refuses to know the command
//! line, which wins, and what becomes of the settings.

pub mod file;
pub mod keys;
pub mod mistake;
mod reader;
mod value;

#[cfg(test)]
mod doc_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use carpel_slots::{Density, ThemeName};

pub use self::reader::{from_bytes, read};
use crate::link::{Mode, Rule, Thinking};
pub use crate::render::painter::motion::Motion;

/// What a manifest says.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    pub model: ModelSettings,
    /// How long a pod without a client stays.
    pub linger: Option<Duration>,
    pub compaction: Compaction,
    pub permissions: PermissionRules,
    pub ui: Ui,
    pub tool_views: ToolViews,
    pub plugins: Vec<ListedPlugin>,
    pub guide_pace: Option<GuidePace>,
}

/// Who answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSettings {
    pub provider: Option<String>,
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub thinking: Option<Thinking>,
}

/// When and how a conversation is summed up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compaction {
    /// At which share of the context limit.
    pub share: Option<f64>,
    /// How many tokens of the end stay as they are.
    pub keep: Option<u64>,
    /// Which model sums up.
    pub model: Option<String>,
}

/// What may be done without asking.
#[derive(Debug, Clone, Default)]
pub struct PermissionRules {
    pub mode: Option<Mode>,
    pub allow: Vec<Rule>,
    pub ask: Vec<Rule>,
    pub deny: Vec<Rule>,
}

/// How the chat looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ui {
    pub density: Option<Density>,
    /// Rows that live items may take; absent: half the window.
    pub active_max: Option<usize>,
    /// Columns that live rows may take.
    pub live_columns: Option<usize>,
    pub theme: Option<ThemeName>,
    pub motion: Motion,
    /// Whether the chat is for somebody who hears it; absent: as the environment says.
    pub screen_reader: Option<bool>,
    /// Whether the window is named after the session.
    pub title: WindowTitle,
    pub notify: Notify,
}

/// Whether the terminal's window has a title of the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WindowTitle {
    #[default]
    On,
    Off,
}

/// How a person who looks elsewhere is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notify {
    #[default]
    Off,
    Bell,
    Notification,
}

/// Which view draws which tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolViews {
    /// A tool's name, and the tool whose view draws it.
    pub aliases: BTreeMap<String, String>,
    /// Plugins, best first; those behind [`BUILT_IN`] yield to what is built in.
    pub precedence: Vec<String>,
}

/// What stands for all that is built in among [`ToolViews::precedence`].
pub const BUILT_IN: &str = "built-in";

/// A plugin to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPlugin {
    /// What is loaded.
    pub plugin: Plugin,
    /// The manifest's folder.
    pub folder: PathBuf,
}

/// What a plugin is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plugin {
    /// A library or a program, relative to the manifest's folder.
    Path(PathBuf),
    /// A program and its arguments.
    Command(Vec<String>),
}

/// How fast guide plays its answers in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuidePace {
    /// So that a person can follow.
    Chat,
    /// At once.
    Instant,
}

/// Whose manifest it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The person's, which may say everything.
    Person,
    /// A folder's, which may only be stricter.
    Folder,
}

impl Manifest {
    /// The person's manifest with what a trusted folder adds. Where both say the same thing the person's stands, but for
    /// permissions, where the stricter one does.
    #[must_use]
    pub fn with_folder(mut self, folder: Manifest) -> Manifest {
        let rules = &mut self.permissions;
        rules.mode = stricter(rules.mode, folder.permissions.mode);
        rules.ask.extend(folder.permissions.ask);
        rules.deny.extend(folder.permissions.deny);
        for (from, to) in folder.tool_views.aliases {
            self.tool_views.aliases.entry(from).or_insert(to);
        }
        self.tool_views.precedence.extend(folder.tool_views.precedence);
        self.plugins.extend(folder.plugins);
        self
    }
}

/// The stricter mode; a person who says none has the default one.
fn stricter(person: Option<Mode>, folder: Option<Mode>) -> Option<Mode> {
    let looseness = |mode: Mode| match mode {
        Mode::ReadOnly => 0,
        Mode::Ask => 1,
        Mode::Edits => 2,
        Mode::All => 3,
    };
    match folder {
        None => person,
        Some(folder) => {
            Some([person.unwrap_or_default(), folder].into_iter().min_by_key(|mode| looseness(*mode))?)
        }
    }
}
