//! All sessions at a glance, from the heads and the tails of their logs.
//!
//! Owns what a picker shows. At most 320 KiB of a session are read, however long it is, and nothing is kept: there is no
//! index that could be wrong. A folder that cannot be read is listed with the reason, one that holds no log is passed over.
//! Titles are raw: whoever shows them makes them `Printable`.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use carpel_protocol::Item;
use rustix::fs::{Access, access};

use super::entry::Entry;
use super::error::LogError;
use super::header::Header;
use super::lines::trim;
use super::lines::{Line, Lines};
use super::lock::{self, Holder};
use super::place::{Segment, is_session_id, open_to_read, segments};

const HEAD: u64 = 64 << 10;
const TAIL: u64 = 256 << 10;
const MOST_TITLE: usize = 400;
/// Clocks of two machines that share a folder may differ; more than this, in milliseconds, is damage.
const A_DAY: i64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionInfo {
    pub id: String,
    /// The session's title, else the beginning of the first message; may be empty.
    pub title: String,
    pub cwd: String,
    /// Unix milliseconds.
    pub created_at: Option<i64>,
    /// When the last record was written, in Unix milliseconds.
    pub last_at: Option<i64>,
    /// The client that sent every prompt that was looked at, when it was one.
    pub asked_by: Option<String>,
    /// About how many records there are, headers left out.
    pub items: u64,
    pub state: SessionState,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SessionState {
    /// Nobody writes to it.
    #[default]
    Free,
    /// Somebody does.
    Held(Holder),
    /// It cannot be read; the sentence names the path and the cause.
    Unreadable(String),
}

/// The sessions in a folder, the one written to last first. A folder that is not there holds none.
///
/// # Errors
/// [`LogError::Io`] when the folder itself cannot be read.
pub fn list(sessions: &Path) -> Result<Vec<SessionInfo>, LogError> {
    let failed = || LogError::io("list", sessions);
    let entries = match fs::read_dir(sessions) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed())?,
    };
    // Names alone can be read without the right to look at what they stand for; that would look like an empty folder.
    access(sessions, Access::READ_OK | Access::EXEC_OK).map_err(|error| failed()(error.into()))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed())?;
        let name = entry.file_name();
        let id = name.to_str().filter(|name| is_session_id(name));
        if let Some(id) = id.filter(|_| entry.path().is_dir()) {
            found.extend(look_at(&entry.path(), id));
        }
    }
    found.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

fn look_at(folder: &Path, id: &str) -> Option<SessionInfo> {
    let info = segments(folder).and_then(|segments| Glance::of(&segments));
    match info {
        Ok(None) => None,
        Ok(Some(glance)) => {
            let state = lock::holder(folder).map_or(SessionState::Free, SessionState::Held);
            Some(glance.info(id, state))
        }
        Err(error) => {
            let last_at = fs::metadata(folder).ok().and_then(|folder| modified(&folder));
            let state = SessionState::Unreadable(error.to_string());
            Some(SessionInfo { id: id.to_owned(), last_at, state, ..SessionInfo::default() })
        }
    }
}

/// What the read parts of a log tell.
#[derive(Debug, Default)]
struct Glance {
    header: Header,
    first_message: Option<String>,
    /// The clients that prompts came from; no more than two are of interest.
    askers: Vec<Option<String>>,
    first_at: Option<i64>,
    last_at: Option<i64>,
    first_seq: Option<u64>,
    last_seq: Option<u64>,
    /// Records and headers that were seen.
    records: u64,
    headers: u64,
    read: u64,
    size: u64,
    /// When the file that is being read was last written to.
    written: Option<i64>,
    /// There are segments that were not looked at.
    between: bool,
}

impl Glance {
    fn of(segments: &[Segment]) -> Result<Option<Self>, LogError> {
        let [first, .., last] = segments else {
            return segments.first().map(|only| Self::of_files(&[only])).transpose();
        };
        let glance = Self::of_files(&[first, last])?;
        Ok(Some(Self { between: segments.len() > 2, ..glance }))
    }

