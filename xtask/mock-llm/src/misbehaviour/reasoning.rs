//! Numbers 32 to 37: thinking, what of it has to come back, and tokens.
//!
//! Owns streams whose thinking is mixed with text, late, hidden or empty but signed, and those that count tokens in a
//! way of their own.
//! It refuses to know how a client keeps what it has to send back.

use serde_json::{Value, json};

use super::{
    A, MODEL, Misbehaviour, USAGE, adds, chunks, message, opened, opens, read, text, text_block, thinking,
    tool_block,
};
use crate::answer::{Stop, Usage, Wire};
use crate::{anthropic, chat};

pub(super) fn all(wire: Wire) -> Vec<Misbehaviour> {
    match wire {
        Wire::Anthropic => [anthropic_thinking(), anthropic_usage()].concat(),
        Wire::Chat => [chat_thinking(), chat_usage()].concat(),
    }
}

const SIGNATURE: &str = "EqQBCkYIARgCKkA+/aBc\u{3d}\u{3d}";

fn thinking_block(index: usize, text: &str) -> Vec<Vec<u8>> {
    let mut events =
        vec![anthropic::open(index, json!({"type": "thinking", "thinking": "", "signature": ""}))];
    if !text.is_empty() {
        events.push(anthropic::delta_of(index, json!({"type": "thinking_delta", "thinking": text})));
    }
    events.push(anthropic::delta_of(index, json!({"type": "signature_delta", "signature": SIGNATURE})));
    events.push(anthropic::close(index));
    events
}

fn signed(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": SIGNATURE})
}

fn anthropic_thinking() -> Vec<Misbehaviour> {
    let redacted = json!({"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix/LafPsn4a+/=="});
    let of = |number, about, inner: Vec<Vec<u8>>, blocks, replayed| {
        Misbehaviour::anthropic(number, about, message(inner, Stop::ToolUse), blocks).replays(replayed)
    };
    let mut late = thinking_block(0, "I look.");
    let close = late.split_off(late.len() - 1);
    let odd = "I \u{2028}look\u{0}\u{feff} \"here\"\n";
    vec![
        of(
            33,
            "a thinking block ends after the call",
            [late, tool_block(1, "toolu_1", &[A]), close].concat(),
            vec![thinking("I look."), read(A)],
            vec![signed("I look.")],
        ),
        of(
            34,
            "thinking is redacted",
            [vec![anthropic::open(0, redacted.clone()), anthropic::close(0)], tool_block(1, "toolu_1", &[A])]
                .concat(),
            vec![read(A)],
            vec![redacted],
        ),
        of(
            34,
            "thinking is empty and signed",
            [thinking_block(0, ""), tool_block(1, "toolu_1", &[A])].concat(),
            vec![read(A)],
            vec![signed("")],
        ),
        of(
            35,
            "two signed blocks with text between, before a call",
            [
                thinking_block(0, "One."),
                text_block(1, "Then"),
                thinking_block(2, odd),
                tool_block(3, "toolu_1", &[A]),
            ]
            .concat(),
            vec![thinking("One."), text("Then"), thinking(odd), read(A)],
            vec![signed("One."), signed(odd)],
        ),
    ]
}

fn anthropic_usage() -> Vec<Misbehaviour> {
    let of = |about, body, usage: Option<Usage>| {
        let one = Misbehaviour::anthropic(37, about, body, vec![text("counted")]);
        if let Some(usage) = usage { one.uses(usage) } else { one }
    };
    let bare = json!({"message": {"id": "m", "type": "message", "role": "assistant", "content": []}});
    let end = |usage: Value| {
        anthropic::event("message_delta", json!({"delta": {"stop_reason": "end_turn"}, "usage": usage}))
    };
    let started = || [vec![anthropic::start(MODEL, USAGE)], text_block(0, "counted")].concat();
    vec![
        of(
            "no usage anywhere",
            [
                vec![anthropic::event("message_start", bare)],
                text_block(0, "counted"),
                vec![
                    anthropic::event("message_delta", json!({"delta": {"stop_reason": "end_turn"}})),
                    anthropic::end(),
                ],
            ]
            .concat(),
            None,
        ),
        of(
            "the output is told twice, and is cumulative",
            [
                started(),
                vec![
                    anthropic::event("message_delta", json!({"delta": {}, "usage": {"output_tokens": 60}})),
                    end(json!({"output_tokens": 100})),
                    anthropic::end(),
                ],
            ]
            .concat(),
            Some(USAGE),
        ),
        of(
            "the last event tells the input again",
            [started(), vec![end(json!({"input_tokens": 1_000, "output_tokens": 100})), anthropic::end()]]
                .concat(),
            Some(USAGE),
        ),
    ]
}

fn chat_thinking() -> Vec<Misbehaviour> {
    let of = |number, about, deltas: Vec<Value>, stop, blocks| {
        Misbehaviour::chat(number, about, chunks(deltas, stop), blocks)
    };
    let details = json!([{"type": "reasoning.text", "text": "I look.", "signature": SIGNATURE, "index": 0}]);
    vec![
        of(
            32,
            "reasoning and text in one chunk",
            vec![
                json!({"reasoning_content": "I look."}),
                json!({"reasoning_content": " Done.", "content": "So"}),
            ],
            Stop::EndTurn,
            vec![thinking("I look. Done."), text("So")],
        ),
        of(
            32,
            "reasoning under its other name, and a second time as details",
            vec![
                json!({"reasoning": "I look.", "reasoning_details": details, "content": ""}),
                json!({"content": "So"}),
            ],
            Stop::EndTurn,
            vec![thinking("I look."), text("So")],
        ),
        of(
            33,
            "reasoning after the call",
            vec![opens(0, "call_1"), adds(0, A), json!({"reasoning_content": "I looked."})],
            Stop::ToolUse,
            vec![read(A), thinking("I looked.")],
        ),
    ]
}

fn chat_usage() -> Vec<Misbehaviour> {
    let said = || opened(vec![json!({"content": "counted"})]);
    let finish = || chat::finish(MODEL, Stop::EndTurn);
    let of = |about, rest: Vec<Vec<u8>>, usage: Option<Usage>| {
        let one = Misbehaviour::chat(37, about, [said(), rest].concat(), vec![text("counted")]);
        if let Some(usage) = usage { one.uses(usage) } else { one }
    };
    let in_choice =
        json!([{"index": 0, "delta": {}, "finish_reason": "stop", "usage": chat::usage_of(USAGE)}]);
    let mut with_finish =
        chat::of_choices(MODEL, json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]));
    with_finish["usage"] = chat::usage_of(USAGE);
    let half = Usage { output: 50, ..USAGE };
    vec![
        of("no usage", vec![finish(), chat::done()], None),
        of(
            "the usage is null, then zero",
            vec![
                chat::data(&json!({"choices": [], "usage": null})),
                finish(),
                chat::usage(MODEL, Usage { input: 0, cached: 0, output: 0 }),
                chat::done(),
            ],
            None,
        ),
        of(
            "the usage stands in the choice",
            vec![chat::data(&chat::of_choices(MODEL, in_choice)), chat::done()],
            Some(USAGE),
        ),
        of(
            "the usage comes with the finish reason and once more, and is cumulative",
            vec![
                chat::usage(MODEL, half),
                chat::data(&with_finish),
                chat::usage(MODEL, USAGE),
                chat::usage(MODEL, USAGE),
                chat::done(),
            ],
            Some(USAGE),
        ),
    ]
}
