//! What was sent before, to be brought back with Up.
//!
//! The draft that was being written is kept while the person looks back, and comes again at the end of the list. What
//! may outlive the session is handed out by [`History::take_fresh`]; who keeps it is not known here.

/// So many texts are remembered; the oldest go.
pub const REMEMBERED: usize = 1000;

/// Sent texts, oldest first.
#[derive(Debug, Default)]
pub struct History {
    sent: Vec<String>,
    /// Which of them is shown; `None` for the draft.
    at: Option<usize>,
    draft: String,
    /// Sent in this session, to be kept, and not yet taken.
    fresh: Vec<String>,
}

impl History {
    /// Texts of earlier sessions, oldest first, before those of this one.
    pub fn recall(&mut self, earlier: Vec<String>) {
        self.leave();
        self.sent.splice(0..0, earlier);
        self.forget_oldest();
    }

    /// Adds a text that was sent. The same text twice in a row is kept once. `keep` says that it may be kept longer than
    /// this session.
    pub fn remember(&mut self, text: &str, keep: bool) {
        self.leave();
        if !text.trim().is_empty() && self.sent.last().map(String::as_str) != Some(text) {
            self.sent.push(text.to_owned());
            self.forget_oldest();
            if keep {
                self.fresh.push(text.to_owned());
            }
        }
    }

    /// What was sent since the last call and may be kept.
    pub fn take_fresh(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// True when nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// A text by its place.
    pub fn get(&self, at: usize) -> Option<&str> {
        self.sent.get(at).map(String::as_str)
    }

    /// The place of the newest text before `end` that has these words; capitals do not matter unless there are some.
    pub fn find_before(&self, end: usize, words: &str) -> Option<usize> {
        let exact = words.chars().any(char::is_uppercase);
        let has = |text: &String| {
            if exact { text.contains(words) } else { text.to_lowercase().contains(words) }
        };
        self.sent.get(..end.min(self.sent.len()))?.iter().rposition(has)
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

    fn forget_oldest(&mut self) {
        let surplus = self.sent.len().saturating_sub(REMEMBERED);
        self.sent.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draft_comes_back() {
        let mut history = History::default();
        for text in ["one", "two", "two", "  "] {
            history.remember(text, true);
        }
        assert_eq!(history.newer(), None);
        assert_eq!(history.older("draft").as_deref(), Some("two"));
        assert_eq!(history.older("two").as_deref(), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer().as_deref(), Some("two"));
        assert_eq!(history.newer().as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn earlier_sessions_come_before_this_one_and_the_oldest_go() {
        let mut history = History::default();
        history.remember("now", true);
        history.remember("not to keep", false);
        history.recall(vec!["then".to_owned()]);
        assert_eq!(history.take_fresh(), ["now"]);
        assert_eq!(history.take_fresh(), [""; 0]);
        assert_eq!((history.get(0), history.len()), (Some("then"), 3));
        for number in 0..REMEMBERED {
            history.remember(&number.to_string(), true);
        }
        assert_eq!((history.get(0), history.len()), (Some("0"), REMEMBERED));
    }
}
