//! Freezing: changed calls become shared values up to their root, everything else stays shared as it was.
//!
//! A change marks the path to the root and stops at the first call that is marked already, so a burst of changes costs
//! one step each. Once a frame [`Calls::freeze_roots`] follows only the marks. It decides nothing about states.

use std::sync::Arc;

use carpel_slots::ToolCall;

use super::calls::Calls;
use super::item::ItemBody;
use super::items::Items;
use super::node::Ix;

impl Calls {
    /// The call's value, about to change.
    pub(super) fn change(&mut self, ix: Ix) -> &mut ToolCall {
        self.nodes[ix].dirty.own = true;
        self.mark(ix);
        Arc::make_mut(&mut self.nodes[ix].call)
    }

    /// Marks the path from a call to its root.
    pub(super) fn mark(&mut self, ix: Ix) {
        let mut at = ix;
        while !std::mem::replace(&mut self.nodes[at].dirty.any, true) {
            match self.nodes[at].parent {
                Some(parent) => {
                    self.nodes[parent].dirty.children.insert(at);
                    at = parent;
                }
                None => {
                    self.dirty_roots.push(at);
                    return;
                }
            }
        }
    }

    /// Hands all changes to the items.
    pub(super) fn freeze_roots(&mut self, items: &mut Items) {
        for root in std::mem::take(&mut self.dirty_roots) {
            // A call that waits for its parent is frozen when it is shown; its marks stay until then.
            let Some(id) = self.nodes[root].item else { continue };
            let frozen = self.freeze(root);
            if let Some(ItemBody::Call(call)) = items.change(id) {
                *call = frozen;
            }
        }
    }

    /// The call's value with all changes at and below it. As deep as the tree, whose depth is bounded.
    pub(super) fn freeze(&mut self, ix: Ix) -> Arc<ToolCall> {
        if !self.nodes[ix].dirty.any {
            return Arc::clone(&self.nodes[ix].call);
        }
        let dirty = std::mem::take(&mut self.nodes[ix].dirty);
        let mut slots: Vec<(usize, Ix)> =
            dirty.children.iter().map(|child| (self.nodes[*child].slot, *child)).collect();
        slots.sort_unstable();
        let below: Vec<(usize, Arc<ToolCall>)> =
            slots.into_iter().map(|(slot, child)| (slot, self.freeze(child))).collect();
        let node = &mut self.nodes[ix];
        let call = Arc::make_mut(&mut node.call);
        for (slot, child) in below {
            if slot < call.sub_calls.len() {
                call.sub_calls.set(slot, child);
            } else {
                call.sub_calls.push(child);
            }
        }
        if dirty.own {
            call.own_revision += 1;
        }
        call.tree_revision += 1;
        Arc::clone(&node.call)
    }
}
