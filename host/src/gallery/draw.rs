//! The gallery as rows: for a window, and whole for a pipe.
//!
//! A row on top says what is shown and how, the last one which keys there are; between them stand the cards, each below
//! the word of its state. Rows that a terminal would fold are folded here, at the width that was chosen, not the window's.

use std::time::Duration;

use carpel_slots::{Density, Printable, Role, ToolCall};

use crate::gallery::Gallery;
use crate::gallery::exhibits::Exhibit;
use crate::gallery::keys::KEYS;
use crate::inspector::layout::fitted;
use crate::paint::{Paint, PaintCx, Place};
use crate::render::wrap::{self, spans_width};
use crate::render::{Look, Painter};
use crate::row::{Row, RowSpan};
use std::sync::Arc;

/// The rows of the window, as many as it has. Bounds how far down one is.
pub fn window(gallery: &mut Gallery, painter: &mut Painter, look: Look, size: (usize, usize)) -> Vec<Row> {
    let (columns, height) = size;
    if columns == 0 || height == 0 {
        return Vec::new();
    }
    let width = gallery.width_in(columns);
    let cards = match gallery.exhibits.get(gallery.at) {
        Some(exhibit) => cards(gallery, exhibit, painter, look, width),
        None => vec![text(look, Role::Dim, " no view is registered")],
    };
    // A window of three rows still shows a card.
    let head = (height > 3).then(|| head(gallery, look, columns, width));
    let foot = (height > 4).then(|| foot(look, columns));
    let room = height - usize::from(head.is_some()) - usize::from(foot.is_some());
    gallery.top = gallery.top.min(cards.len().saturating_sub(room));
    let mut body: Vec<Row> = cards.into_iter().skip(gallery.top).take(room).collect();
    body.resize(room, Row::default());
    let mut rows: Vec<Row> = head.into_iter().chain(body).chain(foot).collect();
    look.glyphs.fit(&mut rows);
    rows
}

/// How many rows of cards a window shows.
pub fn page(height: usize) -> usize {
    height.saturating_sub(2).max(1)
}

/// All exhibits in the states that are chosen, as text.
pub fn all(gallery: &Gallery, painter: &mut Painter, look: Look, width: usize) -> Vec<Printable> {
    let mut rows = Vec::new();
    for exhibit in &gallery.exhibits {
        if !rows.is_empty() {
            rows.push(Row::default());
        }
        rows.push(text(look, Role::Strong, &format!("== {}", named(exhibit))));
        rows.extend(cards(gallery, exhibit, painter, look, width));
    }
    look.glyphs.fit(&mut rows);
    rows.iter().map(|row| Printable::prose(row.text().trim_end())).collect()
}

fn named(exhibit: &Exhibit) -> String {
    match &exhibit.owner {
        Some(owner) => format!("{} of {owner}", exhibit.title),
        None => exhibit.title.clone(),
    }
}

/// The cards of an exhibit in the states that are chosen.
fn cards(gallery: &Gallery, exhibit: &Exhibit, painter: &mut Painter, look: Look, width: usize) -> Vec<Row> {
    let is_shown = |call: &&Arc<ToolCall>| gallery.state.is_none_or(|state| state == call.state);
    let mut rows = Vec::new();
    for call in exhibit.calls.iter().filter(is_shown) {
        rows.push(rule(look, call.state.word(), width));
        rows.extend(card(call, painter, look, gallery.density, width));
    }
    rows
}

fn card(call: &Arc<ToolCall>, painter: &mut Painter, look: Look, density: Density, width: usize) -> Vec<Row> {
    let place = if call.state.is_settled() { Place::Settled } else { Place::Live };
    // Nothing here takes time: clocks stand.
    let cx = PaintCx { width, density, now: Duration::ZERO, place };
    let cards = painter.call(call, None, &cx);
    fitted(cards.iter().flat_map(|card| card.all()).cloned().collect(), width, look)
}

/// `-- done ------`, as wide as the cards below it.
fn rule(look: Look, word: &str, width: usize) -> Row {
    let rule = look.glyphs.rule;
    let lead = format!("{rule}{rule} {word} ");
    let rest = width.saturating_sub(lead.chars().count());
    let row = text(look, Role::Dim, &format!("{lead}{}", rule.repeat(rest)));
    wrap::cut(&row, width, look.glyphs.ellipsis)
}

fn head(gallery: &Gallery, look: Look, columns: usize, width: usize) -> Row {
    let dot = look.glyphs.separator;
    let exhibit = gallery.exhibits.get(gallery.at);
    let mut spans = vec![span(look, Role::Strong, &format!(" {}", exhibit.map(named).unwrap_or_default()))];
    if let Some(word) = &gallery.word {
        spans.push(span(look, Role::Warning, &format!(" {dot} {word}")));
    }
    let parts = [
        format!("{} of {}", (gallery.at + 1).min(gallery.exhibits.len()), gallery.exhibits.len()),
        gallery.state.map_or("all states", |state| state.word()).to_owned(),
        gallery.density.name().to_owned(),
        format!("{width} columns"),
        gallery.themes.name.name().to_owned(),
    ];
    for part in parts {
        spans.push(span(look, Role::Dim, &format!(" {dot} ")));
        spans.push(span(look, Role::Plain, &part));
    }
    wrap::cut(&Row { spans, unbroken: false }, columns, look.glyphs.ellipsis)
}

/// The keys, as many as there is room for; how to leave is told first.
fn foot(look: Look, columns: usize) -> Row {
    let part = |(keys, what): &(&str, &str)| {
        [span(look, Role::Accent, &format!(" {keys}")), span(look, Role::Dim, &format!(" {what} "))]
    };
    let mut spans: Vec<RowSpan> = KEYS.last().map(part).into_iter().flatten().collect();
    for key in &KEYS[..KEYS.len() - 1] {
        let more = part(key);
        if spans_width(&spans) + spans_width(&more) > columns {
            break;
        }
        spans.extend(more);
    }
    wrap::cut(&Row { spans, unbroken: false }, columns, look.glyphs.ellipsis)
}

fn span(look: Look, role: Role, text: &str) -> RowSpan {
    RowSpan { text: Printable::line(text), style: look.theme.role(role) }
}

fn text(look: Look, role: Role, text: &str) -> Row {
    Row { spans: vec![span(look, role, text)], unbroken: false }
}
