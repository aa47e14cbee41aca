//! A key with what is known of how it came: by itself, as a person presses it, or among others.
//!
//! A key that answers a question must be meant for it. A paste without markers, a line that was typed ahead and keys
//! sent by a program come in a burst: hardly any time after the key before, or with more bytes already behind them.
//! `decode.rs` fills the arrival in from the times that it is given; what follows from it the chat decides.

use std::time::Duration;

use crossterm::event::KeyEvent;

/// A key that comes sooner than this after another is not one that a person thought about. A fast typist's keys are
/// 60 ms apart or more, a key that is held down repeats every 25 ms or more slowly.
pub const BURST_GAP: Duration = Duration::from_millis(20);

/// A key and how it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keystroke {
    /// The key itself.
    pub event: KeyEvent,
    /// How it came.
    pub arrival: Arrival,
}

/// How a key came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The time since the key or paste before it; `None` for the first.
    pub gap: Option<Duration>,
    /// More bytes were already waiting behind it.
    pub more_waits: bool,
}

impl Keystroke {
    /// True when neither a key just before it nor bytes behind it make it part of a burst.
    pub fn came_alone(&self) -> bool {
        !self.arrival.more_waits && self.arrival.gap.is_none_or(|gap| gap >= BURST_GAP)
    }
}

/// A key by itself, after nothing.
impl From<KeyEvent> for Keystroke {
    fn from(event: KeyEvent) -> Self {
        Self { event, arrival: Arrival::default() }
    }
}
