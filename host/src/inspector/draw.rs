//! The inspector as the rows of a window.
//!
//! A row on top that tells where one is, below it the list with the details beside it from [`BESIDE`] columns on, else
//! below it while they are open, and a last row while the next key is for something else. What is selected has a sign in
//! front of every row, so that it is seen without colours.

use std::time::Duration;

use carpel_protocol::Method;
use carpel_slots::{Printable, Registry, Role};
use ratatui::style::Modifier;

use crate::inspector::bindings::BINDINGS;
use crate::inspector::cursor::place_of;
use crate::inspector::header::{self, Place};
use crate::inspector::jump;
use crate::inspector::keys;
use crate::inspector::layout::LayCx;
use crate::inspector::needle::Needle;
use crate::inspector::search::Way;
use crate::inspector::view::{Stage, ViewRow, view};
use crate::inspector::{Inspector, Mode};
use crate::paint::Inspect;
use crate::render::Look;
use crate::render::clip;
use crate::render::wrap::{self, Indent, blanks, spans_width};
use crate::row::{Row, RowSpan};
use crate::transcript::item::FlowItem;

/// From so many columns on the details stand beside the list.
pub const BESIDE: usize = 100;

/// Columns in front of the list: the sign and a blank.
const GUTTER: usize = 2;

/// Columns between list and details.
const BETWEEN: usize = 3;

/// What is drawn, for whom and when.
pub struct DrawCx<'a> {
    /// All items.
    pub items: &'a [FlowItem],
    /// Views, for what can be copied.
    pub registry: &'a Registry,
    /// Styles and glyphs.
    pub look: Look,
    /// Columns and rows of the window.
    pub window: (usize, usize),
    /// The time, since the host started.
    pub now: Duration,
    /// Questions that wait for an answer.
    pub waiting: usize,
    /// True while there is a pod to be asked.
    pub is_connected: bool,
}

/// One drawing.
#[derive(Debug, Default)]
pub struct Picture {
    /// The rows of the window, top to bottom.
    pub rows: Vec<Row>,
    /// Row and column of the cursor, while something is written.
    pub cursor: Option<(usize, usize)>,
    /// When to draw again although nothing happens.
    pub due: Option<Duration>,
    /// What the pod should be asked for: the rest of an output that the details show.
    pub ask: Option<Method>,
}

/// Where the list and the details stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Panes {
    list: (usize, usize),
    details: Option<(usize, usize)>,
    is_beside: bool,
}

impl Panes {
    fn of(width: usize, height: usize, is_open: bool) -> Panes {
        if width >= BESIDE {
            let list = (width - BETWEEN) * 11 / 20;
            let details = (width - BETWEEN - list, height);
            return Panes { list: (list, height), details: Some(details), is_beside: true };
        }
        // Both panes need a few rows to say anything.
        if !is_open || height < 6 {
            return Panes { list: (width, height), details: None, is_beside: false };
        }
        let list = (height - 1) * 2 / 5;
        Panes { list: (width, list), details: Some((width, height - 1 - list)), is_beside: false }
    }
}

/// Draws the inspector. Where the person is may have changed afterwards: the heights are known only here.
pub fn draw(inspector: &mut Inspector, paint: &mut dyn Inspect, cx: &DrawCx<'_>) -> Picture {
    let (width, height) = cx.window;
    if width == 0 || height == 0 {
        return Picture::default();
    }
    inspector.layouts.begin(paint);
    let is_counted = search(inspector, cx);
    let menu = match inspector.mode {
        Mode::Copy => keys::menu(inspector, cx.items, cx.registry),
        Mode::Browse | Mode::Query | Mode::Keys(_) => Vec::new(),
    };
    let foot = header::foot(inspector, &menu, cx.look, width);
    // The lowest windows show what is selected, or what is being written, and nothing else.
    let has_head = height > 2;
    let body = height.saturating_sub(usize::from(has_head) + usize::from(foot.is_some()));
    let (mut body_rows, ticks, ask) = match inspector.mode {
        Mode::Keys(row) => {
            let (rows, from) = keys_rows(row, cx.look, width, body);
            inspector.mode = Mode::Keys(from);
            (rows, false, None)
        }
        Mode::Browse | Mode::Query | Mode::Copy => panes(inspector, paint, cx, width, body),
    };
    let mut rows = Vec::new();
    if has_head {
        rows.push(header::row(inspector, place(inspector, cx), cx.look, width));
    }
    body_rows.resize(body, Row::default());
    rows.extend(body_rows);
    let cursor = foot.as_ref().and_then(|(_, column)| column.map(|column| (rows.len(), column)));
    rows.extend(foot.map(|(row, _)| row));
    let next_second = Duration::from_secs(cx.now.as_secs() + 1);
    let due = match (is_counted, ticks && paint.ticks()) {
        (false, _) => Some(cx.now),
        (true, true) => Some(next_second),
        (true, false) => None,
    };
    Picture { rows, cursor, due, ask }
}

