//! Hits of a search, by file: a path, then `line  text` with the hits marked.
//!
//! At normal density a few lines of a few files; what is left out is counted as `… 4 more in 2 files`. A long line is
//! shown around its first hit. It does not search.

use std::cell::Cell;

use carpel_slots::card::{MatchGroup, MatchLine};
use carpel_slots::{Density, Printable};
use ratatui::style::Style;

use crate::render::block::Ink;
use crate::render::clip;
use crate::render::code::TAB;
use crate::render::wrap::{blanks, cut_path, expand_tabs, text_width};
use crate::row::{Row, RowSpan};

/// At normal density so many rows, the paths counted in.
const NORMAL_ROWS: usize = 6;
/// And so many lines of one file where there are several.
const NORMAL_LINES: usize = 2;
/// What stands before a hit is shown up to so many cells when the line is too long.
const LEAD: usize = 12;

/// The rows of the hits.
pub fn rows(groups: &[MatchGroup], ink: &Ink<'_>) -> Vec<Row> {
    let (limit, per_file) = match ink.density {
        Density::Overview => return Vec::new(),
        Density::Normal if groups.len() > 1 => (NORMAL_ROWS, NORMAL_LINES),
        Density::Normal => (NORMAL_ROWS, NORMAL_ROWS),
        Density::Detail => (ink.most, usize::MAX),
    };
    let number_width = number_width(groups);
    let mut rows = Vec::new();
    let rest = Rest::default();
    for group in groups {
        let wanted = lines_of(group, ink.density);
        // A path without a line below it tells little: it needs room for both.
        let room = limit.saturating_sub(rows.len() + 1).min(per_file);
        if room == 0 || (wanted.is_empty() && group.count > 0 && rows.len() + 1 > limit) {
            rest.add(group.count.max(wanted.len() as u64));
            continue;
        }
        rows.push(path_row(group, ink));
        let shown = &wanted[..wanted.len().min(room)];
        rows.extend(shown.iter().map(|line| line_row(line, number_width, ink)));
        let hits = shown
            .iter()
            .filter(|line| !line.hits.is_empty())
            .count()
            .max(if shown.iter().all(|line| line.hits.is_empty()) { shown.len() } else { 0 });
        rest.add(group.count.saturating_sub(hits as u64).max((wanted.len() - shown.len()) as u64));
    }
    rows.extend(rest.row(ink));
    rows
}

/// What is not shown.
#[derive(Default)]
struct Rest {
    hits: Cell<u64>,
    files: Cell<usize>,
}

impl Rest {
    fn add(&self, hits: u64) {
        if hits > 0 {
            self.hits.set(self.hits.get() + hits);
            self.files.set(self.files.get() + 1);
        }
    }

    fn row(&self, ink: &Ink<'_>) -> Option<Row> {
        let (hits, files) = (self.hits.get(), self.files.get());
        let noun = if files == 1 { "file" } else { "files" };
        (hits > 0)
            .then(|| clip::more(&format!("{hits} more in {files} {noun}"), ink.indent, ink.width, ink.look))
    }
}

/// At normal density lines of context are left out, where there are hits.
fn lines_of(group: &MatchGroup, density: Density) -> Vec<&MatchLine> {
    let hits = group.lines.iter().filter(|line| !line.hits.is_empty());
    match density {
        Density::Detail => group.lines.iter().collect(),
        Density::Overview | Density::Normal => {
            let hits: Vec<&MatchLine> = hits.collect();
            if hits.is_empty() { group.lines.iter().collect() } else { hits }
        }
    }
}

fn number_width(groups: &[MatchGroup]) -> usize {
    let highest = groups.iter().flat_map(|group| &group.lines).map(|line| line.line).max().unwrap_or(0);
    highest.to_string().len().max(2)
}

fn path_row(group: &MatchGroup, ink: &Ink<'_>) -> Row {
    let path = Printable::exact(&group.path);
    let path = cut_path(path.as_str(), ink.text_width(), ink.look.glyphs.ellipsis);
    ink.cut(&[RowSpan { text: Printable::line(&path), style: Style::new() }])
}

fn line_row(line: &MatchLine, number_width: usize, ink: &Ink<'_>) -> Row {
    let theme = ink.look.theme;
    let lead = if ink.width < 30 { 0 } else { 2 };
    let mut spans = blanks(lead);
    let number = Printable::line(&format!("{:>number_width$}  ", line.line));
    spans.push(RowSpan { text: number, style: theme.dim() });
    let room = ink.text_width().saturating_sub(lead + number_width + 2);
    let base = if line.hits.is_empty() { theme.dim() } else { Style::new() };
    spans.extend(hit_spans(line, room, base, ink));
    ink.cut(&spans)
}

/// The text with its hits marked, from shortly before the first hit when it is too long.
fn hit_spans(line: &MatchLine, room: usize, base: Style, ink: &Ink<'_>) -> Vec<RowSpan> {
    let text = line.text.trim_end();
    let mut from = text.len() - text.trim_start().len();
    let mut spans = Vec::new();
    let hits: Vec<(usize, usize)> = line
        .hits
        .iter()
        .copied()
        .filter(|(start, end)| start < end && *end <= text.len())
        .filter(|(start, end)| text.is_char_boundary(*start) && text.is_char_boundary(*end))
        .collect();
    if let Some((start, end)) = hits.first() {
        from = from.min(*start);
        let reach = text[from..*end].len().min(4 * room) == 4 * room || text_width(&text[from..*end]) > room;
        if reach {
            from = back(text, *start, LEAD.min(room / 3));
            spans.push(RowSpan {
                text: Printable::line(ink.look.glyphs.ellipsis),
                style: ink.look.theme.dim(),
            });
        }
    }
    let mut push = |part: &str, style: Style| {
        let text = Printable::exact(&expand_tabs(bounded(part, 4 * room + 64), TAB));
        if !text.as_str().is_empty() {
            spans.push(RowSpan { text, style });
        }
    };
    for (start, end) in hits {
        if start < from {
            continue;
        }
        push(&text[from..start], base);
        push(&text[start..end], ink.look.theme.hit());
        from = end;
    }
    push(&text[from..], base);
    spans
}

/// The place so many letters before `at`.
fn back(text: &str, at: usize, letters: usize) -> usize {
    text[..at].char_indices().rev().nth(letters.saturating_sub(1)).map_or(0, |(place, _)| place)
}

/// The beginning of a text, at most so many bytes: what follows is cut anyway.
fn bounded(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
