//! For tests: a painter without style that counts what it is asked for.
//!
//! An item is its dump, a call its header and one row a line of output, text is its lines, a table (lines that begin
//! with `|`) is held until it ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{Printable, ToolCall};
use ratatui::style::Style;

use crate::paint::{CardRows, Cards, Paint, PaintCx, Place, SettledText, TailText};
use crate::row::Row;
use crate::transcript::dump;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, ThinkingState};

/// See the module.
#[derive(Debug, Default)]
pub struct Plain {
    /// How many bytes of a text were given out as settled.
    settled: HashMap<ItemId, usize>,
    /// Items are not ready before this time.
    pub ready_at: Duration,
    /// How often each item was asked for, by place.
    pub asked: HashMap<(ItemId, Place), usize>,
    /// Calls asked for, by name and place.
    pub calls: HashMap<(String, Place), usize>,
    /// Items that are done with.
    pub forgotten: Vec<ItemId>,
}

/// A row of text.
pub fn row(text: &str) -> Row {
    Row::of(Style::new(), Printable::line(text))
}

fn cut(text: &str, cx: &PaintCx) -> Row {
    let mut cut = row(text);
    while cx.place == Place::Live && cut.width() > cx.width {
        let mut text = cut.text();
        text.pop();
        cut = row(&text);
    }
    cut
}

impl Plain {
    fn count(&mut self, item: ItemId, place: Place) {
        *self.asked.entry((item, place)).or_default() += 1;
    }
}

impl Paint for Plain {
    fn item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row> {
        self.count(item.id, cx.place);
        if let ItemBody::Thinking(thinking) = &item.body
            && let ThinkingState::Done { elapsed } | ThinkingState::Interrupted { elapsed } = thinking.state
            && thinking.text.is_empty()
            && elapsed.is_some_and(|elapsed| elapsed < Duration::from_secs(1))
        {
            return Vec::new();
        }
        dump::lines(item).iter().flat_map(|line| line.lines()).map(|line| cut(line, cx)).collect()
    }

    fn call(&mut self, root: &Arc<ToolCall>, body_rows: Option<usize>, cx: &PaintCx) -> Cards {
        *self.calls.entry((root.name.clone(), cx.place)).or_default() += 1;
        root.walk()
            .into_iter()
            .map(|(depth, call)| {
                let summary = call.result.as_ref().map(|result| result.summary.as_str()).unwrap_or_default();
                let header = format!("{}{} {} {summary}", "  ".repeat(depth), call.name, call.state.word());
                let output = call.result.as_ref().and_then(|result| result.output.as_deref());
                let body: Vec<Row> =
                    output.unwrap_or(call.progress.text()).lines().map(|line| cut(line, cx)).collect();
                let bound = body_rows.filter(|_| !call.state.is_settled()).unwrap_or(usize::MAX);
                let skip = body.len().saturating_sub(bound);
                Arc::new(CardRows {
                    key: call.key.clone(),
                    depth,
                    state: call.state,
                    header: vec![cut(header.trim_end(), cx)],
                    body: body.into_iter().skip(skip).collect(),
                    asked: 0,
                })
            })
            .collect()
    }

    fn ready(&mut self, _item: &FlowItem, cx: &PaintCx) -> bool {
        cx.now >= self.ready_at
    }

    fn settle_text(&mut self, item: ItemId, text: &str, closed: bool, cx: &PaintCx) -> SettledText {
        self.count(item, cx.place);
        let from = self.settled.get(&item).copied().unwrap_or(0);
        if cx.now < self.ready_at {
            return SettledText { rows: Vec::new(), ready: false };
        }
        let to = if closed { text.len() } else { stable(text) };
        self.settled.insert(item, to.max(from));
        let rows = text[from..to.max(from)].lines().map(row).collect();
        SettledText { rows, ready: true }
    }

    fn tail_text(&mut self, item: ItemId, text: &str, cx: &PaintCx) -> TailText {
        let from = self.settled.get(&item).copied().unwrap_or(0);
        let tail = &text[from..];
        let rows = tail.lines().map(|line| cut(line, cx)).collect();
        TailText { rows, held_by: tail.starts_with('|').then_some("the table") }
    }

    fn gap(&self, above: &FlowItem, below: &FlowItem, _cx: &PaintCx) -> bool {
        !matches!((&above.body, &below.body), (ItemBody::Call(_), ItemBody::Call(_)))
    }

    fn forget(&mut self, item: ItemId) {
        self.settled.remove(&item);
        self.forgotten.push(item);
    }
}

/// Up to where text cannot change any more: whole lines, without a table at the end.
fn stable(text: &str) -> usize {
    let mut end = text.rfind('\n').map_or(0, |place| place + 1);
    while let Some(start) =
        text[..end].trim_end_matches('\n').rfind('\n').map(|place| place + 1).or((end > 0).then_some(0))
    {
        if !text[start..end].starts_with('|') {
            break;
        }
        end = start;
    }
    end
}
