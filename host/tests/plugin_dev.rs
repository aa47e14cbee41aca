//! `carpel plugin dev` in a real tmux: the plugin's cards, anew when its file changes, the last good ones when it breaks.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "../../slots/tests/plugin/needs.rs"]
#[allow(dead_code, reason = "nothing is built here")]
mod needs;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;

use std::path::{Path, PathBuf};

use pane::Pane;

/// Changes a line of the plugin, as an editor does that writes the file in place.
fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn a_plugin_is_shown_and_follows_its_file() {
    if needs::program("python3").is_none() {
        return;
    }
    let Some(pane) = Pane::start(100, 30) else { return };
    let carpel = PathBuf::from(env!("CARGO_BIN_EXE_carpel"));
    pane.enter(&format!("{} plugin new mine --lang python && echo MADE", carpel.display()));
    pane.wait_for("the project", |all| all.contains("\nMADE"));
    let file = pane.path().join("mine/mine.py");
    pane.enter(&format!("{} plugin dev mine/mine.py; echo code $?", carpel.display()));
    pane.wait_for("its cards", |all| {
        all.contains(" mine of the plugin") && all.contains("✓ mine  one two three  3 lines")
    });

    edit(&file, "\"text\": query,", "\"text\": query.upper(),");
    pane.wait_for("the new cards", |all| all.contains("✓ mine  ONE TWO THREE  3 lines"));

    edit(&file, "def card(call):", "def card(call:");
    pane.wait_for("why it cannot be used", |all| {
        all.contains("cannot be used: ended with exit status: 1")
            && all.contains("✓ mine  ONE TWO THREE  3 lines")
    });

    edit(&file, "def card(call:", "def card(call):");
    pane.wait_for("the cards again", |all| !all.contains("cannot be used"));
    edit(&file, "made = {}", "raise ValueError('no idea')\n    made = {}");
    pane.wait_for("an error in place of its note", |all| all.contains("no idea"));
    // Without the file the last version stays.
    std::fs::remove_file(&file).unwrap();
    pane.tmux(&["send-keys", "-l", "d"]);
    pane.wait_for("another density", |all| all.contains("· detail ·") && all.contains("no idea"));
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the shell again", |all| all.contains("code 0") && all.contains("\nMADE"));
}

#[test]
fn a_pipe_is_no_place_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_carpel"));
    let output = command
        .args(["plugin", "dev", "none"])
        .env("CARPEL_HOME", folder.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{said}");
    assert!(said.contains("`carpel plugin check` is for a pipe"), "{said}");
}
