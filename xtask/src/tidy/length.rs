//! Rule: a file has at most 400 production lines.
//!
//! This file owns what counts: every line outside `#[cfg(test)]` modules, in files that are not tests or data.
//! Files that are longer stand in `xtask/tidy.toml` with their length, and an entry may only shrink.
//! It refuses to know how a file should be split.

use super::finding::Finding;
use super::limits;
use super::rust::Code;
use super::tree::{File, Tree, Use};

const MOST: usize = 400;

const WHY: &str = "a file that is one noun or one verb can be read in one go";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in tree.rust().filter(|(file, _)| file.used == Use::Production) {
        let count = production_lines(file, code);
        findings.extend(judge(tree, &file.path, count, tree.limits.long_files.get(&file.path).copied()));
    }
    for path in tree.limits.long_files.keys() {
        if !tree.rust().any(|(file, _)| file.path == *path && file.used == Use::Production) {
            findings.push(entry(
                tree,
                path,
                format!("`{path}` is no production file"),
                "remove the entry".to_owned(),
            ));
        }
    }
    findings
}

fn production_lines(file: &File, code: &Code) -> usize {
    (1..=file.text.lines().count()).filter(|line| !code.is_test_line(*line)).count()
}

fn judge(tree: &Tree, path: &str, count: usize, held: Option<usize>) -> Option<Finding> {
    match held {
        None if count > MOST => Some(Finding {
            path: path.to_owned(),
            line: MOST + 1,
            what: format!("{count} production lines, at most {MOST}"),
            why: WHY,
            way_out: "split the type it is about, not the impl".to_owned(),
        }),
        Some(held) if count > held => Some(Finding {
            path: path.to_owned(),
            line: MOST + 1,
            what: format!("{count} production lines, {held} held for this file"),
            why: WHY,
            way_out: "a long file may only shrink; put what is new into a file of its own".to_owned(),
        }),
        Some(held) if count <= MOST => Some(entry(
            tree,
            path,
            format!("{held} lines are held, it has {count}"),
            "remove the entry".to_owned(),
        )),
        Some(held) if count < held => Some(entry(
            tree,
            path,
            format!("{held} lines are held, it has {count}"),
            format!("lower it to {count}"),
        )),
        Some(_) | None => None,
    }
}

fn entry(tree: &Tree, path: &str, what: String, way_out: String) -> Finding {
    let line = tree.line_of(limits::PATH, &format!("\"{path}\""));
    Finding { path: limits::PATH.to_owned(), line, what, why: WHY, way_out }
}

#[cfg(test)]
mod tests {
    use super::super::limits::{Limits, PATH};
    use super::super::tree;
    use super::check;

    const TESTS: &str = "#[cfg(test)]\nmod tests {\n    fn a() {}\n}\n";

    fn found(path: &str, text: &str, held: &[(&str, usize)]) -> Vec<String> {
        let table: String = held.iter().map(|(path, count)| format!("\"{path}\" = {count}\n")).collect();
        let table = format!("[long_files]\n{table}");
        let long_files = held.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        let limits = Limits { long_files, ..Limits::default() };
        let tree = tree::Tree { limits, ..tree::of(&[(path, text), (PATH, &table)]) };
        let line = |finding: &super::Finding| {
            format!("{}:{} {}: {}", finding.path, finding.line, finding.what, finding.way_out)
        };
        check(&tree).iter().map(line).collect()
    }

    #[test]
    fn production_lines_are_counted() {
        let split = "split the type it is about, not the impl";
        for (path, lines, tests, expected) in [
            ("a/src/b.rs", 400, "", vec![]),
            ("a/src/b.rs", 400, TESTS, vec![]),
            (
                "a/src/b.rs",
                401,
                TESTS,
                vec![format!("a/src/b.rs:401 401 production lines, at most 400: {split}")],
            ),
            // Tests in the middle hide nothing that follows them.
            (
                "a/src/b.rs",
                400,
                "#[cfg(test)]\nmod tests;\n",
                vec![format!("a/src/b.rs:401 402 production lines, at most 400: {split}")],
            ),
            ("a/tests/b.rs", 999, "", vec![]),
            ("a/benches/b.rs", 999, "", vec![]),
        ] {
            let text = format!("{tests}{}", "//\n".repeat(lines));
            assert_eq!(found(path, &text, &[]), expected, "{path} {lines}");
        }
    }

    #[test]
    fn an_entry_may_only_shrink() {
        let text = "//\n".repeat(500);
        let path = "a/src/b.rs";
        for (held, expected) in [
            (500, vec![]),
            (
                450,
                vec![
                    "a/src/b.rs:401 500 production lines, 450 held for this file: \
                     a long file may only shrink; put what is new into a file of its own",
                ],
            ),
            (510, vec!["xtask/tidy.toml:2 510 lines are held, it has 500: lower it to 500"]),
        ] {
            assert_eq!(found(path, &text, &[(path, held)]), expected, "{held}");
        }
        assert_eq!(
            found(path, "//\n", &[(path, 500), ("a/src/gone.rs", 9)]),
            [
                "xtask/tidy.toml:2 500 lines are held, it has 1: remove the entry",
                "xtask/tidy.toml:3 `a/src/gone.rs` is no production file: remove the entry",
            ]
        );
    }
}
