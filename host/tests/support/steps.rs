//! Random work for the inline viewport, and what must be seen of it afterwards, whatever terminal is the oracle.
//!
//! A step commits rows, changes the live rows, or resizes the window. `Run` performs steps against an `Oracle` (a
//! terminal that takes bytes and tells its text) and knows what must stand there: the shell's lines, every committed
//! row once and in order, then the live rows once. The oracles are in the test files that include this one.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use carpel::row::{Row, RowSpan};
use carpel::terminal::screen::{Frame, InlineTerminal};
use carpel_slots::Printable;
use proptest::prelude::{Just, Strategy, prop_oneof};
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Style};

/// A terminal that shows what it is fed.
pub trait Oracle {
    fn feed(&mut self, bytes: &[u8]);
    fn resize(&mut self, size: Size);
    fn cursor(&mut self) -> Position;
    /// Scrollback then screen, rows that the terminal folded put together.
    fn lines(&mut self) -> Vec<String>;
}

#[derive(Clone, Debug)]
pub enum Step {
    /// Commits rows, the live rows as they are.
    Insert { rows: usize, seed: u64 },
    /// Other live rows, more or fewer.
    Live { rows: usize, seed: u64 },
    /// What streaming does: a few rows committed and the live rows changed in one frame.
    Stream { commit: usize, live: usize, seed: u64 },
    /// A new window size, told after the terminal has reflowed.
    Resize(Size),
    /// A new window size that nobody tells: the terminal has changed already, the kernel not yet, or it never will
    /// since the window changes back. Frames are drawn meanwhile.
    Unseen(Size),
}

/// The bounds of what a run may do.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub widths: (u16, u16),
    pub heights: (u16, u16),
    pub live_rows: usize,
    pub live_width: usize,
    pub text: Text,
    /// The last column of the caret; in WIDE windows and below the narrowest width it never meets a fold.
    pub caret: u16,
    /// How often the window changes without a word.
    pub unseen: u32,
}

/// What the rows are made of; each kind with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Text {
    /// ASCII, combining marks, box drawing, Thai.
    Narrow,
    /// Characters that take two cells.
    Wide,
    /// Emoji of one character, which take one cell in some terminals and two in others.
    Emoji,
    /// Emoji with variation selectors and marks.
    Joined,
}

pub fn steps(bounds: Bounds, length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let seed = proptest::num::u64::ANY;
    let live = 0..=bounds.live_rows;
    let (widths, heights) = (bounds.widths, bounds.heights);
    // Up to three screens at once.
    let many = 1..usize::from(heights.1) * 3;
    let step = prop_oneof![
        4 => (1..6usize, seed).prop_map(|(rows, seed)| Step::Insert { rows, seed }),
        bounds.unseen => (widths.0..=widths.1, heights.0..=heights.1)
            .prop_map(|(width, height)| Step::Unseen(Size { width, height })),
        1 => (many, seed).prop_map(|(rows, seed)| Step::Insert { rows, seed }),
        4 => (live.clone(), seed).prop_map(|(rows, seed)| Step::Live { rows, seed }),
        4 => (0..4usize, live, seed).prop_map(|(commit, live, seed)| Step::Stream { commit, live, seed }),
        2 => (widths.0..=widths.1, heights.0..=heights.1)
            .prop_map(|(width, height)| Step::Resize(Size { width, height })),
    ];
    (Just(()), proptest::collection::vec(step, length)).prop_map(|((), steps)| steps)
}

