//! The painter: `Paint` over everything in `render`.
//!
//! It owns what has to be kept between frames: the streams of open answers, rows of what did not change, when a call was
//! first seen running, since when colours are awaited. It refuses to decide what is shown where, which is the flow's.
//! Read `card` for how a call looks, `items` for the rest, `markdown` for answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{CallKey, CallState, Card, CardCx, Density, Line, PlacedCard, Registry, Role, ToolCall};

use crate::paint::{Cards, Paint, PaintCx, Place, SettledText, TailText};
use crate::render::block::ITEM_ROWS;
use crate::render::card::{self, CardInk};
use crate::render::kept::{Before, CardStamp, Frame, KeptCard, KeptTree, Missing};
use crate::render::markdown::MarkdownStream;
use crate::render::painter::motion::Motion;
use crate::render::{Highlighter, Look, command, items};
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemBody, ItemId};

mod inspect;
pub mod motion;

/// Colours are awaited so long before what is due is written without them.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// So long are the cards of a settled call: as long as a plugin may take for an answer, and to start. The call stays among
/// the live rows meanwhile.
pub const CARD_PATIENCE: Duration = Duration::from_millis(2_500);

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
    /// Rows of root calls.
    calls: HashMap<(CallKey, Drawing), KeptTree>,
    items: HashMap<ItemId, KeptItem>,
    running: HashMap<CallKey, Duration>,
    awaited: HashMap<ItemId, Duration>,
    /// The root call of an item, to forget its rows with it.
    roots: HashMap<ItemId, CallKey>,
    /// How often cards came that views had to wait for.
    arrivals: u64,
    /// Since when a settled root call waits for cards.
    carded: HashMap<CallKey, Duration>,
    motion: Motion,
}

/// Which drawing of a root call: all of them may be asked for in one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Drawing {
    Live,
    /// Live, with bodies that are cut shorter.
    Bounded,
    Settled,
}

impl Drawing {
    const ALL: [Drawing; 3] = [Drawing::Live, Drawing::Bounded, Drawing::Settled];

