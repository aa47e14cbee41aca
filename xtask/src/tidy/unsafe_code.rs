//! Rule: unsafe code stands only in the files listed for it.
//!
//! This file owns how it is recognised: the word `unsafe` in code, and any attribute that lifts the lint
//! `unsafe_code`. The list stands in `xtask/tidy.toml`; the lint stays denied in the root `Cargo.toml`.
//! It refuses to know whether a piece of unsafe code is right; its SAFETY comment argues that.

use super::finding::Finding;
use super::limits;
use super::rust::Code;
use super::tree::Tree;

const WHY: &str = "what the compiler cannot check must be found and reviewed in one place";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let listed = &tree.limits.unsafe_files;
    let mut findings = Vec::new();
    for (file, code) in tree.rust() {
        match (places(code).next(), listed.contains(&file.path)) {
            (Some(_), true) | (None, false) => {}
            (None, true) => findings.push(needless(tree, &file.path)),
            (Some(_), false) => {
                findings.extend(places(code).map(|(line, what)| unlisted(file.path.clone(), line, what)));
            }
        }
    }
    findings.extend(listed.iter().filter(|path| tree.file(path).is_none()).map(|path| needless(tree, path)));
    findings.extend(lint_lifted(tree));
    findings
}

/// Lines with unsafe code, and what stands there.
fn places(code: &Code) -> impl Iterator<Item = (usize, &'static str)> {
    (0..code.tokens.len()).filter_map(|at| match code.word(at)? {
        "unsafe" => Some((code.tokens[at].line, "unsafe code")),
        "unsafe_code" if lifts(code, at) => Some((code.tokens[at].line, "the lint unsafe_code is lifted")),
        _ => None,
    })
}

/// Whether the attribute around the lint's name allows it; `deny` and `forbid` are welcome anywhere.
fn lifts(code: &Code, at: usize) -> bool {
    let level = (0..at).rev().filter_map(|at| code.word(at)).find(|word| LEVELS.contains(word));
    matches!(level, Some("allow" | "expect" | "warn"))
}

const LEVELS: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];

fn unlisted(path: String, line: usize, what: &str) -> Finding {
    Finding {
        path,
        line,
        what: what.to_owned(),
        why: WHY,
        way_out: "do it with safe code, or give the reason in the commit and add the file to unsafe_files"
            .to_owned(),
    }
}

fn needless(tree: &Tree, path: &str) -> Finding {
    Finding {
        path: limits::PATH.to_owned(),
        line: tree.line_of(limits::PATH, "unsafe_files"),
        what: format!("`{path}` has no unsafe code"),
        why: WHY,
        way_out: "take it from the list".to_owned(),
    }
}

fn lint_lifted(tree: &Tree) -> Option<Finding> {
    let root = tree.file("Cargo.toml")?;
    let is_denied = root.text.lines().any(|line| {
        line.split_once('=').is_some_and(|(key, value)| {
            key.trim() == "unsafe_code" && ["\"deny\"", "\"forbid\""].contains(&value.trim())
        })
    });
    (!is_denied).then(|| Finding {
        path: root.path.clone(),
        line: tree.line_of("Cargo.toml", "unsafe_code"),
        what: "the lint unsafe_code is not denied".to_owned(),
        why: WHY,
        way_out: "write `unsafe_code = \"deny\"` below [workspace.lints.rust]".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::limits::Limits;
    use super::super::tree;
    use super::check;

    fn found(files: &[(&str, &str)], listed: &[&str]) -> Vec<String> {
        let limits =
            Limits { unsafe_files: listed.iter().map(ToString::to_string).collect(), ..Limits::default() };
        brief(&check(&tree::Tree { limits, ..tree::of(files) }))
    }

    #[test]
    fn unsafe_code_is_found_unless_listed() {
        for (text, expected) in [
            ("fn a() { unsafe { b() } }", vec!["a/src/b.rs:1 unsafe code"]),
            ("\nunsafe fn a() {}", vec!["a/src/b.rs:2 unsafe code"]),
            ("#[unsafe(no_mangle)]\nfn a() {}", vec!["a/src/b.rs:1 unsafe code"]),
            ("#![allow(unsafe_code)]", vec!["a/src/b.rs:1 the lint unsafe_code is lifted"]),
            (
                "#[expect(clippy::x, unsafe_code)]\nfn a() {}",
                vec!["a/src/b.rs:1 the lint unsafe_code is lifted"],
            ),
            ("#![forbid(unsafe_code)]\n// unsafe\nconst A: &str = \"unsafe\";", vec![]),
        ] {
            assert_eq!(found(&[("a/src/b.rs", text)], &[]), expected, "{text}");
        }
        assert_eq!(found(&[("a/src/b.rs", "unsafe fn a() {}")], &["a/src/b.rs"]), Vec::<String>::new());
    }

    #[test]
    fn the_list_holds_no_more_than_is_needed() {
        assert_eq!(
            found(&[("a/src/b.rs", "fn a() {}")], &["a/src/b.rs", "a/src/gone.rs"]),
            [
                "xtask/tidy.toml:1 `a/src/b.rs` has no unsafe code",
                "xtask/tidy.toml:1 `a/src/gone.rs` has no unsafe code",
            ]
        );
    }

    #[test]
    fn the_lint_stays_denied() {
        for (text, count) in [
            ("unsafe_code = \"deny\"\n", 0),
            ("unsafe_code=\"forbid\"\n", 0),
            ("unsafe_code = \"warn\"\n", 1),
            ("", 1),
        ] {
            assert_eq!(found(&[("Cargo.toml", text)], &[]).len(), count, "{text}");
        }
    }
}
