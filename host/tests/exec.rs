//! `carpel exec` as a script uses it: arguments and stdin in; stdout, stderr and the exit code out.
//!
//! Each run has a home and a workspace of its own. What a session keeps is seen in the next run of it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A home and a workspace with a few files.
struct Place {
    folder: tempfile::TempDir,
}

/// What came of a run.
#[derive(Debug)]
struct Came {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.work()).unwrap();
        fs::write(place.work().join("a.md"), "foo\n").unwrap();
        fs::write(place.work().join("AGENTS.md"), "foo\n").unwrap();
        place
    }

    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let home = self.folder.path().join("home");
        let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
        command.args(arguments).current_dir(self.work()).env_clear();
        command.env("HOME", &home).env("CARPEL_HOME", home.join("carpel")).env("LC_ALL", "C.UTF-8");
        command.env("XDG_RUNTIME_DIR", &home).stdin(Stdio::null());
        // No Ollama of whoever runs the tests has a say.
        fs::create_dir_all(home.join("carpel")).unwrap();
        fs::write(home.join("carpel/manifest.toml"), "provider = \"guide\"\n").unwrap();
        command
    }

    fn run(&self, arguments: &[&str]) -> Came {
        finish(self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn piped(&self, arguments: &[&str], stdin: &[u8]) -> Came {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses its command line does not read.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        finish(child)
    }
}

fn finish(child: Child) -> Came {
    let out = child.wait_with_output().unwrap();
    Came {
        code: out.status.code(),
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
    }
}

/// Arguments, the exit code, and what the last line of stderr says; an empty text says nothing of it.
fn check(place: &Place, arguments: &[&str], code: i32, last: &str) {
    let came = place.run(arguments);
    assert_eq!(came.code, Some(code), "{arguments:?}: {came:?}");
    let line = came.stderr.lines().last().unwrap_or_default();
    assert!(line.contains(last), "{arguments:?}: {came:?}");
    assert!(!came.stderr.contains('\u{1b}') && !came.stdout.contains('\u{1b}'), "{came:?}");
}

#[test]
fn exit_codes_and_what_would_have_allowed_it() {
    let place = Place::new();
    let outside = format!("write \"x\" to {}/out.txt", place.folder.path().display());
    let rows: [(&[&str], i32, &str); 10] = [
        (&["read a.md"], 0, ""),
        (&["read a.md and read nowhere.md"], 0, ""),
        (&["help"], 0, ""),
        (&["write \"x\" to new.txt"], 1, "refused: Write new.txt; `--approval-mode edits` would allow it"),
        (
            &["--approval-mode", "read-only", "write \"x\" to new.txt"],
            1,
            "refused: Write new.txt; `--approval-mode edits` would allow it",
        ),
        (&["replace foo with bar in a.md"], 1, "refused: Edit a.md; `--approval-mode edits`"),
        (&[&outside], 1, "`--approval-mode all` would allow it"),
        (&["--approval-mode", "edits", "replace foo with bar in AGENTS.md"], 1, "the chat (`carpel`) asks"),
        (&["--approval-mode", "edits", "write \"x\" to new.txt"], 0, ""),
        (&["--approval-mode", "edits", "write \"x\" to a.md/b"], 1, "failed; the answer says why"),
    ];
    for (arguments, code, last) in rows {
        check(&place, &[&["exec"], arguments].concat(), code, last);
    }
    assert_eq!(fs::read_to_string(place.work().join("a.md")).unwrap(), "foo\n");
    assert_eq!(fs::read_to_string(place.work().join("new.txt")).unwrap(), "x\n");
}

#[test]
fn stdout_has_the_answer_and_stderr_the_rest() {
    let place = Place::new();
    let came = place.run(&["exec", "how many lines are in a.md"]);
    assert_eq!(came.stdout, "`a.md` has 1 line.\n", "{came:?}");
    assert!(came.stderr.contains("Read") && !came.stderr.contains("has 1 line."), "{came:?}");
    assert!(came.stderr.ends_with('\n'), "{came:?}");
}

#[test]
fn prompts_come_from_stdin() {
    let place = Place::new();
    let rows: [(&[&str], &[u8], i32, &str); 6] = [
        (&["exec"], b"how many lines are in a.md\n", 0, "`a.md` has 1 line.\n"),
        (&["exec", "-"], b"how many lines are in a.md", 0, "`a.md` has 1 line.\n"),
        (&["exec", "how many lines are in a.md"], b"read it", 0, "`a.md` has 1 line.\n"),
        (&["exec"], b"", 2, "the prompt is empty"),
        (&["exec", "-"], b" \n", 2, "the prompt is empty"),
        (&["exec", "-"], b"read \xff", 2, "not UTF-8 at byte 5"),
    ];
    for (arguments, stdin, code, want) in rows {
        let came = place.piped(arguments, stdin);
        assert_eq!(came.code, Some(code), "{arguments:?}: {came:?}");
        let told = if code == 0 { &came.stdout } else { &came.stderr };
        assert!(told.contains(want), "{arguments:?}: {came:?}");
    }
}

/// The identity in the `hello` of a run with `--json`.
fn session(came: &Came) -> String {
    let hello: serde_json::Value = serde_json::from_str(came.stdout.lines().next().unwrap()).unwrap();
    hello["session"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_goes_on() {
    let place = Place::new();
    check(&place, &["exec", "--continue", "read it"], 1, "there is no session of");
    let first = session(&place.run(&["exec", "--json", "how many lines are in a.md"]));
    // "it" is the file of the turn before, which only the history tells.
    let came = place.run(&["exec", "--continue", "how many lines are in it"]);
    assert_eq!((came.code, came.stdout.as_str()), (Some(0), "`a.md` has 1 line.\n"), "{came:?}");
    assert_eq!(came.stderr.matches("Read").count(), 1, "the turns before are not told again: {came:?}");
    for arguments in [
        &["exec", "--resume", &first, "--json", "read it"][..],
        &["--resume", &first, "exec", "--json", "read it"],
        &["--continue", "exec", "--json", "read it"],
        &["exec", "--continue", "--json", "read it"],
    ] {
        let came = place.run(arguments);
        assert_eq!(came.code, Some(0), "{came:?}");
        assert_eq!(session(&came), first, "{arguments:?}");
    }
    let elsewhere = place.folder.path().to_str().unwrap();
    let rows: [(&[&str], &str); 7] = [
        (&["exec", "--continue", "--resume", &first, "x"], "cannot be used with"),
        (&["--continue", "exec", "--resume", &first, "x"], "the session is named twice"),
        (&["exec", "--resume", &first, "--cwd", elsewhere, "x"], "belongs to"),
        (&["--cwd", elsewhere, "exec", "--resume", &first, "x"], "belongs to"),
        (&["--continue", "sessions"], "go with `exec` only"),
        (&["--resume", &first, "tool", "Read", "{}"], "go with `exec` only"),
        (&["exec", "--provider", "nobody", "--continue", "x"], "nobody"),
    ];
    for (arguments, sentence) in rows {
        let came = place.run(arguments);
        assert_eq!(came.code, Some(2), "{arguments:?}: {came:?}");
        assert!(came.stderr.contains(sentence), "{arguments:?}: {came:?}");
    }
    check(&place, &["exec", "--resume", "nosuch", "x"], 1, "there is no session `nosuch`");
}

#[test]
fn json_is_lines_of_events() {
    let place = Place::new();
    let came = place.run(&["exec", "--json", "write \"x\" to new.txt"]);
    assert_eq!(came.code, Some(1), "{came:?}");
    let events: Vec<serde_json::Value> =
        came.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"hello"), Some(&"state")), "{names:?}");
    assert!(names.contains(&"tool_result") && names.contains(&"turn_end"), "{names:?}");
    assert_eq!(came.stderr.lines().count(), 1, "{came:?}");
}