/// Reads on for the search, and selects the first hit once all is known.
fn search(inspector: &mut Inspector, cx: &DrawCx<'_>) -> bool {
    let is_counted = inspector.search.read(cx.items);
    if is_counted && let Some(from) = inspector.search.from.take() {
        // Where it is nowhere the person is back where they began.
        let hit = inspector.search.go(cx.items, &from, Way::Down, true).unwrap_or(from);
        keys::go(inspector, cx.items, hit);
        inspector.details.seeks = true;
    }
    is_counted
}

fn place(inspector: &Inspector, cx: &DrawCx<'_>) -> Place {
    let spot = inspector.cursor.spot.as_ref().filter(|_| !cx.items.is_empty());
    let number = spot.map_or(0, |spot| place_of(cx.items, spot.item) + 1);
    Place { number, of: cx.items.len(), waiting: cx.waiting }
}

fn panes(
    inspector: &mut Inspector,
    paint: &mut dyn Inspect,
    cx: &DrawCx<'_>,
    width: usize,
    height: usize,
) -> (Vec<Row>, bool, Option<Method>) {
    let panes = Panes::of(width, height, inspector.details.is_open);
    inspector.details.is_beside = panes.is_beside;
    if panes.details.is_none() {
        inspector.details.has_focus = false;
    }
    let mut rows = list(inspector, paint, cx, panes.list);
    let mut ticks = inspector.layouts.ticks;
    let Some((details_width, details_height)) = panes.details else { return (rows, ticks, None) };
    let Some(spot) = inspector.cursor.spot.clone() else { return (rows, ticks, None) };
    let lay_cx = LayCx { width: details_width, now: cx.now, look: cx.look };
    let needle = inspector.search.needle();
    // How it stands with a long output is told above it, so that it is in sight wherever the person reads.
    let call = jump::call_of(cx.items, &spot);
    let ask = inspector.fetch.ask(call.filter(|_| cx.is_connected).map(AsRef::as_ref));
    let word = call.and_then(|call| inspector.fetch.word(call, cx.is_connected));
    let word = word.filter(|_| details_height > 1).map(|word| {
        let row = Row::of(cx.look.theme.role(Role::Warning), Printable::line(&word));
        wrap::cut(&row, details_width, cx.look.glyphs.ellipsis)
    });
    let details_height = details_height - usize::from(word.is_some());
    let (details, details_tick) =
        inspector.details.rows(cx.items, &spot, needle, paint, (&lay_cx, details_height));
    ticks |= details_tick;
    let details = details.into_iter().map(|row| marked(row, needle));
    let details = word.into_iter().chain(details).collect::<Vec<Row>>();
    let style =
        if inspector.details.has_focus { cx.look.theme.role(Role::Accent) } else { cx.look.theme.dim() };
    if !panes.is_beside {
        rows.resize(panes.list.1, Row::default());
        let title = Row::of(style, Printable::line(" details"));
        rows.push(wrap::cut(&title, width, cx.look.glyphs.ellipsis));
        rows.extend(details);
        return (rows, ticks, ask);
    }
    rows.resize(height, Row::default());
    let mut details = details.into_iter();
    for row in &mut rows {
        let taken = spans_width(&row.spans);
        row.spans.extend(blanks(panes.list.0.saturating_sub(taken) + 1));
        row.push(style, Printable::line(cx.look.glyphs.quote));
        row.spans.extend(blanks(1));
        row.spans.extend(details.next().unwrap_or_default().spans);
    }
    (rows, ticks, ask)
}

fn list(
    inspector: &mut Inspector,
    paint: &mut dyn Inspect,
    cx: &DrawCx<'_>,
    (width, height): (usize, usize),
) -> Vec<Row> {
    let gutter = if width > 3 * GUTTER { GUTTER } else { usize::from(width > 1) };
    let lay_cx = LayCx { width: (width - gutter).max(1), now: cx.now, look: cx.look };
    let Inspector { cursor, folds, layouts, search, details, .. } = inspector;
    let mut stage = Stage { items: cx.items, folds, layouts, paint, cx: lay_cx };
    let shown = view(&mut stage, cursor, height);
    let accent = cx.look.theme.role(Role::Accent);
    let sign_style = if details.has_focus { cx.look.theme.dim() } else { accent };
    let mut rows = Vec::with_capacity(shown.len());
    for row in shown {
        let ViewRow::Part { item, part, row } = row else {
            rows.push(Row::default());
            continue;
        };
        let id = cx.items[item].id;
        let part = &stage.laid(item).parts[part];
        let is_selected = cursor.spot.as_ref().is_some_and(|spot| spot.item == id && spot.call == part.call);
        let (sign, style) = match (is_selected, part.is_folded && row == 0) {
            (true, _) => (cx.look.glyphs.selected, sign_style),
            (false, true) => (cx.look.glyphs.folded, cx.look.theme.dim()),
            (false, false) => (" ", cx.look.theme.role(Role::Plain)),
        };
        let mut drawn = Row::default();
        if gutter > 0 {
            let sign = format!("{sign}{}", " ".repeat(gutter - 1));
            drawn.push(style, Printable::line(&sign));
        }
        let mut told = part.rows[row].clone();
        if is_selected && row == 0 {
            told.spans.iter_mut().for_each(|span| span.style = span.style.add_modifier(Modifier::BOLD));
        }
        drawn.spans.extend(marked(told, search.needle()).spans);
        rows.push(wrap::cut(&drawn, width, cx.look.glyphs.ellipsis));
    }
    rows
}

