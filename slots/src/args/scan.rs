//! Letters of a JSON text of which more may come: runs, tokens, escapes.
//!
//! It tells what is no JSON from what only has not come yet. It knows no values; `partial.rs` makes them.

/// A place in a text.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
    ended: bool,
}

/// What an escape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    Char(char),
    /// More of it may come; it has not been taken.
    Unfinished,
    /// There is no such escape.
    None,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str, ended: bool) -> Scan<'a> {
        Scan { text, at: 0, ended }
    }

    /// What has not been taken.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes an ASCII byte.
    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn blanks(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Takes bytes while they are wanted. Only ASCII bytes may be unwanted, so that no character is cut.
    pub(super) fn run(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let length = self.text.as_bytes()[start..].iter().take_while(|byte| wanted(**byte)).count();
        self.at = start + length;
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// As [`Scan::run`]; takes nothing where the text ends before the token does.
    pub(super) fn token(&mut self, wanted: impl Fn(u8) -> bool) -> Option<&'a str> {
        let start = self.at;
        let token = self.run(wanted);
        if self.peek().is_none() && !self.ended {
            self.at = start;
            return None;
        }
        Some(token)
    }

    /// Takes the escape that stands here.
    pub(super) fn escape(&mut self) -> Escape {
        let plain = match self.text.as_bytes().get(self.at + 1) {
            None => return self.unfinished(),
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(*letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Escape::None,
        };
        self.at += 2;
        Escape::Char(plain)
    }

    fn unicode_escape(&mut self) -> Escape {
        let Some(first) = self.hex(self.at) else {
            return if self.may_become_escape(self.at) { self.unfinished() } else { Escape::None };
        };
        let (length, c) = match self.hex(self.at + 6) {
            _ if !(0xd800..0xdc00).contains(&first) => (6, char::from_u32(first)),
            Some(second) if (0xdc00..0xe000).contains(&second) => {
                (12, char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)))
            }
            // The other half may still come.
            None if !self.ended && self.may_become_escape(self.at + 6) => return Escape::Unfinished,
            _ => (6, None),
        };
        self.at += length;
        Escape::Char(c.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unfinished(&self) -> Escape {
        if self.ended { Escape::None } else { Escape::Unfinished }
    }

    /// The number of the `\uXXXX` that stands at `at`.
    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// True when what stands from `at` on is too short for `\uXXXX` and could become it, were more of it there.
    fn may_become_escape(&self, at: usize) -> bool {
        let behind = self.text.as_bytes().get(at..).unwrap_or_default();
        let fits = |(place, byte): (usize, &u8)| match place {
            0 => *byte == b'\\',
            1 => *byte == b'u',
            _ => byte.is_ascii_hexdigit(),
        };
        behind.len() < 6 && behind.iter().enumerate().all(fits)
    }
}
