//! What a key does in the inspector; which key it is stands in [`super::bindings`].
//!
//! What leaves the inspector's own state is a [`Wish`], which the chat grants. Writing a query, choosing a copy and reading
//! the keys each take the keys for themselves and give them back with Esc; so do the details for what scrolls them.

use carpel_slots::{Density, Registry};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::inspector::bindings::{BINDINGS, Press};
use crate::inspector::copy::{self, Copying};
use crate::inspector::cursor::{Spot, Want};
use crate::inspector::jump::{self, Kind};
use crate::inspector::query;
use crate::inspector::search::Way;
use crate::inspector::subject::{self, Target};
use crate::inspector::{Inspector, Mode};
use crate::transcript::item::FlowItem;

/// What the chat has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Closes the inspector.
    Leave,
    /// Puts something into the clipboard.
    Copy(Copying),
    /// Opens a file in the person's editor.
    Open(Target),
    /// Goes to the background.
    Suspend,
}

/// What keys are read against.
pub struct KeyCx<'a> {
    /// All items, as they were drawn last.
    pub items: &'a [FlowItem],
    /// Views, for what a call is about.
    pub registry: &'a Registry,
}

/// Applies a key.
pub fn key(inspector: &mut Inspector, cx: &KeyCx<'_>, pressed: KeyEvent) -> Option<Wish> {
    inspector.word = None;
    let press = press(pressed);
    match inspector.mode {
        Mode::Query => {
            query::write(inspector, cx, press);
            return None;
        }
        Mode::Copy => return choose_copy(inspector, cx, press),
        Mode::Keys(row) => {
            inspector.mode = read_keys(row, press);
            return None;
        }
        Mode::Browse => {}
    }
    if inspector.details.has_focus && scroll_details(inspector, press) {
        return None;
    }
    let binding = BINDINGS.iter().find(|binding| binding.presses().contains(&press))?;
    (binding.act)(inspector, cx)
}

/// A capital may come as a letter with Shift.
fn press(pressed: KeyEvent) -> Press {
    let is_ctrl = pressed.modifiers.contains(KeyModifiers::CONTROL);
    let code = match pressed.code {
        KeyCode::Char(letter) if is_ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
        KeyCode::Char(letter) if pressed.modifiers.contains(KeyModifiers::SHIFT) => {
            KeyCode::Char(letter.to_ascii_uppercase())
        }
        code => code,
    };
    (code, is_ctrl)
}

pub(super) fn step(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    match (jump::item(cx.items, &spot, way), way) {
        (Some(next), _) => inspector.cursor.select(next, Want::Near),
        (None, Way::Down) => inspector.cursor.follow(),
        (None, Way::Up) => {}
    }
    None
}

pub(super) fn step_call(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    match jump::call(cx.items, &inspector.folds, &spot, way) {
        Some(next) => inspector.cursor.select(next, Want::Near),
        None => inspector.word = Some(format!("no call {}", side(way))),
    }
    None
}

pub(super) fn scroll(inspector: &mut Inspector, hundredths: i32) -> Option<Wish> {
    inspector.cursor.follows = false;
    inspector.cursor.want = Want::Pages(hundredths);
    None
}

pub(super) fn end(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    match way {
        Way::Down => inspector.cursor.follow(),
        Way::Up => inspector.cursor.select(Spot::of(cx.items.first()?), Want::Near),
    }
    None
}

pub(super) fn fold(
    inspector: &mut Inspector,
    change: impl FnOnce(&mut super::folds::Folds, &carpel_slots::CallKey),
) -> Option<Wish> {
    let key = inspector.cursor.spot.as_ref()?.call.clone();
    match key {
        Some(key) => {
            change(&mut inspector.folds, &key);
            inspector.cursor.follows = false;
            inspector.cursor.want = Want::Near;
        }
        None => inspector.word = Some("only calls fold; Ctrl+O changes how much of everything".to_owned()),
    }
    None
}

pub(super) fn less(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    let is_less = spot.call.as_ref().is_some_and(|key| inspector.folds.less(key));
    if is_less {
        inspector.cursor.follows = false;
        inspector.cursor.want = Want::Near;
    } else if let Some(parent) = jump::parent(cx.items, &spot) {
        inspector.cursor.select(parent, Want::Near);
    }
    None
}

pub(super) fn next_density(inspector: &mut Inspector, _cx: &KeyCx<'_>) -> Option<Wish> {
    let next = match inspector.folds.density() {
        Density::Overview => Density::Normal,
        Density::Normal => Density::Detail,
        Density::Detail => Density::Overview,
    };
    inspector.folds.set_all(next);
    None
}

pub(super) fn jump_to(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way, kind: Kind) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    match jump::kind(cx.items, cx.registry, &spot, way, kind) {
        Some(next) => go(inspector, cx.items, next),
        None => inspector.word = Some(format!("no {} {}", kind.name(), side(way))),
    }
    None
}

