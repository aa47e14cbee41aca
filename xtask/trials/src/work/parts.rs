//! Work on the parts of the host: fold, flow, rows, Markdown, diff, `Printable`, frames, keys, lines.
//!
//! It owns the inputs, which are of the sizes that an ordinary turn has. It measures nothing.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use carpel::flow::{Flow, FlowCx, FlowOptions, Size};
use carpel::paint::{Paint, PaintCx, Place};
use carpel::render::painter::{Folders, Painter};
use carpel::render::{Highlighter, Look, markdown};
use carpel::row::{Row, RowSpan};
use carpel::terminal::input::decode::Decoder;
use carpel::terminal::screen::{Frame, InlineTerminal};
use carpel::transcript::Transcript;
use carpel_protocol::EventLine;
use carpel_protocol::frame::{LineBuffer, encode};
use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use carpel_slots::registry::Owner;
use carpel_slots::testing::Sample;
use carpel_slots::{Block, CallState, Card, CardCx, Density, Printable, Registry, ToolCall, ToolView};
use ratatui::style::Style;
use serde_json::json;

use super::screen::{deltas, event};
use super::{Task, Work, yardstick};

/// A part of an answer; it has everything that answers have, and ends as it begins.
pub const ANSWER: &str = "some words of **prose** with `spans` and [links](http://x.y),\nand a second line of it.\n\n\
    - an item\n- another *item*\n\n```rs\nlet x = call(1, \"two\");\n```\n\n";

/// All of them, the yardstick first.
pub const WORK: [Work; 11] = [
    Work { name: "yardstick", prepare: yardstick },
    Work { name: "printable", prepare: printable },
    Work { name: "printable_hostile", prepare: printable_hostile },
    Work { name: "lines", prepare: lines },
    Work { name: "keys", prepare: keys },
    Work { name: "fold", prepare: fold },
    Work { name: "flow", prepare: flow },
    Work { name: "rows", prepare: rows },
    Work { name: "markdown", prepare: whole_markdown },
    Work { name: "diff", prepare: diff },
    Work { name: "frame_diff", prepare: frame_diff },
];

fn printable() -> Task {
    let lines: Vec<String> = (0..200)
        .map(|number| format!("    let value_{number} = call({number}, \"漢字 text\");\tend"))
        .collect();
    Box::new(move || {
        for line in &lines {
            black_box((Printable::exact(line), Printable::line(line), Printable::prose(line)));
        }
        Box::new(lines)
    })
}

fn printable_hostile() -> Task {
    let line = "a\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{202e}txt \u{200b}👩\u{200d}👩\u{200d}👧 e\u{301}\u{9b}2J";
    let lines = vec![line.repeat(3); 50];
    Box::new(move || {
        for line in &lines {
            black_box((Printable::exact(line), Printable::line(line), Printable::prose(line)));
        }
        Box::new(lines)
    })
}

fn lines() -> Task {
    let events: Vec<u8> = deltas("text_delta", &ANSWER.repeat(4), 8).iter().flat_map(encode).collect();
    Box::new(move || {
        let mut buffer = LineBuffer::default();
        for piece in events.chunks(4096) {
            buffer.push(piece);
            while let Some(line) = buffer.next_line() {
                _ = black_box(line.map(|line| EventLine::decode(&line)));
            }
        }
        Box::new(events)
    })
}

fn keys() -> Task {
    let typed = "some words\u{1b}[A\u{1b}[1;5C\u{1b}[97;5u漢字\u{1b}[12;40R\u{7f}\t".repeat(40);
    Box::new(move || {
        let mut decoder = Decoder::new();
        for (number, piece) in (0..).zip(typed.as_bytes().chunks(3)) {
            black_box(decoder.feed(piece, Duration::from_millis(number)));
        }
        Box::new(decoder)
    })
}

/// A turn with thinking, calls and an answer.
fn turn() -> Vec<EventLine> {
    let mut events = vec![
        event(json!({"event": "turn_start", "turn": 1})),
        event(json!({"event": "user_message", "text": "find it"})),
    ];
    events.extend(deltas("thinking_delta", &"a thought about it. ".repeat(20), 8));
    for id in ["a", "b", "c", "d"] {
        let arguments =
            json!({"file_path": "src/parser.rs", "content": "let x = 1;\n".repeat(10)}).to_string();
        events.push(event(json!({"event": "tool_call_start", "id": id, "name": "Write"})));
        let pieces = arguments.as_bytes().chunks(8).map(String::from_utf8_lossy);
        events.extend(
            pieces.map(|piece| event(json!({"event": "tool_call_args_delta", "id": id, "delta": piece}))),
        );
        events.push(event(json!({"event": "tool_call_done", "id": id, "arguments": arguments})));
        let output = "a line of output\n".repeat(20);
        events
            .push(event(json!({"event": "tool_result", "id": id, "summary": "10 lines", "output": output})));
    }
    events.extend(deltas("text_delta", ANSWER, 8));
    events.push(event(json!({"event": "turn_end", "turn": 1, "reason": "completed"})));
    events
}

