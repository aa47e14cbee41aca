//! `carpel gallery` as a person calls it: as text, with samples of their own, and live in a real tmux.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;

use std::path::Path;
use std::process::{Command, Stdio};

use pane::Pane;

/// Exit code, stdout and stderr.
fn gallery(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
    command
        .arg("gallery")
        .args(arguments)
        .current_dir(folder)
        .env("CARPEL_HOME", folder)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn printed_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let one = ["--print", "--view", "Grep", "--state", "done", "--width", "50", "--density", "detail"];
    let (code, out, _) = gallery(folder.path(), &one);
    let want = "\
== Grep of carpel-tool-views
── done ──────────────────────────────────────────
✓ Grep  TODO in src of *.rs
  4 matches in 2 files  1s
    src/parser.rs
       12  // TODO: handle escapes
       48  // TODO: recover from errors, of which…
      120  // TODO
    src/lexer.rs
        7  // TODO: unicode classes
";
    assert_eq!((code, out.as_str()), (0, want));
    let (code, out, _) = gallery(folder.path(), &["--print", "--density", "overview"]);
    assert_eq!((code, out.matches("── done ─").count()), (0, out.matches("== ").count()));
}

#[test]
fn samples_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let lines = concat!(
        r#"{"view":"Bash","arguments":{"command":"echo one"},"output":"one\u001b[2J\u202e"}"#,
        "\n",
        r#"{"view":"Bash","arguments":{"command":"echo two"},"output":"two"}"#,
        "\n"
    );
    std::fs::write(folder.path().join("own"), lines).unwrap();
    let (code, out, _) =
        gallery(folder.path(), &["--print", "--view", "Bash", "--state", "done", "--samples", "own"]);
    assert_eq!((code, out.matches("== Bash").count()), (0, 2), "{out}");
    assert!(out.contains("✓ Bash  echo one") && out.contains("✓ Bash  echo two"), "{out}");
    assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out:?}");
    std::fs::write(folder.path().join("own"), "{}\n").unwrap();
    for (arguments, code, reason) in [
        (&["--print", "--samples", "own"][..], 1, "`own`: line 1 is no sample: missing field `view`"),
        (&["--print", "--samples", "none"], 1, "`none` could not be read"),
        (&["--print", "--view", "x"], 2, "no view is registered under `x`; there are `Bash`, "),
        (&["--print", "--state", "x"], 2, "one of pending, streaming, "),
        (&["--print", "--width", "0"], 2, "1..=1000"),
        (&[], 1, "with --print it is text"),
    ] {
        let said = gallery(folder.path(), arguments);
        assert_eq!((said.0, said.1.as_str()), (code, ""), "{arguments:?}: {}", said.2);
        assert!(said.2.contains(reason), "{arguments:?}: {}", said.2);
    }
}

#[test]
fn live_until_q_and_the_screen_is_as_it_was() {
    let Some(pane) = Pane::start(90, 24) else { return };
    pane.enter("echo before; PS1='# '");
    pane.wait_for("the shell", |all| all.contains("\nbefore"));
    pane.enter(&format!("{} gallery; echo code $?", env!("CARGO_BIN_EXE_carpel")));
    pane.wait_for("the gallery", |all| all.contains(" Bash of carpel-tool-views · 1 of "));
    assert!(!pane.screen().contains("before"), "{}", pane.screen());
    pane.tmux(&["send-keys", "-l", "nSddwt"]);
    pane.wait_for("what keys do", |all| {
        all.contains(" Edit of carpel-tool-views · 2 of ")
            && all.contains("· incomplete · overview · 20 columns · dark")
            && all.lines().any(|row| row.trim_end() == "── incomplete ──────")
    });
    pane.resize(60, 10);
    pane.wait_for("the smaller window", |all| {
        all.contains(" Edit of carpel-tool-views") && all.contains("… ")
    });
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the shell again", |all| all.contains("code 0") && all.contains("\nbefore"));
    assert!(!pane.all().contains("columns"), "{}", pane.all());
}
