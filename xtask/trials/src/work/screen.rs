//! The host from an event to the bytes of a frame, with no terminal behind it.
//!
//! It owns the order: the event is folded, the chat drawn, the frame written into memory. Time goes on by 10 ms an event.
//! It answers nothing and performs no effects.

use std::time::Duration;

use carpel::chat::event::{HostEvent, LinkEvent};
use carpel::chat::screen::draw;
use carpel::chat::state::Chat;
use carpel::chat::update::update;
use carpel::flow::FlowOptions;
use carpel::render::painter::{Folders, Painter};
use carpel::render::{Highlighter, Look};
use carpel::terminal::screen::{Frame, InlineTerminal};
use carpel_protocol::EventLine;
use carpel_slots::{Density, Registry};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use serde_json::Value;

/// What passes between two events.
const TICK: Duration = Duration::from_millis(10);

/// Later than the end of all work.
const LATE: Duration = Duration::from_secs(1000);

/// A chat in a window of 80 by 24.
pub struct Screen {
    chat: Chat,
    painter: Painter,
    terminal: InlineTerminal,
    now: Duration,
}

impl Default for Screen {
    fn default() -> Screen {
        let size = Size::new(80, 24);
        let registry = Registry::linked();
        let chat = Chat::new(registry.clone(), FlowOptions { resume: false }, size, Density::Normal);
        Screen {
            chat,
            painter: Painter::new(Look::COLOUR, registry, Folders::default(), Highlighter::inline()),
            terminal: InlineTerminal::new(size, 0),
            now: Duration::ZERO,
        }
    }
}

impl Screen {
    /// Something comes from the pod.
    pub fn event(&mut self, event: &EventLine) {
        self.now += TICK;
        let event = HostEvent::Link(LinkEvent::Event(Box::new(event.clone())));
        // Nobody is there to perform them.
        drop(update(&mut self.chat, event, self.now));
    }

    /// Letters are typed, each with its frame; CR is Enter, DEL is Backspace.
    pub fn type_letters(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.now += TICK;
            let code = match letter {
                '\r' => KeyCode::Enter,
                '\u{7f}' => KeyCode::Backspace,
                letter => KeyCode::Char(letter),
            };
            let key = KeyEvent::new(code, KeyModifiers::NONE);
            drop(update(&mut self.chat, HostEvent::Key(key.into()), self.now));
            self.frame();
        }
    }

    /// Waits until it is so late that no work was later, and draws: what shows the time has one width from then on.
    pub fn align(&mut self) {
        self.now = self.now.max(LATE);
        self.frame();
    }

    /// The bytes of a frame.
    pub fn frame(&mut self) -> Vec<u8> {
        let room = self.terminal.room();
        let drawing = draw(&mut self.chat, &mut self.painter, &Look::COLOUR, self.now, room);
        let mut bytes = Vec::new();
        let frame = Frame { commit: &drawing.commit, live: &drawing.live, cursor: drawing.cursor };
        self.terminal.draw(frame, &mut bytes);
        bytes
    }

    /// These events, and a frame after every so many of them.
    pub fn play(&mut self, events: &[EventLine], every: usize) {
        for events in events.chunks(every.max(1)) {
            for event in events {
                self.event(event);
            }
            self.frame();
        }
    }
}

/// An event as a pod sends it; one that is not understood would make its trial mean nothing.
pub fn event(value: Value) -> EventLine {
    let line = match value {
        Value::Object(fields) => EventLine::from_object(fields).ok(),
        _ => None,
    };
    let known = line.filter(|line| !matches!(line.event, carpel_protocol::Event::Unknown(_)));
    assert!(known.is_some(), "no event of this protocol");
    known.unwrap_or_else(|| std::process::abort())
}

/// A text as deltas of one kind, each of so many characters.
pub fn deltas(kind: &str, text: &str, length: usize) -> Vec<EventLine> {
    let letters: Vec<char> = text.chars().collect();
    let pieces = letters.chunks(length.max(1)).map(|piece| piece.iter().collect::<String>());
    pieces.map(|piece| event(serde_json::json!({"event": kind, "text": piece}))).collect()
}
