//! The draft folded into rows of a width, and where the cursor stands in them.
//!
//! Rows break anywhere between grapheme clusters, so that a row never changes because of a word further on. Tabs go to
//! the stops of the draft's own lines, as in the message that is made of them. Text is cut into clusters once a layout; a draft is short, and a long paste is one label.

use carpel_slots::Printable;
use carpel_slots::printable::TAB_STOP;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::composer::buffer::Buffer;

/// The draft in rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows, top to bottom; at least one.
    pub rows: Vec<LayoutRow>,
    /// Row of the cursor.
    pub cursor_row: usize,
    /// Column of the cursor, in cells; at most the width.
    pub cursor_column: usize,
}

/// One row of the draft.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LayoutRow {
    /// What is shown, and whether it is a label that stands for a paste.
    pub parts: Vec<(Printable, bool)>,
    /// Byte offset of its first character in the draft.
    pub start: usize,
    /// Where each cluster begins: byte offset and column. Used to find a place above or below the cursor.
    clusters: Vec<(usize, usize)>,
    width: usize,
}

/// Folds the draft. A width of 0 counts as 1.
pub fn layout(buffer: &Buffer, width: usize) -> Layout {
    let width = width.max(1);
    let mut rows = vec![LayoutRow::default()];
    let mut cursor = (0, 0);
    // Cells since the last line feed: rows do not count for a tab.
    let mut column = 0;
    for (offset, cluster) in buffer.text().grapheme_indices(true) {
        if cluster == "\n" || cluster == "\r\n" {
            note_cursor(&mut cursor, &rows, offset == buffer.cursor());
            close_row(&mut rows, offset);
            rows.push(LayoutRow { start: offset + cluster.len(), ..LayoutRow::default() });
            column = 0;
            continue;
        }
        let label = cluster.chars().next().and_then(|c| buffer.paste_label(c));
        let shown = match &label {
            Some(label) => Printable::line(label),
            None if cluster == "\t" => Printable::line(&" ".repeat(TAB_STOP - column % TAB_STOP)),
            None => Printable::prose(cluster),
        };
        let cells = shown.as_str().width();
        column += cells;
        let last = rows.len() - 1;
        if rows[last].width + cells > width && rows[last].width > 0 {
            close_row(&mut rows, offset);
            rows.push(LayoutRow { start: offset, ..LayoutRow::default() });
        }
        note_cursor(&mut cursor, &rows, offset == buffer.cursor());
        let last = rows.len() - 1;
        let row = &mut rows[last];
        row.clusters.push((offset, row.width));
        row.width += cells;
        row.parts.push((shown, label.is_some()));
    }
    let at_end = buffer.cursor() == buffer.text().len();
    if at_end && rows[rows.len() - 1].width >= width {
        // The cursor needs a cell of its own behind a full row.
        close_row(&mut rows, buffer.text().len());
        rows.push(LayoutRow { start: buffer.text().len(), ..LayoutRow::default() });
    }
    note_cursor(&mut cursor, &rows, at_end);
    close_row(&mut rows, buffer.text().len());
    Layout { rows, cursor_row: cursor.0, cursor_column: cursor.1 }
}

fn note_cursor(cursor: &mut (usize, usize), rows: &[LayoutRow], here: bool) {
    if here {
        *cursor = (rows.len() - 1, rows[rows.len() - 1].width);
    }
}

fn close_row(rows: &mut [LayoutRow], end: usize) {
    if let Some(row) = rows.last_mut() {
        row.clusters.push((end, row.width));
    }
}

impl Layout {
    /// Byte offset of the place `rows` above (negative) or below the cursor, in its column or before it; `None` where
    /// there is no such row.
    pub fn vertical(&self, rows: isize) -> Option<usize> {
        let row = self.rows.get(self.cursor_row.checked_add_signed(rows)?)?;
        let cluster = row.clusters.iter().take_while(|(_, column)| *column <= self.cursor_column).last();
        Some(cluster.map_or(row.start, |(offset, _)| *offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, cursor: usize, width: usize, want_rows: &[&str], want_cursor: (usize, usize)) {
        let mut buffer = Buffer::default();
        buffer.insert_paste(text);
        buffer.move_to(cursor);
        let layout = layout(&buffer, width);
        let rows: Vec<String> =
            layout.rows.iter().map(|row| row.parts.iter().map(|(text, _)| text.as_str()).collect()).collect();
        assert_eq!(rows, want_rows, "{text:?} at width {width}");
        assert_eq!((layout.cursor_row, layout.cursor_column), want_cursor, "{text:?} at width {width}");
    }

    #[test]
    fn folding() {
        check("", 0, 10, &[""], (0, 0));
        check("abc", 3, 10, &["abc"], (0, 3));
        check("abcdef", 6, 3, &["abc", "def", ""], (2, 0));
        check("abcdef", 3, 3, &["abc", "def"], (1, 0));
        check("a\nb", 1, 10, &["a", "b"], (0, 1));
        check("a\n", 2, 10, &["a", ""], (1, 0));
        check("漢字漢", 9, 5, &["漢字", "漢"], (1, 2));
        check("漢", 0, 1, &["漢"], (0, 0));
        check("e\u{301}x", 4, 1, &["e\u{301}", "x", ""], (2, 0));
        check("ab", 0, 0, &["a", "b"], (0, 0));
        check("\ta\tb\nc\td", 0, 20, &["    a   b", "c   d"], (0, 0));
        check("abcde\tf", 6, 6, &["abcde", "   f"], (1, 3));
    }

    #[test]
    fn up_and_down_keep_the_column() {
        let mut buffer = Buffer::default();
        buffer.insert("abcd\nx\nefgh");
        buffer.move_to(10);
        let step = |buffer: &Buffer, rows| layout(buffer, 20).vertical(rows);
        assert_eq!(step(&buffer, -1), Some(6));
        assert_eq!(step(&buffer, -2), Some(3));
        assert_eq!(step(&buffer, 1), None);
        assert_eq!(step(&buffer, -3), None);
    }
}
