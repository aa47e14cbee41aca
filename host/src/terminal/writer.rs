//! The few control sequences that carpel writes, and no others.
//!
//! Everything that reaches the terminal while it is drawn on goes through this writer, so what TERMINAL.md forbids
//! (CSI S, ED in any form, scroll regions, delete-line) cannot be written: there is no method for it. It remembers
//! the look that the terminal has now, and refuses to know rows, history or widths. `sgr.rs` is beneath it;
//! `live.rs` and `screen.rs` use it.

use std::io::Write as _;

use ratatui::style::Style;

use super::sgr::{ColorDepth, Look, transition};

pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    look: Look,
    depth: ColorDepth,
}

impl<'a> Writer<'a> {
    /// A writer for a terminal whose look is plain, as it is at the start and end of every frame.
    pub(super) fn new(out: &'a mut Vec<u8>, depth: ColorDepth) -> Self {
        Self { out, look: Look::PLAIN, depth }
    }

    /// How many bytes stand in the output now.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes back everything after `len`, of which the terminal has then seen nothing.
    pub(super) fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    /// Begins a synchronised update with the cursor hidden, so that it looks right where mode 2026 is ignored too.
    pub(super) fn begin_frame(&mut self) {
        self.raw(b"\x1b[?2026h\x1b[?25l");
    }

    pub(super) fn end_frame(&mut self) {
        self.plain();
        self.raw(b"\x1b[?2026l");
    }

    pub(super) fn show_cursor(&mut self) {
        self.raw(b"\x1b[?25h");
    }

    /// Moves to a cell of the screen, counted from zero.
    pub(super) fn move_to(&mut self, row: usize, column: usize) {
        let _ = match (row, column) {
            (0, 0) => write!(self.out, "\x1b[H"),
            (_, 0) => write!(self.out, "\x1b[{}H", row + 1),
            _ => write!(self.out, "\x1b[{};{}H", row + 1, column + 1),
        };
    }

    /// Moves within the row.
    pub(super) fn move_to_column(&mut self, column: usize) {
        let _ = write!(self.out, "\x1b[{}G", column + 1);
    }

    /// Erases to the end of the row, in the terminal's own background.
    pub(super) fn erase_to_end(&mut self) {
        self.plain();
        self.raw(b"\x1b[K");
    }

    pub(super) fn new_line(&mut self) {
        self.raw(b"\r\n");
    }

    /// Line feeds: at the last row of the screen each one scrolls the whole screen.
    pub(super) fn line_feeds(&mut self, count: usize) {
        self.plain();
        self.out.resize(self.out.len() + count, b'\n');
    }

    /// Without automatic wrapping a cluster that a terminal takes for wider than we do stays in its row.
    pub(super) fn wrapping(&mut self, on: bool) {
        self.raw(if on { b"\x1b[?7h" } else { b"\x1b[?7l" });
    }

    /// Writes text without control characters.
    pub(super) fn text(&mut self, text: &str, style: Style) {
        let look = Look::new(style, self.depth);
        transition(self.look, look, self.out);
        self.look = look;
        self.raw(text.as_bytes());
    }

    pub(super) fn plain(&mut self) {
        transition(self.look, Look::PLAIN, self.out);
        self.look = Look::PLAIN;
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }
}
