//! One attempt at one step: the parts of a model's stream become blocks.
//!
//! Owns the rule that text and thinking never overlap: listeners hear of one open block at a time, although a
//! provider's parts may interleave. A part that was shut to make room goes on in a new block. It refuses to know what
//! is done with calls (`batch.rs`) and how often a step is asked (`../turn.rs`).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Report, Whole};
use crate::provider::{Message, PartKind, StreamEvent, Tokens};
use crate::worker::call::{CallId, CallIds};

#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The provider's numbers of what it has begun and not ended.
    parts: BTreeMap<u32, Part>,
    open: Option<Open>,
    /// The whole blocks, as a model is told of them later.
    pub(super) said: Vec<Message>,
    /// The calls in the order in which they began.
    pub(super) calls: Vec<AskedCall>,
    pub(super) tokens: Tokens,
}

/// A call as the model asked for it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskedCall {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) arguments: String,
    /// The provider said that nothing more belongs to it.
    pub(super) ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Text,
    Thinking,
    /// Place in `Answer::calls`.
    Call(usize),
}

#[derive(Debug)]
struct Open {
    part: u32,
    thinking: bool,
    text: String,
    /// A call began after it: listeners take it as closed, so that further text needs a block of its own.
    behind_a_call: bool,
}

impl Answer {
    /// Takes what is no end of the step.
    pub(super) fn take(&mut self, event: StreamEvent, ids: &CallIds, reports: &mut Vec<Report>) {
        match event {
            StreamEvent::Start { part, kind } => self.start(part, kind, ids, reports),
            StreamEvent::Delta { part, text } => self.delta(part, &text, reports),
            StreamEvent::End { part, opaque } => self.end(part, opaque, reports),
            StreamEvent::Usage(tokens) => self.tokens = tokens,
            StreamEvent::Stop(_) | StreamEvent::Failed(_) => {}
        }
    }

    /// Closes the open block; what it has so far is its whole.
    pub(super) fn close(&mut self, reports: &mut Vec<Report>) {
        self.close_with(None, reports);
    }

    /// The answer will never be whole. Text so far is kept; thinking that did not end is not told to a model, which
    /// would not know it without what the provider signs it with, and is left open for listeners to mark.
    pub(super) fn interrupt(&mut self, reports: &mut Vec<Report>) {
        if self.open.as_ref().is_some_and(|open| open.thinking) {
            self.open = None;
        }
        self.close(reports);
    }

    fn start(&mut self, part: u32, kind: PartKind, ids: &CallIds, reports: &mut Vec<Report>) {
        if self.parts.contains_key(&part) {
            self.end(part, None, reports);
        }
        let begun = match kind {
            // An answer's text is heard of with its first piece: an empty one leaves nothing.
            PartKind::Text => Part::Text,
            PartKind::Thinking => {
                self.open_block(part, true, reports);
                Part::Thinking
            }
            PartKind::ToolCall { name } => {
                match &mut self.open {
                    // Its end may still bring what the provider wants back with it.
                    Some(open) if open.thinking => open.behind_a_call = true,
                    Some(_) | None => self.close(reports),
                }
                let id = ids.mint();
                reports.push(Report::CallStart { id: id.clone(), name: name.clone() });
                self.calls.push(AskedCall { id, name, arguments: String::new(), ended: false });
                Part::Call(self.calls.len() - 1)
            }
        };
        self.parts.insert(part, begun);
    }

    fn delta(&mut self, part: u32, text: &str, reports: &mut Vec<Report>) {
        if text.is_empty() {
            return;
        }
        let thinking = match self.parts.get(&part) {
            Some(Part::Call(at)) => return self.call_delta(*at, text, reports),
            Some(Part::Text) => false,
            Some(Part::Thinking) => true,
            None => {
                tracing::warn!(part, "a piece of a part that is not open was dropped");
                return;
            }
        };
        if !self.open.as_ref().is_some_and(|open| open.part == part && !open.behind_a_call) {
            self.open_block(part, thinking, reports);
        }
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
        let text = text.to_owned();
        reports.push(if thinking { Report::ThinkingDelta(text) } else { Report::TextDelta(text) });
    }

    fn call_delta(&mut self, at: usize, text: &str, reports: &mut Vec<Report>) {
        if let Some(call) = self.calls.get_mut(at) {
            call.arguments.push_str(text);
            reports.push(Report::CallDelta { id: call.id.clone(), text: text.to_owned() });
        }
    }

    fn end(&mut self, part: u32, opaque: Option<Value>, reports: &mut Vec<Report>) {
        let Some(ended) = self.parts.remove(&part) else {
            return;
        };
        let is_open = self.open.as_ref().is_some_and(|open| open.part == part);
        match ended {
            Part::Call(at) => {
                if let Some(call) = self.calls.get_mut(at) {
                    call.ended = true;
                }
            }
            Part::Text | Part::Thinking if is_open => self.close_with(opaque, reports),
            Part::Thinking if opaque.is_some() => {
                // Its block had to make room: what the provider wants back travels in an empty one.
                self.open_block(part, true, reports);
                self.close_with(opaque, reports);
            }
            Part::Text | Part::Thinking => {}
        }
    }

    fn open_block(&mut self, part: u32, thinking: bool, reports: &mut Vec<Report>) {
        self.close(reports);
        self.open = Some(Open { part, thinking, text: String::new(), behind_a_call: false });
        reports.push(if thinking { Report::ThinkingStart } else { Report::TextStart });
    }

    fn close_with(&mut self, opaque: Option<Value>, reports: &mut Vec<Report>) {
        let Some(open) = self.open.take() else {
            return;
        };
        let text = open.text;
        if open.thinking {
            self.said.push(Message::Reasoning { text: text.clone(), opaque: opaque.clone() });
            reports.push(Report::ThinkingStop(Whole { text, opaque, problem: None }));
        } else {
            self.said.push(Message::Assistant { text: text.clone() });
            reports.push(Report::TextStop(Whole { text, opaque: None, problem: None }));
        }
    }
}
