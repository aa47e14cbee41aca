//! The whole host without a terminal: chat, renderer and terminal layer over a terminal in memory.
//!
//! It is how `replay --print` works and how tests see what a person would see. Time is what it is told to be;
//! highlighting is done at once. It performs no effects: what the chat wants done is handed to the caller.

use std::time::Duration;

use carpel_protocol::MethodLine;
use carpel_protocol::recording::{Directive, Step};
use carpel_slots::{Density, Registry};
use ratatui::layout::Size;

use crate::chat::event::{Effect, HostEvent, LinkEvent};
use crate::chat::screen::{Drawing, LiveRows, draw};
use crate::chat::state::Chat;
use crate::chat::update::update;
use crate::flow::FlowOptions;
use crate::key_names;
use crate::render::highlight::Highlighter;
use crate::render::look::Look;
use crate::render::painter::{Folders, Painter};
use crate::row::Row;
use crate::terminal::emulator::Emulator;
use crate::terminal::screen::{Frame, InlineTerminal};

/// Rows of scrollback that the terminal in memory keeps.
const SCROLLBACK: usize = 1_000_000;

/// What passes between two events that come without a wait: a fast stream, seen frame by frame.
const TICK: Duration = Duration::from_millis(10);

/// A host without a terminal.
pub struct Headless {
    /// The chat.
    pub chat: Chat,
    /// What a terminal would show.
    pub emulator: Emulator,
    painter: Painter,
    look: Look,
    terminal: InlineTerminal,
    now: Duration,
    /// When the last frame asked to be drawn again.
    pub due: Option<Duration>,
    /// What stands on the alternate screen, while there is one.
    pub alternate: Option<Vec<Row>>,
    /// What drawings wanted the pod to be asked for.
    pub asked: Vec<MethodLine>,
}

impl Headless {
    /// A host in a window of that size.
    pub fn new(size: Size, density: Density, look: Look) -> Headless {
        let registry = Registry::linked();
        let chat = Chat::new(registry.clone(), FlowOptions { resume: false }, size, density);
        Headless {
            chat,
            emulator: Emulator::new(usize::from(size.width), usize::from(size.height), SCROLLBACK),
            painter: Painter::new(look, registry, Folders::default(), Highlighter::inline()),
            look,
            terminal: InlineTerminal::new(size, 0),
            now: Duration::ZERO,
            due: None,
            alternate: None,
            asked: Vec::new(),
        }
    }

    /// The same host; how its live rows behave.
    #[must_use]
    pub fn living(mut self, live: LiveRows) -> Headless {
        self.chat.live = live;
        Headless { painter: self.painter.moving(live.motion), ..self }
    }

    /// Something happens. What the chat wants done comes back.
    pub fn event(&mut self, event: HostEvent) -> Vec<Effect> {
        update(&mut self.chat, event, self.now)
    }

    /// Time passes.
    pub fn advance(&mut self, time: Duration) {
        self.now += time;
    }

    /// The time, as the host sees it.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Draws a frame; the bytes that a terminal would get are handed to the one in memory and to the caller.
    pub fn frame(&mut self) -> Vec<u8> {
        let room = self.terminal.room();
        let Drawing { alternate, commit, live, cursor, due, ask } =
            draw(&mut self.chat, &mut self.painter, &self.look, self.now, room);
        self.alternate = alternate;
        self.due = due;
        self.asked.extend(ask);
        if self.alternate.is_some() {
            return Vec::new();
        }
        let mut bytes = Vec::new();
        self.terminal.draw(Frame { commit: &commit, live: &live, cursor }, &mut bytes);
        self.emulator.feed(&bytes);
        bytes
    }

    /// The window gets another size.
    pub fn resize(&mut self, size: Size) {
        self.emulator.resize(usize::from(size.width), usize::from(size.height));
        self.terminal.resize(size, Some(self.emulator.cursor()));
        self.event(HostEvent::Window(size));
    }

    /// Plays one line of a recording and draws. The bytes of its frames come back.
    pub fn play(&mut self, step: &Step) -> Vec<u8> {
        match step {
            Step::Event(line) => {
                self.advance(TICK);
                self.event(HostEvent::Link(LinkEvent::Event(line.clone())));
            }
            Step::Directive(Directive::Wait(wait)) => self.advance(Duration::from_millis(wait.ms)),
            Step::Directive(Directive::Resize(to)) => self.resize(Size::new(to.cols, to.rows)),
            Step::Directive(Directive::Key(key)) => {
                let mut bytes = Vec::new();
                for pressed in key_names::keys(&key.keys) {
                    self.event(HostEvent::Key(pressed));
                    bytes.extend(self.frame());
                }
                return bytes;
            }
            Step::Directive(Directive::Drop(_)) => {
                self.event(HostEvent::Link(LinkEvent::Lost));
            }
            Step::Directive(Directive::Unknown(_)) => {}
        }
        self.frame()
    }
}
