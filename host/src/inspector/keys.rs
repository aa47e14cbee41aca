//! Which key does what in the inspector: one table, which is obeyed and shown.
//!
//! Letters and arrows both move; a capital is the bigger step or the way back. What leaves the inspector's own state is
//! a [`Wish`], which the chat grants. Writing a query, choosing a copy and reading the keys each take the keys for
//! themselves and give them back with Esc.

use carpel_slots::{Density, Registry};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::inspector::copy::{self, Copying};
use crate::inspector::cursor::{Spot, Want};
use crate::inspector::jump::{self, Kind};
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

/// One row of the table.
pub struct Binding {
    /// As they are written.
    pub keys: &'static str,
    /// What they do, in a few words.
    pub meaning: &'static str,
    presses: &'static [Press],
    act: fn(&mut Inspector, &KeyCx<'_>) -> Option<Wish>,
}

impl Binding {
    /// The keys as they are compared.
    pub fn presses(&self) -> &'static [Press] {
        self.presses
    }
}

/// A key and whether Ctrl is held.
pub type Press = (KeyCode, bool);

const fn letter(letter: char) -> Press {
    (KeyCode::Char(letter), false)
}

const fn ctrl(letter: char) -> Press {
    (KeyCode::Char(letter), true)
}

const fn plain(code: KeyCode) -> Press {
    (code, false)
}

/// All rows.
pub const BINDINGS: &[Binding] = &[
    Binding {
        keys: "j, Down",
        meaning: "next item",
        presses: &[letter('j'), plain(KeyCode::Down)],
        act: |inspector, cx| step(inspector, cx, Way::Down),
    },
    Binding {
        keys: "k, Up",
        meaning: "item before",
        presses: &[letter('k'), plain(KeyCode::Up)],
        act: |inspector, cx| step(inspector, cx, Way::Up),
    },
    Binding {
        keys: "J, Ctrl+Down",
        meaning: "next call, at any depth",
        presses: &[letter('J'), (KeyCode::Down, true)],
        act: |inspector, cx| step_call(inspector, cx, Way::Down),
    },
    Binding {
        keys: "K, Ctrl+Up",
        meaning: "call before",
        presses: &[letter('K'), (KeyCode::Up, true)],
        act: |inspector, cx| step_call(inspector, cx, Way::Up),
    },
    Binding {
        keys: "PgDn, Ctrl+F",
        meaning: "a page down",
        presses: &[plain(KeyCode::PageDown), ctrl('f')],
        act: |inspector, _| scroll(inspector, 100),
    },
    Binding {
        keys: "PgUp, Ctrl+B",
        meaning: "a page up",
        presses: &[plain(KeyCode::PageUp), ctrl('b')],
        act: |inspector, _| scroll(inspector, -100),
    },
    Binding {
        keys: "Ctrl+D",
        meaning: "half a page down",
        presses: &[ctrl('d')],
        act: |inspector, _| scroll(inspector, 50),
    },
    Binding {
        keys: "Ctrl+U",
        meaning: "half a page up",
        presses: &[ctrl('u')],
        act: |inspector, _| scroll(inspector, -50),
    },
    Binding {
        keys: "g, Home",
        meaning: "the beginning",
        presses: &[letter('g'), plain(KeyCode::Home)],
        act: |inspector, cx| end(inspector, cx, Way::Up),
    },
    Binding {
        keys: "G, End",
        meaning: "the end, and stay there",
        presses: &[letter('G'), plain(KeyCode::End)],
        act: |inspector, cx| end(inspector, cx, Way::Down),
    },
    Binding {
        keys: "l, Right",
        meaning: "more of the call",
        presses: &[letter('l'), plain(KeyCode::Right)],
        act: |inspector, _| fold(inspector, |folds, key| folds.more(key)),
    },
    Binding {
        keys: "h, Left",
        meaning: "less of the call, then the call above",
        presses: &[letter('h'), plain(KeyCode::Left)],
        act: less,
    },
    Binding {
        keys: "Space",
        meaning: "fold and unfold the call",
        presses: &[letter(' ')],
        act: |inspector, _| fold(inspector, |folds, key| folds.toggle(key)),
    },
    Binding { keys: "Ctrl+O", meaning: "next density", presses: &[ctrl('o')], act: next_density },
    Binding { keys: "/", meaning: "search everything", presses: &[letter('/')], act: begin_query },
    Binding {
        keys: "n",
        meaning: "next hit",
        presses: &[letter('n')],
        act: |inspector, cx| hit(inspector, cx, Way::Down),
    },
    Binding {
        keys: "N",
        meaning: "hit before",
        presses: &[letter('N')],
        act: |inspector, cx| hit(inspector, cx, Way::Up),
    },
    Binding {
        keys: "u, U",
        meaning: "next message of yours, the one before",
        presses: &[letter('u')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Down, Kind::User),
    },
    Binding {
        keys: "",
        meaning: "message before",
        presses: &[letter('U')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Up, Kind::User),
    },
    Binding {
        keys: "f, F",
        meaning: "next failure, the one before",
        presses: &[letter('f')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Down, Kind::Failure),
    },
    Binding {
        keys: "",
        meaning: "failure before",
        presses: &[letter('F')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Up, Kind::Failure),
    },
    Binding {
        keys: "d, D",
        meaning: "next diff, the one before",
        presses: &[letter('d')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Down, Kind::Diff),
    },
    Binding {
        keys: "",
        meaning: "diff before",
        presses: &[letter('D')],
        act: |inspector, cx| jump_to(inspector, cx, Way::Up, Kind::Diff),
    },
    Binding {
        keys: "Enter, Tab",
        meaning: "to the details and back",
        presses: &[plain(KeyCode::Enter), plain(KeyCode::Tab), plain(KeyCode::BackTab)],
        act: |inspector, _| {
            inspector.details.has_focus = !inspector.details.has_focus;
            inspector.details.is_open = true;
            None
        },
    },
    Binding { keys: "y", meaning: "copy", presses: &[letter('y')], act: begin_copy },
    Binding {
        keys: "o, e",
        meaning: "open the file at its line in your editor",
        presses: &[letter('o'), letter('e')],
        act: open,
    },
    Binding {
        keys: "?",
        meaning: "the keys",
        presses: &[letter('?')],
        act: |inspector, _| {
            inspector.mode = Mode::Keys(0);
            None
        },
    },
    Binding {
        keys: "Esc",
        meaning: "back, at last to the chat",
        presses: &[plain(KeyCode::Esc)],
        act: |inspector, _| back(inspector),
    },
    Binding {
        keys: "q, Ctrl+T",
        meaning: "to the chat",
        presses: &[letter('q'), ctrl('t'), ctrl('c')],
        act: |_, _| Some(Wish::Leave),
    },
    Binding {
        keys: "Ctrl+Z",
        meaning: "to the background",
        presses: &[ctrl('z')],
        act: |_, _| Some(Wish::Suspend),
    },
];

