//! What a model or server takes, as far as it is known: a guess by the model's name, then what refusals teach.
//!
//! Owns the ladders: each kind of thinking that is refused gives way to the next, and so do eager arguments, cache marks
//! and the length of an answer. Thinking of before that a server does not take back is forgotten, not the thinking to
//! come. Learned once, kept while the provider lives. It refuses to know the request's shape (`request.rs`).

use serde_json::{Value, json};

use crate::provider::endpoint::Thinking;
use crate::provider::trouble::Refusal;

/// Tokens of an answer when nothing else is known; a model that takes less says so.
const ANSWER: u64 = 64_000;
/// Tokens of thinking where a model wants to be told.
const BUDGET: u64 = 16_000;
/// The smallest that the service takes.
const LEAST_BUDGET: u64 = 1_024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quirks {
    /// Ways to ask for thinking, the next best last.
    thinking: Vec<Ask>,
    pub max_tokens: u64,
    /// Arguments arrive as they are written.
    pub eager: bool,
    pub caching: bool,
    /// Thinking before this place of the conversation is not sent back.
    pub forget_before: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Adaptive,
    Budget(u64),
    Disabled,
    Nothing,
}

impl Quirks {
    pub fn of(model: &str, thinking: Option<Thinking>) -> Self {
        let old = ["claude-3", "claude-2", "claude-instant"].iter().any(|name| model.contains(name));
        let max_tokens = match model {
            _ if model.contains("claude-3-7") => ANSWER,
            _ if model.contains("claude-3-5") => 8_192,
            _ if old => 4_096,
            _ => ANSWER,
        };
        // Best last, so that what is refused is taken off the end.
        let thinking = match thinking {
            Some(Thinking::Off) => vec![Ask::Nothing, Ask::Disabled],
            Some(Thinking::Budget(tokens)) => {
                vec![Ask::Nothing, Ask::Adaptive, Ask::Budget(u64::from(tokens).max(LEAST_BUDGET))]
            }
            Some(Thinking::Adaptive) => vec![Ask::Nothing, Ask::Budget(BUDGET), Ask::Adaptive],
            None if old && !model.contains("claude-3-7") => vec![Ask::Nothing],
            None if wants_a_budget(model) => vec![Ask::Nothing, Ask::Budget(BUDGET)],
            None => vec![Ask::Nothing, Ask::Budget(BUDGET), Ask::Adaptive],
        };
        Self { thinking, max_tokens, eager: true, caching: true, forget_before: 0 }
    }

    /// The `thinking` of a request.
    pub fn thinking(&self) -> Option<Value> {
        match self.thinking.last()? {
            // Newer models hide what they think unless asked for a summary.
            Ask::Adaptive => Some(json!({"type": "adaptive", "display": "summarized"})),
            Ask::Budget(tokens) => {
                let tokens = (*tokens).min(self.max_tokens.saturating_sub(LEAST_BUDGET)).max(LEAST_BUDGET);
                Some(json!({"type": "enabled", "budget_tokens": tokens}))
            }
            Ask::Disabled => Some(json!({"type": "disabled"})),
            Ask::Nothing => None,
        }
    }

    /// Learns from a refusal of a request with so many messages. True when the next one will be different.
    pub fn adapt(&mut self, messages: usize, refusal: &Refusal) -> bool {
        if !matches!(refusal.status, 400 | 422) {
            return false;
        }
        let before = self.clone();
        if refusal.names(&["eager_input_streaming"]) {
            self.eager = false;
        } else if refusal.names(&["must start with a thinking block", "expected `thinking`"]) {
            // With a budget a step must begin with thinking; one that was broken off, or is another provider's, does not.
            self.thinking.truncate(self.thinking.len().saturating_sub(1).max(1));
        } else if refusal.names(&["signature", "redacted_thinking", "thinking blocks", "`thinking` block"]) {
            // About thinking of before: a session must not be lost over it.
            self.forget_before = messages;
        } else if refusal.names(&["thinking", "budget_tokens"]) && self.thinking.len() > 1 {
            self.thinking.pop();
        } else if refusal.names(&["max_tokens"]) {
            self.max_tokens = smaller(&refusal.words, self.max_tokens).unwrap_or(self.max_tokens);
        } else if refusal.names(&["cache_control"]) {
            self.caching = false;
        }
        *self != before
    }
}

