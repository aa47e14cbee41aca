//! Terminal input as a pure machine: bytes and the time in, events out.
//!
//! It reads legacy keys, the kitty keyboard protocol, bracketed paste and pastes without markers, and swallows what
//! terminals answer on their own or too late (colours, device attributes, mouse), in whatever pieces it
//! comes. Time is an argument: what could be the start of a sequence waits until `deadline`, then `advance` settles
//! it. It does no IO and gives key names no meaning. Read `keys.rs` for what a finished sequence stands for.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::answers;
use super::keys::{control_key, csi, single_shift};
use super::keystroke::{Arrival, BURST_GAP, Keystroke};

/// How long an ESC waits for the rest of a sequence. Replies come in pieces up to 120 ms apart over slow links;
/// a person who means Esc and goes on typing takes longer.
pub const ESCAPE_PATIENCE: Duration = Duration::from_millis(200);
/// How long an unfinished sequence or character is kept at all.
pub const SEQUENCE_PATIENCE: Duration = Duration::from_millis(1000);
/// How long a paste may be silent before it counts as ended: some terminals lose the end marker.
pub const PASTE_PATIENCE: Duration = Duration::from_millis(1000);
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// So much of a control string is looked at; the rest of a longer one is swallowed all the same.
const STRING_LIMIT: usize = 64 * 1024;
/// No answer in a string that says something is longer.
const ANSWER_LIMIT: usize = 64;

/// What the bytes meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A key pressed or repeated; releases are left out.
    Key(Keystroke),
    /// Pasted text, line ends as LF, no other control character but tabs.
    Paste(String),
    /// The answer to a cursor query: column and row from zero.
    Cursor { column: u16, row: u16 },
    /// The terminal told its keyboard flags: it has the protocol.
    Keyboard,
    /// The answer to the question for the background colour, whenever it comes.
    Background([u8; 3]),
    /// The terminal's window has the keyboard now, or has it no more.
    Focus(bool),
}

/// The machine. `Duration`s are times since any fixed moment.
#[derive(Default)]
pub struct Decoder {
    state: State,
    /// When the present state began, or in a paste when its last byte came.
    since: Duration,
    /// Until when text with line ends still belongs to a paste without markers.
    burst_until: Option<Duration>,
    /// When the last key or paste came.
    last: Option<Duration>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    /// After `ESC [`: parameters so far.
    Csi(Vec<u8>),
    /// After `ESC O`.
    SingleShift,
    /// In an OSC, DCS, APC, PM or SOS string: its opening byte, how it begins, whether the last byte was ESC.
    Text {
        opener: u8,
        text: Vec<u8>,
        escaped: bool,
    },
    /// In the three bytes of an old mouse report.
    Mouse {
        left: u8,
    },
    /// In a character of several bytes.
    Character {
        bytes: Vec<u8>,
        alt: bool,
    },
    Paste(Vec<u8>),
}

