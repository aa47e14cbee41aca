//! Source text: excerpts with line numbers, coloured by the highlighter.
//!
//! An excerpt keeps its numbers, right-aligned and dim, with the text aligned behind them; lines that do not fit are cut
//! at normal density and hang at detail. Text without numbers (a script) is there to be copied: its lines are left to the
//! terminal to fold. It does not know where the text came from.

use std::borrow::Cow;

use carpel_slots::{Density, Printable};
use ratatui::style::Style;

use crate::paint::Place;
use crate::render::block::{Ink, unbroken};
use crate::render::card::NARROW;
use crate::render::clip::{self, Keep, LINE_CELLS};
use crate::render::highlight::{Lookup, Piece};
use crate::render::theme::Theme;
use crate::render::wrap::{self, Indent, blanks, expand_tabs};
use crate::row::{Row, RowSpan};

/// Tabs of source text go to stops of so many cells.
pub const TAB: usize = 4;

/// At normal density an excerpt shows so many lines.
const EXCERPT: usize = 3;
/// And a script so many.
const SCRIPT: usize = 12;

/// The rows of an excerpt.
pub fn rows(lang: Option<&str>, first_line: Option<u64>, text: &str, ink: &mut Ink<'_>) -> Vec<Row> {
    // Lines with numbers are a file's, and its header counts them all.
    let text = match first_line {
        Some(_) => text.strip_suffix('\n').unwrap_or(text),
        None => text.trim_end_matches(['\n', '\r']),
    };
    if text.is_empty() {
        return Vec::new();
    }
    let count = text.split('\n').count();
    let normal = if first_line.is_some() { EXCERPT } else { SCRIPT };
    let mut shown = ink.room(normal, Keep::Head).choose(count);
    // An excerpt does not end with blank lines: they are counted with what is hidden.
    while shown.hidden > 0
        && shown.head > 1
        && shown.tail == 0
        && text.split('\n').nth(shown.head - 1).is_some_and(|line| line.trim().is_empty())
    {
        shown.head -= 1;
        shown.hidden += 1;
    }
    let last = shown.hidden + shown.head;
    let chosen: Vec<(usize, Cow<'_, str>)> = text
        .split('\n')
        .enumerate()
        .filter(|(at, _)| *at < shown.head || *at >= last)
        .map(|(at, line)| (at, source_line(line)))
        .collect();
    let pieces = pieces(lang, &chosen, ink);
    let number_width = first_line.map(|first| {
        let least = if ink.width < NARROW { 1 } else { 4 };
        (first + last.max(shown.head) as u64).to_string().len().max(least)
    });
    let styled: Vec<(usize, Vec<RowSpan>)> = chosen
        .iter()
        .zip(&pieces)
        .map(|((at, line), pieces)| (*at, exact_spans(line, pieces, ink.look.theme)))
        .collect();
    let row = |(at, spans): (usize, Vec<RowSpan>)| {
        let spans = clip::long_line(spans, LINE_CELLS, ink.look);
        let number = first_line.zip(number_width).map(|(first, width)| {
            let text = format!("{:>width$}  ", first + at as u64);
            RowSpan { text: Printable::line(&text), style: ink.look.theme.dim() }
        });
        excerpt_row(number, spans, ink)
    };
    shown.rows(styled, row, |hidden| ink.more_lines(hidden))
}

fn excerpt_row(number: Option<RowSpan>, spans: Vec<RowSpan>, ink: &Ink<'_>) -> Vec<Row> {
    if number.is_none() && ink.place == Place::Settled && ink.nested.is_none() {
        return vec![unbroken(spans, ink.indent)];
    }
    let mut first = blanks(ink.indent);
    // Where the window is so narrow that numbers would take half of it, the text matters more.
    if ink.text_width() >= 16 {
        first.extend(number);
    }
    if ink.place == Place::Settled && ink.density == Density::Detail {
        return wrap::wrap(&spans, ink.width, &Indent::hanging(first));
    }
    first.extend(spans);
    vec![wrap::cut(&Row { spans: first, unbroken: false }, ink.width, ink.look.glyphs.ellipsis)]
}

/// A line without its carriage return and with its tabs expanded.
pub fn source_line(line: &str) -> Cow<'_, str> {
    expand_tabs(line.strip_suffix('\r').unwrap_or(line), TAB)
}

fn pieces(lang: Option<&str>, lines: &[(usize, Cow<'_, str>)], ink: &mut Ink<'_>) -> Vec<Vec<Piece>> {
    let Some(lang) = lang else {
        return vec![Vec::new(); lines.len()];
    };
    let texts: Vec<Cow<'_, str>> = lines.iter().map(|(_, line)| line.clone()).collect();
    let doc = ink.highlighter.excerpt(lang, &texts);
    let mut all = Vec::with_capacity(lines.len());
    for number in 0..lines.len() {
        match ink.highlighter.line(doc, number) {
            Lookup::Ready(pieces) => all.push(pieces.to_vec()),
            Lookup::Waiting => {
                ink.waiting = true;
                all.push(Vec::new());
            }
        }
    }
    all
}

/// A line as spans, in the colours of its pieces; what these do not cover is plain.
pub fn spans(line: &str, pieces: &[Piece], theme: Theme) -> Vec<RowSpan> {
    coloured(line, pieces, theme, Printable::line)
}

/// The same for a line of a file: nothing in it is gone, so that a reader sees what a machine reads.
fn exact_spans(line: &str, pieces: &[Piece], theme: Theme) -> Vec<RowSpan> {
    coloured(line, pieces, theme, Printable::exact)
}

fn coloured(line: &str, pieces: &[Piece], theme: Theme, printable: fn(&str) -> Printable) -> Vec<RowSpan> {
    let mut spans = Vec::new();
    let mut rest = line;
    let mut push = |text: &str, style: Style| {
        let text = printable(text);
        if !text.as_str().is_empty() {
            spans.push(RowSpan { text, style });
        }
    };
    for piece in pieces {
        let Some((text, after)) = rest.split_at_checked(piece.bytes) else { break };
        push(text, theme.syntax(piece.syntax));
        rest = after;
    }
    push(rest, Style::new());
    spans
}
