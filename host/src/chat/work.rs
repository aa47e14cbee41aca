//! How long the pod has been at work.
//!
//! Of work that was under way when the chat came to it the pod says how long it has taken; where it does not, nothing is
//! guessed.

use std::time::Duration;

/// A turn that takes less needs no clock.
const SHOWN: Duration = Duration::from_secs(5);

/// When the work began that is under way, and how long it has taken at the last frame.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Work {
    since: Option<Duration>,
    /// How long it had taken then.
    before: Duration,
    so_far: Duration,
}

impl Work {
    /// The pod told its state: whether it rested before and rests now, and how old the line says that this is.
    pub fn told(&mut self, rested: bool, rests: bool, age: Option<Duration>, now: Duration) {
        let is_known = self.since.is_some() && !rested;
        if rests {
            self.since = None;
        } else if !is_known && (rested || age.is_some()) {
            self.since = Some(now);
            self.before = age.unwrap_or_default();
            self.so_far = self.before;
        }
    }

    /// The time of a frame.
    pub fn pass(&mut self, now: Duration) {
        self.so_far = self.since.map_or(Duration::ZERO, |since| self.before + now.saturating_sub(since));
    }

    /// How long, once that is worth a word.
    pub fn shown(&self) -> Option<Duration> {
        self.since.map(|_| self.so_far).filter(|time| *time >= SHOWN)
    }

    /// When the next second begins to be shown.
    pub fn due(&self) -> Option<Duration> {
        let since = self.since?;
        let next = Duration::from_secs(self.so_far.as_secs() + 1).max(SHOWN);
        Some(since + next.saturating_sub(self.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turns_time_is_told_by_the_second() {
        let ms = Duration::from_millis;
        let mut work = Work::default();
        assert_eq!((work.shown(), work.due()), (None, None));
        work.told(true, false, None, ms(1_500));
        assert_eq!((work.shown(), work.due()), (None, Some(ms(6_500))));
        work.pass(ms(6_500));
        assert_eq!((work.shown(), work.due()), (Some(ms(5_000)), Some(ms(7_500))));
        // It is paused and goes on: the same work.
        work.told(false, false, Some(ms(0)), ms(7_000));
        work.pass(ms(9_700));
        assert_eq!((work.shown(), work.due()), (Some(ms(8_200)), Some(ms(10_500))));
        work.told(false, true, None, ms(9_900));
        assert_eq!((work.shown(), work.due()), (None, None));
        // It was under way before anybody looked, and nobody says since when.
        work.told(false, false, None, ms(10_000));
        assert_eq!((work.shown(), work.due()), (None, None));
        work.told(false, false, Some(ms(60_000)), ms(10_000));
        assert_eq!((work.shown(), work.due()), (Some(ms(60_000)), Some(ms(11_000))));
        work.pass(ms(11_500));
        assert_eq!((work.shown(), work.due()), (Some(ms(61_500)), Some(ms(12_000))));
    }
}
