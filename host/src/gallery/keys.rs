//! The keys of the gallery, and what each does.
//!
//! A key changes what is shown and how; drawing is `draw.rs`. The list that the last row shows is made from the same
//! words.

use carpel_slots::{CallState, Density, ThemeName};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::gallery::Gallery;

/// The keys, as the last row tells them.
pub const KEYS: [(&str, &str); 7] = [
    ("n p", "view"),
    ("s S", "state"),
    ("d", "density"),
    ("w W", "width"),
    ("t", "theme"),
    ("j k", "scroll"),
    ("q", "leave"),
];

/// Widths that can be chosen besides the window's.
const WIDTHS: [usize; 6] = [20, 40, 60, 80, 100, 120];

/// What the loop has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Draws again.
    Draw,
    /// Leaves.
    Leave,
    /// Goes to the background.
    Suspend,
}

/// Applies a key; `page` is how many rows of cards the window shows, `window` its columns.
pub fn key(gallery: &mut Gallery, pressed: KeyEvent, window: usize, page: usize) -> Wish {
    let has_control = pressed.modifiers.contains(KeyModifiers::CONTROL);
    match pressed.code {
        KeyCode::Char('c' | 'd') if has_control => return Wish::Leave,
        KeyCode::Char('z') if has_control => return Wish::Suspend,
        KeyCode::Char('q') | KeyCode::Esc => return Wish::Leave,
        KeyCode::Char('n') | KeyCode::Right | KeyCode::Tab => view(gallery, 1),
        KeyCode::Char('p') | KeyCode::Left | KeyCode::BackTab => view(gallery, -1),
        KeyCode::Char('s') => state(gallery, 1),
        KeyCode::Char('S') => state(gallery, -1),
        KeyCode::Char('d') => gallery.density = turned(&Density::ALL, gallery.density, 1),
        KeyCode::Char('w') => width(gallery, window, 1),
        KeyCode::Char('W') => width(gallery, window, -1),
        KeyCode::Char('t') => gallery.themes.name = turned(&ThemeName::ALL, gallery.themes.name, 1),
        KeyCode::Char('j') | KeyCode::Down => gallery.top = gallery.top.saturating_add(1),
        KeyCode::Char('k') | KeyCode::Up => gallery.top = gallery.top.saturating_sub(1),
        KeyCode::PageDown | KeyCode::Char(' ') => gallery.top = gallery.top.saturating_add(page),
        KeyCode::PageUp => gallery.top = gallery.top.saturating_sub(page),
        KeyCode::Home | KeyCode::Char('g') => gallery.top = 0,
        // Drawing bounds it.
        KeyCode::End | KeyCode::Char('G') => gallery.top = usize::MAX,
        _ => {}
    }
    Wish::Draw
}

fn view(gallery: &mut Gallery, by: isize) {
    gallery.at = place(gallery.at, by, gallery.exhibits.len());
    gallery.top = 0;
}

/// All states, then each.
fn state(gallery: &mut Gallery, by: isize) {
    let all: Vec<Option<CallState>> = std::iter::once(None).chain(CallState::ALL.map(Some)).collect();
    gallery.state = turned(&all, gallery.state, by);
    gallery.top = 0;
}

/// The window's width, then those that are narrower.
fn width(gallery: &mut Gallery, window: usize, by: isize) {
    let narrower = WIDTHS.into_iter().filter(|width| *width < window).map(Some);
    let all: Vec<Option<usize>> = std::iter::once(None).chain(narrower).collect();
    gallery.width = turned(&all, gallery.width, by);
}

/// The next of a list after one of it, round and round; of one that is not in it the first.
fn turned<T: Copy + PartialEq>(all: &[T], now: T, by: isize) -> T {
    match all.iter().position(|one| *one == now) {
        Some(at) => all[place(at, by, all.len())],
        None => all[0],
    }
}

fn place(at: usize, by: isize, count: usize) -> usize {
    if count == 0 { 0 } else { at.wrapping_add_signed(by).wrapping_add(count) % count }
}
