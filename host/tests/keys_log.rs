//! Section 4 of the reported faults, keyboard, paste and mouse, through the program itself in a pseudo-terminal.
//!
//! The rows that a row of `data/keys.jsonl` stands for are tested by `keys.rs` under its name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/chat_pty.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod chat_pty;

use std::fmt::Write as _;
use std::time::Duration;

use alacritty_terminal::term::TermMode;
use chat_pty::{Chat, Terminal};
use portable_pty::CommandBuilder;
use ratatui::layout::Position;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// Longer than an ESC waits for the rest of a sequence.
const AFTER_AN_ESC: Duration = Duration::from_millis(400);

fn many_lines(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, line| {
        writeln!(text, "pasted line {line} with some words").unwrap();
        text
    })
}

fn paste(chat: &Chat, text: &str) {
    chat.write(format!("\x1b[200~{text}\x1b[201~").as_bytes());
}

/// Nanoseconds of processor time of all threads of the program.
fn processor_time(chat: &Chat) -> Option<u64> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", chat.child.process_id()?)).ok()?;
    let times = tasks.map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    times.sum()
}

/// In the terms of the same machine in the same minute: ten times the text may cost ten times as much, not a hundred.
#[test]
fn log_4_05_a_paste_of_50000_lines_costs_its_length_and_is_one_edit() {
    let mut chat = Chat::start(Terminal::Plain);
    let cost = |chat: &mut Chat, lines: usize| {
        let before = processor_time(chat);
        paste(chat, &many_lines(lines));
        chat.drafts(&[&format!("[pasted {lines} lines]")]);
        let cost = processor_time(chat).zip(before).map(|(after, before)| after - before);
        chat.write(b"\x03");
        chat.drafts(&[""]);
        cost
    };
    let costs = (cost(&mut chat, 5_000), cost(&mut chat, 50_000));
    match costs {
        (Some(short), Some(long)) => assert!(long < 30 * short, "{short} ns, then {long} ns"),
        _ => eprintln!("skipped: no /proc on this system tells processor times"),
    }
    // One step of undo takes it away, and one brought it back.
    let text = many_lines(50_000);
    chat.write(b"see ");
    paste(&chat, &text);
    chat.drafts(&["see [pasted 50000 lines]"]);
    chat.write(b"\x1f");
    chat.drafts(&["see"]);
    paste(&chat, &text);
    chat.drafts(&["see [pasted 50000 lines]"]);
    chat.write(b"\r");
    chat.wait("the prompt", |chat| !chat.pod.prompts().is_empty());
    assert!(chat.pod.prompts() == [format!("see {text}")], "what was sent is not what was pasted");
}

#[test]
fn log_4_06_a_long_paste_is_one_repaint() {
    let mut chat = Chat::start(Terminal::Plain);
    chat.wait("the first frames", Chat::is_silent);
    let before = chat.seen(|seen| seen.frames.len());
    let bytes = format!("\x1b[200~{}\x1b[201~", many_lines(20_000)).into_bytes();
    for piece in bytes.chunks(bytes.len() / 50 + 1) {
        chat.write(piece);
        std::thread::sleep(Duration::from_millis(3));
    }
    chat.drafts(&["[pasted 20000 lines]"]);
    chat.wait("the end", Chat::is_silent);
    assert_eq!(chat.seen(|seen| seen.frames.len()), before + 1);
}

#[test]
fn log_4_09_press_and_repeat_act_and_a_release_does_not() {
    let mut chat = Chat::start(Terminal::Kitty);
    // Held: a letter, then Left three times over, then Backspace; each is released.
    chat.write(b"\x1b[97;1:1u\x1b[97;1:3ubcd\x1b[1;1:1D\x1b[1;1:2D\x1b[1;1:2D\x1b[1;1:3D");
    chat.write(b"\x1b[127;1:1u\x1b[127;1:3u\x1b[13;1:3u\x1b[27;1:3u\x1b[57441;2:1u\x1b[57441;1:3u*");
    chat.drafts(&["*bcd"]);
    assert_eq!(chat.seen(|seen| seen.emulator.cursor().x), 3);
    assert_eq!(chat.pod.methods(), Vec::<String>::new());
}

