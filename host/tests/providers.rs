//! The program itself with a model behind it: a scripted server on loopback, through both wires.
//!
//! The server holds its stream where the test says, so that what stands on the screen while arguments arrive can be
//! compared without clocks. What differs between two runs of any kind, times and the provider's name, is taken out.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/chat_pty.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod chat_pty;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;

use std::path::Path;
use std::process::{Command, Stdio};

use chat_pty::{Chat, Terminal};
use mock_llm::{Answer, Delivery, Fault, MockLlm, Pace, Reply, Script, Trouble, When, Wire};
use pane::Pane;
use portable_pty::CommandBuilder;

/// Characters of a fragment.
const FRAGMENT: usize = 4;
/// No part of it may be seen anywhere.
const KEY: &str = "sk-marker-5a1f";

fn name(wire: Wire) -> &'static str {
    match wire {
        Wire::Anthropic => "anthropic",
        Wire::Chat => "openai",
    }
}

fn environment(wire: Wire, server: &MockLlm) -> [(&'static str, String); 2] {
    match wire {
        Wire::Anthropic => {
            [("ANTHROPIC_API_KEY", KEY.to_owned()), ("ANTHROPIC_BASE_URL", server.anthropic_base_url())]
        }
        Wire::Chat => [("OPENAI_API_KEY", KEY.to_owned()), ("OPENAI_BASE_URL", server.openai_base_url())],
    }
}

/// The chat on a small workspace, with a model behind it.
struct Place {
    chat: Chat,
    wire: Wire,
}

impl Place {
    fn start(wire: Wire, server: &MockLlm) -> Place {
        let folder = chat_pty::folder();
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        std::fs::write(work.join("a.md"), "# A\none\ntwo\n").unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_carpel"));
        command.env_clear();
        command.args(["--provider", name(wire), "--model", "mock-1", "--approval-mode", "edits", "--cwd"]);
        command.arg(&work);
        for (name, value) in environment(wire, server) {
            command.env(name, value);
        }
        let mut chat = Chat::run(folder, Terminal::Plain, command);
        chat.wait_for("the first frame", |rows| rows.iter().any(|row| row.starts_with("mock-1 by")));
        Place { chat, wire }
    }

    fn enter(&self, text: &str) {
        self.chat.write(text.as_bytes());
        self.chat.write(b"\r");
    }

    fn sees(&mut self, needle: &str) {
        let joined = |rows: &[String]| rows.iter().map(|row| row.trim()).collect::<Vec<_>>().join(" ");
        self.chat.wait_for(needle, |rows| joined(rows).contains(needle));
    }

    fn is_idle(&mut self) {
        self.sees(": for commands");
    }

    /// The whole scrollback and the screen once nothing moves any more, without what differs from run to run.
    fn shown(&mut self) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            let rows = self.chat.seen(|seen| seen.emulator.text());
            let rows: Vec<String> = rows.iter().map(|row| same(row, self.wire)).collect();
            if rows == before {
                return rows;
            }
            before = rows;
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        processes::end_pods(self.chat.folder.path());
    }
}

/// A row without times and the provider's name.
fn same(row: &str, wire: Wire) -> String {
    let indent = row.len() - row.trim_start().len();
    let is_time = |word: &&str| {
        let word = word.trim_matches(['(', ')']);
        let number = word.strip_suffix('s').unwrap_or("x");
        number.parse::<f64>().is_ok()
    };
    let words: Vec<&str> = row.split_whitespace().filter(|word| !is_time(word)).collect();
    let text = words.join(" ").replace("Thought for", "Thought").replace(name(wire), "PROVIDER");
    format!("{}{text}", &row[..indent])
}

/// What a part of an answer is, and where in it the stream is held: behind which characters, and what is to be seen then.
/// Those are its last characters: the snapshot must not be taken before all that was let through has come.
struct Beat {
    text: String,
    hold: Option<(&'static str, &'static str)>,
}