/// Applies a key.
pub fn key(inspector: &mut Inspector, cx: &KeyCx<'_>, pressed: KeyEvent) -> Option<Wish> {
    inspector.word = None;
    let press = press(pressed);
    match inspector.mode {
        Mode::Query => {
            write_query(inspector, cx, press);
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
    let binding = BINDINGS.iter().find(|binding| binding.presses.contains(&press))?;
    (binding.act)(inspector, cx)
}

/// Puts pasted text into the query, while one is written.
pub fn paste(inspector: &mut Inspector, text: &str) {
    if inspector.mode == Mode::Query {
        inspector.search.query.insert(text.lines().next().unwrap_or_default());
        look(inspector);
    }
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

fn step(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    match (jump::item(cx.items, &spot, way), way) {
        (Some(next), _) => inspector.cursor.select(next, Want::Near),
        (None, Way::Down) => inspector.cursor.follow(),
        (None, Way::Up) => {}
    }
    None
}

fn step_call(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    match jump::call(cx.items, &inspector.folds, &spot, way) {
        Some(next) => inspector.cursor.select(next, Want::Near),
        None => inspector.word = Some(format!("no call {}", side(way))),
    }
    None
}

fn scroll(inspector: &mut Inspector, hundredths: i32) -> Option<Wish> {
    inspector.cursor.follows = false;
    inspector.cursor.want = Want::Pages(hundredths);
    None
}

fn end(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
    match way {
        Way::Down => inspector.cursor.follow(),
        Way::Up => inspector.cursor.select(Spot::of(cx.items.first()?), Want::Near),
    }
    None
}

fn fold(
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

fn less(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
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

fn next_density(inspector: &mut Inspector, _cx: &KeyCx<'_>) -> Option<Wish> {
    let next = match inspector.folds.density() {
        Density::Overview => Density::Normal,
        Density::Normal => Density::Detail,
        Density::Detail => Density::Overview,
    };
    inspector.folds.set_all(next);
    None
}

fn jump_to(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way, kind: Kind) -> Option<Wish> {
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

fn begin_query(inspector: &mut Inspector, _cx: &KeyCx<'_>) -> Option<Wish> {
    inspector.mode = Mode::Query;
    inspector.search.query.replace_all("");
    inspector.search.before =
        Some((inspector.cursor.spot.clone()?, inspector.search.needle().text().to_owned()));
    None
}

fn write_query(inspector: &mut Inspector, cx: &KeyCx<'_>, press: Press) {
    let query = &mut inspector.search.query;
    match press {
        (KeyCode::Enter | KeyCode::Tab, _) => {
            inspector.mode = Mode::Browse;
            // Nothing written: what was looked for before stays.
            if query.is_empty() {
                give_up_query(inspector, cx);
            }
            return;
        }
        (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => {
            inspector.mode = Mode::Browse;
            give_up_query(inspector, cx);
            return;
        }
        (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) if query.is_empty() => {
            inspector.mode = Mode::Browse;
            give_up_query(inspector, cx);
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
fn give_up_query(inspector: &mut Inspector, cx: &KeyCx<'_>) {
    if let Some((spot, before)) = inspector.search.before.take() {
        inspector.search.look_for(&before, None);
        if inspector.cursor.spot.as_ref() != Some(&spot) {
            go(inspector, cx.items, spot);
        }
    }
}

fn hit(inspector: &mut Inspector, cx: &KeyCx<'_>, way: Way) -> Option<Wish> {
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

fn begin_copy(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
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

fn open(inspector: &mut Inspector, cx: &KeyCx<'_>) -> Option<Wish> {
    let spot = inspector.cursor.spot.clone()?;
    let call = jump::call_of(cx.items, &spot);
    let target = call.and_then(|call| subject::target(call, &subject::card(call, cx.registry)));
    if target.is_none() {
        inspector.word = Some("there is no file here to open".to_owned());
    }
    target.map(Wish::Open)
}

fn back(inspector: &mut Inspector) -> Option<Wish> {
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
        (KeyCode::Char('j') | KeyCode::Down, false) => Mode::Keys((row + 1).min(BINDINGS.len())),
        (KeyCode::Char('k') | KeyCode::Up, false) => Mode::Keys(row.saturating_sub(1)),
        _ => Mode::Browse,
    }
}
