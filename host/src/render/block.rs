//! Blocks: the parts of a card's body as rows, one dispatch over their kinds.
//!
//! It owns how much of each kind is shown at each density and what all kinds share: the look, the width, the indent,
//! the highlighter. Each kind has a file of its own (`code`, `diff`, `matches`, `table`, `fields`, `output`,
//! `markdown`). It knows no
//! headers and no trees.

use carpel_slots::{Block, Density, Line, Printable};

use crate::paint::Place;
use crate::render::clip::{self, Keep, LINE_CELLS, Room};
use crate::render::look::Look;
use crate::render::output::Screen;
use crate::render::wrap::{self, Indent, blanks};
use crate::render::{Highlighter, code, diff, fields, markdown, matches, table};
use crate::row::{Row, RowSpan};

/// An item shows no more rows than this at any density.
pub const ITEM_ROWS: usize = 400;
/// So many rows of live output are shown.
pub const LIVE_ROWS: usize = 6;

/// What all kinds share.
pub struct Ink<'a> {
    /// Styles and glyphs.
    pub look: Look,
    /// Columns of a row, the indent counted in.
    pub width: usize,
    /// Blanks in front.
    pub indent: usize,
    /// Blanks in front of the settled lines of a sub-call's output; `None` for a root call, whose lines are left to the
    /// terminal to fold so that they can be copied.
    pub nested: Option<usize>,
    /// How much is shown.
    pub density: Density,
    /// Live rows are cut, settled ones wrapped or left whole.
    pub place: Place,
    /// So many rows of a kind are shown at most.
    pub most: usize,
    /// True where the end of the output tells as much as its beginning: a call that failed, a command.
    pub end_tells: bool,
    /// Bounds the rows of a body that still grows, of which the end is kept.
    pub live_rows: Option<usize>,
    /// Colours source text.
    pub highlighter: &'a mut Highlighter,
    /// Set when something was drawn plain because its colours are not there yet.
    pub waiting: bool,
}

impl Ink<'_> {
    /// The room for a kind that shows so many rows at normal density.
    pub fn room(&self, normal: usize, keep: Keep) -> Room {
        if let Some(rows) = self.live_rows {
            return Room { rows: rows.saturating_sub(1).min(self.most), keep: Keep::Tail };
        }
        match self.density {
            Density::Overview => Room { rows: 0, keep },
            Density::Normal => Room { rows: normal, keep },
            Density::Detail => Room { rows: self.most, keep },
        }
    }

    /// The columns right of the indent.
    pub fn text_width(&self) -> usize {
        self.width.saturating_sub(self.indent).max(1)
    }

    /// The row that counts hidden lines.
    pub fn more_lines(&self, hidden: usize) -> Row {
        clip::more_lines(hidden, self.indent, self.width, self.look)
    }

    /// One line of spans as rows: cut when live, wrapped when settled.
    pub fn line(&self, spans: &[RowSpan]) -> Vec<Row> {
        match self.place {
            Place::Live => vec![self.cut(spans)],
            Place::Settled => wrap::wrap(spans, self.width, &Indent::blanks(self.indent)),
        }
    }

    /// One line of spans cut to the width.
    pub fn cut(&self, spans: &[RowSpan]) -> Row {
        let ellipsis = self.look.glyphs.ellipsis;
        let mut row =
            Row { spans: blanks(if self.indent < self.width { self.indent } else { 0 }), unbroken: false };
        row.spans.extend(wrap::cut_spans(spans, self.text_width(), ellipsis));
        wrap::cut(&row, self.width, ellipsis)
    }
}

/// A line of a card with the theme's styles.
pub fn styled(line: &Line, look: Look) -> Vec<RowSpan> {
    line.spans
        .iter()
        .filter(|span| !span.text.as_str().is_empty())
        .map(|span| RowSpan { text: span.text.clone(), style: look.theme.role(span.role) })
        .collect()
}

/// The rows of one block.
pub fn rows(block: &Block, ink: &mut Ink<'_>) -> Vec<Row> {
    match block {
        Block::Text(lines) => text_rows(lines, ink),
        Block::Code { lang, first_line, text } => code::rows(lang.as_deref(), *first_line, text, ink),
        Block::Diff { path, hunks } => diff::rows(path.as_deref(), hunks, ink),
        Block::Matches { groups } => matches::rows(groups, ink),
        Block::Table { columns, rows } => table::rows(columns, rows, ink),
        Block::Fields(pairs) => fields::rows(pairs, ink),
        Block::Markdown(text) => markdown_rows(text, ink),
        Block::Output(text) => output_rows(text, ink),
    }
}

