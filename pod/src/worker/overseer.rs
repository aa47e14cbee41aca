//! Whom the worker asks: whether a call may run, what enters between two steps, and where a long output is kept.
//!
//! Owns the questions and the answers, as plain values. The worker asks once for each call, after the call's intent is
//! known and before it runs, and does what was answered; an answer may take as long as a person does, and a cancel takes
//! the question back by dropping it. It refuses to know rules, people and files. Read next: `drive.rs`, which asks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::call::CallId;
use super::turn::Entry;
use crate::provider::{Message, Provider, ToolOffer};
use crate::tools::{Intent, Screen};

/// A call that wants to run.
#[derive(Debug, Clone)]
pub struct Question {
    pub call: CallId,
    pub tool: String,
    /// What it is about to do, and all that it may do.
    pub intent: Arc<Intent>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    Run,
    /// It must not run; the sentence is for the model and the person.
    Reject(String),
    /// Nobody wants to know any more.
    Withdrawn,
}

/// A long output as it stands in a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Head and tail.
    pub text: String,
    /// Bytes of the whole.
    pub total: u64,
    /// What the whole is kept under.
    pub reference: Option<String>,
    /// The file that holds the whole, as text.
    pub file: Option<String>,
}

pub type Answer = Pin<Box<dyn Future<Output = Permit> + Send>>;

/// What the model is about to be asked. It is lent while the question is put, since a conversation may be large.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub system: &'a str,
    pub tools: &'a [ToolOffer],
    pub messages: &'a [Message],
    pub provider: &'a Arc<dyn Provider>,
    /// The model has nothing more to do: it is asked only if something enters.
    pub at_the_end: bool,
}

/// What enters, once that is known.
pub type Entering = Pin<Box<dyn Future<Output = Entry> + Send>>;

pub trait Overseer: Send + Sync {
    /// Whether a call may run. Dropping the answer before it is there takes the question back.
    fn permit(&self, question: Question) -> Answer;

    /// What a search of this tool must not show below a folder that it may search.
    fn screen(&self, tool: &str) -> Screen {
        let _ = tool;
        Screen::default()
    }

    /// What enters before the model is asked: what a person said meanwhile, or a shorter history. With
    /// `at_the_end` the model has nothing more to do, and the turn is over unless something is said. Dropping the answer
    /// before it is there takes the question back.
    fn between(&self, next: Next<'_>) -> Entering {
        let _ = next;
        Box::pin(std::future::ready(Entry::default()))
    }

    /// Keeps an output that is too long for a result; `None` when it is kept nowhere. May block.
    fn keep(&self, output: &str) -> Option<Kept>;
}
