//! `carpel plugin dev` in a real tmux: the plugin's cards, anew when its file changes, the last good ones when it breaks.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "../../slots/tests/plugin/needs.rs"]
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
        all.contains("cannot be used: ended with exit code 1")
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

/// The library of the example that was built in that mode.
fn build(pane: &Pane, mode: &str, more: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut cc = std::process::Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-O0", "-I"]).arg(root.join("slots/include"));
    cc.arg(format!("-DROGUE={mode}"))
        .args(more.split_whitespace())
        .arg("-o")
        .arg(pane.path().join("mine.so"));
    needs::run(cc.arg(root.join("examples/rogue/rogue.c")));
}

#[test]
fn a_library_is_shown_and_followed_when_it_is_built_again() {
    if needs::program("cc").is_none() {
        return;
    }
    let Some(pane) = Pane::start(100, 30) else { return };
    let carpel = PathBuf::from(env!("CARGO_BIN_EXE_carpel"));
    build(&pane, "fine", "");
    pane.enter(&format!("{} plugin dev mine.so; echo code $?", carpel.display()));
    pane.wait_for("its cards", |all| all.contains(" rogue of the plugin"));
    build(&pane, "no_symbol", "");
    pane.wait_for("why it cannot be used", |all| {
        all.contains("cannot be used: has no function `carpel_plugin_v1`")
            && all.contains(" rogue of the plugin")
    });
    build(&pane, "fails", "");
    pane.wait_for("the cards of the new one", |all| {
        all.contains("its function for requests returned") && !all.contains("cannot be used")
    });
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the shell again", |all| all.contains("code 0"));
}

/// Who leaves while a plugin hangs leaves nothing behind, neither it nor what it started.
#[test]
fn one_that_hangs_ends_with_it() {
    if needs::program("python3").is_none() {
        return;
    }
    let Some(pane) = Pane::start(100, 30) else { return };
    let carpel = PathBuf::from(env!("CARGO_BIN_EXE_carpel"));
    let file = pane.path().join("hangs");
    let sleeps = "#!/usr/bin/env python3\nimport subprocess\nopen('begun', 'w')\nsubprocess.call(['sleep', '1234567'])\n";
    std::fs::write(&file, sleeps).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    pane.enter(&format!("{} plugin dev hangs; echo code $?", carpel.display()));
    let own = pane.path().canonicalize().unwrap();
    let of_plugin = || processes::find(|words, cwd| cwd == own && words.iter().any(|word| word == "1234567"));
    pane.wait_for("the plugin", |_| !of_plugin().is_empty());
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the shell again", |all| all.contains("code 0"));
    assert_eq!(of_plugin(), Vec::<i32>::new());
    let interpreters =
        processes::find(|words, cwd| cwd == own && words.iter().any(|word| word.ends_with("hangs")));
    assert_eq!(interpreters, Vec::<i32>::new());
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
