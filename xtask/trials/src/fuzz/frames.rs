//! Target: lines of the protocol, as they come from a socket.
//!
//! Holds: a stream gives the same lines wherever it is cut; a line that can be read is written in a way that reads as the
//! same; nothing longer than the bound is held. It knows no session and no meaning.

use std::fmt::Debug;

use carpel_protocol::frame::{LineBuffer, LineError, encode};
use carpel_protocol::recording::decode_step;
use carpel_protocol::{EventLine, MethodLine, Record};
use serde::Serialize;

/// The longest line of the second reading, so that small inputs have lines that are too long.
const SHORT: usize = 64;

type Line = Result<Vec<u8>, LineError>;

pub fn run(bytes: &[u8]) {
    for most in [carpel_protocol::frame::MAX_LINE, SHORT] {
        let whole = lines(&[bytes], most);
        for pieces in super::cuttings(bytes) {
            assert_eq!(lines(&pieces, most), whole, "cut into {pieces:?}");
        }
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        reads_back(EventLine::decode, line);
        reads_back(MethodLine::decode, line);
        reads_back(Record::decode, line);
        // What it says of a line is checked above; a directive has no other way back.
        _ = decode_step(line);
    }
}

/// All lines and what stands behind the last, each piece taken out before the next comes.
fn lines(pieces: &[&[u8]], most: usize) -> (Vec<Line>, Option<Vec<u8>>) {
    let mut buffer = LineBuffer::with_max_line(most);
    let mut lines = Vec::new();
    for piece in pieces {
        buffer.push(piece);
        while let Some(line) = buffer.next_line() {
            assert!(!matches!(&line, Ok(line) if line.len() > most || line.contains(&b'\n')), "{line:?}");
            lines.push(line);
        }
        assert!(buffer.held() <= most, "{} bytes are held", buffer.held());
    }
    (lines, buffer.rest())
}

/// A line that can be read is read again from what is written of it.
fn reads_back<T: Serialize + PartialEq + Debug>(decode: impl Fn(&[u8]) -> Result<T, LineError>, line: &[u8]) {
    let Ok(read) = decode(line) else { return };
    let written = encode(&read);
    let (last, line) = written.split_last().unwrap_or((&0, &[]));
    assert!(*last == b'\n' && !line.contains(&b'\n'), "{:?}", String::from_utf8_lossy(&written));
    assert_eq!(decode(line).as_ref(), Ok(&read), "{:?}", String::from_utf8_lossy(line));
}
