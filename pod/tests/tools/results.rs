//! The shapes of results that views and people rely on, and how a call ends when it is cancelled.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use carpel_pod::tools::{Cancel, ToolCx, Toolbox, Workspace, run_tool};
use serde_json::{Value, json};

use crate::common::strings;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn check(name: &str, arguments: Value, folder: &Path, expected: Value) {
    let report = run_tool(name, &arguments.to_string(), folder);
    assert_eq!(serde_json::to_value(report).unwrap(), expected, "{name} {arguments}");
}

#[test]
fn grep_in_each_mode() {
    let folder = folder(&[
        ("src/lexer.rs", "use x;\n// TODO: unicode\n"),
        ("src/parser.rs", "a\n// TODO one TODO two\nb\nc\nd\n// TODO: last"),
        ("other.md", "nothing\n"),
    ]);
    check(
        "Grep",
        json!({"pattern": "TODO"}),
        folder.path(),
        json!({
            "summary": "4 matches on 3 lines in 2 files",
            "output": "src/lexer.rs\nsrc/parser.rs\n",
            "structured": {"mode": "files_with_matches", "total_matches": 3, "total_occurrences": 4, "total_files": 2, "truncated": false, "files": [
                {"path": "src/lexer.rs", "count": 1},
                {"path": "src/parser.rs", "count": 2, "occurrences": 3},
            ]},
            "is_error": false,
        }),
    );
    check(
        "Grep",
        json!({"pattern": "TODO", "output_mode": "count", "head_limit": 1}),
        folder.path(),
        json!({
            "summary": "4 matches on 3 lines in 2 files",
            "output": "src/lexer.rs:1\n(files 1-1 of 2; go on with offset 1, or narrow the search)\n",
            "structured": {"mode": "count", "total_matches": 3, "total_occurrences": 4, "total_files": 2, "truncated": true, "files": [
                {"path": "src/lexer.rs", "count": 1},
            ]},
            "is_error": false,
        }),
    );
    check(
        "Grep",
        json!({"pattern": "TODO", "output_mode": "content", "-A": 1}),
        folder.path(),
        json!({
            "summary": "4 matches on 3 lines in 2 files",
            "output": "src/lexer.rs:2:// TODO: unicode\n--\nsrc/parser.rs:2:// TODO one TODO two\nsrc/parser.rs-3-b\n--\n\
                src/parser.rs:6:// TODO: last\n",
            "structured": {"mode": "content", "total_matches": 3, "total_occurrences": 4, "total_files": 2, "truncated": false, "files": [
                {"path": "src/lexer.rs", "count": 1, "lines": [
                    {"line": 2, "text": "// TODO: unicode", "hits": [[3, 7]], "context": false},
                ]},
                {"path": "src/parser.rs", "count": 2, "occurrences": 3, "lines": [
                    {"line": 2, "text": "// TODO one TODO two", "hits": [[3, 7], [12, 16]], "context": false},
                    {"line": 3, "text": "b", "hits": [], "context": true},
                    {"line": 6, "text": "// TODO: last", "hits": [[3, 7]], "context": false},
                ]},
            ]},
            "is_error": false,
        }),
    );
    check(
        "Grep",
        json!({"pattern": "absent", "output_mode": "content"}),
        folder.path(),
        json!({
            "summary": "no matches",
            "structured": {"mode": "content", "total_matches": 0, "total_files": 0, "truncated": false, "files": []},
            "is_error": false,
        }),
    );
    check(
        "Grep",
        json!({"pattern": "x", "path": "src/lexr.rs"}),
        folder.path(),
        json!({
            "summary": "`src/lexr.rs` does not exist; find it with Glob",
            "is_error": true,
        }),
    );
}

