//! Whole lines at the end of a file, or nothing.
//!
//! Owns the promise that after a failed write the file is as it was before: the beginning of a line that did get there is
//! cut off, at once if the disk lets it, else before the next write. It refuses to know what a line says.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::LogError;

/// What is asked of a file; tests have one that fails.
pub(super) trait Storage: Send {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    fn sync(&mut self) -> io::Result<()>;
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// `sync`, to be done by somebody else.
    fn syncing(&self) -> io::Result<Syncing>;
}

/// Makes durable what was written until it was asked for, and perhaps more.
pub(super) type Syncing = Box<dyn FnOnce() -> io::Result<()> + Send>;

impl Storage for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()?;
        // A file without a name takes every write and keeps none.
        match self.metadata()?.nlink() {
            0 => Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed while it was in use")),
            _ => Ok(()),
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn syncing(&self) -> io::Result<Syncing> {
        let mut file = self.try_clone()?;
        Ok(Box::new(move || Storage::sync(&mut file)))
    }
}

pub(super) struct Appender {
    pub(super) storage: Box<dyn Storage>,
    pub(super) path: PathBuf,
    /// Bytes that are whole lines.
    length: u64,
    /// Bytes of a line whose writing failed may stand behind them.
    partial: bool,
    /// The last line has no LF yet.
    open_line: bool,
}

impl Appender {
    /// `length` is that of the file, `open_line` whether its last line lacks LF.
    pub(super) fn new(storage: Box<dyn Storage>, path: &Path, length: u64, open_line: bool) -> Self {
        Self { storage, path: path.to_owned(), length, partial: false, open_line }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Adds whole lines.
    pub(super) fn append(&mut self, mut lines: Vec<u8>) -> Result<(), LogError> {
        if self.open_line {
            lines.insert(0, b'\n');
        }
        let written = self.write(&lines);
        if written.is_ok() {
            self.length += lines.len() as u64;
            self.open_line = false;
        }
        self.note("write to", written)
    }

    /// Makes all lines durable.
    pub(super) fn sync(&mut self) -> Result<(), LogError> {
        let synced = self.storage.sync();
        self.note("sync", synced)
    }

    /// As `sync`, for another thread.
    pub(super) fn syncing(&self) -> Result<Syncing, LogError> {
        self.storage.syncing().map_err(LogError::io("sync", &self.path))
    }

    /// Finds out whether there is space again: blanks are written and taken back. A crash between leaves a blank line.
    pub(super) fn probe(&mut self) -> Result<(), LogError> {
        let mut blanks = vec![b' '; 1 << 16];
        blanks.push(b'\n');
        let probed = self.write(&blanks).and_then(|()| {
            self.partial = true;
            self.storage.sync()?;
            self.cut_partial()
        });
        self.note("write to", probed)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.cut_partial()?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.storage.write(rest) {
                Ok(0) => return self.fail(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    // Until the whole line stands there its beginning must not stay.
                    self.partial = true;
                    rest = &rest[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.fail(error),
            }
        }
        self.partial = false;
        Ok(())
    }

    fn fail(&mut self, error: io::Error) -> io::Result<()> {
        if let Err(error) = self.cut_partial() {
            tracing::warn!(path = %self.path.display(), %error, "the beginning of a record could not be cut off yet");
        }
        Err(error)
    }

    fn cut_partial(&mut self) -> io::Result<()> {
        if self.partial {
            self.storage.cut(self.length)?;
            self.partial = false;
        }
        Ok(())
    }

    fn note(&self, action: &'static str, done: io::Result<()>) -> Result<(), LogError> {
        done.map_err(LogError::io(action, &self.path))
    }
}
