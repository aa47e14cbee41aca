//! The plugin wire: what the host and a plugin say to each other, one JSON object a line.
//!
//! A plugin is a child process of the host. It reads [`Request`]s from its standard input and writes [`Reply`]s to its
//! standard output, in any order; each reply carries the `id` of its request. The first line each way is `hello`. Fields
//! that are not known are skipped, a request that is not known is answered with `error`, a reply that is not known is
//! skipped. This file owns the lines and their limits, and refuses to know processes, deadlines and libraries.
//!
//! Read `wire/call.rs` next for how a call is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::{Card, Line, read};
use crate::density::Density;
use crate::view::CardCx;

pub use call::WireCall;

pub mod call;

/// The number of this wire. It grows when a plugin that was built before could no longer be understood.
pub const ABI: u32 = 1;

/// A request is at most so many bytes long, its line feed not counted: all texts of a call are bounded.
pub const MAX_REQUEST: usize = 4 * 1024 * 1024;

/// A reply is at most so many bytes long, its line feed not counted. A longer one is a fault.
pub const MAX_REPLY: usize = 1024 * 1024;

/// What the host asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// The first line. The plugin answers with [`Reply::Hello`].
    Hello {
        /// [`ABI`] of the host.
        abi: u32,
        /// The host's version, e.g. `0.1.0`.
        #[serde(default)]
        carpel: String,
        /// What the host can do beyond the ABI; none yet.
        #[serde(default)]
        features: Vec<String>,
    },
    /// Asks for the card of a call as it stands now.
    Card {
        /// Comes back in the reply.
        id: u64,
        /// The key under which the view was registered, e.g. `kubectl` or `mcp__k8s__*`.
        view: String,
        /// The call.
        call: Box<WireCall>,
        /// What a view may know besides.
        #[serde(default)]
        cx: CardCx,
    },
    /// Asks what may stand where a person types a command's arguments.
    #[serde(rename = "command.complete")]
    CommandComplete {
        /// Comes back in the reply.
        id: u64,
        /// The command's name, without the colon.
        command: String,
        /// Everything behind the name and one blank.
        #[serde(default)]
        typed: String,
    },
    /// Runs a command.
    #[serde(rename = "command.run")]
    CommandRun {
        /// Comes back in the reply.
        id: u64,
        /// The command's name, without the colon.
        command: String,
        /// Everything behind the name, trimmed.
        #[serde(default)]
        arguments: String,
        /// What the command may know.
        #[serde(default)]
        cx: RunCx,
    },
    /// The answer to that request is no longer wanted. It may come nevertheless.
    Cancel {
        /// The request.
        id: u64,
    },
    /// A request that this version does not know.
    #[serde(skip)]
    Unknown {
        /// Its word.
        request: String,
        /// Where it has one; it is answered with `error` then.
        id: Option<u64>,
    },
}

/// What a command of a plugin may know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunCx {
    /// The workspace folder.
    pub cwd: String,
    /// The density of the flow.
    pub density: Density,
}

/// What a plugin answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// The first line.
    Hello(Hello),
    /// The card that was asked for.
    Card {
        /// Of the request.
        id: u64,
        /// The card.
        card: Card,
    },
    /// What may stand there.
    #[serde(rename = "command.complete")]
    CommandComplete {
        /// Of the request.
        id: u64,
        /// The best first.
        #[serde(default)]
        completions: Vec<CompletionLine>,
    },
    /// The command was run.
    #[serde(rename = "command.run")]
    CommandRun {
        /// Of the request.
        id: u64,
        /// One line for the record; empty for none.
        #[serde(default)]
        outcome: String,
        /// Lines shown below the record.
        #[serde(default, deserialize_with = "read::lines")]
        lines: Vec<Line>,
    },
    /// The request could not be answered. For a command: a sentence for the person, and nothing has happened.
    Error {
        /// Of the request.
        id: u64,
        /// A sentence.
        #[serde(default)]
        message: String,
    },
    /// A reply that this version does not know.
    #[serde(skip)]
    Unknown {
        /// Its word.
        reply: String,
    },
}

