//! Rule: the number of packages beneath each crate is held.
//!
//! This file owns how packages are counted: distinct ones needed to build the crate, its tests' own left out, as
//! cargo resolves the whole workspace for Linux. The numbers stand in `xtask/tidy.toml` without slack: one more
//! is a decision with a reason in its commit, one fewer lowers the number.
//! It refuses to know which packages are good ones.

use super::finding::Finding;
use super::limits;
use super::tree::Tree;

const WHY: &str = "each package is code that somebody must trust, build and wait for";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let graph = &tree.counted;
    let mut findings = Vec::new();
    for member in graph.members() {
        let count = graph.beneath(&member.id, |_| true).len();
        let held = tree.limits.packages.get(&member.name).copied();
        findings.extend(judge(tree, &member.name, count, held));
    }
    for name in tree.limits.packages.keys() {
        if !graph.members().any(|member| member.name == *name) {
            findings.push(finding(
                tree,
                name,
                format!("`{name}` is no crate of this workspace"),
                "remove the entry".into(),
            ));
        }
    }
    findings
}

fn judge(tree: &Tree, name: &str, count: usize, held: Option<usize>) -> Option<Finding> {
    let (what, way_out) = match held {
        None => (format!("no number for `{name}`"), format!("write `{name} = {count}`")),
        Some(held) if count > held => (
            format!("{count} packages beneath `{name}`, {held} held"),
            format!("do without the new one, or write {count} and give the reason in the commit"),
        ),
        Some(held) if count < held => (
            format!("{count} packages beneath `{name}`, {held} held"),
            format!("lower the number to {count}"),
        ),
        Some(_) => return None,
    };
    Some(finding(tree, name, what, way_out))
}

fn finding(tree: &Tree, name: &str, what: String, way_out: String) -> Finding {
    let line = tree.line_of(limits::PATH, &format!("{name} ="));
    Finding { path: limits::PATH.to_owned(), line, what, why: WHY, way_out }
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::super::limits::{Limits, PATH};
    use super::super::tree;
    use super::check;

    fn found(table: &str) -> Vec<String> {
        let text = format!("unsafe_files = []\nlicences = []\n[long_files]\n[packages]\n{table}");
        let counted = graph::of(1, &[("a", &["x", "dev:t"]), ("x", &["y"]), ("y", &[]), ("t", &[])]);
        let limits = Limits::parse(&text).unwrap();
        let tree = tree::Tree { counted, limits, ..tree::of(&[(PATH, &text)]) };
        check(&tree)
            .iter()
            .map(|finding| format!("{} {}: {}", finding.line, finding.what, finding.way_out))
            .collect()
    }

    #[test]
    fn numbers_are_held_from_both_sides() {
        for (table, expected) in [
            ("a = 2", vec![]),
            (
                "a = 1",
                vec![
                    "5 2 packages beneath `a`, 1 held: do without the new one, or write 2 and give the reason in the commit",
                ],
            ),
            ("a = 3", vec!["5 2 packages beneath `a`, 3 held: lower the number to 2"]),
            ("", vec!["1 no number for `a`: write `a = 2`"]),
            ("a = 2\nb = 9", vec!["6 `b` is no crate of this workspace: remove the entry"]),
        ] {
            assert_eq!(found(table), expected, "{table}");
        }
    }
}
