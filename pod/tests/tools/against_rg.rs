//! Glob and Grep against the real `rg`: on the hard tree, and on random trees with random ignore rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use carpel_pod::tools::run_tool;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::common::{HardTree, rg, strings};

/// The lines that `rg` prints in `folder`.
fn lines_of(mut rg: Command, arguments: &[&str], folder: &Path) -> Vec<String> {
    let output = rg.args(arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let excused = said.contains("No files were searched") || said.contains("Permission denied");
    assert!(excused || output.status.code().is_some_and(|code| code < 2), "rg {arguments:?}: {said}");
    lines(&String::from_utf8_lossy(&output.stdout))
}

fn tool_lines(name: &str, arguments: Value, folder: &Path) -> Vec<String> {
    let report = run_tool(name, &arguments.to_string(), folder);
    assert!(!report.is_error, "{}", report.summary);
    let mut lines = lines(&report.output.unwrap_or_default());
    // What may not be read is a note here and a word on stderr there.
    lines.retain(|line| !line.starts_with("(not searched: "));
    lines
}

/// Lines without any CR at their ends: `rg --crlf` prints one more than the file has.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

/// Every file that Glob lists under `path` is one that `rg --files` lists, and the other way round.
fn check_files(folder: &Path, path: &str) {
    let Some(rg) = rg() else { return };
    let report = run_tool("Glob", &json!({"pattern": "**/*", "path": path}).to_string(), folder);
    let ours: BTreeSet<String> = strings(&report, "paths").into_iter().collect();
    // With a relative path, rg 13 forgets rules of parent directories; with an absolute one they do not.
    let folder = folder.canonicalize().unwrap();
    let below = folder.join(path);
    let theirs: BTreeSet<String> = lines_of(rg, &["--files", below.to_str().unwrap()], &folder)
        .into_iter()
        .map(|line| Path::new(&line).strip_prefix(&folder).unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(ours, theirs, "files below {path}");
}

/// Grep's content lines are those of `rg`, in the same order.
fn check_lines(folder: &Path, arguments: Value, flags: &[&str]) {
    let Some(rg) = rg() else { return };
    let mut all = vec!["-n", "--no-heading", "--with-filename", "--color=never", "--crlf", "--sort=path"];
    all.extend_from_slice(flags);
    let theirs = lines_of(rg, &all, folder);
    let mut ours = json!({"output_mode": "content", "head_limit": 0});
    for (name, value) in arguments.as_object().unwrap() {
        ours[name] = value.clone();
    }
    assert_eq!(tool_lines("Grep", ours, folder), theirs, "rg {flags:?}");
}

/// Grep counts the lines, matches and text files that `rg` counts.
fn check_figures(folder: &Path, pattern: &str) {
    let Some(rg) = rg() else { return };
    let program = rg.get_program().to_owned();
    let sum = |flag: &str| {
        let output = Command::new(&program)
            .args(["--no-config", "-H", flag, "-e", pattern, "."])
            .current_dir(folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let counts = text.lines().map(|line| line.rsplit(':').next().unwrap().parse::<u64>().unwrap());
        let counts: Vec<u64> = counts.collect();
        (counts.iter().sum::<u64>(), counts.len() as u64)
    };
    let arguments = json!({"pattern": pattern, "output_mode": "count", "head_limit": 0});
    let found = run_tool("Grep", &arguments.to_string(), folder).structured.unwrap();
    let lines = found["total_matches"].as_u64().unwrap();
    let matches = found["total_occurrences"].as_u64().unwrap_or(lines);
    let files = found["total_files"].as_u64().unwrap();
    assert_eq!((lines, files), sum("--count"), "{pattern}");
    assert_eq!((matches, files), sum("--count-matches"), "{pattern}");
}

#[test]
fn the_hard_tree_has_the_same_figures() {
    let work = HardTree::get().work();
    for pattern in ["^", "e", "needle", "l+", "match line"] {
        check_figures(&work.join("text"), pattern);
        check_figures(&work.join("ign"), pattern);
    }
}

#[test]
fn the_hard_tree_has_the_same_files() {
    let tree = HardTree::get();
    for path in ["ign", "text", "links", "perm", "deep", "ign/sub", "ign/build", "names/[id]", "ign/src"] {
        check_files(&tree.work(), path);
    }
}

#[test]
fn the_hard_tree_has_the_same_lines() {
    let tree = HardTree::get();
    let work = tree.work();
    check_lines(&work, json!({"pattern": "needle", "path": "ign"}), &["needle", "ign"]);
    check_lines(&work, json!({"pattern": "29.: n", "path": "text", "-C": 2}), &["-C2", "29.: n", "text"]);
    check_lines(&work, json!({"pattern": "c$", "path": "text/crlf.txt"}), &["c$", "text/crlf.txt"]);
    check_lines(
        &work,
        json!({"pattern": "x|r", "path": "perm", "glob": "*.sh"}),
        &["x|r", "perm", "-g", "*.sh"],
    );
    check_lines(&work, json!({"pattern": "n", "path": "ign", "glob": "*.log"}), &["n", "ign", "-g", "*.log"]);
    check_lines(&work, json!({"pattern": "n", "path": "ign", "glob": "!*.rs"}), &["n", "ign", "-g", "!*.rs"]);
    check_lines(&work, json!({"pattern": "n", "path": "ign", "type": "rust"}), &["n", "ign", "-trust"]);
}

#[derive(Debug, Clone)]
struct RandomTree {
    in_git: bool,
    files: Vec<(String, String)>,
    rules: Vec<(String, String)>,
}

impl RandomTree {
    fn build(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        if self.in_git {
            fs::create_dir(folder.path().join(".git")).unwrap();
        }
        for (path, text) in self.files.iter().chain(&self.rules) {
            let path = folder.path().join(path);
            // A name may be a file in one place and a directory in another; the first to come wins.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                let _ = fs::write(path, text);
            }
        }
        folder
    }
}

fn directory() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "cc", "d.x", ".h"]), 0..4)
        .prop_map(|parts| parts.iter().map(|part| format!("{part}/")).collect())
}

