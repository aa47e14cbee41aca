//! The terminal while carpel has it: raw mode, modes, the viewport and the reader under one owner.
//!
//! The host draws frames through it and tells it the `Screen`s and `Continued`s that the reader sends; it decides
//! what is written when: nothing before the first measurement, the first frame before any mode, no frame while the
//! window changes or the program is in the background. Rows committed meanwhile are held and go with the next frame.
//! Dropping it restores the terminal, whatever the reason. It refuses to know keys and what the rows say.

use std::io;
use std::time::Instant;

use carpel_slots::Printable;
use ratatui::layout::{Position, Size};
use tokio::sync::mpsc::UnboundedReceiver;

use super::alternate::AlternateScreen;
use super::announce::{self, Announcement};
use super::clipboard;
use super::dialect::Dialect;
use super::guard::Guard;
use super::input::{Cause, Input, QUERY_PATIENCE, Reader, Screen};
use super::jobs;
use super::modes::Modes;
use super::screen::{Frame, InlineTerminal};
use super::tty::{TerminalError, Tty};
use crate::row::Row;

/// OSC 11 with a question mark.
const BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";

/// How it stands with a question that is put once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Unasked,
    Due,
    Asked,
}

/// The one owner of a terminal.
pub struct Session {
    tty: Tty,
    inline: InlineTerminal,
    alternate: AlternateScreen,
    modes: Modes,
    /// Frames of the main screen wait for the next measurement.
    waiting: bool,
    /// The question for the background colour goes with the next frame.
    background: Question,
    /// The alternate screen was left for a stop and comes back with the next measurement.
    returns_to_alternate: bool,
    /// The window changed and the next measurement that was asked for tells where the live rows went.
    main_is_stale: bool,
    /// When the terminal was asked for the keyboard protocol.
    asked: Option<Instant>,
    /// The title that was set last; while other programs have the terminal it is not there.
    title: Option<Printable>,
    out: Vec<u8>,
    reader: Option<Reader>,
    guard: Option<Guard>,
}

impl Session {
    /// Takes the terminal: raw mode and the reader, whose first message is the `Screen` to start with.
    pub fn start(tty: Tty, dialect: Dialect) -> Result<(Self, UnboundedReceiver<Input>), TerminalError> {
        let guard = Guard::enter(&tty)?;
        let (reader, input) = Reader::start(tty.clone())?;
        let session = Self {
            tty,
            inline: InlineTerminal::new(Size::ZERO, 0).in_dialect(dialect),
            alternate: AlternateScreen::new(dialect),
            modes: Modes::of(dialect.age),
            waiting: true,
            background: Question::Unasked,
            returns_to_alternate: false,
            main_is_stale: false,
            asked: None,
            title: None,
            out: Vec::new(),
            reader: Some(reader),
            guard: Some(guard),
        };
        Ok((session, input))
    }

    /// Size of the window, zero until it was measured.
    pub fn size(&self) -> Size {
        if self.modes.alternate() { self.alternate.size() } else { self.inline.size() }
    }

    /// Rows of the window from the first live row down: what the live rows can take without pushing history away.
    pub fn room(&self) -> usize {
        self.inline.room()
    }

