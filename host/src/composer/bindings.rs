//! Which key does which edit: one table, which the composer obeys and `:keys` shows.
//!
//! The habits are those of readline and of the editors that people come from. A row says what it does in a few words
//! and does it; a test presses every key of every row. What typing and Enter do is in [`super::keys`].

use crossterm::event::KeyCode;

use crate::composer::Composer;
use crate::composer::chord::Chord;
use crate::composer::keys::vertical;
use crate::composer::search;

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The keys, the one to show first.
    pub keys: &'static [Chord],
    /// What they do, in a few words.
    pub meaning: &'static str,
    /// Does it. The number is the columns that the draft is folded to.
    pub(super) act: fn(&mut Composer, usize),
}

/// The row of a key.
pub fn binding(chord: Chord) -> Option<&'static Binding> {
    BINDINGS.iter().find(|binding| binding.keys.contains(&chord))
}

/// All rows: moving, deleting, the rest.
pub const BINDINGS: &[Binding] = &[
    Binding {
        keys: &[Chord::plain(KeyCode::Left), Chord::control('b')],
        meaning: "one character left",
        act: |composer, _| composer.buffer.left(),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Right), Chord::control('f')],
        meaning: "one character right",
        act: |composer, _| composer.buffer.right(),
    },
    Binding {
        keys: &[Chord::ctrl(KeyCode::Left), Chord::alt(KeyCode::Left), Chord::meta('b')],
        meaning: "one word left",
        act: |composer, _| composer.buffer.word_left(),
    },
    Binding {
        keys: &[Chord::ctrl(KeyCode::Right), Chord::alt(KeyCode::Right), Chord::meta('f')],
        meaning: "one word right",
        act: |composer, _| composer.buffer.word_right(),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Home), Chord::control('a')],
        meaning: "start of the line",
        act: |composer, _| composer.buffer.home(),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::End), Chord::control('e')],
        meaning: "end of the line",
        act: |composer, _| composer.buffer.end(),
    },
    Binding {
        keys: &[Chord::ctrl(KeyCode::Home), Chord::meta('<')],
        meaning: "start of the draft",
        act: |composer, _| composer.buffer.move_to(0),
    },
    Binding {
        keys: &[Chord::ctrl(KeyCode::End), Chord::meta('>')],
        meaning: "end of the draft",
        act: |composer, _| composer.buffer.move_to(usize::MAX),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Up), Chord::control('p')],
        meaning: "a row up, then what was sent before",
        act: |composer, width| vertical(composer, -1, width),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Down), Chord::control('n')],
        meaning: "a row down, then back to the draft",
        act: |composer, width| vertical(composer, 1, width),
    },
    Binding {
        keys: &[Chord::control('r')],
        meaning: "search what was sent",
        act: |composer, _| search::begin(composer),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Backspace), Chord::control('h')],
        meaning: "delete the character before",
        act: |composer, _| composer.buffer.backspace(),
    },
    Binding {
        keys: &[Chord::plain(KeyCode::Delete), Chord::control('d')],
        meaning: "delete the character behind",
        act: |composer, _| composer.buffer.delete(),
    },
    Binding {
        keys: &[Chord::control('w'), Chord::alt(KeyCode::Backspace), Chord::ctrl(KeyCode::Backspace)],
        meaning: "cut the word before",
        act: |composer, _| composer.buffer.kill_word_back(),
    },
    Binding {
        keys: &[Chord::meta('d'), Chord::alt(KeyCode::Delete), Chord::ctrl(KeyCode::Delete)],
        meaning: "cut the word behind",
        act: |composer, _| composer.buffer.kill_word(),
    },
    Binding {
        keys: &[Chord::control('u')],
        meaning: "cut to the start of the line",
        act: |composer, _| composer.buffer.kill_to_line_start(),
    },
    Binding {
        keys: &[Chord::control('k')],
        meaning: "cut to the end of the line",
        act: |composer, _| composer.buffer.kill_to_line_end(),
    },
    Binding {
        keys: &[Chord::control('y')],
        meaning: "put back what was cut",
        act: |composer, _| composer.buffer.yank(),
    },
    Binding {
        // Terminals without a newer protocol send Ctrl+_, Ctrl+/ and Ctrl+7 as one byte.
        keys: &[Chord::control('_'), Chord::control('/'), Chord::control('7')],
        meaning: "undo",
        act: |composer, _| composer.buffer.undo(),
    },
    Binding {
        keys: &[
            Chord::shift(KeyCode::Enter),
            Chord::alt(KeyCode::Enter),
            Chord::ctrl(KeyCode::Enter),
            Chord::control('j'),
        ],
        meaning: "new line; so does Enter behind a backslash",
        act: |composer, _| composer.buffer.insert("\n"),
    },
];

#[cfg(test)]
mod tests {
    use crossterm::event::KeyModifiers;

    use super::{BINDINGS, Chord};
    use crate::composer::Composer;
    use crate::composer::keys::{KeyOutcome, key};

    /// A composer in which every row has something to do: words and lines on both sides, something cut and something
    /// to undo, something sent.
    fn composer() -> Composer {
        let mut composer = Composer::default();
        composer.buffer.insert("sent");
        composer.submit();
        composer.buffer.insert("cut");
        composer.buffer.kill_word_back();
        composer.buffer.insert("one\ntwo three\nfour");
        composer.buffer.move_to(8);
        composer
    }

    #[test]
    fn every_key_of_every_row_does_something_and_stands_once() {
        let mut seen: Vec<Chord> = Vec::new();
        for binding in BINDINGS {
            let mut outcomes = Vec::new();
            for chord in binding.keys {
                assert!(!seen.contains(chord), "{chord} stands twice");
                seen.push(*chord);
                let mut composer = composer();
                assert_eq!(key(&mut composer, chord.event(), 80), KeyOutcome::Edited, "{chord}");
                let Composer { buffer, search, .. } = composer;
                outcomes.push((buffer.text().to_owned(), buffer.cursor(), search.is_some()));
            }
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{}", binding.meaning);
            assert_ne!(outcomes[0], ("one\ntwo three\nfour".to_owned(), 8, false), "{}", binding.meaning);
            assert!(!binding.meaning.is_empty() && !binding.meaning.ends_with('.'));
        }
    }

    #[test]
    fn chords_are_written_as_people_say_them() {
        let check = |chord: Chord, written: &str| assert_eq!(chord.to_string(), written);
        check(Chord::control('a'), "Ctrl+A");
        check(Chord::meta('<'), "Alt+<");
        check(Chord::alt(crossterm::event::KeyCode::Backspace), "Alt+Backspace");
        check(Chord::plain(crossterm::event::KeyCode::Home), "Home");
        assert_eq!(Chord::control('a').event().modifiers, KeyModifiers::CONTROL);
    }
}
