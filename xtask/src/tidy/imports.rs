//! Rule: no `mod.rs` and no glob imports.
//!
//! This file owns both, as both hide where a name comes from: ten tabs called `mod.rs`, or a name that stands in no
//! `use` line. A test may take `super::*`, which is the file it stands in, and `proptest::prelude::*`, whose macros need it.
//! It refuses to know what is imported.

use super::finding::Finding;
use super::rust::{Code, Kind};
use super::tree::{File, Tree, Use};

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in tree.rust() {
        if file.path.ends_with("/mod.rs") {
            findings.push(mod_rs(file));
        }
        findings.extend(code.problem.as_ref().map(|problem| not_rust(file, problem)));
        findings.extend(globs(code).filter(|at| !is_allowed(file, code, *at)).map(|at| glob(file, code, at)));
    }
    findings
}

/// Positions of each `*` that takes all names of a module.
fn globs(code: &Code) -> impl Iterator<Item = usize> {
    let mut in_use = false;
    (0..code.tokens.len()).filter(move |&at| {
        match &code.tokens[at].kind {
            // `use<'a>` within a type captures lifetimes and is no import.
            Kind::Word(word) if word == "use" => in_use = !code.is(at + 1, &Kind::Mark('<')),
            Kind::Mark(';') => in_use = false,
            Kind::Word(_) | Kind::Mark(_) | Kind::Open(_) | Kind::Close(_) | Kind::Literal => {}
        }
        in_use && code.is(at, &Kind::Mark('*'))
    })
}

/// `use super::*;` and `use proptest::prelude::*;` in a test.
fn is_allowed(file: &File, code: &Code, star: usize) -> bool {
    let is_test = file.used == Use::Test || code.is_test_line(code.tokens[star].line);
    let is_super = star >= 4 && code.word(star - 3) == Some("super") && code.word(star - 4) == Some("use");
    let is_prelude =
        star >= 6 && code.word(star - 3) == Some("prelude") && code.word(star - 6) == Some("proptest");
    is_test && (is_super || is_prelude)
}

fn glob(file: &File, code: &Code, star: usize) -> Finding {
    Finding {
        path: file.path.clone(),
        line: code.tokens[star].line,
        what: "a glob import".to_owned(),
        why: "a reader cannot tell where a name comes from",
        way_out: "name what is used".to_owned(),
    }
}

fn mod_rs(file: &File) -> Finding {
    Finding {
        path: file.path.clone(),
        line: 1,
        what: "a file called mod.rs".to_owned(),
        why: "a file is found by its name",
        way_out: "call it after its module, beside the folder; tests that share code are one binary, tests/NAME/main.rs"
            .to_owned(),
    }
}

fn not_rust(file: &File, (line, error): &(usize, String)) -> Finding {
    Finding {
        path: file.path.clone(),
        line: *line,
        what: format!("not readable as Rust: {error}"),
        why: "no rule about code can be checked here",
        way_out: "mend it, or move it below tests/data".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    fn found(path: &str, text: &str) -> Vec<String> {
        brief(&check(&tree::of(&[(path, text)])))
    }

    #[test]
    fn globs_are_found() {
        for text in [
            "use std::fmt::*;",
            "pub use crate::card::*;",
            "use std::{io, fmt::*};",
            "use super::*;",
            "use super::super::*;",
            "#[cfg(test)]\nmod tests { use std::prelude::*; }",
            "use proptest::prelude::*;",
            "fn a() { use Kind::*; }",
        ] {
            let line = text.lines().count();
            assert_eq!(found("a/src/b.rs", text), [format!("a/src/b.rs:{line} a glob import")], "{text}");
        }
        assert_eq!(found("a/tests/b.rs", "use carpel::*;"), ["a/tests/b.rs:1 a glob import"]);
    }

    #[test]
    fn other_stars_are_free() {
        for text in [
            "use std::fmt; const A: u8 = 2 * 3;",
            "fn a(b: *const u8) { *b = 1; }",
            "// use std::*;\n/// use std::*;\nconst A: &str = \"use a::*;\";",
            "#[cfg(test)]\nmod tests { use super::*; }",
            "#[cfg(test)]\nmod tests { use proptest::prelude::*; }",
            "fn a<'b>(x: &'b u8) -> impl Fn() + use<'b> { move || { *x } }",
        ] {
            assert_eq!(found("a/src/b.rs", text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(found("a/tests/it/b.rs", "use super::*;"), Vec::<String>::new());
    }

    #[test]
    fn mod_rs_and_broken_files_are_found() {
        assert_eq!(found("a/tests/common/mod.rs", ""), ["a/tests/common/mod.rs:1 a file called mod.rs"]);
        assert_eq!(
            found("a/src/b.rs", "fn a() {"),
            ["a/src/b.rs:1 not readable as Rust: cannot parse string into token stream"]
        );
        assert_eq!(found("a/tests/data/b.rs", "fn a() {"), Vec::<String>::new());
    }
}
