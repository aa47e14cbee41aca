//! What a model says, in no wire's words.
//!
//! Owns the neutral description of one answer: its parts in order, why it stops, what it cost. `anthropic.rs` and
//! `chat.rs` write it down; `reply.rs` says how it is sent.
//! It refuses to know bytes, pauses and faults.

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI chat completions, and everything that speaks it.
    Chat,
}

impl Wire {
    pub const ALL: [Wire; 2] = [Wire::Anthropic, Wire::Chat];

    /// The format that a path belongs to.
    pub fn of_path(path: &str) -> Option<Wire> {
        match path {
            "/v1/messages" => Some(Wire::Anthropic),
            "/v1/chat/completions" | "/chat/completions" => Some(Wire::Chat),
            _ => None,
        }
    }
}

/// One answer of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub parts: Vec<Part>,
    /// When absent: for the results of its calls, if it has some.
    pub stop: Option<Stop>,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The signature exists in the Anthropic format alone.
    Thinking {
        text: String,
        signature: String,
    },
    /// Thinking that only the provider can read; in the Anthropic format alone.
    Redacted(String),
    Text(String),
    /// The arguments are sent as they stand here, JSON or not.
    Call {
        id: String,
        name: String,
        arguments: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
}

/// Tokens. `input` is all that was sent, `cached` the part of it that was cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 1_000, cached: 0, output: 100 }
    }
}

impl Answer {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn thinking(mut self, text: &str, signature: &str) -> Self {
        self.parts.push(Part::Thinking { text: text.to_owned(), signature: signature.to_owned() });
        self
    }

    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.parts.push(Part::Text(text.to_owned()));
        self
    }

    #[must_use]
    pub fn call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
        self.parts.push(Part::Call { id, name, arguments });
        self
    }

    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    #[must_use]
    pub fn usage(mut self, input: u64, cached: u64, output: u64) -> Self {
        self.usage = Usage { input, cached, output };
        self
    }

    pub(crate) fn stopped(&self) -> Stop {
        let calls = self.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        self.stop.unwrap_or(if calls { Stop::ToolUse } else { Stop::EndTurn })
    }
}

/// A piece of an answer on its wire: one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub bytes: Vec<u8>,
    /// Whether it carries a fragment of a part, which is what a pace is about.
    pub fragment: bool,
}

/// Cuts a text into fragments of at most `size` characters; 0 is one fragment. An empty text has none.
pub(crate) fn fragments(text: &str, size: usize) -> Vec<&str> {
    if size == 0 {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(size).collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::fragments;

    #[test]
    fn fragments_are_whole_characters_and_lose_nothing() {
        for (text, size, expected) in [
            ("", 3, vec![]),
            ("", 0, vec![]),
            ("abc", 0, vec!["abc"]),
            ("abcd", 3, vec!["abc", "d"]),
            ("abc", 3, vec!["abc"]),
            ("\u{e9}\u{1f300}x", 1, vec!["\u{e9}", "\u{1f300}", "x"]),
        ] {
            assert_eq!(fragments(text, size), expected, "{text} {size}");
        }
    }
}
