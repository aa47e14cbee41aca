//! The loop around the chat: events in, effects performed, frames drawn when they are due.
//!
//! A key is drawn at once; what streams is drawn at most thirty times a second; without either nothing wakes. The
//! terminal is owned by [`Session`], the connection by whoever made the [`Line`]; this file only passes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use carpel_protocol::MethodLine;
use carpel_protocol::word::PodState;
use carpel_slots::{Density, Registry};
use tokio::sync::{Notify, mpsc};

use crate::chat::ending::{Ended, Remains, remains};
use crate::chat::event::{Effect, HostEvent, LinkEvent};
use crate::chat::export;
use crate::chat::hand_over::hand_over;
use crate::chat::lend;
use crate::chat::new_session::Beginning;
use crate::chat::picker::SessionRow;
use crate::chat::plugins as chat_plugins;
use crate::chat::screen::{LiveRows, draw, draw_last};
use crate::chat::state::{Chat, Link, Outbox};
use crate::chat::theme::Themes;
use crate::chat::timing::Timing;
use crate::chat::update::update;
use crate::chat::window::{Signs, Window};
use crate::chat::{client_name, clipboard};
use crate::flow::FlowOptions;
use crate::history_file::HistoryFile;
use crate::inspector::copy::Copying;
use crate::inspector::subject::Target;
use crate::link::PodOptions;
use crate::naming::{Naming, Told};
use crate::plugins::{self, PluginEvent, Plugins};
use crate::render::glyph::Glyphs;
use crate::render::ground::Ground;
use crate::render::highlight::Highlighter;
use crate::render::look::Look;
use crate::render::painter::{Folders, Painter};
use crate::terminal::dialect::Dialect;
use crate::terminal::input::{Input, StopSignal};
use crate::terminal::screen::Frame;
use crate::terminal::session::Session;
use crate::terminal::tty::Tty;

/// How many events of the pod are taken before a frame is drawn again.
const BATCH: usize = 512;

/// The two ends of a connection to a pod, or of something that plays one.
pub struct Line {
    /// What it says.
    pub events: mpsc::Receiver<LinkEvent>,
    /// What it is asked.
    pub methods: mpsc::UnboundedSender<MethodLine>,
}

/// What the chat is started with.
pub struct Options {
    /// How much of each item is shown at first.
    pub density: Density,
    /// The theme, and what is known of the background.
    pub themes: Themes,
    /// The glyphs that the locale can show.
    pub glyphs: &'static Glyphs,
    /// What the terminal understands.
    pub dialect: Dialect,
    /// Why no colour is written, where none is.
    pub colourless: Option<String>,
    /// How the flow treats a history.
    pub flow: FlowOptions,
    /// To shorten paths on the screen.
    pub folders: Folders,
    /// Views and commands.
    pub registry: Registry,
    /// How much room live rows have.
    pub live: LiveRows,
    /// Lists past sessions.
    pub sessions: fn() -> Result<Vec<SessionRow>, String>,
    /// Whether another session can begin, or why not.
    pub beginning: Beginning,
    /// What a pod in the workspace is started with, to find out what can be named in a prompt to it.
    pub naming: Option<PodOptions>,
    /// Where what was sent is kept for other sessions.
    pub history: Option<HistoryFile>,
    /// True when `q` leaves, for a recording that nobody can talk to.
    pub q_leaves: bool,
    /// What was typed before the chat began: its first draft.
    pub typed: String,
    /// What the window is told besides its rows.
    pub signs: Signs,
    /// What plugins are started with, where there are any.
    pub plugins: Option<plugins::Setting>,
}

/// Chats until the person leaves; says what remains, unless it is a recording.
///
/// # Errors
/// When there is no terminal, or it cannot be written to.
pub async fn run(options: Options, line: Line) -> anyhow::Result<(Ended, Option<Remains>)> {
    let (session, input) = Session::start(Tty::open()?, options.dialect)?;
    let registry = options.registry.clone();
    let awaited = Arc::new(Notify::new());
    let wake = Arc::clone(&awaited);
    let highlighter = Highlighter::threaded(Box::new(move || wake.notify_one()));
    let naming = options.naming.clone().map(Naming::start);
    let plugins = chat_plugins::start(options.plugins.clone(), &registry).await;
    let registry = plugins.as_ref().map_or(registry, Plugins::registry);
    let mut chat = Chat::new(registry.clone(), options.flow, session.size(), options.density);
    chat.outbox = Outbox::of(&client_name::unique());
    chat.live = options.live;
    chat.composer.history.recall(options.history.as_ref().map(HistoryFile::load).unwrap_or_default());
    chat.composer.buffer.insert_paste(&options.typed);
    chat.below.welcomes = !options.q_leaves;
    (chat.themes, chat.colourless) = (options.themes, options.colourless.clone());
    let look = Look { theme: chat.themes.theme(), glyphs: options.glyphs };
    let running = Running {
        painter: Painter::new(look, registry, options.folders.clone(), highlighter).moving(chat.live.motion),
        chat,
        session,
        input,
        line,
        naming,
        plugins,
        awaited,
        started: Instant::now(),
        drawing: Timing::default(),
        window: Window::new(options.signs),
        options,
    };
    running.run().await
}