impl Decoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads what came in one read at time `now`.
    pub fn feed(&mut self, bytes: &[u8], now: Duration) -> Vec<Decoded> {
        let mut events = Vec::new();
        self.settle(now, &mut events);
        if let Some(text) = self.burst(bytes, now) {
            events.push(Decoded::Paste(text));
            self.last = Some(now);
            return events;
        }
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            let before = events.len();
            rest = if matches!(self.state, State::Paste(_)) {
                self.paste(rest, now, &mut events)
            } else {
                self.byte(byte, now, &mut events);
                behind
            };
            self.arrived(events.get_mut(before..).unwrap_or_default(), now, !rest.is_empty());
        }
        events
    }

    /// Notes on new events how they came: at this time, and whether with more behind them.
    fn arrived(&mut self, events: &mut [Decoded], now: Duration, more_waits: bool) {
        for event in events {
            match event {
                Decoded::Key(key) => {
                    let gap = self.last.replace(now).map(|last| now.saturating_sub(last));
                    key.arrival = Arrival { gap, more_waits };
                }
                Decoded::Paste(_) => self.last = Some(now),
                Decoded::Cursor { .. } | Decoded::Keyboard | Decoded::Background(_) | Decoded::Focus(_) => {}
            }
        }
    }

    /// Settles what has waited long enough at time `now`.
    pub fn advance(&mut self, now: Duration) -> Vec<Decoded> {
        let mut events = Vec::new();
        self.settle(now, &mut events);
        events
    }

    /// When `advance` has something to settle; `None` while nothing waits.
    pub fn deadline(&self) -> Option<Duration> {
        let patience = match &self.state {
            State::Ground => return None,
            State::Escape => ESCAPE_PATIENCE,
            State::Paste(_) => PASTE_PATIENCE,
            State::Csi(_)
            | State::SingleShift
            | State::Text { .. }
            | State::Mouse { .. }
            | State::Character { .. } => SEQUENCE_PATIENCE,
        };
        Some(self.since + patience)
    }

    fn settle(&mut self, now: Duration, events: &mut Vec<Decoded>) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let (came, before) = (self.since, events.len());
        match std::mem::take(&mut self.state) {
            State::Escape => events.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            // Nothing followed, so it was the key with Alt and not the start of a sequence.
            State::Csi(parameters) if parameters.is_empty() => events.push(alt('[')),
            State::SingleShift => events.push(alt('O')),
            State::Text { opener, text, escaped: false } if text.is_empty() => {
                events.push(alt(char::from(opener)));
            }
            State::Paste(bytes) => push_paste(&bytes, events),
            // The rest of a cut sequence or character says nothing.
            State::Ground
            | State::Csi(_)
            | State::Text { .. }
            | State::Mouse { .. }
            | State::Character { .. } => {}
        }
        // It came when its bytes did; that nothing followed is why it waited.
        self.arrived(events.get_mut(before..).unwrap_or_default(), came, false);
    }

    /// Text with several line ends in one read is a paste in a terminal that sends no markers: nobody types so, and
    /// each line would be sent on its own. One line end at the very end is what a test or a fast typist sends.
    fn burst(&mut self, bytes: &[u8], now: Duration) -> Option<String> {
        let goes_on = self.burst_until.take().is_some_and(|until| now <= until);
        if !matches!(self.state, State::Ground) || bytes.contains(&0x1b) {
            return None;
        }
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let ends = bytes.iter().filter(|byte| is_end(byte)).count();
        let first = bytes.iter().position(is_end)?;
        let text_follows = bytes.iter().skip(first).any(|byte| *byte >= b' ');
        let keys = bytes.iter().any(|byte| *byte < b' ' && !matches!(byte, b'\r' | b'\n' | b'\t' | 0));
        if keys || !(goes_on || (ends >= 2 && text_follows)) {
            return None;
        }
        self.burst_until = Some(now + BURST_GAP);
        Some(pasted(bytes))
    }

    fn byte(&mut self, byte: u8, now: Duration, events: &mut Vec<Decoded>) {
        match std::mem::take(&mut self.state) {
            State::Ground => self.ground(byte, false, now, events),
            State::Escape => self.escape(byte, now, events),
            State::Csi(parameters) => self.csi(parameters, byte, now, events),
            State::SingleShift => self.single_shift(byte, now, events),
            State::Text { opener, text, escaped } => self.text(opener, text, escaped, byte, now, events),
            State::Mouse { left } => {
                if left > 1 {
                    self.state = State::Mouse { left: left - 1 };
                }
            }
            State::Character { bytes, alt } => self.character(bytes, alt, byte, now, events),
            // `feed` reads pastes.
            State::Paste(_) => {}
        }
    }

    fn enter(&mut self, state: State, now: Duration) {
        self.state = state;
        self.since = now;
    }

    fn ground(&mut self, byte: u8, alt: bool, now: Duration, events: &mut Vec<Decoded>) {
        let modifiers = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
        match byte {
            0x1b => self.enter(State::Escape, now),
            b' '..=b'~' => events.push(key(KeyCode::Char(char::from(byte)), modifiers)),
            0x00..b' ' | 0x7f => {
                let pressed = control_key(byte);
                events.push(key(pressed.code, pressed.modifiers | modifiers));
            }
            // The first byte of a character; anything else is not UTF-8 and no key.
            0xc2..=0xf4 => self.enter(State::Character { bytes: vec![byte], alt }, now),
            0x80..0xc2 | 0xf5.. => {}
        }
    }

    fn escape(&mut self, byte: u8, now: Duration, events: &mut Vec<Decoded>) {
        match byte {
            b'[' => self.enter(State::Csi(Vec::new()), now),
            b'O' => self.enter(State::SingleShift, now),
            b']' | b'P' | b'_' | b'^' | b'X' => {
                self.enter(State::Text { opener: byte, text: Vec::new(), escaped: false }, now);
            }
            0x1b => {
                events.push(key(KeyCode::Esc, KeyModifiers::NONE));
                self.enter(State::Escape, now);
            }
            _ => self.ground(byte, true, now, events),
        }
    }

    fn csi(&mut self, mut parameters: Vec<u8>, byte: u8, now: Duration, events: &mut Vec<Decoded>) {
        match byte {
            b'M' if parameters.is_empty() => self.enter(State::Mouse { left: 3 }, now),
            b'~' if parameters == b"200" => self.enter(State::Paste(Vec::new()), now),
            b'@'..=b'~' => events.extend(csi(&parameters, byte)),
            b' '..=b'?' => {
                if parameters.len() < STRING_LIMIT {
                    parameters.push(byte);
                }
                // The time runs from the start, so that a sequence that never ends cannot eat what is typed for ever.
                self.state = State::Csi(parameters);
            }
            // A control character or a byte that is no part of a sequence ends it, and is itself.
            _ => self.ground(byte, false, now, events),
        }
    }

    fn single_shift(&mut self, byte: u8, now: Duration, events: &mut Vec<Decoded>) {
        match single_shift(byte) {
            Some(pressed) => events.push(Decoded::Key(pressed.into())),
            None => {
                events.push(alt('O'));
                self.ground(byte, false, now, events);
            }
        }
    }

    /// A control string: its end matters, and what it says if it is an answer that somebody may have asked for.
    fn text(
        &mut self,
        opener: u8,
        mut text: Vec<u8>,
        escaped: bool,
        byte: u8,
        now: Duration,
        events: &mut Vec<Decoded>,
    ) {
        match byte {
            b'\\' if escaped => events.extend(answers::background(opener, &text)),
            _ if escaped => {
                // The ESC did not end the string but began something else.
                self.enter(State::Escape, now);
                self.escape_again(byte, now, events);
            }
            0x07 => events.extend(answers::background(opener, &text)),
            0x1b => self.state = State::Text { opener, text, escaped: true },
            0x00..b' ' => self.ground(byte, false, now, events),
            _ => {
                if text.len() < ANSWER_LIMIT {
                    text.push(byte);
                }
                self.state = State::Text { opener, text, escaped: false };
            }
        }
    }

    fn escape_again(&mut self, byte: u8, now: Duration, events: &mut Vec<Decoded>) {
        self.state = State::Ground;
        self.escape(byte, now, events);
    }

    fn character(
        &mut self,
        mut bytes: Vec<u8>,
        alt: bool,
        byte: u8,
        now: Duration,
        events: &mut Vec<Decoded>,
    ) {
        if !(0x80..0xc0).contains(&byte) {
            // The character was cut; what is left of it says nothing.
            self.ground(byte, false, now, events);
            return;
        }
        bytes.push(byte);
        match std::str::from_utf8(&bytes) {
            Ok(text) => {
                let modifiers = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
                // The C1 controls are no keys of any keyboard.
                let typed = text.chars().filter(|character| !character.is_control());
                events.extend(typed.map(|character| key(KeyCode::Char(character), modifiers)));
            }
            Err(error) if error.error_len().is_none() => self.state = State::Character { bytes, alt },
            Err(_) => {}
        }
    }

    /// Reads on in a paste and returns what comes after it. A paste that holds an end marker itself, to have the rest
    /// of it typed as keys, ends at the last marker of the read: nobody types between two of them that fast.
    fn paste<'b>(&mut self, read: &'b [u8], now: Duration, events: &mut Vec<Decoded>) -> &'b [u8] {
        let State::Paste(bytes) = &mut self.state else { return read };
        let before = bytes.len();
        bytes.extend_from_slice(read);
        // The marker may have begun in the read before.
        let from = before.saturating_sub(PASTE_END.len() - 1);
        let Some(mut end) = position(bytes, PASTE_END, from) else {
            self.since = now;
            return &[];
        };
        while let Some(next) = position(bytes, PASTE_END, end + PASTE_END.len())
            && position(&bytes[..next], PASTE_START, end).is_none()
        {
            end = next;
        }
        let rest = read.get(end + PASTE_END.len() - before..).unwrap_or_default();
        bytes.truncate(end);
        push_paste(bytes, events);
        self.state = State::Ground;
        rest
    }
}

/// Where a marker begins, from a place on.
fn position(bytes: &[u8], marker: &[u8], from: usize) -> Option<usize> {
    let place = bytes.get(from..)?.windows(marker.len()).position(|window| window == marker)?;
    Some(from + place)
}

fn push_paste(bytes: &[u8], events: &mut Vec<Decoded>) {
    let text = pasted(bytes);
    if !text.is_empty() {
        events.push(Decoded::Paste(text));
    }
}

/// Pasted bytes as text for a draft: LF for every kind of line end, tabs kept, other control characters and end markers
/// dropped. Everything else is kept as it is: what is sent is what was pasted; what may be seen of it is drawn safely.
fn pasted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\x1b[201~", "");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|character| matches!(character, '\n' | '\t') || !character.is_control()).collect()
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Decoded {
    Decoded::Key(KeyEvent::new(code, modifiers).into())
}

fn alt(character: char) -> Decoded {
    key(KeyCode::Char(character), KeyModifiers::ALT)
}
