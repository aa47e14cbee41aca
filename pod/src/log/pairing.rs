//! Which calls have no result, and which results no call.
//!
//! A model refuses a history in which the two do not pair. The log is left as it is; whoever builds what is sent adds
//! [`interrupted`] for each call without a result and leaves results without a call out. Order is file order, never time:
//! a clock may step back. It refuses to know messages.

use std::collections::{HashMap, VecDeque};

use carpel_protocol::item::{ToolCall, ToolResult};
use carpel_protocol::word::Outcome;
use carpel_protocol::{Item, Record};

/// Positions in the records that were looked at, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Calls without a result.
    pub unanswered: Vec<usize>,
    /// Results without a call before them, a second result of the same call among them.
    pub orphans: Vec<usize>,
}

/// Pairs each result with the oldest open call of its id.
pub fn pairing(records: &[Record]) -> Pairing {
    let mut open: HashMap<&str, VecDeque<usize>> = HashMap::new();
    let mut orphans = Vec::new();
    for (at, record) in records.iter().enumerate() {
        match &record.item {
            Item::ToolCall(call) => open.entry(&call.id).or_default().push_back(at),
            Item::ToolResult(result) => {
                if open.get_mut(result.id.as_str()).and_then(VecDeque::pop_front).is_none() {
                    orphans.push(at);
                }
            }
            Item::UserMessage(_)
            | Item::AssistantText(_)
            | Item::Reasoning(_)
            | Item::Compaction(_)
            | Item::Command(_)
            | Item::Notice(_)
            | Item::TurnEnd(_)
            | Item::Unknown(_) => {}
        }
    }
    let mut unanswered: Vec<usize> = open.into_values().flatten().collect();
    unanswered.sort_unstable();
    Pairing { unanswered, orphans }
}

/// What stands in for the result of a call whose pod went away.
pub fn interrupted(call: &ToolCall, never_begun: bool) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        summary: if never_begun { ToolResult::NEVER_BEGUN } else { ToolResult::NOTHING_KNOWN }.to_owned(),
        output: None,
        is_error: true,
        outcome: Some(Outcome::Interrupted),
        structured: None,
        elapsed_ms: None,
        output_total: None,
        output_ref: None,
    }
}
