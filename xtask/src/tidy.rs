//! `cargo xtask tidy`: what a reviewer would otherwise have to remember, checked on every run.
//!
//! This file owns the list of rules and how their findings are told. A rule is one file below `tidy/`: a
//! function from a view of the tree in memory to findings, so that its tests are tables and need no disk.
//! It refuses to know what any rule looks for, and it never mends anything: a finding says the way out.
//!
//! Numbers that a rule holds (packages, long files) and its allow-lists stand in `xtask/tidy.toml`.
//! Read next: `tidy/tree.rs` for the view, `tidy/length.rs` for a typical rule.

use std::io::Write;

use anyhow::Result;

use finding::Finding;
use tree::Tree;

mod edges;
mod fences;
mod finding;
mod graph;
mod headers;
mod imports;
mod length;
mod licences;
mod limits;
mod manifests;
mod outlets;
mod packages;
mod pod_seam;
mod read;
mod rust;
mod standalone;
mod tree;
mod unfinished;
mod unsafe_code;
mod whitespace;

/// One rule: its id, what it says in a line, and the function that looks.
struct Rule {
    id: &'static str,
    says: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule { id: "edges", says: "a crate depends on the crates beneath it and no others", check: edges::check },
    Rule {
        id: "fences",
        says: "screen, HTTP and file tools stay in the crate that owns them",
        check: fences::check,
    },
    Rule {
        id: "pod-seam",
        says: "the host names the pod in link.rs and four subcommands",
        check: pod_seam::check,
    },
    Rule {
        id: "outlets",
        says: "stdout and stderr are written to in few files, which take Printable",
        check: outlets::check,
    },
    Rule {
        id: "packages",
        says: "the number of packages beneath each crate is held",
        check: packages::check,
    },
    Rule { id: "licences", says: "every package may be shipped under our licences", check: licences::check },
    Rule {
        id: "manifests",
        says: "versions and lints stand in the root Cargo.toml only",
        check: manifests::check,
    },
    Rule { id: "length", says: "a file has at most 400 production lines", check: length::check },
    Rule { id: "headers", says: "a file opens with a map of 3 to 14 lines", check: headers::check },
    Rule { id: "imports", says: "no mod.rs and no glob imports", check: imports::check },
    Rule { id: "unfinished", says: "no todo!, unimplemented! or ignored test", check: unfinished::check },
    Rule { id: "unsafe", says: "unsafe code only in the files listed for it", check: unsafe_code::check },
    Rule {
        id: "standalone",
        says: "nothing names one machine, its folders or a registry",
        check: standalone::check,
    },
    Rule { id: "whitespace", says: "no tabs and no trailing blanks in Rust files", check: whitespace::check },
];

/// Reads the tree, tells every finding of every rule; true when there is none.
pub fn run(out: &mut dyn Write) -> Result<bool> {
    let tree = read::tree()?;
    let mut count = 0;
    for rule in RULES {
        for finding in (rule.check)(&tree) {
            writeln!(out, "{finding} [{}]", rule.id)?;
            count += 1;
        }
    }
    if count == 0 {
        writeln!(out, "tidy: {} rules hold over {} files", RULES.len(), tree.files.len())?;
    } else {
        writeln!(out, "tidy: {count} findings")?;
    }
    Ok(count == 0)
}

/// Lists the rules.
pub fn list(out: &mut dyn Write) -> Result<bool> {
    for rule in RULES {
        writeln!(out, "{:<11} {}", rule.id, rule.says)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{RULES, list};

    #[test]
    fn every_rule_is_listed_once_with_a_line() {
        let mut out = Vec::new();
        list(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let ids: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!((ids.len(), unique.len()), (RULES.len(), RULES.len()), "{text}");
    }
}