fn text_rows(lines: &[Line], ink: &Ink<'_>) -> Vec<Row> {
    let shown = ink.room(8, Keep::Head).choose(lines.len());
    let chosen: Vec<&Line> = lines[..shown.head].iter().chain(&lines[lines.len() - shown.tail..]).collect();
    let row = |line: &Line| ink.line(&clip::long_line(styled(line, ink.look), LINE_CELLS, ink.look));
    shown.rows(chosen, row, |hidden| ink.more_lines(hidden))
}

fn markdown_rows(text: &str, ink: &mut Ink<'_>) -> Vec<Row> {
    let rows = markdown::whole(text, ink.text_width(), ink.look, ink.highlighter);
    let keep = if ink.live_rows.is_some() { Keep::Tail } else { Keep::Head };
    let shown = ink.room(8, keep).choose(rows.len());
    let tail = rows.len() - shown.tail;
    let chosen: Vec<Row> = rows
        .into_iter()
        .enumerate()
        .filter(|(at, _)| *at < shown.head || *at >= tail)
        .map(|(_, row)| row)
        .collect();
    let place = ink.place;
    let indented = |row: Row| {
        if place == Place::Live {
            return vec![ink.cut(&row.spans)];
        }
        if let Some(indent) = ink.nested.filter(|_| row.unbroken) {
            return wrap::wrap(&row.spans, ink.width, &Indent::blanks(indent));
        }
        let mut spans = blanks(if row.unbroken { ink.indent.min(2) } else { ink.indent });
        spans.extend(row.spans);
        vec![Row { spans, unbroken: row.unbroken }]
    };
    shown.rows(chosen, indented, |hidden| ink.more_lines(hidden))
}

fn output_rows(text: &str, ink: &Ink<'_>) -> Vec<Row> {
    let keep = if ink.end_tells { Keep::Ends } else { Keep::Head };
    let room = ink.room(6, keep);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Vec::new();
    }
    let count = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let shown = room.choose(count);
    let head = text.split('\n').take(shown.head);
    let mut tail: Vec<&str> = text.rsplit('\n').take(shown.tail).collect();
    tail.reverse();
    let chosen: Vec<&str> = head.chain(tail).collect();
    let mut screen = Screen::new(ink.look.theme);
    // A line of many cells is many rows on the screen: at normal density it may take three.
    let cells = match ink.density {
        Density::Detail => LINE_CELLS,
        Density::Overview | Density::Normal => LINE_CELLS.min(3 * ink.width),
    };
    let row = |line: &str| {
        let spans = clip::long_line(screen.line(bounded(line)), cells, ink.look);
        match ink.place {
            Place::Live => vec![ink.cut(&spans)],
            Place::Settled => match ink.nested {
                Some(indent) => wrap::wrap(&spans, ink.width, &Indent::blanks(indent)),
                None => vec![unbroken(spans, ink.indent)],
            },
        }
    };
    shown.rows(chosen, row, |hidden| {
        let indent = match ink.place {
            Place::Settled => ink.nested.unwrap_or(ink.indent.min(2)),
            Place::Live => ink.indent,
        };
        if is_part(text) {
            let what = format!("{hidden} more lines of the part that is kept here");
            return clip::more(&what, indent, ink.width, ink.look);
        }
        clip::more_lines(hidden, indent, ink.width, ink.look)
    })
}

/// Whether an output is its two ends only: what lies between is in a file, or nowhere.
fn is_part(text: &str) -> bool {
    let says_so = |line: &str| {
        line.starts_with("[... ")
            && (line.ends_with(" left out ...]") || line.ends_with(" kept nowhere ...]"))
    };
    text.contains("\n[... ") && text.lines().any(says_so)
}

/// A line of megabytes is not looked at beyond what can be shown; progress rewritten by carriage returns is looked at
/// from its end.
fn bounded(line: &str) -> &str {
    const BYTES: usize = 64 * 1024;
    if line.len() <= BYTES {
        return line;
    }
    let end = line.trim_end_matches('\r');
    match end.rfind('\r') {
        Some(at) if end.len() - at <= BYTES => &end[at + 1..],
        _ => line,
    }
}

/// A line that the terminal folds, so that a copy gives back one line: at most two blanks in front.
pub fn unbroken(spans: Vec<RowSpan>, indent: usize) -> Row {
    let mut row = Row { spans: blanks(indent.min(2)), unbroken: true };
    row.spans.extend(spans);
    wrap::trimmed(row)
}

/// A line of names and values in one style, in which nothing is gone.
pub fn strict(text: &str, style: ratatui::style::Style) -> Vec<RowSpan> {
    let text = Printable::exact(&wrap::expand_tabs(text, 4));
    if text.as_str().is_empty() { Vec::new() } else { vec![RowSpan { text, style }] }
}
