//! A request for a chat completion.
//!
//! Owns its shape: one message a step with its calls, one message a result behind it, reasoning in the field that it came
//! in and only to whom it came from. It refuses to know which call has which result; `../dialogue.rs` sees to that.

use serde_json::{Map, Value, json};

use super::quirks::{Quirks, Replay};
use crate::provider::dialogue::{Arguments, Entry, Said, clean, entries};
use crate::provider::{Request, ToolOffer};

pub fn body(provider: &str, model: &str, request: &Request, quirks: &Quirks) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", model.into());
    set("stream", true.into());
    if quirks.usage {
        set("stream_options", json!({"include_usage": true}));
    }
    if let Some(effort) = quirks.effort {
        set("reasoning_effort", effort.into());
    }
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(offer).collect());
    }
    set("messages", messages(provider, request, quirks).into());
    body.into()
}

fn offer(tool: &ToolOffer) -> Value {
    let ToolOffer { name, description, schema, .. } = tool;
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": schema}})
}

fn messages(provider: &str, request: &Request, quirks: &Quirks) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": clean(&request.system)}));
    }
    for entry in entries(&request.messages) {
        match entry {
            Entry::User(texts) => messages.push(json!({"role": "user", "content": texts.join("\n\n")})),
            Entry::Step { said, results } => {
                messages.push(step(provider, &said, quirks));
                messages.extend(results.iter().map(
                    |result| json!({"role": "tool", "tool_call_id": result.id, "content": result.text}),
                ));
            }
        }
    }
    messages
}

fn step(provider: &str, said: &[Said<'_>], quirks: &Quirks) -> Value {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    let mut message = json!({"role": "assistant", "content": null});
    for said in said {
        match said {
            Said::Text(text) => texts.push(text.as_str()),
            Said::Call { id, name, arguments } => {
                let arguments = match arguments {
                    Arguments::Whole(text, _) => (*text).to_owned(),
                    Arguments::Broken(value) => value.to_string(),
                };
                let function = json!({"name": name, "arguments": arguments});
                calls.push(json!({"id": id, "type": "function", "function": function}));
            }
            Said::Reasoning { text, opaque, .. } => {
                if quirks.reasoning != Replay::Never
                    && let Some(opaque) = opaque.filter(|opaque| opaque["provider"] == provider)
                {
                    add_reasoning(&mut message, text, opaque);
                }
            }
        }
    }
    if !texts.is_empty() {
        message["content"] = texts.join("\n\n").into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    if quirks.reasoning == Replay::Everywhere && message.get("reasoning_content").is_none() {
        message["reasoning_content"] = "".into();
    }
    message
}

fn add_reasoning(message: &mut Value, text: &str, opaque: &Value) {
    if let Some(details) = opaque["details"].as_array() {
        let mut all = message["reasoning_details"].as_array().cloned().unwrap_or_default();
        all.extend(details.iter().cloned());
        message["reasoning_details"] = all.into();
    }
    for field in super::chunks::FIELDS {
        if opaque["field"] == *field {
            let before = message[*field].as_str().unwrap_or_default();
            message[*field] = format!("{before}{text}").into();
        }
    }
}
