//! Bytes as terminals send them, in the pieces and at the times they come, and what is made of them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use carpel::terminal::input::decode::{Decoded, Decoder};
use carpel::terminal::input::keystroke::{Arrival, Keystroke};
use carpel::terminal::input::{Cause, Input, Reader, Screen};
use carpel::terminal::tty::Tty;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use proptest::prelude::{ProptestConfig, proptest};
use ratatui::layout::{Position, Size};

/// The cases of `data/keys.jsonl` and their events. `ctrl_c_ladder`, `ctrl_d_empty_and_not` and `ctrl_z_fg` say what
/// the composer and the session do with the keys; here they are keys. A background colour is an answer and no key.
const CASES: [(&str, &str); 26] = [
    ("paste_three_lines", "paste(one\\ntwo\\nthree)"),
    ("paste_then_enter_at_once", "paste(one\\ntwo) Enter"),
    ("paste_marker_split", "paste(ab\\ncd)"),
    ("paste_crlf", "paste(a\\nb\\nc\\n)"),
    ("paste_no_markers_burst", "paste(line1\\nline2\\nline3\\n)"),
    ("paste_with_escape_sequences", "paste(x[31mred]0;ty)"),
    ("paste_never_ends", "paste(abc) Enter Esc C-c"),
    ("paste_tabs_nul", "paste(a\\tbc)"),
    ("kitty_release_events", "a b b+"),
    ("csi_u_shift_enter", "S-Enter"),
    ("csi_u_ctrl_c", "C-c"),
    ("alt_enter", "A-Enter"),
    ("esc_alone", "Esc"),
    ("esc_then_letter_slow", "Esc b"),
    ("esc_then_letter_fast", "A-b"),
    ("altgr_at_sign", "@ @ { } [ ] \\ | ~"),
    ("osc11_reply_late", "h e l background(20,25,31) l o"),
    ("osc11_reply_split", "background(20,25,31) o k"),
    ("da_and_cpr_replies", "cursor(39,11) z"),
    ("focus_events", "focus(true) focus(false) z"),
    ("mouse_sgr_split", "z"),
    ("utf8_split_in_reads", "👩 \u{200d} 🔬"),
    ("invalid_utf8_key", "a b"),
    ("ctrl_d_empty_and_not", "C-d a b c C-a C-d"),
    ("ctrl_c_ladder", "d r a f t C-c C-c C-c"),
    ("ctrl_z_fg", "C-z"),
];

#[test]
fn every_case_of_the_table_is_read_as_it_should() {
    let table = include_str!("data/keys.jsonl");
    let mut seen = Vec::new();
    for line in table.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = case["case"].as_str().unwrap();
        let gap = Duration::from_millis(case["gap_ms"].as_u64().unwrap());
        let chunks = case["chunks_hex"].as_array().unwrap().iter().map(|hex| bytes(hex.as_str().unwrap()));
        let expected = CASES.iter().find(|case| case.0 == name).map(|case| case.1);
        assert_eq!(Some(dump(&read(chunks, gap)).as_str()), expected, "{name}");
        seen.push(name.to_owned());
    }
    assert_eq!(seen, CASES.map(|case| case.0));
}

#[test]
fn keys_of_all_kinds() {
    let check = |input: &str, expected: &str| {
        assert_eq!(dump(&read([input.as_bytes().to_vec()], Duration::ZERO)), expected, "{input:?}");
    };
    check("\x1b[A\x1bOA\x1b[1;5A", "Up Up C-Up");
    check("\x1b[H\x1bOF\x1b[1~\x1b[8~", "Home End Home End");
    check("\x1b[3~\x1b[5~\x1b[6;3~", "Delete PageUp A-PageDown");
    check("\x1bOP\x1b[15~\x1b[24;2~\x1b[1;5S", "F1 F5 S-F12 C-F4");
    check("\x1b[Z\x1b[9;2u", "S-BackTab S-BackTab");
    check("\t\r\n\x7f\x08\0\x1c", "Tab Enter C-j Backspace C-h C-Space C-4");
    check("\x1b\x1b[A", "Esc Up");
    check("\x1bé", "A-é");
    check("\x1b[97:65;2u\x1b[97;2u\x1b[27u\x1b[127;5u", "A A Esc C-Backspace");
    check("\x1b[57399u\x1b[57414u\x1b[57358u", "0 Enter");
    check("\x1b[97;;229u", "å");
    check("\x1b[27;2;13~\x1b[27;5;99~", "S-Enter C-c");
    check("\x1b[M !!z", "z");
    check("\x1b[?0u\x1b[?2026;2$y\x1b[>0;276;0c\x1b[>1u\x1b[4;400;600tz", "keyboard z");
    check("\x1bP1$r0m\x1b\\\x1b_Gi=1;OK\x1b\\z", "z");
}

