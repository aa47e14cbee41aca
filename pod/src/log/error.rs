//! What can go wrong with a session log, each with the thing, the fact and the way out.
//!
//! The path and the system's own words are always told, and never a piece of advice to delete anything: a file that
//! cannot be read today may be read tomorrow. What a *reader* found odd in a log is no error; see `problem.rs`.

use std::io;
use std::path::{Path, PathBuf};

use super::lock::Holder;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    #[error("there is no place for sessions: none of CARPEL_HOME, XDG_STATE_HOME and HOME is set; set one")]
    NoPlace,
    #[error("{id:?} cannot name a session: 1 to 64 letters, digits, `-` and `_` are wanted")]
    Id { id: String },
    #[error("no session {id} in {}; `carpel sessions` lists those that are there", .folder.display())]
    Missing { id: String, folder: PathBuf },
    #[error("a session {id} is in {} already; choose another id, or open it", .folder.display())]
    Exists { id: String, folder: PathBuf },
    #[error(
        "session {id} is in use by {holder}; attach with `carpel attach {id}`, or end that process first"
    )]
    Held { id: String, holder: Holder },
    #[error(
        "{} has log format {found} and this carpel writes format {known}; it can be read here, but only a newer carpel can go on with it",
        .path.display()
    )]
    Newer { path: PathBuf, found: u64, known: u64 },
    #[error("cannot {action} {}: {source}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{reference:?} names no output of this session")]
    Reference { reference: String },
}

impl LogError {
    /// True when space on the disk, or the person's share of it, has run out: trying again later may help.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// What a person can do about it, as the end of a sentence: the advice fits the cause, never one for all.
    pub fn way_out(&self) -> &'static str {
        let Self::Io { source, .. } = self else { return "see to that and try again" };
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room and try again",
            io::ErrorKind::ReadOnlyFilesystem => {
                "the file system is read-only: set CARPEL_HOME to a folder on one that can be written to, and start carpel again"
            }
            io::ErrorKind::PermissionDenied => {
                "allow this user to read and write there, or set CARPEL_HOME to a folder of your own and start carpel again"
            }
            io::ErrorKind::NotFound => {
                "something removed or cannot hold it: put it back, or set CARPEL_HOME to another folder and start carpel again"
            }
            io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::IsADirectory => {
                "something else has that name: move it away, or set CARPEL_HOME to another folder and start carpel again"
            }
            _ => "see to that and try again",
        }
    }

    /// For `map_err`: names what was tried and on which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn the_advice_fits_the_cause() {
        for (errno, expected) in [
            (Errno::NOSPC, "make room"),
            (Errno::DQUOT, "make room"),
            (Errno::ROFS, "read-only"),
            (Errno::ACCESS, "allow this user"),
            (Errno::PERM, "allow this user"),
            (Errno::NOENT, "put it back"),
            (Errno::NOTDIR, "move it away"),
            (Errno::ISDIR, "move it away"),
            (Errno::IO, "see to that"),
        ] {
            let error = LogError::io("write to", Path::new("/x"))(errno.into());
            assert!(error.way_out().contains(expected), "{errno}: {}", error.way_out());
            assert_eq!(error.way_out().contains("room"), error.is_full(), "{errno}");
        }
    }
}
