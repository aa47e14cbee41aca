//! A window of lines out of a stream: which lines, how much of each, how many there are in all.
//!
//! Pure over any `BufRead`: memory is bounded by the window, never by the stream or by the length of a line. A line ends
//! with LF or CR LF; a last line without an end counts, an end without a line after it does not. Refuses to know files,
//! encodings other than (possibly broken) UTF-8, and wording; `read.rs` has these.

use std::io::{self, BufRead};

use super::Cancel;

#[derive(Debug, Clone)]
pub struct Bounds {
    /// The first line to show, counted from 1.
    pub first: u64,
    pub lines: u64,
    /// Text kept of one line.
    pub line_bytes: usize,
    /// Text kept of all lines; the line that reaches it is the last one.
    pub window_bytes: usize,
    /// Bytes read from the first line shown on, whatever they are for.
    pub scan_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub lines: Vec<Line>,
    /// Lines of the whole stream, when its end was seen.
    pub total: Option<u64>,
    pub end: End,
    /// Whether a replacement mark stands for bytes that are no text.
    pub lossy: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub text: String,
    /// Bytes left out at the end.
    pub cut: u64,
}

/// Why the window ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Stream,
    Lines,
    Bounds,
    /// `scan_bytes` were spent inside the last line.
    MidLine,
}

/// Reads the window, then counts on; `None` when cancelled.
pub fn read_window(mut reader: impl BufRead, bounds: &Bounds, cancel: &Cancel) -> io::Result<Option<Window>> {
    let mut scan = Scan::new(bounds);
    loop {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(Some(scan.finish(true)));
        }
        let taken = buffer.len();
        scan.take(buffer);
        reader.consume(taken);
        if scan.spent >= bounds.scan_bytes {
            return Ok(Some(scan.finish(false)));
        }
    }
}

struct Scan<'a> {
    bounds: &'a Bounds,
    /// Lines whose end has been seen.
    ended: u64,
    mid_line: bool,
    partial: Vec<u8>,
    partial_cut: u64,
    lines: Vec<Line>,
    kept_bytes: usize,
    lossy: bool,
    end: Option<End>,
    spent: u64,
}

impl<'a> Scan<'a> {
    fn new(bounds: &'a Bounds) -> Self {
        Self {
            bounds,
            ended: 0,
            mid_line: false,
            partial: Vec::new(),
            partial_cut: 0,
            lines: Vec::new(),
            kept_bytes: 0,
            lossy: false,
            end: None,
            spent: 0,
        }
    }

    fn take(&mut self, mut buffer: &[u8]) {
        buffer = self.skip(buffer);
        self.spent += buffer.len() as u64;
        while self.end.is_none() && !buffer.is_empty() {
            buffer = self.collect(buffer);
        }
        if let Some(last) = buffer.last() {
            self.ended += memchr::memchr_iter(b'\n', buffer).count() as u64;
            self.mid_line = *last != b'\n';
        }
    }

