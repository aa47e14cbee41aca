//! Numbers 12 to 23: the arguments of a call.
//!
//! Owns streams whose arguments are empty, early, late, glued, cut, malformed or written somewhere else. Raw text that
//! is not JSON stays as it came: the right outcome is a call with that text, which must not run.
//! It refuses to know schemas.

use serde_json::{Value, json};

use super::{
    A, B, Block, Misbehaviour, USAGE, adds, chunks, message, opened, opens, read, text, text_block,
    tool_block,
};
use crate::answer::{Stop, Wire};
use crate::{anthropic, chat};

pub(super) fn all(wire: Wire) -> Vec<Misbehaviour> {
    let mut all = shared(wire);
    match wire {
        Wire::Anthropic => all.extend(anthropic()),
        Wire::Chat => all.extend(chat()),
    }
    all
}

/// What both formats can do: one call, its arguments in these fragments.
fn shared(wire: Wire) -> Vec<Misbehaviour> {
    let of = |number, about, fragments: &[&str]| {
        let body = match wire {
            Wire::Anthropic => message(tool_block(0, "toolu_1", fragments), Stop::ToolUse),
            Wire::Chat => {
                let adds = fragments.iter().map(|text| adds(0, text));
                chunks(std::iter::once(opens(0, "call_1")).chain(adds).collect(), Stop::ToolUse)
            }
        };
        Misbehaviour::new(number, wire, about, body, vec![read(&fragments.concat())])
    };
    let escaped = r#"{"file_path":"\u0061\n.txt"}"#;
    let letters: Vec<String> = long_arguments().chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let as_text = format!("<tool_call>{{\"name\": \"Read\", \"arguments\": {A}}}</tool_call>");
    let body = match wire {
        Wire::Anthropic => message(text_block(0, &as_text), Stop::EndTurn),
        Wire::Chat => chunks(vec![json!({"content": as_text})], Stop::EndTurn),
    };
    vec![
        of(12, "the first fragment is empty", &["", &A[..5], "", &A[5..]]),
        of(13, "no arguments at all: an empty object", &[]),
        of(14, "fragments end within an escape", &[&escaped[..16], &escaped[16..20], &escaped[20..]]),
        of(15, "the opening characters are lost", &[&A[2..]]),
        of(16, "two objects are glued together", &[&format!("{A}{B}")]).or(vec![read(A), read(B)]),
        of(16, "two objects follow each other in one call", &[A, B]).or(vec![read(A), read(B)]),
        of(19, "the end is missing", &[r#"{"file_path":"a.txt","offset":1"#]),
        of(19, "an escape is wrong", &[r#"{"file_path":"\uZZZZ.txt"}"#]),
        of(19, "something follows the object", &[A, "\n</tool_call>"]),
        of(19, "the arguments are not an object", &[r#""a.txt""#]),
        Misbehaviour::new(22, wire, "a call is written as text", body, vec![text(&as_text)]),
        of(23, "a long text arrives character by character", &letters),
    ]
}

/// Long enough that reading all of it again for each fragment would be felt.
fn long_arguments() -> String {
    let pattern = "x".repeat(20_000);
    json!({"file_path": "a.txt", "note": pattern}).to_string()
}

fn anthropic() -> Vec<Misbehaviour> {
    let whole: Value = json!({"file_path": "a.txt"});
    let open = json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": whole});
    let early = [
        anthropic::arguments_of(0, &A[..8]),
        anthropic::open(0, anthropic::tool("toolu_1", "Read")),
        anthropic::arguments_of(0, &A[8..]),
        anthropic::close(0),
    ];
    let begun = [
        anthropic::open(0, json!({"type": "text", "text": "It begins "})),
        anthropic::text_of(0, "at once."),
        anthropic::close(0),
    ];
    let call = |body: Vec<Vec<u8>>, number, about| {
        Misbehaviour::anthropic(number, about, message(body, Stop::ToolUse), vec![read(A)])
    };
    vec![
        call(
            vec![anthropic::open(0, open), anthropic::close(0)],
            17,
            "the arguments come with the block's start",
        ),
        call(early.to_vec(), 18, "a fragment comes before its block"),
        Misbehaviour::anthropic(
            21,
            "text stands in the block's start already",
            message(begun.to_vec(), Stop::EndTurn),
            vec![text("It begins at once.")],
        ),
    ]
}

fn chat() -> Vec<Misbehaviour> {
    let function = json!({"name": "Read", "arguments": A});
    let whole = json!([{"index": 0, "id": "call_1", "type": "function", "function": function}]);
    let last = json!([{"index": 0, "delta": {"tool_calls": whole}, "finish_reason": "tool_calls"}]);
    let mut late = opened(Vec::new());
    late.extend([
        chat::data(&chat::of_choices(super::MODEL, last)),
        chat::usage(super::MODEL, USAGE),
        chat::done(),
    ]);
    let mut custom = chat::call(0, "call_1", "Read");
    custom["custom"] = json!({});
    let one = |number, about, body: Vec<Vec<u8>>| -> Misbehaviour {
        Misbehaviour::chat(number, about, body, vec![read(A)])
    };
    let object = json!([{"index": 0, "id": "call_1", "type": "function",
        "function": {"name": "Read", "arguments": {"file_path": "a.txt"}}}]);
    let split_name = |name: &str| chat::calls(json!([{"index": 0, "function": {"name": name}}]));
    let none: Vec<Block> = vec![text("It begins at once.")];
    vec![
        one(17, "the whole call comes with the finish reason", late),
        one(
            19,
            "the arguments are an object in place of a text",
            chunks(vec![chat::calls(object)], Stop::ToolUse),
        ),
        one(
            18,
            "a fragment comes before the call's name",
            chunks(vec![adds(0, &A[..8]), opens(0, "call_1"), adds(0, &A[8..])], Stop::ToolUse),
        ),
        one(
            18,
            "the id and the name come apart",
            chunks(
                vec![
                    chat::calls(json!([{"index": 0, "id": "call_1", "type": "function"}])),
                    split_name("Read"),
                    adds(0, A),
                ],
                Stop::ToolUse,
            ),
        ),
        one(
            20,
            "an empty `custom` stands beside `function`",
            chunks(vec![chat::calls(json!([custom])), adds(0, A)], Stop::ToolUse),
        ),
        Misbehaviour::chat(
            21,
            "text stands in the first chunk already",
            {
                let first = json!({"role": "assistant", "content": "It begins "});
                let mut body = vec![chat::chunk(super::MODEL, first)];
                body.extend(chunks(vec![json!({"content": "at once."})], Stop::EndTurn).split_off(1));
                body
            },
            none,
        ),
    ]
}
