//! Target: what a terminal sends, as keys and pastes.
//!
//! Holds: bytes that come one by one in no time say the same as bytes that come together, but for pastes without markers,
//! which are told by how they come; what is unfinished ends by itself, after which a letter is a letter; pasted text has
//! no control but tabs and line feeds. It gives keys no meaning.

use std::time::Duration;

use carpel::terminal::input::decode::{Decoded, Decoder};
use crossterm::event::{KeyCode, KeyModifiers};

/// The start marker of a paste; its end depends on the reads (see `Decoder::paste`).
const PASTE: &[u8] = b"\x1b[200~";

pub fn run(bytes: &[u8]) {
    let whole = decoded(&[bytes]);
    check(&whole);
    let has_paste = bytes.windows(PASTE.len()).any(|window| window == PASTE);
    let has_lines = bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'));
    for pieces in super::cuttings(bytes) {
        let cut = decoded(&pieces);
        check(&cut);
        if !has_paste && !has_lines {
            assert_eq!(bare(&cut), bare(&whole), "{bytes:?} in {pieces:?}");
        }
    }
}

/// The events of bytes that come at one time, then of the time that passes.
fn decoded(pieces: &[&[u8]]) -> Vec<Decoded> {
    let mut decoder = Decoder::new();
    let mut now = Duration::from_secs(1);
    let mut events: Vec<Decoded> = pieces.iter().flat_map(|piece| decoder.feed(piece, now)).collect();
    let mut waits = 0;
    while let Some(deadline) = decoder.deadline() {
        assert!(deadline >= now, "a deadline that has passed");
        now = deadline;
        events.extend(decoder.advance(now));
        waits += 1;
        assert!(waits < 10, "it never ends");
    }
    now += Duration::from_secs(1);
    let letter = decoder.feed(b"x", now);
    let is_letter = |key: &Decoded| matches!(key, Decoded::Key(key) if key.event.code == KeyCode::Char('x') && key.event.modifiers == KeyModifiers::NONE);
    assert!(letter.len() == 1 && letter.iter().all(is_letter), "a letter is {letter:?}");
    events
}

fn check(events: &[Decoded]) {
    for event in events {
        match event {
            Decoded::Paste(text) => {
                let odd = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
                assert!(odd.is_none() && !text.is_empty(), "{text:?} is pasted");
            }
            Decoded::Key(key) => {
                let is_odd = matches!(key.event.code, KeyCode::Char(c) if c.is_control());
                assert!(!is_odd, "{key:?}");
            }
            Decoded::Cursor { .. } | Decoded::Keyboard | Decoded::Background(_) | Decoded::Focus(_) => {}
        }
    }
}

/// What was meant, without how it came.
fn bare(events: &[Decoded]) -> Vec<Decoded> {
    let plain = |event: &Decoded| match event {
        Decoded::Key(key) => Decoded::Key(key.event.into()),
        other => other.clone(),
    };
    events.iter().map(plain).collect()
}
