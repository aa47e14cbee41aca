//! Rows: what the host lays out and the terminal layer writes.
//!
//! A row is made of spans of [`Printable`] text with a terminal style, so nothing unsafe can reach a cell. It knows
//! neither its place nor the window; whoever made it has fitted it to a width, except for unbroken rows, which the
//! terminal folds itself so that a copy gives back one line.

use carpel_slots::Printable;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

/// One line of styled text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its parts, left to right.
    pub spans: Vec<RowSpan>,
    /// True for a line that is written whole however long it is and folded by the terminal. Only for committed rows.
    pub unbroken: bool,
}

/// Text with a terminal style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSpan {
    /// What is shown.
    pub text: Printable,
    /// How it is shown.
    pub style: Style,
}

impl Row {
    /// A row of one span.
    pub fn of(style: Style, text: Printable) -> Row {
        Row { spans: vec![RowSpan { text, style }], unbroken: false }
    }

    /// Adds a span; empty text is left out.
    pub fn push(&mut self, style: Style, text: Printable) {
        if !text.as_str().is_empty() {
            self.spans.push(RowSpan { text, style });
        }
    }

    /// Width in cells, as most terminals count them.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| span.text.as_str().width()).sum()
    }

    /// The text without styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}
