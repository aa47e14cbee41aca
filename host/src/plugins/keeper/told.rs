//! What the keeper of plugins is told, and what it tells: values only.
//!
//! A [`Snapshot`] is all that the chat learns of plugins; how it comes to be is `../keeper.rs`.

use std::path::PathBuf;
use std::sync::Arc;

use carpel_slots::wire::Hello;

use crate::plugins::driver::Report;
use crate::plugins::found::Places;
use crate::plugins::instance::Instance;

/// What the keeper is told.
pub(in crate::plugins) enum Order {
    /// A driver reports, of that plugin's version.
    Report(String, u64, Report),
    /// Files have changed.
    Files,
    /// Start that plugin anew, or all.
    Reload(String),
    /// End everything.
    Stop,
}

/// What is seated, and what there is to tell of all that was found.
#[derive(Default, Clone)]
pub(in crate::plugins) struct Snapshot {
    pub(in crate::plugins) seated: Vec<Seated>,
    pub(in crate::plugins) rows: Vec<PluginRow>,
    /// True once all that was found at first has said hello or failed.
    pub(in crate::plugins) is_settled: bool,
}

impl Snapshot {
    pub(in crate::plugins) fn is_like(&self, other: &Snapshot) -> bool {
        let is_same = |(one, other): (&Seated, &Seated)| {
            Arc::ptr_eq(&one.instance, &other.instance) && one.hello == other.hello
        };
        self.is_settled == other.is_settled
            && self.rows == other.rows
            && self.seated.len() == other.seated.len()
            && self.seated.iter().zip(&other.seated).all(is_same)
    }
}

/// A plugin that is asked.
#[derive(Clone)]
pub(in crate::plugins) struct Seated {
    pub(in crate::plugins) source: String,
    pub(in crate::plugins) hello: Hello,
    pub(in crate::plugins) instance: Arc<Instance>,
}

/// What there is to tell of one plugin. All texts are raw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginRow {
    /// Its name, as far as it is known.
    pub name: String,
    /// Its file or command.
    pub source: String,
    /// Its version, if it says one.
    pub version: String,
    /// Whether it is asked.
    pub is_seated: bool,
    /// What is wrong with it.
    pub trouble: Option<String>,
    /// Where its diagnostics are.
    pub log: Option<PathBuf>,
}

/// What the keeper is started with.
pub(in crate::plugins) struct Setting {
    pub(in crate::plugins) places: Places,
    /// The file of this program.
    pub(in crate::plugins) carpel: PathBuf,
    /// Where logs and what is known of plugins lie.
    pub(in crate::plugins) state: Option<PathBuf>,
    /// Files are watched.
    pub(in crate::plugins) watches: bool,
}
