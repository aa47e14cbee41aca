//! What a sub-agent has said, passage by passage, as a view and the inspector see it.
//!
//! It owns the bound: of one call the last [`Said::KEPT`] bytes are kept, whole passages going first and then the
//! beginning of the oldest that is left, and how much went is told. It knows no events and no rows. A call that runs no
//! sub-agent has nothing here; read [`crate::call`] for where it hangs.

use std::sync::Arc;

/// Which of its two voices a sub-agent uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Its answer.
    Text,
    /// Its thinking.
    Thinking,
}

/// One block of text or thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// How it was said.
    pub voice: Voice,
    text: Arc<String>,
}

impl Passage {
    /// The text, raw.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// All that a sub-agent has said, as far as it is kept. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    passages: Arc<Vec<Passage>>,
    bytes: usize,
    dropped: u64,
}

impl Said {
    /// How many bytes are kept at least.
    pub const KEPT: usize = 256 * 1024;

    /// The passages in the order in which they were begun.
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// How many bytes came before what is kept.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// True while nothing was said.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Begins a passage.
    pub fn begin(&mut self, voice: Voice, text: &str) {
        Arc::make_mut(&mut self.passages).push(Passage { voice, text: Arc::new(text.to_owned()) });
        self.bytes += text.len();
        self.bound();
    }

    /// Adds a piece to the last passage.
    pub fn push(&mut self, piece: &str) {
        let Some(last) = Arc::make_mut(&mut self.passages).last_mut() else { return };
        Arc::make_mut(&mut last.text).push_str(piece);
        self.bytes += piece.len();
        self.bound();
    }

    /// Another text in place of the last passage's.
    pub fn replace(&mut self, text: &str) {
        let Some(last) = Arc::make_mut(&mut self.passages).last_mut() else { return };
        self.bytes = self.bytes - last.text.len() + text.len();
        last.text = Arc::new(text.to_owned());
        self.bound();
    }

    /// Takes the last passages back: their step is asked again.
    pub fn take_back(&mut self, passages: usize) {
        let all = Arc::make_mut(&mut self.passages);
        let kept = all.len().saturating_sub(passages);
        self.bytes -= all.drain(kept..).map(|passage| passage.text.len()).sum::<usize>();
    }

    /// Cuts at twice of what is kept, so that adding stays linear.
    fn bound(&mut self) {
        if self.bytes <= 2 * Said::KEPT {
            return;
        }
        let all = Arc::make_mut(&mut self.passages);
        let mut over = self.bytes - Said::KEPT;
        let whole = all.iter().take_while(|passage| {
            let goes = passage.text.len() <= over;
            over -= if goes { passage.text.len() } else { 0 };
            goes
        });
        let whole = whole.count();
        all.drain(..whole);
        if let Some(first) = all.first_mut() {
            let cut = first.text.floor_char_boundary(over);
            Arc::make_mut(&mut first.text).drain(..cut);
        }
        let kept = all.iter().map(|passage| passage.text.len()).sum();
        self.dropped += (self.bytes - kept) as u64;
        self.bytes = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &Said) -> Vec<&str> {
        said.passages().iter().map(Passage::text).collect()
    }

    #[test]
    fn passages_grow_and_go() {
        let mut said = Said::default();
        said.push("nobody speaks");
        said.begin(Voice::Thinking, "hm");
        said.push("m");
        said.begin(Voice::Text, "one");
        said.replace("two");
        said.begin(Voice::Text, "three");
        assert_eq!(told(&said), ["hmm", "two", "three"]);
        said.take_back(2);
        assert_eq!((told(&said), said.dropped()), (vec!["hmm"], 0));
        said.take_back(9);
        assert!(said.is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_rest_is_counted() {
        let mut said = Said::default();
        let mut all = 0;
        for number in 0..2_000 {
            said.begin(Voice::Text, &format!("{number} "));
            for _ in 0..10 {
                said.push(&"é".repeat(50));
            }
            all += format!("{number} ").len() + 10 * 100;
            let kept: usize = told(&said).iter().map(|text| text.len()).sum();
            assert!(kept <= 2 * Said::KEPT && kept as u64 + said.dropped() == all as u64, "{number}: {kept}");
        }
        assert!(told(&said).iter().map(|text| text.len()).sum::<usize>() >= Said::KEPT);
        let mut said = Said::default();
        said.begin(Voice::Text, &"x".repeat(3 * Said::KEPT));
        assert_eq!((told(&said)[0].len(), said.dropped()), (Said::KEPT, 2 * Said::KEPT as u64));
    }
}
