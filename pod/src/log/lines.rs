//! Lines of a log, one at a time, whatever their bytes.
//!
//! Only LF ends a line: U+2028, CR and the like are text. A run of NUL bytes is counted and kept as one, and a line beyond
//! `MAX_LINE` is counted and dropped, so that memory is bounded by the longest honest record. Offsets are those of the
//! file. It refuses to know what a line says.

use std::io::{self, BufRead};

/// More than any record: an output is cut at 64 KiB, arguments come over a wire of 16 MiB a line.
pub(super) const MAX_LINE: usize = 64 << 20;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Without the LF; empty when it was too long.
    pub(super) bytes: Vec<u8>,
    /// Where it begins in the file.
    pub(super) start: u64,
    /// Bytes in the file, the LF among them.
    pub(super) length: u64,
    pub(super) nuls: u64,
    /// Whether it ends with LF.
    pub(super) whole: bool,
    pub(super) too_long: bool,
}

pub(super) struct Lines<R> {
    input: R,
    offset: u64,
    max: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, max: usize) -> Self {
        Self { input, offset: 0, max }
    }

    /// Fills `line` with the next one; false at the end.
    pub(super) fn next(&mut self, line: &mut Line) -> io::Result<bool> {
        line.bytes.clear();
        *line = Line { bytes: std::mem::take(&mut line.bytes), start: self.offset, ..Line::default() };
        while !line.whole {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', chunk);
            let used = end.map_or(chunk.len(), |end| end + 1);
            line.take(&chunk[..end.unwrap_or(used)], self.max);
            line.whole = end.is_some();
            line.length += used as u64;
            self.input.consume(used);
        }
        self.offset += line.length;
        Ok(line.length > 0)
    }
}

impl Line {
    fn take(&mut self, chunk: &[u8], max: usize) {
        if self.too_long {
            return;
        }
        if memchr::memchr(0, chunk).is_none() {
            self.bytes.extend_from_slice(chunk);
        } else {
            for &byte in chunk {
                self.nuls += u64::from(byte == 0);
                if byte != 0 || self.bytes.last() != Some(&0) {
                    self.bytes.push(byte);
                }
            }
        }
        if self.bytes.len() > max {
            self.too_long = true;
            self.bytes = Vec::new();
        }
    }
}

/// What stands between blanks, NUL bytes, a CR and a byte order mark.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let is_text = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
    match (line.iter().position(is_text), line.iter().rposition(is_text)) {
        (Some(first), Some(last)) => &line[first..=last],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn check(input: &[u8], expected: &[(&[u8], u64, u64, &str)]) {
        for capacity in [1, 2, 3, 64] {
            let mut lines = Lines::new(BufReader::with_capacity(capacity, input), 5);
            let mut line = Line::default();
            let mut got = Vec::new();
            while lines.next(&mut line).unwrap() {
                let marks = [(line.whole, 'w'), (line.too_long, 'l'), (line.nuls > 0, 'n')];
                let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
                got.push((line.bytes.clone(), line.start, line.length, marks));
            }
            let expected: Vec<_> = expected
                .iter()
                .map(|(bytes, start, length, marks)| (bytes.to_vec(), *start, *length, (*marks).to_owned()))
                .collect();
            assert_eq!(got, expected, "{input:?} in pieces of {capacity}");
        }
    }

    #[test]
    fn only_lf_ends_a_line() {
        check(b"", &[]);
        check(b"\n", &[(b"", 0, 1, "w")]);
        check(b"a\r\nb", &[(b"a\r", 0, 3, "w"), (b"b", 3, 1, "")]);
        check("\u{2028}\n".as_bytes(), &[("\u{2028}".as_bytes(), 0, 4, "w")]);
        check(b"toolong\nab\n", &[(b"", 0, 8, "wl"), (b"ab", 8, 3, "w")]);
        check(b"toolong", &[(b"", 0, 7, "l")]);
        check(b"\0\0\0\0\0\0\0a\0b\0\0\nc\n", &[(b"\0a\0b\0", 0, 13, "wn"), (b"c", 13, 2, "w")]);
    }
}
