//! The seam between the flow and the renderer.
//!
//! The flow decides *what* is shown where and how much room it has; a [`Paint`] turns items into rows. The flow's
//! tests use a plain painter, the program the one in `render`. [`Inspect`] is the same for the inspector, which keeps
//! its rows itself. Nothing here decides or draws.

use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{CallKey, CallState, Density, ToolCall};

use crate::render::markdown::MarkdownStream;
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemId};

/// Under which conditions rows are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaintCx {
    /// Columns that a row may take; at least 1. Unbroken rows may be longer.
    pub width: usize,
    /// How much is shown.
    pub density: Density,
    /// The time, since the host started: for running timers.
    pub now: Duration,
    /// Live rows are cut to the width and never unbroken; settled ones are written once.
    pub place: Place,
}

/// Where rows will stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the active region.
    Live,
    /// In the scrollback.
    Settled,
}

/// The rows of one call of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRows {
    /// The call.
    pub key: CallKey,
    /// Its depth below the root call.
    pub depth: usize,
    /// Its state, for the flow's budget.
    pub state: CallState,
    /// Glyph, name, subject, note, time: one row live, more where a settled one does not fit.
    pub header: Vec<Row>,
    /// Everything below; already bounded by the density, its cut counted in its last row.
    pub body: Vec<Row>,
    /// So many rows of the body, the first, say what was asked: they stay below the header when calls below it come
    /// before the rest.
    pub asked: usize,
}

impl CardRows {
    /// Its header, then its body.
    pub fn all(&self) -> impl Iterator<Item = &Row> {
        self.header.iter().chain(&self.body)
    }
}

/// The cards of a tree in display order, shared with the painter that keeps them.
pub type Cards = Arc<[Arc<CardRows>]>;

/// Rows of text that became final.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettledText {
    /// The rows, each to be committed once.
    pub rows: Vec<Row>,
    /// False while more of what is final waits for something outside (highlighting); ask again later.
    pub ready: bool,
}

/// Rows of text that may still change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TailText {
    /// The rows.
    pub rows: Vec<Row>,
    /// What has to end before they can be committed, e.g. `the table`; `None` for the line that is being written.
    pub held_by: Option<&'static str>,
}

/// Turns items into rows.
pub trait Paint {
    /// The rows of an item that is neither text nor a call. An item that leaves no row gives none.
    fn item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row>;

    /// The rows of a root call and of what is shown below it. `body_rows` bounds the body of each call that still
    /// streams or runs: its last rows are kept.
    fn call(&mut self, root: &Arc<ToolCall>, body_rows: Option<usize>, cx: &PaintCx) -> Cards;

    /// True when the rows of a settled item may be committed now; false while something outside (highlighting) is
    /// still awaited. Never false for ever: the painter bounds the wait by `cx.now`.
    fn ready(&mut self, item: &FlowItem, cx: &PaintCx) -> bool;

    /// Rows of a text item that became final since the last call for that item. `text` is the whole text so far and
    /// only grows; once `closed`, all of it becomes final.
    fn settle_text(&mut self, item: ItemId, text: &str, closed: bool, cx: &PaintCx) -> SettledText;

    /// Rows of what [`Paint::settle_text`] has not given yet.
    fn tail_text(&mut self, item: ItemId, text: &str, cx: &PaintCx) -> TailText;

    /// The row that stands between two items, if any: items of one group stand close, others apart.
    fn gap(&self, above: &FlowItem, below: &FlowItem, cx: &PaintCx) -> bool;

    /// False where times of what runs are not shown, so that nothing has to be drawn because one has passed.
    fn ticks(&self) -> bool {
        true
    }

    /// Forgets what is kept for an item that has been committed whole.
    fn forget(&mut self, item: ItemId);
}

/// One call as the inspector shows it.
#[derive(Debug, Clone)]
pub struct ShownCall {
    /// The call.
    pub call: Arc<ToolCall>,
    /// Its depth below the root call.
    pub depth: usize,
    /// How much of it is shown.
    pub density: Density,
}

/// Rows, and whether they will change although what they show does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn<T> {
    /// What was drawn.
    pub rows: Vec<T>,
    /// True while colours are missing; ask again when [`Inspect::generation`] has grown.
    pub waiting: bool,
}

/// Draws for the inspector. Nothing is kept here: who asks keeps the rows. Rows may be unbroken as in the scrollback.
pub trait Inspect: Paint {
    /// Grows when colours have come.
    fn generation(&mut self) -> u64;

    /// The rows of an item that is neither text nor a call.
    fn inspect_item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row>;

    /// The rows of these calls of a tree, each in its own density.
    fn inspect_call(&mut self, root: &Arc<ToolCall>, shown: &[ShownCall], cx: &PaintCx) -> Drawn<CardRows>;

    /// The rows of a text that have not been given yet, first those that are final, then those that are not.
    fn inspect_text(
        &mut self,
        stream: &mut MarkdownStream,
        text: &str,
        closed: bool,
        cx: &PaintCx,
    ) -> (SettledText, Vec<Row>);

    /// A stream will not be asked again.
    fn close_text(&mut self, stream: MarkdownStream);

    /// All there is of one call.
    fn details(&mut self, call: &Arc<ToolCall>, cx: &PaintCx) -> Drawn<Row>;
}
