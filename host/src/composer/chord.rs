//! A key with its modifiers, as a table of keys names it.
//!
//! Chords are made in constant tables and compared with keys as they come: the letter in lower case, since Ctrl+A is the
//! same key with and without a shifted reading, and Shift counts only where a key says something else with it. How a
//! chord is written is here too, so that what a person reads is what is compared.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// A key by itself.
    pub const fn plain(code: KeyCode) -> Chord {
        Chord { code, modifiers: KeyModifiers::NONE }
    }

    /// A key with Ctrl.
    pub const fn ctrl(code: KeyCode) -> Chord {
        Chord { code, modifiers: KeyModifiers::CONTROL }
    }

    /// A letter with Ctrl.
    pub const fn control(letter: char) -> Chord {
        Chord::ctrl(KeyCode::Char(letter))
    }

    /// A key with Alt.
    pub const fn alt(code: KeyCode) -> Chord {
        Chord { code, modifiers: KeyModifiers::ALT }
    }

    /// A letter with Alt.
    pub const fn meta(letter: char) -> Chord {
        Chord::alt(KeyCode::Char(letter))
    }

    /// A key with Shift, for those that say something else with it.
    pub const fn shift(code: KeyCode) -> Chord {
        Chord { code, modifiers: KeyModifiers::SHIFT }
    }

    /// The chord that was pressed.
    pub fn pressed(key: KeyEvent) -> Chord {
        match key.code {
            KeyCode::Char(c) => Chord {
                code: KeyCode::Char(c.to_ascii_lowercase()),
                modifiers: key.modifiers.difference(KeyModifiers::SHIFT),
            },
            KeyCode::Enter => Chord { code: KeyCode::Enter, modifiers: key.modifiers },
            code => Chord { code, modifiers: key.modifiers.difference(KeyModifiers::SHIFT) },
        }
    }

    /// The key event of this chord.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            [(KeyModifiers::CONTROL, "Ctrl+"), (KeyModifiers::ALT, "Alt+"), (KeyModifiers::SHIFT, "Shift+")];
        for (modifier, word) in words {
            if self.modifiers.contains(modifier) {
                f.write_str(word)?;
            }
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{}", c.to_ascii_uppercase()),
            code => write!(f, "{code:?}"),
        }
    }
}
