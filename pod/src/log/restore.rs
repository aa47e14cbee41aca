//! A session as it is read back from its segments.
//!
//! Owns the way from files to records: file order is the order, numbers are looked at but never sorted by, what cannot be
//! read is reported and skipped, and nothing on the disk is changed. The torn tail of the last segment is only measured;
//! `log.rs` sets it aside when it opens the session to write. Read next: `lines.rs`, `entry.rs`, `salvage.rs`.

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use carpel_protocol::frame::LineError;
use carpel_protocol::{Item, Record};

use super::entry::{Entry, VERSION};
use super::error::LogError;
use super::header::Header;
use super::lines::{Line, Lines, MAX_LINE, trim};
use super::place::{Segment, open_to_read, segments, session_folder};
use super::problem::{Oddity, Problem, Problems};
use super::queued::Queued;
use super::salvage::salvage;
use super::unsettled::Unsettled;

/// Numbers above are damage: a session that wrote a record every microsecond would need 285 years to get there.
const MAX_SEQ: u64 = 1 << 53;

/// What a log holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restored {
    /// What was last told of the session; `id` is always the folder's name.
    pub header: Header,
    /// The records of all segments in file order. Headers and passing records are left out.
    pub records: Vec<Record>,
    /// Which of them, by position, are calls that never began; of the others without a result nothing is known.
    pub never_begun: BTreeSet<usize>,
    pub problems: Vec<Problem>,
    /// The number of the next record.
    pub next_seq: u64,
    /// The prompts that wait, and the highest number that one has had.
    pub queue: Vec<Queued>,
    pub last_item: u64,
    /// How many `progress` records were passed over.
    pub passed_over: u64,
}

/// Reads a session without its lock and without changing anything. While somebody writes, its end may look torn.
///
/// # Errors
/// [`LogError`] when there is no such session or a segment cannot be opened or read.
pub fn restore(sessions: &Path, id: &str) -> Result<Restored, LogError> {
    let folder = session_folder(sessions, id)?;
    let mut scan = Scan::default();
    scan.read(sessions, &folder, id)?;
    scan.report_torn_tail(None);
    Ok(scan.finish(id))
}

/// Whether a session can be opened to be read, without reading it.
///
/// # Errors
/// As [`restore`].
pub fn check(sessions: &Path, id: &str) -> Result<(), LogError> {
    let folder = session_folder(sessions, id)?;
    for Segment { path, .. } in find_segments(sessions, &folder, id)? {
        open_to_read(&path).map_err(LogError::io("open", &path))?;
    }
    Ok(())
}

/// The segments of a session, at least one.
pub(super) fn find_segments(sessions: &Path, folder: &Path, id: &str) -> Result<Vec<Segment>, LogError> {
    let found = match segments(folder) {
        Err(LogError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Vec::new(),
        found => found?,
    };
    if found.is_empty() {
        return Err(LogError::Missing { id: id.to_owned(), folder: sessions.to_owned() });
    }
    Ok(found)
}

/// Where the last segment ends, for a writer that goes on with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct End {
    pub(super) segment: u64,
    pub(super) path: PathBuf,
    /// Bytes up to the end of the last line that is kept.
    pub(super) length: u64,
    /// Bytes of a record that was not written to its end.
    pub(super) torn: u64,
    torn_line: u64,
    /// Bytes of a file in which nothing is a record; 0 for a log.
    alien: u64,
    /// The last line that is kept has no LF.
    pub(super) open_line: bool,
    /// A line that is no record begins like one, or is blank to its end.
    begins_a_record: bool,
    /// Where the last header of the segment ends, and whether the segment's first line says the same.
    pub(super) header_end: u64,
    pub(super) header_moved: bool,
    /// The newest format among the headers.
    pub(super) version: u64,
}

/// What becomes of an entry with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Taken,
    /// The very record stands there already.
    Copy,
}

#[derive(Debug, Default)]
pub(super) struct Scan {
    header: Option<Header>,
    records: Vec<Record>,
    problems: Problems,
    /// The numbers that were read, and where the record of each stands; a header stands nowhere.
    seen: HashMap<u64, Option<usize>>,
    last_seq: u64,
    passed_over: u64,
    unsettled: Unsettled,
    queue: Vec<Queued>,
    last_item: u64,
    /// Records and headers that were read.
    taken: u64,
    pub(super) end: End,
}

