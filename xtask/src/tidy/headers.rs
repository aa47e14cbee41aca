//! Rule: a file opens with a map of itself.
//!
//! This file owns what counts as one: `//!` lines from the first line on, 3 to 14 in production code, at least one
//! in a test. What the map says (what the file owns, what it refuses to know, what to read next) is for a reader
//! to judge.
//! It refuses to know anything below the map.

use std::ops::RangeInclusive;

use super::finding::Finding;
use super::tree::{File, Tree, Use};

pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(|(file, _)| check_file(file)).collect()
}

fn check_file(file: &File) -> Option<Finding> {
    let count = file.text.lines().take_while(|line| line.starts_with("//!")).count();
    let wanted = wanted(file);
    if wanted.contains(&count) {
        return None;
    }
    let range = match (wanted.start(), wanted.end()) {
        (least, &usize::MAX) => format!("at least {least}"),
        (least, most) => format!("{least} to {most}"),
    };
    Some(Finding {
        path: file.path.clone(),
        line: 1,
        what: format!("opens with {count} lines of `//!`, {range} wanted"),
        why: "the next reader decides there whether this is the file to read",
        way_out: "say what it owns, what it refuses to know and what to read next".to_owned(),
    })
}

fn wanted(file: &File) -> RangeInclusive<usize> {
    let is_source = file.path.split('/').any(|folder| folder == "src");
    if is_source && file.used == Use::Production { 3..=14 } else { 1..=usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    #[test]
    fn maps_are_counted_from_the_first_line() {
        for (path, lines, expected) in [
            ("a/src/b.rs", 3, None),
            ("a/src/b.rs", 14, None),
            ("a/src/b.rs", 2, Some("a/src/b.rs:1 opens with 2 lines of `//!`, 3 to 14 wanted")),
            ("a/src/b.rs", 15, Some("a/src/b.rs:1 opens with 15 lines of `//!`, 3 to 14 wanted")),
            ("a/tests/b.rs", 1, None),
            ("a/tests/b.rs", 40, None),
            ("a/tests/b.rs", 0, Some("a/tests/b.rs:1 opens with 0 lines of `//!`, at least 1 wanted")),
            ("a/tests/data/b.rs", 0, None),
            ("a/README.md", 0, None),
        ] {
            let text = format!("{}\nconst A: u8 = 1;\n", "//! line\n".repeat(lines));
            assert_eq!(
                brief(&check(&tree::of(&[(path, &text)]))),
                expected.into_iter().collect::<Vec<_>>(),
                "{path} {lines}"
            );
        }
        let late = "\n//! a\n//! b\n//! c\n";
        assert_eq!(brief(&check(&tree::of(&[("a/src/b.rs", late)]))).len(), 1);
    }
}
