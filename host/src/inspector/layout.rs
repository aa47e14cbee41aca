//! Items as rows, kept by what they depend on: revision, width, folds, look, colours, the second of a timer.
//!
//! An item is laid out when somebody asks for its rows and not before; [`Layouts::made`] counts how often, which a test
//! watches. Rows say which call they belong to. It decides nothing about where they stand.

use std::collections::HashMap;
use std::time::Duration;

use carpel_slots::{CallKey, CallState, Density};

use crate::inspector::folds::Folds;
use crate::paint::{Inspect, PaintCx, Place};
use crate::render::Look;
use crate::render::markdown::MarkdownStream;
use crate::render::wrap::{self, Indent, blanks};
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, ThinkingState};

/// Rows of so many items are kept; then all are forgotten but those that are asked for again.
const KEPT: usize = 512;

/// The rows of one call, or of an item that is none.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The call.
    pub call: Option<CallKey>,
    /// True for a call of which the header is shown alone.
    pub is_folded: bool,
    /// The rows, each as wide as was asked for or less.
    pub rows: Vec<Row>,
}

/// An item as rows.
#[derive(Default)]
pub struct Laid {
    stamp: Option<Stamp>,
    /// Its parts, those without rows left out.
    pub parts: Vec<Part>,
    /// True while it shows a running clock.
    pub ticks: bool,
    waiting: bool,
    text: Option<OpenText>,
}

impl Laid {
    /// How many rows it has.
    pub fn height(&self) -> usize {
        self.parts.iter().map(|part| part.rows.len()).sum()
    }
}

/// An answer, of which final rows are not made twice.
struct OpenText {
    stream: MarkdownStream,
    width: usize,
    density: Density,
    look: Look,
    settled: Vec<Row>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    revision: u64,
    width: usize,
    folds: u64,
    look: Look,
    second: Option<u64>,
    generation: Option<u64>,
}

/// Under which conditions items are laid out.
#[derive(Debug, Clone, Copy)]
pub struct LayCx {
    /// Columns of a row.
    pub width: usize,
    /// The time, since the host started.
    pub now: Duration,
    /// Styles and glyphs.
    pub look: Look,
}

/// What was laid out.
#[derive(Default)]
pub struct Layouts {
    kept: HashMap<ItemId, Laid>,
    /// How many layouts were made.
    pub made: u64,
    /// True while something that was asked for since [`Layouts::begin`] shows a running clock.
    pub ticks: bool,
}

