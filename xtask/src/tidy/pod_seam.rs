//! Rule: the host names the pod in the link and in four subcommands, nowhere else.
//!
//! This file owns the list of those files. Everything else in the host learns of the pod by protocol events, so
//! that a pod in another process, on another machine or in a recording looks the same.
//! It refuses to know what those files do with it.

use super::finding::Finding;
use super::tree::Tree;

const ALLOWED: &[&str] = &[
    "host/src/link.rs",
    "host/src/cli/pod.rs",
    "host/src/cli/tool.rs",
    "host/src/cli/sessions.rs",
    "host/src/cli/doctor.rs",
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in tree.rust().filter(|(file, _)| file.path.starts_with("host/")) {
        if ALLOWED.contains(&file.path.as_str()) {
            continue;
        }
        let first = (0..code.tokens.len()).find(|at| code.word(*at) == Some("carpel_pod"));
        findings.extend(first.map(|at| Finding {
            path: file.path.clone(),
            line: code.tokens[at].line,
            what: "the pod is named here".to_owned(),
            why: "the host learns of the pod by protocol events only, so that a replay and a remote pod look the same",
            way_out: format!("go through one of {}", ALLOWED.join(", ")),
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    #[test]
    fn the_pod_is_named_in_few_places() {
        for (path, text, expected) in [
            ("host/src/link.rs", "use carpel_pod::Pod;", None),
            ("host/src/cli/doctor.rs", "use carpel_pod::Pod;", None),
            ("pod/tests/turn.rs", "use carpel_pod::Pod;", None),
            ("host/src/flow.rs", "// carpel_pod\nconst A: &str = \"carpel_pod\";", None),
            (
                "host/src/flow.rs",
                "\nuse carpel_pod::Pod;\n",
                Some("host/src/flow.rs:2 the pod is named here"),
            ),
            (
                "host/src/cli/exec.rs",
                "carpel_pod::run();",
                Some("host/src/cli/exec.rs:1 the pod is named here"),
            ),
            (
                "host/tests/chat.rs",
                "fn a() { carpel_pod::run() }",
                Some("host/tests/chat.rs:1 the pod is named here"),
            ),
        ] {
            let found = brief(&check(&tree::of(&[(path, text)])));
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{path} {text}");
        }
    }
}
