//! The program itself with its output in pipes: what it prints of hostile texts, names, titles and arguments.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::strict::{self, Stream};
use crate::texts;

/// A home and a workspace.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.work()).unwrap();
        fs::create_dir_all(place.home()).unwrap();
        place
    }

    fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// Runs the program; both of its outputs are rows of text. Standard output comes back.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
        command.args(arguments).current_dir(self.work()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.home()).env("CARPEL_HOME", self.home().join("carpel"));
        let came = command.env("XDG_RUNTIME_DIR", self.home()).env("LC_ALL", "C.UTF-8").output().unwrap();
        for bytes in [&came.stdout, &came.stderr] {
            if let Err(error) = strict::check(bytes, Stream::Pipe) {
                panic!("{arguments:?}: {error}");
            }
        }
        String::from_utf8(came.stdout).unwrap()
    }
}

#[test]
fn log_3_17_nothing_but_text_goes_to_a_pipe() {
    let place = Place::new();
    for text in texts::files() {
        let name = &text.name;
        fs::write(place.work().join(name), texts::bytes(name)).unwrap();
        let report = place.run(&["tool", "Read", &json!({"file_path":name}).to_string()]);
        let report: Value = serde_json::from_str(&report).unwrap();
        assert!(report["output"].as_str().unwrap().contains("     1\t"), "{name}: {report}");
        // The answer of the guide quotes the file; what was done goes to stderr.
        place.run(&["exec", &format!("read {name}")]);
        place.run(&["exec", "--json", &format!("read {name}")]);
        let events = [
            json!({"event":"tool_call_start","id":"1","name":"Bash"}),
            json!({"event":"tool_call_done","id":"1","arguments":json!({"command":text.text}).to_string()}),
            json!({"event":"tool_result","id":"1","summary":text.text,"output":text.text}),
            json!({"event":"text_delta","text":text.text}),
            json!({"event":"notice","level":"error","code":"x","text":text.text}),
        ];
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        fs::write(place.work().join("call.jsonl"), lines).unwrap();
        place.run(&["card", "--call", "call.jsonl", "--density", "detail"]);
        place.run(&["card", "--call", "call.jsonl", "--json"]);
        let printed =
            place.run(&["replay", "call.jsonl", "--print", "--size", "200x50", "--density", "detail"]);
        let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for word in &text.words {
            assert!(squeezed(&printed).contains(&squeezed(word)), "{word:?} of {name} in\n{printed}");
        }
    }
}

#[test]
fn log_3_05_a_title_is_one_row_of_the_list() {
    let place = Place::new();
    let mut sessions = 0;
    for text in [texts::titles(), texts::files()].concat() {
        // Without a word there is no prompt, and no session.
        if text.text.trim().is_empty() {
            continue;
        }
        place.run(&["exec", "--", &text.text]);
        sessions += 1;
        assert_eq!(place.run(&["sessions", "--all"]).lines().count(), sessions, "{}", text.name);
    }
}

#[test]
fn what_was_typed_is_repeated_as_text() {
    let place = Place::new();
    for text in texts::all() {
        let text = text.text.as_str();
        place.run(&[text]);
        for option in ["--cwd", "--provider", "--model", "--approval-mode", "--density", "--resume"] {
            place.run(&[option, text, "exec", "x"]);
        }
        for command in ["attach", "replay", "tool"] {
            place.run(&[command, text, "{}"]);
        }
        place.run(&["replay", "--print", text]);
        place.run(&["card", "--call", text]);
        place.run(&["pod", "--resume", text]);
    }
}

/// Names as a model and a person see them, and the files that are opened by them.
#[test]
fn log_3_06_names_are_text_and_open_the_same_file() {
    let place = Place::new();
    let names: Vec<String> = texts::names().into_iter().map(|text| text.text).collect();
    for name in &names {
        fs::write(place.work().join(name), "needle\n").unwrap();
    }
    place.run(&["exec", "find files"]);
    place.run(&["exec", "search for needle"]);
    let tool = |name: &str, arguments: Value| -> Value {
        let mode = ["--approval-mode", "all", "tool", name, &arguments.to_string()];
        serde_json::from_str(&place.run(&mode)).unwrap()
    };
    let listed = tool("Glob", json!({"pattern":"*"}));
    let found = tool("Grep", json!({"pattern":"needle"}));
    let lines = |report: &Value| -> Vec<String> {
        let mut lines: Vec<String> = report["output"].as_str().unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!((lines(&listed).len(), lines(&found)), (names.len(), lines(&listed)));
    for shown in lines(&listed) {
        let read = tool("Read", json!({"file_path":shown}));
        assert_eq!(read["output"], "     1\tneedle\n", "{shown}: {read}");
        let within = tool("Grep", json!({"pattern":"needle","path":shown}));
        assert_eq!(lines(&within), std::slice::from_ref(&shown), "{within}");
        let written = tool("Write", json!({"file_path":shown,"content":"hay\n"}));
        assert_eq!(written["is_error"], false, "{shown}: {written}");
        let edited = tool("Edit", json!({"file_path":shown,"old_string":"hay","new_string":"straw"}));
        assert_eq!(edited["is_error"], false, "{shown}: {edited}");
    }
    let mut there: Vec<String> = fs::read_dir(place.work())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| fs::read_to_string(place.work().join(name)).unwrap() == "straw\n")
        .collect();
    let mut names = names;
    there.sort();
    names.sort();
    assert_eq!(there, names, "every file was changed, and no other one was made");
}
