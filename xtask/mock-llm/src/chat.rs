//! Writes an answer as the chunks of OpenAI chat completions.
//!
//! Owns the shape of a chunk and the order that the vendor's own servers keep: reasoning, text, calls by index, a
//! finish reason, the usage in a chunk without choices, `[DONE]`.
//! It refuses to know how they are sent (`reply.rs`) and how they go wrong (`misbehaviour.rs`, which builds on the
//! functions here). Signatures have no place in this format and are left out.

use serde_json::{Value, json};

use crate::answer::{Answer, Part, Piece, Stop, Usage, fragments};

/// The whole answer, its texts in fragments of `size` characters.
pub(crate) fn pieces(answer: &Answer, size: usize, model: &str) -> Vec<Piece> {
    let mut pieces = vec![piece(chunk(model, json!({"role": "assistant", "content": ""})))];
    let mut index = 0;
    for part in &answer.parts {
        match part {
            Part::Thinking { text, .. } => {
                let delta = |text: &str| fragment(model, json!({"reasoning_content": text}));
                pieces.extend(fragments(text, size).into_iter().map(delta));
            }
            Part::Redacted(_) => {}
            Part::Text(text) => {
                let delta = |text: &str| fragment(model, json!({"content": text}));
                pieces.extend(fragments(text, size).into_iter().map(delta));
            }
            Part::Call { id, name, arguments } => {
                pieces.push(piece(chunk(model, calls(json!([call(index, id, name)])))));
                let delta = |text: &str| fragment(model, calls(json!([arguments_of(index, text)])));
                pieces.extend(fragments(arguments, size).into_iter().map(delta));
                index += 1;
            }
        }
    }
    pieces.push(piece(finish(model, answer.stopped())));
    pieces.push(piece(usage(model, answer.usage)));
    pieces.push(piece(done()));
    pieces
}

pub(crate) fn data(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

pub(crate) fn chunk(model: &str, delta: Value) -> Vec<u8> {
    data(&of_choices(model, json!([{"index": 0, "delta": delta, "finish_reason": null}])))
}

pub(crate) fn of_choices(model: &str, choices: Value) -> Value {
    json!({
        "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1_800_000_000, "model": model,
        "choices": choices,
    })
}

/// A delta of these calls.
pub(crate) fn calls(calls: Value) -> Value {
    json!({"tool_calls": calls})
}

/// What a call opens with.
pub(crate) fn call(index: usize, id: &str, name: &str) -> Value {
    json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}})
}

pub(crate) fn arguments_of(index: usize, text: &str) -> Value {
    json!({"index": index, "function": {"arguments": text}})
}

pub(crate) fn finish(model: &str, stop: Stop) -> Vec<u8> {
    let reason = match stop {
        Stop::EndTurn => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    };
    data(&of_choices(model, json!([{"index": 0, "delta": {}, "finish_reason": reason}])))
}

pub(crate) fn usage(model: &str, usage: Usage) -> Vec<u8> {
    let mut value = of_choices(model, json!([]));
    value["usage"] = usage_of(usage);
    data(&value)
}

pub(crate) fn usage_of(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    })
}

pub(crate) fn done() -> Vec<u8> {
    b"data: [DONE]\n\n".to_vec()
}

/// What `GET /v1/models` answers.
pub(crate) fn models(names: &[String]) -> Value {
    let model =
        |name: &String| json!({"id": name, "object": "model", "created": 1_800_000_000, "owned_by": "mock"});
    json!({"object": "list", "data": names.iter().map(model).collect::<Vec<_>>()})
}

fn piece(bytes: Vec<u8>) -> Piece {
    Piece { bytes, fragment: false }
}

fn fragment(model: &str, delta: Value) -> Piece {
    Piece { bytes: chunk(model, delta), fragment: true }
}
