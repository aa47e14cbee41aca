//! A folder held by its handle, reached one component at a time and never through a link.
//!
//! Owns the opening of a folder beneath another and of a regular file in it. The path was resolved before and holds no
//! links; a component that has become one since is an error, so that nothing outside is reached by a swap in between.
//! (`openat2` with RESOLVE_BENEATH would say the same in one call; this works on every system and names no `..`.)
//! Refuses to know what is written. Read next: `place.rs`.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, mkdirat, open, openat, statat};
use rustix::io::Errno;

use crate::tools::open::OpenError;

pub struct Folder {
    handle: OwnedFd,
}

/// Whether folders that are missing are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Fails,
    IsMade,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASS: OFlags = OFlags::RDONLY;

impl Folder {
    /// `below` is relative and consists of plain names.
    pub fn open(base: &Path, below: &Path, missing: Missing) -> io::Result<Self> {
        let flags = PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut handle = open(base, flags, Mode::empty())?;
        for component in below.components() {
            let Component::Normal(name) = component else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            handle = match openat(&handle, name, flags, Mode::empty()) {
                Err(Errno::NOENT) if missing == Missing::IsMade => {
                    match mkdirat(&handle, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => openat(&handle, name, flags, Mode::empty())?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
        }
        Ok(Self { handle })
    }

    pub fn handle(&self) -> &OwnedFd {
        &self.handle
    }

    pub fn stat(&self, name: &OsStr) -> Result<Stat, OpenError> {
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
        check_kind(&stat)?;
        Ok(stat)
    }

    /// A regular file of this folder: looked at before the open, so that no device is touched, and again after it.
    pub fn open_file(&self, name: &OsStr) -> Result<(File, Stat), OpenError> {
        self.stat(name)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.handle, name, flags, Mode::empty()).map_err(io::Error::from)?;
        let stat = fstat(&file).map_err(io::Error::from)?;
        check_kind(&stat)?;
        Ok((file.into(), stat))
    }

    /// Makes a rename in this folder last. A file system that cannot is no reason to fail: the rename has happened.
    pub fn sync(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if let Ok(folder) = openat(&self.handle, ".", flags, Mode::empty()) {
            let _ = rustix::fs::fsync(folder);
        }
    }
}

fn check_kind(stat: &Stat) -> Result<(), OpenError> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(OpenError::Directory),
        FileType::Fifo => Err(OpenError::Special("a pipe (FIFO)")),
        FileType::Socket => Err(OpenError::Special("a socket")),
        FileType::CharacterDevice | FileType::BlockDevice => Err(OpenError::Special("a device")),
        FileType::Symlink => Err(OpenError::Special("a link")),
        FileType::Unknown => Err(OpenError::Special("of an unknown kind")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_component_that_became_a_link_is_not_followed() {
        let outer = tempfile::tempdir().unwrap();
        let (base, outside) = (outer.path().join("work"), outer.path().join("outside"));
        fs::create_dir_all(base.join("a/b")).unwrap();
        fs::create_dir(&outside).unwrap();
        let check = |below: &str, missing: Missing, opens: bool| {
            assert_eq!(Folder::open(&base, Path::new(below), missing).is_ok(), opens, "{below}");
        };
        check("a/b", Missing::Fails, true);
        check("a/c", Missing::Fails, false);
        check("a/c/d", Missing::IsMade, true);
        check("a/../..", Missing::Fails, false);
        symlink(&outside, base.join("out")).unwrap();
        check("out", Missing::Fails, false);
        check("out/new", Missing::IsMade, false);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        let link = Folder::open(&base, Path::new(""), Missing::Fails).unwrap().open_file(OsStr::new("out"));
        assert!(matches!(link, Err(OpenError::Special("a link"))));
        fs::rename(&base, outer.path().join("moved")).unwrap();
        symlink(&outside, &base).unwrap();
        check("", Missing::Fails, false);
    }
}
