//! What people expect of a line that they write in, through the program itself in a pseudo-terminal: history between
//! sessions, search, the person's editor, a screen that something else wrote on, and what becomes of odd pastes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/chat_pty.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod chat_pty;

use std::os::unix::fs::PermissionsExt as _;

use carpel_slots::Printable;
use chat_pty::{Chat, Terminal, folder};

fn send(chat: &mut Chat, text: &str) {
    let count = chat.pod.prompts().len();
    chat.write(text.as_bytes());
    chat.write(b"\r");
    chat.wait("the prompt", |chat| chat.pod.prompts().len() == count + 1);
    chat.wait_for("the end", |rows| rows.iter().any(|row| row.starts_with("scripted")));
    chat.drafts(&[""]);
}

#[test]
fn what_was_sent_is_there_in_the_next_session_unless_it_is_private() {
    let mut chat = Chat::start(Terminal::Plain);
    send(&mut chat, "first");
    send(&mut chat, "second\x1b\rwith two lines");
    send(&mut chat, " begins with a blank");
    send(&mut chat, &format!("\x1b[200~{}\x1b[201~", "key material\n".repeat(30)));
    chat.write(b":density normal\r");
    chat.wait_for("the record", |rows| rows.iter().any(|row| row.contains(":density normal")));
    let file = chat.state().join("history.jsonl");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "\"first\"\n\"second\\nwith two lines\"\n");
    // In this session all of it comes back.
    chat.write(b"\x1b[A\x1b[A");
    chat.wait_for("the paste", |rows| {
        let below = rows.iter().rev().take_while(|row| !row.starts_with("scripted"));
        below.filter(|row| row.as_str() == "  key material").count() > 5
    });
    let mut chat = Chat::start_in(chat.leave(), Terminal::Plain, &[]);
    chat.write(b"draft\x1b[A");
    chat.drafts(&["second", "with two lines"]);
    chat.write(b"\x1b[A\x1b[A");
    chat.drafts(&["first"]);
    chat.write(b"\x1b[B\x1b[B\x1b[B");
    chat.drafts(&["draft"]);
}

#[test]
fn a_search_shows_what_it_finds_and_sends_nothing() {
    let mut chat = Chat::start(Terminal::Plain);
    for text in ["run the tests", "read main.rs", "run it again"] {
        send(&mut chat, text);
    }
    chat.write(b"draft\x12run\x12");
    chat.wait("the text", |chat| chat.draft()[0] == "run the tests");
    assert!(chat.rows().iter().any(|row| row.contains("search `run`")), "{:#?}", chat.rows());
    chat.write(b"\r");
    chat.drafts(&["run the tests"]);
    assert_eq!(chat.pod.prompts().len(), 3);
    chat.write(b"\x12again");
    chat.wait("the text", |chat| chat.draft()[0] == "run it again");
    chat.write(b"\x1b");
    chat.drafts(&["run the tests"]);
}

#[test]
fn the_draft_goes_through_the_persons_editor() {
    let script = "sh -c 'printf \"FROM THE EDITOR\\r\\n\"; stty -a | grep -o .icanon; sed -i s/draft/edited/ \"$1\"' sh";
    let mut chat = Chat::start_in(folder(), Terminal::Kitty, &[("EDITOR", script)]);
    chat.write(b"the draft\x1b\ris here\x07");
    chat.drafts(&["the edited", "is here"]);
    let text = chat.seen(|seen| seen.emulator.text().join("\n"));
    assert!(text.contains("FROM THE EDITOR\n icanon"), "{text}");
    chat.wait("the keyboard protocol", |chat| chat.pushes() == "+-+");
    chat.write(b"!\r");
    chat.wait("the prompt", |chat| chat.pod.prompts() == ["the edited\nis here!"]);
    chat.leave();
}

#[test]
fn an_editor_that_fails_or_is_not_set_leaves_the_draft() {
    for (editor, word) in [("", "set EDITOR"), ("exit 3;", "failed")] {
        let mut chat = Chat::start_in(folder(), Terminal::Plain, &[("EDITOR", editor), ("VISUAL", "")]);
        chat.write(b"draft\x07");
        chat.wait_for("a word", |rows| rows.iter().any(|row| row.contains(word)));
        chat.write(b"!");
        chat.drafts(&["draft!"]);
    }
}

#[test]
fn ctrl_l_draws_the_live_rows_anew_and_commits_nothing_twice() {
    let mut chat = Chat::start(Terminal::Plain);
    send(&mut chat, "go");
    chat.write(b"draft");
    chat.drafts(&["draft"]);
    let rows = chat.rows();
    let status = rows.iter().position(|row| row.starts_with("scripted")).unwrap();
    chat.scribble(format!("\x1b7\x1b[{};1HXXXXXXXX\x1b[{};30HYYYY\x1b8", status + 1, status + 2).as_bytes());
    assert_ne!(chat.rows(), rows);
    chat.write(b"\x0c");
    chat.wait("the picture", |chat| chat.rows() == rows);
    chat.write(b"\x0c\x0c!");
    chat.drafts(&["draft!"]);
    assert_eq!(chat.rows().iter().filter(|row| *row == "› go").count(), 1, "{:#?}", chat.rows());
}

/// What is sent is what was pasted, without what no key types; what is seen is safe.
#[test]
fn pasted_controls_are_dropped_and_the_rest_is_sent_as_it_is() {
    let turned = Printable::prose("a\u{202e}b").to_string();
    assert!(!turned.contains('\u{202e}'));
    for (pasted, seen, sent) in [
        ("a\x00b\x07c\x08d\x7fe", "abcde", "abcde"),
        ("a\u{9b}31mb", "a31mb", "a31mb"),
        ("a\x1b[201~b\rrm", "ab", "ab\nrm"),
        ("\x1b]0;title\x07x", "]0;titlex", "]0;titlex"),
        ("a\u{202e}b", turned.as_str(), "a\u{202e}b"),
        ("a\rb\r\nc", "a", "a\nb\nc"),
    ] {
        let mut chat = Chat::start(Terminal::Plain);
        chat.write(format!("\x1b[200~{pasted}\x1b[201~").as_bytes());
        chat.wait("the draft", |chat| chat.draft() != [""]);
        assert_eq!(chat.draft()[0], seen, "{pasted:?}");
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
        chat.write(b"\r");
        chat.wait("the prompt", |chat| !chat.pod.prompts().is_empty());
        assert_eq!(chat.pod.prompts(), [sent]);
        chat.seen(|seen| assert_eq!(seen.titles, Vec::<String>::new()));
    }
}

#[test]
fn every_key_is_listed() {
    let mut chat = Chat::start(Terminal::Plain);
    chat.write(b":keys\r");
    chat.wait_for("the list", |rows| rows.iter().any(|row| row.contains(":keys")));
    chat.wait("the end", Chat::is_silent);
    let text = chat.seen(|seen| seen.emulator.text().join("\n"));
    for word in ["Ctrl+C", "Ctrl+L", "Ctrl+R", "Home, Ctrl+A", "Alt+Backspace", "Shift+Enter", "undo"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
}