#[test]
fn a_sequence_that_never_ends_does_not_eat_the_keyboard() {
    let late = Duration::from_millis(1100);
    let check = |chunks: &[&str], expected: &str| {
        assert_eq!(dump(&read(chunks.iter().map(|chunk| chunk.as_bytes().to_vec()), late)), expected);
    };
    check(&["\x1b]0;unfinished", "a"], "a");
    check(&["\x1b[12;", "a"], "a");
    check(&["\x1b[", "a"], "A-[ a");
    check(&["\x1bO", "a"], "A-O a");
    check(&["\x1b]", "a"], "A-] a");
    check(&["\x1b[200~text", "\x1b[201~", "a"], "paste(text) a");
    // A control key gets through at once.
    let at_once = |text: &str| dump(&read([text.as_bytes().to_vec()], Duration::ZERO));
    assert_eq!(at_once("\x1b]0;unfinished\x03a"), "C-c a");
    assert_eq!(at_once("\x1b[12;\x03a"), "C-c a");
}

#[test]
fn lines_typed_or_sent_in_one_piece_are_keys_unless_they_are_many() {
    let check = |input: &str, expected: &str| {
        assert_eq!(dump(&read([input.as_bytes().to_vec()], Duration::ZERO)), expected);
    };
    check("ls\r", "l s Enter");
    check("a\rb", "a Enter b");
    check("\r\r", "Enter Enter");
    check("a\rb\rc", "paste(a\\nb\\nc)");
    check("a\r\x03\rb", "a Enter C-c Enter b");
}

/// A clipboard that holds the end marker would have the rest of it typed, its line ends as Enter.
#[test]
fn a_paste_cannot_end_itself() {
    let check = |input: &str, expected: &str| {
        assert_eq!(dump(&read([input.as_bytes().to_vec()], Duration::ZERO)), expected, "{input:?}");
    };
    check("\x1b[200~a\x1b[201~rm -rf /\r\x1b[201~b", "paste(arm -rf /\\n) b");
    check("\x1b[200~a\x1b[201~\x1b[201~\x1b[201~b", "paste(a) b");
    // Two pastes are two, and what is typed between them is typed.
    check("\x1b[200~a\x1b[201~x\x1b[200~b\x1b[201~c", "paste(a) x paste(b) c");
    check("\x1b[200~\x1b[201~c", "c");
}

#[test]
fn nothing_waits_at_rest() {
    let mut decoder = Decoder::new();
    decoder.feed(b"abc\x1b[A", Duration::ZERO);
    assert_eq!(decoder.deadline(), None);
    decoder.feed(b"\x1b", Duration::from_millis(5));
    assert_eq!(decoder.deadline(), Some(Duration::from_millis(205)));
}

#[test]
fn a_key_says_whether_it_came_alone() {
    let ms = Duration::from_millis;
    let check = |chunks: &[(u64, &str)], expected: &[(char, Option<u64>, bool, bool)]| {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        for (at, bytes) in chunks {
            events.extend(decoder.advance(ms(*at)));
            events.extend(decoder.feed(bytes.as_bytes(), ms(*at)));
        }
        events.extend(decoder.advance(ms(60_000)));
        let found = events.into_iter().filter_map(|event| match event {
            Decoded::Key(stroke) => {
                let Arrival { gap, more_waits } = stroke.arrival;
                let character = stroke.event.code.as_char().unwrap_or('?');
                Some((character, gap, more_waits, stroke.came_alone()))
            }
            Decoded::Paste(_)
            | Decoded::Cursor { .. }
            | Decoded::Keyboard
            | Decoded::Background(_)
            | Decoded::Focus(_) => None,
        });
        let expected: Vec<_> =
            expected.iter().map(|(key, gap, more, alone)| (*key, gap.map(ms), *more, *alone)).collect();
        assert_eq!(found.collect::<Vec<_>>(), expected, "{chunks:?}");
    };
    check(&[(0, "y")], &[('y', None, false, true)]);
    check(&[(0, "a"), (300, "y")], &[('a', None, false, true), ('y', Some(300), false, true)]);
    check(&[(0, "ay")], &[('a', None, true, false), ('y', Some(0), false, false)]);
    check(&[(0, "a"), (19, "y")], &[('a', None, false, true), ('y', Some(19), false, false)]);
    check(&[(0, "a"), (20, "y")], &[('a', None, false, true), ('y', Some(20), false, true)]);
    // A paste is part of a burst, an answer of the terminal is not.
    check(&[(0, "\x1b[200~text\x1b[201~"), (5, "y")], &[('y', Some(5), false, false)]);
    check(&[(0, "\x1b[5;7R"), (5, "y")], &[('y', None, false, true)]);
    // Esc is told late, but came when it was pressed.
    check(
        &[(0, "a"), (300, "\x1b"), (900, "y")],
        &[('a', None, false, true), ('?', Some(300), false, true), ('y', Some(600), false, true)],
    );
    let stroke = Keystroke::from(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE));
    assert!(stroke.came_alone());
}

