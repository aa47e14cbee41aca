//! What the keeper publishes: which plugins are asked, and what there is to tell of each.
//!
//! Values only; `plugins.rs` makes a registry of it and `listing.rs` lines for a person.

use std::path::PathBuf;
use std::sync::Arc;

use carpel_slots::wire::Hello;

use crate::plugins::instance::Instance;

/// What is seated, and what there is to tell of all that was found.
#[derive(Default, Clone)]
pub(in crate::plugins) struct Snapshot {
    pub(in crate::plugins) seated: Vec<Seated>,
    pub(in crate::plugins) rows: Vec<PluginRow>,
    /// True once all that was found at first has said hello or failed.
    pub(in crate::plugins) is_settled: bool,
}

impl Snapshot {
    pub(super) fn is_like(&self, other: &Snapshot) -> bool {
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