    /// Reads the head of each file and the tail of the last.
    fn of_files(files: &[&Segment]) -> Result<Self, LogError> {
        let mut glance = Self::default();
        for (at, segment) in files.iter().enumerate() {
            let path = &segment.path;
            let mut file = open_to_read(path).map_err(LogError::io("open", path))?;
            let is_last = at + 1 == files.len();
            glance.file(&mut file, is_last).map_err(LogError::io("read", path))?;
        }
        Ok(glance)
    }

    fn file(&mut self, file: &mut File, is_last: bool) -> io::Result<()> {
        let found = file.metadata()?;
        let size = found.len();
        self.size += size;
        self.written = modified(&found);
        if size <= HEAD + TAIL {
            self.part(file, size, false)?;
        } else {
            self.part(file, HEAD, false)?;
            if is_last {
                file.seek(SeekFrom::Start(size - TAIL))?;
                self.last_at = None;
                self.part(file, TAIL, true)?;
            }
        }
        if is_last {
            self.last_at = self.last_at.or_else(|| modified(&found));
        }
        Ok(())
    }

    /// Takes the whole lines among the next `length` bytes; the first may be the end of one.
    fn part(&mut self, file: &mut File, length: u64, starts_within: bool) -> io::Result<()> {
        self.read += length;
        let mut lines = Lines::new(BufReader::new(file.take(length)), usize::MAX);
        let mut line = Line::default();
        let mut skip = starts_within;
        while lines.next(&mut line)? {
            if !std::mem::take(&mut skip)
                && let Ok(entry) = Entry::decode(trim(&line.bytes))
            {
                self.take(entry);
            }
        }
        Ok(())
    }

    /// Times come from what this version knows, and none from after the file was written: a record of any program may
    /// say anything.
    fn take(&mut self, entry: Entry) {
        self.first_seq = self.first_seq.or(entry.seq());
        self.last_seq = entry.seq().or(self.last_seq);
        match entry {
            Entry::Passing { .. } => self.records += 1,
            Entry::Draft(_) | Entry::Queue(_) | Entry::Begun(_) => {}
            Entry::Header { header, at, .. } => {
                self.headers += 1;
                self.note_time(at);
                let created_at = self.header.created_at.or(header.created_at);
                self.header = Header { created_at, ..*header };
            }
            Entry::Record(record) | Entry::Waiting(record) => {
                self.records += 1;
                if !matches!(record.item, Item::Unknown(_)) {
                    self.note_time(record.at);
                }
                if let Item::UserMessage(message) = &record.item {
                    self.first_message.get_or_insert_with(|| beginning(&message.text));
                    if self.askers.len() < 2 && !self.askers.contains(&message.origin) {
                        self.askers.push(message.origin.clone());
                    }
                }
            }
        }
    }

    fn note_time(&mut self, at: Option<i64>) {
        let at = at.filter(|at| *at >= 0 && self.written.is_none_or(|written| *at <= written + A_DAY));
        self.first_at = self.first_at.or(at);
        self.last_at = at.or(self.last_at);
    }

    /// Counted where all was read; else by the numbers, which go on over segments; else by the share that was read.
    fn items(&self) -> u64 {
        if self.read >= self.size && !self.between {
            return self.records;
        }
        match (self.first_seq, self.last_seq) {
            (Some(first), Some(last)) if last > first => last - first + 1 - self.headers.min(last - first),
            _ => {
                let estimate =
                    u128::from(self.records) * u128::from(self.size) / u128::from(self.read.max(1));
                u64::try_from(estimate).unwrap_or(u64::MAX)
            }
        }
    }

    fn info(self, id: &str, state: SessionState) -> SessionInfo {
        let items = self.items();
        let title = match self.header.title.trim() {
            "" => self.first_message.unwrap_or_default(),
            _ => self.header.title,
        };
        SessionInfo {
            id: id.to_owned(),
            title,
            cwd: self.header.cwd,
            asked_by: if let [Some(only)] = self.askers.as_slice() { Some(only.clone()) } else { None },
            created_at: self.header.created_at.or(self.first_at),
            last_at: self.last_at,
            items,
            state,
        }
    }
}

fn beginning(text: &str) -> String {
    let text = text.trim_start();
    text[..text.floor_char_boundary(MOST_TITLE)].to_owned()
}

fn modified(found: &fs::Metadata) -> Option<i64> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
