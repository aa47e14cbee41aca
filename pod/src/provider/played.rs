//! Streams as bytes, played to a reader, for tests: whole, cut in two at every offset, and byte by byte.
//!
//! Owns that all of these give the same events, and how events are told in a test: each part on a line as it ended, then
//! how the step did. It holds no expectations of its own.

use super::assembler::Assembler;
use super::decode::Decoder;
use super::step::Reader;
use super::{PartKind, StreamEvent};

/// The events of a stream, which must not depend on how it was cut.
pub fn play<R: Reader>(reader: impl Fn() -> R, bytes: &[u8]) -> Vec<StreamEvent> {
    let play = |chunks: &[&[u8]]| {
        let (mut decoder, mut assembler) = (Decoder::new(reader()), Assembler::default());
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.push(chunk, &mut assembler);
            events.extend(assembler.events());
        }
        if !assembler.is_over() {
            decoder.end(None, &mut assembler);
        }
        events.extend(assembler.events());
        events
    };
    let whole = play(&[bytes]);
    for at in 1..bytes.len() {
        assert_eq!(play(&[&bytes[..at], &bytes[at..]]), whole, "cut at {at}");
    }
    assert_eq!(play(&bytes.chunks(1).collect::<Vec<_>>()), whole, "byte by byte");
    whole
}

/// Each part as it ended, in the order in which they began, then how the step did.
pub fn settled(events: &[StreamEvent]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut open = Vec::new();
    let mut end = String::new();
    for event in events {
        assert_eq!(end, "", "nothing comes after the end");
        match event {
            StreamEvent::Start { part, kind } => {
                assert_eq!(*part as usize, parts.len(), "parts are numbered as they begin");
                open.push(*part);
                parts.push(match kind {
                    PartKind::Text => "text ".to_owned(),
                    PartKind::Thinking => "thinking ".to_owned(),
                    PartKind::ToolCall { name } => format!("{name} "),
                });
            }
            StreamEvent::Delta { part, text } => {
                assert!(open.contains(part));
                parts[*part as usize].push_str(text);
            }
            StreamEvent::End { part, opaque } => {
                let before = open.len();
                open.retain(|open| open != part);
                assert_eq!(open.len() + 1, before, "a part ends once");
                if let Some(opaque) = opaque {
                    parts[*part as usize].push_str(&format!(" <{opaque}>"));
                }
            }
            StreamEvent::Usage(_) => {}
            StreamEvent::Stop(reason) => {
                assert_eq!(open, [] as [u32; 0], "all parts are closed");
                end = format!("{reason:?}");
            }
            StreamEvent::Failed(failure) => {
                end = format!("failed {} {}", failure.retryable, failure.clone().sentence());
            }
        }
    }
    parts.push(end);
    parts
}
