//! What events say of a turn: the prompt, thinking, text, and how it ends.
//!
//! A block of thinking or text has no identity: it is the open one of its parent. `parent` is the call whose
//! sub-agent speaks, and absent for the session's own model. Read [`super::session`] next.

use serde_json::Value;

use super::is_false;
use crate::wire::wire_struct;
use crate::word::TurnEndReason;

wire_struct! {
    /// See [`super::Event::TurnStart`].
    pub struct TurnStart {
        /// Number of the turn in the session, from 1.
        pub turn: u64,
    }
}

wire_struct! {
    /// A prompt as it entered the conversation.
    pub struct UserMessage {
        /// What the person wrote.
        pub text: String,
        /// Files and other things sent along; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub attachments: Vec<Value>,
        /// Which client sent it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub origin: Option<String>,
        /// The `id` of the `run` that it came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub method: Option<String>,
        /// The queue item that it was, when it waited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub item: Option<String>,
    }
}

wire_struct! {
    /// See [`super::Event::ThinkingStart`].
    pub struct ThinkingStart {
        /// The call whose sub-agent thinks; absent for the session's own model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// A piece of text or thinking.
    pub struct TextDelta {
        /// The piece.
        pub text: String,
        /// True when the piece replaces what came before it in its block.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
        /// The call whose sub-agent speaks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The end of a thinking block.
    pub struct ThinkingDone {
        /// The whole; empty when the provider hides it.
        #[serde(default)]
        pub text: String,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub elapsed_ms: Option<u64>,
        /// The call whose sub-agent thought.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The end of a text block.
    pub struct TextDone {
        /// The whole.
        #[serde(default)]
        pub text: String,
        /// The call whose sub-agent spoke.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// See [`super::Event::StepAbandoned`].
    pub struct StepAbandoned {
        /// What happened to the stream.
        #[serde(default)]
        pub reason: String,
        /// The call whose sub-agent asks again; absent: the step is the turn's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The end of a turn.
    pub struct TurnEnd {
        /// Number of the turn.
        pub turn: u64,
        /// Why it ended.
        #[serde(default = "completed")]
        pub reason: TurnEndReason,
        /// A sentence for the person when it did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub message: Option<String>,
        /// Tokens of the turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub usage: Option<Usage>,
    }
}

fn completed() -> TurnEndReason {
    TurnEndReason::Completed
}

wire_struct! {
    /// Tokens used by a step or a turn.
    pub struct Usage {
        /// The call whose sub-agent used them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
        /// Tokens sent.
        #[serde(default)]
        pub input: u64,
        /// Tokens received.
        #[serde(default)]
        pub output: u64,
        /// Of those sent, how many the provider had cached.
        #[serde(default)]
        pub cached: u64,
        /// Tokens of the window that are taken.
        #[serde(default)]
        pub context_used: u64,
        /// Size of the window; 0 when unknown.
        #[serde(default)]
        pub context_limit: u64,
    }
}
