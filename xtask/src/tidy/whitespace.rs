//! Rule: no tabs and no trailing blanks in Rust files.
//!
//! This file owns the places that rustfmt leaves alone: comments, strings and macros.
//! It refuses to know other files: a Makefile needs tabs, Markdown may end a line in blanks, and test data is as
//! it must be.

use super::finding::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, _) in tree.rust() {
        // Split by LF alone: `lines` would hide a carriage return.
        for (at, line) in file.text.split('\n').enumerate() {
            let found = if line.contains('\t') {
                Some(("a tab", "its width differs by editor", "use spaces, or `\\t` in a string"))
            } else if line.ends_with(char::is_whitespace) {
                Some(("a trailing blank", "it is noise in a diff", "remove it, or escape it in a string"))
            } else {
                None
            };
            findings.extend(found.map(|(what, why, way_out)| Finding {
                path: file.path.clone(),
                line: at + 1,
                what: what.to_owned(),
                why,
                way_out: way_out.to_owned(),
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    #[test]
    fn blanks_are_found_in_rust_files() {
        for (path, text, expected) in [
            ("a/src/b.rs", "// a\n// b\n", None),
            ("a/src/b.rs", "// a\n// b \n", Some("a/src/b.rs:2 a trailing blank")),
            ("a/src/b.rs", "// a\r\n", Some("a/src/b.rs:1 a trailing blank")),
            ("a/src/b.rs", "//\ta\n", Some("a/src/b.rs:1 a tab")),
            ("a/tests/data/b.rs", "//\ta \n", None),
            ("Makefile", "a:\n\tb\n", None),
        ] {
            let found = brief(&check(&tree::of(&[(path, text)])));
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{path} {text:?}");
        }
    }
}
