//! Puts bytes in the place of a file, whole or not at all.
//!
//! Owns the order of work: the present content must be the expected one; the new content goes to a file that has no
//! name yet (where the system cannot do that, a hidden one), gets mode and owner of the old, is synced, and takes the
//! name in one step. A process that is killed leaves the old file or the new one. A file that nobody expected is
//! never replaced. Refuses to know where the bytes come from. Read next: `folder.rs`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, FlockOperation, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, flock, linkat, openat, renameat,
    unlinkat,
};
use rustix::io::Errno;

use super::folder::Folder;
use crate::tools::open::OpenError;
use crate::tools::read_record::{Digest, MOST_BYTES, digest};

#[derive(Debug)]
pub enum PutError {
    /// The file is not the expected one: changed, gone, or there where none was.
    Changed,
    Open(OpenError),
    ReadOnly,
    Io(io::Error),
}

impl From<Errno> for PutError {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// How a file that is not finished is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    NamelessIfPossible,
    /// What `NamelessIfPossible` falls back to; asked for by tests.
    #[cfg_attr(not(test), allow(dead_code))]
    Hidden,
}

/// What a file holds, and what it is; `None` when it is larger than anything this edits.
pub fn content(folder: &Folder, name: &OsStr) -> Result<Option<(Vec<u8>, Stat)>, OpenError> {
    let (file, stat) = folder.open_file(name)?;
    let mut bytes = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or(0).min(MOST_BYTES as usize));
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MOST_BYTES).then_some((bytes, stat)))
}

/// Refuses what its owner has marked as not to be written, even where this process would be able to.
pub fn check_writable(folder: &Folder, name: &OsStr, stat: &Stat) -> Result<(), PutError> {
    let access = rustix::fs::accessat(folder.handle(), name, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS);
    if stat.st_mode & 0o222 == 0 || matches!(access, Err(Errno::ACCESS | Errno::ROFS | Errno::PERM)) {
        return Err(PutError::ReadOnly);
    }
    Ok(())
}

/// Writes `bytes` as the file `name`, whose content must have the digest `before`, or which must not exist.
pub fn put(
    folder: &Folder,
    name: &OsStr,
    before: Option<&Digest>,
    bytes: &[u8],
    unfinished: Unfinished,
) -> Result<(), PutError> {
    let old = match (content(folder, name), before) {
        (Err(OpenError::Missing), None) => None,
        (Ok(Some((found, stat))), Some(before)) if digest(&found) == *before => Some(stat),
        (Ok(_), _) | (Err(OpenError::Missing | OpenError::Special("a link")), _) => {
            return Err(PutError::Changed);
        }
        (Err(error), _) => return Err(PutError::Open(error)),
    };
    if let Some(stat) = &old {
        check_writable(folder, name, stat)?;
    }
    let mut temporary = Temporary::create(folder, name, old.is_some(), unfinished)?;
    temporary.file.write_all(bytes).map_err(PutError::Io)?;
    if let Some(stat) = &old {
        take_after(&temporary.file, stat)?;
    }
    temporary.file.sync_all().map_err(PutError::Io)?;
    match &old {
        None => temporary.become_new(name)?,
        Some(stat) if folder.stat(name).is_ok_and(|now| is_same(&now, stat)) => {
            temporary.replace(name)?;
        }
        Some(_) => return Err(PutError::Changed),
    }
    folder.sync();
    Ok(())
}

/// Nothing has been written to the file, and it is no other, since it was looked at.
fn is_same(now: &Stat, then: &Stat) -> bool {
    let key = |stat: &Stat| (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
    key(now) == key(then)
}

fn take_after(file: &File, stat: &Stat) -> Result<(), PutError> {
    // The owner may be another one than this process can give files to; then the mode must not lend our rights.
    let given = fchown(file, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid)));
    let kept = if given.is_ok() { 0o7777 } else { 0o1777 };
    fchmod(file, Mode::from_raw_mode(stat.st_mode & kept))?;
    Ok(())
}

struct Temporary<'a> {
    folder: &'a Folder,
    file: File,
    hidden: OsString,
    /// Whether the hidden name is in use; then it goes when this does.
    named: bool,
}

