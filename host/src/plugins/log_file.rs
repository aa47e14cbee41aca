//! Where the diagnostics of a plugin go: a file under the state folder, never the screen, and never without bound.
//!
//! It holds what came last: at its bound it begins anew, with the file before kept beside it. Without a folder that can be
//! written to the diagnostics are lost and the plugin runs the same. The last line is kept in memory, since it often says
//! why a plugin ended. Refuses to know what the lines say.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file of this size is put aside.
const MOST: u64 = 256 * 1024;

/// Of a last line so much is kept.
const LINE: usize = 400;

/// A log.
pub(super) struct LogFile {
    file: Option<File>,
    path: Option<PathBuf>,
    size: u64,
    /// The end of what was written, at least its last line.
    end: Vec<u8>,
}

impl LogFile {
    /// Goes on with the log at `path`, if there can be one.
    pub(super) fn open(path: Option<&Path>) -> LogFile {
        let mut log = LogFile { file: None, path: path.map(Path::to_owned), size: 0, end: Vec::new() };
        log.reopen();
        log
    }

    fn reopen(&mut self) {
        self.file = self.path.as_deref().and_then(|path| {
            DirBuilder::new().recursive(true).mode(0o700).create(path.parent()?).ok()?;
            OpenOptions::new().create(true).append(true).mode(0o600).open(path).ok()
        });
        self.size = self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |data| data.len());
    }

    /// Adds what a plugin wrote, as it is.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.end.extend_from_slice(bytes);
        let from = self.end.len().saturating_sub(2 * LINE);
        self.end.drain(..from);
        if self.size >= MOST {
            if let Some(path) = &self.path {
                // Where it cannot be put aside it is lost with what comes next.
                let _ = std::fs::rename(path, path.with_extension("log.old"));
            }
            self.reopen();
            if self.size >= MOST {
                return;
            }
        }
        if let Some(file) = &mut self.file
            && file.write_all(bytes).is_ok()
        {
            self.size += bytes.len() as u64;
        }
    }

    /// Behind the latest line that begins so, raw and bounded.
    pub(super) fn line_behind(&self, mark: &str) -> Option<String> {
        let text = String::from_utf8_lossy(&self.end);
        let line = text.lines().rev().find_map(|line| line.strip_prefix(mark))?;
        Some(line.trim().chars().take(LINE).collect())
    }

    /// The last line, raw and bounded.
    pub(super) fn last_line(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.end);
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().chars().take(LINE).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_bounded_and_knows_its_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/a.log");
        let mut log = LogFile::open(Some(&path));
        for at in 0..40_000 {
            log.write(format!("line {at} of many\n").as_bytes());
        }
        assert_eq!(log.last_line().unwrap(), "line 39999 of many");
        let sizes = ["a.log", "a.log.old"]
            .map(|name| folder.path().join("logs").join(name).metadata().unwrap().len());
        assert!(sizes.iter().all(|size| *size <= MOST + 64 * 1024), "{sizes:?}");
        assert_eq!(std::fs::read_dir(folder.path().join("logs")).unwrap().count(), 2);
    }

    #[test]
    fn without_a_place_nothing_is_written() {
        let mut log = LogFile::open(Some(Path::new("/proc/nowhere/a.log")));
        log.write(b"a\nlast\n\n");
        assert_eq!(log.last_line().unwrap(), "last");
    }
}
