//! The inline viewport: committed rows go into the terminal's scrollback once, live rows are redrawn below them.
//!
//! Owns how far the cursor stands below the first live row, and turns one frame (rows to commit, live rows, cursor)
//! into bytes: one synchronised update, or nothing at all when nothing changed. It is the repaint writer of the
//! measurements: a commit erases the live rows, prints from their first row with the whole screen scrolling, and feeds
//! lines until the live rows have room, which is right however the terminal counted the widths. A window may change
//! between any two bytes, so no frame names a row of the screen: all are found from the cursor, which the terminal
//! keeps with its text. It does no IO, asks nothing and knows no time: size and cursor are told to it. Read `live.rs`
//! for the diff, `session.rs` for who calls this.

use ratatui::layout::{Position, Size};

use super::cluster::{Cluster, clusters, fold};
use super::dialect::Dialect;
use super::live::{LiveArea, lay_out};
use super::writer::Writer;
use crate::row::Row;

/// One drawing of the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Rows that are final: printed once, from then on the terminal's.
    pub commit: &'a [Row],
    /// The rows below them, as they are to be seen now. More than the window holds are cut at the top.
    pub live: &'a [Row],
    /// Where the cursor stands within the live rows; `None` hides it.
    pub cursor: Option<Position>,
}

/// A viewport of variable height at the end of what a terminal shows.
pub struct InlineTerminal {
    size: Size,
    dialect: Dialect,
    live: LiveArea,
    /// Where the terminal's cursor was left, within the live rows, and whether it is shown.
    cursor: Cursor,
    /// Screen rows between the first live row (the one below the last committed row) and the cursor.
    above: usize,
    /// About where the first live row stands on the screen. No row is found by it.
    top: usize,
    /// False when something else has moved, hidden or shown the cursor.
    cursor_known: bool,
    /// False when the screen from the first live row down may show something else than `live` remembers.
    known: bool,
    /// The cursor stood above other live rows since the window was last told.
    had_rows_below: bool,
    /// Rows from the first live one on that may then show something.
    doubtful: usize,
    /// Rows to commit with the next frame, since there was none that could be drawn.
    held: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    row: usize,
    column: usize,
    shown: bool,
}

impl InlineTerminal {
    /// A viewport that begins at `cursor_row`, an empty row with nothing below it.
    pub fn new(size: Size, cursor_row: u16) -> Self {
        Self {
            size,
            dialect: Dialect::default(),
            live: LiveArea::default(),
            cursor: Cursor { shown: true, ..Cursor::default() },
            above: 0,
            top: cursor_row.into(),
            cursor_known: true,
            known: false,
            had_rows_below: false,
            doubtful: usize::from(size.height.saturating_sub(cursor_row)),
            held: Vec::new(),
        }
    }

    /// The same viewport on a terminal that understands this.
    pub fn in_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The window's size as it was last told.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Rows of the window from the first live row down, as far as it is known: nothing is written by it.
    pub fn room(&self) -> usize {
        self.rows().saturating_sub(self.top)
    }

    /// Writes what brings the terminal to this frame: one synchronised update, or no byte when nothing changed.
    pub fn draw(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) {
        if self.rows() == 0 || self.cols() == 0 {
            self.hold(frame.commit);
            return;
        }
        let (live, cursor) = self.clip(frame.live, frame.cursor);
        let next = lay_out(live, self.cols());
        let room = usize::from(next.area.height).max(1);
        let before = out.len();
        let mut writer = Writer::relative(out, self.dialect, self.above);
        writer.begin_frame();
        let begun = writer.len();

        let held = std::mem::take(&mut self.held);
        let has_commit = !(held.is_empty() && frame.commit.is_empty());
        if has_commit || !self.known {
            self.erase(&mut writer);
            if has_commit {
                self.live.leave_above();
            }
            self.top += print_all(held.iter().chain(frame.commit), self.cols(), &mut writer);
        }
        self.top = self.top.min(self.rows() - room);
        if room > self.live.height().max(1) {
            // Feeds lines where the window ends.
            writer.move_to(room - 1, 0);
        }
        self.live.draw(next, self.cols(), &mut writer);
        self.known = true;
        self.had_rows_below |= cursor.row + 1 < self.live.height();

        if writer.len() == begun && cursor == self.cursor && self.cursor_known {
            writer.truncate(before);
            return;
        }
        (self.cursor, self.cursor_known, self.above) = (cursor, true, cursor.row);
        writer.plain();
        writer.move_to(cursor.row, cursor.column);
        if cursor.shown {
            writer.show_cursor();
        }
        writer.end_frame();
    }

