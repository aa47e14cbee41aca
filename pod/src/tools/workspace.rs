//! The folder an agent works in, and the one rule about paths: what resolves outside it is refused.
//!
//! Owns the physical root. `resolve` follows every link itself, component by component, so that a link (dangling or
//! not) or `..` that leads out is seen before anything is opened, and compares whole components, so that `work-evil` is
//! not inside `work`. Names are bytes: nothing is trimmed, no `%20` is expanded; only the escapes of
//! `path_text.rs` are undone, and only when that file exists, and `~/` in front is the home folder, where nothing here
//! has that name. Outside means refused, save for paths that
//! `allowing` was given; who approves these it refuses to know. Read next: `open.rs`, `intent.rs`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use super::{Screen, ToolFailure, path_text, quoted};

/// As many as the kernel follows before it says ELOOP.
const MAX_LINKS: usize = 40;

#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    /// Physical paths beyond the root that may be used as well, with all beneath them: a person has approved each.
    beyond: Vec<PathBuf>,
    /// What a search in it must not show.
    screen: Screen,
    /// The person's home folder, which `~/` means.
    home: Option<PathBuf>,
}

/// Where a path leads, inside or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Physical: absolute, without links.
    pub path: PathBuf,
    /// As it was named, made absolute, `.` and `..` taken away as written.
    pub named: PathBuf,
    pub outside: bool,
}

impl Workspace {
    /// Opens an existing folder. The root is kept in its physical form, without links.
    pub fn open(root: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        if fs::metadata(&root)?.is_dir() {
            Ok(Self { root, beyond: Vec::new(), screen: Screen::default(), home: None })
        } else {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "not a directory"))
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// This workspace, in which `paths` outside count as inside.
    pub fn allowing(&self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut wider = self.clone();
        wider.beyond.extend(paths);
        wider
    }

    /// This workspace, of which searches leave out what `screen` hides.
    pub fn screened(&self, screen: Screen) -> Self {
        Self { screen, ..self.clone() }
    }

    /// This workspace, in which `~/` means this folder.
    #[must_use]
    pub fn at_home(self, home: Option<PathBuf>) -> Self {
        Self { home, ..self }
    }

    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Whether the folder is gone, as a sentence about it.
    ///
    /// # Errors
    /// A failure that names the folder and the way out.
    pub fn check_there(&self) -> Result<(), ToolFailure> {
        if self.root.is_dir() {
            return Ok(());
        }
        Err(ToolFailure::new(format!(
            "the workspace {} is not there any more; put it back, or start carpel in another folder",
            path_text::encode(&self.root)
        )))
    }

