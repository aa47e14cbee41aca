//! The terminal layer by itself: what is typed becomes a row, Enter commits it.
//!
//! `cargo run -p carpel --example terminal`. Ctrl+C leaves, Ctrl+Z stops, Ctrl+T shows the alternate screen, Ctrl+P
//! panics. The tests run it in a pty to see that every mode is as it was afterwards; it is also the shortest program
//! that shows how `Session` is used.

use anyhow::Context as _;
use carpel::row::Row;
use carpel::terminal::dialect::Dialect;
use carpel::terminal::input::Input;
use carpel::terminal::screen::Frame;
use carpel::terminal::session::Session;
use carpel::terminal::sgr::ColorDepth;
use carpel::terminal::tty::Tty;
use carpel_slots::Printable;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;
use ratatui::style::Style;

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(run())
}

async fn run() -> anyhow::Result<()> {
    let depth = ColorDepth::from_environment(|name| std::env::var(name).ok());
    let (session, mut input) = Session::start(Tty::open()?, Dialect { depth, ..Dialect::default() })?;
    let mut echo = Echo { session, draft: String::new(), alternate: false };
    loop {
        let input = input.recv().await.context("the input thread ended")?;
        if !echo.take(input)? {
            return Ok(echo.session.leave()?);
        }
    }
}

struct Echo {
    session: Session,
    draft: String,
    alternate: bool,
}

impl Echo {
    /// Returns whether to go on.
    fn take(&mut self, input: Input) -> anyhow::Result<bool> {
        match input {
            Input::Key(key) => return self.key(key.event),
            Input::Paste(text) => self.draft.push_str(&text.replace('\n', " ")),
            Input::Keyboard => self.session.on_keyboard()?,
            Input::Resizing => self.session.on_resizing(),
            Input::Screen(screen) => {
                self.session.on_screen(screen)?;
            }
            Input::Background(_) | Input::Focus(_) => {}
            Input::Suspend => self.session.suspend()?,
            Input::Continued => self.session.on_continued()?,
            Input::Stop(_) | Input::Closed => return Ok(false),
        }
        self.draw(&[])?;
        Ok(true)
    }

    fn key(&mut self, key: KeyEvent) -> anyhow::Result<bool> {
        let control = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Char('c') if control => return Ok(false),
            KeyCode::Char('p') if control => fail(),
            KeyCode::Char('z') if control => self.session.suspend()?,
            KeyCode::Char('t') if control => self.switch()?,
            KeyCode::Char(character) => self.draft.push(character),
            KeyCode::Backspace => {
                self.draft.pop();
            }
            KeyCode::Enter => {
                let row = row(&std::mem::take(&mut self.draft));
                self.draw(&[row])?;
            }
            _ => {}
        }
        self.draw(&[])?;
        Ok(true)
    }

    fn switch(&mut self) -> anyhow::Result<()> {
        self.alternate = !self.alternate;
        if self.alternate {
            self.session.enter_alternate()?
        } else {
            self.session.leave_alternate()?
        }
        Ok(())
    }

    fn draw(&mut self, commit: &[Row]) -> anyhow::Result<()> {
        let prompt = row(&format!("> {}", self.draft));
        let cursor = Some(Position::new(u16::try_from(prompt.width())?, 1));
        let live = [row("echo"), prompt];
        self.session.draw(Frame { commit, live: &live, cursor })?;
        self.session.draw_alternate(&[row("the alternate screen")], None)?;
        Ok(())
    }
}

fn row(text: &str) -> Row {
    Row::of(Style::new(), Printable::prose(text))
}

#[expect(clippy::panic, reason = "this is what Ctrl+P is for")]
fn fail() {
    panic!("asked to panic");
}