impl Scan {
    pub(super) fn read(&mut self, sessions: &Path, folder: &Path, id: &str) -> Result<(), LogError> {
        let found = find_segments(sessions, folder, id)?;
        let mut expected = found[0].number;
        for (at, segment) in found.iter().enumerate() {
            for number in (expected..segment.number).take(10) {
                self.problems.add(&segment.path, 0, Oddity::MissingSegment { number });
            }
            expected = segment.number + 1;
            self.read_segment(segment)?;
            if at + 1 < found.len() {
                self.report_torn_tail(None);
            }
        }
        Ok(())
    }

    fn read_segment(&mut self, segment: &Segment) -> Result<(), LogError> {
        let path = &segment.path;
        let file = open_to_read(path).map_err(LogError::io("open", path))?;
        let before = self.header.clone();
        self.end =
            End { segment: segment.number, path: path.clone(), version: self.end.version, ..End::default() };
        let (said, taken) = (self.problems.mark(), self.taken);
        self.read_lines(BufReader::with_capacity(1 << 16, file)).map_err(LogError::io("read", path))?;
        let has_header = self.end.header_end > 0;
        let bytes = self.end.length + self.end.torn;
        if bytes == 0 {
            self.problems.add(path, 0, Oddity::Empty);
        } else if self.taken == taken && !self.end.begins_a_record {
            // What each of its lines is not says nothing.
            self.problems.back_to(said);
            self.end.alien = bytes;
            if self.end.torn == 0 {
                self.problems.add(path, 0, Oddity::NotALog { bytes, kept: None });
            }
        } else if !has_header && (before.is_none() && self.end.length > 0) {
            self.problems.add(path, 0, Oddity::NoHeader);
        }
        Ok(())
    }

    fn read_lines(&mut self, input: impl io::BufRead) -> io::Result<()> {
        let mut lines = Lines::new(input, MAX_LINE);
        let mut line = Line::default();
        let mut number = 0;
        while lines.next(&mut line)? {
            number += 1;
            if self.take_line(&line, number) {
                self.end.length = line.start + line.length;
                self.end.open_line = !line.whole;
            } else {
                self.end.torn = line.length;
                self.end.torn_line = number;
                self.end.begins_a_record |= matches!(trim(&line.bytes).first(), None | Some(b'{'));
            }
            if !line.whole {
                // A writer may be adding to it at this moment; what comes now is not the next line.
                break;
            }
        }
        Ok(())
    }

    /// False when the line is the torn tail.
    fn take_line(&mut self, line: &Line, number: u64) -> bool {
        let path = self.end.path.clone();
        if line.too_long {
            self.problems.add(&path, number, Oddity::TooLong { bytes: line.length });
            return true;
        }
        if line.nuls > 0 && line.whole {
            self.problems.add(&path, number, Oddity::Nul { bytes: line.nuls });
        }
        let text = trim(&line.bytes);
        if text.is_empty() {
            // NUL bytes at the end are a record whose bytes never reached the disk.
            return line.whole || line.nuls == 0;
        }
        match decode(text) {
            Ok((entry, clean)) => {
                if !clean {
                    self.problems.add(&path, number, Oddity::NotUtf8);
                }
                self.take(entry, line, number);
            }
            Err(_) if !line.whole => return false,
            Err(error) => self.take_damaged(text, &error, line, number),
        }
        true
    }

    fn take_damaged(&mut self, text: &[u8], error: &LineError, line: &Line, number: u64) {
        let entries = salvage(text);
        self.end.begins_a_record |= text.starts_with(b"{");
        let excerpt = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
        let what = Oddity::NotARecord { reason: error.to_string(), excerpt, saved: entries.len() };
        let path = self.end.path.clone();
        self.problems.add(&path, number, what);
        for entry in entries {
            self.take(entry, line, number);
        }
    }

    fn take(&mut self, entry: Entry, line: &Line, number: u64) {
        self.taken += 1;
        if let Some(seq) = entry.seq()
            && self.count(seq, &entry, number) == Counted::Copy
        {
            return;
        }
        match entry {
            Entry::Passing { .. } => self.passed_over += 1,
            Entry::Draft(draft) => self.unsettled.draft(draft.map(|draft| *draft)),
            Entry::Queue(items) => {
                let numbers = items.iter().map(|item| Queued::number(&item.id));
                self.last_item = numbers.fold(self.last_item, u64::max);
                self.queue = items;
            }
            Entry::Header { header, version, .. } => self.take_header(*header, version, line, number),
            Entry::Waiting(record) => {
                self.unsettled.settle(&record.item, &mut self.records);
                self.unsettled.waits(&record.item, self.records.len());
                self.records.push(*record);
            }
            Entry::Begun(id) => self.unsettled.begins(&id),
            Entry::Record(record) => {
                if let Item::Unknown(unknown) = &record.item
                    && let Some(reason) = &unknown.problem
                {
                    let what = Oddity::IllTyped { kind: unknown.tag.clone(), reason: reason.clone() };
                    self.problems.add(&self.end.path, number, what);
                }
                self.unsettled.settle(&record.item, &mut self.records);
                if let Item::UserMessage(message) = &record.item
                    && let Some(id) = &message.item
                {
                    // It entered, and its pod went away before it could note that.
                    self.last_item = self.last_item.max(Queued::number(id));
                    self.queue.retain(|item| item.id != *id);
                }
                self.records.push(*record);
            }
        }
    }

