//! What waits for something that has not come yet: a result for its start, a child for its parent.
//!
//! Both wait within their turn. At its end a result is shown without a call and a child as a root. Nothing is guessed:
//! an id that is given is the only thing that pairs.

use std::collections::HashMap;
use std::sync::Arc;

use carpel_protocol::item::ToolResult;
use carpel_slots::CallState;

use super::calls::{Calls, Start};
use super::node::{Cause, Ix};

/// How deep a tree may get; what is deeper stands beside its parent instead of below it.
pub const MAX_DEPTH: usize = 256;

/// Results and children that wait.
#[derive(Debug, Default)]
pub struct Pairing {
    results: HashMap<String, (usize, ToolResult)>,
    arrived: usize,
    /// By the id of the parent.
    children: HashMap<Arc<str>, Vec<Ix>>,
    /// The parent's id by the child that waits for it.
    parents: HashMap<Ix, Arc<str>>,
}

impl Pairing {
    /// Keeps a result whose call has not begun. The first stands.
    pub(super) fn hold_result(&mut self, result: &ToolResult) {
        self.arrived += 1;
        let arrived = self.arrived;
        self.results.entry(result.id.clone()).or_insert_with(|| (arrived, result.clone()));
    }

    pub(super) fn take_result(&mut self, id: &str) -> Option<ToolResult> {
        if self.results.is_empty() {
            return None;
        }
        self.results.remove(id).map(|(_, result)| result)
    }

    /// Results whose call never began, in the order in which they came.
    pub(super) fn orphans(&mut self) -> Vec<ToolResult> {
        let mut held: Vec<_> = std::mem::take(&mut self.results).into_values().collect();
        held.sort_by_key(|(arrived, _)| *arrived);
        held.into_iter().map(|(_, result)| result).collect()
    }

    /// Calls whose parent never began, in start order.
    pub(super) fn motherless(&mut self) -> Vec<Ix> {
        self.children.clear();
        let mut held: Vec<Ix> = std::mem::take(&mut self.parents).into_keys().collect();
        held.sort_unstable();
        held
    }
}

impl Calls {
    /// Puts a new call where it belongs; true when it is a root, to be shown.
    pub(super) fn place(&mut self, ix: Ix, start: &Start<'_>) -> bool {
        let Some(parent) = start.parent.filter(|parent| *parent != start.id) else { return true };
        match self.find(parent) {
            Some(found) if self.nodes[found].call.key.turn == start.turn => {
                self.attach(ix, found);
                false
            }
            Some(_) => true,
            None => {
                let parent: Arc<str> = Arc::from(parent);
                self.pairing.children.entry(Arc::clone(&parent)).or_default().push(ix);
                self.pairing.parents.insert(ix, parent);
                false
            }
        }
    }

    /// Calls that have waited for this one go below it. Gives back those that cannot, which are roots: the one that
    /// would close a circle, and those whose own tree is too high.
    pub(super) fn adopt_waiting(&mut self, ix: Ix) -> Vec<Ix> {
        if self.pairing.children.is_empty() {
            return Vec::new();
        }
        let id = Arc::clone(&self.nodes[ix].call.key.id);
        let mut roots = Vec::new();
        for child in self.pairing.children.remove(&id).unwrap_or_default() {
            if self.pairing.parents.remove(&child).is_none() {
                continue;
            }
            if self.is_below(ix, child) || self.nodes[ix].depth + 1 + self.height(child) > MAX_DEPTH {
                roots.push(child);
            } else {
                self.attach(child, ix);
            }
        }
        roots
    }

    fn attach(&mut self, child: Ix, parent: Ix) {
        let mut parent = parent;
        while self.nodes[parent].depth >= MAX_DEPTH
            && let Some(above) = self.nodes[parent].parent
        {
            parent = above;
        }
        self.deepen(child, self.nodes[parent].depth + 1);
        self.nodes[child].parent = Some(parent);
        self.nodes[child].slot = self.nodes[parent].children.len();
        self.nodes[parent].children.push(child);
        // The value is appended by the freeze, which finds no value at the child's slot.
        self.nodes[child].dirty.any = true;
        self.nodes[parent].dirty.children.insert(child);
        self.mark(parent);
        if self.nodes[parent].call.state.is_settled() && self.open.contains(&child) {
            self.settle(child, CallState::Incomplete, Cause::Parent, None);
        }
    }

    fn is_below(&self, ix: Ix, above: Ix) -> bool {
        let mut at = Some(ix);
        while let Some(here) = at {
            if here == above {
                return true;
            }
            at = self.nodes[here].parent;
        }
        false
    }

    fn height(&self, ix: Ix) -> usize {
        let mut deepest = 0;
        let mut below = vec![(ix, 0)];
        while let Some((ix, depth)) = below.pop() {
            deepest = deepest.max(depth);
            below.extend(self.nodes[ix].children.iter().map(|child| (*child, depth + 1)));
        }
        deepest
    }

    /// A call that waited may have calls below it already.
    fn deepen(&mut self, ix: Ix, depth: usize) {
        let mut below = vec![(ix, depth)];
        while let Some((ix, depth)) = below.pop() {
            self.nodes[ix].depth = depth;
            below.extend(self.nodes[ix].children.iter().map(|child| (*child, depth + 1)));
        }
    }
}
