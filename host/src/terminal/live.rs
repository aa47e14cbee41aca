//! The live rows as cells: laid out, remembered as they stand on the screen, and drawn by what changed.
//!
//! Owns the shadow of what the terminal shows in the live area (a ratatui `Buffer` no wider than the widest live
//! row) and the diff against it. Its rows are counted from its own first one; history, scrolling and resizes are
//! `screen.rs`. A row is ended by erasing, never by painting blanks to the right edge, and
//! a row with clusters that terminals measure differently is drawn anew as a whole, placing what follows absolutely.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use super::cluster::{Cluster, Folded, clusters, measure};
use super::writer::Writer;
use crate::row::Row;

/// Unchanged cells between two changed ones that are cheaper to write again than to skip.
const WORTH_SKIPPING: usize = 6;

/// Rows that are remembered above the window; a window that was lowered so often leaves the oldest behind.
const REMEMBERED: usize = 200;

#[derive(Default)]
pub(super) struct LiveArea {
    shown: Buffer,
    /// Rows of earlier frames that a lower window pushed above its first row, where nothing can be erased. They stand
    /// right above the first row that is shown, and a higher window brings them back.
    above: Vec<Vec<Cell>>,
    /// How many of these and of the rows above the cursor's are out of reach in the window as it was last told.
    beyond: usize,
}

impl LiveArea {
    pub(super) fn height(&self) -> usize {
        usize::from(self.shown.area.height)
    }

    /// Forgets what was shown: the screen is blank where the area stands.
    pub(super) fn clear(&mut self) {
        self.shown = Buffer::default();
    }

    /// The same for an area that begins anew at the first row in reach; the cursor stood at `row`.
    pub(super) fn clear_reached(&mut self, row: usize) {
        let mut rows = std::mem::take(&mut self.above);
        rows.extend((0..row).map(|y| RowView::of(&self.shown, y).cells.to_vec()));
        rows.truncate(std::mem::take(&mut self.beyond));
        rows.drain(..rows.len().saturating_sub(REMEMBERED));
        self.above = rows;
        self.clear();
    }

    /// Other rows stand between the area and those above the window from now on, so that they cannot be found.
    pub(super) fn leave_above(&mut self) {
        self.above.clear();
        self.beyond = 0;
    }

    /// Draws the next rows, writing only what differs from what is shown.
    pub(super) fn draw(&mut self, next: Buffer, cols: usize, writer: &mut Writer<'_>) {
        let height = self.height().max(usize::from(next.area.height));
        for y in 0..height {
            let (old, new) = (RowView::of(&self.shown, y), RowView::of(&next, y));
            draw_row(old, new, y, cols, writer);
        }
        self.shown = next;
    }

    /// How many screen rows all live rows take when a terminal folds them at `cols`.
    pub(super) fn folded_rows(&self, cols: usize) -> usize {
        (0..self.height()).map(|y| RowView::of(&self.shown, y).folded(cols.max(1))).sum()
    }

    /// How many screen rows the live rows take above the cursor, which stood at `row` and `column`, when a terminal
    /// folds them at `cols` and then reports the cursor as `reported`; those that an earlier window pushed away and this
    /// one has brought back are among them. A terminal keeps rows in their order, so these are what is above.
    ///
    /// A row of which only a part is in the window counts as out of reach: were that part erased, the rest would stay
    /// for good, and a wider window would join it to what is written there next.
    ///
    /// Terminals fold the cursor's own row differently: some move the cursor with its text, xterm.js leaves the row
    /// alone and the cursor in the last column. Where the report does not tell, it is the smaller number: the worst
    /// is then a stale live row, never a committed one erased.
    pub(super) fn rows_above(&mut self, row: usize, column: usize, cols: usize, reported: Position) -> usize {
        let (cols, room) = (cols.max(1), usize::from(reported.y));
        let stayed = usize::from(reported.x) + 1 >= cols;
        let own = if stayed { 0 } else { column / cols };
        if own > room {
            // The cursor's own row has its beginning above the window.
            self.leave_above();
            return room;
        }
        let shown = (0..row).map(|y| RowView::of(&self.shown, y));
        let rows = self.above.iter().map(|cells| RowView { cells }).chain(shown);
        let heights: Vec<usize> = rows.map(|row| row.folded(cols)).collect();
        let mut above = own;
        let within = heights.iter().rev().take_while(|height| {
            let fits = above + **height <= room;
            above += if fits { **height } else { 0 };
            fits
        });
        self.beyond = heights.len() - within.count();
        above
    }
}

/// Lays rows out as cells, cut at `cols`. The buffer is as wide as its widest row.
pub(super) fn lay_out(rows: &[Row], cols: usize) -> Buffer {
    let width = rows.iter().map(|row| row_width(row, cols)).max().unwrap_or(0);
    let area = Rect { x: 0, y: 0, width: narrow(width), height: narrow(rows.len()) };
    let mut buffer = Buffer::empty(area);
    for (y, row) in rows.iter().enumerate() {
        lay_out_row(&mut buffer, row, y, width);
    }
    buffer
}

fn row_width(row: &Row, cols: usize) -> usize {
    let all = row.spans.iter().flat_map(|span| clusters(span.text.as_str()));
    let mut width = 0;
    for cluster in all {
        if width + cluster.width > cols {
            break;
        }
        width += cluster.width;
    }
    width
}

