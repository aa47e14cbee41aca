//! Target: Markdown to rows. The first byte is the width, the rest the text of an answer.
//!
//! Holds: the rows do not depend on how the text came; none is wider than asked unless the terminal is to fold it, and
//! the live ones never; none has a character that is not one to be seen. It knows no flow.

use std::time::Duration;

use carpel::paint::{PaintCx, Place};
use carpel::render::markdown::{MarkdownStream, whole};
use carpel::render::{Highlighter, Look};
use carpel::row::Row;
use carpel_slots::Density;

use crate::strict;

pub fn run(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let width = usize::from(*first % 80) + 1;
    let text = String::from_utf8_lossy(rest);
    let rows = whole(&text, width, Look::COLOUR, &mut Highlighter::inline());
    check(&rows, width, Place::Settled);
    for pieces in super::text_cuttings(&text) {
        assert_eq!(streamed(&text, &pieces, width), rows, "{width} columns, cut into {pieces:?}");
    }
}

/// The settled rows of a text that comes in pieces. What is drawn of its end meanwhile is checked.
fn streamed(text: &str, pieces: &[&str], width: usize) -> Vec<Row> {
    let mut highlighter = Highlighter::inline();
    let mut stream = MarkdownStream::default();
    let cx = |place| PaintCx { width, density: Density::Normal, now: Duration::ZERO, place };
    let mut rows = Vec::new();
    let mut end = 0;
    for (number, piece) in pieces.iter().enumerate() {
        end += piece.len();
        let settled = stream.settle(&text[..end], false, &cx(Place::Settled), Look::COLOUR, &mut highlighter);
        rows.extend(settled.rows);
        // A tail is drawn anew each time; not for each of many small pieces.
        if number % 7 == 0 {
            let tail = stream.tail(&text[..end], &cx(Place::Live), Look::COLOUR, &mut highlighter);
            check(&tail.rows, width, Place::Live);
        }
    }
    rows.extend(stream.settle(text, true, &cx(Place::Settled), Look::COLOUR, &mut highlighter).rows);
    stream.close(&mut highlighter);
    rows
}

/// What holds of all rows.
pub(super) fn check(rows: &[Row], width: usize, place: Place) {
    for row in rows {
        assert_eq!(strict::check_row(&row.text()), Ok(()));
        let may_be_wide = row.unbroken && place == Place::Settled;
        assert!(may_be_wide || row.width() <= width, "{:?} is wider than {width}", row.text());
    }
}