    /// Keeps rows to commit until the next frame that can be drawn.
    pub fn hold(&mut self, commit: &[Row]) {
        self.held.extend_from_slice(commit);
    }

    /// Whether rows wait for the next frame.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// The cursor was hidden, shown or moved by others: the next frame puts it where it belongs.
    pub fn forget_cursor(&mut self) {
        self.cursor_known = false;
    }

    /// Tells the window's new size and the cursor as the terminal reports it after its own reflow. The size may be the
    /// one before: it was another one meanwhile. The next `draw` shows the result.
    ///
    /// Without a report, or with one that is not of this size, the live rows are taken for unfolded: what a narrower
    /// window folded of them is left behind then, but nothing above them is touched.
    pub fn resize(&mut self, size: Size, reported: Option<Position>) {
        if size == self.size && self.known && !self.had_rows_below {
            // Terminals only drop rows below the cursor, and there were none.
            return;
        }
        self.had_rows_below = false;
        self.size = size;
        self.above = self.cursor.row;
        let reported = reported.filter(|cursor| cursor.x < size.width && cursor.y < size.height);
        if let Some(at) = reported {
            // The terminal kept the cursor with its text, so the first live row is as far above it as before, plus
            // the rows that a narrower window folded. What a lower window pushed away cannot be reached before a higher
            // one brings it back.
            let (row, column) = (self.cursor.row, self.cursor.column);
            self.above = self.live.rows_above(row, column, self.cols(), at);
        } else {
            self.live.leave_above();
        }
        let last = usize::from(size.height).saturating_sub(1);
        self.top = reported.map_or(self.top.min(last), |at| usize::from(at.y) - self.above);
        let below = reported.map_or(0, |at| usize::from(size.height - 1 - at.y));
        // Rows that came back stand above those of the last frame; what is too much here is blank.
        let most = self.above + self.live.folded_rows(self.cols()).max(self.live.height());
        self.doubtful = most.min(self.above + below + 1);
        self.known = false;
    }

    /// Erases the live rows and leaves the cursor below the last committed row, for a stop in the background.
    pub fn suspend(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::relative(out, self.dialect, self.above);
        writer.begin_frame();
        self.erase(&mut writer);
        writer.move_to(0, 0);
        writer.show_cursor();
        writer.end_frame();
        self.live.leave_above();
        self.known = false;
        self.doubtful = 0;
        self.above = 0;
        self.cursor = Cursor { shown: true, ..Cursor::default() };
    }

    /// Begins anew at the cursor, after `suspend` or after anything else wrote to the terminal. Without a report the
    /// last row is assumed. The next `draw` is a full one.
    pub fn resume(&mut self, size: Size, cursor_row: Option<u16>) {
        self.size = size;
        self.live.clear();
        self.live.leave_above();
        self.known = false;
        self.doubtful = cursor_row.map_or(1, |row| usize::from(size.height.saturating_sub(row)));
        self.above = 0;
        self.top = cursor_row.unwrap_or(size.height.saturating_sub(1)).into();
        self.cursor = Cursor { shown: true, ..Cursor::default() };
    }

    /// Leaves the terminal for good: the live rows stay as they are, the cursor stands in a free row below them.
    pub fn leave(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::relative(out, self.dialect, self.above);
        writer.begin_frame();
        writer.move_to(self.live.height(), 0);
        writer.show_cursor();
        writer.end_frame();
    }

    /// Erases the live rows one by one, and whatever else may stand there when that is not known.
    fn erase(&mut self, writer: &mut Writer<'_>) {
        let end = if self.known { self.live.height() } else { self.doubtful };
        for row in 0..end {
            writer.move_to(row, 0);
            writer.erase_to_end();
        }
        if self.known {
            self.live.clear();
        } else {
            self.live.clear_reached(self.cursor.row);
        }
    }

