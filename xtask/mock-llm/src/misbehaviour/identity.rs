//! Numbers 1 to 11: which call a fragment belongs to.
//!
//! Owns streams whose calls are hard to tell apart: indices that are missing, shared or wrong, ids that are missing,
//! late, shared, changing or unfit to be sent back.
//! It refuses to know how a client keeps them apart.

use serde_json::{Value, json};

use super::{A, B, Misbehaviour, adds, chunks, message, opens, read, tool_block};
use crate::answer::{Stop, Wire};
use crate::{anthropic, chat};

pub(super) fn all(wire: Wire) -> Vec<Misbehaviour> {
    match wire {
        Wire::Anthropic => anthropic(),
        Wire::Chat => [chat_indices(), chat_ids()].concat(),
    }
}

fn anthropic() -> Vec<Misbehaviour> {
    let of = |number, about, inner: Vec<Vec<u8>>| {
        Misbehaviour::anthropic(number, about, message(inner, Stop::ToolUse), vec![read(A), read(B)])
    };
    let id = |id: Value| json!({"type": "tool_use", "id": id, "name": "Read", "input": {}});
    let nameless = |index, arguments| {
        let open = json!({"type": "tool_use", "name": "Read", "input": {}});
        [anthropic::open(index, open), anthropic::arguments_of(index, arguments), anthropic::close(index)]
    };
    let long = "toolu_".to_owned() + &"x".repeat(300);
    vec![
        of(
            2,
            "every block has index 0",
            [tool_block(0, "toolu_1", &[A]), tool_block(0, "toolu_2", &[B])].concat(),
        ),
        of(
            4,
            "fragments of two blocks interleave",
            vec![
                anthropic::open(0, anthropic::tool("toolu_1", "Read")),
                anthropic::open(1, anthropic::tool("toolu_2", "Read")),
                anthropic::arguments_of(0, &A[..8]),
                anthropic::arguments_of(1, &B[..12]),
                anthropic::arguments_of(0, &A[8..]),
                anthropic::arguments_of(1, &B[12..]),
                anthropic::close(1),
                anthropic::close(0),
            ],
        ),
        of(5, "no block has an id", [nameless(0, A), nameless(1, B)].concat()),
        of(
            8,
            "two calls share an id",
            [tool_block(0, "toolu_1", &[A]), tool_block(1, "toolu_1", &[B])].concat(),
        ),
        of(
            11,
            "ids that no other provider takes: 306 characters, and signs",
            [
                vec![anthropic::open(0, id(json!(long))), anthropic::arguments_of(0, A), anthropic::close(0)],
                tool_block(1, "call|1:\u{e9} /+", &[B]),
            ]
            .concat(),
        ),
    ]
}

fn chat_indices() -> Vec<Misbehaviour> {
    let of = |number, about, deltas: Vec<Value>| {
        Misbehaviour::chat(number, about, chunks(deltas, Stop::ToolUse), vec![read(A), read(B)])
    };
    let without_index = |id: &str, name: Option<&str>, arguments: &str| {
        let mut call = json!({"id": id, "type": "function", "function": {"arguments": arguments}});
        if let Some(name) = name {
            call["function"]["name"] = json!(name);
        }
        chat::calls(json!([call]))
    };
    vec![
        of(
            1,
            "no index, ids on every fragment",
            vec![
                without_index("call_1", Some("Read"), &A[..8]),
                without_index("call_1", None, &A[8..]),
                without_index("call_2", Some("Read"), &B[..8]),
                without_index("call_2", None, &B[8..]),
            ],
        ),
        of(
            2,
            "every parallel call has index 0, each whole in its delta",
            vec![without(0, "call_1", A), without(0, "call_2", B)],
        ),
        of(
            2,
            "every parallel call has index 0, in fragments",
            vec![
                opens(0, "call_1"),
                adds(0, &A[..8]),
                adds(0, &A[8..]),
                opens(0, "call_2"),
                adds(0, &B[..8]),
                adds(0, &B[8..]),
            ],
        ),
        Misbehaviour::chat(
            3,
            "a continuation has another index and no id",
            chunks(vec![opens(0, "call_1"), adds(0, &A[..8]), adds(1, &A[8..])], Stop::ToolUse),
            vec![read(A)],
        ),
        of(
            4,
            "fragments of two calls interleave, the id is on the first only",
            vec![
                opens(0, "call_1"),
                opens(1, "call_2"),
                adds(0, &A[..8]),
                adds(1, &B[..12]),
                adds(0, &A[8..]),
                adds(1, &B[12..]),
            ],
        ),
        of(
            4,
            "fragments of two calls interleave within one delta",
            vec![
                chat::calls(json!([chat::call(0, "call_1", "Read"), chat::call(1, "call_2", "Read")])),
                chat::calls(json!([chat::arguments_of(1, &B[..8]), chat::arguments_of(0, &A[..8])])),
                chat::calls(json!([chat::arguments_of(1, &B[8..]), chat::arguments_of(0, &A[8..])])),
            ],
        ),
    ]
}