/// Selects a spot and unfolds what hides it.
pub(super) fn go(inspector: &mut Inspector, items: &[FlowItem], spot: Spot) {
    if let (Some(root), Some(key)) = (jump::root_of(items, &spot), &spot.call) {
        inspector.folds.reveal(root, key);
    }
    inspector.cursor.select(spot, Want::Jump);
}

fn side(way: Way) -> &'static str {
    match way {
        Way::Down => "further down",
        Way::Up => "further up",
    }
}

pub(super) fn hit(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    if inspector.search.needle().is_empty() {
        inspector.word = Some("nothing was searched yet; / begins".to_owned());
        return None;
    }
    match inspector.search.go(cx.items, &spot, way, false) {
        Some(next) => {
            let is_wrapped = (way == Way::Down) == (next.item < spot.item) && next.item != spot.item;
            inspector.word = is_wrapped.then(|| match way {
                Way::Down => "on from the beginning".to_owned(),
                Way::Up => "on from the end".to_owned(),
            });
            go(inspector, cx.items, next);
            inspector.details.seeks = true;
        }
        None => inspector.word = Some(format!("`{}` is nowhere", inspector.search.needle().text())),
    }
    None
}

fn offers(inspector: &Inspector, cx: &KeyCx<'_>) -> Vec<Copying> {
    let Some(spot) = &inspector.cursor.spot else { return Vec::new() };
    let Some(item) = jump::item_of(cx.items, spot) else { return Vec::new() };
    copy::offers(item, jump::call_of(cx.items, spot), cx.registry)
}

pub(super) fn begin_copy(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
    if offers(inspector, cx).is_empty() {
        inspector.word = Some("there is nothing to copy here".to_owned());
    } else {
        inspector.mode = Mode::Copy;
    }
    None
}

/// The letter of something to copy; `y` again takes the first.
fn choose_copy(inspector: &mut Inspector, cx: &KeyCx<'_>, press: Press) -> Option<Wish> {
    inspector.mode = Mode::Browse;
    let (KeyCode::Char(letter), false) = press else { return None };
    let offers = offers(inspector, cx);
    let chosen = offers.into_iter().find(|offer| letter == 'y' || offer.letter == letter);
    if chosen.is_none() {
        inspector.word = Some(format!("nothing to copy under `{letter}`"));
    }
    chosen.map(Wish::Copy)
}

/// What can be copied now, as the menu shows it.
pub fn menu(inspector: &Inspector, items: &[FlowItem], registry: &Registry) -> Vec<(char, &'static str)> {
    let offers = offers(inspector, &KeyCx { items, registry });
    offers.into_iter().map(|offer| (offer.letter, offer.what)).collect()
}

pub(super) fn open(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    let call = jump::call_of(cx.items, &spot);
    let target = call.and_then(|call| subject::target(call, &subject::card(call, cx.registry)));
    if target.is_none() {
        inspector.word = Some("there is no file here to open".to_owned());
    }
    target.map(Wish::Open)
}

pub(super) fn back(inspector: &mut Inspector) -> Option<Wish> {
    if inspector.details.has_focus {
        inspector.details.has_focus = false;
        return None;
    }
    if inspector.details.is_open && !inspector.details.is_beside {
        inspector.details.is_open = false;
        return None;
    }
    Some(Wish::Leave)
}

/// Keys that scroll the details while they have the focus; false for all others.
fn scroll_details(inspector: &mut Inspector, press: Press) -> bool {
    let details = &mut inspector.details;
    let page = details.height.saturating_sub(1).max(1);
    details.scroll = match press {
        (KeyCode::Char('j') | KeyCode::Down, false) => details.scroll + 1,
        (KeyCode::Char('k') | KeyCode::Up, false) => details.scroll.saturating_sub(1),
        (KeyCode::PageDown, false) | (KeyCode::Char('f'), true) | (KeyCode::Char(' '), false) => {
            details.scroll + page
        }
        (KeyCode::PageUp, false) | (KeyCode::Char('b'), true) => details.scroll.saturating_sub(page),
        (KeyCode::Char('d'), true) => details.scroll + page / 2,
        (KeyCode::Char('u'), true) => details.scroll.saturating_sub(page / 2),
        (KeyCode::Char('g') | KeyCode::Home, false) => 0,
        (KeyCode::Char('G') | KeyCode::End, false) => details.len(),
        _ => return false,
    };
    true
}

fn read_keys(row: usize, press: Press) -> Mode {
    match press {
        (KeyCode::Char('j') | KeyCode::Down, false) => Mode::Keys(row + 1),
        (KeyCode::Char('k') | KeyCode::Up, false) => Mode::Keys(row.saturating_sub(1)),
        _ => Mode::Browse,
    }
}
