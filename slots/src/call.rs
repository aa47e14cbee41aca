//! The tool call as a view sees it: frozen, shared, complete in itself.
//!
//! A [`ToolCall`] is a value behind an `Arc`. When something changes the host makes a new one and new ancestors up to
//! the root; all other calls are shared with the tree before. A view never learns whether it is a root or a child.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::word::{Outcome, ToolKind};
use serde_json::Value;

use crate::args::Args;
use crate::said::Said;
use crate::sub_calls::SubCalls;

/// The host's own identity of a call. Ids of the wire may come again; these never do within a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey {
    /// The turn in which the call began.
    pub turn: u64,
    /// The id on the wire, raw.
    pub id: Arc<str>,
    /// 0 for the first call of that id in the turn, 1 for the next.
    pub occurrence: u32,
}

/// One tool use.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// Identity.
    pub key: CallKey,
    /// The tool's name, raw; the key of its view.
    pub name: String,
    /// What the tool does in general, when the wire says so.
    pub kind: Option<ToolKind>,
    /// The arguments, whole or as far as they have come.
    pub args: Args,
    /// Where the call stands.
    pub state: CallState,
    /// The question that a person has been asked, while it is open.
    pub approval: Option<Approval>,
    /// The end of its live output.
    pub progress: Tail,
    /// What its sub-agent has said, where it runs one.
    pub said: Said,
    /// The result, once it is settled by one.
    pub result: Option<CallResult>,
    /// How long it ran; `None` where that is not known. While it runs: how long it had run already when this client
    /// came to it, `None` where the client has seen it begin.
    pub elapsed: Option<Duration>,
    /// The calls that it made, in start order.
    pub sub_calls: SubCalls,
    /// Grows when the call itself changes.
    pub own_revision: u64,
    /// Grows when the call or anything below it changes.
    pub tree_revision: u64,
}

impl ToolCall {
    /// A call that has just begun: pending, and nothing is known but its name.
    pub fn new(key: CallKey, name: &str) -> ToolCall {
        ToolCall {
            key,
            name: name.to_owned(),
            kind: None,
            args: Args::default(),
            state: CallState::Pending,
            approval: None,
            progress: Tail::default(),
            said: Said::default(),
            result: None,
            elapsed: None,
            sub_calls: SubCalls::default(),
            own_revision: 0,
            tree_revision: 0,
        }
    }

    /// This call and all below it, parents first, with their depth below this one (0 for itself).
    pub fn walk(self: &Arc<Self>) -> Vec<(usize, &Arc<ToolCall>)> {
        let mut open = vec![(0, self)];
        let mut all = Vec::new();
        while let Some((depth, call)) = open.pop() {
            all.push((depth, call));
            open.extend(call.sub_calls.iter().rev().map(|sub_call| (depth + 1, sub_call)));
        }
        all
    }
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Begun; no arguments yet.
    Pending,
    /// Its arguments arrive.
    Streaming,
    /// A person has to say yes or no.
    AwaitingApproval,
    /// It runs.
    Executing,
    /// It ended well.
    Done,
    /// It failed.
    Error,
    /// The turn was cancelled before it ended.
    Cancelled,
    /// A person or a rule said no.
    Rejected,
    /// Its end is not known: the pod went away, or the turn ended without a result.
    Incomplete,
}

impl CallState {
    /// All states, in the order of a call's life.
    pub const ALL: [CallState; 9] = [
        CallState::Pending,
        CallState::Streaming,
        CallState::AwaitingApproval,
        CallState::Executing,
        CallState::Done,
        CallState::Error,
        CallState::Cancelled,
        CallState::Rejected,
        CallState::Incomplete,
    ];

    /// True once nothing but a late argument or a child can change the call.
    pub fn is_settled(self) -> bool {
        match self {
            CallState::Pending
            | CallState::Streaming
            | CallState::AwaitingApproval
            | CallState::Executing => false,
            CallState::Done
            | CallState::Error
            | CallState::Cancelled
            | CallState::Rejected
            | CallState::Incomplete => true,
        }
    }

    /// The word that tells the state where a glyph is not enough.
    pub fn word(self) -> &'static str {
        match self {
            CallState::Pending => "pending",
            CallState::Streaming => "writing",
            CallState::AwaitingApproval => "waiting for you",
            CallState::Executing => "running",
            CallState::Done => "done",
            CallState::Error => "failed",
            CallState::Cancelled => "cancelled",
            CallState::Rejected => "rejected",
            CallState::Incomplete => "incomplete",
        }
    }
}

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Approval {
    /// One line, raw.
    pub title: String,
    /// The whole of it, raw: a diff, a command.
    pub detail: String,
}

/// How a call ended and what came of it. All strings are raw.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// One line by the tool itself.
    pub summary: String,
    /// The detail; absent rather than empty.
    pub output: Option<String>,
    /// Bytes of the whole, where `output` is its head and its tail.
    pub output_total: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// Typed data by the tool, e.g. the matches of a search.
    pub structured: Option<Value>,
}

/// The last part of a text that grows without bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    text: Arc<String>,
    dropped: u64,
}

impl Tail {
    /// How many bytes are kept at least.
    pub const KEPT: usize = 64 * 1024;

    /// Adds a piece. What goes over twice [`Tail::KEPT`] is dropped from the front, up to a line break where there is
    /// one near.
    pub fn push(&mut self, piece: &str) {
        let text = Arc::make_mut(&mut self.text);
        text.push_str(piece);
        if text.len() <= 2 * Tail::KEPT {
            return;
        }
        // The cut falls at a line break among the last bytes that may go, so that what is kept never falls short, and
        // enough goes each time for pushing to stay linear.
        let last = text.floor_char_boundary(text.len() - Tail::KEPT);
        let first = text.floor_char_boundary(last.saturating_sub(Tail::KEPT / 2));
        let cut = text[first..last].rfind('\n').map_or(last, |line_end| first + line_end + 1);
        text.drain(..cut);
        self.dropped += cut as u64;
    }

    /// Forgets everything, for a piece that replaces what came before.
    pub fn clear(&mut self) {
        *self = Tail::default();
    }

    /// What is kept, raw.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes came before what is kept.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
