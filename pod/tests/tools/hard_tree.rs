//! Rows of the bug log that concern reading and searching, each on the hard tree, named after the row.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use carpel_pod::permission::{Mode, Permissions};
use carpel_pod::run_tool_alone;
use carpel_pod::tools::{ToolReport, Workspace, run_tool};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use crate::common::{HardTree, strings};

/// A call that must succeed: its summary, and a text that its output begins with or contains.
fn check(name: &str, arguments: Value, summary: &str, output: &str) -> ToolReport {
    let report = HardTree::get().run(name, arguments.clone());
    assert!(!report.is_error, "{name} {arguments}: {}", report.summary);
    assert_eq!(report.summary, summary, "{name} {arguments}: {:?}", report.output);
    let got = report.output.as_deref().unwrap_or_default();
    assert!(got.contains(output), "{name} {arguments}: {got:?} lacks {output:?}");
    report
}

/// A call that must be refused, with a sentence that contains `fact`.
fn check_refused(name: &str, arguments: Value, fact: &str) {
    let report = HardTree::get().run(name, arguments.clone());
    assert!(report.is_error, "{name} {arguments}: {} {:?}", report.summary, report.output);
    assert!(report.summary.contains(fact), "{name} {arguments}: {} lacks {fact:?}", report.summary);
    assert!(!report.summary.contains('\n'), "{}", report.summary);
}

#[test]
fn log_9_06_link_cycles_end() {
    let report = check("Glob", json!({"pattern": "**/*", "path": "links"}), "4 files", "links/real.txt\n");
    let paths: BTreeSet<String> = strings(&report, "paths").into_iter().collect();
    assert_eq!(
        paths,
        ["links/adir.txt", "links/empty", "links/hard.txt", "links/real.txt"].map(str::to_owned).into()
    );
    check(
        "Grep",
        json!({"pattern": "real", "path": "links/self/self"}),
        "2 matches in 2 files",
        "links/real.txt\n",
    );
    check_refused("Read", json!({"file_path": "links/loop_a"}), "leads to itself");
}

#[test]
fn log_9_07_links_out_are_not_followed() {
    for path in ["links/out_dir", "links/up", "links/procroot", "links/c1/to2/../out_dir"] {
        check_refused("Glob", json!({"pattern": "**/*", "path": path}), "is outside the workspace");
        check_refused("Grep", json!({"pattern": "x", "path": path}), "is outside the workspace");
    }
}

#[test]
fn log_9_08_blanks_of_a_name_are_kept() {
    check("Read", json!({"file_path": "names/trailing "}), "1 line", "     1\tcontent\n");
    check("Read", json!({"file_path": "names/ leading"}), "1 line", "     1\tcontent\n");
    check("Glob", json!({"pattern": "*", "path": "names/dir "}), "no files", "");
    check_refused("Read", json!({"file_path": "names/dir "}), "`names/dir ` is a directory");
    check_refused("Read", json!({"file_path": "names/trailing"}), "did you mean `names/trailing `?");
}

#[test]
fn log_9_09_a_percent_sign_is_a_percent_sign() {
    check("Read", json!({"file_path": "names/%20 encoded"}), "1 line", "content");
    check_refused("Read", json!({"file_path": "names/two%20words.txt"}), "does not exist");
}

#[test]
fn log_9_10_listed_means_openable() {
    let tree = HardTree::get();
    let listed = tree.run("Glob", json!({"pattern": "**/*", "path": "names"}));
    let paths = strings(&listed, "paths");
    assert!(paths.len() > 35, "{paths:?}");
    for shown in
        ["bad\\xffutf8", "nnbsp\u{202f}here.png", "caf\u{e9}", "cafe\u{301}", "new\\x0aline", "[id]/page.tsx"]
    {
        assert!(paths.contains(&format!("names/{shown}")), "{shown} in {paths:?}");
    }
    for path in &paths {
        let report = tree.run("Read", json!({"file_path": path}));
        assert_eq!(report.output.as_deref(), Some("     1\tcontent\n"), "{path}: {}", report.summary);
        assert_eq!(report.structured.unwrap()["path"], *path);
    }
    let lines: Vec<String> = listed.output.unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines, paths, "one line for each name");

    let found = tree.run("Grep", json!({"pattern": "content", "path": "names"}));
    let found: BTreeSet<&str> = found.output.as_ref().unwrap().lines().collect();
    assert_eq!(found, paths.iter().map(String::as_str).collect());
}

