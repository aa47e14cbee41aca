//! How often a plugin may fail: three faults within a minute and it is left alone until it is loaded anew.
//!
//! Owns the count and the pause before it is started again, which grows. Time is an argument. Refuses to know what a
//! fault is; [`super::driver`] does.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// So many faults in [`WINDOW`] are too many.
const MOST: usize = 3;

/// Older faults do not count any more.
const WINDOW: Duration = Duration::from_secs(60);

/// The pause before the second start; the first one comes at once.
const PAUSE: Duration = Duration::from_millis(250);

/// The faults of one plugin.
#[derive(Debug, Default)]
pub(super) struct Faults {
    recent: VecDeque<Instant>,
}

/// What is done about a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is started again after a pause.
    Again(Duration),
    /// It is left alone.
    Quarantine,
}

impl Faults {
    /// Counts a fault.
    pub(super) fn add(&mut self, now: Instant) -> Verdict {
        while self.recent.front().is_some_and(|fault| now.saturating_duration_since(*fault) >= WINDOW) {
            self.recent.pop_front();
        }
        self.recent.push_back(now);
        match self.recent.len() {
            1 => Verdict::Again(Duration::ZERO),
            count if count < MOST => Verdict::Again(PAUSE),
            _ => Verdict::Quarantine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_in_a_minute_are_too_many() {
        let (now, later) = (Verdict::Again(Duration::ZERO), Verdict::Again(PAUSE));
        let rows: [(&[u64], &[Verdict]); 4] = [
            (&[0, 1, 2], &[now, later, Verdict::Quarantine]),
            (&[0, 30, 59], &[now, later, Verdict::Quarantine]),
            (&[0, 30, 60], &[now, later, later]),
            (&[0, 60, 120, 180], &[now, now, now, now]),
        ];
        let start = Instant::now();
        for (seconds, want) in rows {
            let mut faults = Faults::default();
            let got: Vec<Verdict> =
                seconds.iter().map(|second| faults.add(start + Duration::from_secs(*second))).collect();
            assert_eq!(got, want, "{seconds:?}");
        }
    }
}
