//! What stands in the way of a start, each told in one sentence: exit code, and a line that names the thing, the fact
//! and the way out.
//!
//! The real binary in a pseudo-terminal or a pipe; models are played by a scripted server.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use std::process::Output;

use mock_llm::{MockLlm, Script, Trouble, When};
use pty::{Place, Pty, Setup};

/// How it is started: in a window of that size, or with pipes.
enum Where {
    Window(u16, u16),
    Pipe,
}

struct Row<'a> {
    place: Where,
    variables: &'a [(&'a str, &'a str)],
    arguments: &'a [&'a str],
    code: u32,
    /// Parts of the sentence, in this order: thing, fact, way out.
    parts: &'a [&'a str],
}

/// What is told, without what a terminal adds at the ends of lines.
fn run(at: &Place, row: &Row<'_>) -> (u32, String) {
    match row.place {
        Where::Window(cols, rows) => {
            let setup = Setup::new(cols, rows);
            let setup =
                row.variables.iter().fold(setup, |setup, (name, value)| setup.variable(name, Some(value)));
            let mut pty = Pty::carpel(at, setup, row.arguments);
            let code = pty.exit_code();
            pty.settle();
            (code, String::from_utf8(pty.bytes()).unwrap().replace("\r\n", "\n"))
        }
        Where::Pipe => {
            let Output { status, stdout, stderr } = apart::program(&at.path().join("home"), &at.work())
                .env("CARPEL_HOME", at.path().join("home"))
                .env("XDG_RUNTIME_DIR", at.path().join("run"))
                .env("TERM", "xterm-256color")
                .envs(row.variables.iter().copied())
                .args(row.arguments)
                .output()
                .unwrap();
            assert_eq!(stdout, b"", "{:?}", row.arguments);
            (u32::try_from(status.code().unwrap()).unwrap(), String::from_utf8(stderr).unwrap())
        }
    }
}

fn check(at: &Place, row: &Row<'_>) {
    let (code, told) = run(at, row);
    let told = told.replace(&at.path().canonicalize().unwrap().display().to_string(), "@");
    let told = told.replace(&at.path().display().to_string(), "@");
    assert_eq!(code, row.code, "{:?}: {told}", row.arguments);
    assert_eq!(told.lines().count(), 1, "{:?}: {told}", row.arguments);
    assert!(told.ends_with('\n') && !told.contains('\u{1b}'), "{told:?}");
    let mut rest = told.as_str();
    for part in row.parts {
        let found = rest.find(part);
        assert!(found.is_some(), "{:?}: {part:?} is missing in {told:?}", row.arguments);
        rest = &rest[found.unwrap() + part.len()..];
    }
}

const NO_TERMINAL: &[&str] = &["carpel: the chat needs a terminal", "without one", "`carpel exec"];

#[test]
fn what_stands_in_the_way_of_a_chat() {
    let place = Place::new();
    let rows = [
        Row { place: Where::Pipe, variables: &[], arguments: &[], code: 1, parts: NO_TERMINAL },
        Row { place: Where::Pipe, variables: &[], arguments: &["--continue"], code: 1, parts: NO_TERMINAL },
        Row {
            place: Where::Pipe,
            variables: &[],
            arguments: &["attach"],
            code: 1,
            parts: &["carpel: no session runs", "`carpel` begins one"],
        },
        Row {
            place: Where::Window(1, 1),
            variables: &[],
            arguments: &[],
            code: 1,
            parts: &["carpel: the window is 1x1", "at least 12 cells", "enlarge it and start again"],
        },
        Row {
            place: Where::Window(3, 2),
            variables: &[],
            arguments: &[],
            code: 1,
            parts: &["carpel: the window is 3x2", "at least 12 cells", "enlarge it and start again"],
        },
        Row {
            place: Where::Window(80, 24),
            variables: &[("TERM", "dumb")],
            arguments: &[],
            code: 1,
            parts: &["TERM=dumb", "`carpel exec", "set TERM"],
        },
        Row {
            place: Where::Window(80, 24),
            variables: &[],
            arguments: &["--cwd", "gone"],
            code: 2,
            parts: &["the workspace `gone`", "No such file", "name a folder that exists with --cwd"],
        },
        Row {
            place: Where::Window(80, 24),
            variables: &[],
            arguments: &["--cwd", "src/parser.rs"],
            code: 2,
            parts: &["the workspace `src/parser.rs`", "is no folder", "name one with --cwd"],
        },
        Row {
            place: Where::Window(80, 24),
            variables: &[("ANTHROPIC_API_KEY", "")],
            arguments: &["--provider", "anthropic"],
            code: 1,
            parts: &["`anthropic`", "needs a key", "set ANTHROPIC_API_KEY"],
        },
        Row {
            place: Where::Window(80, 24),
            variables: &[],
            arguments: &["--provider", "nobody"],
            code: 2,
            parts: &["`nobody`", "there are guide, anthropic, openai, ollama"],
        },
    ];
    rows.iter().for_each(|row| check(&place, row));
    assert!(place.pods().is_empty(), "nothing was started");
}

