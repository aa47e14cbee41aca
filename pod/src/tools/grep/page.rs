//! Which of all results are shown: counts everything, keeps one window of entries.
//!
//! An entry is a line in content mode (a binary file is one entry) and a file in the other modes. Owns `offset`,
//! `head_limit` and the bound on text. Pure. Refuses to know wording; read `report.rs` next.

use super::super::walk::Problems;
use super::Mode;
use super::search::{FileHits, HitLine, Searched};

/// With no limit asked for, still no more entries than this.
const MOST: u64 = 10_000;
/// Text of shown lines beyond this ends the window.
const TEXT: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub start: u64,
    pub end: u64,
}

impl Window {
    /// A `limit` of 0 means as many as possible.
    pub fn new(offset: u64, limit: u64) -> Self {
        let limit = if limit == 0 { MOST } else { limit.min(MOST) };
        Self { start: offset, end: offset.saturating_add(limit) }
    }
}

#[derive(Debug)]
pub struct Page {
    pub mode: Mode,
    pub window: Window,
    pub files: Vec<FileEntry>,
    /// Matching lines of text files, or matches when those are counted.
    pub matches: u64,
    /// Matches, of which a line may have several.
    pub occurrences: u64,
    /// Text files that match.
    pub files_with_matches: u64,
    /// Binary files that match.
    pub binary_files: u64,
    pub entries: u64,
    pub problems: Problems,
    /// Files that a rule keeps from the search.
    pub withheld: u64,
    text: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct FileEntry {
    pub path: String,
    pub count: u64,
    pub occurrences: u64,
    pub binary: bool,
    pub lines: Vec<HitLine>,
}

impl Page {
    pub fn new(mode: Mode, window: Window, problems: Problems) -> Self {
        Self {
            mode,
            window,
            files: Vec::new(),
            matches: 0,
            occurrences: 0,
            files_with_matches: 0,
            binary_files: 0,
            entries: 0,
            problems,
            withheld: 0,
            text: 0,
        }
    }

    /// How many lines of the next files can still be of use.
    pub fn room(&self) -> usize {
        usize::try_from(self.window.end.saturating_sub(self.entries)).unwrap_or(usize::MAX)
    }

    /// The first entry after the window, when there is one.
    pub fn next_offset(&self) -> Option<u64> {
        (self.entries > self.window.end).then_some(self.window.end)
    }

    /// Takes the next file in path order.
    pub fn add(&mut self, path: String, searched: Searched) {
        let hits = searched.hits;
        if let Some(problem) = searched.problem {
            self.problems.push(format!("{path} ({problem})"));
        }
        if hits.count == 0 {
            return;
        }
        if hits.binary {
            self.binary_files += 1;
        } else {
            self.matches += hits.count;
            self.occurrences += hits.occurrences;
            self.files_with_matches += 1;
        }
        let first = self.entries;
        let whole = self.mode != Mode::Content || hits.binary;
        self.entries += if whole { 1 } else { hits.shown };
        let FileHits { count, occurrences, binary, .. } = hits;
        let entry = FileEntry { path, count, occurrences, binary, lines: Vec::new() };
        if whole {
            if first >= self.window.start && first < self.window.end {
                self.files.push(entry);
            }
        } else {
            self.add_lines(entry, first, hits.lines);
        }
    }

    fn add_lines(&mut self, mut entry: FileEntry, first: u64, lines: Vec<HitLine>) {
        for (at, line) in (first..).zip(lines) {
            if at < self.window.start || at >= self.window.end {
                continue;
            }
            self.text += line.excerpt.text.len() + entry.path.len();
            entry.lines.push(line);
            if self.text > TEXT {
                self.window.end = at + 1;
            }
        }
        if !entry.lines.is_empty() {
            self.files.push(entry);
        }
    }
}
