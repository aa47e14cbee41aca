//! Where sessions lie: the folder of all, the folder of one, its segments.
//!
//! Owns names, modes (folders 0700, files 0600) and the opening of files, which refuses what is not a regular file: a
//! pipe under the name of a segment must not block a listing. A session's folder holds `0001.jsonl` and further
//! segments, `outputs/`, `lock`, and `NAME.torn-N` beside a segment whose tail was cut. It refuses to know what is
//! inside the files.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags, access};

use super::error::LogError;
use crate::home::{Kind, own_folder};

/// The folder of all sessions; `var` reads the environment.
///
/// # Errors
/// [`LogError::NoPlace`] when the environment names no folder.
pub fn sessions_folder(var: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, LogError> {
    Ok(own_folder(Kind::State, var).ok_or(LogError::NoPlace)?.join("sessions"))
}

/// Whether sessions can be kept in this folder, or in one that is made there, as far as that shows without writing. A
/// full disk shows only when something is written.
///
/// # Errors
/// [`LogError::Io`] that names the folder that stands in the way.
pub fn check_sessions(sessions: &Path) -> Result<(), LogError> {
    for folder in sessions.ancestors() {
        let failed = || LogError::io("keep sessions in", folder);
        match fs::metadata(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed()(error)),
            Ok(found) if !found.is_dir() => return Err(failed()(io::ErrorKind::NotADirectory.into())),
            Ok(_) => {
                let wanted = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
                return access(folder, wanted).map_err(|error| failed()(error.into()));
            }
        }
    }
    Ok(())
}

/// Whether `id` can be the name of a session's folder and of its socket.
pub fn is_session_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&id.len()) && id.bytes().all(fits)
}

pub(super) fn session_folder(sessions: &Path, id: &str) -> Result<PathBuf, LogError> {
    if is_session_id(id) { Ok(sessions.join(id)) } else { Err(LogError::Id { id: id.to_owned() }) }
}

/// One file of a session's log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) number: u64,
    pub(super) path: PathBuf,
}

impl Segment {
    pub(super) fn new(folder: &Path, number: u64) -> Self {
        Self { number, path: folder.join(format!("{number:04}.jsonl")) }
    }
}

/// The segments of a session by number. Whatever else lies in the folder is left alone.
pub(super) fn segments(folder: &Path) -> Result<Vec<Segment>, LogError> {
    let failed = || LogError::io("list", folder);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed())? {
        let path = entry.map_err(failed())?.path();
        let number = path.file_name().and_then(|name| name.to_str()).and_then(number_of);
        found.extend(number.map(|number| Segment { number, path }));
    }
    found.sort();
    Ok(found)
}

fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".jsonl")?;
    let plain = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| plain && *number > 0)
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// A file that was not there before, open for appending.
pub(super) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path)
}

pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().append(true), path)
}

fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// Makes names in a folder durable. Some file systems refuse it for folders; then nothing more can be done.
pub(super) fn sync_folder(path: &Path) {
    if let Err(error) = File::open(path).and_then(|folder| folder.sync_all()) {
        tracing::debug!(path = %path.display(), %error, "the folder could not be synced");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_follows_the_environment() {
        for (environment, expected) in [
            (&[("CARPEL_HOME", "/c"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")][..], Some("/c/sessions")),
            (&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")], Some("/x/carpel/sessions")),
            (&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")], Some("/h/.local/state/carpel/sessions")),
            (&[("CARPEL_HOME", ""), ("HOME", "/h")], Some("/h/.local/state/carpel/sessions")),
            (&[], None),
        ] {
            let var = |name: &str| {
                environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            };
            let got = sessions_folder(var).ok();
            assert_eq!(got, expected.map(PathBuf::from), "{environment:?}");
        }
    }

    #[test]
    fn where_sessions_can_be_kept() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        for (below, expected) in [
            ("", None),
            ("not/there/yet", None),
            ("file", Some("file: not a directory; something else")),
            ("file/sessions", Some("file/sessions: ")),
        ] {
            let told = check_sessions(&dir.path().join(below)).err();
            let told = told.map(|error| format!("{error}; {}", error.way_out()));
            match (told, expected) {
                (None, None) => {}
                (Some(told), Some(part)) => {
                    assert!(told.starts_with("cannot keep sessions in ") && told.contains(part), "{told}");
                }
                (told, expected) => panic!("{below}: {told:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn names_of_segments_and_sessions() {
        for (name, expected) in [
            ("0001.jsonl", Some(1)),
            ("12345.jsonl", Some(12345)),
            ("1.jsonl", None),
            ("0000.jsonl", None),
            ("0001.jsonl.torn-1", None),
            ("0002.jsonl.new", None),
            ("+001.jsonl", None),
        ] {
            assert_eq!(number_of(name), expected, "{name}");
        }
        for (id, expected) in
            [("20260101-ab_C", true), ("", false), ("..", false), ("a/b", false), ("a b", false)]
        {
            assert_eq!(is_session_id(id), expected, "{id}");
        }
    }
}
