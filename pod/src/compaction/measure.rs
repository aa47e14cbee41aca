//! How many tokens a conversation takes, estimated.
//!
//! Owns the estimate: a quarter of a token for an ASCII character, a whole one for any other, and a few for what stands
//! around a message. It is not what a provider counts and need not be: where a provider has told what a request took,
//! only what came since is estimated. It refuses to know windows.

use crate::provider::{Message, ToolOffer};

/// What a service adds to each message.
const AROUND: u64 = 4;

pub fn text(text: &str) -> u64 {
    let others = text.chars().filter(|character| !character.is_ascii()).count() as u64;
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    ascii.div_ceil(4) + others
}

pub fn message(message: &Message) -> u64 {
    AROUND
        + match message {
            Message::User { text: said }
            | Message::Steer { text: said }
            | Message::Assistant { text: said } => text(said),
            // What a provider wants back with its thinking is counted there as well.
            Message::Reasoning { text: thought, opaque } => {
                text(thought) + opaque.as_ref().map_or(0, |opaque| text(&opaque.to_string()))
            }
            Message::ToolCall { name, arguments, .. } => text(name) + text(arguments),
            Message::ToolResult { text: result, .. } => text(result),
        }
}

pub fn messages(messages: &[Message]) -> u64 {
    messages.iter().map(message).sum()
}

/// What stands around every conversation: the system text and the tools.
pub fn standing(system: &str, tools: &[ToolOffer]) -> u64 {
    let tool = |tool: &ToolOffer| {
        AROUND + text(&tool.name) + text(&tool.description) + text(&tool.schema.to_string())
    };
    text(system) + tools.iter().map(tool).sum::<u64>()
}

/// What a request takes by the estimate, and by what its provider has told of an earlier one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measured {
    /// The estimate of the last request.
    asked: u64,
    /// What the provider told, with the estimate of the request that it told it of.
    told: Option<(u64, u64)>,
}

impl Measured {
    /// A request is about to be made.
    pub fn asks(&mut self, estimate: u64) {
        self.asked = estimate;
    }

    /// The provider tells what the last request and its answer took.
    pub fn tells(&mut self, tokens: u64) {
        self.told = Some((tokens, self.asked));
    }

    /// How much a request of this estimate takes: what was told of the last, and what came since, where that is more.
    pub fn of(&self, estimate: u64) -> u64 {
        let told = self.told.map(|(tokens, then)| tokens + estimate.saturating_sub(then));
        told.unwrap_or(0).max(estimate)
    }

    /// What was told is of a history that is no more.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (given, expected) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字", 2), ("漢a", 2)] {
            assert_eq!(text(given), expected, "{given}");
        }
    }

    #[test]
    fn what_was_told_counts_and_what_came_since() {
        let mut measured = Measured::default();
        assert_eq!(measured.of(100), 100);
        measured.asks(100);
        measured.tells(300);
        assert_eq!([measured.of(100), measured.of(150), measured.of(900)], [300, 350, 1_100]);
        // A provider that tells nonsense does not hide what is there.
        measured.tells(0);
        assert_eq!(measured.of(150), 150);
        measured.forget();
        assert_eq!(measured.of(7), 7);
    }
}