/// A delta with a whole call to Read.
fn without(index: usize, id: &str, arguments: &str) -> Value {
    let function = json!({"name": "Read", "arguments": arguments});
    chat::calls(json!([{"index": index, "id": id, "type": "function", "function": function}]))
}

fn chat_ids() -> Vec<Misbehaviour> {
    let of = |number, about, deltas: Vec<Value>| {
        Misbehaviour::chat(number, about, chunks(deltas, Stop::ToolUse), vec![read(A), read(B)])
    };
    let one = |number, about, deltas: Vec<Value>| {
        Misbehaviour::chat(number, about, chunks(deltas, Stop::ToolUse), vec![read(A)])
    };
    let idless = |index: usize, arguments: &str| {
        chat::calls(json!([{"index": index, "function": {"name": "Read", "arguments": arguments}}]))
    };
    let with_id = |id: &str, arguments: &str| {
        chat::calls(json!([{"index": 0, "id": id, "function": {"arguments": arguments}}]))
    };
    let bare = |arguments: &str| chat::calls(json!([{"function": {"arguments": arguments}}]));
    let named = |id: &str| {
        chat::calls(json!([{"id": id, "type": "function", "function": {"name": "Read", "arguments": ""}}]))
    };
    let empty = |index: usize, arguments: &str| {
        let function = json!({"name": null, "arguments": arguments});
        chat::calls(json!([{"index": index, "id": "", "type": "function", "function": function}]))
    };
    let long = "call_".to_owned() + &"x".repeat(300);
    vec![
        of(5, "no call has an id", vec![idless(0, A), idless(1, B)]),
        of(
            5,
            "no id and no index, told apart by a name on each",
            vec![
                chat::calls(json!([{"function": {"name": "Read", "arguments": A}}])),
                chat::calls(json!([{"function": {"name": "Read", "arguments": B}}])),
            ],
        ),
        one(
            6,
            "the id changes in the middle of a call",
            vec![opens(0, "call_1"), with_id("call_x", &A[..8]), with_id("call_y", &A[8..])],
        ),
        of(
            7,
            "no index, and continuations have no id either",
            vec![
                named("call_1"),
                bare(&A[..8]),
                bare(&A[8..]),
                named("call_2"),
                bare(&B[..8]),
                bare(&B[8..]),
            ],
        ),
        of(
            7,
            "continuations have an empty id and a null name",
            vec![opens(0, "call_1"), empty(0, &A[..8]), empty(0, &A[8..]), opens(1, "call_2"), empty(1, B)],
        ),
        of(8, "two calls share an id", vec![opens(0, "call_1"), adds(0, A), opens(1, "call_1"), adds(1, B)]),
        of(
            11,
            "ids that no other provider takes: 305 characters, and signs",
            vec![opens(0, &long), adds(0, A), opens(1, "call|1:\u{e9} /+"), adds(1, B)],
        ),
    ]
}