    fn of(place: Place, body_rows: Option<usize>) -> Drawing {
        match (place, body_rows) {
            (Place::Settled, _) => Drawing::Settled,
            (Place::Live, None) => Drawing::Live,
            (Place::Live, Some(_)) => Drawing::Bounded,
        }
    }
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
            arrivals: 0,
            carded: HashMap::new(),
            motion: Motion::Full,
        }
    }

    /// Draws with these views from now on. What was committed stays as it is.
    pub fn set_registry(&mut self, registry: Registry) {
        self.registry = registry;
        self.calls.clear();
        self.items.clear();
        self.arrivals += 1;
    }

    /// Cards came that views had to wait for: what was drawn without them is drawn again.
    pub fn cards_came(&mut self) {
        self.arrivals += 1;
    }

    /// Grows when what was drawn while something was missing should be drawn again.
    fn now_generation(&mut self) -> u64 {
        self.highlighter.generation() + self.arrivals
    }

    /// True while the view of a call waits for another card of it.
    fn is_awaited(&self, call: &ToolCall, density: Density) -> bool {
        let parts = self.registry.tree().and_then(|tree| tree.parts());
        parts.is_some_and(|parts| parts.is_awaited(call, &self.registry, &self.card_cx(density)))
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
        match self.registry.tree() {
            Some(tree) => tree.place(root, None, &self.registry, &self.card_cx(density)),
            None => root.walk().into_iter().map(|(depth, call)| bare(depth, call)).collect(),
        }
    }

    /// The calls of a tree that are shown, with the cards of a tree that makes them only all at once.
    fn shown(&self, root: &Arc<ToolCall>, density: Density) -> Vec<(usize, Arc<ToolCall>, Option<Card>)> {
        let calls = match self.registry.tree().map(|tree| tree.parts()) {
            Some(None) => {
                let placed = self.placed(root, density).into_iter();
                return placed.map(|placed| (placed.depth, placed.call, Some(placed.card))).collect();
            }
            Some(Some(parts)) => parts.shown(root, None, density),
            None => root.walk(),
        };
        calls.into_iter().map(|(depth, call)| (depth, Arc::clone(call), None)).collect()
    }

    /// The card of one call.
    fn card(&self, depth: usize, call: &Arc<ToolCall>, density: Density) -> Card {
        match self.registry.tree().and_then(|tree| tree.parts()) {
            Some(parts) => parts.card(call, &self.registry, &self.card_cx(density)),
            None => bare(depth, call).card,
        }
    }

    /// The card of a call whose view is late.
    fn stand_in(&self, call: &ToolCall, density: Density) -> Option<Card> {
        self.registry.tree()?.parts()?.stand_in(call, &self.registry, &self.card_cx(density))
    }

    fn card_cx(&self, density: Density) -> CardCx {
        CardCx { cwd: self.folders.cwd.clone(), home: self.folders.home.clone(), density }
    }

    /// The rows of a call and what is still missing in them.
    fn draw(&mut self, root: &Arc<ToolCall>, body_rows: Option<usize>, cx: &PaintCx) -> (Cards, Missing) {
        let frame = Frame { width: cx.width, density: cx.density, place: cx.place };
        let generation = self.now_generation();
        let slot = (root.key.clone(), Drawing::of(cx.place, body_rows));
        if let Some(kept) = self.calls.get(&slot)
            && kept.stands(root.tree_revision, frame, body_rows, cx.now, generation)
        {
            return (Arc::clone(&kept.rows), kept.missing());
        }
        let mut before = Before::of(self.calls.remove(&slot), frame);
        let mut cards = Vec::with_capacity(root.sub_calls.below().calls + 1);
        let mut until: Option<Duration> = None;
        for (depth, call, card) in self.shown(root, cx.density) {
            if cx.density == Density::Overview && depth > 0 && !stays_at_overview(call.state) {
                continue;
            }
            let runs = call.state == CallState::Executing;
            let elapsed = self.elapsed(&call, cx).filter(|_| cx.density != Density::Overview);
            if runs && let Some(time) = self.time(&call, cx.now) {
                let left = Duration::from_secs(1) - Duration::from_nanos(u64::from(time.subsec_nanos()));
                until = Some(until.map_or(cx.now + left, |until| until.min(cx.now + left)));
            }
            let stamp = CardStamp {
                own: call.own_revision,
                below: call.sub_calls.below(),
                tree: self.looks_below(&call).then_some(call.tree_revision),
                depth,
                body_rows: body_rows.filter(|_| !call.state.is_settled()),
                second: elapsed.filter(|_| runs).map(|time| time.as_secs()),
            };
            let taken = card.is_none().then(|| before.take(&call.key, &stamp, generation)).flatten();
            cards.push(match taken {
                Some(kept) => kept,
                None => {
                    if !runs {
                        self.running.remove(&call.key);
                    }
                    let card = card.unwrap_or_else(|| self.card(depth, &call, cx.density));
                    let awaited = self.is_awaited(&call, cx.density);
                    let is_final = awaited && cx.place == Place::Settled;
                    let card = is_final.then(|| self.stand_in(&call, cx.density)).flatten().unwrap_or(card);
                    let mut ink = CardInk {
                        cx,
                        look: self.look,
                        body_rows,
                        most: ITEM_ROWS,
                        highlighter: &mut self.highlighter,
                        waiting: false,
                    };
                    let rows = card::rows(&PlacedCard { call, depth, card }, elapsed, &mut ink);
                    let missing = Missing { colours: ink.waiting, cards: awaited };
                    KeptCard::new(stamp, rows, missing.is_any().then_some(generation), missing)
                }
            });
        }
        let kept = KeptTree::new(root.tree_revision, frame, body_rows, until, cards);
        let drawn = (Arc::clone(&kept.rows), kept.missing());
        if drawn.1.cards && root.state.is_settled() {
            self.carded.entry(root.key.clone()).or_insert(cx.now);
        }
        self.calls.insert(slot, kept);
        drawn
    }

    fn looks_below(&self, call: &ToolCall) -> bool {
        !call.sub_calls.is_empty()
            && self.registry.view(&call.name, call.kind.as_ref()).is_some_and(|view| view.looks_below())
    }

    /// The rows of an item that is neither a call nor an answer; records of commands have views.
    fn item_rows(&mut self, body: &ItemBody, cx: &PaintCx) -> Vec<Row> {
        let ItemBody::Command { line, ok, outcome, lines } = body else {
            return items::rows(body, &self.stilled(body, cx), self.look);
        };
        let record = command::record(line, *ok, outcome, lines);
        let card = command::card(&record, &self.registry, &self.card_cx(cx.density));
        command::rows(&record, &card, cx, self.look, &mut self.highlighter)
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

/// An answer is what the person asked for: in the scrollback, where nothing can be unfolded later, it is whole at every
/// density. The inspector shows one row of it at overview.
fn answer_cx(cx: &PaintCx) -> PaintCx {
    PaintCx { density: cx.density.max(Density::Normal), ..*cx }
}

impl Paint for Painter {
    fn item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row> {
        let stamp = ItemStamp {
            revision: item.revision,
            width: cx.width,
            density: cx.density,
            place: cx.place,
            second: self.second(item, cx),
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

    fn call(&mut self, root: &Arc<ToolCall>, body_rows: Option<usize>, cx: &PaintCx) -> Cards {
        self.draw(root, body_rows, cx).0
    }

    fn ready(&mut self, item: &FlowItem, cx: &PaintCx) -> bool {
        let ItemBody::Call(root) = &item.body else {
            return true;
        };
        self.roots.insert(item.id, root.key.clone());
        let settled = PaintCx { place: Place::Settled, ..*cx };
        let missing = self.draw(root, None, &settled).1;
        // A batch of calls that settle together waits once for its cards, not each call in its turn.
        let since = self.carded.get(&root.key).copied().unwrap_or(cx.now);
        let waits_for_cards = missing.cards && cx.now.saturating_sub(since) < CARD_PATIENCE;
        if !missing.colours || waits_for_cards {
            return !waits_for_cards;
        }
        let since = *self.awaited.entry(item.id).or_insert(cx.now);
        cx.now.saturating_sub(since) >= PATIENCE
    }

    fn settle_text(&mut self, item: ItemId, text: &str, closed: bool, cx: &PaintCx) -> SettledText {
        let mut stream = std::mem::take(self.stream(item));
        let settled = stream.settle(text, closed, &answer_cx(cx), self.look, &mut self.highlighter);
        *self.stream(item) = stream;
        settled
    }

    fn tail_text(&mut self, item: ItemId, text: &str, cx: &PaintCx) -> TailText {
        let mut stream = std::mem::take(self.stream(item));
        let tail = stream.tail(text, &answer_cx(cx), self.look, &mut self.highlighter);
        *self.stream(item) = stream;
        tail
    }

    fn gap(&self, above: &FlowItem, below: &FlowItem, cx: &PaintCx) -> bool {
        !items::stand_close(&above.body, &below.body, cx.density)
    }

    fn ticks(&self) -> bool {
        self.motion == Motion::Full
    }

    fn forget(&mut self, item: ItemId) {
        if let Some(mut stream) = self.streams.remove(&item) {
            stream.close(&mut self.highlighter);
        }
        self.items.remove(&item);
        self.awaited.remove(&item);
        let Some(root) = self.roots.remove(&item) else { return };
        self.carded.remove(&root);
        for drawing in Drawing::ALL {
            let kept = self.calls.remove(&(root.clone(), drawing));
            for card in kept.iter().flat_map(|kept| kept.rows.iter()) {
                self.running.remove(&card.key);
            }
        }
    }
}
