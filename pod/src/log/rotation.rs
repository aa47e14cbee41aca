//! The change to a new segment, in three parts: what it will say, the slow part on the disk, and the change itself.
//!
//! Owns the promise that a new segment is there whole or not at all, at whatever moment a pod is killed: it is written
//! under another name, and a rename is the change. Only that is done while the log is held. Where something was added to
//! the old segment meanwhile the change is not made, and the parts are done anew. It refuses to know what was summed up.

use std::fs;
use std::io;
use std::path::PathBuf;

use carpel_protocol::item::Compaction;
use carpel_protocol::{Item, Record};

use super::SessionLog;
use super::appender::{Appender, Syncing};
use super::entry::record_line;
use super::error::LogError;
use super::header::Header;
use super::place::{self, Segment};

/// A segment that is to be written.
pub struct Rotation {
    old: (Syncing, PathBuf),
    /// What the log was when this was made.
    seq: u64,
    length: u64,
    segment: Segment,
    lines: Vec<u8>,
    header: Header,
    header_end: u64,
    record: Record,
}

/// A segment that is on the disk under another name.
pub struct Written {
    rotation: Rotation,
    appender: Option<Appender>,
    temporary: PathBuf,
}

impl SessionLog {
    /// Begins to go on in a new segment whose first records point back. `from_segment` of the compaction is filled in here.
    ///
    /// # Errors
    /// [`LogError::Io`] when the file cannot be shared.
    pub fn rotation(&mut self, compaction: Compaction, at: i64) -> Result<Rotation, LogError> {
        let old = (self.appender.syncing()?, self.appender.path.clone());
        let from = self.header.segment;
        let segment = Segment::new(&self.folder, from + 1);
        let header = Header { segment: segment.number, from_segment: Some(from), ..self.header.clone() };
        let mut lines = header.line(self.next_seq, at);
        let header_end = lines.len() as u64;
        let item = Item::Compaction(Compaction { from_segment: from, ..compaction });
        let (record, line) = record_line(&item, self.next_seq + 1, at);
        lines.extend(line);
        let (seq, length) = (self.next_seq, self.appender.length());
        Ok(Rotation { old, seq, length, segment, lines, header, header_end, record })
    }

    /// Makes the change. `None` when the log has gone on meanwhile: then nothing was changed.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be made; the log goes on in the old segment then.
    pub fn rotated(&mut self, mut written: Written) -> Result<Option<Record>, LogError> {
        if (self.next_seq, self.appender.length()) != (written.rotation.seq, written.rotation.length) {
            return Ok(None);
        }
        let path = &written.rotation.segment.path;
        let Some(mut appender) = written.appender.take() else { return Ok(None) };
        if let Err(error) = fs::rename(&written.temporary, path) {
            written.appender = Some(appender);
            return Err(LogError::io("create", path)(error));
        }
        appender.path.clone_from(path);
        let Rotation { header, header_end, record, .. } = &written.rotation;
        self.appender = appender;
        self.next_seq += 2;
        self.header = header.clone();
        self.header_end = *header_end;
        self.header_moved = false;
        self.unsynced.push(self.folder.clone());
        Ok(Some(record.clone()))
    }

    /// All three parts in one. Blocks.
    ///
    /// # Errors
    /// As the parts.
    pub fn rotate(&mut self, compaction: Compaction, at: i64) -> Result<Record, LogError> {
        loop {
            let written = self.rotation(compaction.clone(), at)?.write()?;
            if let Some(record) = self.rotated(written)? {
                self.sync()?;
                return Ok(record);
            }
        }
    }
}

impl Rotation {
    /// Makes the old segment durable, and the new one under another name. Blocks.
    ///
    /// # Errors
    /// [`LogError::Io`] when it could not be written; nothing is left behind then.
    pub fn write(mut self) -> Result<Written, LogError> {
        let nothing: Syncing = Box::new(|| Ok(()));
        let syncing = std::mem::replace(&mut self.old.0, nothing);
        syncing().map_err(LogError::io("sync", &self.old.1))?;
        let path = &self.segment.path;
        if fs::symlink_metadata(path).is_ok() {
            let source = io::ErrorKind::AlreadyExists.into();
            return Err(LogError::Io { action: "create", path: path.clone(), source });
        }
        let temporary = path.with_extension("jsonl.new");
        // What an earlier crash left under this name was never part of the log.
        let _ = fs::remove_file(&temporary);
        let file = place::create_file(&temporary).map_err(LogError::io("create", &temporary))?;
        let appender = Appender::new(Box::new(file), &temporary, 0, false);
        let lines = std::mem::take(&mut self.lines);
        let mut written = Written { rotation: self, appender: Some(appender), temporary };
        if let Some(appender) = &mut written.appender {
            appender.append(lines)?;
            appender.sync()?;
        }
        Ok(written)
    }
}

impl Drop for Written {
    /// What did not become a segment is nothing.
    fn drop(&mut self) {
        if self.appender.is_some() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