    /// What is left of the buffer once the lines before the window are gone.
    fn skip<'b>(&mut self, buffer: &'b [u8]) -> &'b [u8] {
        let missing = (self.bounds.first - 1).saturating_sub(self.ended);
        if missing == 0 {
            return buffer;
        }
        let mut seen = 0;
        for at in memchr::memchr_iter(b'\n', buffer) {
            seen += 1;
            if seen == missing {
                self.ended += seen;
                self.mid_line = false;
                return &buffer[at + 1..];
            }
        }
        self.ended += seen;
        self.mid_line = buffer.last().is_some_and(|last| *last != b'\n');
        &[]
    }

    /// Takes the rest of the current line, as far as it is in the buffer.
    fn collect<'b>(&mut self, buffer: &'b [u8]) -> &'b [u8] {
        match memchr::memchr(b'\n', buffer) {
            Some(at) => {
                self.keep(&buffer[..at]);
                self.ended += 1;
                self.mid_line = false;
                self.end_line(true);
                &buffer[at + 1..]
            }
            None => {
                self.keep(buffer);
                self.mid_line = true;
                &[]
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        // Room for a byte order mark and a CR, which are taken off before the line is measured.
        let room = (self.bounds.line_bytes + 4).saturating_sub(self.partial.len());
        let kept = bytes.len().min(room);
        self.partial.extend_from_slice(&bytes[..kept]);
        self.partial_cut += (bytes.len() - kept) as u64;
    }

    fn end_line(&mut self, terminated: bool) {
        let mut bytes = std::mem::take(&mut self.partial);
        let mut cut = std::mem::take(&mut self.partial_cut);
        if terminated && cut == 0 && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        let first_of_file = self.bounds.first == 1 && self.lines.is_empty();
        let marked = first_of_file && bytes.starts_with(b"\xef\xbb\xbf");
        let body = if marked { &bytes[3..] } else { &bytes[..] };
        let kept = boundary(body, self.bounds.line_bytes);
        cut += (body.len() - kept) as u64;
        let (text, lossy) = readable(&body[..kept]);
        self.lossy |= lossy;
        self.kept_bytes += text.len() + 1;
        self.lines.push(Line { text, cut });
        if self.lines.len() as u64 >= self.bounds.lines {
            self.end = Some(End::Lines);
        } else if self.kept_bytes >= self.bounds.window_bytes {
            self.end = Some(End::Bounds);
        }
    }

    fn finish(mut self, whole: bool) -> Window {
        let in_window = self.end.is_none() && self.ended + 1 >= self.bounds.first;
        let mut end = if whole { End::Stream } else { End::Bounds };
        if self.mid_line && in_window {
            self.end_line(false);
            if !whole {
                end = End::MidLine;
            }
        }
        let total = self.ended + u64::from(self.mid_line);
        let all_shown = whole && self.bounds.first - 1 + self.lines.len() as u64 >= total;
        Window {
            lines: self.lines,
            total: whole.then_some(total),
            end: match self.end {
                _ if all_shown => End::Stream,
                Some(reached) if end != End::MidLine => reached,
                Some(_) | None => end,
            },
            lossy: self.lossy,
        }
    }
}

/// The longest length up to `limit` that does not cut a character in two.
fn boundary(bytes: &[u8], limit: usize) -> usize {
    if bytes.len() <= limit {
        return bytes.len();
    }
    let is_continuation = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    let back = (0..4.min(limit)).find(|back| !is_continuation(bytes[limit - back]));
    limit - back.unwrap_or(0)
}

