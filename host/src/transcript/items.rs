//! The list of items in flow order.
//!
//! It gives out identities, finds an item by its identity without a scan, and remembers the journal's mark: the last
//! item of which a row has been committed. What stands at or before the mark can no longer be taken back. It does not
//! know what the items mean; `blocks` and `calls` do.

use std::collections::HashSet;

use super::item::{FlowItem, ItemBody, ItemId};

/// The items, by growing identity.
#[derive(Debug, Default)]
pub struct Items {
    list: Vec<FlowItem>,
    next: u64,
    committed: Option<ItemId>,
    cut: HashSet<ItemId>,
    beginning: Option<ItemId>,
}

impl Items {
    /// All of them.
    pub fn all(&self) -> &[FlowItem] {
        &self.list
    }

    /// The identity that the next item will have.
    pub fn next_id(&self) -> ItemId {
        ItemId(self.next)
    }

    /// Adds an item at the end.
    pub fn push(&mut self, turn: u64, body: ItemBody) -> ItemId {
        let id = ItemId(self.next);
        self.next += 1;
        if begins(&body) {
            self.beginning = Some(id);
        }
        self.list.push(FlowItem { id, revision: 1, turn, body });
        id
    }

    /// The body of an item.
    pub fn body(&self, id: ItemId) -> Option<&ItemBody> {
        self.place(id).map(|place| &self.list[place].body)
    }

    /// The body of an item that is about to change.
    pub fn change(&mut self, id: ItemId) -> Option<&mut ItemBody> {
        let place = self.place(id)?;
        let item = &mut self.list[place];
        item.revision += 1;
        Some(&mut item.body)
    }

    /// Takes back those items from `from` on that `goes` names.
    pub fn take_back(&mut self, from: ItemId, goes: impl Fn(&FlowItem) -> bool) -> Vec<FlowItem> {
        let place = self.list.partition_point(|item| item.id < from);
        let tail = self.list.split_off(place);
        let (gone, kept) = tail.into_iter().partition(goes);
        self.list.extend(kept);
        self.beginning = self.list.iter().rev().find(|item| begins(&item.body)).map(|item| item.id);
        gone
    }

    /// Moves the journal's mark forward.
    pub fn mark_committed(&mut self, id: ItemId) {
        self.committed = self.committed.max(Some(id));
    }

    /// True when a row of the item may be in the scrollback.
    pub fn is_committed(&self, id: ItemId) -> bool {
        self.committed.is_some_and(|mark| id <= mark)
    }

    /// Those items from `from` on that may be in the scrollback.
    pub fn committed_since(&self, from: ItemId) -> impl Iterator<Item = &FlowItem> {
        let place = self.list.partition_point(|item| item.id < from);
        self.list[place..].iter().take_while(|item| self.is_committed(item.id))
    }

    /// Nothing more of the item will be shown than is in the scrollback already.
    pub fn cut_off(&mut self, id: ItemId) {
        self.cut.insert(id);
    }

    /// See [`Items::cut_off`].
    pub fn is_cut(&self, id: ItemId) -> bool {
        self.cut.contains(&id)
    }

    /// The last call, text, thinking or user message.
    pub fn last_beginning(&self) -> Option<ItemId> {
        self.beginning
    }

    fn place(&self, id: ItemId) -> Option<usize> {
        self.list.binary_search_by_key(&id, |item| item.id).ok()
    }
}

fn begins(body: &ItemBody) -> bool {
    match body {
        ItemBody::User { .. } | ItemBody::Thinking(_) | ItemBody::Text { .. } | ItemBody::Call(_) => true,
        ItemBody::Orphan { .. }
        | ItemBody::Command { .. }
        | ItemBody::Notice { .. }
        | ItemBody::Compaction { .. }
        | ItemBody::CutOff { .. }
        | ItemBody::TurnEnded(_)
        | ItemBody::Earlier { .. } => false,
    }
}
