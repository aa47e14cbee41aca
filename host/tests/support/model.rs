//! A small terminal with an opinion of its own about widths.
//!
//! It knows the few sequences that a frame is made of, and counts cells either character by character or by cluster:
//! the two schools of real terminals. What does not fit stays in the last column, as with wrapping off.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How cells are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// Each character has its own width, whatever stands beside it.
    Characters,
    /// A cluster has the width of the whole, two cells at most.
    Clusters,
    /// Emoji take one cell, as before Unicode 9.
    Narrow,
}

pub struct Model {
    opinion: Opinion,
    cols: usize,
    rows: usize,
    /// All lines so far; the last `rows` of them are the screen.
    lines: Vec<Vec<String>>,
    row: usize,
    pub column: usize,
    wraps: bool,
}

impl Model {
    pub fn new(opinion: Opinion, cols: usize, rows: usize) -> Self {
        let lines = vec![blank(cols); rows];
        Self { opinion, cols, rows, lines, row: 0, column: 0, wraps: true }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
                let end = sequence.find(|c: char| ('@'..='~').contains(&c)).unwrap();
                self.sequence(&sequence[..end], sequence.as_bytes()[end]);
                rest = &sequence[end + 1..];
            } else if first == '\r' || first == '\n' {
                if first == '\r' {
                    self.column = 0;
                } else {
                    self.line_feed();
                }
                rest = &rest[1..];
            } else {
                let end = rest.find(char::is_control).unwrap_or(rest.len());
                assert!(end > 0, "{first:?} is no text");
                self.text(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }

    /// Scrollback then screen, as cells put together.
    pub fn rows(&self) -> Vec<String> {
        self.lines.iter().map(|cells| cells.concat().trim_end().to_owned()).collect()
    }

    /// The column of a text of one cell in the last row that has both it and `mark`.
    pub fn column_of(&self, mark: &str, text: &str) -> Option<usize> {
        let row = self.lines.iter().rfind(|cells| cells.concat().contains(mark))?;
        row.iter().rposition(|cell| cell == text)
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> &str {
        &self.lines[self.row][self.column - 1]
    }

    fn sequence(&mut self, parameters: &str, last: u8) {
        let number = parameters.parse().unwrap_or(1);
        match last {
            b'A' => self.row = self.row.saturating_sub(number).max(self.lines.len() - self.rows),
            b'G' => self.column = number.min(self.cols) - 1,
            b'K' => {
                let column = self.column.min(self.cols);
                self.lines[self.row][column..].fill(" ".to_owned());
            }
            b'h' | b'l' if parameters == "?7" => self.wraps = last == b'h',
            b'h' | b'l' | b'm' => {}
            other => panic!("CSI {parameters}{}", char::from(other)),
        }
    }

    fn line_feed(&mut self) {
        self.row += 1;
        if self.row == self.lines.len() {
            self.lines.push(blank(self.cols));
        }
    }

    fn text(&mut self, text: &str) {
        match self.opinion {
            Opinion::Clusters => {
                text.graphemes(true).for_each(|cluster| self.put(cluster, cluster.width().min(2)));
            }
            Opinion::Characters | Opinion::Narrow => {
                for (at, character) in text.char_indices() {
                    let width = character.width().unwrap_or(0);
                    let emoji =
                        self.opinion == Opinion::Narrow && ('\u{1f000}'..='\u{1ffff}').contains(&character);
                    self.put(&text[at..at + character.len_utf8()], if emoji { width.min(1) } else { width });
                }
            }
        }
    }

    fn put(&mut self, text: &str, width: usize) {
        if width == 0 {
            let mut before = self.column.min(self.cols).saturating_sub(1);
            while before > 0 && self.lines[self.row][before].is_empty() {
                before -= 1;
            }
            self.lines[self.row][before].push_str(text);
            return;
        }
        if self.column + width > self.cols {
            if self.wraps {
                self.column = 0;
                self.line_feed();
            } else {
                self.column = self.cols - width;
            }
        }
        let cells = &mut self.lines[self.row];
        cells[self.column] = text.to_owned();
        cells[self.column + 1..self.column + width].fill(String::new());
        self.column += width;
    }
}

fn blank(cols: usize) -> Vec<String> {
    vec![" ".to_owned(); cols]
}
