//! A call as it goes over the plugin wire: all that its view sees, with texts bounded and sub-calls as counts.
//!
//! It knows no transport and no view. What a text loses at its bound is counted beside it, so that a view can say so.
//! The lines around it are in `wire`.

use std::time::Duration;

use carpel_protocol::word::{Outcome, ToolKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::args::Args;
use crate::call::{Approval, CallKey, CallResult, CallState, Tail, ToolCall};
use crate::sub_calls::{Below, SubCalls};

/// Of every text so many bytes are told at most: the last of what is live, the first of all others.
pub const MAX_TEXT: usize = 64 * 1024;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireCall {
    /// The tool's name, raw.
    pub name: String,
    /// What the tool does in general, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    /// Where the call stands.
    pub state: CallState,
    /// The arguments as JSON: whole when `complete`, else a best-effort reading of what has come; `null` while nothing
    /// can be read.
    #[serde(default)]
    pub arguments: Value,
    /// True once nothing more will come, and all of it is told here.
    #[serde(default)]
    pub complete: bool,
    /// The arguments as they came, raw, at most [`MAX_TEXT`] bytes.
    #[serde(default)]
    pub raw_arguments: String,
    /// The end of the live output; empty once there is a result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub progress: String,
    /// The question that waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The result, once the call is settled by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<WireResult>,
    /// How long it ran, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How the calls below it stand, at any depth.
    #[serde(default)]
    pub below: Below,
}

/// How a call ended and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireResult {
    /// One line by the tool itself.
    #[serde(default)]
    pub summary: String,
    /// The detail, at most [`MAX_TEXT`] bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How many bytes of the output are not told here.
    #[serde(default)]
    pub output_left_out: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Typed data by the tool; left out where it is over [`MAX_TEXT`] bytes of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
}

impl WireCall {
    /// What of a call goes over the wire.
    pub fn of(call: &ToolCall) -> WireCall {
        let raw = call.args.raw();
        let told = head(raw);
        let is_whole = told.len() == raw.len();
        let arguments =
            if is_whole { call.args.partial().cloned() } else { Args::streaming(told).partial().cloned() };
        WireCall {
            name: head(&call.name).to_owned(),
            kind: call.kind.clone(),
            state: call.state,
            arguments: arguments.unwrap_or_default(),
            complete: call.args.is_complete() && is_whole,
            raw_arguments: told.to_owned(),
            progress: if call.result.is_some() {
                String::new()
            } else {
                tail(call.progress.text()).to_owned()
            },
            approval: call.approval.as_ref().map(|approval| Approval {
                title: head(&approval.title).to_owned(),
                detail: head(&approval.detail).to_owned(),
            }),
            result: call.result.as_ref().map(WireResult::of),
            elapsed_ms: call.elapsed.map(|elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
            below: call.sub_calls.below(),
        }
    }

    /// The call as a view sees it. Its key says nothing, its sub-calls are counts alone.
    pub fn to_call(&self) -> ToolCall {
        let raw = self.raw_arguments.clone();
        let mut progress = Tail::default();
        progress.push(&self.progress);
        ToolCall {
            kind: self.kind.clone(),
            args: if self.complete { Args::complete(raw) } else { Args::streaming(raw) },
            state: self.state,
            approval: self.approval.clone(),
            progress,
            result: self.result.as_ref().map(WireResult::to_result),
            elapsed: self.elapsed_ms.map(Duration::from_millis),
            sub_calls: SubCalls::counted(self.below),
            ..ToolCall::new(CallKey { turn: 0, id: "".into(), occurrence: 0 }, &self.name)
        }
    }
}

impl WireResult {
    fn of(result: &CallResult) -> WireResult {
        let told = result.output.as_deref().map(head);
        let whole = result.output_total.unwrap_or(result.output.as_ref().map_or(0, String::len) as u64);
        let left_out = whole.saturating_sub(told.map_or(0, str::len) as u64);
        let is_small = |value: &&Value| serde_json::to_string(value).is_ok_and(|text| text.len() <= MAX_TEXT);
        WireResult {
            summary: head(&result.summary).to_owned(),
            output: told.map(str::to_owned),
            output_left_out: left_out,
            outcome: result.outcome.clone(),
            structured: result.structured.as_ref().filter(is_small).cloned(),
        }
    }

    fn to_result(&self) -> CallResult {
        CallResult {
            summary: self.summary.clone(),
            output: self.output.clone(),
            output_total: self
                .output
                .as_ref()
                .filter(|_| self.output_left_out > 0)
                .map(|told| self.output_left_out.saturating_add(told.len() as u64)),
            outcome: self.outcome.clone(),
            structured: self.structured.clone(),
        }
    }
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_TEXT))..]
}
