//! What doctor says of the places that carpel reads and writes: whether they are there, can be used, and are private.
//!
//! Looks at each without changing anything, and says what it saw; what is not there yet is made when it is needed. A
//! place is judged by what it is for: a session that cannot be kept is in the way, a diagnostic is not. Refuses to know
//! what is in them.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::report::Fact;

/// What a place is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A file that is read where it is there.
    Read,
    /// Something that is written and can be done without.
    Write,
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
    /// It is not there; whether it could be made.
    Absent {
        can_be_made: bool,
    },
    There {
        writable: bool,
        readable: bool,
        is_folder: bool,
        is_own: bool,
        mode: u32,
    },
    /// It cannot be looked at.
    Unseen(String),
}

/// Longest path of a socket, in bytes; Linux has 107, others fewer.
const LONGEST_SOCKET: usize = 103;
/// A slash and the name of a socket while it is being made.
const SOCKET_NAME: usize = "/00000000-00000000.sock".len();

/// Looks at a path. A link at its end counts as what it is where `follows` is false.
pub fn look(path: &Path, follows: bool) -> Found {
    let found = if follows { fs::metadata(path) } else { fs::symlink_metadata(path) };
    match found {
        Ok(found) => Found::There {
            writable: access(path, Access::WRITE_OK).is_ok(),
            readable: access(path, Access::READ_OK).is_ok(),
            is_folder: found.is_dir(),
            is_own: found.uid() == rustix::process::geteuid().as_raw(),
            mode: found.mode() & 0o7777,
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let above = path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok());
            let wanted = Access::WRITE_OK | Access::EXEC_OK;
            let can_be_made = above.is_some_and(|above| above.is_dir() && access(above, wanted).is_ok());
            Found::Absent { can_be_made }
        }
        Err(error) => Found::Unseen(error.to_string()),
    }
}

/// The line of a place.
pub fn fact(place: &Place, found: &Found) -> Fact {
    let Place { name, path, used } = place;
    let Some(path) = path else {
        let fact = match used {
            Use::Private => Fact::missing(name, "the environment names no place for it"),
            Use::Read | Use::Write => Fact::note(name, "the environment names no place for it"),
        };
        return fact.way("set HOME or CARPEL_HOME");
    };
    let shown = path.display().to_string();
    let bad = |text: String| match used {
        Use::Private => Fact::missing(name, text),
        Use::Read | Use::Write => Fact::note(name, text),
    };
    let elsewhere = "allow this user to write there, or set CARPEL_HOME to a folder of your own";
    match (found, used) {
        (Found::Absent { .. }, Use::Read) => Fact::ok(name, format!("{shown} (none there)")),
        (Found::Absent { can_be_made: true }, _) => {
            Fact::ok(name, format!("{shown} (made when it is needed)"))
        }
        (Found::Absent { can_be_made: false }, _) => {
            bad(format!("{shown} is not there and cannot be made")).way(elsewhere)
        }
        (Found::Unseen(why), _) => bad(format!("{shown} cannot be looked at: {why}")).way(elsewhere),
        (Found::There { readable: false, .. }, Use::Read) => {
            Fact::missing(name, format!("{shown} cannot be read")).way(format!("chmod u+r {shown}"))
        }
        (Found::There { .. }, Use::Read) => Fact::ok(name, shown),
        (Found::There { is_folder: false, .. }, Use::Private) => {
            bad(format!("{shown} is no folder")).way("move away what has that name")
        }
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
        Found::Absent { can_be_made: false } => {
            Fact::missing(name, format!("{shown} is not there and cannot be made"))
                .way("set XDG_RUNTIME_DIR to a folder that is there and yours")
        }
        _ => fact(&Place { name, path: Some(folder.to_owned()), used: Use::Private }, found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    fn there(mode: u32) -> Found {
        Found::There { writable: true, readable: true, is_folder: true, is_own: true, mode }
    }

    #[test]
    fn what_is_said_of_a_place() {
        let (yes, no) = (Found::Absent { can_be_made: true }, Found::Absent { can_be_made: false });
        let locked =
            Found::There { writable: false, readable: false, is_folder: true, is_own: true, mode: 0o500 };
        let file =
            Found::There { writable: true, readable: true, is_folder: false, is_own: true, mode: 0o644 };
        let foreign =
            Found::There { writable: true, readable: true, is_folder: true, is_own: false, mode: 0o700 };
        for (used, found, expected) in [
            (Use::Read, &yes, "+ x: /p (none there)"),
            (Use::Read, &no, "+ x: /p (none there)"),
            (Use::Read, &file, "+ x: /p"),
            (Use::Read, &locked, "x x: /p cannot be read"),
            (Use::Write, &yes, "+ x: /p (made when it is needed)"),
            (Use::Write, &no, "! x: /p is not there and cannot be made -> allow this user"),
            (Use::Write, &locked, "! x: /p cannot be written to -> "),
            (Use::Write, &file, "+ x: /p"),
            (Use::Private, &yes, "+ x: /p (made when it is needed)"),
            (Use::Private, &no, "x x: /p is not there"),
            (Use::Private, &file, "x x: /p is no folder"),
            (Use::Private, &foreign, "x x: /p belongs to another user"),
            (Use::Private, &there(0o755), "! x: /p has mode 755, so that others may look in -> chmod 700 /p"),
            (Use::Private, &there(0o700), "+ x: /p"),
        ] {
            let place = Place { name: "x", path: Some("/p".into()), used };
            let got = brief(&[fact(&place, found)]).remove(0);
            assert!(got.starts_with(expected), "{used:?} {found:?}: {got}");
        }
        let nowhere = |used| {
            brief(&[fact(&Place { name: "x", path: None, used }, &Found::Absent { can_be_made: true })])
        };
        assert!(nowhere(Use::Private)[0].starts_with("x x: the environment names no place"));
        assert!(nowhere(Use::Write)[0].starts_with("! x: the environment names no place"));
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
            ("/run/c", Found::Absent { can_be_made: true }, "+ sockets: /run/c (made when it is needed)"),
            (
                "/run/c",
                Found::Absent { can_be_made: false },
                "x sockets: /run/c is not there and cannot be made -> set XDG",
            ),
        ] {
            let got = brief(&[sockets(Path::new(folder), &found)]).remove(0);
            assert!(got.starts_with(expected), "{got}");
        }
        let long = format!("/{}", "a".repeat(100));
        assert!(brief(&[sockets(Path::new(&long), &there(0o700))])[0].contains("too long"));
    }

    #[test]
    fn looking_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(root, root.join("link")).unwrap();
        assert_eq!(look(&root.join("a/b/c"), true), Found::Absent { can_be_made: true });
        assert!(matches!(
            look(&root.join("file"), true),
            Found::There { is_folder: false, is_own: true, .. }
        ));
        assert!(matches!(look(&root.join("link"), true), Found::There { is_folder: true, .. }));
        assert!(matches!(look(&root.join("link"), false), Found::There { is_folder: false, .. }));
        assert!(matches!(look(&root.join("file/x"), true), Found::Unseen(_)));
        assert!(!root.join("a").exists());
    }
}