/// File, line, key.
#[test]
fn a_bad_manifest() {
    let place = Place::new();
    std::fs::write(place.path().join("home/manifest.toml"), "provider = \"guide\"\n[ui]\ndensty = 1\n")
        .unwrap();
    let parts: &[&str] = &[
        "carpel: @/home/manifest.toml:3: ",
        "key `ui.densty`: there is no such key",
        "did you mean `ui.density`?",
    ];
    for at in [Where::Window(80, 24), Where::Pipe] {
        let arguments: &[&str] = if matches!(at, Where::Pipe) { &["exec", "hello"] } else { &[] };
        check(&place, &Row { place: at, variables: &[], arguments, code: 2, parts });
    }
}

/// A provider that nobody serves, and one that does not take the key; asked without a terminal. What is retried is told
/// on a terminal only.
#[test]
fn a_provider_that_does_not_answer() {
    let place = Place::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", free.local_addr().unwrap());
    drop(free);
    check(
        &place,
        &Row {
            place: Where::Pipe,
            variables: &[],
            arguments: &["exec", "--provider", "openai", "--base-url", &nobody, "hello"],
            code: 1,
            parts: &["carpel: openai: nothing answers at", &nobody, "start the server, or check the address"],
        },
    );
    check(
        &place,
        &Row {
            place: Where::Pipe,
            variables: &[],
            arguments: &["exec", "--provider", "openai", "--base-url", &nobody, "--model", "m", "hello"],
            code: 1,
            parts: &[
                "carpel: openai",
                &nobody,
                "Connection refused",
                "start the server, or check the address",
            ],
        },
    );
}

#[test]
fn a_key_that_is_not_taken() {
    let place = Place::new();
    for (provider, key, variable, way_out) in [
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    ] {
        let mock = MockLlm::start(Script::new().otherwise(Trouble::BadKey)).unwrap();
        let url = if provider == "openai" { mock.openai_base_url() } else { mock.anthropic_base_url() };
        let arguments = ["exec", "--provider", provider, "--model", "m", "hello"];
        let variables = [(key, "sk-SECRET"), (variable, url.as_str())];
        let row = Row {
            place: Where::Pipe,
            variables: &variables,
            arguments: &arguments,
            code: 1,
            parts: &["carpel: ", provider, "key", way_out],
        };
        check(&place, &row);
        assert!(!run(&place, &row).1.contains("SECRET"));
    }
}

/// Doctor says the same of each, and its exit code tells whether carpel can be used.
#[test]
fn doctor() {
    let place = Place::new();
    let told = |variables: &[(&str, &str)], arguments: &[&str]| {
        let output = apart::program(&place.path().join("home"), &place.work())
            .env("CARPEL_HOME", place.path().join("home"))
            .env("XDG_RUNTIME_DIR", place.path().join("run"))
            .envs(variables.iter().copied())
            .args([&["doctor"], arguments].concat())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains("SECRET"), "{text}");
        (output.status.code().unwrap(), text)
    };
    let (code, text) = told(&[], &[]);
    assert_eq!(code, 0, "{text}");
    for section in ["terminal", "provider", "manifest", "permissions", "paths", "sessions", "programs"] {
        assert!(text.contains(&format!("\n{section}\n")), "{section} in {text}");
    }
    assert!(text.contains("guide answers: the manifest says so."), "{text}");

    let mock = MockLlm::start(Script::new().models(&["b", "a"])).unwrap();
    let url = mock.openai_base_url();
    let variables = [("OPENAI_API_KEY", "sk-SECRET"), ("OPENAI_BASE_URL", url.as_str())];
    let (code, json) = told(&variables, &["--json", "--provider", "openai", "--model", "a"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &report["usable"]), (0, &serde_json::json!(true)), "{json}");
    assert!(mock.requests().is_empty(), "nobody was asked");
    let (code, text) = told(&variables, &["--online", "--provider", "openai", "--model", "a"]);
    assert!(
        code == 0 && text.contains("OPENAI_API_KEY holds one") && text.contains("it lists 2 models"),
        "{text}"
    );

    let bad =
        MockLlm::start(Script::new().when(When::list(), Trouble::BadKey).otherwise(Trouble::BadKey)).unwrap();
    let url = bad.openai_base_url();
    let variables = [("OPENAI_API_KEY", "sk-SECRET"), ("OPENAI_BASE_URL", url.as_str())];
    let (code, text) = told(&variables, &["--online", "--provider", "openai", "--model", "a"]);
    assert!(code == 1 && text.contains("✗ missing  answer"), "{text}");

    std::fs::write(place.path().join("home/manifest.toml"), "[ui]\ndensty = 1\nlive_columns = \"x\"\n")
        .unwrap();
    let (code, text) = told(&[("OLLAMA_HOST", "127.0.0.1:1")], &[]);
    assert_eq!(code, 1, "{text}");
    assert_eq!(text.matches("✗ missing  mistake").count(), 2, "{text}");
    assert!(text.contains("manifest.toml:2: key `ui.densty`"), "{text}");
    // No chat starts with it, so nobody answers.
    assert!(text.contains("✗ missing  chosen") && !text.contains("answers:"), "{text}");
}
