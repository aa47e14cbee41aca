//! Searches one file and says which lines match.
//!
//! Owns what happens to odd files: a binary one matches or does not, but has no lines, so none is counted or shown; very
//! large binary ones are given up at their first NUL byte, as `rg` does; UTF-16 with a byte order mark is decoded.
//! Memory is bounded: lines beyond `room` are counted, not kept. Refuses to know paging and wording; read `page.rs` and
//! `report.rs` next.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use super::super::Cancel;
use super::super::open::open_regular;
use super::excerpt::{Excerpt, excerpt};
use super::{Mode, Request};

/// The longest line, and in multiline mode the largest file, that is searched.
const HEAP: usize = 64 * 1024 * 1024;
/// A binary file up to this size is searched to its end.
const BINARY: u64 = 64 * 1024 * 1024;
/// How far behind a match its surroundings may matter to the expression.
const LOOK_AHEAD: usize = 128;
/// Matches of one block whose place is kept; a line of millions would fill the memory with them.
const MARKED: usize = 10_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileHits {
    /// Matching lines; matches when these may span lines or only they are shown. 1 for a binary file that matches.
    pub count: u64,
    /// Matches, of which a line may have several.
    pub occurrences: u64,
    pub binary: bool,
    /// The first lines to show.
    pub lines: Vec<HitLine>,
    /// All lines to show, kept or not.
    pub shown: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub struct HitLine {
    pub number: u64,
    pub excerpt: Excerpt,
    pub context: bool,
    /// Lines of the file are missing between this and the one before.
    pub after_gap: bool,
}

#[derive(Debug)]
pub struct Searched {
    pub hits: FileHits,
    /// Why (part of) the file was not searched.
    pub problem: Option<String>,
}

pub fn searcher(request: &Request, matcher: &RegexMatcher) -> Searcher {
    let (before, after) = if request.mode == Mode::Content && !request.only_matching {
        (request.before, request.after)
    } else {
        (0, 0)
    };
    SearcherBuilder::new()
        // The two have to agree, or the searcher refuses every file.
        .line_terminator(matcher.line_terminator().unwrap_or(LineTerminator::crlf()))
        .line_number(true)
        .multi_line(request.multiline)
        .before_context(before)
        .after_context(after)
        .heap_limit(Some(HEAP))
        .build()
}

pub fn search_file(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    path: &Path,
    request: &Request,
    room: usize,
    cancel: &Cancel,
) -> Searched {
    let (file, metadata) = match open_regular(path) {
        Ok(opened) => opened,
        Err(error) => return Searched { hits: FileHits::default(), problem: Some(error.fact()) },
    };
    let large = metadata.len() > BINARY;
    searcher.set_binary_detection(if large { BinaryDetection::quit(0) } else { BinaryDetection::convert(0) });
    let mut collector = Collector { matcher, request, room, cancel, gap: false, hits: FileHits::default() };
    let searched = searcher.search_reader(matcher, Cancellable { file, cancel }, &mut collector);
    let mut hits = collector.hits;
    if hits.binary {
        // NUL bytes were taken for line ends on the way; a number of such pieces would tell nothing.
        hits.lines.clear();
        hits.count = hits.count.min(1);
        hits.occurrences = hits.count;
        hits.shown = hits.count;
    }
    let problem = match searched {
        Err(error) => Some(format!("cannot be searched: {error}")),
        Ok(()) if large && hits.binary => {
            Some("large and binary, searched up to its first NUL byte".to_owned())
        }
        Ok(()) => None,
    };
    Searched { hits, problem }
}

/// Ends a long search in the middle of a file.
struct Cancellable<'a> {
    file: File,
    cancel: &'a Cancel,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.file.read(buffer)
    }
}

struct Collector<'a> {
    matcher: &'a RegexMatcher,
    request: &'a Request,
    room: usize,
    cancel: &'a Cancel,
    gap: bool,
    hits: FileHits,
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let (matches, number) = self.matches(searcher, found)?;
        // An expression may match without a character, as `^` does.
        let occurrences = if self.request.only_matching { number } else { number.max(1) };
        let is_counted = self.request.only_matching || self.request.multiline;
        self.hits.count += if is_counted { occurrences } else { 1 };
        self.hits.occurrences += occurrences;
        self.show_block(found, &matches);
        Ok(!self.cancel.is_cancelled())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.show(context.line_number().unwrap_or(0), without_end(context.bytes()), &[], true);
        Ok(!self.cancel.is_cancelled())
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.hits.binary = true;
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.hits.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl Collector<'_> {
    /// Where in the block the expression matches, as far as that can be shown, and how often.
    fn matches(
        &self,
        searcher: &Searcher,
        found: &SinkMatch<'_>,
    ) -> Result<(Vec<Range<usize>>, u64), io::Error> {
        let block = found.bytes_range_in_buffer();
        let buffer = found.buffer();
        // The expression may look around its match, so it sees the surroundings; a line is looked at without its end.
        let end = if searcher.multi_line_with_matcher(self.matcher) {
            buffer.len().min(block.end + LOOK_AHEAD)
        } else {
            block.start + without_end(found.bytes()).len()
        };
        let mut matches = Vec::new();
        let mut number = 0;
        self.matcher
            .find_iter_at(&buffer[..end], block.start, |hit| {
                if hit.start() >= block.end || self.cancel.is_cancelled() {
                    return false;
                }
                let range = hit.start() - block.start..hit.end().min(block.end) - block.start;
                number += u64::from(!range.is_empty());
                if matches.len() < MARKED {
                    matches.push(range);
                }
                true
            })
            .map_err(io::Error::other)?;
        Ok((matches, number))
    }

    /// Shows a block of one line, or of several when matches may span lines.
    fn show_block(&mut self, found: &SinkMatch<'_>, matches: &[Range<usize>]) {
        let mut start = 0;
        for (number, line) in (found.line_number().unwrap_or(0)..).zip(found.lines()) {
            let text = without_end(line);
            let within = start..start + text.len();
            let hits: Vec<Range<usize>> = matches
                .iter()
                .map(|hit| hit.start.max(within.start)..hit.end.min(within.end))
                .filter(|hit| hit.start < hit.end)
                .map(|hit| hit.start - start..hit.end - start)
                .collect();
            if self.request.only_matching {
                for hit in hits {
                    let part = &text[hit.clone()];
                    let whole = 0..part.len();
                    self.show(number, part, std::slice::from_ref(&whole), false);
                }
            } else {
                self.show(number, text, &hits, false);
            }
            start += line.len();
        }
    }

    fn show(&mut self, number: u64, text: &[u8], hits: &[Range<usize>], context: bool) {
        let after_gap = std::mem::take(&mut self.gap);
        self.hits.shown += 1;
        if self.request.mode == Mode::Content && self.hits.lines.len() < self.room {
            self.hits.lines.push(HitLine { number, excerpt: excerpt(text, hits), context, after_gap });
        }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(text) => text.strip_suffix(b"\r").unwrap_or(text),
        None => line,
    }
}
