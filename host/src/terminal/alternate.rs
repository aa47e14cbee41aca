//! The alternate screen: rows from the top, drawn by what changed.
//!
//! The same cells and diff as the live rows, without history: nothing is committed and nothing scrolls. It writes
//! into a buffer and knows neither modes nor keys. `session.rs` decides when it is shown.

use ratatui::layout::{Position, Size};

use super::dialect::Dialect;
use super::live::{LiveArea, lay_out};
use super::writer::Writer;
use crate::row::Row;

pub(super) struct AlternateScreen {
    size: Size,
    dialect: Dialect,
    area: LiveArea,
    cursor: Option<Position>,
    /// False when the screen may show something else than `area` remembers.
    known: bool,
}

impl AlternateScreen {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { size: Size::ZERO, dialect, area: LiveArea::default(), cursor: None, known: false }
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// The screen has just been entered, or something else has written to it.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    pub(super) fn resize(&mut self, size: Size) {
        if size != self.size {
            self.size = size;
            self.known = false;
        }
    }

    pub(super) fn draw(&mut self, rows: &[Row], cursor: Option<Position>, out: &mut Vec<u8>) {
        let (width, height) = (usize::from(self.size.width), usize::from(self.size.height));
        if width == 0 || height == 0 {
            return;
        }
        let next = lay_out(rows.get(..height).unwrap_or(rows), width);
        let before = out.len();
        let mut writer = Writer::absolute(out, self.dialect);
        writer.begin_frame();
        let begun = writer.len();
        if !self.known {
            erase(height, &mut writer);
            self.area.clear();
        }
        self.area.draw(next, width, &mut writer);
        if writer.len() == begun && cursor == self.cursor {
            writer.truncate(before);
            return;
        }
        self.known = true;
        self.cursor = cursor;
        if let Some(cursor) = cursor {
            writer.plain();
            writer.move_to(usize::from(cursor.y).min(height - 1), usize::from(cursor.x).min(width - 1));
            writer.show_cursor();
        }
        writer.end_frame();
    }

    /// Leaves no text behind: before the main screen comes back in a window of another size. tmux then puts rows of this
    /// screen into the scrollback, between the rows that a narrower window folded.
    pub(super) fn wipe(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::absolute(out, self.dialect);
        erase(self.size.height.into(), &mut writer);
        self.area.clear();
        self.known = false;
    }
}

fn erase(height: usize, writer: &mut Writer<'_>) {
    for row in 0..height {
        writer.move_to(row, 0);
        writer.erase_to_end();
    }
}
