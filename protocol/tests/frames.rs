//! `LineBuffer`: whatever the pieces, the same lines; a line that is too long costs itself only.

use carpel_protocol::frame::{LineBuffer, LineError, MAX_LINE};
use carpel_protocol::word::PodState;
use carpel_protocol::{Event, EventLine, event, frame};
use proptest::prelude::*;

type Cut = Vec<Result<Vec<u8>, LineError>>;

/// Everything that a buffer makes of the pieces, the rest at the end as the last line.
fn cut(pieces: &[&[u8]], mut buffer: LineBuffer) -> Cut {
    let mut lines = Vec::new();
    for piece in pieces {
        buffer.push(piece);
        while let Some(line) = buffer.next_line() {
            lines.push(line);
        }
    }
    lines.extend(buffer.rest().map(Ok));
    lines
}

fn check(pieces: &[&[u8]], want: &[&[u8]]) {
    let want: Cut = want.iter().map(|line| Ok(line.to_vec())).collect();
    assert_eq!(cut(pieces, LineBuffer::default()), want, "{pieces:?}");
}

#[test]
fn log_7_03_lines_end_with_a_line_feed_and_nothing_else() {
    check(&[b"a\nb\n"], &[b"a", b"b"]);
    check(&[b"a\r\nb\r\n"], &[b"a", b"b"]);
    check(&[b"a\r", b"\nb"], &[b"a", b"b"]);
    check(&[b"a\n\n \r\n\t\nb\n"], &[b"a", b"b"]);
    check(&[b"a\rb\n"], &[b"a\rb"]);
    check(&["x\u{2028}y\u{85}z\n".as_bytes()], &["x\u{2028}y\u{85}z".as_bytes()]);
    check(&[b"a", b"", b"b", b"\n"], &[b"ab"]);
    check(&[b"last line without its end"], &[b"last line without its end"]);
    check(&[b""], &[]);
    check(&[b"\n\r\n"], &[]);
}

#[test]
fn a_line_that_is_too_long_is_dropped_once() {
    let small = || LineBuffer::with_max_line(4);
    let line = |text: &[u8]| Ok(text.to_vec());
    assert_eq!(cut(&[b"1234\n12345\n1\n"], small()), [line(b"1234"), Err(LineError::TooLong), line(b"1")]);
    assert_eq!(
        cut(&[b"123", b"45", b"67", b"8901234567", b"8\n12", b"\n"], small()),
        [Err(LineError::TooLong), line(b"12")]
    );
    assert_eq!(cut(&[b"12345", b"6"], small()), [Err(LineError::TooLong)], "its rest is no line");
    assert_eq!(
        cut(&[b"12345", b"\n", b"12345", b"\n"], small()),
        [Err(LineError::TooLong), Err(LineError::TooLong)]
    );
}

#[test]
fn memory_stays_bounded() {
    let piece = vec![b'x'; 64 * 1024];
    let mut buffer = LineBuffer::default();
    let mut errors = 0;
    for _ in 0..3 * MAX_LINE / piece.len() {
        buffer.push(&piece);
        while let Some(line) = buffer.next_line() {
            assert_eq!(line, Err(LineError::TooLong));
            errors += 1;
        }
        assert!(buffer.held() <= MAX_LINE + piece.len());
    }
    assert_eq!((errors, buffer.held()), (1, 0), "the rest of a dropped line is not held");
    buffer.push(b"\nnext\n");
    assert_eq!(buffer.next_line(), Some(Ok(b"next".to_vec())));
}

#[test]
fn what_is_encoded_is_one_line() {
    let line = EventLine::from(Event::TextDelta(event::TextDelta {
        text: "one\ntwo\r\n\u{2028}\"".to_owned(),
        reset: false,
        parent: None,
    }));
    let bytes = frame::encode(&line);
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
    let mut buffer = LineBuffer::default();
    buffer.push(&bytes);
    assert_eq!(EventLine::decode(&buffer.next_line().unwrap().unwrap()).unwrap(), line);

    let state = EventLine {
        seq: Some(4),
        at: Some(-1),
        ..Event::State(event::State { state: PodState::Idle }).into()
    };
    assert_eq!(frame::encode(&state), b"{\"event\":\"state\",\"seq\":4,\"at\":-1,\"state\":\"idle\"}\n");
}

proptest! {
    #[test]
    fn pieces_do_not_matter(
        text in "[ab\r\n \u{2028}]{0,60}",
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        max in 0usize..12,
    ) {
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();

        let mut whole: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let rest = whole.pop().unwrap_or_default();
        let mut want: Cut = Vec::new();
        for line in whole {
            let text = line.strip_suffix(b"\r").unwrap_or(line);
            match line.len() > max {
                true => want.push(Err(LineError::TooLong)),
                false if text.trim_ascii().is_empty() => {}
                false => want.push(Ok(text.to_vec())),
            }
        }
        match rest.len() > max {
            true => want.push(Err(LineError::TooLong)),
            false if rest.trim_ascii().is_empty() => {}
            false => want.push(Ok(rest.to_vec())),
        }
        prop_assert_eq!(cut(&pieces, LineBuffer::with_max_line(max)), want);
    }
}
