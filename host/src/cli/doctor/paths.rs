//! What doctor says of the places that carpel reads and writes: whether they are there, can be used, and are private.
//!
//! Looks at each without changing anything, and says what it saw; what is not there yet is made when it is needed. A
//! place is judged by what it is for: a session that cannot be kept is in the way, a diagnostic is not. Refuses to know
//! what is in them.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::report::Fact;

/// What a place is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A file that is read where it is there.
    Read,
    /// A file that is written and can be done without.
    File,
    /// The same, where another file is put in its place.
    Replaced,
    /// A folder that is written to and can be done without.
    Folder,
    /// A folder that nothing works without, and that is nobody else's.
    Private,
}

/// A place.
pub struct Place {
    pub name: &'static str,
    /// Absent where the environment names none.
    pub path: Option<PathBuf>,
    pub used: Use,
}

/// How a path was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is not there; why it could not be made, where something is in the way.
    Absent { in_the_way: Option<String> },
    There {
        writable: bool,
        /// Whether the folder that it lies in is.
        replaceable: bool,
        readable: bool,
        is_folder: bool,
        is_own: bool,
        mode: u32,
    },
    /// It cannot be looked at.
    Unseen(String),
}

/// How a path is gone to when it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Links are followed, and folders above it are made.
    Made,
    /// A link at its end counts as what it is, and the folder that it lies in must be there.
    Exact,
}

/// Longest path of a socket, in bytes; Linux has 107, others fewer.
const LONGEST_SOCKET: usize = 103;
/// A slash and the name of a socket while it is being made.
const SOCKET_NAME: usize = "/00000000-00000000.sock".len();

/// Looks at a path.
pub fn look(path: &Path, way: Way) -> Found {
    let found = match way {
        Way::Made => fs::metadata(path),
        Way::Exact => fs::symlink_metadata(path),
    };
    let may = |path: &Path, wanted| access(path, wanted).is_ok();
    match found {
        Ok(found) => Found::There {
            writable: may(path, Access::WRITE_OK),
            replaceable: path.parent().is_some_and(|above| may(above, Access::WRITE_OK | Access::EXEC_OK)),
            readable: may(path, Access::READ_OK),
            is_folder: found.is_dir(),
            is_own: found.uid() == rustix::process::geteuid().as_raw(),
            mode: found.mode() & 0o7777,
        },
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Found::Absent { in_the_way: in_the_way(path, way) }
        }
        Err(error) => Found::Unseen(error.to_string()),
    }
}

/// What keeps a path that is not there from being made: the nearest thing above it that is there decides.
fn in_the_way(path: &Path, way: Way) -> Option<String> {
    if path.symlink_metadata().is_ok() {
        return Some(format!("{} is a link to nothing", path.display()));
    }
    let Some(above) = path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok()) else {
        return Some("nothing above it is there".to_owned());
    };
    let shown = above.display();
    let is_next = path.parent() == Some(above);
    if !above.is_dir() {
        Some(format!("{shown} is no folder"))
    } else if way == Way::Exact && !is_next {
        path.parent().map(|parent| format!("{} is not there", parent.display()))
    } else if is_read_only(above) {
        Some(format!("the file system of {shown} is read-only"))
    } else if is_of_kernel(above) {
        Some(format!("{shown} belongs to the kernel, which takes no files there"))
    } else if access(above, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        Some(format!("{shown} may not be written to"))
    } else {
        None
    }
}

