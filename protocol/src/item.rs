//! Items: what a session is made of once it is settled.
//!
//! One [`Record`] is one object tagged `"kind"`, in a `history` event or in a line of the session log. `seq` and `at`
//! are those of the log record. An item folds into the transcript exactly as the events do that it stands for.

use serde_json::Value;

use crate::event::is_false;
use crate::event::{Notice, TurnEnd, UserMessage};
use crate::wire::{wire_enum, wire_struct};
use crate::word::{Outcome, ToolKind};

wire_enum! {
    /// One settled thing of a session.
    pub enum Item tag "kind";
    /// An item with the fields that any record may carry.
    pub struct Record { item, common: [
        /// Number of the log record; grows within a session and never repeats.
        seq: u64,
        /// When it was written, in Unix milliseconds.
        at: i64
    ] }
    /// A person's prompt.
    UserMessage(UserMessage) = "user_message",
    /// A block of the answer.
    AssistantText(AssistantText) = "assistant_text",
    /// A block of thinking.
    Reasoning(Reasoning) = "reasoning",
    /// A call with its complete arguments.
    ToolCall(ToolCall) = "tool_call",
    /// A call's result.
    ToolResult(ToolResult) = "tool_result",
    /// The place where the history was compacted.
    Compaction(Compaction) = "compaction",
    /// A command that a person ran; never sent to a model.
    Command(Command) = "command",
    /// A diagnostic for the person.
    Notice(Notice) = "notice",
    /// The end of a turn.
    TurnEnd(TurnEnd) = "turn_end",
}

wire_struct! {
    /// A block of the answer.
    pub struct AssistantText {
        /// The whole text, Markdown.
        pub text: String,
        /// The call whose sub-agent wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// A block of thinking.
    pub struct Reasoning {
        /// The whole; empty when the provider hides it.
        #[serde(default)]
        pub text: String,
        /// What the provider says of a hidden text, line by line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub summary: Vec<String>,
        /// What the provider wants back (signatures, encrypted reasoning); never shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub opaque: Option<Value>,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub elapsed_ms: Option<u64>,
        /// The call whose sub-agent thought.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// A call as it stands in a log.
    pub struct ToolCall {
        /// Identity in the session.
        pub id: String,
        /// The tool's name.
        #[serde(default)]
        pub name: String,
        /// The arguments as raw text.
        #[serde(default)]
        pub arguments: String,
        /// The call that made this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
        /// What the tool does in general (`kind` is the tag of an item).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tool_kind: Option<ToolKind>,
        /// Places in files that the call is about; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub locations: Vec<Value>,
        /// When it began, in Unix milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub started_at: Option<i64>,
    }
}

wire_struct! {
    /// A call's result, as event and as item.
    pub struct ToolResult {
        /// The call.
        pub id: String,
        /// One line by the tool itself.
        #[serde(default)]
        pub summary: String,
        /// The detail, raw; absent rather than empty. Over 64 KiB it is the head and the tail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub output: Option<String>,
        /// True when the call failed; `outcome` says more.
        #[serde(default, skip_serializing_if = "is_false")]
        pub is_error: bool,
        /// How the call ended; absent in old records.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub outcome: Option<Outcome>,
        /// Typed data for views; never sent to a model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub structured: Option<Value>,
        /// How long it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub elapsed_ms: Option<u64>,
        /// Bytes of the whole output when `output` is cut.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub output_total: Option<u64>,
        /// Name under which the whole output is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub output_ref: Option<String>,
    }
}

impl ToolResult {
    /// The summary that stands for a call whose pod went away while it may have run.
    pub const NOTHING_KNOWN: &'static str = "interrupted: nothing is known of what it did";
    /// The same for a call that had not begun by then.
    pub const NEVER_BEGUN: &'static str = "not started";

    /// How the call ended: `outcome` where it is given and known, else what `is_error` says.
    pub fn settled(&self) -> Outcome {
        match (&self.outcome, self.is_error) {
            (Some(Outcome::Other(_)) | None, true) => Outcome::Error,
            (Some(Outcome::Other(_)) | None, false) => Outcome::Ok,
            (Some(outcome), _) => outcome.clone(),
        }
    }
}

wire_struct! {
    /// The place where the history was compacted.
    pub struct Compaction {
        /// What stands for the compacted part.
        #[serde(default)]
        pub summary: String,
        /// Tokens before.
        #[serde(default)]
        pub before: u64,
        /// Tokens after.
        #[serde(default)]
        pub after: u64,
        /// Number of the log segment that holds what was compacted.
        #[serde(default)]
        pub from_segment: u64,
        /// Number of the first record before this one that a model is still told word for word; absent: none is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub kept_from: Option<u64>,
    }
}

wire_struct! {
    /// A command that a person ran.
    pub struct Command {
        /// The line without its colon.
        pub line: String,
        /// What came of it, one line.
        #[serde(default)]
        pub outcome: String,
    }
}
