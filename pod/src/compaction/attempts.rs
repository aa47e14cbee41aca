//! When a history is compacted by itself, and when no more.
//!
//! Owns the count of tries that came to nothing. A try that failed, or after which there was still too little room, is not
//! made again before the history has grown by a tenth; after three in a row there is none until something has changed: a
//! person compacts, another model answers. It refuses to know what a try is.

/// Tries in a row that may come to nothing.
const MOST: u32 = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempts {
    in_vain: u32,
    /// How large the history was at the last of them.
    at: u64,
}

impl Attempts {
    pub fn is_due(&self, tokens: u64, threshold: u64) -> bool {
        let has_changed = self.in_vain == 0 || tokens >= self.at + self.at / 10;
        tokens > threshold && self.in_vain < MOST && has_changed
    }

    /// A try at a history of this size came to nothing. True when it was the last.
    pub fn in_vain(&mut self, tokens: u64) -> bool {
        self.in_vain += 1;
        self.at = tokens;
        self.in_vain == MOST
    }

    /// Something has changed.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOG 8.01: 400 silent tries. LOG 8.03: the same failing request each turn.
    #[test]
    fn log_8_01_8_03_tries_are_few_and_far_between() {
        let mut attempts = Attempts::default();
        assert!(!attempts.is_due(100, 100) && attempts.is_due(101, 100));
        let mut made = Vec::new();
        for tokens in 101..10_000 {
            if attempts.is_due(tokens, 100) {
                made.push((tokens, attempts.in_vain(tokens)));
            }
        }
        assert_eq!(made, [(101, false), (111, false), (122, true)]);
        attempts.reset();
        assert!(attempts.is_due(101, 100));
    }
}
