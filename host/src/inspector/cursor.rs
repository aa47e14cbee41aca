//! Where a person is: what is selected, by identity, and on which row of the screen it stands.
//!
//! That is the whole position. Rows above and below follow from it, so nothing moves when the session grows, when a call
//! changes or when the window gets another width. A move says where to and how it should look ([`Want`]); the next
//! drawing, which knows heights, carries it out ([`super::view`]).

use carpel_slots::CallKey;

use crate::transcript::item::{FlowItem, ItemBody, ItemId};

/// What can be selected: an item, and in a call tree one of its calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The item.
    pub item: ItemId,
    /// The call; `None` for an item that is no call.
    pub call: Option<CallKey>,
}

impl Spot {
    /// An item, at its root call where it has one.
    pub fn of(item: &FlowItem) -> Spot {
        let call = match &item.body {
            ItemBody::Call(root) => Some(root.key.clone()),
            ItemBody::User { .. }
            | ItemBody::Thinking(_)
            | ItemBody::Text { .. }
            | ItemBody::Orphan { .. }
            | ItemBody::Command { .. }
            | ItemBody::Notice { .. }
            | ItemBody::Compaction { .. }
            | ItemBody::CutOff { .. }
            | ItemBody::TurnEnded(_)
            | ItemBody::Earlier { .. } => None,
        };
        Spot { item: item.id, call }
    }
}

/// What the next drawing should do about the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Want {
    /// The selection stays on its row.
    #[default]
    Stay,
    /// The selection moved a step: as little as possible moves.
    Near,
    /// The selection jumped: where it is not in sight it gets rows above it.
    Jump,
    /// The rows move by so many pages, in hundredths, and the selection only where it would leave the screen.
    Pages(i32),
    /// The rows move by so many rows.
    Rows(i32),
}

/// The position.
#[derive(Debug, Default)]
pub struct Cursor {
    /// What is selected; `None` until the first drawing.
    pub spot: Option<Spot>,
    /// True while the end is selected and stays selected when more comes.
    pub follows: bool,
    /// What the next drawing should do.
    pub want: Want,
    /// What was selected in the last drawing and the row on which it began; negative where it began above.
    pub drawn: Option<(Spot, isize)>,
    /// Which way an item without rows is passed.
    pub is_upward: bool,
    /// True once it stood anywhere.
    pub has_begun: bool,
}

impl Cursor {
    /// Selects something else.
    pub fn select(&mut self, spot: Spot, want: Want) {
        self.is_upward = self.spot.as_ref().is_some_and(|before| spot.item < before.item);
        self.spot = Some(spot);
        self.want = want;
        self.follows = false;
        self.has_begun = true;
    }

    /// Selects the end and stays there.
    pub fn follow(&mut self) {
        self.follows = true;
        self.is_upward = true;
        self.want = Want::Near;
        self.has_begun = true;
    }
}

/// The place of an item in the list; where it is gone, of the next one.
pub fn place_of(items: &[FlowItem], id: ItemId) -> usize {
    items.partition_point(|item| item.id < id).min(items.len().saturating_sub(1))
}
