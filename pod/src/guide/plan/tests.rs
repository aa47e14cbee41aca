//! A conversation and results in, thinking, calls and answers out.
//!
//! Each file of `tests/data/guide/talks` is a talk: `>> request`, then for every step what guide does, and between
//! them the results, which the real tools make on a small project. Results that no small project gives are fabricated below.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use carpel_protocol::word::ToolKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::guide::calls::Outcome;
use crate::guide::script::MOST_ROUNDS;
use crate::guide::verbs::VERBS;
use crate::provider::{Message, ToolOffer};
use crate::tools::skill::discover;
use crate::tools::{Cancel, ReadRecord, ToolCx, ToolReport, Toolbox, Workspace};

/// A small project: paths and texts.
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
    ("text/words.md", "needle needle\ngrep 'fn main'\n"),
    ("names/two words.txt", "two\n"),
    ("empty.txt", ""),
    ("logo.bin", "\0needle\0needle\n"),
];

/// A project for requests that change it. `locked.md` is refused by the person.
const CHANGED: &[(&str, &str)] = &[
    ("a.md", "foo and foo\nFoo\n"),
    ("b/c.md", "x\r\nfoo(bar)\r\n"),
    ("b/d.rs", "fn foo() {}\n"),
    ("locked.md", "foo\n"),
    ("logo.bin", "foo\0"),
    (".gitignore", "ignored.md\n"),
    (".gitmodules", "foo\n"),
    ("ignored.md", "foo\n"),
    ("locked/1.locked.md", "foo\n"),
    ("locked/2.locked.md", "foo\n"),
    ("locked/3.md", "foo\n"),
    (
        ".agents/skills/peeling/SKILL.md",
        "---\nname: peeling\ndescription: How fruit is peeled\n---\nFrom the top.\n",
    ),
];

/// The project as a folder.
fn folder(project: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in project {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        // All of one age, so that lists are by name.
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)).unwrap();
    }
    if project.iter().any(|(path, _)| *path == "ignored.md") {
        std::os::unix::fs::symlink("b/c.md", folder.path().join("link.md")).unwrap();
        // Only where there is a repository are its ignore rules kept.
        fs::create_dir(folder.path().join(".git")).unwrap();
    }
    folder
}

/// The real tools of one session in a folder.
struct Tools {
    toolbox: Toolbox,
    workspace: Workspace,
}

impl Tools {
    fn of(folder: &Path) -> Self {
        let workspace = Workspace::open(folder).unwrap();
        let skills = discover(&workspace, None, true).skills;
        Self { toolbox: Toolbox::with_writers(&ReadRecord::new(), skills), workspace }
    }

    /// What a real tool makes of a call, as the worker hands it on. A change of a file called `locked.md` is refused.
    fn answer(&self, call: &Call) -> Outcome {
        let arguments = serde_json::from_str(&call.arguments()).unwrap();
        if ["Write", "Edit"].contains(&call.tool) && call.arguments().contains("locked.md") {
            let number = call.arguments().contains("locked/");
            return Outcome::failed(if number {
                "rejected by the person"
            } else {
                "rejected by the person: leave this one"
            });
        }
        let cx = ToolCx { workspace: &self.workspace, cancel: &Cancel::new(), progress: &|_| {} };
        let report = ToolReport::from(self.toolbox.run(call.tool, &arguments, &cx));
        let output = report.output.unwrap_or_default();
        let text = match report.is_error {
            true => format!("{}\n{output}", report.summary),
            false if output.is_empty() => report.summary,
            false => output,
        };
        let text = text.replace(self.workspace.root().to_str().unwrap(), "/peel");
        Outcome { text, structured: report.structured.unwrap_or_default(), is_error: report.is_error }
    }
}

fn offer(name: &str) -> ToolOffer {
    ToolOffer { name: name.to_owned(), description: String::new(), schema: Value::Null, kind: ToolKind::Read }
}

fn tools() -> Vec<ToolOffer> {
    let mut skill = offer("skill");
    skill.schema = json!({"properties": {"name": {"enum": ["peeling"]}}});
    let mut tools = ["Read", "Glob", "Grep", "Write", "Edit", "Bash"].map(offer).to_vec();
    tools.push(skill);
    tools
}

