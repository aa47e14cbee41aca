//! The budget: what gives way when the live items need more rows than there are.
//!
//! In this order, and no further than needed: finished calls fold to a row, held text shows its tail with a count,
//! streaming bodies shorten, running calls fold to a row, the rest becomes `+N calls`. The order on the screen is always
//! the order of the items. It knows nothing from the frame before; `region` keeps the height from jumping.

use std::sync::Arc;

use carpel_slots::{CallState, Printable};
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthChar;

use super::active::{Active, Kind};
use super::squeeze;
use crate::paint::{CardRows, Paint, PaintCx};
use crate::row::Row;

/// How many rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// What live items may take.
    pub budget: usize,
    /// What running calls at a row each may take: the window without composer and status.
    pub most: usize,
}

/// A live item as it will be shown.
struct Shown {
    gap: bool,
    /// Its rows where they are not all that it has.
    rows: Option<Vec<Row>>,
    /// How many rows it has in full.
    full: usize,
    kind: Kind,
}

impl Shown {
    fn height(&self) -> usize {
        self.rows.as_ref().map_or(self.full, Vec::len)
    }

    /// Leaves the first row at most.
    fn cut(&mut self) {
        match &mut self.rows {
            Some(rows) => rows.truncate(1),
            None => self.rows = Some(all(&self.kind).next().cloned().into_iter().collect()),
        }
    }
}

/// The rows of the live items, at most as many as there is room for.
pub fn fit(active: Active, room: Room, paint: &mut dyn Paint, cx: &PaintCx) -> Vec<Row> {
    let mut shown: Vec<Shown> = active
        .items
        .into_iter()
        .map(|item| Shown { gap: item.gap, rows: None, full: item.kind.rows(), kind: item.kind })
        .collect();
    if total(&shown) > room.budget {
        fold_finished(&mut shown, room.budget);
    }
    if total(&shown) > room.budget {
        shorten_text(&mut shown, room.budget, 2, cx);
    }
    if total(&shown) > room.budget {
        shorten_bodies(&mut shown, room.budget, paint, cx);
    }
    if total(&shown) > room.budget {
        fold_running(&mut shown, room.budget, cx);
    }
    if total(&shown) > room.budget {
        shorten_text(&mut shown, room.budget, 1, cx);
        shown.iter_mut().for_each(|item| item.gap = false);
    }
    if total(&shown) > room.budget {
        return count_rest(shown, room, cx);
    }
    flatten(shown)
}

fn flatten(shown: Vec<Shown>) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in shown {
        if item.gap {
            rows.push(Row::default());
        }
        match item.rows {
            Some(shown) => rows.extend(shown),
            None => rows.extend(all(&item.kind).cloned()),
        }
    }
    rows
}

fn total(shown: &[Shown]) -> usize {
    shown.iter().map(|item| usize::from(item.gap) + item.height()).sum()
}

fn all(kind: &Kind) -> Box<dyn Iterator<Item = &Row> + '_> {
    match kind {
        Kind::Running(_, cards) | Kind::Finished(cards) => Box::new(cards.iter().flat_map(|card| card.all())),
        Kind::Text(rows, _) | Kind::Thinking(rows) | Kind::Waiting(rows) => Box::new(rows.iter()),
    }
}

/// What is finished and only waits shows its first row.
fn fold_finished(shown: &mut [Shown], budget: usize) {
    let mut over = total(shown).saturating_sub(budget);
    for item in shown.iter_mut().filter(|item| matches!(item.kind, Kind::Finished(_) | Kind::Waiting(_))) {
        if over == 0 {
            return;
        }
        over = over.saturating_sub(fold(item));
    }
}

/// Leaves the first row and no gap; says how many rows that saves.
fn fold(item: &mut Shown) -> usize {
    let before = usize::from(item.gap) + item.height();
    item.gap = false;
    item.cut();
    before - item.height()
}

/// Held text shows its last rows below a count, at least `least` rows with the count.
fn shorten_text(shown: &mut [Shown], budget: usize, least: usize, cx: &PaintCx) {
    let mut over = total(shown).saturating_sub(budget);
    for item in shown.iter_mut() {
        let Kind::Text(rows, until) = &item.kind else { continue };
        if over == 0 {
            return;
        }
        let height = item.height();
        let keep = height.saturating_sub(over).max(least);
        if keep >= height {
            continue;
        }
        let tail = rows.len() - (keep - 1);
        let rows_word = if tail == 1 { "row" } else { "rows" };
        let mut short = vec![note(&format!("{tail} {rows_word} held until {until} ends"), cx)];
        short.extend_from_slice(&rows[tail..]);
        over = over.saturating_sub(height - short.len());
        item.rows = Some(short);
    }
}

/// The bodies of what runs get the same bound, the greatest with which all fits; bodies of settled sub-calls go first.
fn shorten_bodies(shown: &mut [Shown], budget: usize, paint: &mut dyn Paint, cx: &PaintCx) {
    for item in shown.iter_mut() {
        if matches!(item.kind, Kind::Thinking(_)) {
            item.cut();
        }
    }
    let running = |item: &&Shown| matches!(item.kind, Kind::Running(..));
    let others: usize = total(shown) - shown.iter().filter(running).map(Shown::height).sum::<usize>();
    let headers: usize = shown.iter().flat_map(cards).map(|card| card.header.len()).sum();
    let growing = || shown.iter().flat_map(cards).filter(|card| !card.state.is_settled());
    let bodies: Vec<usize> = growing().map(|card| card.body.len()).filter(|rows| *rows > 0).collect();
    let rows_at = |bound: usize| headers + bodies.iter().map(|rows| bound.min(*rows)).sum::<usize>();
    let longest = shown.iter().flat_map(cards).map(|card| card.body.len()).max().unwrap_or(0);
    // Where not even the headers fit, bodies are not worth drawing.
    let Some(bound) = greatest(longest, |bound| others + rows_at(bound) <= budget) else { return };
    for item in shown.iter_mut() {
        let Kind::Running(root, cards) = &item.kind else { continue };
        if cards.iter().all(|card| card.body.len() <= body_rows(card, bound)) {
            continue;
        }
        let bounded = paint.call(root, Some(bound), cx);
        let rows = bounded.iter().flat_map(|card| {
            let skip = card.body.len() - body_rows(card, bound);
            card.header.iter().chain(card.body.iter().skip(skip))
        });
        item.rows = Some(rows.cloned().collect());
    }
}