fn beat(text: impl Into<String>, hold: Option<(&'static str, &'static str)>) -> Beat {
    Beat { text: text.into(), hold }
}

fn fragments(text: &str) -> usize {
    text.chars().count().div_ceil(FRAGMENT)
}

/// Lets the parts pass, with a snapshot at each hold.
fn play(place: &mut Place, server: &MockLlm, beats: &[Beat], frames: &mut Vec<Vec<String>>) {
    for Beat { text, hold } in beats {
        let mut passed = 0;
        if let Some((up_to, needle)) = hold {
            let at = text.find(up_to).unwrap() + up_to.len();
            passed = fragments(&text[..at]);
            server.release(passed);
            place.sees(needle);
            frames.push(place.shown());
        }
        server.release(fragments(text) - passed);
    }
}

fn gated(answer: Answer) -> Reply {
    let delivery = Delivery { fragment: FRAGMENT, pace: Pace::Gated, ..Delivery::default() };
    Reply::Say { answer, delivery }
}

const THOUGHT: &str = "I look at the list first.\nThen I read what stands in it.";
const LOOK: &str = "I look at `a.md` and at what else there is.";
const READ: &str = r#"{"file_path":"a.md"}"#;
const GLOB: &str = r#"{"pattern":"**/*.md"}"#;
const MISSING: &str = r#"{"file_path":"docs/no-such-file.md"}"#;
const DONE: &str = "There is **one** file:\n\n1. `a.md`\n2. and the notes\n\nThat is all.";