/// Models that take a budget of thinking and know no other way.
fn wants_a_budget(model: &str) -> bool {
    ["claude-3-7", "-4-5", "-4-1", "-4-0", "sonnet-4-2", "opus-4-2"].iter().any(|name| model.contains(name))
}

/// The bound that a server names: the largest number below ours, unless none makes sense.
fn smaller(words: &str, ours: u64) -> Option<u64> {
    let numbers = words.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    numbers.filter(|number| (256..ours).contains(number)).max()
}

/// The window in tokens by a model's name, where a list has not told it. Rather too small than too large: one that is
/// too small makes room too early, one that is too large never.
pub fn window_of(model: &str) -> Option<u64> {
    let large = ["opus-4-6", "opus-4-7", "sonnet-4-6"].iter().any(|name| model.contains(name));
    match model {
        _ if large => Some(1_000_000),
        _ if model.contains("claude") => Some(200_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &str) -> Refusal {
        Refusal {
            status: 400,
            kind: "invalid_request_error".into(),
            words: words.into(),
            ..Refusal::default()
        }
    }

    #[test]
    fn thinking_that_is_refused_gives_way() {
        let check = |model: &str, thinking: Option<Thinking>, expected: &[Value]| {
            let mut quirks = Quirks::of(model, thinking);
            for expected in expected {
                assert_eq!(quirks.thinking().unwrap_or(Value::Null), *expected, "{model} {thinking:?}");
                quirks.adapt(0, &refusal("adaptive thinking is not supported on this model"));
            }
            let settled = quirks.clone();
            assert!(!quirks.adapt(0, &refusal("thinking: no")));
            assert_eq!(settled, quirks);
        };
        let adaptive = json!({"type": "adaptive", "display": "summarized"});
        let budget = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
        let (off, none) = (json!({"type": "disabled"}), Value::Null);
        check("claude-opus-4-7", None, &[adaptive.clone(), budget(16_000), none.clone()]);
        check("claude-haiku-4-5-20251001", None, &[budget(16_000), none.clone()]);
        check("claude-sonnet-4-20250514", None, &[budget(16_000), none.clone()]);
        check("claude-3-5-haiku-latest", None, std::slice::from_ref(&none));
        check("claude-opus-4-7", Some(Thinking::Off), &[off, none.clone()]);
        check("claude-x", Some(Thinking::Budget(10)), &[budget(1_024), adaptive, none]);
        let mut short = Quirks::of("claude-x", Some(Thinking::Budget(100_000)));
        short.max_tokens = 8_192;
        assert_eq!(short.thinking(), Some(budget(7_168)));
    }

    #[test]
    fn refusals_teach_once() {
        let check = |words: &str, change: &dyn Fn(&mut Quirks)| {
            let mut quirks = Quirks::of("claude-opus-4-7", None);
            let mut expected = quirks.clone();
            change(&mut expected);
            let changes = expected != quirks;
            assert_eq!(quirks.adapt(7, &refusal(words)), changes, "{words}");
            assert_eq!(quirks, expected, "{words}");
        };
        check("tools.0.custom.eager_input_streaming: Extra inputs are not permitted", &|quirks| {
            quirks.eager = false
        });
        check("messages.1.content.0: Invalid `signature` in `thinking` block", &|quirks| {
            quirks.forget_before = 7
        });
        check(
            "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-opus-4-1",
            &|quirks| quirks.max_tokens = 32_000,
        );
        check(
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
            &|quirks| quirks.thinking.truncate(2),
        );
        check("system.0.cache_control: Extra inputs are not permitted", &|quirks| quirks.caching = false);
        check("prompt is too long: 205000 tokens > 200000 maximum", &|_| {});
        let mut quirks = Quirks::of("claude-x", None);
        assert!(!quirks.adapt(0, &Refusal { status: 401, ..refusal("thinking") }));
    }
}