#[test]
fn log_4_11_the_keyboard_protocol_is_popped_as_often_as_it_was_pushed() {
    type Leave = fn(&mut Chat);
    let ways: [(&str, Leave); 9] = [
        ("Ctrl+C twice", |chat| chat.write(b"\x03\x03")),
        ("Ctrl+D", |chat| chat.write(b"\x04")),
        (":quit", |chat| chat.write(b":quit\r")),
        ("SIGTERM", |chat| chat.signal(Signal::TERM)),
        ("SIGHUP", |chat| chat.signal(Signal::HUP)),
        ("SIGINT", |chat| chat.signal(Signal::INT)),
        ("SIGQUIT", |chat| chat.signal(Signal::QUIT)),
        ("SIGTERM on the alternate screen", |chat| {
            picker(chat);
            chat.signal(Signal::TERM);
        }),
        ("the pod's death", |chat| {
            chat.pod.say(&json!({"event":"bye","reason":"tired"}));
            chat.wait_for("no pod", |rows| rows.iter().any(|row| row.starts_with("no pod")));
            chat.write(b"\x04");
        }),
    ];
    for terminal in [Terminal::Kitty, Terminal::Plain] {
        for (name, leave) in &ways {
            let mut chat = Chat::start(terminal);
            leave(&mut chat);
            chat.ends();
            let pushes = match (terminal, name.contains("alternate")) {
                (Terminal::Plain, _) => "",
                (Terminal::Kitty, false) => "+-",
                (Terminal::Kitty, true) => "++--",
            };
            assert_eq!(chat.pushes(), pushes, "{name}");
            log_4_13(&chat, name);
        }
    }
}

/// A stop from outside that the program hears of, and one that it does not.
#[test]
fn log_4_11_a_stop_pops_and_a_continuation_pushes() {
    for signal in [Signal::TSTP, Signal::STOP] {
        let (mut chat, program) = in_a_shell();
        chat.write(b"draft");
        chat.drafts(&["draft"]);
        kill_process(program, signal).unwrap();
        chat.wait_for("the stop", |rows| rows.iter().any(|row| row.contains("Stopped")));
        chat.write(b"fg\r");
        chat.wait("the keyboard protocol", |chat| chat.pushes() == "+-+");
        chat.write(b"!");
        chat.drafts(&["draft!"]);
        chat.write(b"\x03\x03\x03");
        chat.wait_for("the shell", shell_waits);
        assert_eq!(chat.pushes(), "+-+-");
        chat.write(b"exit\r");
        chat.child.wait().unwrap();
    }
}

/// Mouse reports that are under way when the program ends do not reach the shell, and none were asked for.
#[test]
fn log_4_13_what_is_under_way_at_the_end_does_not_reach_the_shell() {
    for signal in [Signal::TERM, Signal::INT, Signal::QUIT] {
        let (mut chat, program) = in_a_shell();
        for column in 0..2000 {
            chat.write(format!("\x1b[<35;{column};7M").as_bytes());
        }
        kill_process(program, signal).unwrap();
        chat.wait_for("the shell", |rows| {
            rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row.ends_with("bash$"))
        });
        chat.write(b"echo CLEAN\r");
        chat.wait_for("the shell", |rows| rows.iter().any(|row| row == "bash$ echo CLEAN"));
        assert!(!chat.rows().iter().any(|row| row.contains("35;")), "{:#?}", chat.rows());
        log_4_13(&chat, "a signal");
        chat.write(b"exit\r");
        chat.child.wait().unwrap();
    }
}

