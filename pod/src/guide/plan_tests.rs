//! A conversation and fabricated results in, thinking, calls and answers out.
//!
//! Each file of `tests/data/guide/talks` is a talk: `>> request`, then for every step what guide does, and between
//! them the results, which this file makes from a small project that exists in memory only.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use carpel_protocol::word::ToolKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::guide::script::MOST_ROUNDS;
use crate::provider::ToolOffer;

/// A project in memory: paths and texts.
const PROJECT: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"peel\"\nversion = \"0.3.0\"\ndescription = \"Peels fruit\"\n\n[dependencies]\n",
    ),
    (
        "README.md",
        "# peel\n\nPeels fruit,\none at a time.\n\n## Use\n\n```\n# peel fig\n```\n\n## Licence\n\nMIT\n",
    ),
    ("docs/notes.md", "# Notes\n\nTODO: write them\n"),
    ("src/lexer.rs", "pub struct Lexer;\n// TODO: unicode classes\npub fn lex() {}\n"),
    ("src/main.rs", "mod lexer;\nmod parser;\n\nfn main() {\n    parser::parse_args();\n}\n"),
    (
        "src/parser.rs",
        "//! A small parser.\nuse crate::lexer::Lexer;\n// TODO: handle escapes\npub fn parse_args() {\n    // TODO: `quotes` too\n    Lexer.next().unwrap();\n}\n\n#[test]\nfn empty() {}\n",
    ),
    ("empty.txt", ""),
    ("logo.bin", "\0"),
];

/// A tool that answers from the project. It knows the patterns that guide writes, not all that a tool knows.
fn answer(project: &[(&str, &str)], call: &Call) -> Outcome {
    let arguments: Value = serde_json::from_str(&call.arguments()).unwrap();
    let path = arguments["path"].as_str().unwrap_or("");
    let within = |file: &str| path.is_empty() || file == path || file.starts_with(&format!("{path}/"));
    let known = path.is_empty() || project.iter().any(|file| within(file.0));
    if !known {
        return Outcome::failed(format!("`{path}` does not exist; find it with Glob"));
    }
    let glob = |pattern: &str, file: &str| {
        let pattern = pattern.to_owned();
        let matcher =
            globset::GlobBuilder::new(&pattern).literal_separator(true).build().unwrap().compile_matcher();
        matcher.is_match(file)
    };
    match call.tool {
        "Glob" => {
            let pattern = arguments["pattern"].as_str().unwrap();
            let below = |file: &str| file.strip_prefix(&format!("{path}/")).unwrap_or(file).to_owned();
            let paths: Vec<&str> = project
                .iter()
                .map(|file| file.0)
                .filter(|file| within(file) && glob(pattern, &below(file)))
                .collect();
            let structured = json!({"total": paths.len(), "truncated": false, "paths": paths});
            Outcome { text: String::new(), structured, is_error: false }
        }
        "Grep" => grep(project, &arguments, &|file| {
            within(file) && arguments["glob"].as_str().is_none_or(|only| glob(&format!("**/{only}"), file))
        }),
        "Read" => read(project, &arguments),
        other => panic!("no tool {other}"),
    }
}

fn grep(project: &[(&str, &str)], arguments: &Value, searched: &dyn Fn(&str) -> bool) -> Outcome {
    use grep_matcher::Matcher;
    let pattern = arguments["pattern"].as_str().unwrap();
    let any_case = arguments["-i"].as_bool().unwrap_or(false);
    let matcher = match grep_regex::RegexMatcherBuilder::new().case_insensitive(any_case).build(pattern) {
        Ok(matcher) => matcher,
        Err(_) => {
            return Outcome::failed(format!("`{pattern}` is not a regular expression; escape its marks"));
        }
    };
    let mut files = Vec::new();
    let mut total = 0;
    for (path, text) in project.iter().filter(|file| searched(file.0) && !file.1.contains('\0')) {
        let lines: Vec<Value> = text
            .lines()
            .enumerate()
            .filter(|line| matcher.is_match(line.1.as_bytes()).unwrap())
            .map(|(at, line)| json!({"line": at + 1, "text": line, "hits": [], "context": false}))
            .collect();
        if !lines.is_empty() {
            total += lines.len();
            let count = lines.len();
            let shown = if arguments["output_mode"] == "content" { lines } else { Vec::new() };
            files.push(json!({"path": path, "count": count, "lines": shown}));
        }
    }
    let structured = json!({"mode": "content", "total_matches": total, "total_files": files.len(), "truncated": false, "files": files});
    Outcome { text: String::new(), structured, is_error: false }
}