    fn take_header(&mut self, header: Header, version: u64, line: &Line, number: u64) {
        if version > VERSION {
            let what = Oddity::Newer { found: version, known: VERSION };
            self.problems.add(&self.end.path, number, what);
        }
        self.end.version = self.end.version.max(version);
        self.end.header_moved = line.start > 0;
        self.end.header_end = line.start + line.length;
        // The beginning of a session is told once, in its first header.
        let created_at = self.header.as_ref().and_then(|first| first.created_at).or(header.created_at);
        self.header = Some(Header { created_at, ..header });
    }

    fn count(&mut self, seq: u64, entry: &Entry, number: u64) -> Counted {
        if seq > MAX_SEQ {
            self.problems.add(&self.end.path, number, Oddity::WildSeq { seq });
            return Counted::Taken;
        }
        self.last_seq = self.last_seq.max(seq);
        let record = match entry {
            Entry::Record(record) | Entry::Waiting(record) => Some(record),
            Entry::Header { .. }
            | Entry::Passing { .. }
            | Entry::Draft(_)
            | Entry::Queue(_)
            | Entry::Begun(_) => None,
        };
        // A record is added behind those that wait to be told with it; see `Unsettled::settle`.
        let place = record.map(|_| self.records.len());
        let first = match self.seen.entry(seq) {
            Slot::Vacant(free) => {
                free.insert(place);
                return Counted::Taken;
            }
            // A header may have taken the number: the first record that has it is the one of which there can be copies.
            Slot::Occupied(mut taken) => {
                taken.get_mut().or_else(|| std::mem::replace(taken.get_mut(), place))
            }
        };
        let was = first.and_then(|at| self.records[at..].iter().find(|was| was.seq == Some(seq)));
        let is_copy = record.is_some() && was == record.map(Box::as_ref);
        let what = match is_copy {
            true => Oddity::Copied { seq, more: 0 },
            false => Oddity::RepeatedSeq { seq, more: 0 },
        };
        self.problems.add(&self.end.path, number, what);
        if is_copy { Counted::Copy } else { Counted::Taken }
    }

    pub(super) fn report_torn_tail(&mut self, kept: Option<PathBuf>) {
        if self.end.torn > 0 && self.end.alien > 0 {
            let what = Oddity::NotALog { bytes: self.end.alien, kept };
            self.problems.add(&self.end.path, 0, what);
        } else if self.end.torn > 0 {
            let what = Oddity::TornTail { bytes: self.end.torn, kept };
            self.problems.add(&self.end.path, self.end.torn_line, what);
        }
    }

    pub(super) fn finish(mut self, id: &str) -> Restored {
        // Each is told with a number, which nothing that is written from now on may have.
        let drafts = self.unsettled.drafts();
        self.unsettled.take_up(&mut self.records);
        let header = Header { id: id.to_owned(), ..self.header.unwrap_or_default() };
        // Old records have no numbers; whoever counts them must not be overtaken.
        let next_seq = (self.last_seq + drafts).max(self.records.len() as u64) + 1;
        Restored {
            header,
            records: self.records,
            never_begun: self.unsettled.never_begun(),
            problems: self.problems.finish(),
            next_seq,
            queue: self.queue,
            last_item: self.last_item,
            passed_over: self.passed_over,
        }
    }
}

/// The entry, and whether its bytes were UTF-8.
fn decode(text: &[u8]) -> Result<(Entry, bool), LineError> {
    match Entry::decode(text) {
        Err(LineError::NotUtf8 { .. }) => {
            Entry::decode(String::from_utf8_lossy(text).as_bytes()).map(|entry| (entry, false))
        }
        decoded => decoded.map(|entry| (entry, true)),
    }
}