fn lay_out_row(buffer: &mut Buffer, row: &Row, y: usize, cols: usize) {
    let mut column = 0;
    for span in &row.spans {
        for cluster in clusters(span.text.as_str()) {
            if cluster.width == 0 {
                join(buffer, column, y, cluster.text);
                continue;
            }
            if column + cluster.width > cols {
                return;
            }
            if let Some(cell) = buffer.cell_mut((narrow(column), narrow(y))) {
                cell.set_symbol(cluster.text).set_style(span.style);
            }
            // The second cell of a wide cluster stays empty but has its style, so that a change of it is seen.
            for covered in column + 1..column + cluster.width {
                if let Some(cell) = buffer.cell_mut((narrow(covered), narrow(y))) {
                    cell.set_symbol(COVERED).set_style(span.style);
                }
            }
            column += cluster.width;
        }
    }
}

/// The symbol of a cell that the wide cluster to its left covers.
const COVERED: &str = "";

/// Puts what takes no cell of its own onto the cluster before it.
fn join(buffer: &mut Buffer, column: usize, y: usize, text: &str) {
    let mut before = column;
    while before > 0 {
        before -= 1;
        let Some(cell) = buffer.cell_mut((narrow(before), narrow(y))) else { return };
        if !is_covered(cell) {
            let joined = format!("{}{text}", cell.symbol());
            cell.set_symbol(&joined);
            return;
        }
    }
}

fn is_covered(cell: &Cell) -> bool {
    cell.symbol().is_empty()
}

fn draw_row(old: RowView<'_>, new: RowView<'_>, row: usize, cols: usize, writer: &mut Writer<'_>) {
    if old.cells == new.cells {
        return;
    }
    let (old_len, new_len) = (old.len(), new.len());
    let (old, new) = (old.cut(old_len), new.cut(new_len));
    if old.cells == new.cells {
        return;
    }
    if !(old.certain() && new.certain()) {
        draw_whole(old, new, row, cols, writer);
        return;
    }
    for run in runs(old, new) {
        writer.move_to(row, run.start);
        for cell in new.cells.get(run).into_iter().flatten() {
            writer.text(cell.symbol(), cell.style());
        }
    }
    if new_len < old_len {
        writer.move_to(row, new_len);
        writer.erase_to_end();
    }
}

/// Draws a row from its first cell on, placing what follows a doubtful cluster where it belongs.
fn draw_whole(old: RowView<'_>, new: RowView<'_>, row: usize, cols: usize, writer: &mut Writer<'_>) {
    writer.move_to(row, 0);
    if !old.cells.is_empty() {
        writer.erase_to_end();
    }
    let spills = new.widest() > cols;
    if spills {
        writer.wrapping(false);
    }
    for (column, cell) in new.cells.iter().enumerate() {
        let cluster = measure_cell(cell);
        writer.text(cell.symbol(), cell.style());
        if !cluster.certain() {
            let after = column + cluster.width;
            if after < cols {
                writer.move_to_column(after);
            }
        }
    }
    if new.widest() > new.cells.len() && new.cells.len() < cols {
        // A terminal that took the last cluster for wider has drawn past the end of the row.
        writer.move_to_column(new.cells.len());
        writer.erase_to_end();
    }
    if spills {
        writer.wrapping(true);
    }
}

/// The ranges of cells to write, widened so that no wide cluster of either row is cut.
fn runs(old: RowView<'_>, new: RowView<'_>) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for column in 0..new.cells.len() {
        if old.cells.get(column) == new.cells.get(column) {
            continue;
        }
        let start = new.cluster_start(column).min(old.cluster_start(column));
        let end = new.cluster_end(column).max(old.cluster_end(column)).min(new.cells.len());
        match runs.last_mut() {
            Some(last) if start <= last.end + WORTH_SKIPPING => last.end = last.end.max(end),
            _ => runs.push(start..end),
        }
    }
    runs
}

#[derive(Clone, Copy)]
struct RowView<'a> {
    cells: &'a [Cell],
}

impl<'a> RowView<'a> {
    fn of(buffer: &'a Buffer, y: usize) -> Self {
        let width = usize::from(buffer.area.width);
        Self { cells: buffer.content.get(y * width..(y + 1) * width).unwrap_or_default() }
    }

    /// Cells up to the last one that shows something.
    fn len(self) -> usize {
        self.cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1)
    }

    fn cut(self, len: usize) -> Self {
        Self { cells: self.cells.get(..len).unwrap_or(self.cells) }
    }

    fn certain(self) -> bool {
        self.cells.iter().all(|cell| cell.symbol().len() <= 1 || measure_cell(cell).certain())
    }

    /// Where the widest opinion lets this row end, with what follows each cluster placed absolutely.
    fn widest(self) -> usize {
        let ends = self.cells.iter().enumerate().map(|(column, cell)| column + measure_cell(cell).widest);
        ends.max().unwrap_or(0)
    }

    /// Screen rows that the row needs when folded at `cols`.
    fn folded(self, cols: usize) -> usize {
        let mut folded = Folded::EMPTY;
        for cell in self.cells.iter().take(self.len()) {
            let cluster = measure_cell(cell);
            folded.add(cluster.width, cluster.kept_together(), cols);
        }
        folded.rows
    }

    fn cluster_start(self, column: usize) -> usize {
        let covered = |index: &usize| self.cells.get(*index).is_some_and(is_covered);
        (0..=column).rev().find(|index| !covered(index)).unwrap_or(0)
    }

    fn cluster_end(self, column: usize) -> usize {
        let mut end = column + 1;
        while self.cells.get(end).is_some_and(is_covered) {
            end += 1;
        }
        end
    }
}

fn measure_cell(cell: &Cell) -> Cluster<'_> {
    measure(cell.symbol())
}

fn is_blank(cell: &Cell) -> bool {
    let plain = cell.bg == Color::Reset
        && !cell.modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT);
    cell.symbol() == " " && plain
}

/// Rows and columns come from a window whose sizes are 16 bits, so nothing is cut here.
fn narrow(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}