fn read(project: &[(&str, &str)], arguments: &Value) -> Outcome {
    let path = arguments["file_path"].as_str().unwrap();
    let Some((_, text)) = project.iter().find(|file| file.0 == path) else {
        let folder =
            project.iter().any(|file| file.0.starts_with(&format!("{}/", path.trim_end_matches('/'))));
        let fact = if folder {
            "is a directory; list its files with Glob"
        } else {
            "does not exist; find it with Glob"
        };
        return Outcome::failed(format!("`{path}` {fact}"));
    };
    if text.contains('\0') {
        return Outcome::failed(format!(
            "`{path}` is a binary file (1 byte, with NUL bytes); Read shows text only"
        ));
    }
    let total = text.lines().count();
    let first = arguments["offset"].as_u64().unwrap_or(1).max(1) as usize;
    let limit = arguments["limit"].as_u64().unwrap_or(2_000) as usize;
    let lines: Vec<(usize, &str)> = text.lines().enumerate().skip(first - 1).take(limit).collect();
    if lines.is_empty() && total > 0 {
        return Outcome::failed(format!("`{path}` has {total} lines; `offset` {first} is past its end"));
    }
    let output: String = lines.iter().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect();
    let structured = json!({"path": path, "start_line": first, "num_lines": lines.len(), "total_lines": total, "truncated": false});
    Outcome { text: output, structured, is_error: false }
}

fn offer(name: &str) -> ToolOffer {
    ToolOffer { name: name.to_owned(), description: String::new(), schema: Value::Null, kind: ToolKind::Read }
}

fn tools() -> Vec<ToolOffer> {
    ["Read", "Glob", "Grep"].map(offer).to_vec()
}

/// Plays requests one after the other; what guide does, as text.
fn talk(project: &[(&str, &str)], requests: &[&str], tools: Vec<ToolOffer>) -> String {
    let mut request = Request { system: String::new(), messages: Vec::new(), tools };
    let mut told = String::new();
    for text in requests {
        let _ = writeln!(told, ">> {text}");
        request.messages.push(Message::User { text: (*text).to_owned() });
        let mut rounds = 0;
        loop {
            match next(&request) {
                Next::Answer { text } => {
                    let _ = writeln!(told, "{}\n", text.trim_end());
                    request.messages.push(Message::Assistant { text });
                    break;
                }
                Next::Calls { thinking, calls } => {
                    rounds += 1;
                    assert!(rounds <= MOST_ROUNDS && !calls.is_empty(), "{text}");
                    let _ = writeln!(told, "~ {}", thinking.replace('\n', "\n~ "));
                    let from = request.messages.len();
                    for (at, call) in calls.iter().enumerate() {
                        let _ = writeln!(told, "! {} {}", call.tool, call.arguments());
                        let (id, name) = (format!("{from}.{at}"), call.tool.to_owned());
                        request.messages.push(Message::ToolCall { id, name, arguments: call.arguments() });
                    }
                    for (at, call) in calls.iter().enumerate() {
                        let Outcome { text, structured, is_error } = answer(project, call);
                        let structured = Some(structured).filter(|data| !data.is_null());
                        request.messages.push(Message::ToolResult {
                            id: format!("{from}.{at}"),
                            text,
                            structured,
                            is_error,
                        });
                    }
                }
            }
        }
    }
    told
}

/// `name` is a file of talks: its lines that begin with `>> ` are played, and all of it has to come out again. With
/// `CARPEL_BLESS` set the files are written anew, to be read before they are committed.
fn check(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/guide/talks").join(name);
    let expected = fs::read_to_string(&file).unwrap();
    let mut got = String::new();
    for part in expected.split("---\n") {
        let requests: Vec<&str> = part.lines().filter_map(|line| line.strip_prefix(">> ")).collect();
        if !got.is_empty() {
            got.push_str("---\n");
        }
        got.push_str(&talk(PROJECT, &requests, tools()));
    }
    if std::env::var_os("CARPEL_BLESS").is_some() {
        fs::write(&file, &got).unwrap();
        return;
    }
    assert_eq!(got, expected, "{name}");
}

#[test]
fn talks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/guide/talks");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 5, "{names:?}");
    for name in names {
        check(&name);
    }
}

