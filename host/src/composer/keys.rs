//! Keys of the composer: which key does which edit.
//!
//! Letters that come with Ctrl and Alt together are typed: that is how AltGr arrives. What the composer has no use for
//! is handed back, for the chat to use.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::composer::Composer;
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
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(c) if ctrl && !alt => control(composer, c),
        KeyCode::Char(c) if alt && !ctrl => alternate(composer, c),
        KeyCode::Char(c) => typed(composer, c),
        KeyCode::Enter => enter(composer, key.modifiers),
        KeyCode::Up => vertical(composer, -1, width),
        KeyCode::Down => vertical(composer, 1, width),
        code => named(composer, code, ctrl || alt),
    }
}

fn typed(composer: &mut Composer, c: char) -> KeyOutcome {
    composer.buffer.insert(c.encode_utf8(&mut [0; 4]));
    KeyOutcome::Edited
}

/// Enter sends; with Shift or Alt, or behind a backslash, it breaks the line.
fn enter(composer: &mut Composer, modifiers: KeyModifiers) -> KeyOutcome {
    let buffer = &mut composer.buffer;
    if modifiers.intersects(KeyModifiers::SHIFT | KeyModifiers::ALT) {
        buffer.insert("\n");
        return KeyOutcome::Edited;
    }
    if buffer.cursor() == buffer.text().len() && buffer.text().ends_with('\\') {
        buffer.backspace();
        buffer.insert("\n");
        return KeyOutcome::Edited;
    }
    KeyOutcome::Submit
}

fn control(composer: &mut Composer, c: char) -> KeyOutcome {
    let buffer = &mut composer.buffer;
    match c.to_ascii_lowercase() {
        'a' => buffer.home(),
        'e' => buffer.end(),
        'b' => buffer.left(),
        'f' => buffer.right(),
        'h' => buffer.backspace(),
        'd' if !buffer.is_empty() => buffer.delete(),
        'j' => buffer.insert("\n"),
        'k' => buffer.kill_to_line_end(),
        'u' => buffer.kill_to_line_start(),
        'w' => buffer.kill_word_back(),
        'y' => buffer.yank(),
        '_' | '7' | '/' => drop(buffer.undo()),
        _ => return KeyOutcome::Unused,
    }
    KeyOutcome::Edited
}

fn alternate(composer: &mut Composer, c: char) -> KeyOutcome {
    let buffer = &mut composer.buffer;
    match c.to_ascii_lowercase() {
        'b' => buffer.word_left(),
        'f' => buffer.word_right(),
        'd' => buffer.kill_word(),
        _ => return KeyOutcome::Unused,
    }
    KeyOutcome::Edited
}

fn named(composer: &mut Composer, code: KeyCode, by_word: bool) -> KeyOutcome {
    let buffer = &mut composer.buffer;
    match (code, by_word) {
        (KeyCode::Left, false) => buffer.left(),
        (KeyCode::Right, false) => buffer.right(),
        (KeyCode::Left, true) => buffer.word_left(),
        (KeyCode::Right, true) => buffer.word_right(),
        (KeyCode::Home, _) => buffer.home(),
        (KeyCode::End, _) => buffer.end(),
        (KeyCode::Backspace, false) => buffer.backspace(),
        (KeyCode::Backspace, true) => buffer.kill_word_back(),
        (KeyCode::Delete, false) => buffer.delete(),
        (KeyCode::Delete, true) => buffer.kill_word(),
        _ => return KeyOutcome::Unused,
    }
    KeyOutcome::Edited
}

/// Up and Down move within the draft, and beyond its first and last row through what was sent before.
fn vertical(composer: &mut Composer, rows: isize, width: usize) -> KeyOutcome {
    if let Some(offset) = layout(&composer.buffer, width).vertical(rows) {
        composer.buffer.move_to(offset);
        return KeyOutcome::Edited;
    }
    let text =
        if rows < 0 { composer.history.older(&composer.buffer.expanded()) } else { composer.history.newer() };
    match text {
        Some(text) => composer.buffer.replace_all(&text),
        None if rows < 0 => composer.buffer.move_to(0),
        None => composer.buffer.move_to(usize::MAX),
    }
    KeyOutcome::Edited
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
        let rows: [(&str, Vec<KeyEvent>, KeyOutcome, &str); 8] = [
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
