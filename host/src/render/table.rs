//! Tables: the names of the columns, dim, and rows of values below them, each column as wide as it needs to be.
//!
//! A value is one line here; one that is too wide is cut, the widest column first. Columns of numbers stand to the
//! right. Where the window leaves the columns too little, each row is drawn as named values (`fields`). It knows no
//! tools.

use carpel_slots::{Density, Printable};
use ratatui::style::Style;

use crate::render::block::{Ink, strict};
use crate::render::clip::{self, Keep, Room};
use crate::render::fields;
use crate::render::wrap::{self, blanks, spans_width, text_width};
use crate::row::{Row, RowSpan};

/// At normal density so many rows.
const NORMAL: usize = 6;
/// And so many that are drawn as named values.
const RECORDS: usize = 2;
/// A column is not cut below this.
const LEAST: usize = 8;
/// At normal density no column is wider than this.
const MOST: usize = 40;
/// Between two columns.
const GAP: usize = 2;

/// The rows of a table.
pub fn rows(columns: &[String], values: &[Vec<String>], ink: &Ink<'_>) -> Vec<Row> {
    if values.is_empty() || columns.is_empty() {
        return Vec::new();
    }
    let mut room = ink.room(NORMAL, Keep::Head);
    // The row of names is one of them while rows are few.
    if ink.live_rows.is_some() {
        room.rows = room.rows.saturating_sub(1);
    }
    let shown = room.choose(values.len());
    let chosen = chosen(values, shown);
    let Some(columns) = fitted(columns, &chosen, ink) else {
        return records(columns, values, room, ink);
    };
    let mut rows = vec![header(&columns, ink)];
    let row = |values: &Vec<String>| vec![value_row(&columns, values, ink)];
    rows.extend(shown.rows(chosen, row, |hidden| more_rows(hidden, ink)));
    rows
}

fn chosen(values: &[Vec<String>], shown: clip::Shown) -> Vec<&Vec<String>> {
    values[..shown.head].iter().chain(&values[values.len() - shown.tail..]).collect()
}

fn more_rows(hidden: usize, ink: &Ink<'_>) -> Row {
    let noun = if hidden == 1 { "row" } else { "rows" };
    clip::more(&format!("{hidden} more {noun}"), ink.indent, ink.width, ink.look)
}

/// A column that has its place.
struct Column<'a> {
    name: &'a str,
    width: usize,
    is_number: bool,
}

/// The columns with the widths that the window leaves them; `None` where it leaves too little.
fn fitted<'a>(columns: &'a [String], rows: &[&Vec<String>], ink: &Ink<'_>) -> Option<Vec<Column<'a>>> {
    let most = if ink.density == Density::Detail { usize::MAX } else { MOST };
    let mut fitted: Vec<Column<'a>> = columns
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let cells = || rows.iter().map(|row| row.get(at).map_or("", String::as_str));
            let widest = cells().map(|cell| spans_width(&one_line(cell, ink))).max().unwrap_or(0);
            let is_number = cells().any(|cell| !cell.is_empty())
                && cells().all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok());
            Column { name, width: widest.max(text_width(name)).clamp(1, most), is_number }
        })
        .collect();
    let room = ink.text_width().saturating_sub(GAP * (columns.len() - 1));
    let least: usize = fitted.iter().map(|column| column.width.min(LEAST)).sum();
    if least > room {
        return None;
    }
    let taken = |limit: usize| fitted.iter().map(|column| column.width.min(limit)).sum::<usize>();
    // The widest columns are cut to one width, the largest at which all fit.
    let mut limit = fitted.iter().map(|column| column.width).max().unwrap_or(LEAST).min(room);
    while limit > LEAST && taken(limit) > room {
        limit -= 1;
    }
    let mut spare = room.saturating_sub(taken(limit));
    for column in &mut fitted {
        let more = column.width.saturating_sub(limit).min(spare);
        column.width = column.width.min(limit) + more;
        spare -= more;
    }
    Some(fitted)
}

fn header(columns: &[Column<'_>], ink: &Ink<'_>) -> Row {
    let cells = columns.iter().map(|column| strict(column.name, ink.look.theme.dim()));
    row(columns, cells, ink)
}

fn value_row(columns: &[Column<'_>], values: &[String], ink: &Ink<'_>) -> Row {
    let cells = (0..columns.len()).map(|at| one_line(values.get(at).map_or("", String::as_str), ink));
    row(columns, cells, ink)
}

fn row(columns: &[Column<'_>], cells: impl Iterator<Item = Vec<RowSpan>>, ink: &Ink<'_>) -> Row {
    let mut spans = Vec::new();
    for (at, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let cell = wrap::cut_spans(&cell, column.width, ink.look.glyphs.ellipsis);
        let missing = column.width.saturating_sub(spans_width(&cell));
        spans.extend(blanks(if at == 0 { 0 } else { GAP }));
        let (before, after) = if column.is_number { (missing, 0) } else { (0, missing) };
        spans.extend(blanks(before));
        spans.extend(cell);
        spans.extend(blanks(after));
    }
    wrap::trimmed(ink.cut(&spans))
}

/// The first line of a value, with a sign where it has more.
fn one_line(text: &str, ink: &Ink<'_>) -> Vec<RowSpan> {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    // No more of it is looked at than could be shown.
    let mut spans = strict(&first[..first.floor_char_boundary(clip::LINE_CELLS)], Style::new());
    if first.len() < text.len() {
        let sign = Printable::line(&format!(" {}", ink.look.glyphs.ellipsis));
        spans.push(RowSpan { text: sign, style: ink.look.theme.dim() });
    }
    spans
}

/// Each row as named values, a blank row between two of them.
fn records(columns: &[String], values: &[Vec<String>], room: Room, ink: &Ink<'_>) -> Vec<Row> {
    let rows = if ink.density == Density::Detail { room.rows } else { room.rows.min(RECORDS) };
    let shown = Room { rows, ..room }.choose(values.len());
    let name_width = columns.iter().map(|name| text_width(name)).max().unwrap_or(0).min(fields::NAME);
    let mut is_first = true;
    let row = |values: &Vec<String>| {
        let gap = (!std::mem::take(&mut is_first)).then(Row::default);
        let pairs = columns.iter().zip(values).filter(|(_, value)| !value.is_empty());
        let pairs = pairs.flat_map(|(name, value)| fields::pair_rows(name, value, name_width, ink));
        gap.into_iter().chain(pairs).collect()
    };
    shown.rows(chosen(values, shown), row, |hidden| more_rows(hidden, ink))
}
