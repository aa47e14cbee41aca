//! File names as one line of text, and back: what is listed can be opened.
//!
//! A name on disk is bytes; a tool result is text. Bytes that are not UTF-8, control characters (they would break one
//! row in two, or worse) become `\xNN`; a quote may be written so, where the name itself stands in quotes. A backslash
//! stays as it is unless it stands before something that reads like such an escape; then it becomes `\x5c`. So `decode(encode(name)) == name` for every name, and ordinary names,
//! blanks, quotes, brackets and percent signs included, are untouched.
//! Refuses to know about directories and links; read `workspace.rs` for what happens to the decoded path.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The text of a path, one line, lossless.
pub fn encode(path: &Path) -> String {
    let mut text = String::new();
    let mut rest = path.as_os_str().as_bytes();
    for chunk in rest.utf8_chunks() {
        for character in chunk.valid().chars() {
            let escape = match character {
                '\\' => reads_like_an_escape(rest),
                _ => character.is_ascii_control(),
            };
            if escape {
                push_escape(&mut text, character as u8);
            } else {
                text.push(character);
            }
            rest = &rest[character.len_utf8()..];
        }
        for byte in chunk.invalid() {
            push_escape(&mut text, *byte);
        }
        rest = &rest[chunk.invalid().len()..];
    }
    text
}

/// The path that `encode` gave this text for; text without an escape is taken as it stands.
pub fn decode(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        match escaped_byte(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn push_escape(text: &mut String, byte: u8) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\\x{byte:02x}");
}

fn reads_like_an_escape(bytes: &[u8]) -> bool {
    escaped_byte(bytes).is_some()
}

/// The byte that an escape at the start of `bytes` stands for. Only bytes that `encode` escapes count, and the quote:
/// `\x41` is four characters of a name, and no escape can smuggle in a slash or a NUL.
fn escaped_byte(bytes: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = bytes else { return None };
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let byte = digit(high)? * 16 + digit(low)?;
    (byte != 0 && (byte.is_ascii_control() || byte >= 0x80 || matches!(byte, b'\\' | b'"'))).then_some(byte)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use proptest::prelude::*;

    use super::*;

    fn check(name: &[u8], text: &str) {
        let path = Path::new(OsStr::from_bytes(name));
        assert_eq!(encode(path), text);
        assert_eq!(decode(text), path, "{text}");
    }

    #[test]
    fn names_and_their_text() {
        check(b"src/main.rs", "src/main.rs");
        check(b" two words ", " two words ");
        check(b"%20 $(id) [id] {a,b}", "%20 $(id) [id] {a,b}");
        check(b"back\\slash", "back\\slash");
        check(b"new\nline", "new\\x0aline");
        check(b"bad\xffutf8", "bad\\xffutf8");
        check(b"\x1b]0;T\x07esc", "\\x1b]0;T\\x07esc");
        check(b"spells\\xff", "spells\\x5cxff");
        check(b"\\\\xff", "\\\\x5cxff");
        check(b"dq\"mid", "dq\"mid");
        check(b"spells \\x22", "spells \\x5cx22");
        assert_eq!(decode("dq\\x22mid"), Path::new("dq\"mid"));
        check(b"not an escape \\x41 \\xFF \\x00 \\x2f", "not an escape \\x41 \\xFF \\x00 \\x2f");
        check("nnbsp\u{202f}here cafe\u{301}".as_bytes(), "nnbsp\u{202f}here cafe\u{301}");
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name in prop::collection::vec(prop_oneof![1u8..=255, Just(b'\\'), Just(b'x'), Just(b'f'), Just(b'5')], 0..24)) {
            let path = Path::new(OsStr::from_bytes(&name));
            let text = encode(path);
            prop_assert!(!text.chars().any(|c| c.is_ascii_control()));
            prop_assert_eq!(decode(&text), path.to_path_buf());
        }
    }
}
