//! A file's text as Read shows it, and the way back to its bytes: line ends and a byte order mark stay as they are.
//!
//! Owns the view (no byte order mark, each CR LF one LF) and the replacement of parts of it. Bytes that do not differ
//! are copied, whatever they are; a new line takes the ending of the line where the change begins, and where that has
//! none of the one before. Works on bytes, so text in a foreign encoding further away survives.
//! Pure. Refuses to know files and matching. Read next: `hunks.rs`.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// The byte order mark of UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

pub struct View<'a> {
    bytes: &'a [u8],
    /// Length of the byte order mark.
    mark: usize,
    text: Vec<u8>,
    /// Where in `text` an LF stands for CR LF, ascending.
    crlf: Vec<usize>,
}

/// Bytes that took the place of others; nothing else differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    None,
    Lf,
    CrLf,
    Mixed,
}

impl<'a> View<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mark = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let body = &bytes[mark..];
        let mut text = Vec::with_capacity(body.len());
        let mut crlf = Vec::new();
        let mut copied = 0;
        for at in memchr_iter(b'\n', body) {
            if at > copied && body[at - 1] == b'\r' {
                text.extend_from_slice(&body[copied..at - 1]);
                crlf.push(text.len());
                copied = at;
            }
        }
        text.extend_from_slice(&body[copied..]);
        Self { bytes, mark, text, crlf }
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn has_mark(&self) -> bool {
        self.mark > 0
    }

    pub fn line_ends(&self) -> LineEnds {
        let all = memchr_iter(b'\n', &self.text).count();
        match self.crlf.len() {
            _ if all == 0 => LineEnds::None,
            0 => LineEnds::Lf,
            carried if carried == all => LineEnds::CrLf,
            _ => LineEnds::Mixed,
        }
    }

    /// `text` with its line ends as this view has them; a file without any line end takes text as it is.
    pub fn normalised(&self, text: &str) -> Vec<u8> {
        match memchr(b'\n', &self.text) {
            Some(_) => View { mark: 0, ..View::without_mark(text.as_bytes()) }.text,
            None => text.as_bytes().to_vec(),
        }
    }

    /// Puts `new` in the place of each range of the view. The ranges ascend and do not overlap.
    pub fn replaced(&self, ranges: &[Range<usize>], new: &[u8]) -> (Vec<u8>, Vec<Region>) {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut regions = Vec::new();
        let mut copied = 0;
        for range in ranges {
            let (lead, tail) = in_common(&self.text[range.clone()], new);
            let (start, end) = (range.start + lead, range.end - tail);
            let old = self.byte_at(start)..self.byte_at(end);
            bytes.extend_from_slice(&self.bytes[copied..old.start]);
            let from = bytes.len();
            self.push_as_here(&mut bytes, &new[lead..new.len() - tail], start);
            copied = old.end;
            if !old.is_empty() || bytes.len() > from {
                regions.push(Region { old, new: from..bytes.len() });
            }
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        (bytes, regions)
    }

    fn without_mark(bytes: &[u8]) -> View<'_> {
        // Text of an argument may begin with what looks like a mark; there it is text.
        let at = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let mut view = View::new(bytes);
        if at > 0 {
            let mut text = MARK.to_vec();
            text.append(&mut view.text);
            view.text = text;
        }
        view
    }

    fn byte_at(&self, at: usize) -> usize {
        self.mark + at + self.crlf.partition_point(|crlf| *crlf < at)
    }

    fn push_as_here(&self, bytes: &mut Vec<u8>, text: &[u8], at: usize) {
        let next = memchr(b'\n', &self.text[at..]).map(|next| at + next);
        let line_end = next.or_else(|| memrchr(b'\n', &self.text[..at]));
        if line_end.is_none_or(|line_end| self.crlf.binary_search(&line_end).is_err()) {
            bytes.extend_from_slice(text);
            return;
        }
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    bytes.extend_from_slice(line);
                    bytes.extend_from_slice(b"\r\n");
                }
                None => bytes.extend_from_slice(line),
            }
        }
    }
}

/// How many bytes two texts share at their start, and, of the rest, at their end.
pub fn in_common(a: &[u8], b: &[u8]) -> (usize, usize) {
    let lead = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[lead..], &b[lead..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (lead, tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Replaces the first `old` of the view.
    fn check(bytes: &str, old: &str, new: &str, expected: &str) {
        let view = View::new(bytes.as_bytes());
        let (old, new) = (view.normalised(old), view.normalised(new));
        let at = memchr::memmem::find(view.text(), &old).unwrap();
        let found = at..at + old.len();
        let (got, _) = view.replaced(std::slice::from_ref(&found), &new);
        assert_eq!(String::from_utf8(got).unwrap(), expected);
    }

    #[test]
    fn line_ends_follow_the_file() {
        check("a\r\nb\r\n", "a\nb", "c\nd\ne", "c\r\nd\r\ne\r\n");
        check("a\r\nb\nc\r\n", "a\nb\nc", "a\nX\nc", "a\r\nX\nc\r\n");
        check("a\r\nb\n", "a", "a\na", "a\r\na\r\nb\n");
        check("a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
        check("a\nb\n", "a", "x\r\ny", "x\ny\nb\n");
        check("a", "a", "x\r\ny", "x\r\ny");
        check("\u{feff}a\n", "a", "\u{feff}b", "\u{feff}\u{feff}b\n");
    }

    #[test]
    fn kinds_of_line_ends() {
        let check = |text: &str, expected| assert_eq!(View::new(text.as_bytes()).line_ends(), expected);
        check("a\rb", LineEnds::None);
        check("a\nb", LineEnds::Lf);
        check("\r\na\r\n", LineEnds::CrLf);
        check("a\r\nb\n", LineEnds::Mixed);
    }

    proptest! {
        #[test]
        fn a_view_is_the_text_and_every_place_leads_back(body in "(\u{feff})?([ab\u{e9}\r]|\r\n|\n){0,30}", a in 0usize..60, b in 0usize..60) {
            let view = View::new(body.as_bytes());
            let shown = body.strip_prefix('\u{feff}').unwrap_or(&body).replace("\r\n", "\n");
            prop_assert_eq!(view.text(), shown.as_bytes());
            let (a, b) = (a.min(shown.len()), b.min(shown.len()));
            let (start, end) = (a.min(b), a.max(b));
            let raw = &body.as_bytes()[view.byte_at(start)..view.byte_at(end)];
            prop_assert_eq!(String::from_utf8_lossy(raw).replace("\r\n", "\n"), String::from_utf8_lossy(&shown.as_bytes()[start..end]));
        }
    }
}
