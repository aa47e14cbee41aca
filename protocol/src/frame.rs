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
    /// The field that tells kinds apart is missing or no string.
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
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// How far `bytes` has been searched for LF, so that a line in many pieces is searched once.
    searched: usize,
    /// First byte of `bytes` that has not been handed out.
    start: usize,
    dropping: bool,
}

impl LineBuffer {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.bytes.len() {
            self.bytes.clear();
            self.searched = 0;
            self.start = 0;
        }
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
                self.searched = self.bytes.len();
                return self.wait_for_more();
            };
            let end = self.searched + offset;
            let line = self.bytes[self.start..end].to_vec();
            self.start = end + 1;
            self.searched = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if line.len() > MAX_LINE {
                return Some(Err(LineError::TooLong));
            }
            let line = line.strip_suffix(b"\r").map(<[u8]>::to_vec).unwrap_or(line);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok(line));
            }
        }
    }

    /// What stands behind the last LF; taken at the end of a stream.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.split_off(self.start);
        *self = LineBuffer::default();
        (!rest.iter().all(u8::is_ascii_whitespace)).then_some(rest)
    }

    fn wait_for_more(&mut self) -> Option<Result<Vec<u8>, LineError>> {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.bytes.len() <= MAX_LINE {
            return None;
        }
        self.bytes.clear();
        self.searched = 0;
        let first = !std::mem::replace(&mut self.dropping, true);
        first.then_some(Err(LineError::TooLong))
    }
}
