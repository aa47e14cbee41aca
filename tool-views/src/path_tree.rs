//! Paths as a tree: each folder once, with how many files are below it, and its files under it.
//!
//! Folders that hold nothing but one folder share a line with it. The order is that in which the paths came, files
//! before folders: a tool may give the newest first. Nothing here asks a disk; what ends with a slash is a folder that
//! was found itself.

use std::collections::HashMap;

use carpel_slots::{Line, Role};

/// Folders below this depth stay in the names of their files.
const DEPTH: usize = 32;

/// The lines of the tree.
pub fn lines(paths: &[String]) -> Vec<Line> {
    let mut root = Folder::default();
    for path in paths {
        root.add(path);
    }
    let mut lines = Vec::new();
    root.write(0, &mut lines);
    lines
}

#[derive(Default)]
struct Folder<'a> {
    /// How many were found below.
    count: usize,
    files: Vec<&'a str>,
    folders: Vec<(&'a str, Folder<'a>)>,
    /// Where a folder stands in `folders`.
    places: HashMap<&'a str, usize>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str) {
        let mut folder = self;
        folder.count += 1;
        let mut rest = path;
        for _ in 0..DEPTH {
            // The slash in front of an absolute path belongs to its first folder, one at the end to the last name.
            let start = rest.len() - rest.trim_start_matches('/').len();
            let Some(at) = rest[start..].find('/').map(|at| start + at) else { break };
            if rest[at..].bytes().all(|byte| byte == b'/') {
                break;
            }
            folder = folder.below(&rest[..at]);
            folder.count += 1;
            // A second slash stays: it is part of the name as it was found.
            rest = &rest[at + 1..];
        }
        folder.files.push(rest);
    }

    fn below(&mut self, name: &'a str) -> &mut Folder<'a> {
        let place = *self.places.entry(name).or_insert_with(|| {
            self.folders.push((name, Folder::default()));
            self.folders.len() - 1
        });
        &mut self.folders[place].1
    }

    fn write(&self, depth: usize, lines: &mut Vec<Line>) {
        let indent = "  ".repeat(depth);
        lines.extend(self.files.iter().map(|name| Line::of(Role::Plain, &indent).and(Role::Path, name)));
        for (name, folder) in &self.folders {
            let (mut name, mut folder) = (format!("{name}/"), folder);
            while let ([], [(next, below)]) = (folder.files.as_slice(), folder.folders.as_slice()) {
                name.push_str(next);
                name.push('/');
                folder = below;
            }
            let line = Line::of(Role::Plain, &indent).and(Role::Path, &name);
            lines.push(line.and(Role::Dim, &format!("  {}", folder.count)));
            folder.write(depth + 1, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], want: &str) {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let text = lines(&paths).iter().map(Line::text).collect::<Vec<_>>().join("\n");
        assert_eq!(text, want, "{paths:?}");
    }

    #[test]
    fn trees() {
        check(&[], "");
        check(&["b.rs", "a.rs"], "b.rs\na.rs");
        check(&["src/a.rs", "Cargo.toml", "src/b.rs"], "Cargo.toml\nsrc/  2\n  a.rs\n  b.rs");
        check(&["a/b/c/x", "a/b/c/y", "a/b/z"], "a/b/  3\n  z\n  c/  2\n    x\n    y");
        check(&["/etc/hosts", "/etc/x/y"], "/etc/  2\n  hosts\n  x/  1\n    y");
        check(&["src/", "src/a/"], "src/\nsrc/  1\n  a/");
        check(&["", "/", "a//b", "~/x"], "\n/\na/  1\n  /b\n~/  1\n  x");
        check(&["/w.rs"], "/w.rs");
    }

    #[test]
    fn a_hostile_path_is_no_deep_tree() {
        let path = "a/".repeat(100_000);
        let lines = lines(&[path.clone(), path]);
        assert_eq!(lines.len(), 3);
    }
}
