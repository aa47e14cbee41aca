//! Which key does what in the inspector: one table, which is obeyed and shown.
//!
//! Letters and arrows both move; a capital is the bigger step or the way back. A row without written keys is told by the
//! row before it. What a row does stands in [`super::keys`] and [`super::query`]; a test sees that no key stands twice.

use crossterm::event::KeyCode;

use crate::inspector::jump::Kind;
use crate::inspector::keys::{
    KeyCx, Wish, back, begin_copy, end, fold, hit, jump_to, less, next_density, open, scroll, step, step_call,
};
use crate::inspector::query;
use crate::inspector::search::Way;
use crate::inspector::{Inspector, Mode};

/// One row of the table.
pub struct Binding {
    /// As they are written.
    pub keys: &'static str,
    /// What they do, in a few words.
    pub meaning: &'static str,
    presses: &'static [Press],
    pub(super) act: fn(&mut Inspector, &KeyCx<'_>) -> Option<Wish>,
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
    Binding { keys: "/", meaning: "search everything", presses: &[letter('/')], act: query::begin },
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