/// The text of a line, and whether some of it had to be replaced. A NUL is no text either.
fn readable(bytes: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let broken = matches!(text, std::borrow::Cow::Owned(_));
    if text.contains('\0') { (text.replace('\0', "\u{fffd}"), true) } else { (text.into_owned(), broken) }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    const WIDE: Bounds =
        Bounds { first: 1, lines: 1000, line_bytes: 100, window_bytes: 10_000, scan_bytes: 1 << 20 };

    fn window(bytes: &[u8], bounds: &Bounds, buffer: usize) -> Window {
        read_window(BufReader::with_capacity(buffer, bytes), bounds, &Cancel::new()).unwrap().unwrap()
    }

    /// Lines as `text` or `text+cut`, joined by `|`.
    fn dump(window: &Window) -> String {
        let line = |line: &Line| match line.cut {
            0 => line.text.clone(),
            cut => format!("{}+{cut}", line.text),
        };
        window.lines.iter().map(line).collect::<Vec<_>>().join("|")
    }

    fn check(bytes: &[u8], bounds: Bounds, lines: &str, total: Option<u64>, end: End) {
        for buffer in [1, 2, 3, 7, 64, 4096] {
            let got = window(bytes, &bounds, buffer);
            // The budget is looked at between reads, so with it the end depends on the buffer.
            assert_eq!(
                (dump(&got).as_str(), got.total, got.end),
                (lines, total, end),
                "{bytes:?} buffer {buffer}"
            );
        }
    }

    #[test]
    fn where_lines_begin_and_end() {
        check(b"", WIDE, "", Some(0), End::Stream);
        check(b"\n", WIDE, "", Some(1), End::Stream);
        check(b"a\nb", WIDE, "a|b", Some(2), End::Stream);
        check(b"a\nb\n", WIDE, "a|b", Some(2), End::Stream);
        check(b"a\n\n\nb\n", WIDE, "a|||b", Some(4), End::Stream);
        check(b"a\r\nb\nc\r\n", WIDE, "a|b|c", Some(3), End::Stream);
        check(b"a\rb\rc\r", WIDE, "a\rb\rc\r", Some(1), End::Stream);
        check(b"\xef\xbb\xbfbom\nx\n", WIDE, "bom|x", Some(2), End::Stream);
        check(b"x\n\xef\xbb\xbfy\n", WIDE, "x|\u{feff}y", Some(2), End::Stream);
    }

    #[test]
    fn which_lines() {
        let text = b"1\n2\n3\n4\n5\n";
        check(text, Bounds { first: 2, lines: 2, ..WIDE }, "2|3", Some(5), End::Lines);
        check(text, Bounds { first: 4, lines: 2, ..WIDE }, "4|5", Some(5), End::Stream);
        check(text, Bounds { first: 5, lines: 9, ..WIDE }, "5", Some(5), End::Stream);
        check(text, Bounds { first: 6, ..WIDE }, "", Some(5), End::Stream);
        check(text, Bounds { first: 600, ..WIDE }, "", Some(5), End::Stream);
        check(text, Bounds { window_bytes: 4, ..WIDE }, "1|2", Some(5), End::Bounds);
        check(b"1\n2", Bounds { lines: 1, ..WIDE }, "1", Some(2), End::Lines);
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let narrow = Bounds { line_bytes: 4, ..WIDE };
        check(b"abcd\nabcde\nabcdefghijk\n", narrow.clone(), "abcd|abcd+1|abcd+7", Some(3), End::Stream);
        check("abc\u{e9}x\n".as_bytes(), narrow.clone(), "abc+3", Some(1), End::Stream);
        check(b"abcd\r\n", narrow.clone(), "abcd", Some(1), End::Stream);
        check(b"\xef\xbb\xbfabcd\r\nx", narrow, "abcd|x", Some(2), End::Stream);
    }

    #[test]
    fn what_is_no_text_is_marked() {
        let got = window(b"ok\ntwo \x99\n", &WIDE, 64);
        assert_eq!((dump(&got).as_str(), got.lossy), ("ok|two \u{fffd}", true));
        let got = window(b"nul \0\n", &WIDE, 64);
        assert_eq!((dump(&got).as_str(), got.lossy), ("nul \u{fffd}", true));
        let got = window("a real \u{fffd}\n".as_bytes(), &WIDE, 64);
        assert_eq!((dump(&got).as_str(), got.lossy), ("a real \u{fffd}", false));
    }

    #[test]
    fn the_scan_is_bounded_after_the_window_begins() {
        let endless = || BufReader::with_capacity(8, io::repeat(b'x'));
        let bounds = Bounds { line_bytes: 4, scan_bytes: 100, ..WIDE };
        let got = read_window(endless(), &bounds, &Cancel::new()).unwrap().unwrap();
        assert_eq!((dump(&got).as_str(), got.total, got.end), ("xxxx+100", None, End::MidLine));

        let many = b"a\n".repeat(1000);
        let got = window(&many, &Bounds { lines: 3, scan_bytes: 100, ..WIDE }, 8);
        assert_eq!((dump(&got).as_str(), got.total, got.end), ("a|a|a", None, End::Lines));
        let got = window(&many, &Bounds { first: 999, lines: 3, scan_bytes: 100, ..WIDE }, 8);
        assert_eq!((dump(&got).as_str(), got.total, got.end), ("a|a", Some(1000), End::Stream));
    }

    #[test]
    fn a_cancelled_scan_ends() {
        let cancel = Cancel::new();
        cancel.cancel();
        let endless = BufReader::new(io::repeat(b'x'));
        assert_eq!(read_window(endless, &WIDE, &cancel).unwrap(), None);
    }

    proptest! {
        #[test]
        fn a_window_is_a_slice_of_all_lines(
            text in "[a-c\u{e9}\r\n]{0,60}",
            first in 1u64..12,
            lines in 1u64..8,
            buffer in 1usize..20,
        ) {
            let mut all: Vec<&str> = text.split('\n').collect();
            if all.last() == Some(&"") {
                all.pop();
            }
            let ended_by_lf = |at: usize| at + 1 < all.len() || text.ends_with('\n');
            let model: Vec<Line> = all
                .iter()
                .enumerate()
                .skip(first as usize - 1)
                .take(lines as usize)
                .map(|(at, line)| if ended_by_lf(at) { line.strip_suffix('\r').unwrap_or(line) } else { line })
                .map(|text| Line { text: text.to_owned(), cut: 0 })
                .collect();
            let got = window(text.as_bytes(), &Bounds { first, lines, ..WIDE }, buffer);
            prop_assert_eq!(got.total, Some(all.len() as u64));
            prop_assert_eq!(got.lines, model);
        }
    }
}
