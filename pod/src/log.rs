//! The session log on disk: append-only JSON Lines, one writer, nothing lost that was reported.
//!
//! Owns [`SessionLog`], the writer: its lock, its segments, the number of the next record. A record that `append` returns
//! stands in the file; one that failed is neither there nor counted, so memory never runs ahead of the disk. Paths and
//! times are arguments. It refuses to know turns, clients and models, and never rewrites or removes what it cannot read.
//! Read next: `restore.rs` (reading back), `appender.rs` (writing), `list.rs` (all sessions), `pairing.rs`, `outputs.rs`.

mod appender;
mod aside;
mod entry;
pub mod error;
pub mod header;
mod lines;
pub mod list;
pub mod lock;
pub mod outputs;
pub mod pairing;
pub mod place;
pub mod problem;
pub mod queued;
pub mod restore;
mod rotation;
mod salvage;
#[cfg(test)]
pub(crate) mod tests;
mod unsettled;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use carpel_protocol::item::ToolCall;
use carpel_protocol::{Item, Record};

use appender::{Appender, Syncing};
use entry::{VERSION, begun_line, draft_line, record_line};
use error::LogError;
use header::Header;
use lock::Lock;
use outputs::Outputs;
use place::Segment;
use queued::{Queued, queue_line};
use restore::{End, Restored, Scan};
pub use rotation::{Rotation, Written};

/// A changed title is written again after so many bytes, so that a listing finds it in the tail that it reads.
const REPEAT_HEADER: u64 = 128 << 10;

/// The log of one session, open for writing.
pub struct SessionLog {
    folder: PathBuf,
    header: Header,
    appender: Appender,
    next_seq: u64,
    /// Where the last header of the segment ends, and whether the segment's first line says something else.
    header_end: u64,
    header_moved: bool,
    outputs: Outputs,
    /// Folders with names that are not durable yet.
    unsynced: Vec<PathBuf>,
    _lock: Lock,
}

/// What is to be made durable: apart from the log, so that nobody has to hold that for as long as a disk takes.
pub struct Unsynced {
    path: PathBuf,
    file: Syncing,
    folders: Vec<PathBuf>,
}

/// What has been made durable.
pub struct Synced {
    folders: Vec<PathBuf>,
}

impl Unsynced {
    /// Makes it durable. Blocks; the log is to be told by [`SessionLog::synced`].
    ///
    /// # Errors
    /// [`LogError::Io`] when the disk could not take it, or the file was removed.
    pub fn sync(self) -> Result<Synced, LogError> {
        (self.file)().map_err(LogError::io("sync", &self.path))?;
        self.folders.iter().for_each(|folder| place::sync_folder(folder));
        Ok(Synced { folders: self.folders })
    }
}

