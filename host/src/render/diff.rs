//! Diffs: `line - text` and `line + text`, what stayed between them, and within changed lines the words that changed.
//!
//! The sign tells what became of a line; colour only repeats it. Every character is shown as it is, nothing invisible
//! is left out. At normal density a long diff loses context first, then its middle; at detail it is whole. Only lines
//! that are shown are looked into: `diff/shown.rs` chooses them, `diff/words.rs` compares them, each within a budget. It
//! does not compare texts by line and does not know where a diff came from.

use std::ops::Range;

use carpel_slots::card::{DiffTag, Hunk};
use carpel_slots::{Density, Printable, Role};
use ratatui::style::{Modifier, Style};

use crate::graphemes::graphemes;
use crate::paint::Place;
use crate::render::block::Ink;
use crate::render::card::NARROW;
use crate::render::clip::{self, Keep, LINE_CELLS, Room};
use crate::render::code::TAB;
use crate::render::highlight::Lookup;
use crate::render::wrap::{self, Indent, blanks, text_width};
use crate::row::{Row, RowSpan};

mod shown;
mod words;

use shown::Spot;
use words::Words;

/// At normal density a diff shows so many lines.
const NORMAL: usize = 8;
/// What stands before the first change of a line that is cut is shown up to so many letters.
const LEAD: usize = 12;
/// So many letters of the first change have to be seen of a line that is cut.
const SEEN: usize = 6;
/// Below so many columns of text the line numbers go.
const NUMBERED: usize = 16;
/// So many hunks are coloured.
const COLOURED: usize = 32;

/// The rows of a diff, as many as the density leaves; of one that grows, the last.
pub fn rows(path: Option<&str>, hunks: &[Hunk], ink: &mut Ink<'_>) -> Vec<Row> {
    let has_removed = || hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.tag == DiffTag::Removed);
    let room = match ink.live_rows {
        // The last rows and no count: how much there is stands in the header while it grows.
        Some(rows) => Room { rows, keep: Keep::Tail },
        None => ink.room(NORMAL, if has_removed() { Keep::Ends } else { Keep::Head }),
    };
    rows_in(path, hunks, room, ink)
}

/// The rows of a diff in a room.
pub fn rows_in(path: Option<&str>, hunks: &[Hunk], room: Room, ink: &mut Ink<'_>) -> Vec<Row> {
    let is_thin = ink.density == Density::Normal && room.keep != Keep::Tail;
    let shown = shown::choose(hunks, room, is_thin);
    let numbers = number_width(&shown.spots, ink);
    let words = Words::of(hunks, &shown.spots);
    let syntax = syntax(path, hunks, &shown.spots, ink);
    let mut rows = Vec::new();
    for (at, spot) in shown.spots.iter().enumerate() {
        let is_cut = shown.hidden > 0 && at == shown.head;
        if is_cut && room.keep != Keep::Tail {
            rows.push(ink.more_lines(shown.hidden));
        } else if at > 0 && !spot.follows(&shown.spots[at - 1]) {
            rows.push(gap(numbers, ink));
        }
        let line =
            Line { spot, changed: words.of_line(spot), syntax: &syntax[at], crlf: shown.mixes_line_ends };
        rows.extend(line.rows(numbers, ink));
    }
    if shown.hidden > 0 && shown.head == shown.spots.len() && room.keep != Keep::Tail {
        rows.push(ink.more_lines(shown.hidden));
    }
    rows
}

/// Between lines that do not follow each other.
fn gap(numbers: Option<usize>, ink: &Ink<'_>) -> Row {
    let text = format!("{:>width$}", ink.look.glyphs.ellipsis, width = numbers.unwrap_or(1));
    ink.cut(&[RowSpan { text: Printable::line(&text), style: ink.look.theme.dim() }])
}

/// The columns of the line numbers; `None` where there are none, or no room for them.
fn number_width(spots: &[Spot<'_>], ink: &Ink<'_>) -> Option<usize> {
    let largest = spots.iter().filter_map(|spot| spot.number).max()?;
    let least = if ink.width < NARROW { 1 } else { 4 };
    (ink.text_width() >= NUMBERED).then(|| largest.to_string().len().max(least))
}

/// The colours of every shown line: pieces of a line that stayed, as bytes and style.
fn syntax(
    path: Option<&str>,
    hunks: &[Hunk],
    spots: &[Spot<'_>],
    ink: &mut Ink<'_>,
) -> Vec<Vec<(usize, Style)>> {
    let mut styles = vec![Vec::new(); spots.len()];
    let Some(lang) = path.and_then(language) else {
        return styles;
    };
    let mut from = 0;
    for run in spots.chunk_by(|left, right| left.hunk == right.hunk).take(COLOURED.min(hunks.len())) {
        let of_new: Vec<usize> = (0..run.len()).filter(|at| run[*at].line.tag != DiffTag::Removed).collect();
        if of_new.iter().any(|at| run[*at].line.tag == DiffTag::Context) {
            let texts: Vec<_> =
                of_new.iter().map(|at| short(without_return(&run[*at].line.text)).into()).collect();
            let doc = ink.highlighter.excerpt(lang, &texts);
            for (number, at) in of_new.iter().enumerate() {
                match ink.highlighter.line(doc, number) {
                    Lookup::Waiting => ink.waiting = true,
                    Lookup::Ready(pieces) if run[*at].line.tag == DiffTag::Context => {
                        let theme = ink.look.theme;
                        styles[from + at] =
                            pieces.iter().map(|piece| (piece.bytes, theme.syntax(piece.syntax))).collect();
                    }
                    Lookup::Ready(_) => {}
                }
            }
        }
        from += run.len();
    }
    styles
}

fn language(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').map_or(Some(name), |(_, ending)| Some(ending)).filter(|lang| !lang.is_empty())
}

fn without_return(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}

/// No more of a line is looked at than could be shown.
fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(LINE_CELLS)]
}

