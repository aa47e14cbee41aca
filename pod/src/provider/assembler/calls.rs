//! Which call a piece belongs to.
//!
//! Servers number calls well, badly or not at all. Owned here: a piece goes to the call of its number, else of its
//! identity, else to the last one; it begins a new call instead when its identity or name says so, or when that call's
//! arguments are a whole object already. Names may come late: until then the pieces wait. It refuses to know why a wire
//! has no number, and what a call does. Read next: `json.rs`.

use super::Parts;
use super::json::Extent;
use crate::provider::{PartKind, StreamEvent};

/// Calls of one step.
const MAX_CALLS: usize = 256;

/// A piece of a call as a wire saw it. Empty text is absent text.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallPiece<'a> {
    /// The wire's number of the call.
    pub index: Option<u64>,
    /// The provider's identity of it.
    pub id: &'a str,
    pub name: &'a str,
    /// More of its arguments.
    pub arguments: &'a str,
    /// Its whole arguments, which count when no pieces of them come.
    pub whole: Option<&'a str>,
    /// Whether text or thinking before it on a wire without numbers is at an end.
    pub ends_text: bool,
}

#[derive(Debug, Default)]
pub struct Calls {
    calls: Vec<Call>,
    /// The call that the last piece went to.
    last: usize,
}

#[derive(Debug)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    extent: Extent,
    /// The arguments so far, kept to know a repetition.
    arguments: String,
    whole: Option<String>,
    /// Its number among the parts, once its name is known.
    part: Option<u32>,
    ended: bool,
}

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// False when there are more calls than can be.
    pub fn take(&mut self, piece: CallPiece<'_>, parts: &mut Parts, out: &mut Vec<StreamEvent>) -> bool {
        let at = match self.find(&piece) {
            Found::Call(at) => at,
            Found::New | Found::Behind(_) if self.calls.len() == MAX_CALLS => return false,
            Found::New => self.begin(&piece, String::new()),
            // Objects that are glued together are calls of one tool.
            Found::Behind(at) => self.begin(&piece, self.calls[at].name.clone()),
        };
        self.last = at;
        let call = &mut self.calls[at];
        if call.ended {
            return true;
        }
        for (known, told) in [(&mut call.id, piece.id), (&mut call.name, piece.name)] {
            if known.is_empty() {
                told.clone_into(known);
            }
        }
        if let Some(whole) = piece.whole {
            call.whole = Some(whole.to_owned());
        }
        call.start_if_named(parts, out);
        // A server that sends the whole once more at the end does not ask for it twice.
        if call.extent.is_complete() && (piece.arguments.trim().is_empty() || call.is_repeated_by(&piece)) {
            return true;
        }
        let own = call.extent.take(piece.arguments);
        let (own, behind) = piece.arguments.split_at(own);
        if !behind.starts_with('{') {
            // Junk behind an object is part of what is broken about it.
            call.add(piece.arguments, out);
            return true;
        }
        call.add(own, out);
        let index = call.index;
        self.take(CallPiece { index, id: "", name: "", arguments: behind, ..piece }, parts, out)
    }

    /// The wire says that the call of this number is whole.
    pub fn end(&mut self, index: u64, parts: &mut Parts, out: &mut Vec<StreamEvent>) {
        for call in self.calls.iter_mut().filter(|call| call.index == Some(index)) {
            call.end(parts, out);
        }
    }

    pub fn end_all(&mut self, parts: &mut Parts, out: &mut Vec<StreamEvent>) {
        for call in &mut self.calls {
            call.end(parts, out);
        }
    }

    fn find(&self, piece: &CallPiece<'_>) -> Found {
        let unsaid = piece.name.is_empty() && piece.id.is_empty();
        let known = match piece.index {
            Some(index) => self.by_index(index, piece.id),
            None => self.by_id(piece.id).or_else(|| self.last()),
        };
        let (at, same_number) = match (known, piece.index) {
            (Some(at), _) => (at, true),
            // A number that nobody knows without an identity or a name goes on with the call before, if that can go on.
            (None, Some(_)) if unsaid => match self.last() {
                Some(at) => (at, false),
                None => return Found::New,
            },
            (None, Some(_)) if piece.name.is_empty() => match self.by_id(piece.id) {
                Some(at) => (at, false),
                None => return Found::New,
            },
            (None, _) => return Found::New,
        };
        let call = &self.calls[at];
        if call.ended {
            let says_nothing = piece.name.is_empty() && piece.arguments.trim().is_empty();
            return if says_nothing { Found::Call(at) } else { Found::New };
        }
        if !call.is_left_by(piece) && (same_number || !call.extent.is_complete()) {
            Found::Call(at)
        } else if piece.name.is_empty() && same_number {
            Found::Behind(at)
        } else {
            Found::New
        }
    }

    /// Of several calls with one number, the one with the piece's identity, else the last one.
    fn by_index(&self, index: u64, id: &str) -> Option<usize> {
        let numbered = |call: &Call| call.index == Some(index);
        let same = |call: &Call| numbered(call) && !id.is_empty() && call.id == id;
        self.calls.iter().rposition(same).or_else(|| self.calls.iter().rposition(numbered))
    }

    fn by_id(&self, id: &str) -> Option<usize> {
        self.calls.iter().rposition(|call| !id.is_empty() && call.id == id)
    }

    fn last(&self) -> Option<usize> {
        (!self.calls.is_empty()).then_some(self.last)
    }

    fn begin(&mut self, piece: &CallPiece<'_>, name: String) -> usize {
        self.calls.push(Call {
            index: piece.index,
            id: String::new(),
            name,
            extent: Extent::default(),
            arguments: String::new(),
            whole: None,
            part: None,
            ended: false,
        });
        self.calls.len() - 1
    }
}