/// Each name as it is listed searches and changes its own file, and no other one.
#[test]
fn log_9_10_listed_means_changeable() {
    let folder = tempfile::tempdir().unwrap();
    let names = HardTree::get().work().join("names");
    let copied = Command::new("cp").arg("-a").arg(names).arg(folder.path()).status().unwrap();
    assert!(copied.success());
    let run = |name: &str, arguments: Value| {
        let permissions = Permissions { mode: Mode::All, ..Permissions::default() };
        run_tool_alone(name, &arguments.to_string(), folder.path(), permissions)
    };
    let paths = strings(&run("Glob", json!({"pattern": "**/*"})), "paths");
    assert!(paths.len() > 35, "{paths:?}");
    for path in &paths {
        let found = run("Grep", json!({"pattern": "content", "path": path}));
        assert_eq!(found.output.as_deref(), Some(format!("{path}\n").as_str()), "{}", found.summary);
        let edited =
            run("Edit", json!({"file_path": path, "old_string": "content", "new_string": "changed"}));
        assert!(!edited.is_error, "{path}: {}", edited.summary);
        let left = run("Grep", json!({"pattern": "content"}));
        assert!(!strings_of(&left).contains(path), "{path}");
    }
    assert_eq!(run("Grep", json!({"pattern": "content"})).output, None);
    let changed = run("Grep", json!({"pattern": "changed"}));
    assert_eq!(strings_of(&changed).len(), paths.len(), "{:?}", changed.output);
}

