//! When the next frame is due.
//!
//! What streams is drawn at most thirty times a second, what a person does at once; a frame may ask to be drawn again at a
//! time of its own. Without any of these nothing wakes. Refuses to know what is drawn; [`super::run`] does that.

use std::time::{Duration, Instant};

/// The shortest time between two frames of what streams.
const FRAME: Duration = Duration::from_millis(33);

/// When to draw.
#[derive(Default)]
pub(super) struct Timing {
    pub(super) last: Option<Instant>,
    /// Something changed since.
    pub(super) dirty: bool,
    /// The frame itself asked to be drawn again.
    pub(super) due: Option<Instant>,
}

impl Timing {
    /// When the next frame is to be drawn; `None` while nothing asks for one.
    pub(super) fn next(&self) -> Option<Instant> {
        let soon = self.dirty.then(|| self.last.map_or_else(Instant::now, |last| last + FRAME));
        match (soon, self.due) {
            (Some(soon), Some(due)) => Some(soon.min(due)),
            (soon, due) => soon.or(due),
        }
    }
}
