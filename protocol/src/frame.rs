//! Framing: UTF-8 JSON objects, one a line, ended by LF, at most 16 MiB a line.
//!
//! [`encode`] makes a line, [`LineBuffer`] cuts a stream of bytes into lines. Only LF ends a line: U+2028 and the like
//! are text. A line that is too long is dropped up to its LF and told as an error; the lines behind it are read on.

use serde::Serialize;

/// The largest line in bytes, without its LF.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// Why a line could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// More than [`MAX_LINE`] bytes without LF.
    #[error("a line of over {MAX_LINE} bytes was dropped")]
    TooLong,
    /// Not UTF-8.
    #[error("not UTF-8 from byte {at} on")]
    NotUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
    /// Not JSON.
    #[error("not JSON: {reason}")]
    NotJson {
        /// The parser's own words.
        reason: String,
    },
    /// JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
    /// The field that tells kinds apart is missing, empty or no string.
    #[error("no string under \"{name}\"")]
    NoTag {
        /// The field's name.
        name: &'static str,
    },
}

/// One line with its LF. JSON escapes every line feed inside strings, so the LF is the only one.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // The wire types have string keys only and cannot fail; a type that does becomes an empty line, which readers skip.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Cuts bytes into lines.
///
/// ```
/// use carpel_protocol::frame::LineBuffer;
///
/// let mut lines = LineBuffer::default();
/// lines.push(b"{\"event\":\"turn_start\",\"tu");
/// assert_eq!(lines.next_line(), None);
/// lines.push(b"rn\":1}\r\n\n{}");
/// assert_eq!(lines.next_line(), Some(Ok(b"{\"event\":\"turn_start\",\"turn\":1}".to_vec())));
/// assert_eq!(lines.next_line(), None);
/// assert_eq!(lines.rest(), Some(b"{}".to_vec()));
/// ```
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// How far `bytes` has been searched for LF, so that a line in many pieces is searched once.
    searched: usize,
    /// First byte of `bytes` that has not been handed out.
    start: usize,
    /// True inside a line that is too long, up to its LF.
    dropping: bool,
    max_line: usize,
}

impl Default for LineBuffer {
    fn default() -> LineBuffer {
        LineBuffer::with_max_line(MAX_LINE)
    }
}

impl LineBuffer {
    /// A buffer for lines of at most that many bytes, without their LF.
    pub fn with_max_line(bytes: usize) -> LineBuffer {
        LineBuffer { bytes: Vec::new(), searched: 0, start: 0, dropping: false, max_line: bytes }
    }

    /// Adds what was read. Take the lines out before the next piece: only [`LineBuffer::next_line`] drops what is too
    /// long, so that at most one line and one piece are held.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line without its LF (and without a CR before it); `None` until one is there. Blank lines are
    /// skipped.
    ///
    /// # Errors
    /// [`LineError::TooLong`] once for each line that was dropped.
    pub fn next_line(&mut self) -> Option<Result<Vec<u8>, LineError>> {
        loop {
            let Some(offset) = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n') else {
                return self.wait_for_more();
            };
            let end = self.searched + offset;
            let line = &self.bytes[self.start..end];
            self.start = end + 1;
            self.searched = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if line.len() > self.max_line {
                return Some(Err(LineError::TooLong));
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok(line.to_vec()));
            }
        }
    }

    /// What stands behind the last LF, once [`LineBuffer::next_line`] has nothing more; taken at the end of a stream.
    /// `None` where nothing stands there, and where it belongs to a line that was dropped.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.split_off(self.start);
        let wanted = !self.dropping && !rest.iter().all(u8::is_ascii_whitespace);
        *self = LineBuffer::with_max_line(self.max_line);
        wanted.then_some(rest)
    }

    /// How many bytes are held.
    pub fn held(&self) -> usize {
        self.bytes.len()
    }

    fn wait_for_more(&mut self) -> Option<Result<Vec<u8>, LineError>> {
        self.bytes.drain(..self.start);
        self.start = 0;
        let too_long = self.bytes.len() > self.max_line;
        if too_long || self.dropping {
            // A new vector: the room of a huge line is given back.
            self.bytes = Vec::new();
        }
        self.searched = self.bytes.len();
        let is_first = too_long && !self.dropping;
        self.dropping |= too_long;
        is_first.then_some(Err(LineError::TooLong))
    }
}
