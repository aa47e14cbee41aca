//! The journal: what has been committed to the scrollback, and what may be next.
//!
//! Every item is committed once, in order, and only the finished prefix. It keeps a mark, not the items: everything up
//! to the mark is out. Text goes out piece by piece as the painter says that it is final. A gap belongs to the item
//! below it and is decided when that item's first row is committed. `active` shows what the journal has not taken.

use crate::paint::{Paint, PaintCx};
use crate::row::Row;
use crate::transcript::Transcript;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, ThinkingState};

/// How many windows of a history are committed on resume.
const SCREENS: usize = 3;

/// The mark that stands for what is not shown. Identities grow from 0, so the greatest one is free.
const EARLIER: ItemId = ItemId(u64::MAX);

/// What is out.
#[derive(Debug, Default)]
pub struct Journal {
    /// All items up to this one are committed whole.
    done: Option<ItemId>,
    /// The text that is committed in part.
    begun: Option<ItemId>,
    /// The text and the revision of it that the painter was last asked to settle, when nothing was awaited.
    asked: Option<(ItemId, u64)>,
    /// The last item that has a row, without its text; decides the gap below it.
    above: Option<FlowItem>,
    rows: Vec<Row>,
}

enum Step {
    /// The item is committed whole.
    Done,
    /// It is not finished yet.
    Later,
    /// It is finished, but the painter waits for something.
    Awaited,
}

impl Journal {
    /// Commits what is finished. True when the painter waits for something before more can be committed.
    pub fn commit(&mut self, transcript: &Transcript, paint: &mut dyn Paint, cx: &PaintCx) -> bool {
        let items = transcript.refreshed();
        for item in &items[self.next(items)..] {
            match self.step(item, transcript, paint, cx) {
                Step::Done => self.finish(item, paint),
                Step::Later => return false,
                Step::Awaited => return true,
            }
        }
        false
    }

    /// The rows committed since the last time.
    pub fn take_rows(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }

    /// The last item of which a row is out.
    pub fn mark(&self) -> Option<ItemId> {
        self.above.as_ref().map(|above| above.id).filter(|id| *id != EARLIER)
    }

    /// True when the item is committed whole.
    pub fn is_done(&self, id: ItemId) -> bool {
        self.done.is_some_and(|done| id <= done)
    }

    /// True when rows of the item are out already.
    pub fn is_begun(&self, id: ItemId) -> bool {
        self.begun == Some(id)
    }

    /// Where the items begin that are not committed whole.
    pub fn next(&self, items: &[FlowItem]) -> usize {
        items.partition_point(|item| self.is_done(item.id))
    }

    /// The last item with a row in the scrollback.
    pub fn above(&self) -> Option<&FlowItem> {
        self.above.as_ref()
    }

    /// Passes over a restored history but for its end, and says so in one mark. Does nothing once something is out.
    pub fn skip_to_last_screens(
        &mut self,
        transcript: &Transcript,
        paint: &mut dyn Paint,
        cx: &PaintCx,
        window_rows: usize,
    ) {
        let Some(last) = transcript.restored_to().filter(|_| self.done.is_none() && self.above.is_none())
        else {
            return;
        };
        let items = transcript.refreshed();
        let mut start = items.partition_point(|item| item.id <= last);
        let mut rows = 0;
        while start > 0 && rows < SCREENS * window_rows.max(1) {
            start -= 1;
            rows += height(&items[start], paint, cx);
        }
        let Some(before) = start.checked_sub(1).map(|place| items[place].id) else { return };
        self.done = Some(before);
        let body = ItemBody::Earlier { count: start };
        let mark = FlowItem { id: EARLIER, revision: 1, turn: 0, body };
        let rows = paint.item(&mark, cx);
        paint.forget(mark.id);
        self.put(&mark, rows, paint, cx);
    }

    fn step(
        &mut self,
        item: &FlowItem,
        transcript: &Transcript,
        paint: &mut dyn Paint,
        cx: &PaintCx,
    ) -> Step {
        match &item.body {
            ItemBody::Text { text, closed } => {
                if transcript.is_cut_off(item.id) {
                    return Step::Done;
                }
                self.settle_text(item, text, *closed, paint, cx)
            }
            ItemBody::Call(root) => {
                let (turn, open) = transcript.turn();
                let over = !open || item.turn < turn;
                let followed = transcript.last_beginning().is_some_and(|last| last > item.id);
                // A refused call is settled before its result tells in whose words.
                let told = root.state.is_settled() && root.result.is_some();
                if !(told && followed || root.state.is_settled() && over) {
                    return Step::Later;
                }
                if !paint.ready(item, cx) {
                    return Step::Awaited;
                }
                let cards = paint.call(root, None, cx);
                let rows = cards.iter().flat_map(|card| card.all());
                self.put(item, rows.cloned().collect(), paint, cx);
                Step::Done
            }
            ItemBody::Thinking(thinking) if matches!(thinking.state, ThinkingState::Open { .. }) => {
                Step::Later
            }
            ItemBody::Thinking(_)
            | ItemBody::User { .. }
            | ItemBody::Orphan { .. }
            | ItemBody::Command { .. }
            | ItemBody::Notice { .. }
            | ItemBody::Compaction { .. }
            | ItemBody::CutOff { .. }
            | ItemBody::TurnEnded(_)
            | ItemBody::Earlier { .. } => {
                if !paint.ready(item, cx) {
                    return Step::Awaited;
                }
                let rows = paint.item(item, cx);
                self.put(item, rows, paint, cx);
                Step::Done
            }
        }
    }

    fn settle_text(
        &mut self,
        item: &FlowItem,
        text: &str,
        closed: bool,
        paint: &mut dyn Paint,
        cx: &PaintCx,
    ) -> Step {
        if self.asked == Some((item.id, item.revision)) {
            return Step::Later;
        }
        let settled = paint.settle_text(item.id, text, closed, cx);
        self.put(item, settled.rows, paint, cx);
        if !settled.ready {
            return Step::Awaited;
        }
        self.asked = Some((item.id, item.revision));
        if closed { Step::Done } else { Step::Later }
    }

    /// Adds rows of an item, below a gap where its first row needs one.
    fn put(&mut self, item: &FlowItem, rows: Vec<Row>, paint: &dyn Paint, cx: &PaintCx) {
        if rows.is_empty() {
            return;
        }
        if self.begun != Some(item.id) {
            if self.above.as_ref().is_some_and(|above| paint.gap(above, item, cx)) {
                self.rows.push(Row::default());
            }
            self.above = Some(outline(item));
            self.begun = Some(item.id).filter(|id| *id != EARLIER);
        }
        self.rows.extend(rows);
    }

    fn finish(&mut self, item: &FlowItem, paint: &mut dyn Paint) {
        self.done = Some(item.id);
        self.begun = None;
        paint.forget(item.id);
    }
}

/// An item without its text, which may be long and decides no gap.
fn outline(item: &FlowItem) -> FlowItem {
    let body = match &item.body {
        ItemBody::Text { closed, .. } => ItemBody::Text { text: String::new(), closed: *closed },
        other => other.clone(),
    };
    FlowItem { id: item.id, revision: item.revision, turn: item.turn, body }
}

fn height(item: &FlowItem, paint: &mut dyn Paint, cx: &PaintCx) -> usize {
    match &item.body {
        ItemBody::Text { text, .. } => paint.tail_text(item.id, text, cx).rows.len(),
        ItemBody::Call(root) => {
            paint.call(root, None, cx).iter().map(|card| card.header.len() + card.body.len()).sum()
        }
        _ => paint.item(item, cx).len(),
    }
}
