//! The lock that keeps a second writer out, with the name of the first.
//!
//! Owns the file `lock` in a session's folder: the kernel's lock on it decides (it goes with the process, however that
//! ends), its text only says who holds it. The file stays when the lock goes: removing it would let two processes hold
//! two files of the same name. It refuses to know what is being written.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::error::LogError;
use super::place::open_to_read;

const NAME: &str = "lock";

/// Who writes to a session. What its lock file does not say is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    #[serde(default)]
    pub pid: Option<u32>,
    #[serde(default)]
    pub host: Option<String>,
    /// Since when, in Unix milliseconds.
    #[serde(default)]
    pub since: Option<i64>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => write!(f, "another process")?,
        }
        if let Some(host) = &self.host {
            write!(f, " on {host:?}")?;
        }
        let since = self.since.and_then(|since| u64::try_from(since).ok());
        match since.and_then(|since| UNIX_EPOCH.checked_add(Duration::from_millis(since))) {
            Some(since) => write!(f, " since {}", humantime::format_rfc3339_seconds(since)),
            None => Ok(()),
        }
    }
}

#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of the session `id` in `folder` at the time `at`.
    pub(super) fn acquire(folder: &Path, id: &str, at: i64) -> Result<Self, LogError> {
        let path = folder.join(NAME);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = open.map_err(LogError::io("open", &path))?;
        if !try_exclusive(&file).map_err(LogError::io("lock", &path))? {
            return Err(LogError::Held { id: id.to_owned(), holder: read_holder(&mut file) });
        }
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let holder = Holder { pid: Some(std::process::id()), host: Some(host), since: Some(at) };
        // The lock holds without its text, and a full disk must not keep a person from reading the session.
        if let Err(error) = write_holder(&mut file, &holder) {
            tracing::warn!(path = %path.display(), %error, "the holder of the lock could not be noted");
        }
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A stale name would be told for a lock that somebody else is just taking.
        if let Err(error) = self.file.set_len(0) {
            tracing::debug!(%error, "the holder of the lock could not be taken out");
        }
    }
}

/// Who holds the session in `folder`, if anybody does.
pub(super) fn holder(folder: &Path) -> Option<Holder> {
    let mut file = open_to_read(&folder.join(NAME)).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => None,
        Err(error) if error == rustix::io::Errno::WOULDBLOCK => Some(read_holder(&mut file)),
        Err(_) => None,
    }
}

/// A listing holds the lock for an instant to see whether it is free, so one refusal is not yet an answer.
fn try_exclusive(file: &File) -> io::Result<bool> {
    for pause in [1, 5, 20, 50] {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(error) if error == rustix::io::Errno::WOULDBLOCK => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn read_holder(file: &mut File) -> Holder {
    let mut text = Vec::new();
    let read = file.rewind().and_then(|()| file.take(4096).read_to_end(&mut text));
    read.ok().and_then(|_| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn write_holder(file: &mut File, holder: &Holder) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&carpel_protocol::frame::encode(holder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_are_told_in_words() {
        let host = Some("box\u{1b}[2J".to_owned());
        for (holder, expected) in [
            (Holder::default(), "another process"),
            (Holder { pid: Some(7), ..Holder::default() }, "process 7"),
            (
                Holder { pid: Some(7), host, since: Some(1_748_772_000_000) },
                r#"process 7 on "box\u{1b}[2J" since 2025-06-01T10:00:00Z"#,
            ),
            (Holder { since: Some(-1), ..Holder::default() }, "another process"),
        ] {
            assert_eq!(holder.to_string(), expected);
        }
    }
}
