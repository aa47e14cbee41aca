//! The inspector within the chat: opening and leaving it, its keys, its drawing.
//!
//! It lies over everything but the picker. A question of the pod that comes meanwhile is told in its first row and waits
//! below it: letters mean other things here, so none of them may answer. What the inspector wishes becomes an effect.

use std::time::Duration;

use carpel_protocol::MethodLine;
use carpel_protocol::event::OutputPiece;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::approval;
use crate::chat::event::Effect;
use crate::chat::screen::{Drawing, on_alternate};
use crate::chat::state::{Chat, Link};
use crate::inspector::draw::{self, DrawCx, Picture};
use crate::inspector::fetch;
use crate::inspector::keys::{self, KeyCx, Wish};
use crate::inspector::{Inspector, Mode, query};
use crate::paint::Inspect;
use crate::render::look::Look;

/// Opens it.
pub fn open(chat: &mut Chat) {
    chat.inspector = Some(Inspector::new(chat.density));
}

/// True for the key that opens it.
pub fn is_opened_by(pressed: KeyEvent) -> bool {
    pressed.modifiers == KeyModifiers::CONTROL && matches!(pressed.code, KeyCode::Char('t' | 'T'))
}

/// Applies a key; `None` when it is not open.
pub fn key(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Option<Vec<Effect>> {
    let inspector = chat.inspector.as_mut()?;
    let cx = KeyCx { items: chat.transcript.refreshed(), registry: &chat.registry };
    let Some(wish) = keys::key(inspector, &cx, pressed) else { return Some(Vec::new()) };
    Some(match wish {
        Wish::Leave => {
            chat.inspector = None;
            // What it hid comes into sight now: a key that was meant for the inspector is no answer.
            chat.approvals.comes_into_sight(now);
            Vec::new()
        }
        Wish::Copy(copying) => vec![Effect::Copy(copying)],
        Wish::Open(target) => vec![Effect::OpenFile(target)],
        Wish::Suspend => vec![Effect::Suspend],
    })
}

/// Applies a paste; false when it is not open.
pub fn paste(chat: &mut Chat, text: &str) -> bool {
    let Some(inspector) = &mut chat.inspector else { return false };
    query::paste(inspector, text);
    true
}

/// A word about what it wished.
pub fn told(chat: &mut Chat, word: String) {
    if let Some(inspector) = &mut chat.inspector {
        inspector.mode = Mode::Browse;
        inspector.word = Some(word);
    }
}

/// A piece of an output came. The call has the whole once it is there.
pub fn piece(chat: &mut Chat, piece: &OutputPiece) {
    let whole = chat.inspector.as_mut().and_then(|inspector| inspector.fetch.take(piece));
    if let Some(whole) = whole {
        chat.transcript.fetched(&whole.key, whole.text, whole.total);
    }
}

/// The rest of an output cannot be had.
pub fn no_output(chat: &mut Chat, why: &str) {
    if let Some(inspector) = &mut chat.inspector {
        inspector.fetch.fail(why);
    }
}

/// What was asked for on a connection that is lost is asked for again.
pub fn connection_lost(chat: &mut Chat) {
    if let Some(inspector) = &mut chat.inspector {
        inspector.fetch.interrupted();
    }
}

/// Draws it; `None` when it is not open.
pub fn draw(chat: &mut Chat, paint: &mut dyn Inspect, look: &Look, now: Duration) -> Option<Drawing> {
    let waiting = approval::waiting(chat);
    chat.transcript.refresh();
    let Some(inspector) = &mut chat.inspector else { return None };
    let window = (usize::from(chat.window.width), usize::from(chat.window.height));
    let items = chat.transcript.refreshed();
    let is_connected = chat.link == Link::Connected;
    let cx = DrawCx { items, registry: &chat.registry, look: *look, window, now, waiting, is_connected };
    let Picture { rows, cursor, due, ask } = draw::draw(inspector, paint, &cx);
    let ask = ask.map(|method| MethodLine { id: Some(fetch::METHOD.to_owned()), ..MethodLine::from(method) });
    Some(Drawing { due, ask, ..on_alternate(rows, cursor, look) })
}