impl<'a> Temporary<'a> {
    fn create(
        folder: &'a Folder,
        name: &OsStr,
        replaces: bool,
        unfinished: Unfinished,
    ) -> Result<Self, PutError> {
        // What replaces a private file is private until it has that file's mode.
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        let hidden = hidden_name(name);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if unfinished == Unfinished::NamelessIfPossible {
            let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
            match openat(folder.handle(), ".", flags, mode) {
                Ok(file) => return Ok(Self::locked(folder, file, hidden, false)),
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let _ = unfinished;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = || openat(folder.handle(), &hidden, flags, mode);
        let file = match made() {
            Err(Errno::EXIST) => {
                remove_left_over(folder, &hidden)?;
                made()?
            }
            made => made?,
        };
        Ok(Self::locked(folder, file, hidden, true))
    }

    fn locked(folder: &'a Folder, file: OwnedFd, hidden: OsString, named: bool) -> Self {
        // Tells a file that is being written from one that a killed process left. Where locks do not exist the two
        // cannot be told apart, and the last writer wins.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        Self { folder, file: file.into(), hidden, named }
    }

    /// Takes the name of a file that does not exist; one that has come into being is left alone.
    fn become_new(mut self, name: &OsStr) -> Result<(), PutError> {
        let linked = if self.named {
            linkat(self.folder.handle(), &self.hidden, self.folder.handle(), name, AtFlags::empty())
        } else {
            self.link_nameless(name)
        };
        match linked {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(PutError::Changed),
            // A file system without links, or a system without /proc.
            Err(_) => {
                if self.folder.stat(name).is_ok() {
                    return Err(PutError::Changed);
                }
                self.replace_now(name)
            }
        }
    }

    fn replace(mut self, name: &OsStr) -> Result<(), PutError> {
        self.replace_now(name)
    }

    fn replace_now(&mut self, name: &OsStr) -> Result<(), PutError> {
        if !self.named {
            let hidden = self.hidden.clone();
            match self.link_nameless(&hidden) {
                Err(Errno::EXIST) => {
                    remove_left_over(self.folder, &hidden)?;
                    self.link_nameless(&hidden)?;
                }
                linked => linked?,
            }
            self.named = true;
        }
        renameat(self.folder.handle(), &self.hidden, self.folder.handle(), name)?;
        self.named = false;
        Ok(())
    }

    fn link_nameless(&self, name: &OsStr) -> Result<(), Errno> {
        use std::os::fd::AsRawFd;
        let open = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        linkat(rustix::fs::CWD, open, self.folder.handle(), name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.named {
            remove(self.folder, &self.hidden);
        }
    }
}

/// The hidden name belongs to one target only: it is there because a process was killed, or because one is just now
/// writing the same target.
fn remove_left_over(folder: &Folder, hidden: &OsStr) -> Result<(), PutError> {
    let (file, _) = match folder.open_file(hidden) {
        Err(OpenError::Missing) => return Ok(()),
        opened => opened.map_err(PutError::Open)?,
    };
    if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        return Err(PutError::Io(io::ErrorKind::ResourceBusy.into()));
    }
    remove(folder, hidden);
    Ok(())
}

fn remove(folder: &Folder, name: &OsStr) {
    // When it cannot be removed there is nothing else to do about it; a later write meets it again.
    let _ = unlinkat(folder.handle(), name, AtFlags::empty());
}

/// The same for the same target, so that a later write finds and removes what a killed one left; short, because the
/// target's own name may have the greatest length.
fn hidden_name(name: &OsStr) -> OsString {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!(".carpel-{:016x}.tmp", hasher.finish()).into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::super::folder::Missing;
    use super::*;

    fn each(check: impl Fn(&Path, &dyn Fn(&str, Option<&[u8]>, &[u8]) -> Result<(), PutError>)) {
        for unfinished in [Unfinished::NamelessIfPossible, Unfinished::Hidden] {
            let temporary = tempfile::tempdir().unwrap();
            let path = temporary.path().canonicalize().unwrap();
            let folder = Folder::open(&path, Path::new(""), Missing::Fails).unwrap();
            check(&path, &|name, before, bytes| {
                put(&folder, OsStr::new(name), before.map(digest).as_ref(), bytes, unfinished)
            });
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_expected_content_is_replaced_and_nothing_else() {
        each(|folder, put| {
            put("a", None, b"one").unwrap();
            assert!(matches!(put("a", None, b"two"), Err(PutError::Changed)));
            assert!(matches!(put("a", Some(b"other"), b"two"), Err(PutError::Changed)));
            assert!(matches!(put("b", Some(b"other"), b"two"), Err(PutError::Changed)));
            assert_eq!(fs::read(folder.join("a")).unwrap(), b"one");
            fs::set_permissions(folder.join("a"), fs::Permissions::from_mode(0o751)).unwrap();
            put("a", Some(b"one"), b"two").unwrap();
            assert_eq!(fs::read(folder.join("a")).unwrap(), b"two");
            assert_eq!(fs::metadata(folder.join("a")).unwrap().permissions().mode() & 0o7777, 0o751);
            assert_eq!(names(folder), ["a"]);
        });
    }

    #[test]
    fn what_a_killed_write_left_is_taken_away() {
        each(|folder, put| {
            fs::write(folder.join("a"), "one").unwrap();
            fs::write(folder.join(hidden_name(OsStr::new("a"))), "half").unwrap();
            put("a", Some(b"one"), b"two").unwrap();
            assert_eq!(names(folder), ["a"]);
            assert_eq!(fs::read(folder.join("a")).unwrap(), b"two");
        });
    }

    #[test]
    fn what_another_process_is_writing_is_left_to_it() {
        each(|folder, put| {
            fs::write(folder.join("a"), "one").unwrap();
            let hidden = folder.join(hidden_name(OsStr::new("a")));
            let other = File::create(&hidden).unwrap();
            other.lock().unwrap();
            assert!(matches!(put("a", Some(b"one"), b"two"), Err(PutError::Io(_))));
            assert_eq!(fs::read(folder.join("a")).unwrap(), b"one");
            assert!(hidden.exists());
            // A child that another test is just starting may still have the file open, and the lock with it.
            other.unlock().unwrap();
            drop(other);
            put("a", Some(b"one"), b"two").unwrap();
            assert_eq!(names(folder), ["a"]);
        });
    }

    #[test]
    fn a_file_that_is_marked_read_only_stays() {
        each(|folder, put| {
            fs::write(folder.join("a"), "one").unwrap();
            fs::set_permissions(folder.join("a"), fs::Permissions::from_mode(0o444)).unwrap();
            assert!(matches!(put("a", Some(b"one"), b"two"), Err(PutError::ReadOnly)));
            assert_eq!(fs::read(folder.join("a")).unwrap(), b"one");
        });
    }
}
