//! Rule: a crate of the workspace depends on the crates beneath it and on no other.
//!
//! This file owns the table of allowed edges, as the design draws them. Edges of tests and build scripts count:
//! a test that reaches sideways ties two crates together as firmly as code does. One crate is there for tests alone.
//! It refuses to know packages from outside; those are `fences.rs` and `packages.rs`.

use super::finding::Finding;
use super::graph::Dependency;
use super::tree::Tree;

/// Each crate and the crates it may name.
const ALLOWED: &[(&str, &[&str])] = &[
    ("carpel-protocol", &[]),
    ("carpel-slots", &["carpel-protocol"]),
    ("carpel-tool-views", &["carpel-slots"]),
    ("carpel-pod", &["carpel-protocol"]),
    ("carpel", &["carpel-protocol", "carpel-slots", "carpel-tool-views", "carpel-pod"]),
    ("xtask", &["mock-llm"]),
    ("bench", &["mock-llm", "carpel-slots"]),
    ("mock-llm", &[]),
    ("trials", &["carpel", "carpel-pod", "carpel-protocol", "carpel-slots"]),
];

/// Crates that these may name for their tests alone: nobody ships a server of scripts.
const FOR_TESTS: &[(&str, &[&str])] = &[("mock-llm", &["carpel-pod", "carpel"])];

const WHY: &str = "crates depend downward, so that each can be read and tested without those above it";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let graph = &tree.everywhere;
    let mut findings = Vec::new();
    for member in graph.members() {
        let path = graph.manifest(member);
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == member.name) else {
            findings.push(unknown(path, &member.name));
            continue;
        };
        for dependency in &member.dependencies {
            let need = dependency.name.as_str();
            let is_ours = graph.members().any(|other| other.name == need);
            let is_allowed = allowed.contains(&need) || for_tests(dependency, &member.name);
            if is_ours && !is_allowed {
                findings.push(forbidden(tree, path, &member.name, need));
            }
        }
    }
    findings
}

fn for_tests(dependency: &Dependency, user: &str) -> bool {
    let is_test = dependency.kind.as_deref() == Some("dev");
    is_test && FOR_TESTS.iter().any(|(name, users)| *name == dependency.name && users.contains(&user))
}

fn unknown(path: &str, name: &str) -> Finding {
    Finding {
        path: path.to_owned(),
        line: 1,
        what: format!("crate `{name}` is not in the table of edges"),
        why: WHY,
        way_out: "say in xtask/src/tidy/edges.rs what it may depend on".to_owned(),
    }
}

fn forbidden(tree: &Tree, path: &str, name: &str, need: &str) -> Finding {
    Finding {
        path: path.to_owned(),
        line: tree.line_of(path, need),
        what: format!("`{name}` depends on `{need}`"),
        why: WHY,
        way_out: "move what is needed into a crate that both may name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::graph::{self, Row};
    use super::super::tree;
    use super::check;

    fn found(members: usize, rows: &[Row]) -> Vec<String> {
        let tree = tree::of(&[("carpel-slots/Cargo.toml", "[package]\n[dependencies]\ncarpel-pod = {}\n")]);
        brief(&check(&tree::Tree { everywhere: graph::of(members, rows), ..tree }))
    }

    #[test]
    fn the_drawn_edges_are_allowed() {
        let rows: &[Row] = &[
            ("carpel-protocol", &["serde"]),
            ("carpel-slots", &["carpel-protocol", "serde"]),
            ("carpel-tool-views", &["carpel-slots"]),
            ("carpel-pod", &["carpel-protocol", "dev:mock-llm"]),
            (
                "carpel",
                &["carpel-protocol", "carpel-slots", "carpel-tool-views", "carpel-pod", "dev:mock-llm"],
            ),
            ("xtask", &["mock-llm"]),
            ("bench", &["mock-llm", "carpel-slots"]),
            ("mock-llm", &["serde"]),
            ("serde", &[]),
        ];
        assert_eq!(found(8, rows), Vec::<String>::new());
    }

    #[test]
    fn any_other_edge_is_found() {
        for (from, to, expected) in [
            (
                "carpel-slots",
                "carpel-pod",
                "carpel-slots/Cargo.toml:3 `carpel-slots` depends on `carpel-pod`",
            ),
            ("carpel-pod", "carpel-slots", "carpel-pod/Cargo.toml:1 `carpel-pod` depends on `carpel-slots`"),
            (
                "carpel-protocol",
                "carpel",
                "carpel-protocol/Cargo.toml:1 `carpel-protocol` depends on `carpel`",
            ),
            ("carpel-pod", "mock-llm", "carpel-pod/Cargo.toml:1 `carpel-pod` depends on `mock-llm`"),
            (
                "carpel-slots",
                "dev:mock-llm",
                "carpel-slots/Cargo.toml:1 `carpel-slots` depends on `mock-llm`",
            ),
            ("carpel-pod", "dev:carpel", "carpel-pod/Cargo.toml:1 `carpel-pod` depends on `carpel`"),
            (
                "carpel-tool-views",
                "carpel-protocol",
                "carpel-tool-views/Cargo.toml:1 `carpel-tool-views` depends on `carpel-protocol`",
            ),
        ] {
            assert_eq!(
                found(2, &[(from, &[to]), (to.trim_start_matches("dev:"), &[])]),
                [expected],
                "{from} {to}"
            );
        }
    }

    #[test]
    fn a_new_crate_needs_an_entry() {
        assert_eq!(
            found(1, &[("extra", &[])]),
            ["extra/Cargo.toml:1 crate `extra` is not in the table of edges"]
        );
    }
}
