//! A chat that is heard, and one that does not move: what is written to the terminal, and when.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use std::path::PathBuf;
use std::time::Duration;

use carpel::chat::event::{HostEvent, LinkEvent};
use carpel::chat::screen::LiveRows;
use carpel::headless::Headless;
use carpel::render::glyph::Glyphs;
use carpel::render::look::Look;
use carpel::render::painter::motion::Motion;
use carpel_protocol::EventLine;
use carpel_protocol::recording::{Directive, Step, decode_step};
use carpel_slots::Density;
use pty::{Place, Pty, Setup};
use ratatui::layout::Size;

const HEARD: Look = Look { glyphs: &Glyphs::WORDS, ..Look::PLAIN };

fn spoken() -> LiveRows {
    LiveRows { spoken: true, motion: Motion::Reduced, ..LiveRows::default() }
}

/// What goes above the row in which a frame begins, which is the draft's, or names a row, scrolls, erases more than the rest
/// of a row, or leaves the screen. Below the draft there is nothing to be seen: a first frame may clean up there.
fn wanders(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    for frame in text.split("\x1b[?2026h") {
        let mut below: usize = 0;
        let mut parts = frame.split("\x1b[");
        below += parts.next().unwrap_or_default().matches('\n').count();
        for part in parts {
            let end = part.find(|c: char| ('\x40'..='\x7e').contains(&c))?;
            let sequence = &part[..=end];
            let rows: usize = part[..end].parse().unwrap_or(1);
            if sequence.ends_with('A') && rows <= below {
                below -= rows;
            } else if "ABEFHJLMPSTXdfr@".contains(&part[end..=end]) || sequence == "?1049h" {
                return Some(format!("{sequence}, {below} rows below the draft, in {frame:?}"));
            }
            below += part[end..].matches('\n').count();
        }
    }
    None
}

fn recordings() -> Vec<(String, Vec<Step>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/recordings");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let steps = text.lines().filter_map(|line| decode_step(line.as_bytes()).ok());
        (file.file_stem().unwrap().to_string_lossy().into_owned(), steps.collect())
    };
    files.iter().map(read).collect()
}

/// Every recording: what was written stays as it is, new lines come below it, and no sign stands for a word.
#[test]
fn lines_are_written_once_and_below_each_other() {
    let mut lines = 0;
    for (name, steps) in recordings() {
        for density in Density::ALL {
            let mut host = Headless::new(Size::new(80, 24), density, HEARD).living(spoken());
            let mut before: Vec<String> = Vec::new();
            for step in &steps {
                let bytes = host.play(step);
                assert_eq!(wanders(&bytes), None, "{name}");
                let mut after: Vec<String> = host.emulator.text();
                let is_blank = |row: Option<&String>| row.is_some_and(|row| row.trim().is_empty());
                while is_blank(after.last()) {
                    after.pop();
                }
                if !host.chat.composer.buffer.is_empty() {
                    // The last row is the draft's.
                    after.pop();
                    while is_blank(after.last()) {
                        after.pop();
                    }
                }
                let is_resized = matches!(step, Step::Directive(Directive::Resize(_)));
                if !is_resized {
                    assert!(after.starts_with(&before), "{name} {density:?}: {before:#?}\n{after:#?}");
                }
                before = after;
            }
            lines += before.len();
            let text = before.join("\n");
            assert!(!text.contains(['○', '◌', '●', '✓', '✗', '⊘', '⊝', '◐', '›']), "{name}: {text}");
        }
    }
    assert!(lines > 500, "{lines}");
}

fn event(host: &mut Headless, line: &str) {
    let line: EventLine = serde_json::from_str(line).unwrap();
    host.event(HostEvent::Link(LinkEvent::Event(Box::new(line))));
}

const RUNNING: [&str; 4] = [
    r#"{"event":"turn_start","turn":1}"#,
    r#"{"event":"state","state":"running"}"#,
    r#"{"event":"tool_call_start","id":"a","name":"Bash"}"#,
    r#"{"event":"tool_call_done","id":"a","arguments":"{\"command\":\"make\"}"}"#,
];