    /// The physical path that `path` names, inside the workspace and free of links. The last components need not
    /// exist: a caller that opens the path learns that then.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, ToolFailure> {
        let Located { path: physical, outside, .. } = self.locate(path)?;
        let allowed = !outside || self.beyond.iter().any(|beyond| physical.starts_with(beyond));
        if allowed { Ok(physical) } else { Err(self.outside(path, &physical)) }
    }

    /// As `resolve`, for paths that may lie outside, of which a person will be asked.
    pub fn locate(&self, path: &str) -> Result<Located, ToolFailure> {
        let mut wanted = spelled(&self.root, path);
        if let Some(below) = below_home(path)
            && wanted.symlink_metadata().is_err()
        {
            wanted = self.in_home(path, below)?;
        }
        let physical = follow_links(&wanted).map_err(|error| self.refusal(path, &error))?;
        let outside = !physical.starts_with(&self.root);
        Ok(Located { path: physical, named: lexical(&wanted), outside })
    }

    /// Models write `~/x` as they would in a shell; a folder called `~` is never what they mean.
    fn in_home(&self, path: &str, below: &str) -> Result<PathBuf, ToolFailure> {
        let home = self.home.as_ref().ok_or_else(|| {
            ToolFailure::new(format!(
                "{} is in the home folder, and which that is is not known here; name the whole path, or `./~/...` for a \
                 folder of that name",
                quoted(path)
            ))
        })?;
        Ok(spelled(home, below))
    }

    /// The text of a physical path for results, relative to the root; `.` is the root.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(relative) if relative.as_os_str().is_empty() => ".".to_owned(),
            Ok(relative) => path_text::encode(relative),
            Err(_) => path_text::encode(path),
        }
    }

    fn outside(&self, path: &str, physical: &Path) -> ToolFailure {
        let leads = if lexical(&self.root.join(path)) == physical {
            String::new()
        } else {
            format!(" (it leads to {})", path_text::encode(physical))
        };
        ToolFailure::new(format!(
            "{} is outside the workspace{leads}; name a path inside {}",
            quoted(path),
            path_text::encode(&self.root)
        ))
    }

    fn refusal(&self, path: &str, error: &io::Error) -> ToolFailure {
        let fact = match error.kind() {
            _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                "is a link that leads to itself; name the real file"
            }
            io::ErrorKind::NotADirectory => "goes through a file as if it were a directory; check the path",
            io::ErrorKind::PermissionDenied => {
                "cannot be reached: permission denied on a directory of the path"
            }
            io::ErrorKind::InvalidInput => "contains a NUL byte; no file can have that name",
            io::ErrorKind::InvalidFilename => "has a name that is too long for any file; check the path",
            _ => {
                return ToolFailure::new(format!(
                    "{} cannot be resolved: {error}; check the path",
                    quoted(path)
                ));
            }
        };
        ToolFailure::new(format!("{} {fact}", quoted(path)))
    }
}

/// What a path names below a folder. What a listing showed wins; a name that spells an escape is listed with its backslash
/// escaped.
fn spelled(folder: &Path, path: &str) -> PathBuf {
    let (literal, decoded) = (folder.join(path), folder.join(path_text::decode(path)));
    if decoded != literal && decoded.symlink_metadata().is_ok() { decoded } else { literal }
}

/// What stands behind a `~` that means the home folder.
fn below_home(path: &str) -> Option<&str> {
    let rest = path.strip_prefix('~')?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/').map(|rest| rest.trim_start_matches('/')) }
}

/// The path with `.` and `..` taken away as written, without looking at the disk.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => clean.push(component),
        }
    }
    clean
}

enum Step {
    Up,
    Into(OsString),
}

/// Like `canonicalize`, for paths whose end need not exist. `path` is absolute.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut physical = PathBuf::from("/");
    let mut ahead: VecDeque<Step> = steps(path).collect();
    let mut links = 0;
    while let Some(step) = ahead.pop_front() {
        let name = match step {
            Step::Up => {
                // `physical` holds no links, so its parent as written is its parent on the disk.
                physical.pop();
                continue;
            }
            Step::Into(name) => name,
        };
        let next = physical.join(name);
        match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = fs::read_link(&next)?;
                if target.is_absolute() {
                    physical = PathBuf::from("/");
                }
                for step in steps(&target).rev() {
                    ahead.push_front(step);
                }
            }
            Ok(_) => physical = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => physical = next,
            Err(error) => return Err(error),
        }
    }
    Ok(physical)
}