impl SessionLog {
    /// Begins the session `header.id` in the folder of all sessions, which is made when it is not there. It is durable
    /// after [`Self::sync`]. `at` is Unix milliseconds.
    ///
    /// # Errors
    /// [`LogError`] when the session is there already or cannot be written; nothing is left behind then.
    pub fn create(sessions: &Path, header: Header, at: i64) -> Result<Self, LogError> {
        let folder = place::session_folder(sessions, &header.id)?;
        place::make_folders(sessions).map_err(LogError::io("create", sessions))?;
        match place::make_folder(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(LogError::Exists { id: header.id, folder: sessions.to_owned() });
            }
            made => made.map_err(LogError::io("create", &folder))?,
        }
        let mut created = Self::begin(&folder, header, at);
        match &mut created {
            Ok(log) => log.unsynced.push(sessions.to_owned()),
            // The folder is ours and holds nothing that anybody wrote.
            Err(_) => {
                let _ = fs::remove_dir_all(&folder);
            }
        }
        created
    }

    fn begin(folder: &Path, header: Header, at: i64) -> Result<Self, LogError> {
        let lock = Lock::acquire(folder, &header.id, at)?;
        let created_at = header.created_at.or(Some(at));
        let header = Header { segment: 1, from_segment: None, created_at, ..header };
        let segment = Segment::new(folder, 1);
        let file = place::create_file(&segment.path).map_err(LogError::io("create", &segment.path))?;
        let mut appender = Appender::new(Box::new(file), &segment.path, 0, false);
        appender.append(header.line(1, at))?;
        Ok(Self {
            folder: folder.to_owned(),
            header,
            header_end: appender.length(),
            header_moved: false,
            appender,
            next_seq: 2,
            outputs: Outputs::of(folder),
            unsynced: vec![folder.to_owned()],
            _lock: lock,
        })
    }

    /// Opens a session to go on with it. A torn tail is set aside first, in a file that its problem names.
    ///
    /// # Errors
    /// [`LogError::Held`] when somebody else writes to it, [`LogError::Newer`] when it is of a newer format (it can
    /// still be [restored](restore::restore)), others when it is not there or cannot be read or written.
    pub fn open(sessions: &Path, id: &str, at: i64) -> Result<(Self, Restored), LogError> {
        let folder = place::session_folder(sessions, id)?;
        // Before the lock, whose file would be left in a folder that is no session's.
        restore::find_segments(sessions, &folder, id)?;
        let lock = Lock::acquire(&folder, id, at)?;
        let mut scan = Scan::default();
        scan.read(sessions, &folder, id)?;
        let end = scan.end.clone();
        if end.version > VERSION {
            return Err(LogError::Newer { path: end.path, found: end.version, known: VERSION });
        }
        let kept = cut_torn_tail(&end)?;
        scan.report_torn_tail(kept);
        let restored = scan.finish(id);
        let file = place::open_to_append(&end.path).map_err(LogError::io("open", &end.path))?;
        let log = Self {
            header: Header { segment: end.segment, ..restored.header.clone() },
            appender: Appender::new(Box::new(file), &end.path, end.length, end.open_line),
            next_seq: restored.next_seq,
            header_end: end.header_end,
            header_moved: end.header_moved,
            outputs: Outputs::of(&folder),
            folder,
            unsynced: Vec::new(),
            _lock: lock,
        };
        Ok((log, restored))
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number that the next record gets.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Adds what is settled. It is durable after [`Self::sync`].
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written: then it is not in the log, its number is still free, and the
    /// same call may be made again.
    pub fn append(&mut self, item: &Item, at: i64) -> Result<Record, LogError> {
        let (record, mut lines) = record_line(item, self.next_seq, at);
        let distance = (self.appender.length() + lines.len() as u64).saturating_sub(self.header_end);
        let repeat = self.header_moved && distance > REPEAT_HEADER;
        if repeat {
            lines.extend(self.header.line(self.next_seq + 1, at));
        }
        self.appender.append(lines)?;
        self.next_seq += 1;
        if repeat {
            self.next_seq += 1;
            self.header_end = self.appender.length();
        }
        Ok(record)
    }

    /// Notes a call that is being written, or with `None` that those noted are given up. It has no number and is only
    /// looked at when the pod goes away before the call is recorded.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written.
    pub fn draft(&mut self, call: Option<&ToolCall>, at: i64) -> Result<(), LogError> {
        self.appender.append(draft_line(call, at))
    }

    /// Notes that a recorded call may run from now on. It has no number; of a call without it one knows that it never began.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written.
    pub fn begun(&mut self, id: &str, at: i64) -> Result<(), LogError> {
        self.appender.append(begun_line(id, at))
    }

    /// Notes which prompts wait. It has no number; the last one is looked at when the session goes on.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written; what was noted before counts then.
    pub fn queue(&mut self, items: &[Queued], at: i64) -> Result<(), LogError> {
        self.appender.append(queue_line(items, at))
    }

    /// Gives the session another title, which takes a record's number.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written; the old title stays.
    pub fn rename(&mut self, title: &str, at: i64) -> Result<(), LogError> {
        self.describe(Header { title: title.to_owned(), ..self.header.clone() }, at)
    }

    /// Tells anew what the session is, as a log without a header needs. What it is called and where the segment
    /// stands in the chain stays as it is.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written; the old header stays.
    pub fn describe(&mut self, header: Header, at: i64) -> Result<(), LogError> {
        let Header { id, segment, from_segment, .. } = self.header.clone();
        let header = Header { id, segment, from_segment, ..header };
        self.appender.append(header.line(self.next_seq, at))?;
        self.next_seq += 1;
        self.header = header;
        self.header_end = self.appender.length();
        self.header_moved = true;
        Ok(())
    }

    /// Makes everything that was added durable.
    ///
    /// # Errors
    /// [`LogError::Io`] when the disk could not take it, or the file was removed.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.appender.sync()?;
        self.unsynced.drain(..).for_each(|folder| place::sync_folder(&folder));
        Ok(())
    }

    /// What [`Self::sync`] would make durable, for another thread.
    ///
    /// # Errors
    /// [`LogError::Io`] when the file cannot be shared.
    pub fn unsynced(&self) -> Result<Unsynced, LogError> {
        let file = self.appender.syncing()?;
        Ok(Unsynced { path: self.appender.path.clone(), file, folders: self.unsynced.clone() })
    }

    /// Hears what another thread has made durable. What it was given and could not make so is given out again.
    pub fn synced(&mut self, synced: &Synced) {
        self.unsynced.retain(|folder| !synced.folders.contains(folder));
    }

    /// Asks the disk again after a failure; it can be written to when this returns `Ok`.
    ///
    /// # Errors
    /// [`LogError::Io`] when nothing can be written still.
    pub fn retry(&mut self) -> Result<(), LogError> {
        self.appender.probe()
    }
}

fn cut_torn_tail(end: &End) -> Result<Option<PathBuf>, LogError> {
    if end.torn == 0 {
        return Ok(None);
    }
    let kept = aside::set_aside(&end.path, end.length)?;
    let file = place::open_to_append(&end.path).map_err(LogError::io("open", &end.path))?;
    file.set_len(end.length).and_then(|()| file.sync_all()).map_err(LogError::io("cut", &end.path))?;
    Ok(Some(kept))
}