/// What is seen of a call that has run for seven seconds, of a thought of seven, and whether a frame is due for their sake.
#[test]
fn reduced_motion_shows_no_time_that_grows() {
    let thinking = [RUNNING[0], RUNNING[1], r#"{"event":"thinking_start"}"#];
    for (events, what, time) in [(&RUNNING[..], "Bash  make", "7s"), (&thinking[..], "Thinking...", "(7s)")] {
        for motion in [Motion::Full, Motion::Reduced] {
            let live = LiveRows { motion, ..LiveRows::default() };
            let mut host = Headless::new(Size::new(80, 24), Density::Normal, Look::PLAIN).living(live);
            for line in events {
                event(&mut host, line);
            }
            host.frame();
            host.advance(Duration::from_millis(7_100));
            let moved = !host.frame().is_empty();
            let screen = host.emulator.text().join("\n");
            let moves = motion == Motion::Full;
            assert!(screen.contains(what), "{screen}");
            assert_eq!(screen.contains(time), moves, "{motion:?}: {screen}");
            assert_eq!((moved, host.due.is_some()), (moves, moves), "{motion:?}: {screen}");
        }
    }
    // Once it stands still its time is told.
    let mut host = Headless::new(Size::new(80, 24), Density::Normal, Look::PLAIN)
        .living(LiveRows { motion: Motion::Reduced, ..LiveRows::default() });
    RUNNING.iter().for_each(|line| event(&mut host, line));
    event(&mut host, r#"{"event":"tool_result","id":"a","summary":"ok","is_error":false,"elapsed_ms":7100}"#);
    event(&mut host, r#"{"event":"turn_end","turn":1,"reason":"completed"}"#);
    host.frame();
    assert!(host.emulator.text().join("\n").contains("7s"), "{:?}", host.emulator.text());
}

/// A turn with a question, as somebody hears it: each thing once, in its order, the question whole, and nothing else.
#[test]
fn a_turn_is_told_in_words() {
    let place = Place::new();
    let mut chat = Pty::carpel(&place, Setup::new(80, 24), &["--screen-reader"]);
    chat.wait_for("the welcome", |text| text.contains(":keys lists the keys"));
    chat.press("run: sleep 2; echo over\r");
    chat.wait_for("the question", |text| text.contains("n no"));
    // A letter that comes at once is no answer.
    std::thread::sleep(Duration::from_millis(900));
    chat.press("y");
    chat.wait_for("the end", |text| text.contains("ready after"));
    chat.press(":density detail\r");
    chat.wait_for("the command", |text| text.contains("done: :density"));
    let text = chat.text();
    let mut from = 0;
    for line in [
        "ready, guide (no model)",
        "you: run: sleep 2; echo over",
        "carpel wants to run a command",
        "y once",
        "running: Bash  sleep 2; echo over",
        "done: Bash  sleep 2; echo over",
        "ready after",
        "done: :density",
    ] {
        assert_eq!(text.matches(line).count(), 1, "{line}:\n{text}");
        from += text[from..].find(line).unwrap_or_else(|| panic!("{line} comes too early:\n{text}"));
    }
    assert_eq!(wanders(&chat.bytes()), None);
    assert_eq!(chat.leave(), 0);
}

/// The command line, the manifest, the environment: the first that says something.
#[test]
fn who_hears_is_known_from_three_places() {
    for (argument, manifest, variable, heard) in [
        (None, None, None, false),
        (None, None, Some("1"), true),
        (None, None, Some("0"), false),
        (None, Some("off"), Some("1"), false),
        (None, Some("on"), None, true),
        (Some("--screen-reader"), Some("off"), None, true),
    ] {
        let place = Place::new();
        if let Some(word) = manifest {
            let file = place.path().join("home/manifest.toml");
            std::fs::write(file, format!("provider = \"guide\"\n[ui]\nscreen_reader = \"{word}\"\n"))
                .unwrap();
        }
        let setup = Setup::new(80, 24).variable("ACCESSIBLE", variable);
        let arguments: Vec<&str> = argument.into_iter().collect();
        let mut chat = Pty::carpel(&place, setup, &arguments);
        chat.wait_for("the welcome", |text| text.contains(":keys lists the keys"));
        chat.settle();
        assert_eq!(chat.text().contains("ready, guide"), heard, "{argument:?} {manifest:?} {variable:?}");
        assert_eq!(chat.leave(), 0);
    }
}