impl Layouts {
    /// A drawing begins.
    pub fn begin(&mut self, paint: &mut dyn Inspect) {
        self.ticks = false;
        if self.kept.len() > KEPT {
            self.forget(paint);
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self, paint: &mut dyn Inspect) {
        for (_, laid) in self.kept.drain() {
            if let Some(text) = laid.text {
                paint.close_text(text.stream);
            }
        }
    }

    /// All that was laid out is laid out again when somebody asks for it.
    pub fn outdate(&mut self) {
        self.kept.values_mut().for_each(|laid| laid.stamp = None);
    }

    /// The rows of an item.
    pub fn lay(&mut self, item: &FlowItem, folds: &Folds, paint: &mut dyn Inspect, cx: &LayCx) -> &Laid {
        let laid = self.kept.entry(item.id).or_default();
        let stamp = Stamp {
            revision: item.revision,
            width: cx.width,
            folds: folds.revision(),
            look: cx.look,
            second: laid.ticks.then_some(cx.now.as_secs()),
            generation: laid.waiting.then(|| paint.generation()),
        };
        if laid.stamp != Some(stamp) {
            self.made += 1;
            let generation = paint.generation();
            *laid = lay_out(item, folds, std::mem::take(laid), paint, cx);
            let second = laid.ticks.then_some(cx.now.as_secs());
            laid.stamp = Some(Stamp { second, generation: laid.waiting.then_some(generation), ..stamp });
        }
        self.ticks |= laid.ticks;
        laid
    }
}

fn lay_out(item: &FlowItem, folds: &Folds, before: Laid, paint: &mut dyn Inspect, cx: &LayCx) -> Laid {
    let density = folds.density();
    let paint_cx = PaintCx { width: cx.width.max(1), density, now: cx.now, place: Place::Settled };
    let mut laid = Laid::default();
    match &item.body {
        ItemBody::Call(root) => {
            let shown = folds.shown(root);
            let drawn = paint.inspect_call(root, &shown, &paint_cx);
            laid.waiting = drawn.waiting;
            for (card, shown) in drawn.rows.into_iter().zip(&shown) {
                laid.ticks |= card.state == CallState::Executing;
                let rows = card.header.into_iter().chain(card.body).collect();
                let is_folded = shown.density == Density::Overview;
                laid.parts.push(part(Some(card.key), is_folded, rows, cx));
            }
        }
        ItemBody::Text { text, closed } => {
            let (rows, open, waiting) = text_rows(text, *closed, before.text, paint, &paint_cx, cx);
            laid.text = Some(open);
            laid.waiting = waiting;
            laid.parts.push(part(None, false, rows, cx));
        }
        ItemBody::Thinking(thinking) => {
            laid.ticks = matches!(thinking.state, ThinkingState::Open { .. });
            laid.parts.push(part(None, false, paint.inspect_item(item, &paint_cx), cx));
        }
        ItemBody::User { .. }
        | ItemBody::Orphan { .. }
        | ItemBody::Command { .. }
        | ItemBody::Notice { .. }
        | ItemBody::Compaction { .. }
        | ItemBody::CutOff { .. }
        | ItemBody::TurnEnded(_)
        | ItemBody::Earlier { .. } => {
            laid.parts.push(part(None, false, paint.inspect_item(item, &paint_cx), cx));
        }
    }
    laid.parts.retain(|part| !part.rows.is_empty());
    laid
}

/// The rows of an answer. What was final stays; a row that waits for its colours is drawn without them.
fn text_rows(
    text: &str,
    closed: bool,
    before: Option<OpenText>,
    paint: &mut dyn Inspect,
    paint_cx: &PaintCx,
    cx: &LayCx,
) -> (Vec<Row>, OpenText, bool) {
    let (width, density, look) = (cx.width, paint_cx.density, cx.look);
    let is_same = |open: &OpenText| open.width == width && open.density == density && open.look == look;
    let mut open = match before {
        Some(open) if is_same(&open) => open,
        other => {
            if let Some(other) = other {
                paint.close_text(other.stream);
            }
            OpenText { stream: MarkdownStream::default(), width, density, look, settled: Vec::new() }
        }
    };
    let (settled, tail) = paint.inspect_text(&mut open.stream, text, closed, paint_cx);
    open.settled.extend(settled.rows);
    let rows = open.settled.iter().cloned().chain(tail).collect();
    (rows, open, !settled.ready)
}

fn part(call: Option<CallKey>, is_folded: bool, rows: Vec<Row>, cx: &LayCx) -> Part {
    Part { call, is_folded, rows: fitted(rows, cx.width, cx.look) }
}

/// Rows that the terminal would fold are folded here: there is no scrollback to copy them from.
pub fn fitted(rows: Vec<Row>, width: usize, look: Look) -> Vec<Row> {
    let mut fitted = Vec::with_capacity(rows.len());
    for row in rows {
        if row.unbroken {
            let lead = row.text().len() - row.text().trim_start_matches(' ').len();
            let indent = Indent { first: Vec::new(), rest: blanks(lead.min(2)) };
            fitted.extend(wrap::wrap(&row.spans, width, &indent));
        } else if wrap::spans_width(&row.spans) > width {
            fitted.push(wrap::cut(&row, width, look.glyphs.ellipsis));
        } else {
            fitted.push(row);
        }
    }
    fitted
}
