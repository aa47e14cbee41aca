//! What a reader found odd in a log, for the person.
//!
//! Nothing here stops a load: each problem says where, what, and what became of it. The path is the true one. A broken
//! log can have any number of them, so only the first hundred are kept in words.

use std::fmt;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

const MOST: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// Number of the line, from 1; 0 when it is about the whole file.
    pub line: u64,
    pub what: Oddity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// The last line was not written to its end. `kept` is the file that holds it now; absent when nothing was changed.
    TornTail { bytes: u64, kept: Option<PathBuf> },
    /// A line is no record; `saved` records were found inside it.
    NotARecord { reason: String, excerpt: String, saved: usize },
    /// NUL bytes, as file systems leave them after a power cut.
    Nul { bytes: u64 },
    /// Bytes that are not UTF-8, read as replacement marks.
    NotUtf8,
    /// A known kind whose fields have other types; kept as data.
    IllTyped { kind: String, reason: String },
    /// Numbers that earlier records have too; all are kept. The first of them, and how many more there are.
    RepeatedSeq { seq: u64, more: u64 },
    /// Records that stand there already, word for word: copies, skipped. The number of the first, and how many more.
    Copied { seq: u64, more: u64 },
    /// A number that no session reaches; not counted on.
    WildSeq { seq: u64 },
    /// The header is of a format that this version does not know.
    Newer { found: u64, known: u64 },
    /// The segment says nothing of its session.
    NoHeader,
    /// The segment has no bytes, and even a new one has some.
    Empty,
    /// Nothing in the segment is a record. `kept` is the file that holds the last line now.
    NotALog { bytes: u64, kept: Option<PathBuf> },
    /// A line beyond the bound on what is read into memory; skipped.
    TooLong { bytes: u64 },
    /// A segment between two others is not there.
    MissingSegment { number: u64 },
    /// So many problems more.
    More { count: u64 },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 {
            write!(f, ", line {}", self.line)?;
        }
        f.write_str(": ")?;
        self.what.fmt(f)
    }
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TornTail { bytes, kept: Some(kept) } => {
                write!(
                    f,
                    "the last record was cut off after {bytes} bytes; they are kept in {}",
                    kept.display()
                )
            }
            Self::TornTail { bytes, kept: None } => {
                write!(f, "the last record was cut off after {bytes} bytes; it is skipped")
            }
            Self::NotARecord { reason, excerpt, saved: 0 } => {
                write!(f, "no record, skipped ({reason}): {excerpt:?}")
            }
            Self::NotARecord { reason, excerpt, saved } => {
                write!(f, "damaged ({reason}), records saved from it: {saved}; it begins {excerpt:?}")
            }
            Self::Nul { bytes } => write!(f, "{bytes} NUL bytes, skipped"),
            Self::NotUtf8 => write!(f, "bytes that are not UTF-8, read as replacement marks"),
            Self::IllTyped { kind, reason } => write!(f, "a {kind:?} that cannot be read, skipped: {reason}"),
            Self::RepeatedSeq { seq, more: 0 } => {
                write!(
                    f,
                    "record number {seq} for the second time; two programs wrote here, both records are kept"
                )
            }
            Self::RepeatedSeq { seq, more } => {
                write!(
                    f,
                    "record number {seq} for the second time, and {more} more such records after it; two programs wrote here, all records are kept"
                )
            }
            Self::Copied { seq, more: 0 } => write!(f, "a copy of record number {seq}, skipped"),
            Self::Copied { seq, more } => {
                write!(f, "a copy of record number {seq}, and {more} more after it, skipped")
            }
            Self::WildSeq { seq } => write!(f, "record number {seq} cannot be right and is not counted on"),
            Self::Newer { found, known } => {
                write!(f, "log format {found}, this carpel knows {known}; what can be read is shown")
            }
            Self::NoHeader => write!(f, "no header; the session has neither title nor folder"),
            Self::Empty => {
                write!(f, "the file is empty, what stood there is gone; the session starts afresh")
            }
            Self::NotALog { bytes, kept } => {
                write!(
                    f,
                    "no session log: nothing in its {bytes} bytes can be read, so the session starts afresh"
                )?;
                match kept {
                    Some(kept) => write!(f, "; the bytes of its last line are kept in {}", kept.display()),
                    None => Ok(()),
                }
            }
            Self::TooLong { bytes } => write!(f, "a line of {bytes} bytes, skipped"),
            Self::MissingSegment { number } => write!(f, "segment {number} is not there"),
            Self::More { count } => write!(f, "{count} more problems"),
        }
    }
}

/// Problems as they are found.
#[derive(Debug, Default)]
pub(super) struct Problems {
    kept: Vec<Problem>,
    dropped: u64,
}

impl Problems {
    pub(super) fn add(&mut self, path: &Path, line: u64, what: Oddity) {
        if matches!(what, Oddity::RepeatedSeq { .. } | Oddity::Copied { .. }) && self.count_more(path, &what)
        {
            return;
        }
        if self.kept.len() < MOST {
            self.kept.push(Problem { path: path.to_owned(), line, what });
        } else {
            self.dropped += 1;
        }
    }

    /// Two writers double as many numbers as they write records: one sentence says it of all.
    fn count_more(&mut self, path: &Path, what: &Oddity) -> bool {
        for problem in &mut self.kept {
            if discriminant(&problem.what) == discriminant(what)
                && problem.path == path
                && let Oddity::RepeatedSeq { more, .. } | Oddity::Copied { more, .. } = &mut problem.what
            {
                *more += 1;
                return true;
            }
        }
        false
    }

    /// How much was said so far, to go [back](Self::back_to) to.
    pub(super) fn mark(&self) -> (usize, u64) {
        (self.kept.len(), self.dropped)
    }

    /// Forgets what was said since.
    pub(super) fn back_to(&mut self, (kept, dropped): (usize, u64)) {
        self.kept.truncate(kept);
        self.dropped = dropped;
    }

    pub(super) fn finish(mut self) -> Vec<Problem> {
        if let (1.., Some(last)) = (self.dropped, self.kept.last()) {
            let what = Oddity::More { count: self.dropped };
            self.kept.push(Problem { path: last.path.clone(), line: 0, what });
        }
        self.kept
    }
}