    /// True while the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.modes.alternate()
    }

    /// Whether the terminal has an alternate screen; an old one has none.
    pub fn has_alternate(&self) -> bool {
        !self.modes.is_old()
    }

    /// Whether a frame drawn now would be seen at once. Until then nothing need be laid out: its width is not known.
    pub fn is_ready(&self) -> bool {
        !self.waiting && self.size().area() > 0
    }

    /// Draws the main screen. Rows to commit are never lost: what cannot be drawn now goes with the next frame.
    pub fn draw(&mut self, frame: Frame<'_>) -> io::Result<()> {
        self.notice_a_change();
        if self.waiting || self.modes.alternate() {
            self.inline.hold(frame.commit);
            return Ok(());
        }
        self.inline.draw(frame, &mut self.out);
        self.modes.input_on(&mut self.out);
        if self.modes.awaits_keyboard() && self.asked.is_none() {
            self.asked = Some(Instant::now());
        }
        if self.background == Question::Due {
            self.background = Question::Asked;
            self.out.extend_from_slice(BACKGROUND);
            if let Some(reader) = &self.reader {
                reader.asked_background();
            }
        }
        self.flush()
    }

    /// Asks the terminal for its background, once: behind the next frame of the main screen, so that no frame waits
    /// for it. The answer comes as `Input::Background`, at any time or never.
    pub fn ask_background(&mut self) {
        if self.background == Question::Unasked && !self.modes.is_old() {
            self.background = Question::Due;
        }
    }

    /// Draws the alternate screen from its first row on; nothing while it is not shown.
    pub fn draw_alternate(&mut self, rows: &[Row], cursor: Option<Position>) -> io::Result<()> {
        if self.modes.alternate() {
            self.alternate.draw(rows, cursor, &mut self.out);
        }
        self.flush()
    }

    /// The window is changing: frames of the main screen wait until `on_screen`.
    pub fn on_resizing(&mut self) {
        self.waiting = true;
    }

    /// A measurement has come. Returns whether everything has to be laid out anew.
    pub fn on_screen(&mut self, screen: Screen) -> io::Result<bool> {
        let changed = screen.size != self.size() || screen.cause != Cause::Resize;
        self.alternate.resize(screen.size);
        if self.modes.alternate() {
            // The cursor that was measured is the alternate screen's.
            self.main_is_stale |= screen.size != self.inline.size();
            self.waiting = false;
            return Ok(changed);
        }
        match screen.cause {
            Cause::Start => self.begin(screen),
            Cause::Resize => self.inline.resize(screen.size, screen.cursor.filter(|_| screen.agrees)),
            Cause::Asked if self.main_is_stale => {
                self.main_is_stale = false;
                self.inline.resize(screen.size, screen.cursor.filter(|_| screen.agrees));
            }
            Cause::Asked => self.begin(screen),
        }
        self.waiting = false;
        if std::mem::take(&mut self.returns_to_alternate) {
            self.enter_alternate()?;
        }
        Ok(changed)
    }

    /// The terminal has the keyboard protocol: it is pushed.
    pub fn on_keyboard(&mut self) -> io::Result<()> {
        self.modes.keyboard_offered(&mut self.out);
        self.flush()
    }

    /// Shows the alternate screen.
    pub fn enter_alternate(&mut self) -> io::Result<()> {
        self.modes.alternate_on(&mut self.out);
        self.alternate.forget();
        self.alternate.resize(self.inline.size());
        self.flush()
    }

    /// Goes back to the main screen; the rows held meanwhile go with the next frame.
    pub fn leave_alternate(&mut self) -> io::Result<()> {
        self.show_main();
        self.inline.forget_cursor();
        self.flush()?;
        if self.main_is_stale {
            self.waiting = true;
            self.measure();
        }
        Ok(())
    }

    /// Draws the live rows anew from the first on, once the terminal has told where the cursor is.
    pub fn redraw(&mut self) -> io::Result<()> {
        if !self.is_ready() || self.modes.alternate() {
            return Ok(());
        }
        self.inline.suspend(&mut self.out);
        self.flush()?;
        self.waiting = true;
        self.measure();
        Ok(())
    }

    /// Asks the terminal to put text into its clipboard. False where it is too much for that, or the terminal is too old;
    /// whether the terminal does it, it does not say.
    pub fn copy(&mut self, text: &str) -> io::Result<bool> {
        let asks = !self.modes.is_old() && clipboard::put(text, &mut self.out);
        self.flush()?;
        Ok(asks)
    }

    /// Names the window, if it is not named so; the title that was found comes back at the end. An old terminal has none,
    /// and none is set before the first frame.
    pub fn set_title(&mut self, title: Printable) -> io::Result<()> {
        let is_set = self.modes.has_title() && self.title.as_ref() == Some(&title);
        if is_set || !self.modes.input() || !self.modes.keep_title(&mut self.out) {
            return Ok(());
        }
        announce::title(&title, &mut self.out);
        self.title = Some(title);
        self.flush()
    }

    /// Asks to be told when the window gets and loses the keyboard: `Input::Focus`, where the terminal knows it.
    pub fn watch_focus(&mut self) -> io::Result<()> {
        if self.modes.focus_on(&mut self.out) { self.flush() } else { Ok(()) }
    }

    /// Calls for the person. An old terminal rings its bell, whatever was asked for.
    pub fn announce(&mut self, announcement: &Announcement) -> io::Result<()> {
        announce::call(announcement, self.modes.is_old(), &mut self.out);
        self.flush()
    }

    /// Gives the terminal to another program: live rows gone, modes off, nobody reads. End with `take_back`.
    pub fn lend(&mut self) -> io::Result<()> {
        self.let_go()?;
        if let Some(reader) = &self.reader {
            reader.pause();
        }
        Ok(())
    }

    /// Takes the terminal after `lend` or a stop. A full frame can be drawn when the `Screen` that follows has come.
    pub fn take_back(&mut self) -> io::Result<()> {
        if let Some(guard) = &self.guard {
            guard.raw_on()?;
        }
        if let Some(reader) = &self.reader {
            reader.listen();
        }
        self.waiting = true;
        self.measure();
        Ok(())
    }

    /// Stops the program like a job of the shell. When the shell continues it, `Input::Continued` comes, and the host
    /// calls `on_continued`. Where no shell could continue it (it leads its own session), nothing happens.
    pub fn suspend(&mut self) -> io::Result<()> {
        if !jobs::has_job_control() {
            return Ok(());
        }
        self.let_go()?;
        // The whole group, as the terminal's own Ctrl+Z would: a shell waits for all of it.
        Ok(rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?)
    }

    /// The process goes on after a stop, its own or one from outside that left the modes on.
    pub fn on_continued(&mut self) -> io::Result<()> {
        if self.modes.input() {
            // Stopped from outside, with the modes left on. The shell has written since, so nothing is erased.
            self.returns_to_alternate = self.modes.alternate();
            self.modes.off(&mut self.out);
            self.flush()?;
        }
        self.take_back()
    }

    /// Leaves the terminal as it was found, the cursor below the last row.
    pub fn leave(mut self) -> io::Result<()> {
        self.restore()
    }

    /// A frame drawn after the terminal has reflowed, but before its signal was seen, would go to the wrong rows. The
    /// kernel knows the size already; asking it costs no answer of the terminal.
    fn notice_a_change(&mut self) {
        if !self.waiting && !self.modes.alternate() && self.tty.size() != self.inline.size() {
            self.waiting = true;
            self.main_is_stale = true;
            self.measure();
        }
    }

    fn begin(&mut self, screen: Screen) {
        let cursor = screen.cursor;
        let mut row = cursor.map(|cursor| cursor.y);
        if let Some(cursor) = cursor
            && cursor.x > 0
        {
            // The shell left text in this row: start below it.
            self.out.extend_from_slice(b"\r\n");
            row = Some((cursor.y + 1).min(screen.size.height.saturating_sub(1)));
        }
        self.inline.resume(screen.size, row);
    }

    /// Live rows erased, modes and raw mode off.
    fn let_go(&mut self) -> io::Result<()> {
        self.returns_to_alternate = self.modes.alternate();
        self.show_main();
        if self.knows_its_place() {
            self.inline.suspend(&mut self.out);
        }
        self.modes.off(&mut self.out);
        self.waiting = true;
        self.flush()?;
        self.guard.as_ref().map_or(Ok(()), Guard::raw_off)
    }

    fn restore(&mut self) -> io::Result<()> {
        let Some(guard) = self.guard.take() else { return Ok(()) };
        self.await_answer();
        // Nobody reads any more, so that late answers are drained below and not read half.
        self.reader = None;
        self.modes.mouse_off(&mut self.out);
        self.show_main();
        // With the input modes off another program has the terminal, or nothing was drawn yet.
        if self.modes.input() || self.knows_its_place() {
            if self.inline.holds() {
                self.inline.draw(Frame::default(), &mut self.out);
            }
            self.inline.leave(&mut self.out);
        }
        self.modes.off(&mut self.out);
        let written = self.flush();
        drop(guard);
        written
    }

    /// A program that leaves right after its start would leave the answer to its question to the shell. The reader
    /// still swallows it meanwhile.
    fn await_answer(&self) {
        if let Some(asked) = self.asked
            && self.modes.awaits_keyboard()
        {
            std::thread::sleep(QUERY_PATIENCE.saturating_sub(asked.elapsed()));
        }
    }

    /// The main screen comes back; where the window is another one than it was left in, nothing of this one is left.
    fn show_main(&mut self) {
        if self.modes.alternate() && self.main_is_stale {
            self.alternate.wipe(&mut self.out);
        }
        self.modes.alternate_off(&mut self.out);
    }

    /// Whether the live rows stand where the viewport remembers them.
    fn knows_its_place(&self) -> bool {
        !self.waiting && !self.main_is_stale
    }

    fn measure(&self) {
        if let Some(reader) = &self.reader {
            reader.measure();
        }
    }

    /// One write for everything that was collected.
    fn flush(&mut self) -> io::Result<()> {
        if let Some(guard) = &self.guard {
            guard.note(self.modes);
        }
        if self.out.is_empty() {
            return Ok(());
        }
        let written = self.tty.write(&self.out);
        self.out.clear();
        written
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The terminal may be gone; there is nobody left to tell.
        let _ = self.restore();
    }
}
