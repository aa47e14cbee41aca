//! What was sent before, to be brought back with Up.
//!
//! The draft that was being written is kept while the person looks back, and comes again at the end of the list.

/// Sent texts, oldest first.
#[derive(Debug, Default)]
pub struct History {
    sent: Vec<String>,
    /// Which of them is shown; `None` for the draft.
    at: Option<usize>,
    draft: String,
}

impl History {
    /// Adds a text that was sent. The same text twice in a row is kept once.
    pub fn remember(&mut self, text: &str) {
        self.leave();
        if !text.trim().is_empty() && self.sent.last().map(String::as_str) != Some(text) {
            self.sent.push(text.to_owned());
        }
    }

    /// The text before the one that is shown; `None` at the beginning.
    pub fn older(&mut self, shown: &str) -> Option<String> {
        let at = self.at.unwrap_or(self.sent.len()).checked_sub(1)?;
        if self.at.is_none() {
            shown.clone_into(&mut self.draft);
        }
        self.at = Some(at);
        self.sent.get(at).cloned()
    }

    /// The text after the one that is shown, last the draft; `None` when the draft is shown.
    pub fn newer(&mut self) -> Option<String> {
        let at = self.at? + 1;
        if at < self.sent.len() {
            self.at = Some(at);
            return self.sent.get(at).cloned();
        }
        self.at = None;
        Some(std::mem::take(&mut self.draft))
    }

    /// Ends looking back: what is shown now is the draft.
    pub fn leave(&mut self) {
        self.at = None;
        self.draft.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draft_comes_back() {
        let mut history = History::default();
        for text in ["one", "two", "two", "  "] {
            history.remember(text);
        }
        assert_eq!(history.newer(), None);
        assert_eq!(history.older("draft").as_deref(), Some("two"));
        assert_eq!(history.older("two").as_deref(), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer().as_deref(), Some("two"));
        assert_eq!(history.newer().as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }
}