/// What a plugin says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hello {
    /// [`ABI`] that it was built against.
    pub abi: u32,
    /// Its name: one word. All that it registers is registered under it.
    pub name: String,
    /// Its own version.
    #[serde(default)]
    pub version: String,
    /// The keys of its views: tool names, prefix patterns, kinds.
    #[serde(default)]
    pub views: Vec<String>,
    /// Its commands.
    #[serde(default)]
    pub commands: Vec<CommandLine>,
    /// What it can do beyond the ABI; none yet.
    #[serde(default)]
    pub features: Vec<String>,
}

/// What a plugin says of one of its commands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandLine {
    /// The word behind the colon.
    pub name: String,
    /// One line, without a full stop.
    #[serde(default)]
    pub summary: String,
    /// Its arguments, e.g. `NAME` or `[TEXT]`; empty when it takes none.
    #[serde(default)]
    pub usage: String,
    /// A whole line that works.
    #[serde(default)]
    pub example: String,
}

/// One thing that completion offers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CompletionLine {
    /// What is put into the line.
    pub insert: String,
    /// What it is, in a few words.
    #[serde(default)]
    pub summary: String,
}

/// Why a line could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// It is longer than it may be.
    #[error("a line of {0} bytes; at most {MAX_REPLY} are read")]
    TooLong(usize),
    /// It is no JSON object of a known form.
    #[error("{0}")]
    Malformed(String),
}

impl Request {
    /// The line, without its line feed.
    pub fn encode(&self) -> String {
        encode(self)
    }

    /// Reads a line. A word that is not known is no error.
    ///
    /// # Errors
    /// When it is no JSON object with a `request`, or one whose fields have other types.
    pub fn decode(line: &str) -> Result<Request, WireError> {
        const WORDS: [&str; 5] = ["hello", "card", "command.complete", "command.run", "cancel"];
        let (word, value) = tagged(line, "request")?;
        if !WORDS.contains(&word.as_str()) {
            return Ok(Request::Unknown { request: word, id: value.get("id").and_then(Value::as_u64) });
        }
        serde_json::from_value(value).map_err(|error| malformed(&word, &error))
    }
}

impl Reply {
    /// The request that it answers; `hello` and what is not known have none.
    pub fn id(&self) -> Option<u64> {
        match self {
            Reply::Card { id, .. }
            | Reply::CommandComplete { id, .. }
            | Reply::CommandRun { id, .. }
            | Reply::Error { id, .. } => Some(*id),
            Reply::Hello(_) | Reply::Unknown { .. } => None,
        }
    }

    /// The line, without its line feed.
    pub fn encode(&self) -> String {
        encode(self)
    }

    /// Reads a line. A word that is not known is no error.
    ///
    /// # Errors
    /// When it is longer than [`MAX_REPLY`], no JSON object with a `reply`, or one whose fields have other types.
    pub fn decode(line: &str) -> Result<Reply, WireError> {
        const WORDS: [&str; 5] = ["hello", "card", "command.complete", "command.run", "error"];
        if line.len() > MAX_REPLY {
            return Err(WireError::TooLong(line.len()));
        }
        let (word, value) = tagged(line, "reply")?;
        if !WORDS.contains(&word.as_str()) {
            return Ok(Reply::Unknown { reply: word });
        }
        serde_json::from_value(value).map_err(|error| malformed(&word, &error))
    }
}

fn encode(line: &impl Serialize) -> String {
    // Every map here has strings for keys, so that nothing can fail.
    serde_json::to_string(line).unwrap_or_default()
}

fn tagged(line: &str, tag: &str) -> Result<(String, Value), WireError> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| WireError::Malformed(format!("not JSON: {error}")))?;
    match value.get(tag).and_then(Value::as_str) {
        Some(word) => Ok((word.to_owned(), value)),
        None => Err(WireError::Malformed(format!("no object with a word in `{tag}`"))),
    }
}

fn malformed(word: &str, error: &serde_json::Error) -> WireError {
    WireError::Malformed(format!("`{word}`: {error}"))
}
