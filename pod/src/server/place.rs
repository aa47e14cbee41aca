//! Where a pod's socket lies, and that nobody else can reach it.
//!
//! Owns the path, the directory's owner and mode, the claim on the path and its removal. A socket that nobody serves any
//! more is replaced; one that is served is left alone. It refuses to know what is said over the socket.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

use super::ServeError;

const DIRECTORY_MODE: u32 = 0o700;
const SOCKET_MODE: u32 = 0o600;

/// The socket of a session, from the environment of this process.
///
/// # Errors
/// [`ServeError::SessionId`] when the id cannot be a file name.
pub fn socket_path(session: &str) -> Result<PathBuf, ServeError> {
    let (runtime, home) = (std::env::var_os("XDG_RUNTIME_DIR"), std::env::var_os("CARPEL_HOME"));
    path_in(runtime.as_deref(), home.as_deref(), rustix::process::geteuid().as_raw(), session)
}

/// A pod that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningPod {
    pub session: String,
    pub socket: PathBuf,
}

/// The pods of this user that answer now, by session. Sockets of pods that were killed are removed on the way; whatever
/// else lies in the directory is left alone.
pub fn running() -> Vec<RunningPod> {
    let any = socket_path("any").ok();
    any.as_deref().and_then(Path::parent).map(running_in).unwrap_or_default()
}

/// Removes the sockets that nobody listens at. Whoever comes up with one holds the same claim until it listens, so what
/// refuses a connection here was left by a pod that is gone. `_claim` is that of this directory.
fn sweep(directory: &Path, _claim: &File) {
    for path in sockets(directory) {
        let is_socket = fs::symlink_metadata(&path).is_ok_and(|found| found.file_type().is_socket());
        let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if is_socket && std::os::unix::net::UnixStream::connect(&path).is_err_and(refused) {
            match fs::remove_file(&path) {
                Ok(()) => {
                    tracing::info!(path = %path.display(), "the socket of a pod that is gone was removed")
                }
                Err(error) => tracing::debug!(path = %path.display(), %error, "a stale socket stays"),
            }
        }
    }
}

fn sockets(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let paths = fs::read_dir(directory).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "sock"))
}

fn running_in(directory: &Path) -> Vec<RunningPod> {
    if !is_ours(directory) {
        return Vec::new();
    }
    // A pod that is just coming up sweeps by itself, so that nobody waits for it here.
    if let Ok(claim) = open_claim(directory)
        && claim.try_lock().is_ok()
    {
        sweep(directory, &claim);
    }
    let mut found: Vec<RunningPod> = sockets(directory)
        .filter(|path| answers(path))
        .filter_map(|socket| {
            let session = socket.file_stem()?.to_str()?.to_owned();
            Some(RunningPod { session, socket })
        })
        .collect();
    found.sort_by(|one, other| one.session.cmp(&other.session));
    found
}

/// Where the pod of a session answers, if it does.
pub fn socket_of(session: &str) -> Option<PathBuf> {
    socket_path(session).ok().filter(|path| path.parent().is_some_and(is_ours) && answers(path))
}

/// A directory of somebody else's, or open to others, says nothing of our pods.
fn is_ours(directory: &Path) -> bool {
    let uid = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(directory).is_ok() && check_directory(directory, uid).is_ok()
}

fn answers(path: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(path).is_ok()
}

/// Who sets a home of carpel's own has other sessions there, which are not to be met by those who do not.
fn path_in(
    runtime: Option<&OsStr>,
    home: Option<&OsStr>,
    uid: u32,
    session: &str,
) -> Result<PathBuf, ServeError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if session.is_empty() || session.len() > 64 || !session.bytes().all(fits) {
        return Err(ServeError::SessionId { id: session.to_owned() });
    }
    let mut directory = match runtime.map(Path::new).filter(|path| path.is_absolute()) {
        Some(runtime) => runtime.join("carpel"),
        None => PathBuf::from(format!("/tmp/carpel-{uid}")),
    };
    if let Some(home) = home.filter(|home| !home.is_empty()) {
        let home = std::path::absolute(home).unwrap_or_else(|_| PathBuf::from(home));
        // The path of a socket is short, so that of the home cannot be a part of it.
        directory.as_mut_os_string().push(format!("-{:08x}", mark(home.as_os_str().as_bytes())));
    }
    Ok(directory.join(format!("{session}.sock")))
}

/// A mark of bytes (FNV-1a), the same in every version.
fn mark(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |mark, byte| (mark ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A listening socket and its file, which goes when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Device and inode: a successor's file under the same name is not ours to remove.
    identity: (u64, u64),
}

impl Place {
    /// Claims `path`, its directory made and checked, for the user `uid`.
    pub(super) fn claim(path: &Path, uid: u32) -> Result<Self, ServeError> {
        let directory = path.parent().unwrap_or(Path::new("/"));
        check_directory(directory, uid)?;
        let bind = |source| ServeError::Bind { path: path.to_owned(), source };
        // Held until the socket listens: of two pods that find a stale socket only one replaces it.
        let claim = claim_file(directory).map_err(bind)?;
        check_free(path)?;
        sweep(directory, &claim);
        // Made under another name and then moved: whoever sees the socket can connect, and sees its final mode.
        let unready = path.with_extension("new");
        match fs::remove_file(&unready) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(bind(error)),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(&unready).map_err(bind)?;
        fs::set_permissions(&unready, Permissions::from_mode(SOCKET_MODE)).map_err(bind)?;
        let found = fs::symlink_metadata(&unready).map_err(bind)?;
        fs::rename(&unready, path).map_err(bind)?;
        drop(claim);
        Ok(Self { listener, path: path.to_owned(), identity: (found.dev(), found.ino()) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let ours =
            fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.identity);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the socket could not be removed");
        }
    }
}

fn check_directory(directory: &Path, uid: u32) -> Result<(), ServeError> {
    let refuse = |fact: String| ServeError::Directory { path: directory.to_owned(), fact };
    match DirBuilder::new().mode(DIRECTORY_MODE).create(directory) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(refuse(format!("cannot be made: {error}"))),
    }
    // Not followed: in /tmp anybody could have put a link there.
    let found =
        fs::symlink_metadata(directory).map_err(|error| refuse(format!("cannot be looked at: {error}")))?;
    let mode = found.mode() & 0o7777;
    if !found.is_dir() {
        Err(refuse("is no directory; remove it".to_owned()))
    } else if found.uid() != uid {
        Err(refuse(format!(
            "belongs to user {}, not to {uid}; remove it or set XDG_RUNTIME_DIR",
            found.uid()
        )))
    } else if mode & 0o077 != 0 {
        Err(refuse(format!("has mode {mode:o}, so that others may enter; chmod 700 it")))
    } else {
        Ok(())
    }
}

