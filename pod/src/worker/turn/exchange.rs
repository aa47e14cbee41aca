//! What goes into the machine of a turn and what comes out of it.
//!
//! Owns the vocabulary between the machine and whoever drives it: plain values, no behaviour. It refuses to know in
//! which order they come; that is `../turn.rs`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::provider::{Message, StreamEvent, Tokens};
use crate::tools::ToolSpec;
use crate::worker::call::{CallId, CallIds, CallResult};

/// What a turn starts from.
#[derive(Debug, Clone)]
pub struct TurnSetup {
    /// The conversation so far; its last message is the person's.
    pub messages: Vec<Message>,
    pub tools: Arc<[ToolSpec]>,
    pub ids: CallIds,
    pub bounds: Bounds,
    /// How long to wait before each time that a step is asked again; as many retries as there are waits.
    pub retry_waits: Vec<Duration>,
    /// What is between two steps.
    pub between: Between,
}

/// What happens between two steps of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Between {
    /// Nothing: the next step follows.
    #[default]
    Nothing,
    /// Something may enter: each time it is asked for, before the first step too.
    Entry,
}

/// What enters a conversation between two steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// Stands for all that was said so far, as after a compaction.
    pub replaced: Option<Vec<Message>>,
    /// What a person said meanwhile.
    pub said: Vec<Message>,
}

/// Where a turn ends even when the model would go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Steps of a turn.
    pub steps: u32,
    /// Calls that run side by side.
    pub parallel: usize,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Stream(StreamEvent),
    /// The stream ended without a terminal event.
    StreamCut,
    Result(CallResult),
    /// What a sub-agent has used.
    Spent(Tokens),
    /// The turn may not ask any more; the sentence says why.
    Limit(String),
    /// What enters now.
    Entry(Entry),
    /// The wait that was asked for is over.
    TimeUp,
    Cancel,
    Pause,
    Resume,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Say what enters before the model is asked. With `at_the_end` the turn is over unless somebody says something.
    Enter {
        at_the_end: bool,
    },
    /// Ask the model with [`Turn::messages`].
    Ask,
    /// Drop the stream: nothing of it is wanted any more.
    HangUp,
    Wait(Wait),
    Run(RunCall),
    /// Tell every running tool to stop.
    StopRunning,
    Report(Report),
    End(TurnEnd),
}

/// A wait; there is at most one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Before a step is asked again.
    Retry(Duration),
    /// For running tools to end after a cancel; the driver knows how long.
    Grace,
}

/// A call that is to run now.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCall {
    pub id: CallId,
    pub name: String,
    pub arguments: Value,
}

/// What listeners hear.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    ThinkingStart,
    ThinkingDelta(String),
    ThinkingStop(Whole),
    TextStart,
    TextDelta(String),
    TextStop(Whole),
    CallStart {
        id: CallId,
        name: String,
    },
    CallDelta {
        id: CallId,
        text: String,
    },
    CallStop {
        id: CallId,
        whole: Whole,
    },
    Result(CallResult),
    /// The step is asked again; `kept` when whole blocks of it had been reported.
    Abandoned {
        reason: String,
        kept: bool,
    },
    Usage(Tokens),
}

/// A block at its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Whole {
    pub text: String,
    /// What the provider wants back with it.
    pub opaque: Option<Value>,
    /// Why a call's arguments are not valid.
    pub problem: Option<String>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    pub reason: EndReason,
    /// A sentence for the person when it did not complete.
    pub message: Option<String>,
    pub tokens: Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Completed,
    Cancelled,
    Failed,
    Limit,
}