#[test]
fn an_empty_folder_and_missing_tools_are_told() {
    let told = talk(&[], &["write a poem", "explore this project", "list files", "find every TODO"], tools());
    for sentence in [
        "There are no files here to work on",
        "There are no files here. ",
        "There are no files. ",
        "There are no TODOs (0 files searched).",
    ] {
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
    let told = talk(PROJECT, &["find every TODO and read the file with the most"], vec![offer("Read")]);
    assert!(
        told.contains("The tool Glob is not offered here")
            || told.contains("the tool Glob is not offered here"),
        "{told}"
    );
}

#[test]
fn lists_that_a_tool_cut_are_told() {
    let results = |truncated: bool| {
        let file = |path: &str, count: u64| json!({"path": path, "count": count, "lines": []});
        json!({"mode": "count", "total_matches": 90, "total_files": 12, "truncated": truncated, "files": [file("a.rs", 7), file("b.rs", 7)]})
    };
    let ask = |structured: Value| {
        let messages = vec![
            Message::User { text: "how many uses of foo in src".to_owned() },
            Message::ToolCall { id: "1".to_owned(), name: "Grep".to_owned(), arguments: String::new() },
            Message::ToolResult {
                id: "1".to_owned(),
                text: String::new(),
                structured: Some(structured),
                is_error: false,
            },
        ];
        match next(&Request { system: String::new(), messages, tools: tools() }) {
            Next::Answer { text } => text,
            Next::Calls { .. } => panic!("more calls"),
        }
    };
    assert_eq!(
        ask(results(true)),
        "There are at least 90 matches of `foo` in 12 files in `src`; `a.rs` and `b.rs` have the most (7 each).\n\n\
         1. `a.rs`: 7\n2. `b.rs`: 7\n\n… and 10 more files.\n\n\
         The tool cut its list here, so there may be more. Name a folder to narrow it."
    );
    assert!(!ask(results(false)).contains("at least"));
}

#[test]
fn an_interrupted_call_and_a_turn_of_another_provider_do_not_confuse() {
    let call = |name: &str| Message::ToolCall {
        id: "x".to_owned(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    let messages = vec![
        Message::User { text: "find every TODO".to_owned() },
        call("Bash"),
        Message::User { text: "read the second one".to_owned() },
    ];
    let Next::Answer { text } = next(&Request { system: String::new(), messages, tools: tools() }) else {
        panic!("there is nothing to read")
    };
    assert!(text.starts_with("There is no list to pick from"), "{text}");

    let messages = vec![Message::User { text: "read a.rs".to_owned() }, call("Read")];
    let Next::Answer { text } = next(&Request { system: String::new(), messages, tools: tools() }) else {
        panic!("the call was made")
    };
    assert_eq!(text, "The call was interrupted.");
}

proptest! {
    /// Whatever is asked and whatever comes back, a turn ends.
    #[test]
    fn every_turn_ends(
        first in prop::sample::select(include_str!("../../tests/data/guide/requests.txt").lines().filter(|line| !line.starts_with([' ', '#'])).collect::<Vec<_>>()),
        second in "\\PC{0,30}",
        results in prop::collection::vec((any::<bool>(), 0usize..5), 0..60),
    ) {
        let mut request = Request { system: String::new(), messages: Vec::new(), tools: tools() };
        let mut results = results.into_iter().cycle();
        for text in [first, &second, "read the last one"] {
            request.messages.push(Message::User { text: text.to_owned() });
            let mut rounds = 0;
            while let Next::Calls { calls, .. } = next(&request) {
                rounds += 1;
                prop_assert!(rounds <= MOST_ROUNDS);
                for call in calls {
                    let (is_error, shape) = results.next().unwrap_or((true, 0));
                    let structured = [
                        json!(null),
                        json!({"total": 3, "paths": ["a", "b/`c`.rs", "\n"], "truncated": true}),
                        json!({"total_matches": 4, "files": [{"path": "x|y", "count": 2, "lines": [{"line": 1, "text": "```"}]}], "truncated": true}),
                        json!({"path": "a", "num_lines": 18446744073709551615u64, "start_line": 18446744073709551615u64, "total_lines": 1}),
                        json!([1, "?"]),
                    ][shape].clone();
                    let text = if is_error { "`a` does not exist" } else { "     1\tx\n" };
                    let id = request.messages.len().to_string();
                    request.messages.push(Message::ToolCall { id: id.clone(), name: call.tool.to_owned(), arguments: call.arguments() });
                    request.messages.push(Message::ToolResult { id, text: text.to_owned(), structured: Some(structured), is_error });
                }
            }
        }
    }
}
