//! The rest of a long output, fetched while the details of its call are in sight.
//!
//! A result over 64 KiB comes as its head and its tail; the pod keeps the whole and gives it in pieces. One output is
//! fetched at a time and one piece is asked for at a time, so that passing over many calls costs a piece each. It sends
//! nothing and changes no call: what to ask comes out, and in the end the whole, which the transcript takes.

use std::collections::HashMap;

use carpel_protocol::event::OutputPiece;
use carpel_protocol::{Method, method};
use carpel_slots::{CallKey, ToolCall};

/// The name that the pod echoes in a refusal.
pub const METHOD: &str = "inspect-output";

/// At most so many bytes of an output are fetched.
pub const MOST: usize = 32 << 20;

/// Which output is being fetched, and which could not be.
#[derive(Debug, Default)]
pub struct Fetch {
    open: Option<Open>,
    failed: HashMap<CallKey, String>,
}

#[derive(Debug)]
struct Open {
    key: CallKey,
    text: String,
    next: u64,
    total: u64,
    is_asked: bool,
}

/// An output that is there.
#[derive(Debug, PartialEq, Eq)]
pub struct Whole {
    /// Its call.
    pub key: CallKey,
    /// The whole, raw; where it is too long, its beginning.
    pub text: String,
    /// Bytes of the whole, where `text` is not all of it.
    pub total: Option<u64>,
}

impl Fetch {
    /// What to ask the pod for, while the details of a call are shown.
    pub fn ask(&mut self, shown: Option<&ToolCall>) -> Option<Method> {
        let call = shown?;
        let total = total(call)?;
        if self.failed.contains_key(&call.key) {
            return None;
        }
        if self.open.as_ref().is_none_or(|open| open.key != call.key) {
            let key = call.key.clone();
            self.open = Some(Open { key, text: String::new(), next: 0, total, is_asked: false });
        }
        let open = self.open.as_mut().filter(|open| !open.is_asked)?;
        open.is_asked = true;
        Some(Method::Output(method::Output { call: open.key.id.to_string(), offset: open.next }))
    }

    /// A piece came. The whole, once it is there.
    pub fn take(&mut self, piece: &OutputPiece) -> Option<Whole> {
        let open = self.open.as_mut()?;
        if *open.key.id != *piece.call || piece.offset != open.next || !open.is_asked {
            return None;
        }
        open.is_asked = false;
        open.text.push_str(&piece.text);
        open.total = open.total.max(piece.total);
        match piece.next {
            Some(next) if next <= open.next => {
                self.fail("the pod gives the same piece again");
                None
            }
            Some(next) if open.text.len() < MOST => {
                open.next = next;
                None
            }
            next => {
                let open = self.open.take()?;
                Some(Whole { key: open.key, text: open.text, total: next.map(|_| open.total) })
            }
        }
    }

    /// It cannot be had.
    pub fn fail(&mut self, why: &str) {
        if let Some(open) = self.open.take() {
            self.failed.insert(open.key, why.to_owned());
        }
    }

    /// The connection was lost: what was asked for is not answered any more.
    pub fn interrupted(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_asked = false;
        }
    }

    /// How it stands with the output of a call of which only head and tail are there.
    pub fn word(&self, call: &ToolCall, is_connected: bool) -> Option<String> {
        let total = total(call)?;
        if let Some(why) = self.failed.get(&call.key) {
            return Some(format!("head and tail of {} only: {why}", bytes(total)));
        }
        Some(match self.open.as_ref().filter(|open| open.key == call.key) {
            Some(open) => {
                format!("loading the output: {} of {}", bytes(open.text.len() as u64), bytes(total))
            }
            None if is_connected => format!("head and tail of {}", bytes(total)),
            None => format!("head and tail of {} only: there is no connection to the pod", bytes(total)),
        })
    }
}

/// Bytes of an output of which only head and tail are there.
fn total(call: &ToolCall) -> Option<u64> {
    call.result.as_ref()?.output_total
}

fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} bytes"),
        1_024..1_048_576 => format!("{} KiB", count / 1_024),
        _ => format!("{}.{} MiB", count / 1_048_576, count % 1_048_576 * 10 / 1_048_576),
    }
}
