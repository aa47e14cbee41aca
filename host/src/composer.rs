//! The composer: where a person writes, with history, undo and pastes as one edit.
//!
//! It owns the draft and nothing else: what a submitted text means (a prompt, a command) is decided elsewhere. All of
//! it is pure; width and rows are arguments. [`buffer`] edits text, [`layout`] folds it into rows, [`keys`] maps keys
//! to edits, [`history`] remembers what was sent.

pub mod buffer;
pub mod history;
pub mod keys;
pub mod layout;

use buffer::Buffer;
use history::History;

/// The draft and what can be brought back into it.
#[derive(Debug, Default)]
pub struct Composer {
    /// The text that is being written.
    pub buffer: Buffer,
    /// What was sent before.
    pub history: History,
}

impl Composer {
    /// Takes the draft out to be sent, pastes written out; it is remembered and can be brought back with Up.
    pub fn submit(&mut self) -> String {
        let text = self.buffer.expanded();
        self.history.remember(&text);
        self.buffer.reset();
        text
    }

    /// Empties the draft so that undo brings it back.
    pub fn clear(&mut self) {
        self.history.leave();
        self.buffer.replace_all("");
    }
}
