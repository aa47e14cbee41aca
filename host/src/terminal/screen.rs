//! The inline viewport: committed rows go into the terminal's scrollback once, live rows are redrawn below them.
//!
//! Owns where the live rows stand on the screen, and turns one frame (rows to commit, live rows, cursor) into bytes:
//! one synchronised update, or nothing at all when nothing changed. It is the repaint writer of the measurements: a
//! commit erases the live rows, prints from their first row with the whole screen scrolling, and feeds lines until
//! the live rows have room, which is right however the terminal counted the widths. It does no IO, asks nothing and
//! knows no time: size and cursor row are told to it. Read `live.rs` for the diff, `session.rs` for who calls this.

use ratatui::layout::{Position, Size};

use super::cluster::{Cluster, clusters, fold};
use super::live::{LiveArea, lay_out};
use super::sgr::ColorDepth;
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
    depth: ColorDepth,
    /// Screen row of the first live row: the one below the last committed row.
    top: usize,
    live: LiveArea,
    /// Where the terminal's cursor was left, within the live rows, and whether it is shown.
    cursor: Cursor,
    /// False when something else has moved, hidden or shown the cursor.
    cursor_known: bool,
    /// False when the screen from `top` down may show something else than `live` remembers.
    known: bool,
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
        let mut new = Self {
            size,
            depth: ColorDepth::Full,
            top: usize::from(cursor_row),
            live: LiveArea::default(),
            cursor: Cursor { shown: true, ..Cursor::default() },
            cursor_known: true,
            known: false,
            held: Vec::new(),
        };
        new.keep_top_inside();
        new
    }

    /// The same viewport, with or without colours.
    pub fn with_colors(mut self, depth: ColorDepth) -> Self {
        self.depth = depth;
        self
    }

    /// The window's size as it was last told.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Screen row of the first live row.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Rows of the window from the first live row down.
    pub fn room(&self) -> usize {
        usize::from(self.size.height).saturating_sub(self.top)
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
        let mut writer = Writer::new(out, self.depth);
        writer.begin_frame();
        let begun = writer.len();

        let held = std::mem::take(&mut self.held);
        let has_commit = !(held.is_empty() && frame.commit.is_empty());
        if has_commit || !self.known || self.top + room > self.rows() {
            self.make_room(held.iter().chain(frame.commit), room, &mut writer);
        }
        self.live.draw(next, self.top, self.cols(), &mut writer);
        self.known = true;

        if writer.len() == begun && cursor == self.cursor && self.cursor_known {
            writer.truncate(before);
            return;
        }
        (self.cursor, self.cursor_known) = (cursor, true);
        writer.plain();
        writer.move_to(self.top + cursor.row, cursor.column);
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

    /// Tells the window's new size and the cursor as the terminal reports it after its own reflow; without a report
    /// the last row is assumed. The same size changes nothing, unless the cursor shows that the window was another
    /// one meanwhile. The next `draw` shows the result.
    pub fn resize(&mut self, size: Size, reported: Option<Position>) {
        let expected = self.top + self.cursor.row;
        if size == self.size && reported.is_none_or(|cursor| usize::from(cursor.y) == expected) {
            return;
        }
        self.size = size;
        let last = Position::new(u16::MAX, size.height.saturating_sub(1));
        let at = reported.unwrap_or(last);
        // The terminal kept the cursor with its text, so the first live row is as far above it as before, plus
        // the rows that a narrower window folded.
        let (row, column) = (self.cursor.row, self.cursor.column);
        let above = self.live.rows_above(row, column, self.cols(), at.x.into());
        self.top = usize::from(at.y).saturating_sub(above);
        self.keep_top_inside();
        self.known = false;
    }

    /// Erases the live rows and leaves the cursor below the last committed row, for a stop in the background.
    pub fn suspend(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::new(out, self.depth);
        writer.begin_frame();
        self.erase(&mut writer);
        writer.move_to(self.top, 0);
        writer.show_cursor();
        writer.end_frame();
        self.known = false;
        self.cursor = Cursor { shown: true, ..Cursor::default() };
    }

    /// Begins anew at the cursor, after `suspend` or after anything else wrote to the terminal. Without a report the
    /// last row is assumed. The next `draw` is a full one.
    pub fn resume(&mut self, size: Size, cursor_row: Option<u16>) {
        self.size = size;
        self.live.clear();
        self.top = cursor_row.map_or(self.rows().saturating_sub(1), usize::from);
        self.keep_top_inside();
        self.known = false;
        self.cursor = Cursor { shown: true, ..Cursor::default() };
    }

    /// Leaves the terminal for good: the live rows stay as they are, the cursor stands in a free row below them.
    pub fn leave(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::new(out, self.depth);
        writer.begin_frame();
        let below = self.top + self.live.height();
        if self.rows() == 0 {
            // Nothing was ever drawn.
        } else if below < self.rows() {
            writer.move_to(below, 0);
        } else {
            writer.move_to(self.rows().saturating_sub(1), 0);
            writer.new_line();
        }
        writer.show_cursor();
        writer.end_frame();
    }

    /// Leaves the terminal while it is not known where the live rows stand: below the bottom row is below them.
    pub fn leave_blind(&mut self, out: &mut Vec<u8>) {
        let mut writer = Writer::new(out, self.depth);
        writer.begin_frame();
        // Terminals take a row beyond the last one for the last one.
        writer.move_to(usize::from(u16::MAX) - 1, 0);
        writer.new_line();
        writer.show_cursor();
        writer.end_frame();
    }

    /// Prints committed rows in the place of the live ones and scrolls until `room` rows are free below.
    fn make_room<'r>(&mut self, commit: impl Iterator<Item = &'r Row>, room: usize, writer: &mut Writer<'_>) {
        self.erase(writer);
        let bottom = self.rows() - room;
        let mut printed = 0;
        for row in commit {
            if printed == 0 {
                writer.move_to(self.top, 0);
            } else {
                writer.new_line();
            }
            print(row, self.cols(), writer);
            printed += fold(row_clusters(row), self.cols()).rows;
        }
        let top = (self.top + printed).min(bottom);
        if printed > 0 {
            // From the last printed row, wherever the terminal's own widths put it, this many feeds leave it just
            // above the new top.
            writer.line_feeds(self.rows() - top);
        } else if top < self.top {
            writer.move_to(self.rows() - 1, 0);
            writer.line_feeds(self.top - top);
        }
        self.top = top;
    }

    /// Erases the live rows one by one; all rows below the top when it is not known what stands there.
    fn erase(&mut self, writer: &mut Writer<'_>) {
        let end = if self.known { self.top + self.live.height() } else { self.rows() };
        for row in self.top..end.min(self.rows()) {
            writer.move_to(row, 0);
            writer.erase_to_end();
        }
        self.live.clear();
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

    fn keep_top_inside(&mut self) {
        self.top = self.top.min(self.rows().saturating_sub(1));
    }

    fn rows(&self) -> usize {
        usize::from(self.size.height)
    }

    fn cols(&self) -> usize {
        usize::from(self.size.width)
    }
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