struct Running {
    chat: Chat,
    painter: Painter,
    session: Session,
    input: mpsc::UnboundedReceiver<Input>,
    line: Line,
    naming: Option<Naming>,
    plugins: Option<Plugins>,
    /// Told when a colour that was waited for has come.
    awaited: Arc<Notify>,
    started: Instant,
    drawing: Timing,
    window: Window,
    options: Options,
}

impl Running {
    async fn run(mut self) -> anyhow::Result<(Ended, Option<Remains>)> {
        let ended = loop {
            let next = self.drawing.next().filter(|_| self.session.is_ready());
            let timer = async {
                match next {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            let step = tokio::select! {
                biased;
                input = self.input.recv() => self.take_input(input)?,
                Some(event) = self.line.events.recv() => self.take_events(event),
                Some(told) = Naming::told(&mut self.naming) => self.take_named(told),
                Some(event) = Plugins::event(&mut self.plugins) => self.take_plugin(event),
                () = self.awaited.notified() => self.changed(),
                () = timer => self.draw()?,
            };
            if let Some(ended) = step {
                break ended;
            }
        };
        if !self.options.q_leaves {
            hand_over(&mut self.chat, &mut self.line, self.started).await;
        }
        let remains = remains(&self.chat).filter(|_| !self.options.q_leaves);
        self.leave()?;
        Ok((ended, remains))
    }

    fn take_input(&mut self, input: Option<Input>) -> anyhow::Result<Option<Ended>> {
        let Some(input) = input else {
            return Ok(Some(Ended::Stopped));
        };
        match input {
            Input::Key(key)
                if self.options.q_leaves
                    && self.chat.inspector.is_none()
                    && key.event.code == crossterm::event::KeyCode::Char('q') =>
            {
                return Ok(Some(Ended::Left));
            }
            Input::Key(key) => return self.happens_now(HostEvent::Key(key)),
            Input::Paste(text) => return self.happens_now(HostEvent::Paste(text)),
            Input::Keyboard => self.session.on_keyboard()?,
            Input::Background(rgb) => {
                return self.happens_now(HostEvent::Background(Ground::of_rgb(rgb)));
            }
            Input::Focus(is_focused) => self.window.focus(is_focused),
            Input::Resizing => self.session.on_resizing(),
            Input::Screen(screen) => {
                self.session.on_screen(screen)?;
                return self.happens_now(HostEvent::Window(self.session.size()));
            }
            Input::Suspend => self.session.suspend()?,
            Input::Continued => self.session.on_continued()?,
            Input::Stop(StopSignal::Terminate | StopSignal::HangUp | StopSignal::Interrupt)
            | Input::Closed => {
                return Ok(Some(Ended::Stopped));
            }
        }
        Ok(None)
    }

    /// Something that a person did is seen at once.
    fn happens_now(&mut self, event: HostEvent) -> anyhow::Result<Option<Ended>> {
        let ended = self.happens(event)?;
        if ended.is_none() {
            self.draw()?;
        }
        Ok(ended)
    }

    fn take_events(&mut self, first: LinkEvent) -> Option<Ended> {
        let mut next = Some(first);
        for _ in 0..BATCH {
            let Some(event) = next else { break };
            update(&mut self.chat, HostEvent::Link(event), self.started.elapsed());
            next = self.line.events.try_recv().ok();
        }
        if let Some(event) = next {
            update(&mut self.chat, HostEvent::Link(event), self.started.elapsed());
        }
        self.changed()
    }

    fn take_named(&mut self, told: Told) -> Option<Ended> {
        update(&mut self.chat, HostEvent::Named(told), self.started.elapsed());
        self.changed()
    }

    fn take_plugin(&mut self, event: PluginEvent) -> Option<Ended> {
        if let Some(news) = chat_plugins::news(event, self.plugins.as_ref(), &mut self.painter) {
            update(&mut self.chat, HostEvent::Plugins(news), self.started.elapsed());
        }
        self.changed()
    }

    fn changed(&mut self) -> Option<Ended> {
        self.drawing.dirty = true;
        None
    }

    fn happens(&mut self, event: HostEvent) -> anyhow::Result<Option<Ended>> {
        for effect in update(&mut self.chat, event, self.started.elapsed()) {
            match effect {
                // The connection tells of its end by an event of its own.
                Effect::Send(method) => drop(self.line.methods.send(*method)),
                Effect::Leave => return Ok(Some(Ended::Left)),
                Effect::Suspend => self.session.suspend()?,
                Effect::Redraw => self.session.redraw()?,
                Effect::EditDraft => self.edit_draft()?,
                Effect::Copy(copying) => self.copy(&copying)?,
                Effect::OpenFile(target) => self.open_file(&target)?,
                Effect::Name(ask) => {
                    if let Some(naming) = &self.naming {
                        naming.ask(&self.chat.transcript.session().cwd, ask);
                    }
                }
                Effect::Plugins(line, ask) => {
                    if let Some(news) = chat_plugins::ask(self.plugins.as_ref(), &self.chat, line, ask) {
                        update(&mut self.chat, HostEvent::Plugins(news), self.started.elapsed());
                    }
                }
                Effect::Switch(id) => return Ok(Some(Ended::Switch(id))),
                Effect::Begin(wanted) => match (self.options.beginning)(&wanted) {
                    Ok(()) => return Ok(Some(Ended::Begin(wanted))),
                    Err(reason) => {
                        update(&mut self.chat, HostEvent::NotBegun(reason), self.started.elapsed());
                    }
                },
                Effect::Export(wanted) => {
                    let outcome = export::write(&mut self.chat, &wanted, &self.options.folders);
                    let event = HostEvent::Exported(wanted.line, outcome);
                    update(&mut self.chat, event, self.started.elapsed());
                }
                Effect::ListSessions => {
                    let rows = (self.options.sessions)();
                    update(&mut self.chat, HostEvent::Sessions(rows), self.started.elapsed());
                }
            }
        }
        if let Some(file) = &self.options.history {
            file.append(&self.chat.composer.history.take_fresh());
        }
        Ok(None)
    }

    /// The draft goes through the person's editor.
    fn edit_draft(&mut self) -> anyhow::Result<()> {
        let outcome = lend::for_draft(&mut self.session, &self.chat.composer.buffer.expanded())?;
        update(&mut self.chat, HostEvent::Edited(outcome), self.started.elapsed());
        Ok(())
    }

    /// Into every clipboard that can be reached: the terminal's and the system's.
    fn copy(&mut self, copying: &Copying) -> anyhow::Result<()> {
        let by_terminal = self.session.copy(&copying.text)?;
        let program = clipboard::copy(&copying.text, |name| std::env::var(name).ok());
        let word = clipboard::told(copying, by_terminal, program);
        update(&mut self.chat, HostEvent::Told(word), self.started.elapsed());
        Ok(())
    }

    /// The file is shown in the person's editor.
    fn open_file(&mut self, target: &Target) -> anyhow::Result<()> {
        let folder = match self.chat.transcript.session().cwd.as_str() {
            "" => self.options.folders.cwd.as_str(),
            folder => folder,
        };
        if let Err(word) = lend::for_file(&mut self.session, target, folder)? {
            update(&mut self.chat, HostEvent::Told(word), self.started.elapsed());
        }
        Ok(())
    }

    /// Draws, once the window is known: what is laid out may be committed, and then stays as wide as it is. The
    /// measurement that is awaited draws by itself.
    fn draw(&mut self) -> anyhow::Result<Option<Ended>> {
        if !self.session.is_ready() {
            return Ok(self.changed());
        }
        let now = self.started.elapsed();
        let room = self.session.room();
        let look = self.look();
        if self.chat.themes.wants_ground() {
            self.session.ask_background();
        }
        let drawing = draw(&mut self.chat, &mut self.painter, &look, now, room);
        match &drawing.alternate {
            Some(rows) if self.session.has_alternate() => {
                if !self.session.is_alternate() {
                    self.session.enter_alternate()?;
                }
                self.session.draw_alternate(rows, drawing.cursor)?;
            }
            // Without an alternate screen its rows, which fit the window, stand in place of the live ones.
            rows => {
                if self.session.is_alternate() {
                    self.session.leave_alternate()?;
                }
                let live = rows.as_ref().unwrap_or(&drawing.live);
                self.session.draw(Frame { commit: &drawing.commit, live, cursor: drawing.cursor })?;
            }
        }
        if let Some(ask) = drawing.ask
            && self.line.methods.send(ask).is_err()
        {
            update(&mut self.chat, HostEvent::Unasked, now);
        }
        self.window.tell(&mut self.session, &self.chat, self.options.glyphs.separator, now)?;
        let drawn = Instant::now();
        self.drawing = Timing {
            last: Some(drawn),
            dirty: false,
            due: drawing.due.map(|due| (self.started + due).max(drawn + Duration::from_millis(1))),
        };
        Ok(None)
    }

    /// The look for this frame: the theme may have changed.
    fn look(&mut self) -> Look {
        let look = Look { theme: self.chat.themes.theme(), glyphs: self.options.glyphs };
        self.painter.set_look(look);
        look
    }

    /// True while the pod is at work and will be when this client has left.
    fn goes_on(&self) -> bool {
        self.chat.link == Link::Connected && self.chat.pod_state() != PodState::Idle
    }

    /// What is still live is settled as it stands, so that nothing is lost from the scrollback; status and draft go.
    fn leave(mut self) -> anyhow::Result<()> {
        let now = self.started.elapsed();
        // A pod at work goes on without this client: its calls stay as they were seen last.
        if !self.goes_on() {
            self.chat.transcript.pod_gone(now);
        }
        if self.session.is_alternate() {
            self.session.leave_alternate()?;
        }
        if self.session.size().area() > 0 {
            let look = self.look();
            let commit = draw_last(&mut self.chat, &mut self.painter, &look, now);
            self.session.draw(Frame { commit: &commit, ..Frame::default() })?;
        }
        Ok(self.session.leave()?)
    }
}
