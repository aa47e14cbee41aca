//! The standing instructions of a project: the nearest `AGENTS.md`, or where there is none the nearest `CLAUDE.md`.
//!
//! Owns the search, from the workspace up to the folder with `.git` and never above (without one: the workspace only),
//! and the bound. A link that leads out of that folder is not followed, or a project could have any file of the person
//! sent to a model. Whether the folder is trusted is the caller's question. Refuses to know the system prompt.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Workspace;
use super::open::open_regular;

const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md"];
/// As much as is worth its place in every request.
const MOST_BYTES: usize = 32 * 1024;

/// The text, for the system prompt; at most 32 KiB, with a note when it was longer.
pub fn instructions(workspace: &Workspace) -> Option<String> {
    found(workspace).map(|(_, text)| text)
}

/// The file that they are in.
pub fn instruction_file(workspace: &Workspace) -> Option<PathBuf> {
    found(workspace).map(|(file, _)| file)
}

fn found(workspace: &Workspace) -> Option<(PathBuf, String)> {
    let top = project(workspace.root());
    let folders: Vec<&Path> =
        workspace.root().ancestors().take_while(|folder| folder.starts_with(&top)).collect();
    let read = |file: PathBuf| read(&file, &top).map(|text| (file, text));
    NAMES.iter().find_map(|name| folders.iter().find_map(|folder| read(folder.join(name))))
}

/// The project that a folder belongs to: the nearest folder with `.git` at or above it, else itself.
pub fn project(root: &Path) -> PathBuf {
    root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root).to_owned()
}

fn read(file: &Path, top: &Path) -> Option<String> {
    let file = file.canonicalize().ok().filter(|file| file.starts_with(top))?;
    let (opened, _) = open_regular(&file).ok()?;
    let mut bytes = Vec::new();
    opened.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return None;
    }
    if bytes.len() <= MOST_BYTES {
        return Some(text.to_owned());
    }
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    Some(format!("{}\n(the rest is left out: it is longer than 32 KiB)\n", &text[..end]))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("repo/work")).unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            match text.strip_prefix("-> ") {
                Some(target) => symlink(target, path).unwrap(),
                None if name.ends_with('/') => fs::create_dir(path).unwrap(),
                None => fs::write(path, text).unwrap(),
            }
        }
        let workspace = Workspace::open(&folder.path().join("repo/work")).unwrap();
        assert_eq!(instructions(&workspace).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_nearest_stands() {
        check(&[], None);
        check(&[("repo/work/AGENTS.md", "here"), ("repo/work/CLAUDE.md", "other")], Some("here"));
        check(&[("repo/work/CLAUDE.md", "other")], Some("other"));
        check(&[("repo/work/AGENTS.md", " \n"), ("repo/work/CLAUDE.md", "other")], Some("other"));
        check(&[("repo/AGENTS.md", "above")], None);
        check(&[("repo/.git/", ""), ("repo/AGENTS.md", "above")], Some("above"));
        check(
            &[("repo/.git/", ""), ("repo/AGENTS.md", "above"), ("repo/work/AGENTS.md", "here")],
            Some("here"),
        );
        check(
            &[("repo/.git/", ""), ("repo/AGENTS.md", "above"), ("repo/work/CLAUDE.md", "here")],
            Some("above"),
        );
        check(&[("repo/.git/", ""), ("AGENTS.md", "beyond")], None);
        check(&[("repo/work/CLAUDE.md", "text"), ("repo/work/AGENTS.md", "-> CLAUDE.md")], Some("text"));
        check(&[("secret", "text"), ("repo/work/AGENTS.md", "-> ../../secret")], None);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("AGENTS.md"), "\u{20ac}".repeat(20_000)).unwrap();
        let text = instructions(&Workspace::open(folder.path()).unwrap()).unwrap();
        assert!(text.len() < MOST_BYTES + 100 && text.ends_with("longer than 32 KiB)\n"));
        assert!(text.trim_start_matches('\u{20ac}').starts_with('\n'));
    }
}