fn is_read_only(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// The kernel says that its own folders can be written to, and then refuses.
#[cfg(target_os = "linux")]
fn is_of_kernel(folder: &Path) -> bool {
    const PROC: u32 = 0x9fa0;
    const SYS: u32 = 0x6265_6572;
    let kind = rustix::fs::statfs(folder).ok().and_then(|found| u32::try_from(found.f_type).ok());
    kind.is_some_and(|kind| kind == PROC || kind == SYS)
}

#[cfg(not(target_os = "linux"))]
fn is_of_kernel(_folder: &Path) -> bool {
    false
}

const ELSEWHERE: &str = "allow this user to write there, or set CARPEL_HOME to a folder of your own";

/// The line of a place.
pub fn fact(place: &Place, found: &Found) -> Fact {
    told(place, found, ELSEWHERE)
}

/// The same, with the way to another place.
fn told(place: &Place, found: &Found, elsewhere: &str) -> Fact {
    let Place { name, path, used } = place;
    let bad = |text: String| match used {
        Use::Private => Fact::missing(name, text),
        Use::Read | Use::File | Use::Replaced | Use::Folder => Fact::note(name, text),
    };
    let Some(path) = path else {
        return bad("the environment names no place for it".to_owned()).way("set HOME or CARPEL_HOME");
    };
    let shown = path.display().to_string();
    let wants_folder = matches!(used, Use::Folder | Use::Private);
    match (found, used) {
        (Found::Absent { .. }, Use::Read) => Fact::ok(name, format!("{shown} (none there)")),
        (Found::Absent { in_the_way: None }, _) => {
            Fact::ok(name, format!("{shown} (made when it is needed)"))
        }
        (Found::Absent { in_the_way: Some(why) }, _) => {
            bad(format!("{shown} is not there and cannot be made: {why}")).way(elsewhere)
        }
        // A start reads it, and goes no further.
        (Found::Unseen(why), Use::Read) => Fact::missing(name, format!("{shown} cannot be looked at: {why}"))
            .way("allow this user to read it"),
        (Found::Unseen(why), _) => bad(format!("{shown} cannot be looked at: {why}")).way(elsewhere),
        (Found::There { is_folder: true, .. }, Use::Read) => {
            Fact::missing(name, format!("{shown} is a folder")).way("move away what has that name")
        }
        (Found::There { readable: false, .. }, Use::Read) => {
            Fact::missing(name, format!("{shown} cannot be read")).way(format!("chmod u+r {shown}"))
        }
        (Found::There { .. }, Use::Read) => Fact::ok(name, shown),
        (Found::There { is_folder, .. }, _) if *is_folder != wants_folder => {
            let what = if *is_folder { "a folder" } else { "no folder" };
            bad(format!("{shown} is {what}")).way("move away what has that name")
        }
        (Found::There { replaceable: false, .. }, Use::Replaced) => {
            bad(format!("{shown} cannot be replaced: its folder may not be written to")).way(elsewhere)
        }
        (Found::There { .. }, Use::Replaced) => Fact::ok(name, shown),
        (Found::There { writable: false, .. }, _) => {
            bad(format!("{shown} cannot be written to")).way(elsewhere)
        }
        (Found::There { is_own: false, .. }, Use::Private) => bad(format!("{shown} belongs to another user"))
            .way("remove it, or set XDG_RUNTIME_DIR or CARPEL_HOME"),
        (Found::There { mode, is_folder: true, .. }, _) if mode & 0o077 != 0 => {
            Fact::note(name, format!("{shown} has mode {mode:o}, so that others may look in"))
                .way(format!("chmod 700 {shown}"))
        }
        (Found::There { .. }, _) => Fact::ok(name, shown),
    }
}

/// The line of the folder of sockets, which a pod refuses unless it is this user's alone.
pub fn sockets(folder: &Path, found: &Found) -> Fact {
    let name = "sockets";
    let shown = folder.display().to_string();
    if folder.as_os_str().len() + SOCKET_NAME > LONGEST_SOCKET {
        return Fact::missing(name, format!("{shown} is too long for the name of a socket"))
            .way("set XDG_RUNTIME_DIR to a shorter path");
    }
    match found {
        Found::There { mode, is_folder: true, is_own: true, .. } if mode & 0o077 != 0 => Fact::missing(
            name,
            format!("{shown} has mode {mode:o}, so that others may enter; no session starts"),
        )
        .way(format!("chmod 700 {shown}")),
        _ => told(
            &Place { name, path: Some(folder.to_owned()), used: Use::Private },
            found,
            "set XDG_RUNTIME_DIR to a folder that is there and yours",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    fn there(mode: u32) -> Found {
        Found::There {
            writable: true,
            replaceable: true,
            readable: true,
            is_folder: true,
            is_own: true,
            mode,
        }
    }

    fn file(writable: bool, replaceable: bool, readable: bool) -> Found {
        Found::There { writable, replaceable, readable, is_folder: false, is_own: true, mode: 0o644 }
    }

    #[test]
    fn what_is_said_of_a_place() {
        let yes = Found::Absent { in_the_way: None };
        let no = Found::Absent { in_the_way: Some("/ is no folder".to_owned()) };
        let locked = Found::There {
            writable: false,
            replaceable: false,
            readable: false,
            is_folder: true,
            is_own: true,
            mode: 0o500,
        };
        let foreign = Found::There {
            writable: true,
            replaceable: true,
            readable: true,
            is_folder: true,
            is_own: false,
            mode: 0o700,
        };
        for (used, found, expected) in [
            (Use::Read, &yes, "+ x: /p (none there)"),
            (Use::Read, &no, "+ x: /p (none there)"),
            (Use::Read, &file(true, true, true), "+ x: /p"),
            (Use::Read, &file(true, true, false), "x x: /p cannot be read -> chmod"),
            (Use::Read, &there(0o700), "x x: /p is a folder -> move away"),
            (Use::Read, &Found::Unseen("no".to_owned()), "x x: /p cannot be looked at: no -> allow"),
            (Use::File, &yes, "+ x: /p (made when it is needed)"),
            (Use::File, &no, "! x: /p is not there and cannot be made: / is no folder -> allow this user"),
            (Use::File, &file(false, true, true), "! x: /p cannot be written to -> "),
            (Use::File, &file(true, true, true), "+ x: /p"),
            (Use::File, &there(0o700), "! x: /p is a folder -> move away"),
            (Use::Replaced, &file(false, true, true), "+ x: /p"),
            (Use::Replaced, &file(true, false, true), "! x: /p cannot be replaced: its folder"),
            (Use::Replaced, &there(0o700), "! x: /p is a folder -> move away"),
            (Use::Folder, &file(true, true, true), "! x: /p is no folder -> move away"),
            (Use::Folder, &locked, "! x: /p cannot be written to -> "),
            (Use::Folder, &there(0o700), "+ x: /p"),
            (Use::Private, &yes, "+ x: /p (made when it is needed)"),
            (Use::Private, &no, "x x: /p is not there"),
            (Use::Private, &file(true, true, true), "x x: /p is no folder"),
            (Use::Private, &foreign, "x x: /p belongs to another user"),
            (Use::Private, &there(0o755), "! x: /p has mode 755, so that others may look in -> chmod 700 /p"),
            (Use::Private, &there(0o700), "+ x: /p"),
        ] {
            let place = Place { name: "x", path: Some("/p".into()), used };
            let got = brief(&[fact(&place, found)]).remove(0);
            assert!(got.starts_with(expected), "{used:?} {found:?}: {got}");
        }
        let nowhere = |used| brief(&[fact(&Place { name: "x", path: None, used }, &yes)]);
        assert!(nowhere(Use::Private)[0].starts_with("x x: the environment names no place"));
        assert!(nowhere(Use::File)[0].starts_with("! x: the environment names no place"));
    }

    #[test]
    fn sockets_are_private() {
        for (folder, found, expected) in [
            ("/run/c", there(0o700), "+ sockets: /run/c"),
            (
                "/run/c",
                there(0o755),
                "x sockets: /run/c has mode 755, so that others may enter; no session starts -> chmod 700 /run/c",
            ),
            ("/run/c", Found::Absent { in_the_way: None }, "+ sockets: /run/c (made when it is needed)"),
            (
                "/run/c",
                Found::Absent { in_the_way: Some("no".to_owned()) },
                "x sockets: /run/c is not there and cannot be made: no -> set XDG",
            ),
            (
                "/run/c",
                Found::Unseen("no".to_owned()),
                "x sockets: /run/c cannot be looked at: no -> set XDG",
            ),
        ] {
            let got = brief(&[sockets(Path::new(folder), &found)]).remove(0);
            assert!(got.starts_with(expected), "{got}");
        }
        let long = format!("/{}", "a".repeat(100));
        assert!(brief(&[sockets(Path::new(&long), &there(0o700))])[0].contains("too long"));
    }

    #[test]
    fn what_is_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("nothing", root.join("link")).unwrap();
        let at = |name: &str| format!("{}/{name}", root.display());
        for (name, way, expected) in [
            ("a", Way::Made, None),
            ("a/b/c", Way::Made, None),
            ("file/x", Way::Made, Some(format!("{} is no folder", at("file")))),
            ("file/x/y", Way::Made, Some(format!("{} is no folder", at("file")))),
            ("link", Way::Made, Some(format!("{} is a link to nothing", at("link")))),
            ("link/x", Way::Made, Some(format!("{} is no folder", at("link")))),
            ("a", Way::Exact, None),
            ("a/b", Way::Exact, Some(format!("{} is not there", at("a")))),
            ("file/x", Way::Exact, Some(format!("{} is no folder", at("file")))),
        ] {
            assert_eq!(look(&root.join(name), way), Found::Absent { in_the_way: expected }, "{name} {way:?}");
        }
        if cfg!(target_os = "linux") {
            // A superuser is told that this can be written to.
            for kernel in ["/proc/x", "/sys/x/y"] {
                let found = look(Path::new(kernel), Way::Made);
                assert!(matches!(found, Found::Absent { in_the_way: Some(_) }), "{kernel}: {found:?}");
            }
        }
    }

    #[test]
    fn looking_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(root, root.join("link")).unwrap();
        assert_eq!(look(&root.join("a/b/c"), Way::Made), Found::Absent { in_the_way: None });
        assert!(matches!(
            look(&root.join("file"), Way::Made),
            Found::There { is_folder: false, is_own: true, .. }
        ));
        assert!(matches!(look(&root.join("link"), Way::Made), Found::There { is_folder: true, .. }));
        assert!(matches!(look(&root.join("link"), Way::Exact), Found::There { is_folder: false, .. }));
        assert!(!root.join("a").exists());
    }
}