/// Plays requests one after the other; what guide does, as text.
fn talk(project: &[(&str, &str)], requests: &[&str], tools: Vec<ToolOffer>) -> String {
    let folder = folder(project);
    let real = Tools::of(folder.path());
    let mut request = Request { system: String::new(), messages: Vec::new(), tools };
    let mut told = String::new();
    for text in requests {
        let _ = writeln!(told, ">> {text}");
        request.messages.push(Message::User { text: (*text).to_owned() });
        let mut rounds = 0;
        loop {
            match next(&request, Some("/home/ada")) {
                Next::Answer { text } => {
                    let _ = writeln!(told, "{}\n", text.trim_end());
                    request.messages.push(Message::Assistant { text });
                    break;
                }
                Next::Calls { said, thinking, calls } => {
                    assert_eq!(said, "", "nothing else was asked");
                    rounds += 1;
                    assert!(rounds <= MOST_ROUNDS && !calls.is_empty(), "{text}");
                    if !thinking.is_empty() {
                        let _ = writeln!(told, "~ {}", thinking.replace('\n', "\n~ "));
                    }
                    let from = request.messages.len();
                    for (at, call) in calls.iter().enumerate() {
                        let _ = writeln!(told, "! {} {}", call.tool, call.arguments());
                        let (id, name) = (format!("{from}.{at}"), call.tool.to_owned());
                        request.messages.push(Message::ToolCall { id, name, arguments: call.arguments() });
                    }
                    for (at, call) in calls.iter().enumerate() {
                        let Outcome { text, structured, is_error } = real.answer(call);
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
fn check(name: &str, project: &[(&str, &str)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/guide/talks").join(name);
    let expected = fs::read_to_string(&file).unwrap();
    let mut got = String::new();
    for part in expected.split("---\n") {
        let requests: Vec<&str> = part.lines().filter_map(|line| line.strip_prefix(">> ")).collect();
        if !got.is_empty() {
            got.push_str("---\n");
        }
        got.push_str(&talk(project, &requests, tools()));
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
        let project = if name == "changes.txt" { CHANGED } else { PROJECT };
        check(&name, project);
    }
}

/// What help and the greeting offer is carried out in a folder with one text in it.
#[test]
fn examples_work_in_any_folder() {
    let offered = crate::guide::answer::hello();
    let greeting = offered.lines().filter_map(|line| line.strip_prefix("- "));
    for request in VERBS.iter().map(|verb| verb.example).chain(greeting) {
        let told = talk(&[("only.txt", "one\ntwo\n")], &[request], tools());
        for sentence in ["I do not understand", "There is no", "does not exist", "did not carry out"] {
            assert!(!told.contains(sentence), "{request}\n{told}");
        }
    }
}

/// The answer about a long file has a request in it that shows the rest, and that request is understood.
#[test]
fn a_long_file_says_how_its_rest_is_shown() {
    let lines = |first: &str| -> String {
        std::iter::once(format!("{first}\n")).chain((2..=100).map(|n| format!("line {n}\n"))).collect()
    };
    let (headed, plain) = (lines("# Title"), lines("line 1"));
    let project = [("README.md", headed.as_str()), ("a b.txt", plain.as_str()), ("c.txt", plain.as_str())];
    let rows = [
        ("read README.md", "`show lines 1-60 of README.md`", "line 60"),
        ("read c.txt", "90 more lines: `show lines 11-70 of c.txt`", "line 70"),
        ("read \"a b.txt\"", "`show lines 11-70 of \"a b.txt\"`", "line 70"),
        ("show lines 20-95 of c.txt", "16 more lines: `show lines 80-100 of c.txt`", "line 100"),
    ];
    for (request, offer, shown) in rows {
        let told = talk(&project, &[request], tools());
        assert!(told.contains(offer), "{offer}\n{told}");
        let offered = offer.split_once('`').unwrap().1.trim_end_matches('`');
        let told = talk(&project, &[offered], tools());
        assert!(told.contains(&format!("{shown}\n```")), "{offered}\n{told}");
    }
}

#[test]
fn an_empty_folder_and_missing_tools_are_told() {
    let told = talk(&[], &["explore this project", "list files", "find every TODO"], tools());
    for sentence in
        ["There are no files here. ", "There are no files. ", "There are no TODOs (0 files searched)."]
    {
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
        match next(&Request { system: String::new(), messages, tools: tools() }, Some("/home/ada")) {
            Next::Answer { text } => text,
            Next::Calls { .. } => panic!("more calls"),
        }
    };
    assert_eq!(
        ask(results(true)),
        "There are 90 matches of `foo` in 12 files in `src`; `a.rs` and `b.rs` have the most of those listed (7 each).\n\n\
         1. `a.rs`: 7\n2. `b.rs`: 7\n\n… and 10 more files.\n\n\
         The tool cut its list; the figures in the first line are whole. Name a folder to see the rest."
    );
    assert!(!ask(results(false)).contains("those listed"));
}

/// Files with `foo`, the tool's answer to each Edit, and what the answer says; all files are tried unless it says otherwise.
#[test]
fn every_file_of_a_replacement_is_tried_or_told() {
    let rows: [(usize, Option<&str>, usize, &[&str]); 5] = [
        (3, None, 3, &["3 times in 3 files"]),
        (130, None, 130, &["130 times in 130 files", "f0039.md`: 1\n- … and 90 more files"]),
        (810, None, 810, &["810 times in 810 files", "… and 770 more files"]),
        (
            90,
            Some("Edit writes NAME. Nobody is there to allow it; the chat asks."),
            40,
            &["and 28 more: Edit writes each of them. Nobody", "50 more files with `foo` were not tried"],
        ),
        (90, Some("rejected by the person"), 90, &["and 78 more: Rejected by the person."]),
    ];
    for (files, refusal, tried, sentences) in rows {
        let project: Vec<(String, &str)> = (0..files).map(|at| (format!("f{at:04}.md"), "foo\n")).collect();
        let project: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let folder = folder(&project);
        let real = Tools::of(folder.path());
        let mut request = Request { system: String::new(), messages: Vec::new(), tools: tools() };
        request.messages.push(Message::User { text: "replace foo with bar".to_owned() });
        let mut edits = 0;
        let mut rounds = 0;
        let text = loop {
            let calls = match next(&request, None) {
                Next::Answer { text } => break text,
                Next::Calls { calls, .. } => calls,
            };
            rounds += 1;
            let from = request.messages.len();
            for (at, call) in calls.iter().enumerate() {
                let (id, name) = (format!("{from}.{at}"), call.tool.to_owned());
                request.messages.push(Message::ToolCall { id, name, arguments: call.arguments() });
            }
            for (at, call) in calls.iter().enumerate() {
                edits += usize::from(call.tool == "Edit");
                let Outcome { text, structured, is_error } = match refusal {
                    Some(sentence) if call.tool == "Edit" => {
                        let named: Value = serde_json::from_str(&call.arguments()).unwrap();
                        Outcome::failed(sentence.replace("NAME", named["file_path"].as_str().unwrap()))
                    }
                    _ => real.answer(call),
                };
                let id = format!("{from}.{at}");
                request.messages.push(Message::ToolResult {
                    id,
                    text,
                    structured: Some(structured),
                    is_error,
                });
            }
        };
        assert_eq!(edits, tried, "{files}: {text}");
        assert!(rounds < 45, "{rounds}");
        for sentence in sentences {
            assert!(text.contains(sentence), "{sentence}\n{text}");
        }
        let reasons =
            refusal.map_or(0, |_| text.matches("each of them").count() + text.matches("ejected by").count());
        assert!(reasons <= 1, "each reason once: {text}");
    }
}

/// A turn that is steered: behind so many rounds of calls the person asks for something else. What guide says and calls, a
/// line a step.
fn steered(request: &str, steers: &[(usize, &str)]) -> Vec<String> {
    let folder = folder(PROJECT);
    let real = Tools::of(folder.path());
    let mut asked = Request { system: String::new(), messages: Vec::new(), tools: tools() };
    asked.messages.push(Message::User { text: request.to_owned() });
    let mut told = Vec::new();
    for round in 0.. {
        let now = steers.iter().filter(|(behind, _)| *behind == round);
        asked.messages.extend(now.map(|(_, text)| Message::Steer { text: (*text).to_owned() }));
        let (text, calls) = match next(&asked, None) {
            Next::Calls { said, calls, .. } => (said, calls),
            Next::Answer { text } => (text, Vec::new()),
        };
        let paths = calls.iter().map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments()).unwrap();
            format!("{} {}", call.tool, arguments["file_path"].as_str().unwrap())
        });
        let said = text.split("\n\n").filter(|text| !text.is_empty()).map(str::to_owned);
        told.push(said.chain(paths).collect::<Vec<_>>().join(" | "));
        if !text.is_empty() {
            asked.messages.push(Message::Assistant { text });
        }
        // A steer that its turn has no step for any more is asked once more, as the worker does.
        if calls.is_empty() && !steers.iter().any(|(behind, _)| *behind > round) {
            break;
        }
        for (at, call) in calls.iter().enumerate() {
            let (id, name) = (format!("{round}.{at}"), call.tool.to_owned());
            let Outcome { text, structured, is_error } = real.answer(call);
            asked.messages.push(Message::ToolCall { id: id.clone(), name, arguments: call.arguments() });
            asked.messages.push(Message::ToolResult { id, text, structured: Some(structured), is_error });
        }
    }
    told
}

#[test]
fn a_steer_is_one_more_request_and_the_one_before_goes_on_behind_it() {
    let check = |request: &str, steers: &[(usize, &str)], expected: &[&str]| {
        assert_eq!(steered(request, steers), expected, "{request} {steers:?}");
    };
    let both = "count the lines of README.md and count the lines of Cargo.toml";
    let notes = "count the lines of docs/notes.md";
    let (readme, cargo) = ("Read README.md", "Read Cargo.toml");
    let answer = "`README.md` has 14 lines. | `Cargo.toml` has 6 lines.";
    let noted = "`docs/notes.md` has 3 lines.";
    let thanked = "You are welcome.";
    let with = |said: &str, call: &str| format!("{said} | {call}");
    check(both, &[], &[readme, cargo, answer]);
    check(both, &[(1, notes)], &[readme, "Read docs/notes.md", &with(noted, cargo), answer]);
    check(both, &[(0, "thanks")], &[&with(thanked, readme), cargo, answer]);
    check(both, &[(1, "thanks")], &[readme, &with(thanked, cargo), answer]);
    // A second one before the first could be answered, and one before the first was begun.
    check(
        both,
        &[(1, notes), (2, "thanks")],
        &[readme, "Read docs/notes.md", &with(&with(noted, thanked), cargo), answer],
    );
    check(
        both,
        &[(1, notes), (1, "thanks")],
        &[readme, &with(thanked, "Read docs/notes.md"), &with(noted, cargo), answer],
    );
    // Where nothing more was to be done it is the last word.
    check(both, &[(3, notes)], &[readme, cargo, answer, "Read docs/notes.md", noted]);
    check(both, &[(2, "thanks")], &[readme, cargo, &with(answer, thanked)]);
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
    let Next::Answer { text } =
        next(&Request { system: String::new(), messages, tools: tools() }, Some("/home/ada"))
    else {
        panic!("there is nothing to read")
    };
    assert!(text.starts_with("There is no list to pick from"), "{text}");

    let messages = vec![Message::User { text: "read a.rs".to_owned() }, call("Read")];
    let Next::Answer { text } =
        next(&Request { system: String::new(), messages, tools: tools() }, Some("/home/ada"))
    else {
        panic!("the call was made")
    };
    assert_eq!(text, "The call was interrupted.");
}

proptest! {
    /// Whatever is asked and whatever comes back, a turn ends.
    #[test]
    fn every_turn_ends(
        first in prop::sample::select(include_str!("../../../tests/data/guide/requests.txt").lines().filter(|line| !line.starts_with([' ', '#'])).collect::<Vec<_>>()),
        second in "\\PC{0,30}",
        results in prop::collection::vec((any::<bool>(), 0usize..5), 0..60),
    ) {
        let mut request = Request { system: String::new(), messages: Vec::new(), tools: tools() };
        let mut results = results.into_iter().cycle();
        for text in [first, &second, "read the last one"] {
            request.messages.push(Message::User { text: text.to_owned() });
            let mut rounds = 0;
            while let Next::Calls { calls, .. } = next(&request, Some("/home/ada")) {
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
