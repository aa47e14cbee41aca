//! The inspector in a real tmux: opened over a chat, moved in, searched, copied from, a file opened and left, and the
//! scrollback as if nothing had been.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use pane::Pane;

fn times(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

/// An editor as a script, and the file in which it tells what it was started with.
fn an_editor(pane: &Pane) -> (PathBuf, PathBuf) {
    let editor = pane.path().join("editor");
    let told = pane.path().join("told");
    // As editors do: a screen of its own, left again.
    let script = format!(
        "#!/bin/sh\nprintf '\\033[?1049h\\033[2JIN THE EDITOR'\necho \"$*\" > {}\nsleep 0.5\nprintf '\\033[?1049l'\n",
        told.display()
    );
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    (editor, told)
}

#[test]
fn a_session_is_inspected_and_the_scrollback_is_unharmed() {
    let Some(pane) = Pane::start(110, 30) else { return };
    let (editor, told) = an_editor(&pane);
    pane.tmux(&["set-option", "-g", "set-clipboard", "on"]);
    pane.enter(&format!(
        "export EDITOR={}; unset TMUX; for i in $(seq 40); do echo shell line $i.; done",
        editor.display()
    ));
    pane.wait_for("the shell's lines", |all| all.contains("shell line 40."));
    pane.chat();
    pane.enter("find every TODO in this project and read the file with the most");
    pane.wait_for("the answer", |all| all.contains("has the most (2)") && all.contains(": for commands"));
    let before = pane.all();

    pane.tmux(&["send-keys", "C-t"]);
    pane.wait_for("the inspector", |all| all.contains("? keys") && all.contains("follows"));
    pane.tmux(&["send-keys", "-l", "g/in 2 files"]);
    pane.tmux(&["send-keys", "Enter"]);
    pane.wait_for("the hits", |all| all.contains("/in 2 files 1 of ") && all.contains("▌ ✓ Grep"));
    pane.tmux(&["send-keys", "-l", "J"]);
    pane.wait_for("the second call", |all| all.contains("▌ ✓ Read"));
    pane.tmux(&["send-keys", "-l", "yo"]);
    pane.wait_for("a word", |all| all.contains("copied the output"));
    let copied = pane.tmux(&["show-buffer"]);
    assert_eq!(copied.trim_end(), "// TODO: one\nfn parse() {}\n// TODO: two");

    pane.tmux(&["send-keys", "-l", "o"]);
    pane.wait_for("the editor", |all| all.contains("IN THE EDITOR"));
    pane.wait_for("the inspector again", |all| all.contains("▌ ✓ Read") && !all.contains("IN THE EDITOR"));
    let told = std::fs::read_to_string(told).unwrap();
    let parser = pane.path().join("work/src/parser.rs");
    assert_eq!(told.trim_end(), format!("+1 {}", parser.canonicalize().unwrap().display()));

    // The window changes while the inspector is up.
    pane.resize(90, 24);
    pane.wait_for("one column", |all| all.contains("▌ ✓ Read") && !all.contains('│'));
    pane.resize(110, 30);
    pane.wait_for("two columns", |all| all.contains("▌ ✓ Read") && all.contains('│'));

    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the chat", |all| all.contains("shell line 1.") && all.contains("has the most (2)"));
    pane.wait_for("the draft", |all| all.contains(": for commands"));
    let after = pane.all();
    for line in ["shell line 1.", "shell line 40.", "✓ Grep", "✓ Read", "has the most (2)"] {
        assert_eq!(times(&after, line), times(&before, line), "{line} in\n{after}");
    }
    assert!(!after.contains('▌'), "{after}");
    pane.tmux(&["send-keys", "C-d"]);
    pane.wait_for("the shell", |all| all.contains("LEFT\n"));
    let last = pane.all();
    assert_eq!(times(&last, "✓ Grep"), times(&before, "✓ Grep"), "{last}");
}

/// What is due while the inspector is up comes in one piece when it is left.
#[test]
fn what_happens_meanwhile_is_committed_on_leaving() {
    let Some(pane) = Pane::start(90, 24) else { return };
    pane.chat();
    pane.enter("find every TODO in this project and read the file with the most");
    pane.tmux(&["send-keys", "C-t"]);
    pane.wait_for("the inspector, live", |all| all.contains("? keys") && all.contains("has the most (2)"));
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the chat", |all| all.contains(": for commands") && all.contains("has the most (2)"));
    let all = pane.all();
    for line in ["› find every TODO", "✓ Grep", "✓ Read", "has the most (2)"] {
        assert_eq!(times(&all, line), 1, "{line} in\n{all}");
    }
}

/// Sub-agents explore a project: watched while they work, looked at afterwards, a file opened and left.
#[test]
fn tasks_are_watched_and_then_inspected() {
    let Some(pane) = Pane::start(110, 30) else { return };
    let (editor, told) = an_editor(&pane);
    let work = pane.path().join("work");
    std::fs::create_dir_all(work.join("docs")).unwrap();
    std::fs::write(work.join("docs/guide.md"), "# Guide\n\nTODO: write it\n").unwrap();
    std::fs::write(work.join("README.md"), "# A project\n\nIt parses.\n").unwrap();
    pane.enter(&format!("export EDITOR={}; unset TMUX", editor.display()));
    pane.chat();
    pane.enter("explore this project in two tasks");
    pane.wait_for("both tasks at work", |all| {
        all.contains("● Task  Explore src") && all.contains("● Task  Explore docs")
    });
    pane.tmux(&["send-keys", "C-t"]);
    pane.wait_for("the inspector over tasks at work", |all| {
        all.contains("follows") && all.contains("● Task")
    });
    pane.wait_for("the tasks' end, live in it", |all| {
        all.contains("follows") && all.contains("2 tasks explored")
    });

    // What a sub-agent said before its answer is in the details, and is found.
    pane.tmux(&["send-keys", "-l", "g/and count it"]);
    pane.tmux(&["send-keys", "Enter"]);
    pane.wait_for("the words of a sub-agent", |all| {
        all.contains("/and count it 1 of ") && all.contains("▌ ✓ Task  Explore")
    });
    pane.wait_for("them in the details", |all| {
        all.contains("and count it\n") || all.contains("and count it ")
    });
    pane.tmux(&["send-keys", "-l", "J"]);
    pane.wait_for("a call below it", |all| all.contains("▌   ✓ Glob"));
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the chat", |all| all.contains(": for commands") && all.contains("2 tasks explored"));
    pane.enter("read README.md");
    pane.wait_for("the file", |all| all.contains("✓ Read  README.md") && all.contains(": for commands"));
    pane.tmux(&["send-keys", "C-t"]);
    pane.wait_for("the inspector", |all| all.contains("follows"));
    pane.tmux(&["send-keys", "-l", "g/It parses"]);
    pane.tmux(&["send-keys", "Enter"]);
    pane.wait_for("the file's call", |all| {
        all.contains("/It parses 1 of ") && all.contains("▌ ✓ Read  README.md")
    });
    // What is searched for is found while it is typed; its row goes with Enter.
    pane.wait_for("the end of the search", |_| !pane.screen().trim_end().ends_with("/It parses"));
    let before = pane.screen();
    pane.tmux(&["send-keys", "-l", "o"]);
    pane.wait_for("the editor", |all| all.contains("IN THE EDITOR"));
    pane.wait_for("the inspector again", |all| all.contains("▌ ✓ Read") && !all.contains("IN THE EDITOR"));
    assert_eq!(pane.screen(), before, "the screen is as it was");
    let readme = work.join("README.md").canonicalize().unwrap();
    assert_eq!(std::fs::read_to_string(told).unwrap().trim_end(), format!("+1 {}", readme.display()));
    pane.tmux(&["send-keys", "-l", "q"]);
    pane.wait_for("the chat", |all| all.contains(": for commands") && all.contains("2 tasks explored"));
    let all = pane.all();
    assert!(all.find("✓ Task  Explore src").is_some() && all.find("✓ Task  Explore docs").is_some(), "{all}");
    assert_eq!((times(&all, "✓ Task"), times(&all, "● Task")), (2, 0), "{all}");
}
