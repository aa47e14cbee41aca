//! The answer of a plugin to one line: the request is read, given to its view or command, and the reply written.
//!
//! It owns what happens where that goes wrong: a panic, a view that is not there, a reply that is too long and a line that
//! cannot be read each become an `error` for the request's id. It reads no streams; see `plugin/serve.rs`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;

use super::{CommandAnswer, Plugin};
use crate::wire::{MAX_REPLY, Reply, Request};

impl Plugin {
    /// The reply to a line, without its line feed; `None` where there is none: for `cancel`, for a word that is not known
    /// and has no id, and for a line that is no JSON.
    pub fn answer_line(&self, line: &str) -> Option<String> {
        let reply = match Request::decode(line) {
            Ok(request) => self.answer(&request)?,
            Err(error) => Reply::Error { id: Head::of(line).id?, message: format!("the request: {error}") },
        };
        let text = reply.encode();
        if text.len() <= MAX_REPLY {
            return Some(text);
        }
        let message =
            format!("the reply has {} bytes; at most {MAX_REPLY} are read, so show less", text.len());
        Some(Reply::Error { id: reply.id()?, message }.encode())
    }

    /// The reply to a request.
    pub fn answer(&self, request: &Request) -> Option<Reply> {
        let reply = match request {
            Request::Hello { .. } => Reply::Hello(self.hello()),
            Request::Card { id, view, call, cx } => answered(*id, "view", view, || {
                let view = self.view_of(view).ok_or("it has no such view")?;
                Ok(Reply::Card { id: *id, card: view.card(&call.to_call(), cx) })
            }),
            Request::CommandComplete { id, command, typed } => answered(*id, "command", command, || {
                let command = self.command_of(command).ok_or("it has no such command")?;
                Ok(Reply::CommandComplete { id: *id, completions: command.complete(typed) })
            }),
            Request::CommandRun { id, command, arguments, cx } => answered(*id, "command", command, || {
                let command = self.command_of(command).ok_or("it has no such command")?;
                Ok(match command.run(arguments, cx) {
                    Ok(CommandAnswer { outcome, lines }) => Reply::CommandRun { id: *id, outcome, lines },
                    Err(message) => Reply::Error { id: *id, message },
                })
            }),
            Request::Cancel { .. } => return None,
            Request::Unknown { request, id } => {
                Reply::Error { id: (*id)?, message: format!("`{request}` is no request that it knows") }
            }
        };
        Some(reply)
    }
}

/// The reply, or `error` with what went wrong in the author's code.
fn answered(id: u64, what: &str, key: &str, reply: impl FnOnce() -> Result<Reply, &'static str>) -> Reply {
    // A view that panicked half way is asked again: what it left half done is its own.
    match catch_unwind(AssertUnwindSafe(reply)) {
        Ok(Ok(reply)) => reply,
        Ok(Err(reason)) => Reply::Error { id, message: format!("{what} `{key}`: {reason}") },
        Err(panic) => {
            Reply::Error { id, message: format!("{what} `{key}` panicked: {}", message_of(panic.as_ref())) }
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

/// What every line with an id has, whatever else may be wrong with it.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Head {
    pub(super) request: String,
    pub(super) id: Option<u64>,
}

impl Head {
    pub(super) fn of(line: &str) -> Head {
        serde_json::from_str(line).unwrap_or_default()
    }
}
