//! What a server takes of a chat request, as its refusals teach it.
//!
//! Owns the parameters that may be left out and what becomes of reasoning: most servers take it back and need it not, a
//! few refuse it, a few demand it in every answer. Learned once, kept while the provider lives. It refuses to know the
//! request's shape (`request.rs`).

use crate::provider::endpoint::Thinking;
use crate::provider::trouble::Refusal;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quirks {
    /// Ask for tokens at the end of a stream.
    pub usage: bool,
    /// What is sent as `reasoning_effort`.
    pub effort: Option<&'static str>,
    pub reasoning: Replay,
}

/// Whether reasoning of before is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// Where there was some, in the field it came in.
    AsItCame,
    /// In every answer, if only as an empty text.
    Everywhere,
    Never,
}

impl Quirks {
    pub fn of(thinking: Option<Thinking>) -> Self {
        let effort = match thinking {
            None | Some(Thinking::Adaptive) => None,
            Some(Thinking::Off) => Some("none"),
            Some(Thinking::Budget(..4_096)) => Some("low"),
            Some(Thinking::Budget(4_096..16_384)) => Some("medium"),
            Some(Thinking::Budget(16_384..)) => Some("high"),
        };
        Self { usage: true, effort, reasoning: Replay::AsItCame }
    }

    /// True when the next request will be different.
    pub fn adapt(&mut self, refusal: &Refusal) -> bool {
        if !matches!(refusal.status, 400 | 422) {
            return false;
        }
        let before = self.clone();
        if refusal.names(&["stream_options", "include_usage"]) {
            self.usage = false;
        } else if refusal.names(&["reasoning_effort"]) {
            // Some models take tools only with the least of it, and say so.
            self.effort = if self.effort.is_none() { Some("none") } else { None };
        } else if refusal.names(&["must be passed back"]) && self.reasoning == Replay::AsItCame {
            self.reasoning = Replay::Everywhere;
        } else if refusal.names(&["reasoning_content", "reasoning_details", "'reasoning'", "`reasoning`"]) {
            self.reasoning = Replay::Never;
        }
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_teach_once() {
        let check = |words: &str, expected: Option<Quirks>| {
            let mut quirks = Quirks::of(None);
            let refusal = Refusal { status: 400, words: words.into(), ..Refusal::default() };
            let changed = quirks.adapt(&refusal);
            assert_eq!(changed.then_some(quirks), expected, "{words}");
        };
        let usual = || Quirks::of(None);
        check(
            "Unrecognized request argument supplied: stream_options",
            Some(Quirks { usage: false, ..usual() }),
        );
        check(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            Some(Quirks { reasoning: Replay::Everywhere, ..usual() }),
        );
        check(
            "property 'reasoning_content' is unsupported",
            Some(Quirks { reasoning: Replay::Never, ..usual() }),
        );
        check(
            "Function tools with reasoning_effort are not supported for this model",
            Some(Quirks { effort: Some("none"), ..usual() }),
        );
        check("something else", None);
        assert!(!usual().adapt(&Refusal {
            status: 500,
            words: "stream_options".into(),
            ..Refusal::default()
        }));
    }

    #[test]
    fn a_budget_is_an_effort() {
        let check = |thinking, effort| assert_eq!(Quirks::of(thinking).effort, effort);
        check(None, None);
        check(Some(Thinking::Adaptive), None);
        check(Some(Thinking::Off), Some("none"));
        check(Some(Thinking::Budget(1_024)), Some("low"));
        check(Some(Thinking::Budget(8_000)), Some("medium"));
        check(Some(Thinking::Budget(64_000)), Some("high"));
    }
}
