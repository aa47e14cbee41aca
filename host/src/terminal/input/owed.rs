//! Answers that the terminal still owes: it was asked, and the wait for them was over before they came.
//!
//! Terminals answer in order, so the next answer is to the oldest question, and must not be taken for one to a later
//! question. A terminal that never answers owes nothing after a while. Time is an argument; `input.rs` asks and reads.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// After this nobody answers any more.
const FORGOTTEN: Duration = Duration::from_secs(3);

/// Questions for the cursor without an answer, oldest first.
#[derive(Debug, Default)]
pub(super) struct Owed {
    asked: VecDeque<Instant>,
    was_late: bool,
}

impl Owed {
    /// So many answers did not come in time; they were asked for at `asked`.
    pub(super) fn add(&mut self, count: usize, asked: Instant) {
        self.was_late |= count > 0;
        self.asked.extend(std::iter::repeat_n(asked, count));
    }

    /// An answer has come at `now`: whether it is one of those.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        while self.asked.front().is_some_and(|asked| now.saturating_duration_since(*asked) >= FORGOTTEN) {
            self.asked.pop_front();
        }
        self.asked.pop_front().is_some()
    }

    /// Whether the terminal was ever late: another answer may be so, too.
    pub(super) fn was_late(&self) -> bool {
        self.was_late
    }

    /// When the last of them was asked for.
    pub(super) fn asked(&self) -> Option<Instant> {
        self.asked.back().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, Owed};

    /// LOG 12.03.
    #[test]
    fn log_12_03_a_late_answer_is_not_one_to_the_next_question() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut owed = Owed::default();
        assert!(!owed.take(at(0)), "nothing was asked");
        owed.add(0, at(0));
        assert!(!owed.was_late(), "all answers came");
        owed.add(2, at(0));
        owed.add(1, at(1));
        assert_eq!([owed.take(at(1)), owed.take(at(1))], [true, true]);
        assert_eq!([owed.take(at(2)), owed.take(at(2))], [true, false], "the next is a new one");
        owed.add(2, at(2));
        assert!(owed.was_late());
        assert!(!owed.take(at(5)), "a terminal that does not answer owes nothing");
    }
}