/// Where a piece goes.
enum Found {
    Call(usize),
    New,
    /// To a new call that begins where this one is whole.
    Behind(usize),
}

impl Call {
    /// Whether a piece that was found to be of this call begins another one.
    fn is_left_by(&self, piece: &CallPiece<'_>) -> bool {
        let other_id = !piece.id.is_empty() && !self.id.is_empty() && piece.id != self.id;
        let other_name = !piece.name.is_empty() && !self.name.is_empty() && piece.name != self.name;
        let begins = piece.arguments.trim_start().starts_with('{');
        let within = !self.extent.is_empty() && !self.extent.is_complete();
        if other_name {
            return true;
        }
        if other_id && piece.name.is_empty() {
            // Some servers make up an identity for each piece.
            return self.extent.is_complete() && begins;
        }
        if other_id {
            return begins || !within;
        }
        if self.is_repeated_by(piece) {
            // The same identity and the same text is one call told twice; a name without an identity is a second call.
            return !piece.name.is_empty() && piece.id.is_empty() && piece.index.is_none();
        }
        self.extent.is_complete() && begins
    }

    /// Blanks at the end are not kept, and none at the beginning: the comparison costs no more than the piece.
    fn is_repeated_by(&self, piece: &CallPiece<'_>) -> bool {
        let said = piece.arguments.trim();
        self.extent.is_complete() && said.starts_with('{') && said == self.arguments.trim_end()
    }

    fn start_if_named(&mut self, parts: &mut Parts, out: &mut Vec<StreamEvent>) {
        if self.part.is_some() || self.name.is_empty() {
            return;
        }
        self.start(parts, out);
    }

    fn start(&mut self, parts: &mut Parts, out: &mut Vec<StreamEvent>) {
        let part = parts.next();
        self.part = Some(part);
        out.push(StreamEvent::Start { part, kind: PartKind::ToolCall { name: self.name.clone() } });
        if !self.arguments.is_empty() {
            out.push(StreamEvent::Delta { part, text: self.arguments.clone() });
        }
    }

    fn add(&mut self, arguments: &str, out: &mut Vec<StreamEvent>) {
        let arguments = if self.arguments.is_empty() { arguments.trim_start() } else { arguments };
        if arguments.is_empty() {
            return;
        }
        self.arguments.push_str(arguments);
        if let Some(part) = self.part {
            out.push(StreamEvent::Delta { part, text: arguments.to_owned() });
        }
    }

    fn end(&mut self, parts: &mut Parts, out: &mut Vec<StreamEvent>) {
        if self.ended {
            return;
        }
        self.ended = true;
        if let Some(whole) = self.whole.take().filter(|_| self.arguments.trim().is_empty()) {
            self.extent.take(&whole);
            self.add(&whole, out);
        }
        // One that was never named is refused by the turn, by its empty name.
        if self.part.is_none() {
            self.start(parts, out);
        }
        if let Some(part) = self.part {
            out.push(StreamEvent::End { part, opaque: None });
        }
    }
}
