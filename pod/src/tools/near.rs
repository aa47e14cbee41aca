//! What to say when a file does not exist: which part of the path is missing, and the name that was probably meant.
//!
//! Owns the comparison of names as a person or a model may mistype them: case, kind of blank, accents as one or two
//! characters. It only suggests; nothing is ever opened under another name than the one given.
//! Refuses to search deeper than one directory; Glob does that.

use std::fs;
use std::path::Path;

use super::{ToolFailure, Workspace, quoted};

/// How many names of a directory are looked at.
const LOOKED_AT: usize = 5_000;

pub fn missing(workspace: &Workspace, named: &str, path: &Path) -> ToolFailure {
    let parent = path.parent().unwrap_or(path);
    let way_out = if !parent.is_dir() {
        let from = workspace.display(existing(parent));
        // A search from the workspace is what Glob does anyway.
        let from = if from == "." { String::new() } else { format!(" from {}", quoted(&from)) };
        return ToolFailure::new(format!(
            "{} does not exist, nor does its directory; find it with Glob{from}",
            quoted(named)
        ));
    } else if let Some(meant) = similar_name(path) {
        format!("did you mean {}?", quoted(&workspace.display(&parent.join(meant))))
    } else {
        "find it with Glob".to_owned()
    };
    ToolFailure::new(format!("{} does not exist; {way_out}", quoted(named)))
}

fn existing(mut path: &Path) -> &Path {
    while !path.is_dir() {
        match path.parent() {
            Some(parent) => path = parent,
            None => break,
        }
    }
    path
}

fn similar_name(path: &Path) -> Option<std::ffi::OsString> {
    let wanted = folded(&path.file_name()?.to_string_lossy());
    let mut names: Vec<_> = fs::read_dir(path.parent()?)
        .ok()?
        .take(LOOKED_AT)
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| folded(&name.to_string_lossy()) == wanted)
        .collect();
    names.sort();
    names.into_iter().next()
}

/// A name without what is easily mistaken: case, the kind and amount of blanks, marks that combine.
fn folded(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words
        .join(" ")
        .to_lowercase()
        .chars()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(base_letter)
        .collect()
}

/// The letter under an accent, for the few that are common in file names.
fn base_letter(letter: char) -> char {
    match letter {
        '\u{e0}'..='\u{e5}' => 'a',
        '\u{e7}' => 'c',
        '\u{e8}'..='\u{eb}' => 'e',
        '\u{ec}'..='\u{ef}' => 'i',
        '\u{f1}' => 'n',
        '\u{f2}'..='\u{f6}' => 'o',
        '\u{f9}'..='\u{fc}' => 'u',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(named: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["src/Main.rs", "src/nnbsp\u{202f}here.png", "src/cafe\u{301}"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let workspace = Workspace::open(folder.path()).unwrap();
        let path = workspace.resolve(named).unwrap();
        assert_eq!(missing(&workspace, named, &path).summary, expected);
    }

    #[test]
    fn what_is_missing_and_what_was_meant() {
        check("src/main.rs", "`src/main.rs` does not exist; did you mean `src/Main.rs`?");
        check(
            "src/nnbsp here.png",
            "`src/nnbsp here.png` does not exist; did you mean `src/nnbsp\u{202f}here.png`?",
        );
        check("src/caf\u{e9}", "`src/caf\u{e9}` does not exist; did you mean `src/cafe\u{301}`?");
        check("src/other.rs", "`src/other.rs` does not exist; find it with Glob");
        check("a/b/c.rs", "`a/b/c.rs` does not exist, nor does its directory; find it with Glob");
        check(
            "src/b/c.rs",
            "`src/b/c.rs` does not exist, nor does its directory; find it with Glob from `src`",
        );
    }
}
