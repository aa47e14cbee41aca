//! Tables: aligned columns without boxes, two blanks apart, the header bold.
//!
//! A table that is too wide wraps its cells; in a window where words would not stay whole each row becomes a few lines
//! `header: value`. It parses nothing.

use carpel_slots::Printable;
use pulldown_cmark::Alignment;

use crate::render::Look;
use crate::render::wrap::{self, Indent, blanks, spans_width, text_width};
use crate::row::{Row, RowSpan};

const GAP: usize = 2;
/// Words longer than this may be broken before a table is turned into lines.
const WORD: usize = 16;

/// A table: its cells by row, the header first.
pub struct Table {
    /// How columns are aligned.
    pub alignments: Vec<Alignment>,
    /// The cells.
    pub rows: Vec<Vec<Vec<RowSpan>>>,
}

/// The rows of a table.
pub fn rows(table: &Table, width: usize, look: Look) -> Vec<Row> {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return Vec::new();
    }
    let natural: Vec<usize> = (0..columns)
        .map(|column| cells(table, column).map(|cell| spans_width(cell)).max().unwrap_or(0).max(1))
        .collect();
    match fit(&natural, width) {
        Some(widths) if words_fit(table, &widths, &natural) => {
            table.rows.iter().flat_map(|row| aligned(row, &widths, &table.alignments)).collect()
        }
        _ => as_lines(table, width, look),
    }
}

fn cells(table: &Table, column: usize) -> impl Iterator<Item = &Vec<RowSpan>> {
    table.rows.iter().filter_map(move |row| row.get(column))
}

/// Widths of the columns: the wide ones give way until all fit. `None` when that leaves next to nothing.
fn fit(natural: &[usize], width: usize) -> Option<Vec<usize>> {
    let room = width.checked_sub(GAP * (natural.len() - 1))?;
    if natural.iter().sum::<usize>() <= room {
        return Some(natural.to_vec());
    }
    let cap =
        (1..=width).rev().find(|cap| natural.iter().map(|size| size.min(cap)).sum::<usize>() <= room)?;
    let mut widths: Vec<usize> = natural.iter().map(|size| *size.min(&cap)).collect();
    let mut left = room - widths.iter().sum::<usize>();
    for (size, natural) in widths.iter_mut().zip(natural) {
        if *size < *natural && left > 0 {
            *size += 1;
            left -= 1;
        }
    }
    Some(widths)
}

fn words_fit(table: &Table, widths: &[usize], natural: &[usize]) -> bool {
    widths.iter().zip(natural).enumerate().all(|(column, (size, natural))| {
        size == natural
            || cells(table, column)
                .map(|cell| longest_word(cell))
                .max()
                .is_none_or(|word| *size >= word.min(WORD))
    })
}

fn longest_word(cell: &[RowSpan]) -> usize {
    let text: String = cell.iter().map(|span| span.text.as_str()).collect();
    text.split(' ').map(text_width).max().unwrap_or(0)
}

fn aligned(row: &[Vec<RowSpan>], widths: &[usize], alignments: &[Alignment]) -> Vec<Row> {
    let columns: Vec<Vec<Row>> =
        row.iter().zip(widths).map(|(cell, width)| wrap::wrap(cell, *width, &Indent::default())).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|line| {
            let mut spans: Vec<RowSpan> = Vec::new();
            let mut owed = 0;
            for (at, (column, width)) in columns.iter().zip(widths).enumerate() {
                let cell = column.get(line).map(|row| row.spans.as_slice()).unwrap_or_default();
                let free = width.saturating_sub(spans_width(cell));
                let before = match alignments.get(at) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    Some(Alignment::None | Alignment::Left) | None => 0,
                };
                if !cell.is_empty() {
                    spans.extend(blanks(owed + before));
                    spans.extend_from_slice(cell);
                    owed = free - before + GAP;
                } else {
                    owed += width + GAP;
                }
            }
            Row { spans, unbroken: false }
        })
        .collect()
}

/// Each row as lines `header: value`, rows apart by a blank one.
fn as_lines(table: &Table, width: usize, look: Look) -> Vec<Row> {
    let Some((header, body)) = table.rows.split_first() else {
        return Vec::new();
    };
    if body.is_empty() {
        return header.iter().flat_map(|cell| wrap::wrap(cell, width, &Indent::default())).collect();
    }
    let mut rows = Vec::new();
    for (at, cells) in body.iter().enumerate() {
        if at > 0 {
            rows.push(Row::default());
        }
        for (column, cell) in cells.iter().enumerate() {
            let mut spans = header.get(column).cloned().unwrap_or_default();
            if cell.is_empty() && spans.is_empty() {
                continue;
            }
            if !spans.is_empty() {
                spans.push(RowSpan { text: Printable::line(": "), style: look.theme.dim() });
            }
            spans.extend_from_slice(cell);
            let rest = blanks(if width < 12 { 0 } else { 2 });
            rows.extend(wrap::wrap(&spans, width, &Indent { first: Vec::new(), rest }));
        }
    }
    rows
}
