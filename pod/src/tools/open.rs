//! Opens a file for reading without being caught: no FIFO that blocks, no device, no directory, no link.
//!
//! Owns the check of what a path is, made before the open (so that a device is not touched) and again on the open file
//! (so that a swap in between gains nothing). The path comes from `Workspace::resolve` or from a walk and holds no
//! links; a link put there since is not followed. Refuses to know what is done with the bytes; read `read.rs` and
//! `grep/search.rs` for that.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

#[derive(Debug)]
pub enum OpenError {
    Missing,
    Directory,
    /// Not a regular file: what it is.
    Special(&'static str),
    Io(io::Error),
}

/// A regular file and what is known of it.
pub fn open_regular(path: &Path) -> Result<(File, Metadata), OpenError> {
    check_kind(path.symlink_metadata()?.file_type())?;
    if ["/proc", "/sys"].iter().any(|kernel| path.starts_with(kernel)) {
        // These are regular files by kind, yet a read of one may block, have an effect, or never end.
        return Err(OpenError::Special("a file of the running kernel"));
    }
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    let metadata = file.metadata()?;
    check_kind(metadata.file_type())?;
    Ok((file, metadata))
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

impl OpenError {
    /// What is so about the file, to follow its name in a sentence.
    pub fn fact(&self) -> String {
        match self {
            Self::Missing => "does not exist".to_owned(),
            Self::Directory => "is a directory".to_owned(),
            Self::Special(what) => format!("is {what}, not a regular file"),
            Self::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                "cannot be read: permission denied".to_owned()
            }
            Self::Io(error) => format!("cannot be read: {error}"),
        }
    }
}

fn check_kind(kind: FileType) -> Result<(), OpenError> {
    if kind.is_file() {
        Ok(())
    } else if kind.is_dir() {
        Err(OpenError::Directory)
    } else {
        Err(OpenError::Special(special(kind)))
    }
}

fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe (FIFO)"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a link"
    }
}