fn notes() -> String {
    let lines: String = (1..=9).map(|n| format!("line {n} of the notes\\n")).collect();
    format!(r#"{{"file_path":"notes.txt","content":"{lines}"}}"#)
}

fn conversation() -> Script {
    Script::new()
        .then(gated(
            Answer::new()
                .thinking(THOUGHT, "sig")
                .text(LOOK)
                .call("t1", "Read", READ)
                .call("t2", "Glob", GLOB),
        ))
        .then(gated(Answer::new().text("Now one that is missing.").call("t3", "Read", MISSING)))
        .then(gated(Answer::new().call("t4", "Write", &notes())))
        .then(gated(Answer::new().text(DONE).usage(12_000, 0, 345)))
}

fn seen_through(wire: Wire) -> (Vec<Vec<String>>, Vec<String>) {
    let server = MockLlm::start(conversation()).unwrap();
    let mut place = Place::start(wire, &server);
    let mut frames = Vec::new();
    place.enter("what is in this folder?");
    place.sees("running");
    let beats = [
        beat(THOUGHT, Some(("Then I read", "Then I read"))),
        beat(LOOK, Some(("at what", "and at what"))),
        beat(READ, Some((r#""a.md""#, "a.md"))),
        beat(GLOB, Some(("**/*.", "**/*."))),
        beat("Now one that is missing.", None),
        beat(MISSING, Some(("docs/no-such", "docs/no-such"))),
        beat(notes(), Some(("line 2 of the", "line 2 of the"))),
        beat(DONE, Some(("2. and", "2. and"))),
    ];
    play(&mut place, &server, &beats, &mut frames);
    place.sees("That is all.");
    place.is_idle();
    let end = place.shown();
    assert_eq!(server.asked().len(), 4);
    (frames, end)
}

/// Thinking, text, two parallel calls, a failing call, a long write and an answer look the same through both wires, while
/// they stream and when they are settled.
#[test]
fn both_wires_show_the_same_frames() {
    let (frames, end) = seen_through(Wire::Anthropic);
    let (others, other_end) = seen_through(Wire::Chat);
    for (at, (frame, other)) in frames.iter().zip(&others).enumerate() {
        // How many empty rows the region still holds tells how many frames there were, which time decides.
        let rows = |frame: &[String]| frame.iter().filter(|row| !row.is_empty()).cloned().collect::<Vec<_>>();
        assert_eq!(rows(frame), rows(other), "hold {at}");
    }
    assert_eq!(frames.len(), others.len());
    assert_eq!(end, other_end);
    // While they stream, arguments are to be seen.
    let joined: Vec<String> = frames.iter().map(|rows| rows.join("\n")).collect();
    for (at, live) in
        [(2, "◌ Read a.md"), (3, "◌ Glob **/*"), (4, "◌ Read docs/no-s"), (5, "◌ Write notes.txt")]
    {
        assert!(joined[at].contains(live), "{live} in\n{}", joined[at]);
    }
    assert!(joined[5].contains("line 1 of the notes") && !joined[5].contains("line 3"), "{}", joined[5]);
    let end = end.join("\n");
    for once in [
        "Thought",
        "I look at a.md",
        "✓ Read a.md 3 lines",
        "✓ Glob **/*.md",
        "✗ Read docs/no-such-file.md",
        "✓ Write notes.txt",
        "That is all.",
        "12k tokens",
    ] {
        assert_eq!(end.matches(once).count(), 1, "{once} in\n{end}");
    }
    assert!(!end.contains('◌') && !end.contains('●') && !end.contains('○'), "{end}");
}

/// Where a stream is cut, what had come of the step goes or is marked, and the next attempt stands alone.
#[test]
fn a_step_that_is_asked_again_leaves_nothing_over() {
    let whole = || Answer::new().thinking("A second thought.", "s").text("The whole answer.");
    let rows = [
        (Answer::new().thinking("A first thought, long enough to be cut.", "s"), "to be", "A first thought"),
        (Answer::new().text("Some words that are cut off here."), "are cut", "Some words"),
        (Answer::new().call("t1", "Write", &notes()), "line 3", "line 2"),
    ];
    for wire in Wire::ALL {
        for (answer, cut, needle) in &rows {
            let bytes = answer.bytes(wire, 0);
            assert!(String::from_utf8_lossy(&bytes).contains(cut));
            // In fragments the offset is found from the number of those that came before.
            let pieces = String::from_utf8(answer.bytes(wire, FRAGMENT)).unwrap();
            let at = pieces.len() * 2 / 3;
            let delivery = Delivery {
                fragment: FRAGMENT,
                pace: Pace::Gated,
                fault: Some(Fault::CutAfter(at)),
                ..Delivery::default()
            };
            let cut_off = Reply::Say { answer: answer.clone(), delivery };
            let server = MockLlm::start(Script::new().then(cut_off).then(Reply::say(whole()))).unwrap();
            let mut place = Place::start(wire, &server);
            place.enter("go");
            server.release(1_000);
            place.sees("asking again in");
            place.sees("The whole answer.");
            place.is_idle();
            let shown = place.shown().join("\n");
            assert_eq!(shown.matches("The whole answer.").count(), 1, "{shown}");
            assert_eq!(shown.matches("Thought").count(), 1, "{shown}");
            let marks = shown.matches("cut off").count();
            assert_eq!(shown.matches("asking again in").count(), marks, "{shown}");
            assert!(!shown.contains('◌') && !shown.contains("Write"), "{shown}");
            assert!(marks <= 1 && shown.matches(needle).count() <= marks, "{shown}");
            assert!(!place.chat.folder.path().join("work/notes.txt").exists());
        }
    }
}

/// A wait that a service asks for is told, and Esc ends it.
#[test]
fn a_wait_is_told_and_cancelled() {
    for wire in Wire::ALL {
        let script = Script::new().otherwise(Trouble::RateLimited { retry_after: Some(200) });
        let server = MockLlm::start(script).unwrap();
        let mut place = Place::start(wire, &server);
        place.enter("go");
        place.sees("asking again in 200 s (2 of 5)");
        place.chat.write(b"\x1b");
        place.sees("cancelled");
        place.is_idle();
        assert_eq!(server.asked().len(), 1);
    }
}

/// `:model` completes from the provider's list, changes who is asked next, and goes to another provider and back.
#[test]
fn another_model_and_another_provider() {
    let said = |text: &str| Reply::say(Answer::new().thinking("hm", "signed").text(text));
    let script =
        Script::new().when(When::model("mock-1"), said("One.")).when(When::model("mock-2"), said("Two."));
    let server = MockLlm::start(script.when(When::model("unlisted"), said("Three."))).unwrap();
    let mut place = Place::start(Wire::Anthropic, &server);
    place.enter("go");
    place.sees("One.");
    place.is_idle();
    place.chat.write(b":model ");
    place.sees("mock-2");
    place.chat.write(b"2\r");
    place.sees("mock-2 by anthropic");
    place.enter("go on");
    place.sees("Two.");
    place.is_idle();
    place.enter(":model anthropic:unlisted");
    place.sees("does not have `unlisted` in its list");
    place.enter("more");
    place.sees("Three.");
    place.is_idle();
    place.enter(":model openai:mock-1");
    place.sees("✗ :model openai:mock-1  the provider `openai` needs a key");
    place.enter(":model guide:");
    place.sees("guide (no model) ·");
    let asked: Vec<String> = server.asked().iter().map(|request| request.model()).collect();
    assert_eq!(asked, ["mock-1", "mock-2", "unlisted"]);
    let lists = server.requests().len() - asked.len();
    assert!((1..=4).contains(&lists), "{lists} lists");
}

/// A key is nowhere: not in what is kept, not in what runs, not on the screen, though the server repeats it.
#[test]
fn a_key_is_never_seen() {
    for wire in Wire::ALL {
        let repeats = Trouble::BadRequest(format!("what is {KEY} to me?"));
        let server =
            MockLlm::start(Script::new().then(Reply::say(Answer::new().text("Fine."))).otherwise(repeats))
                .unwrap();
        let mut place = Place::start(wire, &server);
        place.enter("go");
        place.sees("Fine.");
        place.is_idle();
        place.enter("again");
        place.sees("the turn failed");
        place.is_idle();
        let folder = place.chat.folder.path().to_owned();
        place.chat.seen(|seen| assert!(!String::from_utf8_lossy(&seen.bytes).contains(KEY)));
        holds_no_key(&folder);
        assert!(!processes::pods(&folder).is_empty());
        let lines = processes::find(|words, _| words.iter().any(|word| word.contains(KEY)));
        assert!(lines.is_empty(), "{lines:?}");
        let sent = format!("{:?}", server.asked()[0]);
        assert!(sent.contains(KEY), "the server did get it");
    }
}

fn holds_no_key(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => holds_no_key(&entry.path()),
            kind if kind.is_file() => {
                let text = std::fs::read(entry.path()).unwrap();
                assert!(!String::from_utf8_lossy(&text).contains(KEY), "{}", entry.path().display());
            }
            _ => {}
        }
    }
}

/// What goes wrong with a service: one sentence with the way out, and the exit code 1.
#[test]
fn one_sentence_and_the_exit_code() {
    let nobody = "http://127.0.0.1:9";
    let rows: [(&str, Option<Trouble>, &[&str]); 8] = [
        (
            "a wrong key",
            Some(Trouble::BadKey),
            &["does not know the key from", "put a valid one into", "_API_KEY"],
        ),
        ("no such model", Some(Trouble::UnknownModel), &["has no model `mock-1`", "--model"]),
        ("a refused schema", Some(Trouble::RefusedSchema), &["refused", "schema", ":model"]),
        ("too long", Some(Trouble::TooManyTokens), &["longer than the model's window"]),
        ("no credit", Some(Trouble::NoQuota), &["has no credit left", "_API_KEY"]),
        (
            "overload",
            Some(Trouble::Overloaded),
            &["is overloaded", "asked 5 times: try again later", ":model"],
        ),
        (
            "too often",
            Some(Trouble::RateLimited { retry_after: None }),
            &["is asked too often", "asked 5 times: try again later", "--model"],
        ),
        ("nobody there", None, &["127.0.0.1:9"]),
    ];
    std::thread::scope(|scope| {
        for wire in Wire::ALL {
            for (what, trouble, wanted) in rows.clone() {
                scope.spawn(move || {
                    let script = Script::new().otherwise(trouble.clone().unwrap_or(Trouble::Internal));
                    let server = MockLlm::start(script).unwrap();
                    let mut environment = environment(wire, &server);
                    if trouble.is_none() {
                        nobody.clone_into(&mut environment[1].1);
                    }
                    check_exec(wire, what, &environment, wanted);
                });
            }
            scope.spawn(move || check_exec(wire, "no key", &[], &["needs a key; set", "_API_KEY"]));
        }
    });
}

fn check_exec(wire: Wire, what: &str, environment: &[(&str, String)], wanted: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_carpel"))
        .args(["exec", "--provider", name(wire), "--model", "mock-1", "go"])
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .env("HOME", folder.path())
        .env("CARPEL_HOME", folder.path().join("own"))
        .env("XDG_RUNTIME_DIR", folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    let told = format!("{what} by {}: {:?}\n{stderr}", name(wire), out.status);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(out.stdout.is_empty(), "{told}");
    let errors: Vec<&str> =
        stderr.lines().filter(|line| line.starts_with("carpel:") || line.starts_with("error")).collect();
    assert_eq!(errors.len(), 1, "{told}");
    eprintln!("{what}: {}", errors[0]);
    for part in wanted {
        assert!(stderr.lines().last().unwrap().contains(part), "{part} in {told}");
    }
    // Each wait is told before it is waited for.
    let waits: Vec<&str> = stderr.lines().filter(|line| line.contains("; asking again in ")).collect();
    let tries = if stderr.contains("asked 5 times") { 2..6 } else { 0..0 };
    assert_eq!(waits.len(), tries.clone().count(), "{told}");
    for (wait, next) in waits.iter().zip(tries) {
        assert!(wait.ends_with(&format!(" s ({next} of 5)")), "{told}");
    }
    assert!(!stderr.contains(KEY) && !stderr.contains("panicked"), "{told}");
}

/// In a real tmux: a file is seen while it is being written, and settled once.
#[test]
fn a_write_that_streams_in_tmux() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let script = Script::new()
        .then(gated(Answer::new().text("I write it.").call("t1", "Write", &notes())))
        .then(Reply::say(Answer::new().text("That was it.")));
    let server = MockLlm::start(script).unwrap();
    let [(key, secret), (address, url)] = environment(Wire::Chat, &server);
    let program = env!("CARGO_BIN_EXE_carpel");
    pane.enter(&format!(
        "cd work && {key}={secret} {address}={url} {program} --approval-mode edits --provider openai --model mock-1"
    ));
    pane.wait_for("the prompt", |all| all.contains("mock-1 by openai"));
    pane.enter("write it");
    let text = notes();
    let at = fragments("I write it.") + fragments(&text[..text.find("line 3 of the").unwrap() + 8]);
    server.release(at);
    pane.wait_for("the arguments", |all| all.contains("+ line 2 of the notes") && all.contains("+ line 3"));
    let screen = pane.screen();
    assert!(screen.contains("◌ Write  notes.txt") && !screen.contains("line 4"), "{screen}");
    server.release(1_000);
    pane.wait_for("the answer", |all| all.contains("That was it.") && all.contains(": for commands"));
    let all = pane.all();
    for once in ["✓ Write  notes.txt", "line 2 of the notes", "That was it."] {
        assert_eq!(all.matches(once).count(), 1, "{once} in\n{all}");
    }
    assert!(!all.contains('◌'), "{all}");
}
