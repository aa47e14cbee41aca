//! Recordings: events as they came, with directives between them.
//!
//! A recording is JSON Lines. A line with `"event"` is an [`EventLine`]; one with `"do"` is a [`Directive`] to whoever
//! plays it: time passes, the window changes, a key is pressed, the connection drops. Nothing here plays anything.

use crate::event::EventLine;
use crate::frame::LineError;
use crate::wire::{Extra, decode_object, wire_enum, wire_struct};

/// One line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The pod says something.
    Event(Box<EventLine>),
    /// Something else happens.
    Directive(Directive),
}

wire_enum! {
    /// Something that happens between events.
    pub enum Directive tag "do";
    /// A directive as a line.
    pub struct DirectiveLine { directive, common: [] }
    /// Time passes.
    Wait(Wait) = "wait",
    /// The window gets another size.
    Resize(Resize) = "resize",
    /// Keys are pressed.
    Key(Key) = "key",
    /// The connection to the pod dies.
    Drop(Dropped) = "drop",
}

wire_struct! {
    /// See [`Directive::Wait`].
    pub struct Wait {
        /// Milliseconds.
        pub ms: u64,
    }
}

wire_struct! {
    /// See [`Directive::Resize`].
    pub struct Resize {
        /// Columns.
        pub cols: u16,
        /// Rows.
        pub rows: u16,
    }
}

wire_struct! {
    /// See [`Directive::Key`].
    pub struct Key {
        /// Text, and names in angle brackets: `<esc>`, `<enter>`, `<c-c>`.
        pub keys: String,
    }
}

/// See [`Directive::Drop`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Dropped {}

impl Dropped {
    /// The names of the fields: none.
    pub const FIELDS: &'static [&'static str] = &[];
}

/// Reads one line.
///
/// # Errors
/// [`LineError`] when the line is no JSON object or has neither `"event"` nor `"do"`.
pub fn decode_step(line: &[u8]) -> Result<Step, LineError> {
    let fields: Extra = decode_object(line)?;
    if fields.contains_key("do") {
        return DirectiveLine::from_object(fields).map(|line| Step::Directive(line.directive));
    }
    EventLine::from_object(fields).map(|line| Step::Event(Box::new(line)))
}