/// A row in which what is looked for stands out.
fn marked(row: Row, needle: &Needle) -> Row {
    if needle.is_empty() {
        return row;
    }
    let text = row.text();
    let hits = needle.find_all(&text);
    if hits.is_empty() {
        return row;
    }
    let mut spans = Vec::new();
    let mut start = 0;
    for span in row.spans {
        let end = start + span.text.as_str().len();
        let mut at = start;
        for hit in hits.iter().filter(|hit| hit.start < end && hit.end > start) {
            let (from, to) = (hit.start.max(start), hit.end.min(end));
            spans.extend(piece(&span, at - start, from - start, false));
            spans.extend(piece(&span, from - start, to - start, true));
            at = to;
        }
        spans.extend(piece(&span, at - start, end - start, false));
        start = end;
    }
    Row { spans, unbroken: false }
}

fn piece(span: &RowSpan, from: usize, to: usize, is_hit: bool) -> Option<RowSpan> {
    let text = span.text.get(from..to).filter(|text| !text.is_empty())?;
    let style = if is_hit { span.style.add_modifier(Modifier::REVERSED) } else { span.style };
    Some(RowSpan { text, style })
}

/// The table of keys, from a row on.
/// The keys from a row on, and the row that they are shown from: the last ones fill the window.
fn keys_rows(from: usize, look: Look, width: usize, height: usize) -> (Vec<Row>, usize) {
    let shown: Vec<_> = BINDINGS.iter().filter(|binding| !binding.keys.is_empty()).collect();
    let widest = shown.iter().map(|binding| binding.keys.chars().count()).max().unwrap_or_default();
    let all: Vec<Row> = shown
        .iter()
        .flat_map(|binding| {
            let text = Printable::line(&format!("  {:widest$}  ", binding.keys));
            let keys = RowSpan { text, style: look.theme.role(Role::Accent) };
            let meaning =
                RowSpan { text: Printable::line(binding.meaning), style: look.theme.role(Role::Plain) };
            // The meaning goes on below itself where there is room for that.
            let rest = if width > 2 * (widest + 4) { widest + 4 } else { 4.min(width / 2) };
            wrap::wrap(&[keys, meaning], width, &Indent { first: Vec::new(), rest: blanks(rest) })
        })
        .collect();
    let from = from.min(all.len().saturating_sub(height));
    let mut rows: Vec<Row> = all.iter().skip(from).take(height).cloned().collect();
    let hidden = all.len() - from - rows.len();
    if hidden > 0
        && height > 3
        && let Some(last) = rows.last_mut()
    {
        *last = clip::more(&format!("{} more rows", hidden + 1), 0, width, look);
    }
    (rows, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_shown_whole_in_any_window() {
        for width in [8, 20, 34, 50, 120] {
            let texts = |rows: &[Row]| rows.iter().map(Row::text).collect::<Vec<_>>().join(" ");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join("");
            let (all, _) = keys_rows(0, Look::PLAIN, width, 1_000);
            assert!(all.iter().all(|row| row.width() <= width), "{width}");
            let told = words(&texts(&all));
            for binding in BINDINGS.iter().filter(|binding| !binding.keys.is_empty()) {
                assert!(told.contains(&words(binding.meaning)), "{width}: {}", binding.meaning);
            }
            // However far it was scrolled, the last rows fill the window, and what lies below is counted.
            let (end, from) = keys_rows(10_000, Look::PLAIN, width, 5);
            assert_eq!((texts(&end), from), (texts(&all[all.len() - 5..]), all.len() - 5), "{width}");
            let (begin, _) = keys_rows(0, Look::PLAIN, width, 5);
            assert!(begin[4].text().contains(&(all.len() - 4).to_string()), "{width}: {}", begin[4].text());
        }
    }
}
