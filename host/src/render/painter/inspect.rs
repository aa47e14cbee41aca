//! The painter for the inspector: the same cards, items and answers, each call in a density of its own.
//!
//! It draws and forgets: the inspector keeps what it shows. What it draws looks as in the flow because the same
//! functions draw it. Times of running calls are the painter's, so that both surfaces show the same.

use std::collections::HashMap;
use std::sync::Arc;

use carpel_slots::{Block, CallKey, Card, Density, PlacedCard, SubCalls, ToolCall};

use super::{Painter, bare};
use crate::paint::{CardRows, Drawn, Inspect, PaintCx, Place, SettledText, ShownCall};
use crate::render::block::ITEM_ROWS;
use crate::render::card::{self, CardInk};
use crate::render::markdown::MarkdownStream;
use crate::row::Row;
use crate::transcript::item::FlowItem;

/// Details show so many rows of a kind; what is more can be copied.
const DETAIL_ROWS: usize = 50_000;

/// Of output that still grows details show so many lines, its last ones.
const LIVE_LINES: usize = 400;

impl Painter {
    /// The cards of a tree at those densities. At overview a card says the same as at normal density and shows less.
    fn cards(&self, root: &Arc<ToolCall>, shown: &[ShownCall]) -> HashMap<(CallKey, Density), Card> {
        let mut cards = HashMap::new();
        for density in [Density::Normal, Density::Detail] {
            if shown.iter().any(|shown| at_least_normal(shown.density) == density) {
                let placed = self.placed(root, density);
                cards.extend(
                    placed.into_iter().map(|placed| ((placed.call.key.clone(), density), placed.card)),
                );
            }
        }
        cards
    }

    /// The rows of one card with its time.
    fn card_rows(&mut self, placed: &PlacedCard, cx: &PaintCx, most: usize) -> (CardRows, bool) {
        let elapsed = self.elapsed(&placed.call, cx).filter(|_| cx.density != Density::Overview);
        let highlighter = &mut self.highlighter;
        let mut ink = CardInk { cx, look: self.look, body_rows: None, most, highlighter, waiting: false };
        let rows = card::rows(placed, elapsed, &mut ink);
        (rows, ink.waiting)
    }
}

impl Inspect for Painter {
    fn generation(&mut self) -> u64 {
        self.now_generation()
    }

    fn inspect_item(&mut self, item: &FlowItem, cx: &PaintCx) -> Vec<Row> {
        self.item_rows(&item.body, cx)
    }

    fn inspect_call(&mut self, root: &Arc<ToolCall>, shown: &[ShownCall], cx: &PaintCx) -> Drawn<CardRows> {
        let mut cards = self.cards(root, shown);
        let mut drawn = Drawn { rows: Vec::with_capacity(shown.len()), waiting: false };
        for ShownCall { call, depth, density } in shown {
            let card = cards.remove(&(call.key.clone(), at_least_normal(*density)));
            let card = card.unwrap_or_else(|| bare(*depth, call).card);
            let placed = PlacedCard { call: Arc::clone(call), depth: *depth, card };
            let place = if call.state.is_settled() { Place::Settled } else { Place::Live };
            let cx = PaintCx { density: *density, place, ..*cx };
            let (rows, waiting) = self.card_rows(&placed, &cx, ITEM_ROWS);
            drawn.rows.push(rows);
            drawn.waiting |= waiting || self.is_awaited(call, at_least_normal(cx.density));
        }
        drawn
    }

    fn inspect_text(
        &mut self,
        stream: &mut MarkdownStream,
        text: &str,
        closed: bool,
        cx: &PaintCx,
    ) -> (SettledText, Vec<Row>) {
        let settled = stream.settle(text, closed, cx, self.look, &mut self.highlighter);
        let tail = stream.tail(text, cx, self.look, &mut self.highlighter);
        (settled, tail.rows)
    }

    fn close_text(&mut self, mut stream: MarkdownStream) {
        stream.close(&mut self.highlighter);
    }

    fn details(&mut self, call: &Arc<ToolCall>, cx: &PaintCx) -> Drawn<Row> {
        let folders = self.card_cx(Density::Detail);
        let alone = Arc::new(ToolCall { sub_calls: SubCalls::default(), ..ToolCall::clone(call) });
        let head = self.placed(&alone, Density::Detail).into_iter().next().unwrap_or_else(|| bare(0, &alone));
        let told = self.registry.details().map(|details| details.body(call, &self.registry, &folders));
        let body = told.filter(|body| !body.is_empty()).unwrap_or_else(|| raw(call));
        let body = body.into_iter().map(|block| if call.state.is_settled() { block } else { end_of(block) });
        let card = Card { body: Some(body.collect()), ..head.card };
        let placed = PlacedCard { call: Arc::clone(call), depth: 0, card };
        let cx = PaintCx { density: Density::Detail, place: Place::Settled, ..*cx };
        let awaited = self.is_awaited(&alone, Density::Detail);
        let (CardRows { header, body, .. }, waiting) = self.card_rows(&placed, &cx, DETAIL_ROWS);
        let mut rows = header;
        rows.extend(body);
        Drawn { rows, waiting: waiting || awaited }
    }
}

fn at_least_normal(density: Density) -> Density {
    density.max(Density::Normal)
}

/// What is shown where nobody fills the slot: the raw text of the result; a call without one says how it stands.
fn raw(call: &ToolCall) -> Vec<Block> {
    let output = call.result.as_ref().map(|result| result.output.as_ref().unwrap_or(&result.summary));
    let text = output.map_or_else(|| call.progress.text(), String::as_str);
    if !text.is_empty() {
        return vec![Block::Output(text.to_owned())];
    }
    if call.state.is_settled() {
        return Vec::new();
    }
    vec![Block::Text(vec![call.state.word().into()])]
}

/// The end of what still grows is what a person wants to see.
fn end_of(block: Block) -> Block {
    match block {
        Block::Output(text) => {
            let end = text.trim_end_matches('\n');
            let from = end.rmatch_indices('\n').nth(LIVE_LINES - 1).map_or(0, |(at, _)| at + 1);
            Block::Output(end[from..].to_owned())
        }
        other => other,
    }
}
