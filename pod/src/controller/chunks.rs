//! A session's past as the lines that a client gets first.
//!
//! Owns how much of it stands in one line, so that none is too long for the wire. It refuses to know who gets them.

use std::sync::Arc;

use carpel_protocol::event::History;
use carpel_protocol::{Event, Record};

use super::feed::Line;

/// Items of one `history` line.
const CHUNK_ITEMS: usize = 256;
/// Bytes of one `history` line, unless a single item is larger.
const CHUNK_BYTES: usize = 1024 * 1024;

/// The records in chunks that fit a line; at least one, so that a client hears where the past ends.
pub(super) fn history(records: &[Record]) -> Vec<Arc<Line>> {
    let mut chunks = vec![Vec::new()];
    let mut bytes = 0;
    for record in records {
        let size = carpel_protocol::frame::encode(record).len();
        let last = chunks.len() - 1;
        let full = chunks[last].len() == CHUNK_ITEMS || bytes + size > CHUNK_BYTES;
        if full && !chunks[last].is_empty() {
            chunks.push(vec![record.clone()]);
            bytes = size;
        } else {
            chunks[last].push(record.clone());
            bytes += size;
        }
    }
    let count = chunks.len();
    let line = |(at, items)| Line::new(Event::History(History { items, more: at + 1 < count }));
    chunks.into_iter().enumerate().map(line).collect()
}