/// One line that is shown.
struct Line<'a> {
    spot: &'a Spot<'a>,
    /// The bytes that changed; none where the line changed as a whole.
    changed: &'a [Range<usize>],
    syntax: &'a [(usize, Style)],
    /// Whether carriage returns tell lines apart here.
    crlf: bool,
}

impl Line<'_> {
    fn rows(&self, numbers: Option<usize>, ink: &Ink<'_>) -> Vec<Row> {
        let mut first = blanks(if ink.indent < ink.width { ink.indent } else { 0 });
        let theme = ink.look.theme;
        if let Some(width) = numbers {
            let number = self.spot.number.map(|number| number.to_string()).unwrap_or_default();
            first.push(RowSpan { text: Printable::line(&format!("{number:>width$} ")), style: theme.dim() });
        }
        let sign = match self.spot.line.tag {
            DiffTag::Context => "  ",
            DiffTag::Added => "+ ",
            DiffTag::Removed => "- ",
        };
        first.push(RowSpan { text: Printable::line(sign), style: self.base(ink) });
        let is_whole = ink.place == Place::Settled && ink.density == Density::Detail;
        let room = ink.width.saturating_sub(wrap::spans_width(&first)).max(1);
        let spans = self.spans(if is_whole { None } else { Some(room) }, ink);
        if is_whole {
            return wrap::wrap(&spans, ink.width, &Indent::hanging(first));
        }
        first.extend(spans);
        vec![wrap::cut(&Row { spans: first, unbroken: false }, ink.width, ink.look.glyphs.ellipsis)]
    }

    fn base(&self, ink: &Ink<'_>) -> Style {
        ink.look.theme.role(match self.spot.line.tag {
            DiffTag::Context => Role::Plain,
            DiffTag::Added => Role::Added,
            DiffTag::Removed => Role::Removed,
        })
    }

    /// The text, cut to a `room` or whole; it begins near its first change when that would be cut off.
    fn spans(&self, room: Option<usize>, ink: &Ink<'_>) -> Vec<RowSpan> {
        let line = self.spot.line;
        let keeps_return = self.crlf && line.tag != DiffTag::Context;
        let text = if keeps_return { line.text.as_str() } else { without_return(&line.text) };
        let from = self.beginning(text, room.unwrap_or(LINE_CELLS));
        let shown = short(&text[from..]);
        let end = from + shown.len();
        let mut spans = Vec::new();
        let dim = ink.look.theme.dim();
        if from > 0 {
            spans.push(RowSpan { text: Printable::line(ink.look.glyphs.ellipsis), style: dim });
        }
        let mut column = 0;
        for (range, style, is_changed) in self.parts(text.len(), ink) {
            let (start, stop) = (range.start.max(from), range.end.min(end));
            let Some(part) = text.get(start..stop).filter(|part| !part.is_empty()) else { continue };
            let part = expanded(part, &mut column, is_changed);
            // Blanks at the end of a row are seen only when they are reversed.
            let style = if is_changed && stop == text.len() && part.ends_with(' ') {
                style.add_modifier(Modifier::REVERSED)
            } else {
                style
            };
            spans.push(RowSpan { text: Printable::exact(&part), style });
        }
        if end < text.len() {
            // A line that is cut at the window never shows the count.
            let count = room.is_none().then(|| format!(" {} more characters", text[end..].chars().count()));
            let text = format!("{}{}", ink.look.glyphs.ellipsis, count.unwrap_or_default());
            spans.push(RowSpan { text: Printable::line(&text), style: dim });
        }
        if line.open && line.tag != DiffTag::Context {
            spans.push(RowSpan { text: Printable::line(" (no line end)"), style: dim });
        }
        clip::long_line(spans, 2 * LINE_CELLS, ink.look)
    }

    /// Where the shown part begins.
    fn beginning(&self, text: &str, room: usize) -> usize {
        let Some(first) = self.changed.first() else { return 0 };
        let end = text.floor_char_boundary(first.end.min(first.start + SEEN));
        if first.end > text.len() || (end <= LINE_CELLS && text_width(&text[..end]) < room) {
            return 0;
        }
        let lead = LEAD.min(room / 3).saturating_sub(1);
        text[..first.start].char_indices().rev().nth(lead).map_or(0, |(at, _)| at)
    }

    /// The line in runs of one style, and whether they changed.
    fn parts(&self, length: usize, ink: &Ink<'_>) -> Vec<(Range<usize>, Style, bool)> {
        let base = self.base(ink);
        let mut parts = Vec::new();
        let mut from = 0;
        for (bytes, style) in self.syntax {
            parts.push((from..from + bytes, *style, false));
            from += bytes;
        }
        for range in self.changed {
            parts.push((from..range.start, base, false));
            parts.push((range.clone(), base.add_modifier(Modifier::UNDERLINED), true));
            from = range.end;
        }
        parts.push((from..length, base, false));
        parts
    }
}

/// Text with its tabs expanded; `column` counts the cells before it. A tab that changed is seen as a tab.
fn expanded(text: &str, column: &mut usize, is_changed: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for cluster in graphemes(text) {
        if cluster == "\t" {
            let cells = TAB - *column % TAB;
            out.push(if is_changed { '␉' } else { ' ' });
            out.extend(std::iter::repeat_n(' ', cells - 1));
            *column += cells;
        } else {
            out.push_str(cluster);
            *column += text_width(cluster);
        }
    }
    out
}

#[cfg(test)]
mod tests;
