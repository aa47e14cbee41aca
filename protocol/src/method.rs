//! Methods: what a client asks of the pod.
//!
//! One [`MethodLine`] is one JSON object tagged `"method"`. Each may carry an `id` of the client's choosing, which is
//! echoed when the method is refused. Which method is legal in which state is the pod's business, not this crate's.

use serde_json::Value;

use crate::wire::{wire_enum, wire_struct};
use crate::word::{Decision, RunMode};

wire_enum! {
    /// What a client asks.
    pub enum Method tag "method";
    /// A method with the fields that any method may carry.
    pub struct MethodLine { method, common: [
        /// The client's own name for this request.
        id: String
    ] }
    /// First line of a connection.
    Hello(ClientHello) = "hello",
    /// Sends a prompt.
    Run(Run) = "run",
    /// Takes a prompt out of the queue.
    Dequeue(Dequeue) = "dequeue",
    /// Changes a prompt in the queue.
    Edit(Edit) = "edit",
    /// Ends the turn.
    Cancel(Nothing) = "cancel",
    /// Holds the turn after the calls that run now.
    Pause(Nothing) = "pause",
    /// Goes on after a pause.
    Resume(Nothing) = "resume",
    /// Compacts the history.
    Compact(Compact) = "compact",
    /// Answers an approval.
    Approve(Approve) = "approve",
    /// Asks for the rest of a long output.
    Output(Output) = "output",
    /// Gives the session a title.
    Rename(Rename) = "rename",
    /// Changes who answers from the next turn on.
    SetModel(SetModel) = "set_model",
    /// Asks which models there are.
    Models(Nothing) = "models",
    /// Ends the pod.
    Shutdown(Shutdown) = "shutdown",
}

wire_struct! {
    /// First line of a client.
    pub struct ClientHello {
        /// Major version of the protocol, see [`crate::PROTOCOL`].
        pub protocol: u32,
        /// The client's name, shown to others.
        #[serde(default)]
        pub client: String,
        /// The last `seq` that the client has; history after it is sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub since: Option<u64>,
    }
}

wire_struct! {
    /// A prompt.
    pub struct Run {
        /// What the person wrote. A control method is never encoded here.
        pub text: String,
        /// Files and other things sent along; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub attachments: Vec<Value>,
        /// How it enters.
        #[serde(default = "now")]
        pub mode: RunMode,
    }
}

fn now() -> RunMode {
    RunMode::Now
}

wire_struct! {
    /// See [`Method::Dequeue`].
    pub struct Dequeue {
        /// Identity of the queue item.
        pub item: String,
    }
}

wire_struct! {
    /// See [`Method::Edit`]. The item keeps its identity and its place.
    pub struct Edit {
        /// Identity of the queue item.
        pub item: String,
        /// What it says from now on.
        pub text: String,
        /// How it will enter; absent: as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<RunMode>,
    }
}

/// A method without fields of its own.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Nothing {}

impl Nothing {
    /// The names of the fields: none.
    pub const FIELDS: &'static [&'static str] = &[];
}

wire_struct! {
    /// See [`Method::Compact`].
    pub struct Compact {
        /// What the summary should keep in view.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub instructions: Option<String>,
    }
}

wire_struct! {
    /// An answer to an approval.
    pub struct Approve {
        /// Identity of the question.
        pub request: String,
        /// The answer.
        pub decision: Decision,
        /// Words for the model, with a refusal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub message: Option<String>,
    }
}

wire_struct! {
    /// See [`Method::Output`].
    pub struct Output {
        /// The call.
        pub call: String,
        /// First byte that is wanted.
        #[serde(default)]
        pub offset: u64,
    }
}

wire_struct! {
    /// See [`Method::Rename`].
    pub struct Rename {
        /// The new title.
        pub title: String,
    }
}

wire_struct! {
    /// See [`Method::SetModel`]. Keys never travel here: the pod has them from its environment.
    pub struct SetModel {
        /// The model's name as the provider takes it; empty for the provider's usual one.
        pub model: String,
        /// Name of another provider; absent: the one that answers now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub provider: Option<String>,
    }
}

wire_struct! {
    /// See [`Method::Shutdown`].
    pub struct Shutdown {
        /// A word for the `bye` that every client gets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
    }
}