fn fold() -> Task {
    let events = turn();
    Box::new(move || {
        let mut transcript = Transcript::new();
        for (number, event) in (0..).zip(&events) {
            transcript.apply(event, Duration::from_millis(number));
            transcript.refresh();
        }
        Box::new((transcript, events))
    })
}

fn painter(registry: Registry) -> Painter {
    Painter::new(Look::COLOUR, registry, Folders::default(), Highlighter::inline())
}

fn flow() -> Task {
    let events = turn();
    Box::new(move || {
        let mut painter = painter(Registry::linked());
        let (mut flow, mut transcript) = (Flow::new(FlowOptions { resume: false }), Transcript::new());
        for (number, events) in (0..).zip(events.chunks(40)) {
            let now = Duration::from_millis(number * 100);
            for event in events {
                transcript.apply(event, now);
            }
            let cx = FlowCx {
                window: Size { cols: 80, rows: 24 },
                composer_rows: 3,
                now,
                density: Density::Normal,
                active_max: None,
                live_columns: 80,
                hold: false,
            };
            black_box(flow.frame(&mut transcript, &mut painter, cx));
        }
        Box::new((flow, transcript, painter, events))
    })
}

/// A view that returns one card.
struct Fixed(Card);

impl ToolView for Fixed {
    fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
        self.0.clone()
    }
}

/// Draws a call whose view returns this, settled.
fn card(body: Vec<Block>, density: Density) -> Task {
    let mut builder = Registry::linked().to_builder();
    let card = Card { title: Some("a title of a call".into()), body: Some(body), ..Card::default() };
    builder.view("T", &Owner::built_in("trials", "here"), Arc::new(Fixed(card)));
    let mut painter = painter(builder.build());
    let call = Arc::new(Sample::new("T").in_state(CallState::Done));
    Box::new(move || {
        let cx = PaintCx { width: 80, density, now: Duration::ZERO, place: Place::Settled };
        let cards = painter.call(&call, None, &cx);
        Box::new((cards, painter))
    })
}

fn rows() -> Task {
    let line = "a line of output with \u{1b}[32mcolour\u{1b}[0m and 漢字, long enough to be folded in a window of 80 columns\n";
    let fields = (0..20).map(|number| (format!("name {number}"), "a value of some words ".repeat(6)));
    let table =
        (0..40).map(|number| vec![number.to_string(), "a cell".to_owned(), "漢字".to_owned()]).collect();
    let columns = ["number", "text", "wide"].map(str::to_owned).to_vec();
    let body = vec![
        Block::Output(line.repeat(60)),
        Block::Fields(fields.collect()),
        Block::Table { columns, rows: table },
    ];
    card(body, Density::Detail)
}

fn whole_markdown() -> Task {
    let text = ANSWER.repeat(12);
    Box::new(move || Box::new(markdown::whole(&text, 80, Look::COLOUR, &mut Highlighter::inline())))
}

fn diff() -> Task {
    let lines = (0..30).flat_map(|number| {
        let text = |word: &str| format!("    let value_{number} = {word}(number, \"and some text\");");
        [(DiffTag::Context, "// same"), (DiffTag::Removed, "old_call"), (DiffTag::Added, "new_call")]
            .map(|(tag, word)| DiffLine::new(tag, text(word)))
    });
    let hunks = vec![Hunk { old_start: Some(1), new_start: Some(1), lines: lines.collect() }];
    card(vec![Block::Diff { path: None, hunks }], Density::Detail)
}

/// A word is added to one of twenty live rows, frame by frame, and every tenth frame commits a row.
fn frame_diff() -> Task {
    let row = |text: &str| Row {
        spans: vec![RowSpan { style: Style::default(), text: Printable::line(text) }],
        ..Row::default()
    };
    let mut live: Vec<Row> =
        (0..20).map(|number| row(&format!("live row {number} with some text 漢字"))).collect();
    Box::new(move || {
        let mut terminal = InlineTerminal::new(ratatui::layout::Size::new(80, 24), 0);
        for number in 0..20 {
            if let Some(place) = live.get_mut(number % 20) {
                *place = row(&format!("live row {number} with another text 漢字"));
            }
            let commit = if number % 10 == 0 { vec![row("a row that is settled")] } else { Vec::new() };
            let mut bytes = Vec::new();
            terminal.draw(Frame { commit: &commit, live: &live, cursor: None }, &mut bytes);
            black_box(bytes);
        }
        Box::new((terminal, live))
    })
}
