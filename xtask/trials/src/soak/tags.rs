//! Words that stand for a text: each is given once, and can be found again wherever a text was folded.
//!
//! It owns which were given and which of them may have been left behind as live rows. It looks at nothing itself.

/// A word like `q17z`: no one of them is part of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The word.
    pub word: String,
    /// Live rows with it may have been pushed up by a window that became narrow: it stands there at least once then, else
    /// exactly once.
    pub may_repeat: bool,
}

/// All tags of a session.
#[derive(Debug, Default)]
pub struct Tags {
    given: Vec<Tag>,
}

impl Tags {
    /// A new word.
    pub fn word(&mut self) -> String {
        let word = format!("q{}z", self.given.len() + 1);
        self.given.push(Tag { word: word.clone(), may_repeat: false });
        word
    }

    /// The last that was given.
    pub fn last(&self) -> Option<&str> {
        self.given.last().map(|tag| tag.word.as_str())
    }

    /// How many were given.
    pub fn count(&self) -> usize {
        self.given.len()
    }

    /// Those from the `from`th on may stand there twice.
    pub fn may_repeat(&mut self, from: usize) {
        for tag in self.given.iter_mut().skip(from) {
            tag.may_repeat = true;
        }
    }

    /// What is wrong with a text in which all of them should stand; `None` when nothing is.
    pub fn check(&self, text: &str) -> Option<String> {
        let mut counts = std::collections::HashMap::new();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            *counts.entry(word).or_insert(0_usize) += 1;
        }
        let wrong = self.given.iter().filter_map(|tag| {
            let count = counts.get(tag.word.as_str()).copied().unwrap_or(0);
            let fine = count == 1 || (tag.may_repeat && count > 1);
            (!fine).then(|| format!("{} stands there {count} times", tag.word))
        });
        let wrong: Vec<String> = wrong.take(8).collect();
        if wrong.is_empty() { None } else { Some(wrong.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::Tags;

    #[test]
    fn what_is_lost_or_doubled_is_told() {
        let mut tags = Tags::default();
        let words: Vec<String> = (0..12).map(|_| tags.word()).collect();
        let text = format!("{}.", words.join(" "));
        assert_eq!(tags.check(&text), None);
        assert_eq!(tags.check(&text.replace("q2z", "")), Some("q2z stands there 0 times".to_owned()));
        let doubled = format!("{text} q11z");
        assert_eq!(tags.check(&doubled), Some("q11z stands there 2 times".to_owned()));
        tags.may_repeat(10);
        assert_eq!(tags.check(&doubled), None);
    }
}
