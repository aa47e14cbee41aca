//! What a call's result means for its state, and what stands in for one that never comes.
//!
//! Pure translations between the wire's words and those of views. It refuses to know which call a result is for
//! (`calls.rs`).

use carpel_protocol::item::ToolResult;
use carpel_protocol::word::Outcome;
use carpel_slots::{CallResult, CallState};

pub(super) fn state_of(outcome: &Outcome) -> CallState {
    match outcome {
        Outcome::Ok | Outcome::Other(_) => CallState::Done,
        Outcome::Error => CallState::Error,
        Outcome::Cancelled => CallState::Cancelled,
        Outcome::Rejected => CallState::Rejected,
        Outcome::Interrupted => CallState::Incomplete,
    }
}

/// The result as views have it.
pub(super) fn result_of(result: &ToolResult) -> CallResult {
    CallResult {
        summary: result.summary.clone(),
        output: result.output.clone(),
        output_total: result.output_total,
        outcome: result.settled(),
        structured: result.structured.clone(),
    }
}

/// The result of a call whose pod went away, in the words that the session gives it when it goes on.
pub(super) fn lost(has_begun: bool) -> CallResult {
    CallResult {
        summary: if has_begun { ToolResult::NOTHING_KNOWN } else { ToolResult::NEVER_BEGUN }.to_owned(),
        output: None,
        output_total: None,
        outcome: Outcome::Interrupted,
        structured: None,
    }
}