/// Many files, so that a turn is long enough to be met in its middle.
fn many(place: &Place) {
    for at in 0..300 {
        fs::write(place.work().join(format!("f{at:03}.md")), "foo\n".repeat(200)).unwrap();
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    many(&place);
    let mut command = place.command(&["exec", "--json", "read all .md files"]);
    command.args(["--approval-mode", "edits"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let came = finish(child);
    assert_eq!((came.code, came.stderr.as_str()), (Some(0), ""), "{came:?}");
}

#[test]
fn a_signal_cancels_the_turn() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new();
        many(&place);
        let prompt = "replace foo with bar in every .md file";
        let mut command = place.command(&["exec", "--json", "--approval-mode", "edits", prompt]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let begun = lines.by_ref().map(Result::unwrap).find(|line| line.contains("\"tool_call_start\""));
        assert!(begun.is_some());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        let came = finish(child);
        assert_eq!(came.code, Some(130), "{signal:?}: {came:?}");
        assert!(rest.iter().any(|line| line.contains("\"turn_end\"")), "{signal:?}: {rest:?}");
        // The pod has let go of the session.
        let next = place.run(&["exec", "--continue", "how many lines are in a.md"]);
        assert_eq!(next.code, Some(0), "{signal:?}: {next:?}");
    }
}

#[test]
fn help_has_the_exit_codes() {
    let place = Place::new();
    let came = place.run(&["exec", "--help"]);
    for part in ["130  a signal", "no tool call was refused", "--approval-mode", "reads it from stdin"] {
        assert!(came.stdout.contains(part), "{part}: {}", came.stdout);
    }
}
