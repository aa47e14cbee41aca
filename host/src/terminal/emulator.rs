//! A terminal in memory: bytes in, scrollback and screen out as text.
//!
//! `replay --print` shows its contents, and the tests of the terminal layer use it as their oracle. It wraps
//! `alacritty_terminal`'s grid and parser (no pty, no event loop), keeps what a program asked of the terminal
//! (answers to queries, titles, clipboard writes) apart from what is on the screen, and knows nothing of carpel.
//! Text comes in two readings: `rows` as displayed, and `text` with the rows that the terminal folded itself put
//! together again. Read `screen.rs` next for the writer whose bytes end up here.

use std::sync::{Arc, Mutex};

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::Processor;
use ratatui::layout::Position;

/// A terminal of a given size with a bounded scrollback.
pub struct Emulator {
    term: Term<Requests>,
    parser: Processor,
    requests: Requests,
}

/// What the program asked of the terminal besides drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The terminal's answers to queries: what it would have typed back.
    pub answers: String,
    /// Window titles set, in order.
    pub titles: Vec<String>,
    /// Texts put on the clipboard, in order.
    pub clipboard: Vec<String>,
}

impl Emulator {
    /// An empty terminal. It has at least two columns and one row: the grid cannot hold a wide character otherwise.
    pub fn new(cols: usize, rows: usize, scrollback: usize) -> Self {
        let config = Config { scrolling_history: scrollback, kitty_keyboard: true, ..Config::default() };
        let requests = Requests::default();
        let term = Term::new(config, &Extent::at_least(cols, rows), requests.clone());
        Self { term, parser: Processor::new(), requests }
    }

    /// Interprets the bytes of a program's output.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    /// Changes the window, with the reflow that this terminal does.
    pub fn resize(&mut self, cols: usize, rows: usize) {
        self.term.resize(Extent::at_least(cols, rows));
    }

    /// The cursor, from the top left corner of the screen.
    pub fn cursor(&self) -> Position {
        let point = self.term.grid().cursor.point;
        let row = u16::try_from(point.line.0).unwrap_or(0);
        let column = u16::try_from(point.column.0).unwrap_or(u16::MAX);
        Position::new(column, row)
    }

    /// Scrollback then screen as logical lines: rows that the terminal folded itself come back as one line.
    /// Trailing blanks of a line are gone; empty rows below the last text are kept.
    pub fn text(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = String::new();
        for index in self.first_line()..self.end_line() {
            line.push_str(&self.row(index));
            if !self.continues(index) {
                lines.push(trimmed(std::mem::take(&mut line)));
            }
        }
        if !line.is_empty() {
            lines.push(trimmed(line));
        }
        lines
    }

    /// Scrollback then screen as displayed, one string a row, trailing blanks gone.
    pub fn rows(&self) -> Vec<String> {
        (self.first_line()..self.end_line()).map(|index| trimmed(self.row(index))).collect()
    }

    /// The rows of the screen alone, as displayed.
    pub fn screen_rows(&self) -> Vec<String> {
        (0..self.end_line()).map(|index| trimmed(self.row(index))).collect()
    }

    /// How many rows stand in the scrollback.
    pub fn history_len(&self) -> usize {
        self.term.grid().history_size()
    }

    /// Takes what the program asked since the last call.
    pub fn take_asked(&mut self) -> Asked {
        self.requests.0.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default()
    }

    /// The modes that are on now.
    pub fn modes(&self) -> TermMode {
        *self.term.mode()
    }

    fn first_line(&self) -> i32 {
        -i32::try_from(self.history_len()).unwrap_or(i32::MAX)
    }

    fn end_line(&self) -> i32 {
        i32::try_from(self.term.grid().screen_lines()).unwrap_or(i32::MAX)
    }

    fn row(&self, index: i32) -> String {
        let row = &self.term.grid()[Line(index)];
        let mut text = String::new();
        for column in 0..self.term.grid().columns() {
            push_cell(&mut text, &row[Column(column)]);
        }
        text
    }

    /// Whether the terminal folded the line at the end of this row.
    fn continues(&self, index: i32) -> bool {
        let last = self.term.grid().columns().saturating_sub(1);
        self.term.grid()[Line(index)][Column(last)].flags.contains(Flags::WRAPLINE)
    }
}

fn push_cell(text: &mut String, cell: &Cell) {
    if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
        return;
    }
    // The grid keeps a tab as a character in its first cell; the cells after it are blanks already.
    text.push(if cell.c == '\t' { ' ' } else { cell.c });
    text.extend(cell.zerowidth().unwrap_or_default());
}

fn trimmed(mut line: String) -> String {
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// Collects what the grid reports while it reads bytes.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<Asked>>);

impl EventListener for Requests {
    fn send_event(&self, event: Event) {
        let Ok(mut asked) = self.0.lock() else { return };
        match event {
            Event::PtyWrite(answer) => asked.answers.push_str(&answer),
            Event::Title(title) => asked.titles.push(title),
            Event::ClipboardStore(_, text) => asked.clipboard.push(text),
            // The rest (bell, colour and size requests, wakeups) draws nothing and has no answer here.
            _ => {}
        }
    }
}

#[derive(Clone, Copy)]
struct Extent {
    cols: usize,
    rows: usize,
}

impl Extent {
    fn at_least(cols: usize, rows: usize) -> Self {
        Self { cols: cols.max(2), rows: rows.max(1) }
    }
}

impl Dimensions for Extent {
    fn total_lines(&self) -> usize {
        self.rows
    }

    fn screen_lines(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.cols
    }
}

#[cfg(test)]
mod tests {
    use super::Emulator;

    fn check(bytes: &str, text: &[&str], rows: &[&str]) {
        let mut emulator = Emulator::new(10, 3, 100);
        emulator.feed(bytes.as_bytes());
        assert_eq!(emulator.text(), text);
        assert_eq!(emulator.rows(), rows);
    }

    #[test]
    fn folded_rows_read_as_one_line_and_as_displayed() {
        check("abcdefghijklm\r\nx", &["abcdefghijklm", "x"], &["abcdefghij", "klm", "x"]);
    }

    #[test]
    fn a_wide_character_that_does_not_fit_leaves_no_blank_in_the_line() {
        check("abcdefghi漢k", &["abcdefghi漢k", ""], &["abcdefghi", "漢k", ""]);
    }

    #[test]
    fn combining_marks_stay_on_their_base() {
        check("e\u{301}a", &["e\u{301}a", "", ""], &["e\u{301}a", "", ""]);
    }

    #[test]
    fn what_is_asked_is_kept_apart_from_what_is_shown() {
        let mut emulator = Emulator::new(10, 3, 100);
        emulator.feed(b"ab\x1b[6n\x1b]0;title\x07");
        let asked = emulator.take_asked();
        assert_eq!(
            (asked.answers.as_str(), asked.titles.as_slice()),
            ("\x1b[1;3R", &["title".to_owned()][..])
        );
        assert_eq!(emulator.screen_rows(), ["ab", "", ""]);
    }

    #[test]
    fn scrollback_comes_first() {
        let mut emulator = Emulator::new(10, 2, 100);
        emulator.feed(b"1\r\n2\r\n3\r\n4");
        assert_eq!(
            (emulator.text(), emulator.history_len()),
            (vec!["1".into(), "2".into(), "3".into(), "4".into()], 2)
        );
    }
}
