//! What a terminal would show, and what it took to get there: bytes and frames.
//!
//! Wraps `alacritty_terminal`'s grid and parser. A frame is a synchronised update, counted at its end and dated with the
//! moment its last bytes came. It refuses to know processes and which program writes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::Config;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::Processor;

/// Rows that scrolled away and are kept.
const SCROLLBACK: usize = 60_000;

const FRAME_END: &[u8] = b"\x1b[?2026l";

pub const COLUMNS: u16 = 120;
pub const ROWS: u16 = 40;

pub struct Screen {
    term: Term<Answers>,
    parser: Processor,
    answers: Answers,
    /// How much was written.
    pub bytes: u64,
    /// When each frame was whole.
    pub frames: Vec<Instant>,
    /// When something was written last.
    pub changed: Instant,
    /// So many bytes of the end of a frame were seen.
    matched: usize,
}

impl Screen {
    pub fn new(now: Instant) -> Self {
        let config = Config { scrolling_history: SCROLLBACK, kitty_keyboard: true, ..Config::default() };
        let answers = Answers::default();
        Self {
            term: Term::new(config, &Extent, answers.clone()),
            parser: Processor::new(),
            answers,
            bytes: 0,
            frames: Vec::new(),
            changed: now,
            matched: 0,
        }
    }

    /// Shows what came at that moment. What the terminal answers comes back.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> String {
        self.bytes += bytes.len() as u64;
        self.changed = now;
        for &byte in bytes {
            self.matched = match (byte == FRAME_END[self.matched], byte == FRAME_END[0]) {
                (true, _) => self.matched + 1,
                (false, begins) => usize::from(begins),
            };
            if self.matched == FRAME_END.len() {
                self.matched = 0;
                self.frames.push(now);
            }
        }
        self.parser.advance(&mut self.term, bytes);
        std::mem::take(&mut *self.answers.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The rows of the screen, trailing blanks gone.
    pub fn rows(&self) -> Vec<String> {
        (0..self.end()).map(|line| trimmed(self.row(line))).collect()
    }

    /// Whether a row of the screen holds this text.
    pub fn shows(&self, text: &str) -> bool {
        (0..self.end()).rev().any(|line| self.row(line).contains(text))
    }

    /// Scrollback and screen as a copy would give them: rows that the terminal folded are one line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let first = -i32::try_from(self.term.grid().history_size()).unwrap_or(i32::MAX);
        for line in first..self.end() {
            let row = self.row(line);
            let last = Column(self.term.grid().columns().saturating_sub(1));
            if self.term.grid()[Line(line)][last].flags.contains(Flags::WRAPLINE) {
                text.push_str(&row);
            } else {
                text.push_str(row.trim_end_matches(' '));
                text.push('\n');
            }
        }
        text
    }

    fn end(&self) -> i32 {
        i32::try_from(self.term.grid().screen_lines()).unwrap_or(i32::MAX)
    }

    fn row(&self, line: i32) -> String {
        let row = &self.term.grid()[Line(line)];
        let cells = (0..self.term.grid().columns()).map(|column| &row[Column(column)]);
        let spacers = Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER;
        cells.filter(|cell| !cell.flags.intersects(spacers)).map(|cell| cell.c).collect()
    }
}

fn trimmed(mut row: String) -> String {
    row.truncate(row.trim_end_matches(' ').len());
    row
}

/// What the terminal would type back.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<String>>);

impl EventListener for Answers {
    fn send_event(&self, event: Event) {
        // The rest (titles, bell, colours) draws nothing and has no answer here.
        if let Event::PtyWrite(answer) = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(&answer);
        }
    }
}

struct Extent;

impl Dimensions for Extent {
    fn total_lines(&self) -> usize {
        ROWS.into()
    }

    fn screen_lines(&self) -> usize {
        ROWS.into()
    }

    fn columns(&self) -> usize {
        COLUMNS.into()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::Screen;

    fn fed(pieces: &[&str]) -> (Screen, String) {
        let mut screen = Screen::new(Instant::now());
        let answers = pieces.iter().map(|piece| screen.feed(piece.as_bytes(), Instant::now())).collect();
        (screen, answers)
    }

    #[test]
    fn frames_are_counted_however_they_are_cut() {
        for (pieces, expected) in [
            (&["\x1b[?2026ha\x1b[?2026l"][..], 1),
            (&["\x1b[?2026ha\x1b[?20", "26l\x1b[?2026h\x1b[?2026l"], 2),
            (&["\x1b\x1b[?2026l"], 1),
            (&["\x1b[?202\x1b[?2026l"], 1),
            (&["\x1b[?2026h"], 0),
        ] {
            let (screen, _) = fed(pieces);
            assert_eq!(screen.frames.len(), expected, "{pieces:?}");
            assert_eq!(screen.bytes as usize, pieces.iter().map(|piece| piece.len()).sum::<usize>());
        }
    }

    #[test]
    fn the_screen_its_text_and_its_answers() {
        let long = "x".repeat(130);
        let (screen, answers) = fed(&["top\r\n", &long, "\r\n\x1b[6n"]);
        assert!(screen.shows("top") && !screen.shows("bottom"));
        assert_eq!(screen.text().trim_end(), format!("top\n{long}"));
        assert_eq!(screen.rows()[2], "x".repeat(10));
        assert_eq!(answers, "\x1b[4;1R");
        let (screen, _) = fed(&["first\r\n", &"line\r\n".repeat(100)]);
        assert!(screen.text().starts_with("first\n"), "what scrolled away is there");
    }
}
