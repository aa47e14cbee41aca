//! The events of a Messages stream, told to the assembler.
//!
//! Owns what each event means: blocks by their index, thinking with its signature, calls with pieces of their arguments,
//! tokens, reasons to stop, errors behind a 200. What it does not know it skips. It refuses to know which piece belongs
//! to which call (`../assembler/calls.rs`), and takes nothing but `message_stop` for a success.

use serde_json::Value;

use super::request::opaque;
use crate::provider::assembler::{Assembler, BlockKind, CallPiece};
use crate::provider::step::Reader;
use crate::provider::trouble::{Failure, Refusal, Service, Unreadable};
use crate::provider::{StopReason, Tokens};

pub struct Events {
    service: Service,
}

impl Events {
    pub fn new(service: Service) -> Self {
        Self { service }
    }
}

impl Reader for Events {
    fn take(&mut self, data: &Value, to: &mut Assembler) {
        let index = data.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text(data, "type") {
            "message_start" => to.usage(tokens(&data["message"])),
            "content_block_start" => block_starts(index, &data["content_block"], to),
            "content_block_delta" => block_goes_on(index, &data["delta"], to),
            "content_block_stop" => {
                to.end_block(index);
                to.end_call(index);
            }
            "message_delta" => {
                to.usage(tokens(data));
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    to.stop(reason_of(reason));
                }
            }
            "message_stop" => to.finish(),
            // A server that does not stream sends the whole.
            "message" => whole(data, to),
            "error" => self.fail(data, to),
            "" if data.get("error").is_some_and(|error| !error.is_null()) => self.fail(data, to),
            // `ping`, and kinds of later versions.
            _ => {}
        }
    }

    fn done(&mut self, to: &mut Assembler) {
        if !(to.has_said_anything() || to.is_answered()) {
            self.unreadable(Unreadable::Nothing, to);
        }
    }

    fn end(&mut self, failure: Option<Failure>, to: &mut Assembler) {
        let broken = || self.service.passing("broke its answer off before it was whole");
        to.fail(failure.unwrap_or_else(broken));
    }

    fn unreadable(&mut self, what: Unreadable, to: &mut Assembler) {
        to.fail(self.service.unreadable(what));
    }
}

impl Events {
    fn fail(&self, data: &Value, to: &mut Assembler) {
        let refusal = Refusal::of_value(data);
        to.fail(self.service.refused(&refusal, &[]));
    }
}

fn block_starts(index: u64, block: &Value, to: &mut Assembler) {
    match text(block, "type") {
        "text" => to.piece(index, BlockKind::Text, text(block, "text")),
        "thinking" => {
            to.begin(index, BlockKind::Thinking);
            to.piece(index, BlockKind::Thinking, text(block, "thinking"));
            sign(index, text(block, "signature"), to);
        }
        "redacted_thinking" => {
            to.begin(index, BlockKind::Thinking);
            let data = opaque("redacted_thinking", "data", text(block, "data"));
            to.keep(index, |kept| *kept = Some(data));
        }
        "tool_use" => {
            let input =
                block.get("input").filter(|input| input.as_object().is_some_and(|map| !map.is_empty()));
            let whole = input.map(Value::to_string);
            to.call(CallPiece {
                index: Some(index),
                id: text(block, "id"),
                name: text(block, "name"),
                whole: whole.as_deref(),
                ..CallPiece::default()
            });
        }
        _ => {}
    }
}

fn block_goes_on(index: u64, delta: &Value, to: &mut Assembler) {
    match text(delta, "type") {
        "text_delta" => to.piece(index, BlockKind::Text, text(delta, "text")),
        "thinking_delta" => to.piece(index, BlockKind::Thinking, text(delta, "thinking")),
        "signature_delta" => sign(index, text(delta, "signature"), to),
        "input_json_delta" => to.call(CallPiece {
            index: Some(index),
            arguments: text(delta, "partial_json"),
            ..CallPiece::default()
        }),
        _ => {}
    }
}

/// A signature may come in pieces.
fn sign(index: u64, piece: &str, to: &mut Assembler) {
    if piece.is_empty() {
        return;
    }
    to.keep(index, |kept| {
        let so_far = kept.as_ref().map_or("", |kept| text(kept, "signature"));
        *kept = Some(opaque("thinking", "signature", &format!("{so_far}{piece}")));
    });
}

fn whole(message: &Value, to: &mut Assembler) {
    to.usage(tokens(message));
    for (index, block) in (0..).zip(message["content"].as_array().into_iter().flatten()) {
        block_starts(index, block, to);
        to.end_block(index);
        to.end_call(index);
    }
    if let Some(reason) = message["stop_reason"].as_str() {
        to.stop(reason_of(reason));
    }
    to.finish();
}

fn reason_of(reason: &str) -> StopReason {
    match reason {
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "model_context_window_exceeded" => StopReason::WindowFull,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::Pause,
        // `end_turn`, `stop_sequence`, and those of later versions.
        _ => StopReason::EndTurn,
    }
}

/// Counts are told for the whole message so far. What was written to the cache or read from it was sent too.
fn tokens(holder: &Value) -> Tokens {
    let count = |key: &str| holder["usage"][key].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    let sent = [count("input_tokens"), count("cache_creation_input_tokens"), cached];
    let input = sent.into_iter().fold(0, u64::saturating_add);
    Tokens { input, output: count("output_tokens"), cached }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
