//! What moves by itself: times of what runs, which grow while somebody looks on.
//!
//! With reduced motion they are not shown until they stand still, and nothing is drawn for their sake. Times that are
//! settled are the same either way. What else changes on the screen is news, and is not decided here.

use std::time::Duration;

use carpel_slots::{CallState, ToolCall};

use super::Painter;
use crate::paint::PaintCx;
use crate::transcript::item::{FlowItem, ItemBody, ThinkingState};

/// Whether anything on the screen moves by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    Full,
    Reduced,
}

impl Painter {
    /// The same painter; whether what it draws moves by itself.
    #[must_use]
    pub fn moving(self, motion: Motion) -> Painter {
        Painter { motion, ..self }
    }

    /// The time that a header shows: what the call took, or for how long it has been seen running.
    pub(super) fn elapsed(&mut self, call: &ToolCall, cx: &PaintCx) -> Option<Duration> {
        let runs = call.state == CallState::Executing;
        let grows = self.motion == Motion::Full;
        let shown = |time: &Duration| grows && *time >= Duration::from_secs(1);
        self.time(call, cx.now).filter(|time| !runs || shown(time))
    }

    /// How long a call runs or ran.
    pub(super) fn time(&mut self, call: &ToolCall, now: Duration) -> Option<Duration> {
        if call.state != CallState::Executing {
            return call.elapsed;
        }
        let since = match self.running.get(&call.key) {
            Some(since) => *since,
            None => *self.running.entry(call.key.clone()).or_insert(now),
        };
        // It may have run before this client came to it.
        Some(now.saturating_sub(since) + call.elapsed.unwrap_or_default())
    }

    /// The conditions for an item: with reduced motion a thought that is still open looks as when it began.
    pub(super) fn stilled(&self, body: &ItemBody, cx: &PaintCx) -> PaintCx {
        match (self.motion, open_since(body)) {
            (Motion::Reduced, Some(since)) => PaintCx { now: since, ..*cx },
            _ => *cx,
        }
    }

    /// The second that an item shows, where that grows.
    pub(super) fn second(&self, item: &FlowItem, cx: &PaintCx) -> Option<u64> {
        let since = open_since(&item.body).filter(|_| self.motion == Motion::Full)?;
        Some(cx.now.saturating_sub(since).as_secs())
    }
}

fn open_since(body: &ItemBody) -> Option<Duration> {
    match body {
        ItemBody::Thinking(thinking) => match thinking.state {
            ThinkingState::Open { since } => Some(since),
            ThinkingState::Done { .. } | ThinkingState::Interrupted { .. } => None,
        },
        _ => None,
    }
}
