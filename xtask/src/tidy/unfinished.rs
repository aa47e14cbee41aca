//! Rule: nothing is left for later where a person or a test would run into it.
//!
//! This file owns the words that mean it: `todo!` and `unimplemented!`, and tests that are ignored. A test that
//! cannot run everywhere skips visibly (CONTRIBUTING.md), an idea for later is an issue.
//! It refuses to know comments: a `TODO` there is a reader's to judge.

use super::finding::Finding;
use super::rust::{Code, Kind};
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in tree.rust() {
        for at in 0..code.tokens.len() {
            let found = unfinished_macro(code, at).or_else(|| ignored_test(code, at));
            findings.extend(found.map(|(what, why, way_out)| Finding {
                path: file.path.clone(),
                line: code.tokens[at].line,
                what,
                why,
                way_out: way_out.to_owned(),
            }));
        }
        findings.extend(file.text.lines().enumerate().filter(|(_, line)| is_ignored_example(line)).map(
            |(at, _)| Finding {
                path: file.path.clone(),
                line: at + 1,
                what: "an example in the documentation is ignored".to_owned(),
                why: "it may be wrong and nobody would know",
                way_out: "let it compile (`no_run` when it must not run), or mark it `text`".to_owned(),
            },
        ));
    }
    findings
}

type Parts = (String, &'static str, &'static str);

fn unfinished_macro(code: &Code, at: usize) -> Option<Parts> {
    let word = code.word(at).filter(|word| ["todo", "unimplemented"].contains(word))?;
    let is_macro =
        code.is(at + 1, &Kind::Mark('!')) && matches!(code.tokens.get(at + 2)?.kind, Kind::Open(_));
    is_macro.then(|| {
        (format!("`{word}!`"), "it ends the program in a person's hands", "finish it, or return an error")
    })
}

fn ignored_test(code: &Code, at: usize) -> Option<Parts> {
    let attribute = code.attribute(at)?;
    let words: Vec<&str> = attribute.filter_map(|at| code.word(at)).collect();
    let is_ignored =
        words.first() == Some(&"ignore") || (words.first() == Some(&"cfg_attr") && words.contains(&"ignore"));
    is_ignored.then(|| {
        (
            "an ignored test".to_owned(),
            "a test that never runs rots",
            "mend it, remove it, or let it skip visibly",
        )
    })
}

fn is_ignored_example(line: &str) -> bool {
    let line = line.trim_start();
    let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { return false };
    text.trim_start()
        .strip_prefix("```")
        .is_some_and(|info| info.split([',', ' ']).any(|word| word == "ignore"))
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    #[test]
    fn what_is_left_for_later_is_found() {
        for (text, expected) in [
            ("fn a() { todo!() }", vec!["`todo!`"]),
            ("fn a() { std::unimplemented!(\"b\") }", vec!["`unimplemented!`"]),
            ("#[test]\n#[ignore]\nfn a() {}", vec!["an ignored test"]),
            ("#[test]\n#[ignore = \"slow\"]\nfn a() {}", vec!["an ignored test"]),
            ("#[cfg_attr(windows, ignore)]\nfn a() {}", vec!["an ignored test"]),
            ("/// ```ignore\n/// a\n/// ```\nfn a() {}", vec!["an example in the documentation is ignored"]),
            ("//! ```rust,ignore\n//! a\n//! ```", vec!["an example in the documentation is ignored"]),
            ("use ignore::WalkBuilder;\nfn todo() {}\n// todo!()\nconst A: &str = \"todo!()\";", vec![]),
            ("/// ```no_run\n/// a\n/// ```\nfn a() { if todo != 1 { todo() } }", vec![]),
        ] {
            let findings = check(&tree::of(&[("a/src/b.rs", text)]));
            assert_eq!(
                findings.iter().map(|finding| finding.what.as_str()).collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn the_place_is_told() {
        let tree = tree::of(&[("a/src/b.rs", "fn a() {\n    todo!()\n}\n")]);
        assert_eq!(brief(&check(&tree)), ["a/src/b.rs:2 `todo!`"]);
    }
}
