//! How long an escape sequence is.
//!
//! Knows the grammar of ECMA-48 in its 7-bit form and as C1 code points, plus the title string `ESC k` of screen, and
//! nothing of what a sequence means. A sequence never goes past a line feed. A string without an end is no more than its
//! opener: what follows stays, so that nobody hides the rest of a row, or of rows that were joined to one. C1 code points
//! also come from text that was decoded wrongly, so one of them opens a string only when the string holds no control.

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
const CAN: char = '\u{18}';
const SUB: char = '\u{1a}';
const STRING_TERMINATOR: char = '\u{9c}';

/// Bytes of the sequence at the start of `text`; `None` when none starts there.
pub(super) fn length(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    match chars.next()? {
        ESC => escape(chars.as_str()).map(|rest| ESC.len_utf8() + rest),
        '\u{9b}' => Some(2 + control_sequence(chars.as_str())),
        '\u{9d}' => closed_string(chars.as_str(), true).map(|rest| 2 + rest),
        '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => {
            closed_string(chars.as_str(), false).map(|rest| 2 + rest)
        }
        STRING_TERMINATOR => Some(2),
        _ => None,
    }
}

/// Bytes that belong to a sequence behind its ESC; `None` when the ESC stands alone.
fn escape(text: &str) -> Option<usize> {
    match text.chars().next()? {
        // The second one begins anew.
        ESC => Some(0),
        '[' => Some(1 + control_sequence(&text[1..])),
        ']' => Some(1 + string(&text[1..], true).unwrap_or(0)),
        'P' | 'X' | '^' | '_' | 'k' => Some(1 + string(&text[1..], false).unwrap_or(0)),
        ' '..='/' => Some(shift(text)),
        '0'..='~' => Some(1),
        _ => None,
    }
}

/// Parameters and intermediates up to the final character, which is taken too when it is one.
fn control_sequence(text: &str) -> usize {
    let body = text.bytes().take_while(|byte| (b' '..=b'?').contains(byte)).count();
    body + usize::from(text.as_bytes().get(body).is_some_and(|byte| (b'@'..=b'~').contains(byte)))
}

/// Character sets and the like: intermediates, then one final character.
fn shift(text: &str) -> usize {
    let body = text.bytes().take_while(|byte| (b' '..=b'/').contains(byte)).count();
    body + usize::from(text.as_bytes().get(body).is_some_and(|byte| (b'0'..=b'~').contains(byte)))
}

/// The body of a string with its end; `None` when it has none in its row. Any ESC ends it, as in terminals: `ESC \` is
/// a sequence of its own.
fn string(text: &str, ends_with_bell: bool) -> Option<usize> {
    for (at, c) in text.char_indices() {
        match c {
            BEL if ends_with_bell => return Some(at + 1),
            CAN | SUB => return Some(at + 1),
            STRING_TERMINATOR => return Some(at + 2),
            ESC => return Some(at + if text[at + 1..].starts_with('\\') { 2 } else { 0 }),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// The body of a string with its end, when it has one and holds no other control.
fn closed_string(text: &str, ends_with_bell: bool) -> Option<usize> {
    let (at, end) = text.char_indices().find(|(_, c)| c.is_control())?;
    match end {
        BEL if ends_with_bell => Some(at + 1),
        STRING_TERMINATOR => Some(at + 2),
        ESC if text[at + 1..].starts_with('\\') => Some(at + 2),
        _ => None,
    }
}
