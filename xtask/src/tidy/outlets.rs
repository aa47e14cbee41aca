//! Rule: stdout and stderr are written to in few files.
//!
//! This file owns the list of them. Text from a model, a file or a name reaches a terminal by these two as well as by a
//! frame; a span and a row take nothing but `Printable`, and `host/src/cli/out.rs` neither, so whoever goes through it
//! cannot forget. It refuses to know what is written. Asking whether one is a terminal is no writing.

use super::finding::Finding;
use super::rust::{Code, Kind};
use super::tree::Tree;

const ALLOWED: &[&str] = &[
    "host/src/cli/out.rs",
    // Its output is the plugin wire, its diagnostics a log; a chat reads both as untrusted.
    "host/src/cli/plugin_host.rs",
    "host/src/cli/plugin_host/library.rs",
    // The screen itself, whose rows are `Printable`, and what is told after a panic.
    "host/src/terminal/guard.rs",
    "host/src/terminal/tty.rs",
    // The protocol, when it is spoken on stdin and stdout.
    "pod/src/server/stdio.rs",
    // Speak of this repository and of scripted answers only.
    "xtask/bench/src/main.rs",
    "xtask/src/main.rs",
    "xtask/trials/src/main.rs",
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in tree.rust().filter(|(file, _)| file.path.contains("/src/")) {
        if ALLOWED.contains(&file.path.as_str()) {
            continue;
        }
        let places = (0..code.tokens.len()).filter(|at| is_outlet(code, *at));
        findings.extend(places.map(|at| Finding {
            path: file.path.clone(),
            line: code.tokens[at].line,
            what: "standard output or error is taken here".to_owned(),
            why: "text of a model, a file or a name would reach a terminal without Printable",
            way_out: "write rows through `host/src/cli/out.rs`".to_owned(),
        }));
    }
    findings
}

/// `stdout()` or `stderr()`, not the method of something, and not only asked whether it is a terminal.
fn is_outlet(code: &Code, at: usize) -> bool {
    let is_named = code.word(at).is_some_and(|word| ["stdout", "stderr"].contains(&word));
    let is_call = code.is(at + 1, &Kind::Open('(')) && code.is(at + 2, &Kind::Close(')'));
    let is_method = at > 0 && code.is(at - 1, &Kind::Mark('.'));
    let is_question = code.is(at + 3, &Kind::Mark('.')) && code.word(at + 4) == Some("is_terminal");
    is_named && is_call && !is_method && !is_question && !code.is_test_line(code.tokens[at].line)
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    #[test]
    fn output_has_few_places() {
        let found = Some("host/src/cli/exec.rs:1 standard output or error is taken here");
        for (path, text, expected) in [
            ("host/src/cli/out.rs", "fn a() { io::stdout().lock(); }", None),
            ("host/src/cli/exec.rs", "fn a() { io::stdout().lock(); }", found),
            ("host/src/cli/exec.rs", "fn a() { let mut out = std::io::stderr(); }", found),
            ("host/src/cli/exec.rs", "fn a() { stdout(); }", found),
            ("host/src/cli/exec.rs", "fn a() -> bool { std::io::stdout().is_terminal() }", None),
            (
                "host/src/cli/exec.rs",
                "fn a() { command.stdout(Stdio::null()).stderr(said); child.stdout(); }",
                None,
            ),
            ("host/src/cli/exec.rs", "// stdout()\nconst A: &str = \"stdout()\";", None),
            ("host/tests/chat.rs", "fn a() { io::stdout().lock(); }", None),
        ] {
            let got = brief(&check(&tree::of(&[(path, text)])));
            assert_eq!(got, expected.into_iter().collect::<Vec<_>>(), "{path} {text}");
        }
    }
}
