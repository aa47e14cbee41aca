//! Markdown that is nested too deeply to be drawn: nobody writes it, and each level costs stack and margin.
//!
//! Owns how deep is too deep, and that such a text is shown as it was written, whole. It refuses to know how blocks look.

use std::ops::Range;

use carpel_slots::Printable;
use pulldown_cmark::{Event, TagEnd};
use ratatui::style::Style;

use super::inline::GUARD;
use crate::render::clip::{self, LINE_CELLS};
use crate::render::wrap::{self, Indent};
use crate::render::{Look, code};
use crate::row::{Row, RowSpan};

/// Quotations, lists and their items within each other.
const DEEPEST: usize = 64;

/// Whether a walk over a text would go down too far.
pub fn is_too_deep(events: &[(Event<'_>, Range<usize>)]) -> bool {
    let is_container = |tag: &TagEnd| matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item);
    let mut depth = 0_usize;
    events.iter().any(|(event, _)| {
        match event {
            Event::Start(tag) if is_container(&tag.to_end()) => depth += 1,
            Event::End(tag) if is_container(tag) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// The rows of its lines, whatever their signs mean.
pub fn as_written(source: &str, width: usize, look: Look) -> Vec<Row> {
    let rows = |line: &str| {
        let text = Printable::prose(&code::source_line(line));
        let spans = clip::long_line(vec![RowSpan { text, style: Style::new() }], LINE_CELLS, look);
        wrap::wrap_prose(&spans, width, &Indent::default())
    };
    source.trim_start_matches(GUARD).trim_end().lines().flat_map(rows).collect()
}
