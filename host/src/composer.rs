//! The composer: where a person writes, with history, undo and pastes as one edit.
//!
//! It owns the draft and nothing else: what a submitted text means (a prompt, a command) is decided elsewhere. All of
//! it is pure; width and rows are arguments. [`buffer`] edits text, [`layout`] folds it into rows, [`keys`] and
//! [`bindings`] map keys to edits, [`history`] remembers what was sent.

pub mod bindings;
pub mod buffer;
pub mod chord;
pub mod history;
pub mod keys;
pub mod layout;
pub mod search;

use crate::command_mode::SIGIL;
use buffer::Buffer;
use history::History;
use search::Search;

/// The draft and what can be brought back into it.
#[derive(Debug, Default)]
pub struct Composer {
    /// The text that is being written.
    pub buffer: Buffer,
    /// What was sent before.
    pub history: History,
    /// The search through the history, while it goes on.
    pub search: Option<Search>,
}

impl Composer {
    /// Takes the draft out to be sent, pastes written out; it is remembered and can be brought back with Up. For longer
    /// than this session nothing is remembered that holds a long paste, is a command, or begins with a blank, which is
    /// how people tell their shells not to.
    pub fn submit(&mut self) -> String {
        let text = self.buffer.expanded();
        let keep = !self.buffer.holds_a_paste() && !text.starts_with([' ', SIGIL]);
        self.search = None;
        self.history.remember(&text, keep);
        self.buffer.reset();
        text
    }

    /// Empties the draft so that undo brings it back.
    pub fn clear(&mut self) {
        self.history.leave();
        self.buffer.replace_all("");
    }
}