fn steps(path: &Path) -> impl DoubleEndedIterator<Item = Step> {
    path.components().filter_map(|component| match component {
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Into(name.to_owned())),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// `Ok(relative path)` or `Err(message)` of resolving `path` in a small tree.
    fn check(path: &str, expected: Result<&str, &str>) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("work");
        fs::create_dir_all(root.join("sub/[id]")).unwrap();
        fs::create_dir_all(outer.path().join("work-evil")).unwrap();
        fs::write(root.join("sub/file.txt"), "x").unwrap();
        fs::write(root.join("a\u{7f}b"), "x").unwrap();
        fs::write(root.join("%20 x "), "x").unwrap();
        symlink("sub", root.join("inside")).unwrap();
        symlink("../work-evil", root.join("out")).unwrap();
        symlink("../work-evil/not-yet", root.join("dangling_out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        symlink(".", root.join("self")).unwrap();

        let workspace = Workspace::open(&root).unwrap();
        let got = workspace.resolve(path).map(|physical| workspace.display(&physical));
        match (got, expected) {
            (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{path}"),
            (Err(got), Err(expected)) => {
                assert!(got.summary.contains(expected), "{path}: {} lacks {expected:?}", got.summary);
            }
            (got, expected) => panic!("{path}: got {got:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn paths_and_where_they_lead() {
        check(".", Ok("."));
        check("", Ok("."));
        check("sub/file.txt", Ok("sub/file.txt"));
        check("./sub/../sub/file.txt", Ok("sub/file.txt"));
        check("inside/file.txt", Ok("sub/file.txt"));
        check("self/self/inside/../inside", Ok("sub"));
        check("sub/[id]", Ok("sub/[id]"));
        check("%20 x ", Ok("%20 x "));
        check("not/yet/there.txt", Ok("not/yet/there.txt"));
        check("dangling", Ok("nowhere"));
        check("a\\x7fb", Ok("a\\x7fb"));
        check("..", Err("outside the workspace"));
        check("../work-evil/x.txt", Err("outside the workspace"));
        check("/etc/passwd", Err("outside the workspace"));
        check("out/x", Err("outside the workspace"));
        check("dangling_out", Err("not-yet"));
        check("inside/../../work-evil", Err("outside the workspace"));
        check("a", Err("leads to itself"));
        check("sub/file.txt/x", Err("as if it were a directory"));
        check("nul\0byte", Err("NUL"));
        check(&"x".repeat(300), Err("too long"));
    }

    /// `~/` is the home folder, judged as any other place; a name that is there as it is written wins.
    #[test]
    fn a_path_that_begins_at_home() {
        let outer = tempfile::tempdir().unwrap();
        let outer = outer.path().canonicalize().unwrap();
        let (root, home) = (outer.join("work"), outer.join("home"));
        fs::create_dir_all(root.join("~/here")).unwrap();
        fs::create_dir_all(root.join("~you")).unwrap();
        fs::create_dir_all(home.join("notes")).unwrap();
        let workspace = Workspace::open(&root).unwrap().at_home(Some(home.clone()));
        for (path, expected) in [
            ("~/a.txt", home.join("a.txt")),
            ("~//notes/../a", home.join("a")),
            ("~/here", root.join("~/here")),
            ("~/here/new", home.join("here/new")),
            ("./~/a.txt", root.join("~/a.txt")),
            ("~you/x", root.join("~you/x")),
            ("~backup", root.join("~backup")),
            ("a/~/b", root.join("a/~/b")),
        ] {
            let found = workspace.locate(path).unwrap();
            assert_eq!(found.path, expected, "{path}");
            assert_eq!(found.outside, !expected.starts_with(&root), "{path}");
        }
        fs::remove_dir_all(root.join("~")).unwrap();
        assert_eq!(workspace.locate("~").unwrap().path, home);
        assert!(workspace.resolve("~/a").unwrap_err().summary.contains("outside the workspace"));
        let within = Workspace::open(&home.join("notes")).unwrap().at_home(Some(home.clone()));
        assert_eq!(within.resolve("~/notes/a"), Ok(home.join("notes/a")));
        let homeless = Workspace::open(&root).unwrap().locate("~/a").unwrap_err().summary;
        assert!(homeless.contains("name the whole path"), "{homeless}");
    }

    #[test]
    fn an_absolute_path_inside_is_inside() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let path = workspace.root().join("x.txt");
        assert_eq!(workspace.resolve(path.to_str().unwrap()), Ok(path.clone()));
        assert_eq!(workspace.display(&path), "x.txt");
    }

    #[test]
    fn a_file_is_no_workspace() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Workspace::open(file.path()).is_err());
    }
}
