//! Text and thinking of the session's own model: which block is open and what a late end still fills in.
//!
//! There is at most one open block; the start of another thing closes it. It changes items and knows nothing of calls.
//! A block that is in the scrollback in part is never replaced: it is cut off and a new one begins.

use std::time::Duration;

use super::item::{ItemBody, ItemId, Thinking, ThinkingState};
use super::items::Items;

/// The open block and the ones whose end has not been told.
#[derive(Debug, Default)]
pub struct Blocks {
    open: Option<Open>,
    /// A text that something else closed.
    late_text: Option<ItemId>,
    /// A thinking block that something else closed.
    late_thinking: Option<ItemId>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    item: ItemId,
    thinking: bool,
    /// True when an attach may tell its start again.
    repeatable: bool,
}

/// Where a block's piece belongs in the flow, and when it came.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// The turn.
    pub turn: u64,
    /// The time; `None` from history.
    pub now: Option<Duration>,
}

impl Blocks {
    /// A new connection: the snapshot tells the open block again.
    pub(super) fn attached(&mut self) {
        if let Some(open) = &mut self.open {
            open.repeatable = true;
        }
    }

    pub(super) fn thinking_start(&mut self, items: &mut Items, at: At) {
        if let Some(open) = &mut self.open
            && open.thinking
            && std::mem::take(&mut open.repeatable)
        {
            return;
        }
        self.close(items, at.now);
        let state = match at.now {
            Some(since) => ThinkingState::Open { since },
            None => ThinkingState::Done { elapsed: None },
        };
        let thinking = Thinking { text: String::new(), summary: Vec::new(), state };
        let item = items.push(at.turn, ItemBody::Thinking(thinking));
        self.late_thinking = None;
        self.open = Some(Open { item, thinking: true, repeatable: false });
    }

    pub(super) fn thinking_delta(&mut self, items: &mut Items, text: &str, reset: bool) {
        let Some(open) = self.open.filter(|open| open.thinking) else { return };
        if let Some(ItemBody::Thinking(thinking)) = items.change(open.item) {
            if reset {
                thinking.text.clear();
            }
            thinking.text.push_str(text);
        }
    }

    pub(super) fn thinking_done(
        &mut self,
        items: &mut Items,
        text: &str,
        elapsed: Option<Duration>,
        now: Option<Duration>,
    ) {
        let item = match self.open.filter(|open| open.thinking) {
            Some(open) => {
                self.close(items, now);
                Some(open.item)
            }
            None => self.late_thinking,
        };
        self.late_thinking = None;
        let Some(ItemBody::Thinking(thinking)) = item.and_then(|item| items.change(item)) else { return };
        if thinking.text.is_empty() {
            thinking.text.push_str(text);
        }
        if elapsed.is_some() {
            thinking.state = ThinkingState::Done { elapsed };
        }
    }

    /// A whole block from the history: the end of the open one, else a block of its own.
    pub(super) fn reasoning(
        &mut self,
        items: &mut Items,
        at: At,
        text: &str,
        summary: &[String],
        elapsed: Option<Duration>,
    ) {
        if !self.open.is_some_and(|open| open.thinking) {
            self.thinking_start(items, At { now: None, ..at });
        }
        let item = self.open.map(|open| open.item);
        self.thinking_done(items, text, elapsed, None);
        if let Some(ItemBody::Thinking(thinking)) = item.and_then(|item| items.change(item)) {
            thinking.summary = summary.to_vec();
        }
    }

    pub(super) fn text_delta(&mut self, items: &mut Items, at: At, text: &str, reset: bool) {
        let open = self.open.filter(|open| !open.thinking);
        match open {
            Some(open) if reset => self.replace_text(items, at, open.item, text),
            Some(open) => {
                if let Some(ItemBody::Text { text: sofar, .. }) = items.change(open.item) {
                    sofar.push_str(text);
                }
            }
            None if text.is_empty() => {}
            None => self.open_text(items, at, text),
        }
    }

    pub(super) fn text_done(&mut self, items: &mut Items, at: At, text: &str) {
        let open = self.open.filter(|open| !open.thinking).map(|open| open.item);
        let late = self.late_text.filter(|late| match items.body(*late) {
            Some(ItemBody::Text { text: sofar, .. }) => text.starts_with(sofar.as_str()),
            _ => false,
        });
        let item = match open.or(late) {
            Some(item) => item,
            None if text.is_empty() => return,
            None => {
                self.open_text(items, at, "");
                match self.open {
                    Some(open) => open.item,
                    None => return,
                }
            }
        };
        if let Some(ItemBody::Text { text: sofar, closed }) = items.change(item) {
            if let Some(missing) = text.strip_prefix(sofar.as_str()) {
                sofar.push_str(missing);
            }
            *closed = true;
        }
        self.late_text = None;
        if self.open.is_some_and(|open| open.item == item) {
            self.open = None;
        }
    }

    /// Closes what is open, because something else begins.
    pub(super) fn close(&mut self, items: &mut Items, now: Option<Duration>) {
        let Some(open) = self.open.take() else { return };
        match items.change(open.item) {
            Some(ItemBody::Text { closed, .. }) => {
                *closed = true;
                self.late_text = Some(open.item);
            }
            Some(ItemBody::Thinking(thinking)) => {
                thinking.state = ThinkingState::Done { elapsed: elapsed(thinking.state, now) };
                self.late_thinking = Some(open.item);
            }
            _ => {}
        }
    }

    /// The turn or its step ends: open thinking is interrupted, open text is closed, nothing late counts any more.
    pub(super) fn end_turn(&mut self, items: &mut Items, now: Option<Duration>) {
        if let Some(open) = self.open.filter(|open| open.thinking)
            && let Some(ItemBody::Thinking(thinking)) = items.change(open.item)
        {
            thinking.state = ThinkingState::Interrupted { elapsed: elapsed(thinking.state, now) };
            self.open = None;
        }
        self.close(items, now);
        *self = Blocks::default();
    }

    fn open_text(&mut self, items: &mut Items, at: At, text: &str) {
        self.close(items, at.now);
        let item = items.push(at.turn, ItemBody::Text { text: text.to_owned(), closed: false });
        self.late_text = None;
        self.open = Some(Open { item, thinking: false, repeatable: false });
    }

    fn replace_text(&mut self, items: &mut Items, at: At, item: ItemId, text: &str) {
        let Some(ItemBody::Text { text: sofar, .. }) = items.body(item) else { return };
        if let Some(missing) = text.strip_prefix(sofar.as_str()) {
            let missing = missing.to_owned();
            if let Some(ItemBody::Text { text: sofar, .. }) = items.change(item) {
                sofar.push_str(&missing);
            }
            return;
        }
        self.open = None;
        if items.is_committed(item) {
            if let Some(ItemBody::Text { closed, .. }) = items.change(item) {
                *closed = true;
            }
            items.cut_off(item);
            items.push(at.turn, ItemBody::CutOff { reason: String::new() });
        } else {
            items.take_back(item, |gone| gone.id == item);
        }
        self.open_text(items, at, text);
    }
}

fn elapsed(state: ThinkingState, now: Option<Duration>) -> Option<Duration> {
    match state {
        ThinkingState::Open { since } => now.map(|now| now.saturating_sub(since)),
        ThinkingState::Done { elapsed } | ThinkingState::Interrupted { elapsed } => elapsed,
    }
}
