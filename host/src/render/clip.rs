//! Clipping: which of many lines are shown, and how the rest is counted.
//!
//! Nothing is left out silently: where lines are hidden a row says how many. Lines are chosen before they are styled,
//! so that a million of them cost no more than the few that are seen. It knows no kinds of content.

use carpel_slots::Printable;

use crate::render::look::Look;
use crate::render::wrap::{self, blanks};
use crate::row::{Row, RowSpan};

/// A line of more cells than this is cut everywhere.
pub const LINE_CELLS: usize = 2_000;

/// Which end of a text tells more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// Both: the cut is in the middle.
    Ends,
}

/// How much may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// So many rows.
    pub rows: usize,
    /// From where.
    pub keep: Keep,
}

/// Which lines are shown: the first `head`, then `hidden` that are not, then the last `tail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Shown from the beginning.
    pub head: usize,
    /// Left out.
    pub hidden: usize,
    /// Shown at the end.
    pub tail: usize,
}

impl Room {
    /// Which of so many lines fit. A single hidden line is shown: the row that counts it would be no shorter.
    pub fn choose(self, lines: usize) -> Shown {
        if lines <= self.rows.saturating_add(1) {
            return Shown { head: lines, hidden: 0, tail: 0 };
        }
        let (head, tail) = match self.keep {
            Keep::Head => (self.rows, 0),
            Keep::Tail => (0, self.rows),
            Keep::Ends => (self.rows - self.rows / 2, self.rows / 2),
        };
        Shown { head, hidden: lines - head - tail, tail }
    }
}

impl Shown {
    /// The shown ones of `lines`, with a row that counts the others where they would stand.
    pub fn rows<T>(
        self,
        lines: Vec<T>,
        mut row: impl FnMut(T) -> Vec<Row>,
        more: impl Fn(usize) -> Row,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for (at, line) in lines.into_iter().enumerate() {
            if at == self.head && self.hidden > 0 {
                rows.push(more(self.hidden));
            }
            rows.extend(row(line));
        }
        if self.tail == 0 && self.hidden > 0 {
            rows.push(more(self.hidden));
        }
        rows
    }
}

/// `… 38 more lines`, indented.
pub fn more_lines(hidden: usize, indent: usize, width: usize, look: Look) -> Row {
    let noun = if hidden == 1 { "line" } else { "lines" };
    more(&format!("{hidden} more {noun}"), indent, width, look)
}

/// `… ` and what is hidden, indented, cut to the width.
pub fn more(what: &str, indent: usize, width: usize, look: Look) -> Row {
    let mut row = Row { spans: blanks(indent), unbroken: false };
    row.push(look.theme.dim(), Printable::line(&format!("{} {what}", look.glyphs.ellipsis)));
    wrap::cut(&row, width, look.glyphs.ellipsis)
}

/// The spans of one line cut to `cells`, with a count of what was left out.
pub fn long_line(spans: Vec<RowSpan>, cells: usize, look: Look) -> Vec<RowSpan> {
    // Bytes bound cells from above for almost all text, and cost nothing to sum up.
    if spans.iter().map(|span| span.text.as_str().len()).sum::<usize>() <= cells
        || wrap::spans_width(&spans) <= cells
    {
        return spans;
    }
    let total: usize = spans.iter().map(|span| span.text.as_str().chars().count()).sum();
    let mut kept = wrap::cut_spans(&spans, cells, look.glyphs.ellipsis);
    let shown: usize = kept.iter().map(|span| span.text.as_str().chars().count()).sum();
    let count = format!(" {} more characters", total.saturating_sub(shown.saturating_sub(1)));
    kept.push(RowSpan { text: Printable::line(&count), style: look.theme.dim() });
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_chosen_and_counted() {
        let rows = [
            (3, Keep::Head, 3, (3, 0, 0)),
            (3, Keep::Head, 4, (4, 0, 0)),
            (3, Keep::Head, 5, (3, 2, 0)),
            (3, Keep::Tail, 9, (0, 6, 3)),
            (3, Keep::Ends, 9, (2, 6, 1)),
            (0, Keep::Tail, 2, (0, 2, 0)),
        ];
        for (room, keep, lines, want) in rows {
            let shown = Room { rows: room, keep }.choose(lines);
            assert_eq!((shown.head, shown.hidden, shown.tail), want, "{room} {keep:?} {lines}");
        }
    }
}
