//! Writing what to look for: each letter looks at once, Esc goes back to where the person stood.
//!
//! Enter keeps the hit; an empty query keeps what was looked for before. The search itself is in [`super::search`], which
//! reads on with every drawing.

use crossterm::event::KeyCode;

use crate::inspector::bindings::Press;
use crate::inspector::keys::{KeyCx, Wish, go};
use crate::inspector::{Inspector, Mode};

/// Begins a query.
pub(super) fn begin(inspector: &mut Inspector, _cx: &KeyCx<'_>) -> Option<Wish> {
    inspector.mode = Mode::Query;
    inspector.search.query.replace_all("");
    inspector.search.before =
        Some((inspector.cursor.spot.clone()?, inspector.search.needle().text().to_owned()));
    None
}

/// A key of the query.
pub(super) fn write(inspector: &mut Inspector, cx: &KeyCx<'_>, press: Press) {
    let query = &mut inspector.search.query;
    match press {
        (KeyCode::Enter | KeyCode::Tab, _) => {
            inspector.mode = Mode::Browse;
            // Nothing written: what was looked for before stays.
            if query.is_empty() {
                give_up(inspector, cx);
            }
            return;
        }
        (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => {
            inspector.mode = Mode::Browse;
            give_up(inspector, cx);
            return;
        }
        (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) if query.is_empty() => {
            inspector.mode = Mode::Browse;
            give_up(inspector, cx);
            return;
        }
        (KeyCode::Backspace, false) | (KeyCode::Char('h'), true) => query.backspace(),
        (KeyCode::Char('u'), true) => query.replace_all(""),
        (KeyCode::Char('w'), true) => query.kill_word_back(),
        (KeyCode::Left, _) => query.left(),
        (KeyCode::Right, _) => query.right(),
        (KeyCode::Home, _) => query.home(),
        (KeyCode::End, _) => query.end(),
        (KeyCode::Char(letter), false) => query.insert(letter.encode_utf8(&mut [0; 4])),
        _ => return,
    }
    look(inspector);
}

fn look(inspector: &mut Inspector) {
    let from = inspector.search.before.as_ref().map(|(spot, _)| spot.clone());
    let query = inspector.search.query.text().to_owned();
    inspector.search.look_for(&query, from);
    inspector.details.seeks = !query.is_empty();
}

/// Back to where the person stood and what they looked for then.
fn give_up(inspector: &mut Inspector, cx: &KeyCx<'_>) {
    if let Some((spot, before)) = inspector.search.before.take() {
        inspector.search.look_for(&before, None);
        if inspector.cursor.spot.as_ref() != Some(&spot) {
            go(inspector, cx.items, spot);
        }
    }
}

/// Puts pasted text into the query, while one is written.
pub fn paste(inspector: &mut Inspector, text: &str) {
    if inspector.mode == Mode::Query {
        inspector.search.query.insert(text.lines().next().unwrap_or_default());
        look(inspector);
    }
}
