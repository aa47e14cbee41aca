//! The pane with everything there is of what is selected.
//!
//! Beside the list where there is room for both, else below it while it is open. It shows the call's card by the slot
//! `tool.details`, or an item with nothing left out, and is scrolled by itself. Rows are kept until what they show
//! changes.

use carpel_slots::{CallState, Density};

use crate::inspector::cursor::Spot;
use crate::inspector::jump;
use crate::inspector::layout::{LayCx, fitted};
use crate::inspector::needle::Needle;
use crate::paint::{Inspect, PaintCx, Place};
use crate::render::markdown::MarkdownStream;
use crate::render::{Look, clip};
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemBody};

/// The pane.
#[derive(Default)]
pub struct Details {
    /// True while it is wanted below the list, where it has no room beside it.
    pub is_open: bool,
    /// True while it stands beside the list, where it is always shown.
    pub is_beside: bool,
    /// True while keys go to it.
    pub has_focus: bool,
    /// Rows above the first that is shown.
    pub scroll: usize,
    /// Rows that it showed last.
    pub height: usize,
    /// The next drawing scrolls to the first hit of the search.
    pub seeks: bool,
    kept: Option<Kept>,
}

struct Kept {
    stamp: Stamp,
    waiting: bool,
    rows: Vec<Row>,
}

#[derive(Clone, PartialEq)]
struct Stamp {
    spot: Spot,
    revision: u64,
    width: usize,
    look: Look,
    second: Option<u64>,
    generation: Option<u64>,
}

impl Details {
    /// The rows of the pane in that height, and whether they show a running clock.
    pub fn rows(
        &mut self,
        items: &[FlowItem],
        spot: &Spot,
        needle: &Needle,
        paint: &mut dyn Inspect,
        (cx, height): (&LayCx, usize),
    ) -> (Vec<Row>, bool) {
        let Some(item) = jump::item_of(items, spot) else { return (Vec::new(), false) };
        let call = jump::call_of(items, spot);
        let ticks = call.is_some_and(|call| call.state == CallState::Executing);
        let is_waiting = self.kept.as_ref().is_some_and(|kept| kept.waiting);
        let stamp = Stamp {
            spot: spot.clone(),
            revision: call.map_or(item.revision, |call| call.own_revision),
            width: cx.width,
            look: cx.look,
            second: ticks.then_some(cx.now.as_secs()),
            generation: is_waiting.then(|| paint.generation()),
        };
        if self.kept.as_ref().is_none_or(|kept| kept.stamp != stamp) {
            if self.kept.as_ref().is_some_and(|kept| kept.stamp.spot != *spot) {
                self.scroll = 0;
            }
            let generation = paint.generation();
            let (rows, waiting) = match call {
                Some(call) => {
                    let drawn = paint.details(call, &paint_cx(cx));
                    (drawn.rows, drawn.waiting)
                }
                None => (whole(item, paint, cx), false),
            };
            let stamp = Stamp { generation: waiting.then_some(generation), ..stamp };
            self.kept = Some(Kept { stamp, waiting, rows: fitted(rows, cx.width, cx.look) });
        }
        let rows = self.kept.as_ref().map(|kept| kept.rows.as_slice()).unwrap_or_default();
        if std::mem::take(&mut self.seeks)
            && let Some(hit) = rows.iter().position(|row| needle.is_in(&row.text()))
        {
            self.scroll = hit.saturating_sub(height / 3);
        }
        self.height = height;
        self.scroll = self.scroll.min(rows.len().saturating_sub(height));
        let mut shown: Vec<Row> = rows.iter().skip(self.scroll).take(height).cloned().collect();
        let hidden = rows.len() - self.scroll - shown.len();
        if hidden > 0
            && height > 3
            && let Some(last) = shown.last_mut()
        {
            *last = clip::more(&format!("{} more rows", hidden + 1), 0, cx.width, cx.look);
        }
        (shown, ticks)
    }

    /// What is shown is made again when somebody asks for it.
    pub fn outdate(&mut self) {
        self.kept = None;
    }

    /// How many rows there are in all.
    pub fn len(&self) -> usize {
        self.kept.as_ref().map(|kept| kept.rows.len()).unwrap_or_default()
    }

    /// True while there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn paint_cx(cx: &LayCx) -> PaintCx {
    PaintCx { width: cx.width.max(1), density: Density::Detail, now: cx.now, place: Place::Settled }
}

/// An item that is no call, with nothing left out.
fn whole(item: &FlowItem, paint: &mut dyn Inspect, cx: &LayCx) -> Vec<Row> {
    let ItemBody::Text { text, closed } = &item.body else {
        return paint.inspect_item(item, &paint_cx(cx));
    };
    let mut stream = MarkdownStream::default();
    let (settled, tail) = paint.inspect_text(&mut stream, text, *closed, &paint_cx(cx));
    let mut rows = settled.rows;
    // What waits for its colours is among them.
    rows.extend(tail);
    paint.close_text(stream);
    rows
}
