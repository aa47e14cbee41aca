//! Keys of the composer: what is typed, what sends, and the edits of [`super::bindings`].
//!
//! Letters that come with Ctrl and Alt together are typed: that is how AltGr arrives. What the composer has no use for
//! is handed back, for the chat to use.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::composer::Composer;
use crate::composer::bindings::binding;
use crate::composer::chord::Chord;
use crate::composer::layout::layout;

/// What came of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOutcome {
    /// The draft or the cursor changed, or might have.
    Edited,
    /// The person wants to send the draft.
    Submit,
    /// Not a key of the composer.
    Unused,
}

/// Applies a key. `width` is the number of columns that the draft is folded to, for Up and Down.
pub fn key(composer: &mut Composer, key: KeyEvent, width: usize) -> KeyOutcome {
    if key.kind == KeyEventKind::Release {
        return KeyOutcome::Unused;
    }
    if let Some(binding) = binding(Chord::pressed(key)) {
        let deletes_nothing = composer.buffer.is_empty() && is_control_d(key);
        if deletes_nothing {
            return KeyOutcome::Unused;
        }
        (binding.act)(composer, width);
        return KeyOutcome::Edited;
    }
    match key.code {
        KeyCode::Char(c) if types(key.modifiers) => {
            composer.buffer.insert(c.encode_utf8(&mut [0; 4]));
            KeyOutcome::Edited
        }
        KeyCode::Enter if key.modifiers.is_empty() => enter(composer),
        // Function keys and the like, and shortcuts that nobody has a use for.
        _ => KeyOutcome::Unused,
    }
}

/// Ctrl and Alt together are AltGr; either alone, or a modifier of the desktop, makes a shortcut of a letter.
fn types(modifiers: KeyModifiers) -> bool {
    let alt_gr = KeyModifiers::CONTROL | KeyModifiers::ALT;
    let held = modifiers.difference(KeyModifiers::SHIFT);
    held.is_empty() || held == alt_gr
}

fn is_control_d(key: KeyEvent) -> bool {
    Chord::pressed(key) == Chord::control('d')
}

/// Enter sends; behind a backslash it breaks the line.
fn enter(composer: &mut Composer) -> KeyOutcome {
    let buffer = &mut composer.buffer;
    if buffer.cursor() == buffer.text().len() && buffer.text().ends_with('\\') {
        buffer.backspace();
        buffer.insert("\n");
        return KeyOutcome::Edited;
    }
    KeyOutcome::Submit
}

/// Up and Down move within the draft, and beyond its first and last row through what was sent before.
pub(super) fn vertical(composer: &mut Composer, rows: isize, width: usize) {
    if let Some(offset) = layout(&composer.buffer, width).vertical(rows) {
        composer.buffer.move_to(offset);
        return;
    }
    let text =
        if rows < 0 { composer.history.older(&composer.buffer.expanded()) } else { composer.history.newer() };
    match text {
        Some(text) => composer.buffer.replace_all(&text),
        None if rows < 0 => composer.buffer.move_to(0),
        None => composer.buffer.move_to(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn keys() {
        let none = KeyModifiers::NONE;
        let alt_gr = KeyModifiers::CONTROL | KeyModifiers::ALT;
        let rows: [(&str, Vec<KeyEvent>, KeyOutcome, &str); 14] = [
            (
                "altgr and shift",
                vec![press(KeyCode::Char('Ω'), alt_gr | KeyModifiers::SHIFT)],
                KeyOutcome::Edited,
                "Ω",
            ),
            ("function key", vec![press(KeyCode::F(5), none)], KeyOutcome::Unused, ""),
            (
                "function key with ctrl",
                vec![press(KeyCode::F(13), KeyModifiers::CONTROL)],
                KeyOutcome::Unused,
                "",
            ),
            (
                "a shortcut of the desktop",
                vec![press(KeyCode::Char('c'), KeyModifiers::SUPER)],
                KeyOutcome::Unused,
                "",
            ),
            (
                "an unknown shortcut",
                vec![press(KeyCode::Char('q'), KeyModifiers::ALT)],
                KeyOutcome::Unused,
                "",
            ),
            ("tab", vec![press(KeyCode::Tab, none)], KeyOutcome::Unused, ""),
            ("letters", vec![press(KeyCode::Char('a'), none)], KeyOutcome::Edited, "a"),
            ("shift", vec![press(KeyCode::Char('A'), KeyModifiers::SHIFT)], KeyOutcome::Edited, "A"),
            ("log_4_07_altgr", vec![press(KeyCode::Char('@'), alt_gr)], KeyOutcome::Edited, "@"),
            (
                "log_4_20_shift_enter",
                vec![press(KeyCode::Enter, KeyModifiers::SHIFT)],
                KeyOutcome::Edited,
                "\n",
            ),
            ("alt enter", vec![press(KeyCode::Enter, KeyModifiers::ALT)], KeyOutcome::Edited, "\n"),
            (
                "backslash enter",
                vec![press(KeyCode::Char('\\'), none), press(KeyCode::Enter, none)],
                KeyOutcome::Edited,
                "\n",
            ),
            (
                "ctrl d on empty",
                vec![press(KeyCode::Char('d'), KeyModifiers::CONTROL)],
                KeyOutcome::Unused,
                "",
            ),
            (
                "log_4_17_ctrl_d_with_text",
                vec![
                    press(KeyCode::Char('a'), none),
                    press(KeyCode::Char('b'), none),
                    press(KeyCode::Home, none),
                    press(KeyCode::Char('d'), KeyModifiers::CONTROL),
                ],
                KeyOutcome::Edited,
                "b",
            ),
        ];
        for (name, presses, want, text) in rows {
            let mut composer = Composer::default();
            let outcome = presses.into_iter().map(|press| key(&mut composer, press, 80)).last();
            assert_eq!(outcome, Some(want), "{name}");
            assert_eq!(composer.buffer.text(), text, "{name}");
        }
    }

    #[test]
    fn up_brings_back_what_was_sent() {
        let mut composer = Composer::default();
        composer.buffer.insert("first");
        assert_eq!(composer.submit(), "first");
        composer.buffer.insert("draft");
        key(&mut composer, press(KeyCode::Up, KeyModifiers::NONE), 80);
        assert_eq!(composer.buffer.text(), "first");
        key(&mut composer, press(KeyCode::Down, KeyModifiers::NONE), 80);
        assert_eq!(composer.buffer.text(), "draft");
    }
}
