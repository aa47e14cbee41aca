//! Work that must cost the same however much came before: a delta late in a long answer, after many turns, within a long
//! argument; and arguments whose reading must grow with their length alone.
//!
//! It owns what comes before. Both of a pair do the same to the letter, at the same place of a text that repeats.

use std::hint::black_box;

use carpel_protocol::EventLine;
use carpel_slots::Args;
use serde_json::json;

use super::parts::ANSWER;
use super::screen::{Screen, deltas, event};
use super::{Flat, Task};

/// All pairs.
pub const FLAT: [Flat; 6] = [
    Flat { name: "delta_after_12000", early: || answer("text", 1), late: || answer("text", LONG), scale: 1 },
    Flat {
        name: "thought_after_12000",
        early: || answer("thinking", 1),
        late: || answer("thinking", LONG),
        scale: 1,
    },
    Flat { name: "delta_after_200_turns", early: || after_turns(12), late: || after_turns(200), scale: 1 },
    Flat { name: "argument_of_1_mib", early: || argument(64), late: || argument(2048), scale: 1 },
    Flat { name: "key_after_200_turns", early: || key(12), late: || key(200), scale: 1 },
    Flat { name: "arguments_are_linear", early: || arguments(64), late: || arguments(512), scale: 8 },
];

/// So many parts of an answer are over 12,000 deltas.
const LONG: usize = 460;
/// Characters of a delta.
const DELTA: usize = 7;

/// One part of an answer in deltas, each with its frame, after so many others.
fn answer(kind: &str, before: usize) -> Task {
    let mut screen = begun();
    let kind = format!("{kind}_delta");
    let part = deltas(&kind, ANSWER, DELTA);
    // Two with a frame for each, so that nothing is drawn for the first time afterwards.
    for _ in 0..2 {
        screen.play(&part, 1);
    }
    for _ in 0..before {
        screen.play(&part, part.len());
    }
    screen.play(&part, 1);
    measured(screen, part)
}

fn measured(mut screen: Screen, events: Vec<EventLine>) -> Task {
    screen.align();
    Box::new(move || {
        for event in &events {
            screen.event(event);
            black_box(screen.frame());
        }
        Box::new((screen, events))
    })
}

/// A chat in which a turn has begun.
fn begun() -> Screen {
    let mut screen = Screen::default();
    let hello = json!({"event": "hello", "protocol": 1, "session": "s", "provider": "p", "model": "m", "state": "idle"});
    let history = json!({"event": "history", "items": [], "more": false});
    screen.play(&[event(hello), event(history)], 1);
    screen.play(&start(0), 1);
    screen
}

fn start(turn: usize) -> [EventLine; 3] {
    [
        event(json!({"event": "state", "state": "running"})),
        event(json!({"event": "turn_start", "turn": turn})),
        event(json!({"event": "user_message", "text": "a prompt"})),
    ]
}

/// A chat in which so many turns are over and one has begun.
fn turns(count: usize) -> Screen {
    let mut screen = begun();
    for turn in 0..count {
        let arguments = json!({"file_path": "src/parser.rs"}).to_string();
        let id = format!("c{turn}");
        screen.play(
            &[
                event(json!({"event": "tool_call_start", "id": id, "name": "Read"})),
                event(json!({"event": "tool_call_done", "id": id, "arguments": arguments})),
                event(json!({"event": "tool_result", "id": id, "summary": "3 lines", "output": "a\nb\nc\n"})),
                event(json!({"event": "text_delta", "text": "an answer of a few words\n\n"})),
                event(json!({"event": "turn_end", "turn": turn, "reason": "completed"})),
                event(json!({"event": "state", "state": "idle"})),
            ],
            6,
        );
        screen.play(&start(turn + 1), 3);
    }
    screen
}

fn after_turns(count: usize) -> Task {
    let mut screen = turns(count);
    let part = deltas("text_delta", ANSWER, DELTA);
    screen.play(&part, 1);
    measured(screen, part)
}

/// A letter is typed while a turn runs.
fn key(count: usize) -> Task {
    let mut screen = turns(count);
    screen.type_letters("some words that are typed");
    screen.align();
    Box::new(move || {
        screen.type_letters("some words that are typed");
        Box::new(screen)
    })
}

/// Sixteen pieces of an argument, each with its frame, after so many half kilobytes of it.
fn argument(before: usize) -> Task {
    let mut screen = begun();
    let piece = |text: String| event(json!({"event": "tool_call_args_delta", "id": "w", "delta": text}));
    let line = |number: usize| format!("let value = {:07};{}\\n", number % 10_000_000, " ".repeat(8));
    screen.play(
        &[
            event(json!({"event": "tool_call_start", "id": "w", "name": "Write"})),
            piece("{\"file_path\":\"a.rs\",\"content\":\"".to_owned()),
        ],
        1,
    );
    // Numbers of lines have the same width in both.
    let filler: String = (0..16).map(line).collect();
    for part in 0..before {
        screen.event(&piece(filler.clone()));
        if part % 64 == 0 {
            screen.frame();
        }
    }
    let events: Vec<EventLine> = (0..16).map(|number| piece(line(number))).collect();
    screen.play(&events, 1);
    measured(screen, events)
}

/// Arguments of so many times 512 bytes in pieces of 16, of which a view asks for the end each time.
fn arguments(parts: usize) -> Task {
    let text = "0123456789abcdef".repeat(32 * parts);
    Box::new(move || {
        let mut args = Args::streaming("{\"content\":\"");
        for piece in text.as_bytes().chunks(16) {
            args.push(&String::from_utf8_lossy(piece));
            black_box(args.partial_end("content", 256));
        }
        Box::new(args)
    })
}