/// No mouse mode was ever turned on.
fn log_4_13(chat: &Chat, name: &str) {
    let bytes = chat.seen(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
    for mode in ["9", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016"] {
        assert!(!bytes.contains(&format!("\x1b[?{mode}h")), "mode {mode} after {name}");
    }
}

#[test]
fn log_4_14_the_cursor_is_at_the_insertion_point_in_every_frame() {
    let mut chat = Chat::start(Terminal::Plain);
    chat.pod.hangs();
    chat.write(b"go\r");
    chat.wait_for("the turn", |rows| rows.iter().any(|row| row == "› go"));
    chat.write("wort 漢字".as_bytes());
    chat.drafts(&["wort 漢字"]);
    chat.write(b"\x1b[D");
    let before = chat.seen(|seen| seen.frames.len());
    chat.wait("the move", |chat| chat.seen(|seen| seen.emulator.cursor().x) == 9);
    for line in 0..60 {
        chat.pod.say(&json!({"event":"text_delta","text":format!("line {line} of the answer\n\n")}));
        std::thread::sleep(Duration::from_millis(15));
    }
    chat.wait_for("the answer", |rows| rows.iter().any(|row| row.starts_with("line 59")));
    let frames = chat.seen(|seen| seen.frames[before + 1..].to_vec());
    assert!(frames.len() > 3, "{frames:?}");
    for (Position { x, .. }, row) in frames {
        assert_eq!((x, row.as_str()), (9, "› wort 漢字"));
    }
    let hidden = chat.seen(|seen| !seen.emulator.modes().contains(TermMode::SHOW_CURSOR));
    assert!(!hidden, "the cursor is hidden");
}

/// Letters as input methods send them: composed of several characters, several at once, in any pieces.
#[test]
fn log_4_15_composed_letters_keep_their_order() {
    for text in ["e\u{301}a\u{308}x", "각\u{1112}\u{1161}\u{11ab}y", "日本語、です", "ệ\u{1f1e9}\u{1f1ea}z"]
    {
        let mut chat = Chat::start(Terminal::Plain);
        for byte in text.as_bytes() {
            chat.write(&[*byte]);
            std::thread::sleep(Duration::from_millis(5));
        }
        chat.write("→".as_bytes());
        chat.wait_for("the end", |rows| rows.iter().any(|row| row.ends_with('→')));
        chat.write(b"\r");
        chat.wait("the prompt", |chat| !chat.pod.prompts().is_empty());
        assert_eq!(chat.pod.prompts(), [format!("{text}→")]);
    }
}

/// Replies go nowhere, wherever the keys go: the picker's search, a command, a reason, the draft.
#[test]
fn log_4_18_late_replies_are_swallowed_wherever_the_focus_is() {
    let replies = |chat: &Chat| {
        for piece in [
            "\x1b",
            "]11;rgb:1414/1",
            "919/1f1f\x07",
            "\x1b[I",
            "\x1b[O\x1b[?61;4;6c",
            "\x1b]10;rgb:f/f/f\x1b\\\x1bP>|term 1.0\x1b\\",
        ] {
            chat.write(piece.as_bytes());
            std::thread::sleep(Duration::from_millis(60));
        }
        chat.write(b"zz");
    };
    let mut chat = Chat::start(Terminal::Plain);
    picker(&mut chat);
    replies(&chat);
    chat.wait_for("the search", |rows| rows[0].starts_with("session zz "));
    chat.write(b"\x1b");
    chat.wait_for("the chat", |rows| rows.iter().any(|row| row.starts_with("scripted")));
    chat.write(b":ren");
    replies(&chat);
    chat.wait_for("the command", |rows| rows.iter().any(|row| row == "  :renzz"));
    chat.write(b"\x1b");
    std::thread::sleep(AFTER_AN_ESC);
    replies(&chat);
    chat.drafts(&["zz"]);
    assert_eq!(chat.pod.methods(), Vec::<String>::new());
}

/// A tool that does not hear of its cancel keeps neither the word about it nor the draft from the person.
#[test]
fn log_4_19_a_deaf_tool_is_said_to_be_cancelled_at_once_and_the_draft_goes_on() {
    let mut chat = Chat::start(Terminal::Plain);
    chat.pod.hangs();
    chat.write(b"go\r");
    chat.wait_for("the turn", |rows| rows.iter().any(|row| row == "› go"));
    chat.pod.say(&json!({"event":"tool_call_start","id":"c1","name":"Bash"}));
    chat.pod.say(
        &json!({"event":"tool_call_done","id":"c1","arguments":"{\"command\":\"trap '' TERM; sleep 999\"}"}),
    );
    chat.wait_for("the tool", |rows| rows.iter().any(|row| row.contains("sleep 999")));
    chat.write(b"\x1b");
    chat.wait_for("the word", |rows| rows.iter().any(|row| row.starts_with("cancelling")));
    assert_eq!(chat.pod.methods(), ["run", "cancel"]);
    chat.write(b"next\x1b[13;2uone");
    chat.drafts(&["next", "one"]);
    assert!(chat.rows().iter().any(|row| row.starts_with("cancelling")), "{:#?}", chat.rows());
}

#[test]
fn log_4_20_every_way_to_break_a_line_breaks_it() {
    for (terminal, key) in [
        (Terminal::Kitty, "\x1b[13;2u"),
        (Terminal::Kitty, "\x1b[13;2:1u\x1b[13;2:3u"),
        (Terminal::Kitty, "\x1b[13;3u"),
        (Terminal::Kitty, "\x1b[106;5u"),
        (Terminal::Plain, "\x1b[27;2;13~"),
        (Terminal::Plain, "\x1b\r"),
        (Terminal::Plain, "\n"),
        (Terminal::Plain, "\\\r"),
    ] {
        let mut chat = Chat::start(terminal);
        chat.write(format!("one{key}two").as_bytes());
        chat.drafts(&["one", "two"]);
        assert_eq!(chat.pod.methods(), Vec::<String>::new(), "{key:?}");
    }
}

fn picker(chat: &mut Chat) {
    chat.write(b":sessions\r");
    chat.wait("the picker", |chat| chat.seen(|seen| seen.emulator.modes().contains(TermMode::ALT_SCREEN)));
    chat.wait_for("the picker", |rows| rows[0].starts_with("session "));
}

/// The chat as a job of a shell, in a terminal with the keyboard protocol, and its process.
fn in_a_shell() -> (Chat, Pid) {
    let folder = chat_pty::folder();
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "--noediting", "-i"]);
    let mut chat = Chat::run(folder, Terminal::Kitty, command);
    chat.wait_for("the shell", shell_waits);
    chat.write(format!("{} attach keys\r", env!("CARGO_BIN_EXE_carpel")).as_bytes());
    chat.is_up(Terminal::Kitty);
    let shell = chat.child.process_id().unwrap();
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    (chat, Pid::from_raw(children.trim().parse().unwrap()).unwrap())
}

fn shell_waits(rows: &[String]) -> bool {
    rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "bash$")
}
