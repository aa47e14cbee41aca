//! The painter: `Paint` over everything in `render`.
//!
//! It owns what has to be kept between frames: the streams of open answers, rows of what did not change, when a call was
//! first seen running, since when colours are awaited. It refuses to decide what is shown where, which is the flow's.
//! Read `card` for how a call looks, `items` for the rest, `markdown` for answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{CallKey, CallState, Card, CardCx, Density, Line, PlacedCard, Registry, Role, ToolCall};

use crate::paint::{CardRows, Paint, PaintCx, Place, SettledText, TailText};
use crate::render::block::ITEM_ROWS;
use crate::render::card::{self, CardInk};
use crate::render::markdown::MarkdownStream;
use crate::render::{Highlighter, Look, answer, command, items};
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, ThinkingState};

mod inspect;

/// Colours are awaited so long before what is due is written without them.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// Where paths are shortened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// The workspace; empty when unknown.
    pub cwd: String,
    /// The person's home.
    pub home: Option<String>,
}

/// Turns items into rows with the views of a registry.
pub struct Painter {
    look: Look,
    registry: Registry,
    folders: Folders,
    highlighter: Highlighter,
    streams: HashMap<ItemId, MarkdownStream>,
    /// Rows of root calls; live and settled ones are asked for in the same frame.
    calls: HashMap<(CallKey, IsLive), KeptCall>,
    items: HashMap<ItemId, KeptItem>,
    running: HashMap<CallKey, Duration>,
    awaited: HashMap<ItemId, Duration>,
    /// The root call of an item, to forget its rows with it.
    roots: HashMap<ItemId, CallKey>,
}

type IsLive = bool;

/// What the rows of a call depend on.
#[derive(Clone, PartialEq, Eq)]
struct CallStamp {
    revision: u64,
    width: usize,
    density: Density,
    place: Place,
    body_rows: Option<usize>,
    generation: u64,
    second: Option<u64>,
}

struct KeptCall {
    stamp: CallStamp,
    rows: Vec<CardRows>,
    waiting: bool,
}

/// What the rows of another item depend on.
#[derive(PartialEq, Eq)]
struct ItemStamp {
    revision: u64,
    width: usize,
    density: Density,
    place: Place,
    second: Option<u64>,
}

struct KeptItem {
    stamp: ItemStamp,
    rows: Vec<Row>,
}

impl Painter {
    /// A painter with that look, the views of `registry` and that highlighter.
    pub fn new(look: Look, registry: Registry, folders: Folders, highlighter: Highlighter) -> Painter {
        Painter {
            look,
            registry,
            folders,
            highlighter,
            streams: HashMap::new(),
            calls: HashMap::new(),
            items: HashMap::new(),
            running: HashMap::new(),
            awaited: HashMap::new(),
            roots: HashMap::new(),
        }
    }

    /// What is drawn from now on looks like this. What was committed stays as it is.
    pub fn set_look(&mut self, look: Look) {
        if self.look != look {
            self.look = look;
            self.calls.clear();
            self.items.clear();
        }
    }

    /// The cards of a root call and what is below it, in display order.
    fn placed(&self, root: &Arc<ToolCall>, density: Density) -> Vec<PlacedCard> {
        let cx = self.card_cx(density);
        match self.registry.tree() {
            Some(tree) => tree.place(root, None, &self.registry, &cx),
            None => root.walk().into_iter().map(|(depth, call)| bare(depth, call)).collect(),
        }
    }

    /// The time that a header shows: what the call took, or for how long it has been seen running.
    fn elapsed(&mut self, call: &ToolCall, cx: &PaintCx) -> Option<Duration> {
        if call.state != CallState::Executing {
            self.running.remove(&call.key);
            return call.elapsed;
        }
        let since = *self.running.entry(call.key.clone()).or_insert(cx.now);
        // It may have run before this client came to it.
        let time = cx.now.saturating_sub(since) + call.elapsed.unwrap_or_default();
        (time >= Duration::from_secs(1)).then_some(time)
    }

    /// The rows of a call and whether colours are still missing in them.
    fn draw(
        &mut self,
        root: &Arc<ToolCall>,
        body_rows: Option<usize>,
        cx: &PaintCx,
    ) -> (Vec<CardRows>, bool) {
        let ticks =
            cx.place == Place::Live && root.walk().iter().any(|(_, call)| call.state == CallState::Executing);
        let stamp = CallStamp {
            revision: root.tree_revision,
            width: cx.width,
            density: cx.density,
            place: cx.place,
            body_rows,
            generation: 0,
            second: ticks.then_some(cx.now.as_secs()),
        };
        let generation = self.highlighter.generation();
        let slot = (root.key.clone(), cx.place == Place::Live);
        if let Some(kept) = self.calls.get(&slot) {
            // Rows that lack nothing do not change when colours of others come.
            let stamp = CallStamp {
                generation: if kept.waiting { generation } else { kept.stamp.generation },
                ..stamp.clone()
            };
            if kept.stamp == stamp {
                return (kept.rows.clone(), kept.waiting);
            }
        }
        let mut rows = Vec::new();
        let mut waiting = false;
        for placed in self.placed(root, cx.density) {
            if cx.density == Density::Overview && placed.depth > 0 && !stays_at_overview(placed.call.state) {
                continue;
            }
            let elapsed = self.elapsed(&placed.call, cx).filter(|_| cx.density != Density::Overview);
            let mut ink = CardInk {
                cx,
                look: self.look,
                body_rows,
                most: ITEM_ROWS,
                highlighter: &mut self.highlighter,
                waiting: false,
            };
            rows.push(card::rows(&placed, elapsed, &mut ink));
            waiting |= ink.waiting;
        }
        let rows = answer::last(rows);
        let stamp = CallStamp { generation, ..stamp };
        self.calls.insert(slot, KeptCall { stamp, rows: rows.clone(), waiting });
        (rows, waiting)
    }