fn strings_of(report: &ToolReport) -> BTreeSet<String> {
    report.output.as_deref().unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn log_3_06_hostile_names_are_one_row_and_open_again() {
    let folder = tempfile::tempdir().unwrap();
    let names = include_str!("../data/h18_file_names.jsonl").lines();
    let names: Vec<Value> = names.map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in &names {
        fs::write(folder.path().join(name["name"].as_str().unwrap()), "content\n").unwrap();
    }
    let listed = run_tool("Glob", r#"{"pattern":"*"}"#, folder.path());
    let output = listed.output.unwrap();
    assert_eq!(output.lines().count(), names.len());
    assert!(!output.chars().any(|c| c.is_control() && c != '\n'), "{output:?}");
    for line in output.lines() {
        let report = run_tool("Read", &json!({"file_path": line}).to_string(), folder.path());
        assert_eq!(report.summary, "1 line", "{line:?}");
    }
}

#[test]
fn log_10_01_line_ends_are_not_shown() {
    check("Read", json!({"file_path": "text/crlf.txt"}), "3 lines", "     1\ta\n     2\tb\n     3\tc\n");
    check("Read", json!({"file_path": "text/mixed.txt"}), "3 lines", "     1\ta\n     2\tb\n     3\tc\n");
    check("Read", json!({"file_path": "text/noeol.txt"}), "2 lines", "     1\ta\n     2\tb\n");
    check("Read", json!({"file_path": "text/onlynl.txt"}), "1 line", "     1\t\n");
    check("Read", json!({"file_path": "text/zero.txt"}), "empty file", "(the file is empty)");
    check(
        "Grep",
        json!({"pattern": "^b$", "path": "text/crlf.txt", "output_mode": "content"}),
        "1 match in 1 file",
        "text/crlf.txt:2:b\n",
    );
}

#[test]
fn log_10_02_a_byte_order_mark_is_not_shown() {
    check("Read", json!({"file_path": "text/bom.txt"}), "2 lines", "     1\tbom\n     2\tx\n");
    check(
        "Grep",
        json!({"pattern": "^bom", "path": "text/bom.txt", "output_mode": "content"}),
        "1 match in 1 file",
        "text/bom.txt:1:bom\n",
    );
    check("Read", json!({"file_path": "text/utf16le.txt"}), "1 line", "     1\thi\n(the file is UTF-16");
    check_refused("Read", json!({"file_path": "text/utf32be.txt"}), "binary file (8 bytes, with NUL bytes)");
}

#[test]
fn log_10_04_foreign_bytes_are_marked_and_told() {
    for file in ["cp1252", "sjis", "gbk"] {
        let report = HardTree::get().run("Read", json!({"file_path": format!("text/{file}.txt")}));
        let output = report.output.unwrap();
        assert!(output.contains('\u{fffd}') && output.contains("bytes that are not UTF-8"), "{output:?}");
    }
    let report = check("Read", json!({"file_path": "text/fffd.txt"}), "1 line", "\u{fffd} is a real U+FFFD");
    assert!(!report.output.unwrap().contains("not UTF-8"));
}

#[test]
fn log_10_13_fifo_is_refused() {
    check_refused(
        "Read",
        json!({"file_path": "links/pipe"}),
        "`links/pipe` is a pipe (FIFO), not a regular file",
    );
    check_refused("Grep", json!({"pattern": "x", "path": "links/pipe"}), "is a pipe (FIFO)");
    check_refused(
        "Read",
        json!({"file_path": "links/zero"}),
        "is outside the workspace (it leads to /dev/zero)",
    );
    check_refused("Read", json!({"file_path": "links/stdin"}), "is outside the workspace");
    for (workspace, path) in [("/dev", "zero"), ("/proc", "self/status"), ("/proc", "version")] {
        let report = run_tool("Read", &json!({"file_path": path}).to_string(), Path::new(workspace));
        assert!(
            report.is_error && report.summary.contains("not a regular file"),
            "{path}: {}",
            report.summary
        );
    }
}

#[test]
fn log_10_17_a_hit_in_a_long_line_is_shown_around_the_match() {
    let report = check(
        "Grep",
        json!({"pattern": "needle", "path": "text/longline.txt", "output_mode": "content"}),
        "1 match in 1 file",
        "text/longline.txt:1:needlexxx",
    );
    let output = report.output.unwrap();
    assert!(output.len() < 700 && output.ends_with(" [69,506 bytes]\n"), "{output}");
    let line = &report.structured.unwrap()["files"][0]["lines"][0];
    assert_eq!(line["hits"], json!([[0, 6]]));

    check(
        "Read",
        json!({"file_path": "text/longline.txt"}),
        "1 line",
        "x [68,006 bytes more]\n(1 line is cut",
    );
}

#[test]
fn log_10_19_a_long_hit_with_context_is_part_of_the_line() {
    check(
        "Grep",
        json!({"pattern": "needle", "path": "text/longline.txt", "output_mode": "content", "-C": 1}),
        "1 match in 1 file",
        "text/longline.txt:1:needlexxx",
    );
}

#[test]
fn log_10_18_bad_patterns_are_told() {
    for (pattern, fact) in [
        ("(", "unclosed group at column 1"),
        ("[", "unclosed character class"),
        ("*a", "repetition operator missing expression"),
        ("\\", "incomplete escape sequence"),
    ] {
        check_refused("Grep", json!({"pattern": pattern}), fact);
    }
    check_refused("Grep", json!({"pattern": "x", "glob": "[", }), "glob `[`");
    check_refused(
        "Grep",
        json!({"pattern": "x", "type": "nonesuch"}),
        "type `nonesuch` is not known; use `glob`",
    );
    check_refused("Glob", json!({"pattern": "["}), "unclosed character class");
}

#[test]
fn log_10_20_a_nul_does_not_hide_a_match() {
    let report = check(
        "Grep",
        json!({"pattern": "match line", "path": "text", "output_mode": "content"}),
        "1 binary file matches",
        "text/nul.txt: binary file matches\n",
    );
    assert_eq!(
        report.structured.unwrap()["files"],
        json!([{"path": "text/nul.txt", "count": 0, "binary": true, "lines": []}])
    );
    check(
        "Grep",
        json!({"pattern": "hello", "path": "text/nul.txt"}),
        "1 binary file matches",
        "text/nul.txt\n",
    );
    check_refused("Read", json!({"file_path": "text/nul.txt"}), "binary file (23 bytes, with NUL bytes)");
}

#[test]
fn log_10_21_dangling_and_linked_paths_out_are_refused() {
    let tree = HardTree::get();
    let workspace = Workspace::open(&tree.work()).unwrap();
    for path in ["links/dangling_out", "links/out_dir/new.txt", "links/out_file", "links/up/x"] {
        let failure = workspace.resolve(path).unwrap_err();
        assert!(failure.summary.contains("is outside the workspace (it leads to "), "{}", failure.summary);
    }
    assert_eq!(workspace.display(&workspace.resolve("links/dangling").unwrap()), "links/nowhere");
    check_refused("Read", json!({"file_path": "links/dangling"}), "does not exist");
}

#[test]
fn log_10_22_a_sibling_with_the_same_prefix_is_outside() {
    check_refused("Read", json!({"file_path": "../work-evil/x.txt"}), "is outside the workspace");
    let absolute = HardTree::get().work().join("../work-evil/x.txt");
    check_refused("Read", json!({"file_path": absolute}), "is outside the workspace");
    check_refused("Glob", json!({"pattern": "../work-evil/*"}), "climbs out");
}

#[test]
fn log_10_23_a_search_does_not_see_through_file_links() {
    check("Grep", json!({"pattern": "secret outside"}), "no matches", "");
    check_refused("Grep", json!({"pattern": "secret", "path": "links/out_file"}), "is outside the workspace");
    check("Read", json!({"file_path": "links/link.txt"}), "1 line", "     1\treal\n");
}

#[test]
fn log_10_25_brackets_in_a_path_are_brackets() {
    check("Read", json!({"file_path": "names/[id]/page.tsx"}), "1 line", "content");
    check("Glob", json!({"pattern": "names/[id]/page.tsx"}), "1 file", "names/[id]/page.tsx\n");
    check("Glob", json!({"pattern": "*.tsx", "path": "names/[id]"}), "1 file", "names/[id]/page.tsx\n");
    check("Glob", json!({"pattern": "{a,b}/*", "path": "names"}), "1 file", "names/{a,b}/x\n");
    check(
        "Grep",
        json!({"pattern": "content", "path": "names/[id]"}),
        "1 match in 1 file",
        "names/[id]/page.tsx",
    );
    check(
        "Grep",
        json!({"pattern": "content", "path": "names/(group)"}),
        "1 match in 1 file",
        "names/(group)/x",
    );
}

#[test]
fn ignore_rules_of_the_hard_tree() {
    let report = check("Grep", json!({"pattern": "needle", "path": "ign"}), "5 matches in 5 files", "");
    let kept =
        ["build/keep/k.txt", "important.log", "node_modules/pkg/i.js", "src/main.rs", "sub/secret.log"];
    let expected: Vec<String> = kept.iter().map(|file| format!("ign/{file}")).collect();
    assert_eq!(report.output.unwrap().lines().collect::<Vec<_>>(), expected);
    check_refused("Glob", json!({"pattern": "*", "path": "ign/.git"}), "belongs to git");
}

#[test]
fn a_tree_of_200_levels() {
    let report = check("Glob", json!({"pattern": "bottom.txt"}), "1 file", "bottom.txt\n");
    let path = strings(&report, "paths").remove(0);
    check("Read", json!({"file_path": path}), "1 line", "bottom");
}

#[test]
fn what_may_not_be_read_is_told() {
    let tree = HardTree::get();
    let report = tree.run("Read", json!({"file_path": "perm/unreadable.txt"}));
    let searched = tree.run("Grep", json!({"pattern": "none", "path": "perm"}));
    if fs::read(tree.work().join("perm/unreadable.txt")).is_ok() {
        // A superuser may read everything.
        assert_eq!(report.summary, "1 line");
        assert_eq!(searched.summary, "1 match in 1 file");
    } else {
        assert!(report.summary.contains("permission denied"), "{}", report.summary);
        let output = searched.output.unwrap();
        assert!(output.contains("not searched: ") && output.contains("and 1 more"), "{output}");
    }
}

#[test]
fn a_sparse_file_of_5_gb() {
    check_refused("Read", json!({"file_path": "sparse_5g.bin"}), "binary file (5,368,709,120 bytes");
    check("Grep", json!({"pattern": "bottom"}), "1 match in 1 file", "bottom.txt");
    let report = check("Grep", json!({"pattern": "x", "path": "sparse_5g.bin"}), "no matches", "");
    assert!(report.output.unwrap().contains("large and binary, searched up to its first NUL byte"));
}

#[test]
fn a_large_file_is_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::create(folder.path().join("big")).unwrap();
    let lines: String = (1..=20_000).map(|number| format!("line {number}\n")).collect();
    file.write_all(lines.as_bytes()).unwrap();
    file.set_len(5 << 30).unwrap();
    let report = run_tool("Read", r#"{"file_path":"big","offset":15000,"limit":2}"#, folder.path());
    assert_eq!(report.summary, "lines 15000-15001 of more");
    assert_eq!(
        report.output.as_deref(),
        Some(
            " 15000\tline 15000\n 15001\tline 15001\n(lines 15000-15001 of many more; go on with offset 15002)\n"
        )
    );
    assert_eq!(
        report.structured,
        Some(
            json!({"path": "big", "start_line": 15000, "num_lines": 2, "total_lines": null, "truncated": false})
        )
    );
    let report = run_tool("Read", r#"{"file_path":"big","offset":20001}"#, folder.path());
    assert!(report.output.unwrap().contains("goes on for more than 67,108,864 bytes"));
}

#[test]
fn reading_in_pieces() {
    let hits = |arguments: Value, summary: &str, note: &str| {
        check("Read", arguments, summary, note).structured.unwrap()
    };
    let file = "text/manyhits.txt";
    let first = hits(
        json!({"file_path": file}),
        "lines 1-2000 of 3,000",
        "(lines 1-2000 of 3000; go on with offset 2001)",
    );
    assert_eq!(
        first,
        json!({"path": file, "start_line": 1, "num_lines": 2000, "total_lines": 3000, "truncated": true})
    );
    let rest = hits(
        json!({"file_path": file, "offset": 2001}),
        "lines 2001-3000 of 3,000",
        "  3000\t3000: needle\n",
    );
    assert_eq!(
        rest,
        json!({"path": file, "start_line": 2001, "num_lines": 1000, "total_lines": 3000, "truncated": false})
    );
    hits(json!({"file_path": file, "offset": 5, "limit": 1}), "line 5 of 3,000", "     5\t5: needle\n");
    hits(json!({"file_path": file, "limit": 3000}), "3,000 lines", "     1\t1: needle\n");
    check_refused(
        "Read",
        json!({"file_path": file, "offset": 3001}),
        "has 3,000 lines; `offset` 3001 is past its end",
    );
    check_refused("Read", json!({"file_path": ""}), "`file_path` is empty");
}

#[test]
fn searching_in_pieces() {
    let page = |offset: u64| {
        HardTree::get().run(
            "Grep",
            json!({"pattern": "needle", "path": "text", "glob": "many*", "output_mode": "content", "offset": offset, "head_limit": 1000}),
        )
    };
    let mut seen = Vec::new();
    for offset in [0, 1000, 2000] {
        let report = page(offset);
        assert_eq!(report.summary, "3,000 matches in 1 file");
        let structured = report.structured.unwrap();
        assert_eq!(structured["truncated"], json!(offset < 2000));
        for line in structured["files"][0]["lines"].as_array().unwrap() {
            seen.push(line["line"].as_u64().unwrap());
        }
        let note =
            format!("(lines {}-{} of 3,000; go on with offset {}", offset + 1, offset + 1000, offset + 1000);
        assert_eq!(report.output.unwrap().contains(&note), offset < 2000);
    }
    assert_eq!(seen, (1..=3000).collect::<Vec<u64>>());
    assert!(page(3000).output.unwrap().contains("offset 3000 is past the last of 3,000 lines"));
}

#[test]
fn a_match_over_lines_and_parts_of_lines() {
    let report = check(
        "Grep",
        json!({"pattern": "a.b", "path": "text/noeol.txt", "output_mode": "content", "multiline": true}),
        "1 match in 1 file",
        "text/noeol.txt:1:a\ntext/noeol.txt:2:b\n",
    );
    let lines = report.structured.unwrap()["files"][0]["lines"].clone();
    assert_eq!(
        lines,
        json!([
            {"line": 1, "text": "a", "hits": [[0, 1]], "context": false},
            {"line": 2, "text": "b", "hits": [[0, 1]], "context": false},
        ])
    );
    check(
        "Grep",
        json!({"pattern": "s|m", "path": "text/triple.txt", "output_mode": "content", "-o": true, "-n": false}),
        "6 matches in 1 file",
        "text/triple.txt:s\ntext/triple.txt:m\ntext/triple.txt:s\n",
    );
    check(
        "Grep",
        json!({"pattern": "SAME", "-i": true, "path": "text/triple.txt", "output_mode": "count"}),
        "3 matches in 1 file",
        "text/triple.txt:3\n",
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The kernel is the oracle: where it can resolve a path, it is resolved to the same place or refused as outside.
    #[test]
    fn resolving_agrees_with_the_kernel(parts in prop::collection::vec(prop::sample::select(vec![
        "..", ".", "", "links", "names", "self", "up", "out_dir", "out_file", "procroot", "c1", "c2", "to1", "to2",
        "link.txt", "real.txt", "dangling", "dangling_out", "loop_a", "adir", "[id]", "work", "work-evil", "outside", "x.txt",
    ]), 0..9)) {
        let work = HardTree::get().work();
        let workspace = Workspace::open(&work).unwrap();
        let path = parts.join("/");
        let resolved = workspace.resolve(&path);
        if let Ok(resolved) = &resolved {
            prop_assert!(resolved.starts_with(workspace.root()), "{path} led to {resolved:?}");
        }
        match fs::canonicalize(workspace.root().join(&path)) {
            Ok(real) if real.starts_with(workspace.root()) => prop_assert_eq!(resolved, Ok(real)),
            Ok(real) => prop_assert!(resolved.is_err(), "{path} is {real:?}"),
            // Missing or not to be reached: it was checked above that it is not outside.
            Err(_) => {}
        }
    }
}