/// Some step sequences, the same in every run, for oracles that are too slow for a property test.
pub fn samples(bounds: Bounds, count: usize) -> Vec<Vec<Step>> {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = steps(bounds, 10..40);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

pub struct Run<O> {
    pub oracle: O,
    pub bytes: Vec<u8>,
    pub committed: Vec<Row>,
    pub live: Vec<Row>,
    pub terminal: InlineTerminal,
    shell: Vec<String>,
    bounds: Bounds,
    cursor: Option<Position>,
}

impl<O: Oracle> Run<O> {
    /// A terminal with lines of a shell on it, and carpel started below them.
    pub fn start(mut oracle: O, size: Size, shell: usize, bounds: Bounds) -> Self {
        let shell: Vec<_> = (0..shell).map(|line| format!("shell{line}$")).collect();
        for line in &shell {
            oracle.feed(format!("{line}\r\n").as_bytes());
        }
        let terminal = InlineTerminal::new(size, oracle.cursor().y);
        let (committed, live, bytes) = (Vec::new(), Vec::new(), Vec::new());
        let mut run = Self { oracle, bytes, committed, live, terminal, shell, bounds, cursor: None };
        run.draw(&[]);
        run
    }

    pub fn perform(&mut self, step: &Step) {
        match *step {
            Step::Insert { rows, seed } => {
                let rows = self.new_rows(rows, seed);
                self.draw(&rows);
            }
            Step::Live { rows, seed } => {
                self.set_live(rows, seed);
                self.draw(&[]);
            }
            Step::Stream { commit, live, seed } => {
                let rows = self.new_rows(commit, seed);
                self.set_live(live, seed);
                self.draw(&rows);
            }
            Step::Resize(size) => self.resize(size),
            Step::Unseen(size) => self.oracle.resize(size),
        }
    }

    pub fn resize(&mut self, size: Size) {
        self.oracle.resize(size);
        let cursor = self.oracle.cursor();
        self.terminal.resize(size, Some(cursor));
        self.draw(&[]);
    }

    pub fn draw(&mut self, commit: &[Row]) {
        let mut out = Vec::new();
        self.terminal.draw(Frame { commit, live: &self.live, cursor: self.cursor }, &mut out);
        self.oracle.feed(&out);
        self.bytes.extend_from_slice(&out);
        self.committed.extend_from_slice(commit);
    }

    /// Everything that must be on the terminal, without blanks.
    pub fn expected(&self) -> String {
        let shell: String = self.shell.concat();
        let rows: String = self.committed.iter().map(Row::text).collect();
        let cols = usize::from(self.terminal.size().width);
        let live: String = self.live.iter().map(|row| clipped(&row.text(), cols)).collect();
        without_blanks(&(shell + &rows + &live))
    }

    /// Everything that is on it, without blanks.
    pub fn found(&mut self) -> String {
        without_blanks(&self.oracle.lines().concat())
    }

    /// Checks the promise: shell lines, committed rows and live rows each once and in order, nothing else; unbroken
    /// rows come back as one line; no forbidden sequence was written.
    pub fn check(&mut self) {
        assert_same(&self.found(), &self.expected());
        let lines = self.oracle.lines();
        for row in self.committed.iter().filter(|row| row.unbroken && self.bounds.text <= Text::Wide) {
            let text = without_blanks(&row.text());
            assert!(lines.iter().any(|line| without_blanks(line) == text), "{text:?} is not one line");
        }
        check_bytes(&self.bytes);
    }

    /// Checks the weaker promise for windows narrower than the live rows: no committed row lost, doubled or out of
    /// order. Rows of the live area may have been left behind.
    pub fn check_committed(&mut self) {
        let found = self.found();
        let mut rest = found.as_str();
        let wanted = self.shell.iter().cloned().chain(self.committed.iter().map(Row::text));
        for text in wanted.map(|text| without_blanks(&text)) {
            let count = found.matches(&text).count();
            assert_eq!(count, 1, "{text:?} must stand there once");
            let at = rest.find(&text);
            assert!(at.is_some(), "{text:?} is out of order");
            rest = &rest[at.unwrap() + text.len()..];
        }
        check_bytes(&self.bytes);
    }

    fn new_rows(&self, count: usize, seed: u64) -> Vec<Row> {
        let cols = usize::from(self.terminal.size().width);
        let first = self.committed.len();
        (first..first + count).map(|number| committed_row(number, seed, cols, self.bounds.text)).collect()
    }

    fn set_live(&mut self, count: usize, seed: u64) {
        let width = self.bounds.live_width;
        self.live = (0..count).map(|number| live_row(number, seed, width, self.bounds.text)).collect();
        let row = seed as usize % count.max(1);
        self.cursor = match self.live.get(row) {
            Some(live) if !seed.is_multiple_of(5) => {
                Some(Position::new(seed as u16 % (live.width() as u16 + 1), row as u16))
            }
            _ => None,
        };
        if let Some(cursor) = &mut self.cursor {
            cursor.x = cursor.x.min(self.bounds.caret);
        }
    }
}

/// Says where two long texts part, not all of them.
fn assert_same(found: &str, expected: &str) {
    let same = found.chars().zip(expected.chars()).take_while(|(left, right)| left == right).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(60)).take(140).collect::<String>();
    assert!(found == expected, "\n   found: {}\nexpected: {}", around(found), around(expected));
}