    /// The live rows that the window can hold, the last ones but never without the cursor's, and the cursor in them.
    fn clip<'r>(&self, live: &'r [Row], cursor: Option<Position>) -> (&'r [Row], Cursor) {
        let shown = live.len().min(self.rows());
        let row = cursor.map_or(usize::MAX, |cursor| usize::from(cursor.y));
        let first = (live.len() - shown).min(row);
        let visible = live.get(first..first + shown).unwrap_or_default();
        let Some(position) = cursor else { return (visible, Cursor::default()) };
        let row = (row - first).min(shown.saturating_sub(1));
        let column = usize::from(position.x).min(self.cols().saturating_sub(1));
        (visible, Cursor { row, column, shown: true })
    }

    fn rows(&self) -> usize {
        usize::from(self.size.height)
    }

    fn cols(&self) -> usize {
        usize::from(self.size.width)
    }
}

/// Prints committed rows from the first live row on, which is then the row below them: so many feeds as there are live
/// rows leave these just below the last printed one, wherever the terminal's own widths put it. Returns how many screen
/// rows they should be.
fn print_all<'r>(rows: impl Iterator<Item = &'r Row>, cols: usize, writer: &mut Writer<'_>) -> usize {
    let mut printed = 0;
    for (index, row) in rows.enumerate() {
        if index == 0 {
            writer.move_to(0, 0);
        }
        print(row, cols, writer);
        writer.begin_live();
        printed += fold(row_clusters(row), cols).rows;
    }
    printed
}

/// Prints one committed row from the first column on. The terminal folds what is longer than the window.
fn print(row: &Row, cols: usize, writer: &mut Writer<'_>) {
    let folded = fold(row_clusters(row), cols);
    let width: usize = row_clusters(row).map(|cluster| cluster.width).sum();
    let in_one_row = !row.unbroken && width <= cols;
    let (mut column, mut colored, mut spilled) = (0, false, false);
    for span in &row.spans {
        colored |= span.style.bg.is_some();
        for part in parts(span.text.as_str()) {
            writer.text(part.text, span.style);
            column += part.width;
            spilled |= part.spills;
            // What follows stays in its column. Only forward: going back would draw over a part of what a terminal
            // without joined emoji shows, and in the scrollback that part would be lost. Behind such an emoji that
            // terminal is further than we count, so that every place named from there on would be back.
            if in_one_row && part.skips_forward && !spilled && column < cols {
                writer.plain();
                writer.move_to_column(column);
            }
        }
    }
    writer.plain();
    // A background may have been spread over the rest of a folded row. At the very end of a row there is nothing to
    // erase, and some terminals would then erase its last cell.
    if colored && folded.certain && folded.column < cols {
        writer.erase_to_end();
    }
}

fn row_clusters(row: &Row) -> impl Iterator<Item = Cluster<'_>> {
    row.spans.iter().flat_map(|span| clusters(span.text.as_str()))
}

/// A stretch of text to be written at once.
struct Part<'a> {
    text: &'a str,
    width: usize,
    /// Some terminals give its last cluster fewer cells than we do, and none more.
    skips_forward: bool,
    /// Some terminals give it more cells than we do.
    spills: bool,
}

/// The text in as few parts as possible: up to each cluster that needs a move after it, without control characters.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut end, mut width, mut spills) = (0, 0, 0, false);
    let mut flush = |start: usize, end: usize, width: usize, skips_forward: bool, spills: bool| {
        if let Some(text) = text.get(start..end).filter(|text| !text.is_empty()) {
            parts.push(Part { text, width, skips_forward, spills });
        }
    };
    for cluster in clusters(text) {
        let at = cluster.text.as_ptr().addr() - text.as_ptr().addr();
        if at != end {
            flush(start, end, width, false, spills);
            (start, width, spills) = (at, 0, false);
        }
        end = at + cluster.text.len();
        width += cluster.width;
        spills |= cluster.widest > cluster.width;
        if cluster.narrowest < cluster.width && cluster.widest == cluster.width {
            flush(start, end, width, true, spills);
            (start, width, spills) = (end, 0, false);
        }
    }
    flush(start, end, width, false, spills);
    parts
}
