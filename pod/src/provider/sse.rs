//! Server-sent events: bytes in, whole events out.
//!
//! Owns lines (LF, CR and CRLF end one, U+2028 does not), fields, comments, and characters that arrive in halves. It is
//! fed by pushing, so that every way to cut a stream can be tried. Hostile servers cannot fill the memory: a line and an
//! event have a bound; bytes that are no UTF-8 become replacement characters. At the end of a stream an event without
//! its empty line counts, since several servers leave that out. It refuses to know what the data means.

use std::mem::take;

/// Bytes of one line, and of one event's data.
pub const MAX_EVENT: usize = 32 * 1024 * 1024;

/// The stream has something larger than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// Cuts a stream of bytes into events; each is given as its data.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    begun: bool,
    after_cr: bool,
    bound: Option<usize>,
}

impl Events {
    #[cfg(test)]
    fn bounded(bound: usize) -> Self {
        Self { bound: Some(bound), ..Self::default() }
    }

    /// Takes what has arrived and hands on the data of each event that is whole.
    ///
    /// # Errors
    /// [`TooLong`] when a line or an event is larger than the bound; nothing more can be taken then.
    pub fn push(&mut self, mut bytes: &[u8], event: &mut impl FnMut(&str)) -> Result<(), TooLong> {
        while let Some(at) = memchr::memchr2(b'\n', b'\r', bytes) {
            let (piece, end, rest) = (&bytes[..at], bytes[at], &bytes[at + 1..]);
            bytes = rest;
            // The second half of CRLF ends nothing.
            let half = end == b'\n' && self.after_cr && piece.is_empty();
            self.after_cr = end == b'\r';
            if !half {
                self.grow(piece)?;
                self.line_ends(event)?;
            }
        }
        if !bytes.is_empty() {
            self.after_cr = false;
        }
        self.grow(bytes)
    }

    /// The stream is over: what was begun counts.
    pub fn end(&mut self, event: &mut impl FnMut(&str)) {
        if !self.line.is_empty() && self.line_ends(event).is_err() {
            return;
        }
        self.dispatch(event);
    }

    fn grow(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + piece.len() > self.bound.unwrap_or(MAX_EVENT) {
            return Err(TooLong);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn line_ends(&mut self, event: &mut impl FnMut(&str)) -> Result<(), TooLong> {
        let line = take(&mut self.line);
        let mut line = line.as_slice();
        if !self.begun {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            self.begun = true;
        }
        if line.is_empty() {
            self.dispatch(event);
            return Ok(());
        }
        // The kind of an event is told in its data too, by both services that are spoken here; a comment has no name.
        let Some(value) = line.strip_prefix(b"data") else { return Ok(()) };
        let value = match value {
            [] => value,
            [b':', b' ', value @ ..] | [b':', value @ ..] => value,
            _ => return Ok(()),
        };
        let data = match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data
            }
            none => none.insert(Vec::new()),
        };
        if data.len() + value.len() > self.bound.unwrap_or(MAX_EVENT) {
            return Err(TooLong);
        }
        data.extend_from_slice(value);
        Ok(())
    }

    fn dispatch(&mut self, event: &mut impl FnMut(&str)) {
        if let Some(data) = self.data.take() {
            event(&String::from_utf8_lossy(&data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        let mut seen = Vec::new();
        for chunk in chunks {
            events.push(chunk, &mut |data| seen.push(data.to_owned())).unwrap();
        }
        events.end(&mut |data| seen.push(data.to_owned()));
        seen
    }

    /// Whole, and in two pieces cut at each offset, and byte by byte.
    fn check(bytes: impl AsRef<[u8]>, expected: &[&str]) {
        let bytes = bytes.as_ref();
        for at in 0..=bytes.len() {
            assert_eq!(events(&[&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(events(&single), expected);
    }

    #[test]
    fn fields_comments_and_line_ends() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("event: x\ndata: a\nid: 1\nretry: 2\nunknown\n\n", &["a"]);
        check(": ping\n\ndata:a\n\n: OPENROUTER PROCESSING\n\n", &["a"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check("data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: one\ndata: two\n\n", &["one\ntwo"]);
        check("data:  two blanks\n\ndata\n\n", &[" two blanks", ""]);
        check("database: no\n\n\n\n", &[]);
        check("", &[]);
        check("data: no blank line", &["no blank line"]);
        check("data: no blank line\n", &["no blank line"]);
        check("data: [DONE]\r", &["[DONE]"]);
    }

    #[test]
    fn a_mark_of_byte_order_is_no_text() {
        check("\u{feff}data: a\n\ndata: \u{feff}b\n\n", &["a", "\u{feff}b"]);
    }

    #[test]
    fn misbehaviour_38_only_line_ends_end_lines() {
        check("data: a\u{2028}b\u{2029}c\u{85}d\u{b}e\n\n", &["a\u{2028}b\u{2029}c\u{85}d\u{b}e"]);
    }

    #[test]
    fn misbehaviour_39_characters_arrive_in_halves() {
        check("data: é 漢 👍\n\n", &["é 漢 👍"]);
        check(b"data: \xf0\x9f broken \xff\n\ndata: on\n\n", &["\u{fffd} broken \u{fffd}", "on"]);
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let check = |bytes: &[u8], fits: bool| {
            let mut events = Events::bounded(16);
            assert_eq!(events.push(bytes, &mut |_| {}), if fits { Ok(()) } else { Err(TooLong) });
        };
        check(b"data: 0123456789\n\n", true);
        check(b"data: 0123456789a\n\n", false);
        check(b": 0123456789abcdefghi", false);
        check(b"data: 01234567\ndata: 01234567\n", false);
        check(b"data: 01234567\n\ndata: 01234567\n\n", true);
    }
}