/// A live row is cut at the window's edge.
fn clipped(text: &str, cols: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    use unicode_width::UnicodeWidthStr as _;
    let mut clipped = String::new();
    for cluster in text.graphemes(true) {
        if clipped.width() + cluster.width() > cols {
            break;
        }
        clipped.push_str(cluster);
    }
    clipped
}

pub fn without_blanks(text: &str) -> String {
    text.chars().filter(|character| *character != ' ').collect()
}

/// None of the sequences that lose, double or disorder history in some terminal.
pub fn check_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for sequence in text.split("\x1b[").skip(1) {
        let end = sequence.find(|character: char| ('@'..='~').contains(&character)).unwrap();
        let kind = sequence.as_bytes()[end];
        assert!(!b"JSTLMrX@P".contains(&kind), "CSI {:?} was written", &sequence[..=end]);
    }
}

const NARROW: [&str; 9] =
    ["word", "e\u{301}te\u{301}", "-", "x y", "fn main()", "ถำ", "/usr/bin", "1234567", "│"];
const WIDE: [&str; 3] = ["漢字", "한글", "ｗ"];
const EMOJI: [&str; 4] = ["😀", "✅", "🦀", "⚡"];
const JOINED: [&str; 3] = ["\u{2764}\u{fe0f}", "1\u{fe0f}\u{20e3}", "\u{267b}\u{fe0f}"];

/// A row with its number at both ends, of a kind that the seed says: short, exactly as wide as the window, unbroken
/// and up to three times as wide, or coloured.
pub fn committed_row(number: usize, seed: u64, cols: usize, pieces: Text) -> Row {
    let mut random = Random(seed ^ (number as u64 * 0x9e37_79b9));
    let (head, tail) = (format!("<{number}:"), format!(":{number}>"));
    let room = cols.saturating_sub(head.len() + tail.len());
    let kind = random.below(5);
    let unbroken = kind >= 3;
    let width = match kind {
        0 | 1 => room / 2,
        2 => room,
        _ => random.below(cols * 3),
    };
    let text = head + &filler(&mut random, width, kind == 2, pieces) + &tail;
    let style = if random.below(4) == 0 { Style::new().bg(Color::Blue) } else { Style::new() };
    // A window too narrow for the two numbers folds the row: it is then one that the terminal has to fold.
    Row { spans: vec![RowSpan { text: Printable::prose(&text), style }], unbroken: unbroken || room == 0 }
}

pub fn live_row(number: usize, seed: u64, width: usize, pieces: Text) -> Row {
    let mut random = Random(seed ^ (number as u64 + 7));
    let room = width - 6;
    let filled = random.below(room + 1);
    let text = format!("[{number:02}{}]", filler(&mut random, filled, false, pieces));
    Row::of(Style::new().fg(Color::Green), Printable::prose(&text))
}

fn filler(random: &mut Random, width: usize, exact: bool, kind: Text) -> String {
    use unicode_width::UnicodeWidthStr as _;
    let mut text = String::new();
    loop {
        let pieces = match random.below(12) {
            0..3 if kind >= Text::Wide => &WIDE[..],
            3..5 if kind >= Text::Emoji => &EMOJI[..],
            5..7 if kind >= Text::Joined => &JOINED[..],
            _ => &NARROW[..],
        };
        let piece = pieces[random.below(pieces.len())];
        if text.width() + piece.width() > width {
            break;
        }
        text.push_str(piece);
    }
    if exact {
        text.push_str(&"=".repeat(width - text.width()));
    }
    text
}

/// A small generator, so that a seed says a row whole.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}
