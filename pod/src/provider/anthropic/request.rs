//! A request to the Messages API.
//!
//! Owns its shape: tools with eager arguments, thinking sent back as it came, cache marks on what stays the same from step
//! to step (system, tools, the conversation so far), results in front of what the person says next. It refuses to know
//! which call has which result; `../dialogue.rs` sees to that.

use serde_json::{Map, Value, json};

use super::Anthropic;
use super::quirks::Quirks;
use crate::provider::dialogue::{Arguments, Entry, Outcome, Said, clean, entries};
use crate::provider::{Request, ToolOffer};

/// What Anthropic wants back with thinking: its kind and the bytes that it signed it with.
pub fn opaque(kind: &str, field: &str, value: &str) -> Value {
    json!({"provider": Anthropic::NAME, "type": kind, field: value})
}

pub fn body(model: &str, request: &Request, quirks: &Quirks) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", model.into());
    set("max_tokens", quirks.max_tokens.into());
    set("stream", true.into());
    if !request.system.trim().is_empty() {
        let mut system = json!({"type": "text", "text": clean(&request.system)});
        mark(&mut system, quirks);
        set("system", json!([system]));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(|tool| offer(tool, quirks)).collect();
    if let Some(last) = tools.last_mut() {
        mark(last, quirks);
        set("tools", tools.into());
    }
    if let Some(thinking) = quirks.thinking() {
        set("thinking", thinking);
    }
    set("messages", messages(request, quirks));
    body.into()
}

fn offer(tool: &ToolOffer, quirks: &Quirks) -> Value {
    let mut offer = json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema});
    if quirks.eager {
        offer["eager_input_streaming"] = true.into();
    }
    offer
}

fn messages(request: &Request, quirks: &Quirks) -> Value {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for entry in entries(&request.messages) {
        match entry {
            Entry::User(texts) => extend(&mut messages, "user", texts.iter().map(|text| text_block(text))),
            Entry::Step { said, results } => {
                extend(&mut messages, "assistant", said.iter().filter_map(|said| said_block(said, quirks)));
                extend(&mut messages, "user", results.iter().map(result_block));
            }
        }
    }
    if let Some(block) = messages.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        mark(block, quirks);
    }
    messages.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

/// Whoever speaks twice in a row speaks once.
fn extend(
    messages: &mut Vec<(&'static str, Vec<Value>)>,
    role: &'static str,
    blocks: impl Iterator<Item = Value>,
) {
    let blocks: Vec<Value> = blocks.collect();
    match messages.last_mut() {
        _ if blocks.is_empty() => {}
        Some((last, before)) if *last == role => before.extend(blocks),
        _ => messages.push((role, blocks)),
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn said_block(said: &Said<'_>, quirks: &Quirks) -> Option<Value> {
    match said {
        Said::Reasoning { at, .. } if *at < quirks.forget_before => None,
        Said::Reasoning { text, opaque, .. } => thinking_block(text, (*opaque)?),
        Said::Text(text) => Some(text_block(text)),
        Said::Call { id, name, arguments } => {
            let (Arguments::Whole(_, input) | Arguments::Broken(input)) = arguments;
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
    }
}

/// Thinking of another provider, or that was never signed, would be refused.
fn thinking_block(text: &str, opaque: &Value) -> Option<Value> {
    if opaque.get("provider")?.as_str()? != Anthropic::NAME {
        return None;
    }
    match opaque.get("type")?.as_str()? {
        "thinking" => {
            Some(json!({"type": "thinking", "thinking": text, "signature": opaque.get("signature")?}))
        }
        "redacted_thinking" => Some(json!({"type": "redacted_thinking", "data": opaque.get("data")?})),
        _ => None,
    }
}

fn result_block(result: &Outcome) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text});
    if result.is_error {
        block["is_error"] = true.into();
    }
    block
}

fn mark(block: &mut Value, quirks: &Quirks) {
    if quirks.caching {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}
