//! The few control sequences that carpel writes, and no others.
//!
//! Everything that reaches the terminal while it is drawn on goes through this writer, so what TERMINAL.md forbids
//! (CSI S, ED in any form, scroll regions, delete-line) cannot be written: there is no method for it. It remembers
//! the look that the terminal has now, and refuses to know history or widths. Rows are counted from a row of the screen
//! or from the first live row; then every move is relative to the cursor, which terminals keep with its text whatever
//! happens to the window, and nothing above the first live row has a number. `live.rs` and `screen.rs` use it.

use std::io::Write as _;

use ratatui::style::Style;

use super::dialect::{Age, Dialect};
use super::sgr::{Look, transition};

pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    look: Look,
    dialect: Dialect,
    /// The cursor's row below the first live row; `None` counts rows from the top of the screen.
    row: Option<usize>,
}

impl<'a> Writer<'a> {
    /// A writer for a terminal whose look is plain, as it is at the start and end of every frame. Rows are those of
    /// the screen.
    pub(super) fn absolute(out: &'a mut Vec<u8>, dialect: Dialect) -> Self {
        Self { out, look: Look::PLAIN, dialect, row: None }
    }

    /// A writer that counts rows from the first live one, with the cursor in `row` of them.
    pub(super) fn relative(out: &'a mut Vec<u8>, dialect: Dialect, row: usize) -> Self {
        Self { out, look: Look::PLAIN, dialect, row: Some(row) }
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
        self.modern(b"\x1b[?2026h\x1b[?25l");
    }

    pub(super) fn end_frame(&mut self) {
        self.plain();
        self.modern(b"\x1b[?2026l");
    }

    pub(super) fn show_cursor(&mut self) {
        self.modern(b"\x1b[?25h");
    }

    /// Moves to a cell, counted from zero.
    pub(super) fn move_to(&mut self, row: usize, column: usize) {
        if let Some(from) = self.row {
            self.move_rows(from, row);
            self.row = Some(row);
            self.move_to_column(column);
            return;
        }
        let _ = match (row, column) {
            (0, 0) => write!(self.out, "\x1b[H"),
            (_, 0) => write!(self.out, "\x1b[{}H", row + 1),
            _ => write!(self.out, "\x1b[{};{}H", row + 1, column + 1),
        };
    }

    /// Down goes by line feeds: where the window has become lower than it was told, they scroll, and the rows above
    /// are as many as they are thought to be. A cursor movement would stop at the last row and come back too high.
    fn move_rows(&mut self, from: usize, to: usize) {
        if to > from {
            self.line_feeds(to - from);
        } else if to < from {
            let _ = write!(self.out, "\x1b[{}A", from - to);
        }
    }

    /// Moves within the row.
    pub(super) fn move_to_column(&mut self, column: usize) {
        let _ = match column {
            0 if self.is_old() => write!(self.out, "\r"),
            // Without a sequence for a column: from the first one on.
            _ if self.is_old() => write!(self.out, "\r\x1b[{column}C"),
            0 => write!(self.out, "\x1b[G"),
            _ => write!(self.out, "\x1b[{}G", column + 1),
        };
    }

    /// Erases to the end of the row, in the terminal's own background.
    pub(super) fn erase_to_end(&mut self) {
        self.plain();
        self.raw(b"\x1b[K");
    }

    pub(super) fn new_line(&mut self) {
        self.plain();
        self.raw(b"\r\n");
    }

    /// The row below the cursor's is the first live row now.
    pub(super) fn begin_live(&mut self) {
        self.new_line();
        self.row = Some(0);
    }

    /// Line feeds: at the last row of the screen each one scrolls the whole screen.
    fn line_feeds(&mut self, count: usize) {
        self.plain();
        self.out.resize(self.out.len() + count, b'\n');
    }

    /// Without automatic wrapping a cluster that a terminal takes for wider than we do stays in its row.
    pub(super) fn wrapping(&mut self, on: bool) {
        self.raw(if on { b"\x1b[?7h" } else { b"\x1b[?7l" });
    }

    /// Writes text without control characters.
    pub(super) fn text(&mut self, text: &str, style: Style) {
        let look = Look::new(style, self.dialect);
        if self.is_old() && look != self.look {
            // It has no codes that turn one thing off.
            self.plain();
        }
        transition(self.look, look, self.out);
        self.look = look;
        self.raw(text.as_bytes());
    }

    pub(super) fn plain(&mut self) {
        transition(self.look, Look::PLAIN, self.out);
        self.look = Look::PLAIN;
    }

    /// Writes what an old terminal would not understand; nothing there.
    fn modern(&mut self, bytes: &[u8]) {
        if !self.is_old() {
            self.raw(bytes);
        }
    }

    fn is_old(&self) -> bool {
        self.dialect.age == Age::Old
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }
}
