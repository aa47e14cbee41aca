//! The first and the last row of the inspector: where one is, what is looked for, what waits, what the next key is for.
//!
//! What tells least goes first where the window is narrow. It reads and changes nothing.

use carpel_slots::{Printable, Role};

use crate::inspector::{Inspector, Mode};
use crate::render::Look;
use crate::render::wrap::{self, blanks, spans_width, text_width};
use crate::row::{Row, RowSpan};

/// Where one is among how many items.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// From 1; 0 in an empty session.
    pub number: usize,
    /// All of them.
    pub of: usize,
    /// Questions that wait for an answer.
    pub waiting: usize,
}

/// The first row.
pub fn row(inspector: &Inspector, place: Place, look: Look, width: usize) -> Row {
    let dot = look.glyphs.separator;
    let span = |role, text: String| RowSpan { text: Printable::line(&text), style: look.theme.role(role) };
    let mut left = vec![span(Role::Plain, format!(" {} of {}", place.number, place.of))];
    if place.waiting > 0 {
        let noun = if place.waiting == 1 { "waits" } else { "wait" };
        left.push(span(Role::Dim, format!(" {dot} ")));
        left.push(span(Role::Warning, format!("{} {noun} for you: q", place.waiting)));
    }
    if let Some(found) = found(inspector) {
        left.push(span(Role::Dim, format!(" {dot} ")));
        left.push(span(Role::Accent, found));
    }
    if inspector.cursor.follows {
        left.push(span(Role::Dim, format!(" {dot} follows")));
    }
    let density = inspector.folds.density().name();
    let all = [format!("{density} {dot} ? keys"), "? keys".to_owned(), String::new()];
    let taken = spans_width(&left);
    let right = all.into_iter().find(|text| taken + text.chars().count() + 2 <= width).unwrap_or_default();
    if !right.is_empty() {
        left.extend(blanks(width - taken - right.chars().count()));
        left.push(span(Role::Dim, right));
    }
    wrap::cut(&Row { spans: left, unbroken: false }, width, look.glyphs.ellipsis)
}

/// `/todo 3 of 7`; with `+` while it is still being counted.
fn found(inspector: &Inspector) -> Option<String> {
    let search = &inspector.search;
    if search.needle().is_empty() {
        return None;
    }
    let (count, more) = (search.count(), if search.is_complete() { "" } else { "+" });
    let query = search.needle().text();
    Some(match inspector.cursor.spot.as_ref().and_then(|spot| search.number(spot)) {
        Some(number) => format!("/{query} {number} of {count}{more}"),
        None if count == 0 && more.is_empty() => format!("/{query} nowhere"),
        None => format!("/{query} {count}{more}"),
    })
}

/// The last row, while it is needed, and the column of the cursor in it.
pub fn foot(
    inspector: &Inspector,
    menu: &[(char, &'static str)],
    look: Look,
    width: usize,
) -> Option<(Row, Option<usize>)> {
    let (mut row, mut cursor) = (Row::default(), None);
    match (&inspector.mode, &inspector.word) {
        (Mode::Query, _) => {
            let query = &inspector.search.query;
            let (before, after) = query.text().split_at(query.cursor());
            row.push(look.theme.role(Role::Accent), Printable::line(" /"));
            // Of a long query what is being written is in sight.
            let mut start = 0;
            while text_width(&before[start..]) + 3 > width.max(4) {
                start += before[start..].chars().next().map_or(1, char::len_utf8);
            }
            row.push(look.theme.role(Role::Plain), Printable::line(&before[start..]));
            cursor = Some(row.width().min(width.saturating_sub(1)));
            row.push(look.theme.role(Role::Plain), Printable::line(after));
        }
        (Mode::Copy, _) => {
            row.push(look.theme.dim(), Printable::line(" copy"));
            for (letter, what) in menu {
                row.push(look.theme.role(Role::Accent), Printable::line(&format!("  {letter}")));
                row.push(look.theme.role(Role::Plain), Printable::line(&format!(" {what}")));
            }
        }
        (Mode::Browse | Mode::Keys(_), Some(word)) => {
            row.push(look.theme.role(Role::Warning), Printable::line(&format!(" {word}")));
        }
        (Mode::Browse | Mode::Keys(_), None) => return None,
    }
    Some((wrap::cut(&row, width, look.glyphs.ellipsis), cursor))
}
