//! What finished sequences stand for: legacy keys, kitty's key codes, cursor reports; everything else is swallowed.
//!
//! Tables from the terminal's numbers and letters to crossterm's key vocabulary. Nothing here keeps state or knows
//! time; `decode.rs` finds where a sequence ends. A sequence that is no key (mouse, colours, attributes)
//! gives nothing, so that it can never be typed.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::decode::Decoded;

/// A key sent as one control byte.
pub(super) fn control_key(byte: u8) -> KeyEvent {
    let control = |code: u8| KeyEvent::new(KeyCode::Char(char::from(code)), KeyModifiers::CONTROL);
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    match byte {
        0x00 => control(b' '),
        b'\t' => plain(KeyCode::Tab),
        b'\r' => plain(KeyCode::Enter),
        0x7f => plain(KeyCode::Backspace),
        0x01..=0x1a => control(byte + 0x60),
        // Ctrl with 4 to 7, as terminals without a newer protocol send them.
        _ => control((byte & 0x07) + b'0'),
    }
}

/// A key sent as `ESC O` and this byte.
pub(super) fn single_shift(byte: u8) -> Option<KeyEvent> {
    let code = match byte {
        b'M' => KeyCode::Enter,
        b'j'..=b'y' => KeyCode::Char(char::from(byte - 0x40)),
        _ => letter(byte)?,
    };
    Some(KeyEvent::new(code, KeyModifiers::NONE))
}

/// What a control sequence stands for, from its parameter bytes and its final byte.
pub(super) fn csi(parameters: &[u8], last: u8) -> Option<Decoded> {
    let parameters = std::str::from_utf8(parameters).ok()?;
    if last == b'u' && parameters.starts_with('?') {
        return Some(Decoded::Keyboard);
    }
    // A private marker or an intermediate byte means an answer of the terminal or the mouse.
    if parameters.contains(|character: char| !matches!(character, '0'..='9' | ';' | ':')) {
        return None;
    }
    let fields: Vec<Field> = parameters.split(';').map(Field::read).collect();
    let first = fields.first().and_then(|field| field.main);
    match last {
        b'I' | b'O' if parameters.is_empty() => Some(Decoded::Focus(last == b'I')),
        b'R' => cursor_report(&fields),
        b'u' => kitty_key(&fields),
        b'~' if first == Some(27) => other_key(&fields),
        b'~' => pressed(tilde(first?)?, &fields),
        b'Z' => Some(Decoded::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT).into())),
        _ => pressed(letter(last)?, &fields),
    }
}

/// One parameter with its sub-parameters: `97:65` or `5:3`.
struct Field {
    main: Option<u32>,
    subs: Vec<Option<u32>>,
}

impl Field {
    fn read(text: &str) -> Self {
        let mut numbers = text.split(':').map(|number| number.parse().ok());
        Self { main: numbers.next().flatten(), subs: numbers.collect() }
    }

    fn sub(&self, index: usize) -> Option<u32> {
        self.subs.get(index).copied().flatten()
    }
}

fn cursor_report(fields: &[Field]) -> Option<Decoded> {
    let [row, column] = fields else { return None };
    let from_zero = |field: &Field| u16::try_from(field.main?.checked_sub(1)?).ok();
    Some(Decoded::Cursor { column: from_zero(column)?, row: from_zero(row)? })
}

/// A key whose second field tells modifiers and kind.
fn pressed(code: KeyCode, fields: &[Field]) -> Option<Decoded> {
    let kind = kind(fields.get(1))?;
    Some(Decoded::Key(KeyEvent::new_with_kind(code, modifiers(fields.get(1)), kind).into()))
}

/// `CSI code:shifted ; modifiers:kind ; text u`.
fn kitty_key(fields: &[Field]) -> Option<Decoded> {
    let kind = kind(fields.get(1))?;
    let mut modifiers = modifiers(fields.get(1));
    let number = fields.first()?.main?;
    let text = fields.get(2).and_then(|field| field.main).and_then(printable);
    let code = match text {
        Some(text) if !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => KeyCode::Char(text),
        _ => kitty_code(number)?,
    };
    let code = match code {
        KeyCode::Char(character) => KeyCode::Char(typed(character, fields.first(), &mut modifiers)),
        KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        other => other,
    };
    Some(Decoded::Key(KeyEvent::new_with_kind(code, modifiers, kind).into()))
}

/// `CSI 27 ; modifiers ; code ~`, xterm's older way.
fn other_key(fields: &[Field]) -> Option<Decoded> {
    let code = fields.get(2)?.main?;
    let mut modifiers = modifiers(fields.get(1));
    let code = match kitty_code(code)? {
        KeyCode::Char(character) => KeyCode::Char(typed(character, None, &mut modifiers)),
        KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        other => other,
    };
    Some(Decoded::Key(KeyEvent::new(code, modifiers).into()))
}

/// The character that a key with modifiers types.
fn typed(character: char, code: Option<&Field>, modifiers: &mut KeyModifiers) -> char {
    let both = KeyModifiers::CONTROL | KeyModifiers::ALT;
    if modifiers.contains(both) && !character.is_ascii_alphanumeric() {
        // AltGr reported as Ctrl+Alt: a character made with it is typed, no shortcut.
        modifiers.remove(both);
    }
    if !modifiers.contains(KeyModifiers::SHIFT) {
        return character;
    }
    let shifted = code.and_then(|field| field.sub(0)).and_then(printable);
    shifted.unwrap_or_else(|| character.to_ascii_uppercase())
}

/// The modifiers of a field, which holds one more than their sum.
fn modifiers(field: Option<&Field>) -> KeyModifiers {
    let bits = field.and_then(|field| field.main).unwrap_or(1).saturating_sub(1);
    let table = [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ];
    let set = table.iter().filter(|(bit, _)| bits & bit != 0);
    set.fold(KeyModifiers::NONE, |all, (_, modifier)| all | *modifier)
}

/// Press or repeat; `None` for a release, which does nothing.
fn kind(field: Option<&Field>) -> Option<KeyEventKind> {
    match field.and_then(|field| field.sub(0)).unwrap_or(1) {
        1 => Some(KeyEventKind::Press),
        2 => Some(KeyEventKind::Repeat),
        _ => None,
    }
}

fn letter(byte: u8) -> Option<KeyCode> {
    Some(match byte {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        b'R' => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        _ => return None,
    })
}

fn tilde(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => function(number - 10)?,
        17..=21 => function(number - 11)?,
        23..=26 => function(number - 12)?,
        28..=29 => function(number - 13)?,
        31..=34 => function(number - 14)?,
        _ => return None,
    })
}

fn function(number: u32) -> Option<KeyCode> {
    u8::try_from(number).ok().map(KeyCode::F)
}

fn kitty_code(number: u32) -> Option<KeyCode> {
    Some(match number {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57376..=57398 => function(number - 57376 + 13)?,
        57399..=57408 => KeyCode::Char(char::from_digit(number - 57399, 10)?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        57427 => KeyCode::KeypadBegin,
        // The rest of the private use area: locks, media keys and modifiers by themselves.
        57344..=63743 => return None,
        _ => KeyCode::Char(printable(number)?),
    })
}

fn printable(number: u32) -> Option<char> {
    char::from_u32(number).filter(|character| !character.is_control())
}