fn file() -> impl Strategy<Value = (String, String)> {
    let name = prop::sample::select(vec![
        "a", "b", "x.rs", "y.rs", "z.log", "d.x", "sp ace", ".dot", "[id]", "!n", "#c",
    ]);
    let line = prop::sample::select(vec![
        "needle",
        "a Needle b",
        "nothing",
        "",
        "two needle needle",
        "tail needle\r",
    ]);
    let text = prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"));
    let end = prop_oneof![19 => Just(""), 1 => Just("\nneedle\0 needle\n")];
    (directory(), name, text, end)
        .prop_map(|(directory, name, text, end)| (format!("{directory}{name}"), text + end))
}

fn rules() -> impl Strategy<Value = (String, String)> {
    let name = prop::sample::select(vec![".gitignore", ".ignore", ".rgignore", ".gitignore"]);
    let rule = prop::sample::select(vec![
        "a",
        "b/",
        "/cc",
        "*.rs",
        "!x.rs",
        "*.log",
        "!*.log",
        "a/b",
        "**/b",
        "cc/**",
        "!cc/x.rs",
        "d.x/",
        "/a/",
        "*",
        "!*/",
        "!y.rs",
        "# comment",
        "",
        "\\!n",
        "\\#c",
        "sp ace",
        "[ab]",
        "[!a]",
        "?",
        "\\[id\\]",
        "*.x ",
        "a/**/b",
        "/*",
        "!/b",
        "!.dot",
        ".h",
        "!.h/",
    ]);
    let text = prop::collection::vec(rule, 1..5).prop_map(|rules| rules.join("\n"));
    (directory(), name, text).prop_map(|(directory, name, text)| (format!("{directory}{name}"), text))
}

fn random_tree() -> impl Strategy<Value = RandomTree> {
    let files = prop::collection::vec(file(), 1..16);
    let rules = prop::collection::vec(rules(), 0..4);
    (any::<bool>(), files, rules).prop_map(|(in_git, files, rules)| RandomTree { in_git, files, rules })
}

#[test]
fn random_trees_agree() {
    if rg().is_none() {
        return;
    }
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&random_tree(), |tree| {
        let folder = tree.build();
        let folder = folder.path();
        check_files(folder, "");
        if folder.join("a").is_dir() {
            check_files(folder, "a");
        }
        check_figures(folder, "needle");
        // Of a binary file `rg` shows the lines before the first NUL byte, Grep none.
        if tree.files.iter().any(|(_, text)| text.contains('\0')) {
            return Ok(());
        }
        // Without a path `rg` names files as these tools do.
        check_lines(folder, json!({"pattern": "needle$"}), &["needle$"]);
        check_lines(
            folder,
            json!({"pattern": "needle", "-i": true, "-B": 1, "-A": 2}),
            &["-iB1", "-A2", "needle"],
        );
        Ok(())
    });
    if let Err(problem) = run {
        panic!("{problem}");
    }
}
