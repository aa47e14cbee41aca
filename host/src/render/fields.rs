//! Named values, aligned: names dim, values hanging behind them.
//!
//! In a narrow window a value stands below its name. It knows no tools.

use carpel_slots::Density;

use crate::paint::Place;
use crate::render::block::{Ink, strict};
use crate::render::clip::{self, Keep, LINE_CELLS};
use crate::render::wrap::{self, Indent, blanks, text_width};
use crate::row::{Row, RowSpan};

/// Names longer than this do not push the values of others to the right.
pub const NAME: usize = 16;

/// The rows of the pairs.
pub fn rows(pairs: &[(String, String)], ink: &Ink<'_>) -> Vec<Row> {
    let name_width = pairs.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0).min(NAME);
    let shown = ink.room(8, Keep::Head).choose(pairs.len());
    let chosen: Vec<&(String, String)> =
        pairs[..shown.head].iter().chain(&pairs[pairs.len() - shown.tail..]).collect();
    let row = |(name, value): &(String, String)| pair_rows(name, value, name_width, ink);
    shown.rows(chosen, row, |hidden| ink.more_lines(hidden))
}

/// The rows of one pair; names take so many columns.
pub fn pair_rows(name: &str, value: &str, name_width: usize, ink: &Ink<'_>) -> Vec<Row> {
    let limit = if ink.density == Density::Detail { 40 } else { 2 };
    let mut name = strict(name, ink.look.theme.dim());
    let beside = ink.text_width() >= name_width + 2 + 12;
    let mut rows = Vec::new();
    let mut first = blanks(ink.indent);
    if beside {
        let missing = (name_width + 2).saturating_sub(wrap::spans_width(&name)).max(2);
        first.append(&mut name);
        first.extend(blanks(missing));
    } else {
        rows.push(ink.cut(&name));
        first.extend(blanks(2));
    }
    let rest = if beside { blanks(ink.indent + name_width + 2) } else { first.clone() };
    let lines: Vec<&str> = value.lines().collect();
    let hidden = lines.len().saturating_sub(limit);
    for (at, line) in lines.iter().take(limit).enumerate() {
        let spans = clip::long_line(strict(line, ratatui::style::Style::new()), LINE_CELLS, ink.look);
        let indent = Indent { first: if at == 0 { first.clone() } else { rest.clone() }, rest: rest.clone() };
        rows.extend(value_rows(&spans, indent, ink));
    }
    if lines.is_empty() {
        rows.push(wrap::cut(&Row { spans: first, unbroken: false }, ink.width, ink.look.glyphs.ellipsis));
    }
    if hidden > 0 {
        rows.push(clip::more_lines(hidden, wrap::spans_width(&rest), ink.width, ink.look));
    }
    rows
}

fn value_rows(spans: &[RowSpan], indent: Indent, ink: &Ink<'_>) -> Vec<Row> {
    match ink.place {
        Place::Settled => wrap::wrap(spans, ink.width, &indent),
        Place::Live => {
            let mut row = Row { spans: indent.first, unbroken: false };
            row.spans.extend_from_slice(spans);
            vec![wrap::cut(&row, ink.width, ink.look.glyphs.ellipsis)]
        }
    }
}