    /// The rows of an item that is neither a call nor an answer; records of commands have views.
    fn item_rows(&mut self, body: &ItemBody, cx: &PaintCx) -> Vec<Row> {
        let ItemBody::Command { line, ok, outcome, lines } = body else {
            return items::rows(body, cx, self.look);
        };
        let record = command::record(line, *ok, outcome, lines);
        let card = command::card(&record, &self.registry, &self.card_cx(cx.density));
        command::rows(&record, &card, cx, self.look, &mut self.highlighter)
    }

    fn card_cx(&self, density: Density) -> CardCx {
        CardCx { cwd: self.folders.cwd.clone(), home: self.folders.home.clone(), density }
    }

    fn stream(&mut self, item: ItemId) -> &mut MarkdownStream {
        self.streams.entry(item).or_default()
    }
}

/// At overview a sub-call has a row only when a person has to know of it.
fn stays_at_overview(state: CallState) -> bool {
    matches!(state, CallState::Error | CallState::AwaitingApproval)
}

/// What is shown of a call when nobody holds the seat: its name, state and summary.
pub fn bare(depth: usize, call: &Arc<ToolCall>) -> PlacedCard {
    let summary = call.result.as_ref().map(|result| Line::of(Role::Plain, &result.summary));
    PlacedCard {
        call: Arc::clone(call),
        depth,
        card: Card {
            title: Some(Line::default()),
            note: summary,
            body: Some(Vec::new()),
            actions: Vec::new(),
        },
    }
}

impl Paint for Painter {
    fn item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row> {
        let ticks = matches!(&item.body, ItemBody::Thinking(thinking) if matches!(thinking.state, ThinkingState::Open { .. }));
        let stamp = ItemStamp {
            revision: item.revision,
            width: cx.width,
            density: cx.density,
            place: cx.place,
            second: ticks.then(|| open_seconds(item, cx.now)),
        };
        match self.items.get(&item.id) {
            Some(kept) if kept.stamp == stamp => kept.rows.clone(),
            _ => {
                let rows = self.item_rows(&item.body, cx);
                self.items.insert(item.id, KeptItem { stamp, rows: rows.clone() });
                rows
            }
        }
    }

    fn call(&mut self, root: &Arc<ToolCall>, body_rows: Option<usize>, cx: &PaintCx) -> Vec<CardRows> {
        self.draw(root, body_rows, cx).0
    }

    fn ready(&mut self, item: &FlowItem, cx: &PaintCx) -> bool {
        let ItemBody::Call(root) = &item.body else {
            return true;
        };
        self.roots.insert(item.id, root.key.clone());
        let settled = PaintCx { place: Place::Settled, ..*cx };
        if !self.draw(root, None, &settled).1 {
            return true;
        }
        let since = *self.awaited.entry(item.id).or_insert(cx.now);
        cx.now.saturating_sub(since) >= PATIENCE
    }

    fn settle_text(&mut self, item: ItemId, text: &str, closed: bool, cx: &PaintCx) -> SettledText {
        let mut stream = std::mem::take(self.stream(item));
        let settled = stream.settle(text, closed, cx, self.look, &mut self.highlighter);
        *self.stream(item) = stream;
        settled
    }

    fn tail_text(&mut self, item: ItemId, text: &str, cx: &PaintCx) -> TailText {
        let mut stream = std::mem::take(self.stream(item));
        let tail = stream.tail(text, cx, self.look, &mut self.highlighter);
        *self.stream(item) = stream;
        tail
    }

    fn gap(&self, above: &FlowItem, below: &FlowItem, cx: &PaintCx) -> bool {
        !items::stand_close(&above.body, &below.body, cx.density)
    }

    fn forget(&mut self, item: ItemId) {
        if let Some(mut stream) = self.streams.remove(&item) {
            stream.close(&mut self.highlighter);
        }
        self.items.remove(&item);
        self.awaited.remove(&item);
        let Some(root) = self.roots.remove(&item) else { return };
        for is_live in [true, false] {
            let kept = self.calls.remove(&(root.clone(), is_live));
            for card in kept.iter().flat_map(|kept| &kept.rows) {
                self.running.remove(&card.key);
            }
        }
    }
}

fn open_seconds(item: &FlowItem, now: Duration) -> u64 {
    match &item.body {
        ItemBody::Thinking(thinking) => match thinking.state {
            ThinkingState::Open { since } => now.saturating_sub(since).as_secs(),
            ThinkingState::Done { .. } | ThinkingState::Interrupted { .. } => 0,
        },
        _ => 0,
    }
}
