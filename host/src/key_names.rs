//! Keys as text, as recordings write them: `yes<enter>`, `<esc>`, `<c-c>`, `<a-b>`, `<s-enter>`.
//!
//! Text stands for itself. An unknown name in angle brackets is text too, so that nothing is lost.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::terminal::input::keystroke::Keystroke;

const NAMES: &[(&str, KeyCode)] = &[
    ("esc", KeyCode::Esc),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("lt", KeyCode::Char('<')),
];

/// The keys that a text stands for.
pub fn keys(text: &str) -> Vec<Keystroke> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        if let Some((name, after)) = named
            && let Some(key) = named_key(name)
        {
            keys.push(key.into());
            rest = after;
            continue;
        }
        let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
        keys.push(KeyEvent::new(code, KeyModifiers::NONE).into());
        rest = &rest[c.len_utf8()..];
    }
    keys
}

fn named_key(name: &str) -> Option<KeyEvent> {
    let name = name.to_ascii_lowercase();
    let (modifiers, name) = match name.split_once('-') {
        Some(("c", key)) => (KeyModifiers::CONTROL, key.to_owned()),
        Some(("a", key)) => (KeyModifiers::ALT, key.to_owned()),
        Some(("s", key)) => (KeyModifiers::SHIFT, key.to_owned()),
        _ => (KeyModifiers::NONE, name),
    };
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(KeyEvent::new(*code, modifiers));
    }
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if !modifiers.is_empty() => {
            Some(KeyEvent::new(KeyCode::Char(letter), modifiers))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let plain = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        let rows = [
            ("a<enter>", vec![plain('a'), KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)]),
            ("<C-c>", vec![KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)]),
            ("<s-enter>", vec![KeyEvent::new(KeyCode::Enter, KeyModifiers::SHIFT)]),
            ("<x>", vec![plain('<'), plain('x'), plain('>')]),
            ("<", vec![plain('<')]),
            ("", vec![]),
        ];
        for (text, want) in rows {
            let want: Vec<Keystroke> = want.into_iter().map(Keystroke::from).collect();
            assert_eq!(keys(text), want, "{text}");
        }
    }
}
