//! Writes an answer as the events of Anthropic Messages.
//!
//! Owns the names and order of those events: a block of each part, opened, filled and closed by its index.
//! It refuses to know how they are sent (`reply.rs`) and how they go wrong (`misbehaviour.rs`, which builds on the
//! functions here).

use serde_json::{Value, json};

use crate::answer::{Answer, Part, Piece, Stop, Usage, fragments};

/// The whole answer, its texts in fragments of `size` characters.
pub(crate) fn pieces(answer: &Answer, size: usize, model: &str) -> Vec<Piece> {
    let mut pieces = vec![piece(start(model, answer.usage))];
    for (index, part) in answer.parts.iter().enumerate() {
        match part {
            Part::Thinking { text, signature } => {
                pieces.push(piece(open(index, json!({"type": "thinking", "thinking": "", "signature": ""}))));
                let delta = |text: &str| json!({"type": "thinking_delta", "thinking": text});
                pieces.extend(fragments(text, size).into_iter().map(|text| fragment(index, delta(text))));
                let signature = json!({"type": "signature_delta", "signature": signature});
                pieces.push(piece(delta_of(index, signature)));
            }
            Part::Redacted(data) => {
                pieces.push(piece(open(index, json!({"type": "redacted_thinking", "data": data}))));
            }
            Part::Text(text) => {
                pieces.push(piece(open(index, json!({"type": "text", "text": ""}))));
                let delta = |text: &str| json!({"type": "text_delta", "text": text});
                pieces.extend(fragments(text, size).into_iter().map(|text| fragment(index, delta(text))));
            }
            Part::Call { id, name, arguments } => {
                pieces.push(piece(open(index, tool(id, name))));
                pieces.push(piece(arguments_of(index, "")));
                let rest = fragments(arguments, size).into_iter();
                pieces.extend(rest.map(|text| Piece { bytes: arguments_of(index, text), fragment: true }));
            }
        }
        pieces.push(piece(close(index)));
    }
    pieces.push(piece(stop(answer.stopped(), answer.usage.output)));
    pieces.push(piece(end()));
    pieces
}

/// One event with its name; `value` carries the rest.
pub(crate) fn event(name: &str, mut value: Value) -> Vec<u8> {
    if let Some(fields) = value.as_object_mut() {
        fields.insert("type".to_owned(), json!(name));
    }
    format!("event: {name}\ndata: {value}\n\n").into_bytes()
}

pub(crate) fn start(model: &str, usage: Usage) -> Vec<u8> {
    let usage = json!({
        "input_tokens": usage.input.saturating_sub(usage.cached), "output_tokens": 1,
        "cache_read_input_tokens": usage.cached, "cache_creation_input_tokens": 0,
    });
    let message = json!({
        "id": "msg_mock", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    event("message_start", json!({"message": message}))
}

pub(crate) fn open(index: usize, block: Value) -> Vec<u8> {
    event("content_block_start", json!({"index": index, "content_block": block}))
}

/// The block that a call opens with.
pub(crate) fn tool(id: &str, name: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": {}})
}

pub(crate) fn delta_of(index: usize, delta: Value) -> Vec<u8> {
    event("content_block_delta", json!({"index": index, "delta": delta}))
}

pub(crate) fn arguments_of(index: usize, text: &str) -> Vec<u8> {
    delta_of(index, json!({"type": "input_json_delta", "partial_json": text}))
}

pub(crate) fn text_of(index: usize, text: &str) -> Vec<u8> {
    delta_of(index, json!({"type": "text_delta", "text": text}))
}

pub(crate) fn close(index: usize) -> Vec<u8> {
    event("content_block_stop", json!({"index": index}))
}

pub(crate) fn stop(stop: Stop, output: u64) -> Vec<u8> {
    let reason = match stop {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    };
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    event("message_delta", json!({"delta": delta, "usage": {"output_tokens": output}}))
}

pub(crate) fn end() -> Vec<u8> {
    event("message_stop", json!({}))
}

/// What `GET /v1/models` answers.
pub(crate) fn models(names: &[String]) -> Value {
    let model = |name: &String| json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"});
    let data: Vec<Value> = names.iter().map(model).collect();
    json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
}

fn piece(bytes: Vec<u8>) -> Piece {
    Piece { bytes, fragment: false }
}

fn fragment(index: usize, delta: Value) -> Piece {
    Piece { bytes: delta_of(index, delta), fragment: true }
}
