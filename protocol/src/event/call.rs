//! What events say of tool calls: their arguments as they come, their output, the questions asked for them.
//!
//! The result of a call is an item as well ([`crate::item::ToolResult`]). A call is told by its `id`; what repeated,
//! unknown and late ids do is the host's fold. Read [`super::turn`] next.

use serde_json::Value;

use super::is_false;
use crate::wire::wire_struct;
use crate::word::{Decision, ToolKind};

wire_struct! {
    /// The beginning of a call.
    pub struct ToolCallStart {
        /// Identity in the session, minted by the pod.
        pub id: String,
        /// The tool's name, which is the key of its view.
        #[serde(default)]
        pub name: String,
        /// The call that made this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
        /// What the tool does in general.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub kind: Option<ToolKind>,
        /// Places in files that the call is about; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub locations: Vec<Value>,
    }
}

wire_struct! {
    /// A piece of a call's arguments.
    pub struct ToolCallArgsDelta {
        /// The call.
        pub id: String,
        /// Raw JSON text.
        pub delta: String,
        /// True when the piece replaces all that came before it.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
    }
}

wire_struct! {
    /// The end of a call's arguments.
    pub struct ToolCallDone {
        /// The call.
        pub id: String,
        /// The arguments as raw text; what was streamed stays when it is empty.
        #[serde(default)]
        pub arguments: String,
        /// Why they are not valid; the call is then never run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
    }
}

wire_struct! {
    /// Live output of a running call.
    pub struct ToolCallProgress {
        /// The call.
        pub id: String,
        /// The piece of output.
        pub text: String,
        /// True when the piece replaces all that came before it.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
    }
}

wire_struct! {
    /// A question to the person.
    pub struct ApprovalRequest {
        /// Identity of the question.
        pub request: String,
        /// The call that waits for it.
        pub call: String,
        /// One line: what is to be done.
        #[serde(default)]
        pub title: String,
        /// The whole of it: a diff, a command.
        #[serde(default)]
        pub detail: String,
        /// Why the pod asks, a whole sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        /// The possible answers.
        #[serde(default)]
        pub options: Vec<ApprovalOption>,
    }
}

wire_struct! {
    /// One possible answer.
    pub struct ApprovalOption {
        /// What choosing it means.
        pub kind: Decision,
        /// What a person reads.
        #[serde(default)]
        pub label: String,
    }
}

wire_struct! {
    /// The answer to a question.
    pub struct ApprovalResolved {
        /// Identity of the question.
        pub request: String,
        /// The call that waited.
        #[serde(default)]
        pub call: String,
        /// The answer.
        pub decision: Decision,
        /// The client that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
    }
}

wire_struct! {
    /// A piece of a long output, to the client that asked for it.
    pub struct OutputPiece {
        /// The call.
        pub call: String,
        /// First byte of the piece in the whole; moved to where a character begins.
        #[serde(default)]
        pub offset: u64,
        /// The piece, raw.
        #[serde(default)]
        pub text: String,
        /// Where the next piece begins; absent at the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub next: Option<u64>,
        /// Bytes of the whole.
        #[serde(default)]
        pub total: u64,
    }
}
