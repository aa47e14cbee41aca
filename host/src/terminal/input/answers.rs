//! What a terminal says in a control string, as far as anybody asked: its background colour.
//!
//! A finished string in, an event or nothing out. It does not know when it was asked, so an answer is good whenever it
//! comes. `decode.rs` finds the strings.

use super::decode::Decoded;

/// The background colour, from an OSC 11 with a colour in one of the forms that terminals use.
pub(super) fn background(opener: u8, text: &[u8]) -> Option<Decoded> {
    if opener != b']' {
        return None;
    }
    let colour = std::str::from_utf8(text).ok()?.strip_prefix("11;")?;
    let numbers = colour.strip_prefix("rgb:").or_else(|| colour.strip_prefix("rgba:"))?;
    let mut parts = numbers.split('/');
    let rgb = [byte(parts.next()?)?, byte(parts.next()?)?, byte(parts.next()?)?];
    Some(Decoded::Background(rgb))
}

/// One to four hexadecimal digits, scaled to a byte.
fn byte(digits: &str) -> Option<u8> {
    let most = match digits.len() {
        1 => 0xf,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    let number = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from(number * 255 / most).ok()
}

#[cfg(test)]
mod tests {
    use super::{Decoded, background};

    #[test]
    fn colours_in_every_form() {
        let rows: [(u8, &str, Option<[u8; 3]>); 10] = [
            (b']', "11;rgb:0000/0000/0000", Some([0, 0, 0])),
            (b']', "11;rgb:fdfd/f6f6/e3e3", Some([0xfd, 0xf6, 0xe3])),
            (b']', "11;rgb:ff/80/00", Some([255, 128, 0])),
            (b']', "11;rgb:f/0/f", Some([255, 0, 255])),
            (b']', "11;rgba:ffff/ffff/ffff/8000", Some([255, 255, 255])),
            (b']', "11;?", None),
            (b']', "11;rgb:ffff/ffff", None),
            (b']', "11;rgb:fffff/0/0", None),
            (b']', "10;rgb:ffff/ffff/ffff", None),
            (b'P', "11;rgb:ffff/ffff/ffff", None),
        ];
        for (opener, text, want) in rows {
            assert_eq!(background(opener, text.as_bytes()), want.map(Decoded::Background), "{text}");
        }
    }
}