fn claim_file(directory: &Path) -> io::Result<File> {
    let file = open_claim(directory)?;
    file.lock()?;
    Ok(file)
}

fn open_claim(directory: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(directory.join("claim.lock"))
}

/// Whether nothing is at `path`, or a socket that nobody serves.
fn check_free(path: &Path) -> Result<(), ServeError> {
    let bind = |source| ServeError::Bind { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(bind(error)),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(ServeError::NotASocket { path: path.to_owned() });
        }
        Ok(_) => {}
    }
    match std::os::unix::net::UnixStream::connect(path) {
        Ok(_) => Err(ServeError::InUse { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) => Err(bind(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn where_a_socket_lies() {
        let check_of = |runtime: Option<&str>, home: Option<&str>, session: &str, expected: Option<&str>| {
            let got = path_in(runtime.map(OsStr::new), home.map(OsStr::new), 1000, session).ok();
            assert_eq!(got.as_deref(), expected.map(Path::new), "{runtime:?} {home:?} {session}");
        };
        let check = |runtime, session: &str, expected| check_of(runtime, None, session, expected);
        check_of(Some("/run"), Some(""), "a", Some("/run/carpel/a.sock"));
        check_of(Some("/run"), Some("/home/ada/c"), "a", Some("/run/carpel-9792c204/a.sock"));
        check_of(None, Some("/home/ada/c"), "a", Some("/tmp/carpel-1000-9792c204/a.sock"));
        check(Some("/run/user/1000"), "a-1", Some("/run/user/1000/carpel/a-1.sock"));
        check(None, "a_1", Some("/tmp/carpel-1000/a_1.sock"));
        check(Some(""), "a", Some("/tmp/carpel-1000/a.sock"));
        check(Some("relative"), "a", Some("/tmp/carpel-1000/a.sock"));
        check(None, "", None);
        check(None, "../a", None);
        check(None, "a/b", None);
        check(None, "a.b", None);
        check(None, &"a".repeat(65), None);
    }

    #[tokio::test]
    async fn pods_that_answer_are_listed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("carpel");
        assert_eq!(running_in(&directory), []);
        let uid = rustix::process::geteuid().as_raw();
        let one = Place::claim(&directory.join("b.sock"), uid).unwrap();
        let two = Place::claim(&directory.join("a.sock"), uid).unwrap();
        let stale = || drop(std::os::unix::net::UnixListener::bind(directory.join("stale.sock")).unwrap());
        stale();
        fs::write(directory.join("file.sock"), "").unwrap();
        let found: Vec<String> = running_in(&directory).into_iter().map(|pod| pod.session).collect();
        assert_eq!(found, ["a", "b"]);
        drop(two);
        let socket = directory.join("b.sock");
        assert_eq!(running_in(&directory), [RunningPod { session: "b".to_owned(), socket }]);
        drop(one);
        // While somebody else claims, nothing is removed; a pod that claims any path removes what it finds.
        stale();
        let claim = claim_file(&directory).unwrap();
        assert_eq!(running_in(&directory), []);
        assert!(directory.join("stale.sock").exists());
        drop(claim);
        drop(Place::claim(&directory.join("c.sock"), uid).unwrap());
        assert!(!directory.join("stale.sock").exists());
        stale();
        running_in(&directory);
        assert!(!directory.join("stale.sock").exists(), "what is stale goes");
        assert!(directory.join("file.sock").exists(), "what is no socket stays");
        fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(running_in(&directory), []);
    }

    #[test]
    fn directories_that_are_taken_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        let uid = rustix::process::geteuid().as_raw();
        let check = |name: &str, uid: u32, expected: Option<&str>| {
            let got = check_directory(&folder.path().join(name), uid).err().map(|error| error.to_string());
            match (got, expected) {
                (None, None) => {}
                (Some(got), Some(expected)) => assert!(got.contains(expected), "{name}: {got}"),
                (got, expected) => panic!("{name}: {got:?}, expected {expected:?}"),
            }
        };
        check("new", uid, None);
        let mode = fs::metadata(folder.path().join("new")).unwrap().mode() & 0o777;
        assert_eq!(mode, DIRECTORY_MODE);
        check("new", uid, None);
        check("new", uid + 1, Some("belongs to user"));
        for (name, mode) in [("group", 0o750), ("world", 0o701)] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(mode)).unwrap();
            check(name, uid, Some("chmod 700"));
        }
        symlink("new", folder.path().join("link")).unwrap();
        check("link", uid, Some("is no directory"));
        fs::write(folder.path().join("file"), "").unwrap();
        check("file", uid, Some("is no directory"));
        check("missing/deeper", uid, Some("cannot be made"));
    }
}
