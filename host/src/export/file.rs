//! Where an export goes: a path as a person wrote it, and a file that is whole or not there.
//!
//! A file that is there already stays unless a person says otherwise; folders are not made. The text is written beside
//! the target and gets its name at the end, so that nobody reads half of it. It knows no sessions. Errors are sentences
//! with the way out, for the flow and for stderr alike.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// The path that a person means: `~` is their home, what is relative begins at `base`.
///
/// # Errors
/// For a path that names no file, and for `~` where no home is known.
pub fn resolve(text: &str, base: &Path, home: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = from(text, base, home)?;
    let is_folder =
        matches!(text, "" | "~") || text.ends_with('/') || path.file_name().is_none() || path.is_dir();
    if is_folder {
        bail!(
            "`{text}` is a folder; name a file in it, for example `{}`",
            Path::new(text).join("talk.md").display()
        );
    }
    Ok(path)
}

/// What a person means by a path: relative to `base`, `~` is the home folder.
///
/// # Errors
/// For `~` where no home is known.
pub fn from(text: &str, base: &Path, home: Option<&Path>) -> anyhow::Result<PathBuf> {
    match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = home.context("`~` means nothing here: HOME is not set; write the whole path")?;
            Ok(home.join(rest.trim_start_matches('/')))
        }
        _ => Ok(base.join(text)),
    }
}

/// Writes the file; `force` replaces one that is there.
///
/// # Errors
/// When there is one already, no folder for it, or it cannot be written; nothing has changed then.
pub fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let shown = path.display();
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => bail!("`{shown}` cannot be written: {error}"),
        Ok(_) if !force => {
            bail!("`{shown}` is there already; name another file, or add --force to replace it")
        }
        Ok(_) if !path.is_file() => bail!("`{shown}` is no regular file; name another one"),
        Ok(_) => {}
    }
    // A link goes on leading to its file.
    let path =
        if force { fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("there is no folder `{}`; make it first", folder.display());
    }
    let name = format!(".carpel-export-{}.tmp", std::process::id());
    let beside = folder.join(name);
    let written = write_beside(&beside, text, &path).and_then(|()| name_it(&beside, &path, force));
    let _ = fs::remove_file(&beside);
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("`{shown}` is there already; name another file, or add --force to replace it")
        }
        Err(error) => bail!("`{shown}` cannot be written: {error}"),
    }
}

fn write_beside(beside: &Path, text: &str, target: &Path) -> std::io::Result<()> {
    // One of this name is what an export that was killed left.
    let _ = fs::remove_file(beside);
    let mut file = OpenOptions::new().write(true).create_new(true).open(beside)?;
    if let Ok(there) = fs::metadata(target) {
        file.set_permissions(there.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Without force a name that somebody else took meanwhile is not taken from them.
fn name_it(beside: &Path, path: &Path, force: bool) -> std::io::Result<()> {
    if force {
        return fs::rename(beside, path);
    }
    match fs::hard_link(beside, path) {
        // Some file systems have no second names.
        Err(error) if error.kind() != ErrorKind::AlreadyExists && fs::symlink_metadata(path).is_err() => {
            fs::rename(beside, path)
        }
        linked => linked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_as_people_write_them() {
        let rows = [
            ("talk.md", Ok("/here/talk.md")),
            ("/tmp/a b.md", Ok("/tmp/a b.md")),
            ("~/talk.md", Ok("/home/ada/talk.md")),
            ("~x", Ok("/here/~x")),
            ("", Err("is a folder")),
            ("sub/", Err("is a folder")),
            ("..", Err("is a folder")),
            ("~", Err("is a folder")),
        ];
        for (text, want) in rows {
            let got = resolve(text, Path::new("/here"), Some(Path::new("/home/ada")));
            match want {
                Ok(want) => assert_eq!(got.unwrap(), Path::new(want), "{text}"),
                Err(want) => assert!(got.unwrap_err().to_string().contains(want), "{text}"),
            }
        }
        assert!(resolve("~/a", Path::new("/"), None).unwrap_err().to_string().contains("HOME"));
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let check = |name: &str, text: &str, force: bool, want: Option<&str>| match (
            write(&at(name), text, force),
            want,
        ) {
            (Ok(()), None) => assert_eq!(fs::read_to_string(at(name)).unwrap(), text),
            (Err(error), Some(want)) => assert!(error.to_string().contains(want), "{name}: {error}"),
            (got, _) => panic!("{name}: {got:?}"),
        };
        check("a.md", "one", false, None);
        check("a.md", "two", false, Some("is there already; name another file, or add --force"));
        assert_eq!(fs::read_to_string(at("a.md")).unwrap(), "one");
        check("a.md", "two", true, None);
        check("none/a.md", "x", false, Some("there is no folder"));
        fs::create_dir(at("sub")).unwrap();
        check("sub", "x", true, Some("no regular file"));
        std::os::unix::fs::symlink("a.md", at("link")).unwrap();
        check("link", "x", false, Some("is there already"));
        check("link", "three", true, None);
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(at("a.md")).unwrap(), "three");
        std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
        check("dangling", "x", false, Some("is there already"));
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a.md", "dangling", "link", "sub"]);
    }
}
