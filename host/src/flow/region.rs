//! The height of the active region: how much it may take, and that it does not jump.
//!
//! It grows at once. It shrinks only with a commit (whose rows take its place), at the end of a turn, or when the
//! composer or the window changes; until then empty rows at its end keep the composer where it is.

use super::budget::Room;
use super::{FlowCx, Size};
use crate::row::Row;

/// The region as it was drawn last.
#[derive(Debug, Default)]
pub struct Region {
    height: usize,
    drawn: Option<(Size, usize)>,
}

impl Region {
    /// How many rows there are to give.
    pub fn room(&self, cx: &FlowCx) -> Room {
        let most = cx.window.rows.saturating_sub(cx.composer_rows);
        let budget = cx.active_max.unwrap_or(cx.window.rows / 2).min(most);
        Room { budget, most }
    }

    /// The rows to be drawn.
    pub fn place(&mut self, mut rows: Vec<Row>, cx: &FlowCx, may_shrink: bool) -> Vec<Row> {
        let drawn = Some((cx.window, cx.composer_rows));
        if may_shrink || self.drawn != drawn {
            self.height = 0;
        }
        self.drawn = drawn;
        self.height = self.height.max(rows.len()).min(self.room(cx).most);
        rows.resize(self.height, Row::default());
        rows
    }
}
