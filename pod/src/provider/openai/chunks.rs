//! The chunks of a chat completion, told to the assembler.
//!
//! Owns what each field means, in the dialects of all who serve this API: three names for reasoning, calls new and old,
//! tokens in three places, a whole answer in place of a stream, errors behind a 200. It refuses to know which piece
//! belongs to which call. A reason to stop or `[DONE]` makes an answer whole; a stream that ends without either was cut.

use serde_json::{Value, json};

use super::details::Details;
use crate::provider::assembler::{Assembler, BlockKind, CallPiece};
use crate::provider::step::Reader;
use crate::provider::trouble::{Failure, Refusal, Service, Unreadable};
use crate::provider::{StopReason, Tokens};

/// Where servers put plain reasoning.
pub const FIELDS: &[&str] = &["reasoning_content", "reasoning", "thinking"];

pub struct Chunks {
    provider: &'static str,
    service: Service,
    details: Details,
    /// Signed reasoning has been given to a block.
    is_kept: bool,
    is_thinking: bool,
    broken: bool,
}

impl Chunks {
    pub fn new(provider: &'static str, service: Service) -> Self {
        let details = Details::default();
        Self { provider, service, details, is_kept: true, is_thinking: false, broken: false }
    }
}

impl Reader for Chunks {
    fn take(&mut self, data: &Value, to: &mut Assembler) {
        if data.get("error").is_some_and(|error| !error.is_null()) || data["object"] == "error" {
            return self.fail(data, to);
        }
        to.usage(tokens(&data["usage"]));
        // Only the first answer was asked for; a chunk may have none.
        let Some(choice) = data["choices"].as_array().and_then(|choices| choices.first()) else { return };
        if choice.get("error").is_some_and(|error| !error.is_null()) {
            return self.fail(choice, to);
        }
        to.usage(tokens(&choice["usage"]));
        let delta = ["delta", "message"].iter().map(|key| &choice[*key]).find(|delta| delta.is_object());
        if let Some(delta) = delta {
            self.delta(delta, to);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.reason(reason, to);
        }
        // A whole answer in place of a stream has no end of its own.
        if choice["message"].is_object() && !choice["delta"].is_object() {
            self.done(to);
        }
    }

    fn done(&mut self, to: &mut Assembler) {
        if self.broken {
            return self.end(None, to);
        }
        if !(to.has_said_anything() || to.is_answered()) {
            return self.unreadable(Unreadable::Nothing, to);
        }
        self.settle_details(to);
        to.finish();
    }

    fn end(&mut self, failure: Option<Failure>, to: &mut Assembler) {
        if to.is_answered() && !self.broken {
            return self.done(to);
        }
        let broken = || self.service.passing("broke its answer off before it was whole");
        to.fail(failure.unwrap_or_else(broken));
    }

    fn unreadable(&mut self, what: Unreadable, to: &mut Assembler) {
        to.fail(self.service.unreadable(what));
    }
}

impl Chunks {
    fn fail(&self, data: &Value, to: &mut Assembler) {
        to.fail(self.service.refused(&Refusal::of_value(data), &[]));
    }

    fn delta(&mut self, delta: &Value, to: &mut Assembler) {
        self.reasoning(delta, to);
        let content = content(&delta["content"]);
        if !content.is_empty() {
            self.stop_thinking();
            to.run(BlockKind::Text, &content);
        }
        let refusal = text(delta, "refusal");
        if !refusal.is_empty() {
            self.stop_thinking();
            to.run(BlockKind::Text, refusal);
            to.refuse();
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, to);
        }
        if delta["function_call"].is_object() {
            piece(Some(0), "", &delta["function_call"], to);
        }
    }

    /// Reasoning before text of the same chunk: it was thought first.
    fn reasoning(&mut self, delta: &Value, to: &mut Assembler) {
        let details = delta["reasoning_details"].as_array().map_or(&[][..], Vec::as_slice);
        let field = FIELDS.iter().find(|field| !text(delta, field).is_empty());
        let words = match field {
            Some(field) => text(delta, field).to_owned(),
            None => Details::text(details),
        };
        if !words.is_empty() {
            to.run(BlockKind::Thinking, &words);
            self.is_thinking = true;
        }
        if !details.is_empty() {
            self.details.take(details);
            self.is_kept = false;
        }
        if !self.is_thinking {
            return;
        }
        match field {
            Some(field) if self.details.entries().is_empty() => {
                let opaque = json!({"provider": self.provider, "field": field});
                to.keep(0, |kept| {
                    kept.get_or_insert(opaque);
                });
            }
            _ => self.settle_details(to),
        }
    }

    /// Signed reasoning goes back with the block that is open, or in one of its own.
    fn settle_details(&mut self, to: &mut Assembler) {
        if self.is_kept {
            return;
        }
        self.is_kept = true;
        let opaque = json!({"provider": self.provider, "details": self.details.entries()});
        if !self.is_thinking {
            to.end_block(0);
        }
        to.keep(0, |kept| *kept = Some(opaque));
    }

    /// What was signed so far went with the block that ends here.
    fn stop_thinking(&mut self) {
        if self.is_thinking && self.is_kept {
            self.details = Details::default();
        }
        self.is_thinking = false;
    }

    fn call(&mut self, call: &Value, to: &mut Assembler) {
        self.stop_thinking();
        let index = call["index"].as_u64();
        let custom = json!({"name": call["custom"]["name"], "arguments": call["custom"]["input"]});
        // An empty `custom` beside a function means nothing.
        let of = if call["function"].is_object() { &call["function"] } else { &custom };
        piece(index, text(call, "id"), of, to);
    }

    fn reason(&mut self, reason: &str, to: &mut Assembler) {
        match reason {
            "error" | "insufficient_system_resource" => self.broken = true,
            "tool_calls" | "function_call" | "tool_use" => to.stop(StopReason::ToolUse),
            "length" | "max_tokens" | "model_length" => to.stop(StopReason::MaxTokens),
            "content_filter" | "safety" | "refusal" => to.stop(StopReason::Refusal),
            // `stop`, and whatever else somebody calls it.
            _ => to.stop(StopReason::EndTurn),
        }
    }
}

fn piece(index: Option<u64>, id: &str, function: &Value, to: &mut Assembler) {
    // Some send the object itself.
    let whole = function.get("arguments").filter(|arguments| arguments.is_object()).map(Value::to_string);
    to.call(CallPiece {
        index,
        id,
        name: text(function, "name"),
        arguments: text(function, "arguments"),
        whole: whole.as_deref(),
        ends_text: true,
    });
}

/// Text, or a list of parts with some.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| text(part, "text")).collect(),
        _ => String::new(),
    }
}

fn tokens(usage: &Value) -> Tokens {
    let count = |at: &[&str]| at.iter().find_map(|at| usage.pointer(at)?.as_u64()).unwrap_or(0);
    Tokens {
        input: count(&["/prompt_tokens"]),
        output: count(&["/completion_tokens"]),
        cached: count(&[
            "/prompt_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
        ]),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
