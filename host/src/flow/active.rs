//! The live items: everything that the journal has not taken, in order, painted in full.
//!
//! It decides what kind of live thing an item is, since that decides what gives way when there is no room for all of
//! them (`budget`), and when a running timer has to be drawn again. It holds nothing from frame to frame.

use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{CallState, ToolCall};

use super::journal::Journal;
use crate::paint::{CardRows, Cards, Paint, PaintCx};
use crate::row::Row;
use crate::transcript::Transcript;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, ThinkingState};

/// One live item with its rows.
#[derive(Debug)]
pub struct LiveItem {
    /// True when an empty row stands above it.
    pub gap: bool,
    /// What it is.
    pub kind: Kind,
}

/// What a live item is to the budget.
#[derive(Debug)]
pub enum Kind {
    /// A call that runs.
    Running(Arc<ToolCall>, Cards),
    /// A call that is finished and waits for its turn to be committed.
    Finished(Cards),
    /// Text, and what has to end before it can be committed.
    Text(Vec<Row>, String),
    /// Open thinking: its header, then its body.
    Thinking(Vec<Row>),
    /// Anything else that waits.
    Waiting(Vec<Row>),
}

/// The live items in order.
#[derive(Debug, Default)]
pub struct Active {
    /// Those that have rows.
    pub items: Vec<LiveItem>,
    ids: Vec<ItemId>,
    /// When each running timer began.
    timers: Vec<Duration>,
}

impl Active {
    /// Paints what the journal has not taken.
    pub fn paint(transcript: &Transcript, journal: &Journal, paint: &mut dyn Paint, cx: &PaintCx) -> Active {
        let items = transcript.refreshed();
        let mut active = Active::default();
        let mut above = journal.above();
        let mut held_by = None;
        for item in &items[journal.next(items)..] {
            active.ids.push(item.id);
            let kind = active.kind(item, held_by.as_deref(), paint, cx);
            if held_by.is_none() {
                held_by = holds_back(item);
            }
            let Some(kind) = kind else { continue };
            let gap = !journal.is_begun(item.id) && above.is_some_and(|above| paint.gap(above, item, cx));
            active.items.push(LiveItem { gap, kind });
            above = Some(item);
        }
        active
    }

    /// The identities, also of items without rows.
    pub fn ids(&self) -> Vec<ItemId> {
        self.ids.clone()
    }

    /// How long until a timer shows another second.
    pub fn due(&self, now: Duration) -> Option<Duration> {
        let second = Duration::from_secs(1);
        let left = |since: &Duration| {
            let part = Duration::from_nanos(u64::from(now.saturating_sub(*since).subsec_nanos()));
            second - part
        };
        self.timers.iter().map(left).min()
    }

    fn kind(
        &mut self,
        item: &FlowItem,
        held_by: Option<&str>,
        paint: &mut dyn Paint,
        cx: &PaintCx,
    ) -> Option<Kind> {
        let kind = match &item.body {
            ItemBody::Call(root) => {
                let cards = paint.call(root, None, cx);
                if root.state.is_settled() {
                    Kind::Finished(cards)
                } else {
                    if cards.iter().any(|card| runs(card)) {
                        self.timers.push(Duration::ZERO);
                    }
                    Kind::Running(Arc::clone(root), cards)
                }
            }
            ItemBody::Text { text, .. } => {
                let tail = paint.tail_text(item.id, text, cx);
                let until = held_by.or(tail.held_by).unwrap_or("the line").to_owned();
                Kind::Text(tail.rows, until)
            }
            ItemBody::Thinking(thinking) => match thinking.state {
                ThinkingState::Open { since } => {
                    self.timers.push(since);
                    Kind::Thinking(paint.item(item, cx))
                }
                ThinkingState::Done { .. } | ThinkingState::Interrupted { .. } => {
                    Kind::Waiting(paint.item(item, cx))
                }
            },
            ItemBody::User { .. }
            | ItemBody::Orphan { .. }
            | ItemBody::Command { .. }
            | ItemBody::Notice { .. }
            | ItemBody::Compaction { .. }
            | ItemBody::CutOff { .. }
            | ItemBody::TurnEnded(_)
            | ItemBody::Earlier { .. } => Kind::Waiting(paint.item(item, cx)),
        };
        (kind.rows() > 0).then_some(kind)
    }
}

impl Kind {
    /// How many rows it has in full.
    pub fn rows(&self) -> usize {
        match self {
            Kind::Running(_, cards) | Kind::Finished(cards) => {
                cards.iter().map(|card| card.header.len() + card.body.len()).sum()
            }
            Kind::Text(rows, _) | Kind::Thinking(rows) | Kind::Waiting(rows) => rows.len(),
        }
    }
}

/// What everything behind the item waits for.
fn holds_back(item: &FlowItem) -> Option<String> {
    match &item.body {
        ItemBody::Call(root) if !root.state.is_settled() && !root.name.is_empty() => Some(root.name.clone()),
        ItemBody::Call(root) if !root.state.is_settled() => Some("the call".to_owned()),
        ItemBody::Text { closed: false, .. } => Some("the text".to_owned()),
        ItemBody::Thinking(thinking) if matches!(thinking.state, ThinkingState::Open { .. }) => {
            Some("the thinking".to_owned())
        }
        _ => None,
    }
}

/// True when time passes for the call: one whose arguments arrive, or that waits for a person, has no timer.
fn runs(card: &CardRows) -> bool {
    card.state == CallState::Executing
}