/// The greatest number up to `most` that fits, where with one that fits all smaller ones do.
fn greatest(most: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut fitting, mut beyond) = (0, most + 1);
    while fitting < beyond {
        let middle = fitting.midpoint(beyond);
        if fits(middle) {
            fitting = middle + 1;
        } else {
            beyond = middle;
        }
    }
    fitting.checked_sub(1)
}

fn body_rows(card: &CardRows, bound: usize) -> usize {
    if card.state.is_settled() { 0 } else { card.body.len().min(bound) }
}

fn cards(item: &Shown) -> &[Arc<CardRows>] {
    match &item.kind {
        Kind::Running(_, cards) => cards,
        Kind::Finished(_) | Kind::Text(..) | Kind::Thinking(_) | Kind::Waiting(_) => &[],
    }
}

/// Trees of what runs keep their headers only, and of these the same number each, the greatest with which all fits.
fn fold_running(shown: &mut [Shown], budget: usize, cx: &PaintCx) {
    let heights: Vec<usize> = shown.iter().map(|item| squeeze::height(cards(item))).collect();
    let running = |item: &&Shown| matches!(item.kind, Kind::Running(..));
    let others: usize = total(shown) - shown.iter().filter(running).map(Shown::height).sum::<usize>();
    let rows_at = |bound: usize| heights.iter().map(|height| bound.min(*height)).sum::<usize>();
    let highest = heights.iter().copied().max().unwrap_or(1);
    let bound = greatest(highest, |bound| others + rows_at(bound) <= budget).unwrap_or(1).max(1);
    for item in shown.iter_mut() {
        let Kind::Running(_, cards) = &item.kind else { continue };
        item.rows = Some(squeeze::squeeze(cards, bound, |hidden| rest_of_tree(hidden, cx)));
    }
    let mut over = total(shown).saturating_sub(budget);
    for item in shown.iter_mut().filter(|item| matches!(item.kind, Kind::Running(..))) {
        if over == 0 {
            return;
        }
        over = over.saturating_sub(fold(item));
    }
}

fn rest_of_tree(hidden: usize, cx: &PaintCx) -> Row {
    let word = if hidden == 1 { "call" } else { "calls" };
    note(&format!("  +{hidden} {word}"), cx)
}

#[derive(PartialEq, Eq)]
enum Urgency {
    /// A person has to answer.
    Asks,
    /// It runs.
    Runs,
    /// It waits for its turn.
    Waits,
}

fn urgency_of(item: &Shown) -> Urgency {
    let asks = |card: &Arc<CardRows>| card.state == CallState::AwaitingApproval;
    match &item.kind {
        Kind::Running(_, cards) if cards.iter().any(asks) => Urgency::Asks,
        Kind::Running(..) => Urgency::Runs,
        Kind::Finished(_) | Kind::Text(..) | Kind::Thinking(_) | Kind::Waiting(_) => Urgency::Waits,
    }
}

/// All are at a row each. What asks stays first, then what runs, which may take more than the budget.
fn count_rest(shown: Vec<Shown>, room: Room, cx: &PaintCx) -> Vec<Row> {
    let running = shown.iter().filter(|item| matches!(item.kind, Kind::Running(..))).count();
    let wanted = running + usize::from(running < shown.len());
    let limit = room.budget.max(wanted).min(room.most);
    if shown.len() <= limit {
        return flatten(shown);
    }
    let Some(mut free) = limit.checked_sub(1) else { return Vec::new() };
    let mut stays = vec![false; shown.len()];
    for urgency in [Urgency::Asks, Urgency::Runs, Urgency::Waits] {
        for (item, stays) in shown.iter().zip(&mut stays) {
            if free > 0 && urgency_of(item) == urgency {
                *stays = true;
                free -= 1;
            }
        }
    }
    let (kept, rest): (Vec<_>, Vec<_>) = shown.into_iter().zip(stays).partition(|(_, stays)| *stays);
    let calls =
        rest.iter().filter(|(item, _)| matches!(item.kind, Kind::Running(..) | Kind::Finished(_))).count();
    let mut rows = flatten(kept.into_iter().map(|(item, _)| item).collect());
    let word = if calls == 1 { "call" } else { "calls" };
    let text = if calls > 0 { format!("+{calls} {word}") } else { format!("+{} more", rest.len()) };
    rows.push(note(&text, cx));
    rows
}

/// A row of the flow's own, cut to the width.
fn note(text: &str, cx: &PaintCx) -> Row {
    let mut cells = 0;
    let cut: String = Printable::line(text)
        .as_str()
        .chars()
        .take_while(|c| {
            cells += c.width().unwrap_or(0);
            cells <= cx.width
        })
        .collect();
    Row::of(Style::new().add_modifier(Modifier::DIM), Printable::line(&cut))
}
