//! The seam to models: one request in, one stream of normalised events out.
//!
//! Every provider, the embedded guide included, is a [`Provider`]. What differs between wires (ids, indices, order,
//! ends) is settled inside the provider; the worker sees [`StreamEvent`]s whose parts are keyed by the provider's own
//! numbering and whose terminal event is the only sign of success.
//! Read next: `provider/endpoint.rs`, `provider/anthropic.rs`, `provider/openai.rs`; `provider/step.rs` for how an answer
//! is read, `provider/assembler.rs` for how its pieces become events.

pub mod anthropic;
mod assembler;
mod decode;
mod dialogue;
pub mod endpoint;
mod http;
#[cfg(test)]
mod http_tests;
mod list;
pub mod openai;
#[cfg(test)]
mod played;
mod sse;
mod step;
mod trouble;

pub use self::trouble::{Failure, LATER};

use std::pin::Pin;
use std::sync::Arc;

use carpel_protocol::word::ToolKind;
use serde_json::Value;
use tokio::sync::mpsc;

/// Asks a model.
pub trait Provider: Send + Sync + 'static {
    /// Its name, e.g. `guide`.
    fn name(&self) -> &str;

    /// The model's name as the provider takes it.
    fn model(&self) -> &str;

    /// How many tokens a request and its answer may have together, where that is known.
    fn context_limit(&self) -> Option<u64> {
        None
    }

    /// Whether its list may tell of a window that is not known, or only guessed from the model's name.
    fn may_list_window(&self) -> bool {
        self.context_limit().is_none()
    }

    /// The models that may be chosen, by the names that the provider takes; or a sentence for the person.
    fn models(&self) -> Models {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// What stands for these messages in a shorter conversation, from a provider that needs no model for it.
    fn digest(&self, messages: &[Message], instructions: Option<&str>) -> Option<String> {
        let _ = (messages, instructions);
        None
    }

    /// Starts one step. The stream ends with [`StreamEvent::Stop`] or [`StreamEvent::Failed`]; one that ends without
    /// either was cut. Dropping the receiver cancels the step.
    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent>;
}

/// An answer to come, see [`Provider::models`].
pub type Models = Pin<Box<dyn Future<Output = Result<Vec<String>, String>> + Send>>;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The system text.
    pub system: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools that it may call.
    pub tools: Vec<ToolOffer>,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the person wrote.
    User {
        /// The text.
        text: String,
    },
    /// What the person wrote while the turn was under way: one more request, beside the one that it is at.
    Steer {
        /// The text.
        text: String,
    },
    /// What the model thought.
    Reasoning {
        /// The text; empty when the provider hides it.
        text: String,
        /// What the provider wants back, untouched.
        opaque: Option<Value>,
    },
    /// What the model answered.
    Assistant {
        /// The text.
        text: String,
    },
    /// A call that the model made.
    ToolCall {
        /// The pod's id.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as raw text.
        arguments: String,
    },
    /// What came of a call.
    ToolResult {
        /// The pod's id of the call.
        id: String,
        /// What the model reads.
        text: String,
        /// Typed data of the tool. No model is sent this; the guide reads it in place of parsing text.
        structured: Option<Value>,
        /// True when the call failed.
        is_error: bool,
    },
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
    /// What it does in general.
    pub kind: ToolKind,
}

/// What arrives while a model answers. `part` is the provider's own number of a block; parts may interleave.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// A block begins.
    Start {
        /// Its number.
        part: u32,
        /// What it is.
        kind: PartKind,
    },
    /// A piece of a block: text, thinking, or raw argument JSON.
    Delta {
        /// The block.
        part: u32,
        /// The piece.
        text: String,
    },
    /// A block ends.
    End {
        /// Its number.
        part: u32,
        /// What the provider wants back with it.
        opaque: Option<Value>,
    },
    /// Tokens used so far in this step.
    Usage(Tokens),
    /// The step ended as it should: the terminal event.
    Stop(StopReason),
    /// The step failed.
    Failed(Failure),
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Answer text.
    Text,
    /// Thinking.
    Thinking,
    /// A tool call; its deltas are its arguments.
    ToolCall {
        /// The tool's name.
        name: String,
    },
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model has nothing more to say.
    EndTurn,
    /// It waits for the results of its calls.
    ToolUse,
    /// The bound on its output cut it.
    MaxTokens,
    /// Its window is full.
    WindowFull,
    /// The server wants to be asked to go on.
    Pause,
    /// It refused.
    Refusal,
}

/// Tokens of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Sent.
    pub input: u64,
    /// Received.
    pub output: u64,
    /// Of those sent, cached by the provider.
    pub cached: u64,
}