/// A reader on one end of a socket, with the test as the terminal on the other.
#[test]
fn the_thread_asks_once_keeps_what_arrives_meanwhile_and_ends_with_its_terminal() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let tty = Tty::of(ours.try_clone().unwrap().into(), ours.into());
    let (reader, mut input) = Reader::start(tty).unwrap();
    let mut query = [0; 4];
    (&theirs).read_exact(&mut query).unwrap();
    assert_eq!(&query, b"\x1b[6n");
    (&theirs).write_all(b"a\x1b[5;7Rb").unwrap();
    drop(theirs);
    let mut told = Vec::new();
    while let Some(input) = input.blocking_recv() {
        told.push(input);
    }
    let cursor = Some(Position::new(6, 4));
    let screen = Input::Screen(Screen { size: Size::ZERO, cursor, agrees: true, cause: Cause::Start });
    let keys = told.iter().filter_map(|input| match input {
        Input::Key(stroke) => Some((stroke.event.code, stroke.came_alone())),
        _ => None,
    });
    assert_eq!(keys.collect::<Vec<_>>(), [(KeyCode::Char('a'), false), (KeyCode::Char('b'), false)]);
    assert_eq!(told[2..], [screen, Input::Closed]);
    drop(reader);
}

#[test]
fn a_terminal_that_does_not_answer_is_not_waited_for() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let tty = Tty::of(ours.try_clone().unwrap().into(), ours.into());
    let (_reader, mut input) = Reader::start(tty).unwrap();
    let screen = Screen { size: Size::ZERO, cursor: None, agrees: true, cause: Cause::Start };
    assert_eq!(input.blocking_recv(), Some(Input::Screen(screen)));
    // An answer that comes too late is swallowed.
    (&theirs).write_all(b"\x1b[5;7Rb").unwrap();
    let key = KeyEvent::new(KeyCode::Char('b'), KeyModifiers::NONE);
    assert_eq!(input.blocking_recv(), Some(Input::Key(key.into())));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Wherever reads cut the bytes, the events are the same. Line ends are left out: they tell bursts by their read.
    #[test]
    fn pieces_do_not_matter(
        parts in proptest::collection::vec(proptest::sample::select(SAMPLES.to_vec()), 0..12),
        cuts in proptest::collection::vec(0..200usize, 0..8),
    ) {
        let whole = parts.concat().into_bytes();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| whole[pair[0]..pair[1]].to_vec());
        let pieces = read(pieces, Duration::from_millis(1));
        assert_eq!(dump(&pieces), dump(&read([whole.clone()], Duration::ZERO)));
    }

    #[test]
    fn any_bytes_end_in_a_working_keyboard(
        chunks in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 0..30), 0..8)
    ) {
        let mut decoder = Decoder::new();
        let mut now = Duration::ZERO;
        for chunk in chunks {
            decoder.feed(&chunk, now);
            now += Duration::from_millis(30);
        }
        now += Duration::from_secs(2);
        decoder.advance(now);
        assert_eq!(dump(&decoder.feed(b"ok", now)), "o k");
    }
}

const SAMPLES: [&str; 17] = [
    "a",
    "é",
    "漢",
    "👩",
    "\x1b[A",
    "\x1b[1;5C",
    "\x1bOP",
    "\x1bx",
    "\x03",
    "\x1b[97;5u",
    "\x1b]11;rgb:1/2/3\x07",
    "\x1b]11;rgb:1/2/3\x1b\\",
    "\x1b[200~p q\x1b[201~",
    "\x1b[I",
    "\x1b[<0;1;1M",
    "\x1b[5;7R",
    "\x1b[?1u",
];

fn read(chunks: impl IntoIterator<Item = Vec<u8>>, gap: Duration) -> Vec<Decoded> {
    let mut decoder = Decoder::new();
    let (mut events, mut now) = (Vec::new(), Duration::ZERO);
    for chunk in chunks {
        events.extend(decoder.feed(&chunk, now));
        now += gap;
    }
    events.extend(decoder.advance(now + Duration::from_secs(5)));
    events
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn dump(events: &[Decoded]) -> String {
    events.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn name(event: &Decoded) -> String {
    let key = match event {
        Decoded::Paste(text) => return format!("paste({})", text.replace('\n', "\\n").replace('\t', "\\t")),
        Decoded::Keyboard => return "keyboard".to_owned(),
        Decoded::Focus(is_focused) => return format!("focus({is_focused})"),
        Decoded::Cursor { column, row } => return format!("cursor({column},{row})"),
        Decoded::Background([red, green, blue]) => return format!("background({red},{green},{blue})"),
        Decoded::Key(stroke) => stroke.event,
    };
    let code = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(character) => character.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        other => format!("{other:?}"),
    };
    let shown = [("C-", "CONTROL"), ("A-", "ALT"), ("S-", "SHIFT")];
    let modifiers = shown.iter().filter(|(_, modifier)| {
        // Shift is in the character already.
        let is_char = matches!(key.code, KeyCode::Char(_));
        key.modifiers.iter_names().any(|(name, _)| name == *modifier) && !(is_char && *modifier == "SHIFT")
    });
    let prefix: String = modifiers.map(|(prefix, _)| *prefix).collect();
    let repeat = if key.kind == KeyEventKind::Repeat { "+" } else { "" };
    format!("{prefix}{code}{repeat}")
}
