//! Folding: how much of each call is shown.
//!
//! The inspector has a density of its own and a call may have another. At overview a call is its header, and of what is
//! below it only what failed or waits is seen. Which calls are seen follows from this alone, so that keys can move among
//! them without drawing anything.

use std::collections::HashMap;
use std::sync::Arc;

use carpel_slots::{CallKey, CallState, Density, ToolCall};

use crate::paint::ShownCall;

/// The densities.
#[derive(Debug, Default)]
pub struct Folds {
    density: Density,
    of_calls: HashMap<CallKey, Density>,
    revision: u64,
}

impl Folds {
    /// Everything in one density.
    pub fn new(density: Density) -> Folds {
        Folds { density, ..Folds::default() }
    }

    /// The density of what has none of its own.
    pub fn density(&self) -> Density {
        self.density
    }

    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Everything in another density; what calls had of their own is forgotten.
    pub fn set_all(&mut self, density: Density) {
        self.density = density;
        self.of_calls.clear();
        self.revision += 1;
    }

    /// The density of a call.
    pub fn of(&self, key: &CallKey) -> Density {
        self.of_calls.get(key).copied().unwrap_or(self.density)
    }

    /// Gives a call a density of its own.
    pub fn set(&mut self, key: &CallKey, density: Density) {
        self.of_calls.insert(key.clone(), density);
        self.revision += 1;
    }

    /// A step less of a call; false when it is folded already.
    pub fn less(&mut self, key: &CallKey) -> bool {
        let less = match self.of(key) {
            Density::Overview => return false,
            Density::Normal => Density::Overview,
            Density::Detail => Density::Normal,
        };
        self.set(key, less);
        true
    }

    /// A step more of a call.
    pub fn more(&mut self, key: &CallKey) {
        let more = if self.of(key) == Density::Overview { Density::Normal } else { Density::Detail };
        self.set(key, more);
    }

    /// Folds a call, or shows as much of it as of others, at least its preview.
    pub fn toggle(&mut self, key: &CallKey) {
        let is_folded = self.of(key) == Density::Overview;
        self.set(key, if is_folded { self.density.max(Density::Normal) } else { Density::Overview });
    }

    /// The calls of a tree that are seen, in display order.
    pub fn shown(&self, root: &Arc<ToolCall>) -> Vec<ShownCall> {
        let mut shown = Vec::new();
        // Deepest first off the end: a call, its depth, and whether a call above it is folded.
        let mut open = vec![(root, 0, false)];
        while let Some((call, depth, hidden)) = open.pop() {
            let density = self.of(&call.key);
            if !hidden || stays(call.state) {
                shown.push(ShownCall { call: Arc::clone(call), depth, density });
            }
            let hidden = hidden || density == Density::Overview;
            open.extend(call.sub_calls.iter().rev().map(|sub_call| (sub_call, depth + 1, hidden)));
        }
        shown
    }

    /// Unfolds what is above a call, so that it is seen.
    pub fn reveal(&mut self, root: &Arc<ToolCall>, key: &CallKey) {
        for above in path(root, key).into_iter().flatten() {
            if above.key != *key && self.of(&above.key) == Density::Overview {
                self.set(&above.key, Density::Normal);
            }
        }
    }
}

/// At every density a call has a row when a person has to know of it.
fn stays(state: CallState) -> bool {
    matches!(state, CallState::Error | CallState::AwaitingApproval)
}

/// The calls from the root to a call, both counted in.
pub fn path<'a>(root: &'a Arc<ToolCall>, key: &CallKey) -> Option<Vec<&'a Arc<ToolCall>>> {
    let mut path: Vec<&Arc<ToolCall>> = Vec::new();
    for (depth, call) in root.walk() {
        path.truncate(depth);
        path.push(call);
        if call.key == *key {
            return Some(path);
        }
    }
    None
}
