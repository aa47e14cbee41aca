//! The flow: which rows go to the scrollback, once and for ever, and which stand in the active region.
//!
//! One [`Flow::frame`] a drawing. It knows the order of items, what is final, and how much room there is; what an item
//! looks like is the painter's ([`crate::paint`]), where rows end up is the terminal layer's. Time, window and density
//! are arguments. `journal` has the rules for committing, `active` the live items, `budget` what gives way when they
//! are too many, `region` the height that does not jump.

mod active;
mod budget;
mod journal;
mod region;
mod squeeze;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod painter_tests;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod restore_tests;
#[cfg(test)]
mod tests;

use std::time::Duration;

use carpel_slots::Density;

use crate::paint::{Paint, PaintCx, Place};
use crate::row::Row;
use crate::transcript::Transcript;
use crate::transcript::item::ItemId;
use active::Active;
use journal::Journal;
use region::Region;

/// A window in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub cols: usize,
    /// Rows.
    pub rows: usize,
}

/// What does not change while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowOptions {
    /// Of a history only the last three screens are committed, after a mark; otherwise all of it.
    pub resume: bool,
}

/// Under which conditions a frame is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowCx {
    /// The whole window.
    pub window: Size,
    /// Rows that composer and status take; they win over live rows.
    pub composer_rows: usize,
    /// The time, since the host started.
    pub now: Duration,
    /// How much is shown.
    pub density: Density,
    /// Budget of the active region in rows; `None` is half the window.
    pub active_max: Option<usize>,
    /// Live rows are at most this wide.
    pub live_columns: usize,
    /// True while the alternate screen is up: nothing is committed and nothing is live.
    pub hold: bool,
}

/// One drawing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlowFrame {
    /// Rows that go to the scrollback now, in order.
    pub commit: Vec<Row>,
    /// Rows between the scrollback and the composer. Empty rows at the end keep the composer where it is.
    pub live: Vec<Row>,
    /// How long until it is drawn again although no event comes: a timer shows seconds, or something is awaited.
    pub due_later: Option<Duration>,
}

/// How soon something that is awaited is looked for again.
const AWAIT: Duration = Duration::from_millis(50);

/// Places items on the screen.
#[derive(Debug)]
pub struct Flow {
    options: FlowOptions,
    journal: Journal,
    region: Region,
    /// The items of the last frame's active region, of which the painter may keep something.
    painted: Vec<ItemId>,
}

impl Flow {
    /// Nothing committed, nothing live.
    pub fn new(options: FlowOptions) -> Flow {
        Flow { options, journal: Journal::default(), region: Region::default(), painted: Vec::new() }
    }

    /// Makes the next drawing. What it commits counts as written.
    pub fn frame(&mut self, transcript: &mut Transcript, paint: &mut dyn Paint, cx: FlowCx) -> FlowFrame {
        transcript.refresh();
        // A history is placed when it is whole: results may come in a later chunk.
        if cx.hold || transcript.is_restoring() {
            return FlowFrame::default();
        }
        let settled = cx.paint(Place::Settled);
        if self.options.resume {
            self.journal.skip_to_last_screens(transcript, paint, &settled, cx.window.rows);
        }
        let awaited = self.journal.commit(transcript, paint, &settled);
        let commit = self.journal.take_rows();
        if let Some(mark) = self.journal.mark() {
            transcript.mark_committed(mark);
        }

        let active = Active::paint(transcript, &self.journal, paint, &cx.paint(Place::Live));
        self.forget_vanished(&active, paint);
        let timer = active.due(cx.now).filter(|_| paint.ticks());
        let (_, turn_open) = transcript.turn();
        let room = self.region.room(&cx);
        let rows = budget::fit(active, room, paint, &cx.paint(Place::Live));
        let live = self.region.place(rows, &cx, !commit.is_empty() || !turn_open);
        let due_later = if awaited { Some(timer.map_or(AWAIT, |timer| timer.min(AWAIT))) } else { timer };
        FlowFrame { commit, live, due_later }
    }

    /// Items that were taken back before they were committed leave nothing in the painter.
    fn forget_vanished(&mut self, active: &Active, paint: &mut dyn Paint) {
        let now: Vec<ItemId> = active.ids();
        for id in std::mem::replace(&mut self.painted, now) {
            if !self.journal.is_done(id) && self.painted.binary_search(&id).is_err() {
                paint.forget(id);
            }
        }
    }
}

impl FlowCx {
    fn paint(&self, place: Place) -> PaintCx {
        let width = match place {
            Place::Settled => self.window.cols,
            Place::Live => self.window.cols.min(self.live_columns),
        };
        PaintCx { width: width.max(1), density: self.density, now: self.now, place }
    }
}