#[test]
fn grep_tells_binary_files_apart() {
    let folder = folder(&[("a.txt", "needle needle\n\n"), ("b.bin", "x\0needle\0needle\n")]);
    check(
        "Grep",
        json!({"pattern": "needle", "output_mode": "count"}),
        folder.path(),
        json!({
            "summary": "2 matches on 1 line in 1 file; 1 binary file matches too",
            "output": "a.txt:1\nb.bin: binary file matches\n",
            "structured": {
                "mode": "count", "total_matches": 1, "total_occurrences": 2, "total_files": 1, "binary_files": 1,
                "truncated": false, "files": [
                    {"path": "a.txt", "count": 1, "occurrences": 2},
                    {"path": "b.bin", "count": 0, "binary": true},
                ],
            },
            "is_error": false,
        }),
    );
    check(
        "Grep",
        json!({"pattern": "needle", "output_mode": "count", "-o": true, "path": "a.txt"}),
        folder.path(),
        json!({
            "summary": "2 matches in 1 file",
            "output": "a.txt:2\n",
            "structured": {"mode": "count", "total_matches": 2, "total_files": 1, "truncated": false, "files": [
                {"path": "a.txt", "count": 2},
            ]},
            "is_error": false,
        }),
    );
}

#[test]
fn glob_lists_the_newest_first_then_by_name() {
    let folder = folder(&[("b", ""), ("a", ""), ("sub/old", ""), ("sub/new", "")]);
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for (path, age) in [("a", 5), ("b", 5), ("sub/old", 9), ("sub/new", 0)] {
        let file = File::options().write(true).open(folder.path().join(path)).unwrap();
        file.set_modified(start - Duration::from_secs(age)).unwrap();
    }
    check(
        "Glob",
        json!({"pattern": "**/*"}),
        folder.path(),
        json!({
            "summary": "4 files",
            "output": "sub/new\na\nb\nsub/old\n",
            "structured": {"total": 4, "truncated": false, "paths": ["sub/new", "a", "b", "sub/old"]},
            "is_error": false,
        }),
    );
    check(
        "Glob",
        json!({"pattern": "*.none"}),
        folder.path(),
        json!({
            "summary": "no files",
            "structured": {"total": 0, "truncated": false, "paths": []},
            "is_error": false,
        }),
    );
    check(
        "Glob",
        json!({"pattern": "*", "path": "a"}),
        folder.path(),
        json!({
            "summary": "`a` is not a directory; set `path` to a directory, or open the file with Read",
            "is_error": true,
        }),
    );
}

#[test]
fn glob_tells_the_total_of_a_long_list() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..1_005 {
        File::create(folder.path().join(format!("{number}.txt"))).unwrap();
    }
    let report = run_tool("Glob", r#"{"pattern":"*"}"#, folder.path());
    assert_eq!(report.summary, "1,005 files");
    assert_eq!(strings(&report, "paths").len(), 1_000);
    assert!(
        report
            .output
            .unwrap()
            .ends_with("(1,000 of 1,005 files, the newest; narrow `pattern` or `path` to see others)\n")
    );
    let structured = report.structured.unwrap();
    assert_eq!((&structured["total"], &structured["truncated"]), (&json!(1_005), &json!(true)));
}

/// Every way of passing a call that is cancelled: before it starts, and by what it says while it runs.
#[test]
fn a_cancelled_call_ends_with_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..2_001 {
        File::create(folder.path().join(format!("{number}"))).unwrap();
    }
    let workspace = Workspace::open(folder.path()).unwrap();
    let toolbox = Toolbox::standard();
    for (name, arguments) in [
        ("Read", json!({"file_path": "1"})),
        ("Glob", json!({"pattern": "*"})),
        ("Grep", json!({"pattern": "x"})),
    ] {
        let cancel = Cancel::new();
        cancel.cancel();
        let cx = ToolCx { workspace: &workspace, cancel: &cancel, progress: &|_| {} };
        let failure = toolbox.run(name, &arguments, &cx).unwrap_err();
        assert_eq!(failure.summary, "cancelled before it was done", "{name}");
        // The tool itself looks as well: the signal may come between the check and the run.
        let failure = toolbox.get(name).unwrap().run(&arguments, &cx).unwrap_err();
        assert_eq!(failure.summary, "cancelled before it was done", "{name}");
    }
    for (name, arguments) in [("Glob", json!({"pattern": "*"})), ("Grep", json!({"pattern": "x"}))] {
        let cancel = Cancel::new();
        let at_first_word = |said: &str| {
            assert_eq!(said, "2,000 files so far\n");
            cancel.cancel();
        };
        let cx = ToolCx { workspace: &workspace, cancel: &cancel, progress: &at_first_word };
        let failure = toolbox.run(name, &arguments, &cx).unwrap_err();
        assert_eq!(failure.summary, "cancelled before it was done", "{name}");
    }
}
