//! The one thread that reads the terminal: keys, pastes, window sizes, cursor queries and signals become `Input`.
//!
//! It sleeps in `poll` on the terminal and a pipe, without a time limit unless something waits for its deadline, so
//! idling costs nothing. Signals and the host wake it through the pipe (simpler and safer than a signal to the own
//! process, which would need a handler with no other use). It alone asks for the cursor, since an answer read by
//! anybody else is lost. It writes nothing but that query; what a key means it refuses to know. `decode.rs` reads
//! the bytes, `signals.rs` owns the pipe.

mod answers;
pub mod ask;
pub mod decode;
mod keys;
pub mod keystroke;
mod owed;
mod screen;
mod signals;

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ratatui::layout::{Position, Size};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::decode::{Decoded, Decoder};
use self::keystroke::Keystroke;
use self::owed::Owed;
pub use self::screen::{Cause, Screen};
use self::signals::{Control, Signals};
use super::guard;
use super::tty::Tty;

/// How long a terminal may take to tell its cursor.
pub const QUERY_PATIENCE: Duration = Duration::from_millis(200);
/// How long after a question its answer is waited for at the end, where answers were late: two ways of a slow line.
const LAST_PATIENCE: Duration = Duration::from_millis(1000);
/// A window that is being dragged has settled when its size has not changed for this long.
const SETTLE: Duration = Duration::from_millis(40);
/// But while it goes on changing it is drawn this often.
const SETTLE_AT_MOST: Duration = Duration::from_millis(200);
/// A terminal changes before it tells the kernel; tmux takes up to a quarter of a second. So often both are asked again.
const AGREE_AT_MOST: usize = 10;
/// The cursor, and where the last cell is: a terminal takes a cell beyond it for it. The cursor is put back.
const CURSOR_AND_CORNER: &[u8] = b"\x1b[6n\x1b7\x1b[9999;9999H\x1b[6n\x1b8";
/// How long the host may take to leave after SIGTERM before the thread restores the terminal and ends the process.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// What comes from the terminal and about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key pressed or repeated; never a release.
    Key(Keystroke),
    /// One paste, with LF line ends and no control character but tabs.
    Paste(String),
    /// The terminal has the keyboard protocol.
    Keyboard,
    /// The terminal told its background colour: red, green, blue.
    Background([u8; 3]),
    /// The terminal's window has the keyboard now, or has it no more.
    Focus(bool),
    /// The window is changing its size: frames wait for the `Screen` that follows.
    Resizing,
    /// The window's size and the cursor's place, measured.
    Screen(Screen),
    /// SIGTERM, SIGHUP or SIGINT: leave now.
    Stop(StopSignal),
    /// SIGTSTP: go to the background.
    Suspend,
    /// The process goes on after a stop.
    Continued,
    /// The terminal is gone; nothing will come any more.
    Closed,
}

/// The signal that ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    Terminate,
    HangUp,
    Interrupt,
}

/// The running thread. Dropping it ends the thread.
pub struct Reader {
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts reading. The first thing it does is ask where the cursor is; `Screen` with `Cause::Start` tells.
    pub fn start(tty: Tty) -> io::Result<(Self, UnboundedReceiver<Input>)> {
        let (sender, receiver) = unbounded_channel();
        let signals = Signals::install()?;
        let control = signals.control();
        let work = Work {
            tty,
            signals,
            sender,
            decoder: Decoder::new(),
            answers: Vec::new(),
            owed: Owed::default(),
            epoch: Instant::now(),
            settling: None,
            stop_by: None,
            closed: false,
        };
        let thread = std::thread::Builder::new().name("input".into()).spawn(move || work.run())?;
        Ok((Self { control, thread: Some(thread) }, receiver))
    }

    /// Remembers that the terminal was asked for its background just now: leaving waits for the answer a little.
    pub fn asked_background(&self) {
        self.control.set_background(Some(Instant::now()));
    }

    /// Asks for a measurement: a `Screen` with `Cause::Asked` will come.
    pub fn measure(&self) {
        self.control.measure();
    }

    /// Leaves the terminal's input to another program until `listen`.
    pub fn pause(&self) {
        self.control.pause(true);
    }

    /// Reads again after `pause`.
    pub fn listen(&self) {
        self.control.pause(false);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.control.quit();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing more to say than its report, which is kept.
            let _ = thread.join();
        }
    }
}

struct Work {
    tty: Tty,
    signals: Signals,
    sender: UnboundedSender<Input>,
    decoder: Decoder,
    /// The positions that the terminal told since it was last asked.
    answers: Vec<Position>,
    /// Those that did not come in time.
    owed: Owed,
    epoch: Instant,
    settling: Option<Settling>,
    stop_by: Option<(Instant, i32)>,
    closed: bool,
}

/// A resize that may not be over yet.
#[derive(Clone, Copy)]
struct Settling {
    began: Instant,
    last: Instant,
    cause: Cause,
    /// How often the terminal and the kernel did not agree.
    tries: usize,
}

impl Settling {
    fn due(self) -> Instant {
        (self.last + SETTLE).min(self.began + SETTLE_AT_MOST)
    }
}

impl Work {
    fn run(mut self) {
        self.report(Cause::Start, 0);
        while !self.closed && !self.signals.quitting() {
            let timeout = self.next_deadline().map(|at| at.saturating_duration_since(Instant::now()));
            self.wait(timeout);
            self.take_signals();
            self.take_deadlines();
        }
        self.take_last_answers();
    }

    /// What was asked a moment ago may still be answered: read here, it is not typed into the shell.
    fn take_last_answers(&mut self) {
        while !self.closed && !self.signals.paused() {
            let asked = self.owed.asked().max(self.signals.control().background());
            let patience = if self.owed.was_late() { LAST_PATIENCE } else { QUERY_PATIENCE };
            let left = asked.and_then(|asked| patience.checked_sub(asked.elapsed()));
            let Some(timeout) = left.and_then(|left| Timespec::try_from(left).ok()) else { return };
            match poll(&mut [self.terminal(PollFlags::IN)], Some(&timeout)) {
                Ok(1..) => self.read(),
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return,
            }
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let decoder = self.decoder.deadline().map(|at| self.epoch + at);
        let settling = self.settling.map(Settling::due);
        let stop = self.stop_by.map(|(at, _)| at);
        [decoder, settling, stop].into_iter().flatten().min()
    }

    /// Sleeps until there is something to read, a signal or the time is up, and reads it.
    fn wait(&mut self, timeout: Option<Duration>) {
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let interest = if self.signals.paused() { PollFlags::empty() } else { PollFlags::IN };
        let mut ready = [PollFd::new(self.signals.pipe(), PollFlags::IN), self.terminal(interest)];
        if self.signals.paused() {
            // Another program reads the terminal now, and also sees its end.
            let _ = poll(&mut ready[..1], timeout.as_ref());
            return;
        }
        if poll(&mut ready, timeout.as_ref()).is_ok() && !ready[1].revents().is_empty() {
            self.read();
        }
    }

    fn terminal(&self, interest: PollFlags) -> PollFd<'_> {
        PollFd::from_borrowed_fd(self.tty.input(), interest)
    }

    /// Reads once and tells what it was; answers to a cursor query are kept.
    fn read(&mut self) {
        let mut buffer = [0; 16 * 1024];
        let read = match rustix::io::read(self.tty.input(), &mut buffer) {
            Ok(read) if read > 0 => read,
            Err(Errno::INTR | Errno::AGAIN) => return,
            // The end of the file, or an error of a terminal that hung up: reading again would spin.
            Ok(_) | Err(_) => {
                self.closed = true;
                self.send(Input::Closed);
                return;
            }
        };
        let mut events = self.decoder.feed(buffer.get(..read).unwrap_or_default(), self.epoch.elapsed());
        if let Some(Decoded::Key(last)) = events.last_mut() {
            last.arrival.more_waits |= self.more_waits();
        }
        self.tell(events);
    }

    /// Whether there is already more to read.
    fn more_waits(&self) -> bool {
        let mut ready = [self.terminal(PollFlags::IN)];
        poll(&mut ready, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    fn tell(&mut self, events: Vec<Decoded>) {
        for event in events {
            match event {
                Decoded::Key(key) => self.send(Input::Key(key)),
                Decoded::Paste(text) => self.send(Input::Paste(text)),
                Decoded::Keyboard => self.send(Input::Keyboard),
                Decoded::Focus(is_focused) => self.send(Input::Focus(is_focused)),
                Decoded::Background(rgb) => {
                    self.signals.control().set_background(None);
                    self.send(Input::Background(rgb));
                }
                Decoded::Cursor { .. } if self.owed.take(Instant::now()) => {}
                Decoded::Cursor { column, row } => self.answers.push(Position::new(column, row)),
            }
        }
    }

    fn take_signals(&mut self) {
        let taken = self.signals.take();
        let paused = self.signals.paused();
        if taken.abort && !paused {
            // Somebody wants a core of the program as it is now: nothing more runs but this.
            end_process(signal_hook::consts::SIGQUIT);
        }
        // What has the terminal now gets the keys, and Ctrl+C in it is none of our business.
        let stop = taken.stop.filter(|(signal, _)| !paused || *signal != StopSignal::Interrupt);
        if let Some((signal, number)) = stop {
            if self.stop_by.is_some() {
                end_process(number);
            }
            self.stop_by = Some((Instant::now() + STOP_PATIENCE, number));
            self.send(Input::Stop(signal));
        }
        if taken.suspend {
            self.send(Input::Suspend);
        }
        if taken.continued {
            self.send(Input::Continued);
        }
        if taken.resized && !paused {
            self.resized();
        }
        if taken.measure && !paused {
            self.settling = None;
            self.report(Cause::Asked, 0);
        }
    }

    /// A signal that the size has changed, and it may change again at once. It may also be the one before: the window
    /// was another one meanwhile, and the terminal may have dropped what stood below the cursor.
    fn resized(&mut self) {
        let now = Instant::now();
        match &mut self.settling {
            Some(settling) => settling.last = now,
            None => {
                self.settling = Some(Settling { began: now, last: now, cause: Cause::Resize, tries: 0 });
                self.send(Input::Resizing);
            }
        }
    }

    fn take_deadlines(&mut self) {
        let now = Instant::now();
        let events = self.decoder.advance(self.epoch.elapsed());
        self.tell(events);
        if let Some(settling) = self.settling.take_if(|settling| settling.due() <= now)
            && !self.signals.paused()
        {
            self.report(settling.cause, settling.tries);
        }
        if let Some((at, number)) = self.stop_by
            && at <= now
        {
            end_process(number);
        }
    }

    /// Tells a measurement, or asks again soon when terminal and kernel do not agree on the size.
    fn report(&mut self, cause: Cause, tries: usize) {
        let (cursor, corner) = match cause {
            Cause::Start => (self.query(b"\x1b[6n", 1), None),
            Cause::Resize | Cause::Asked => (self.query(CURSOR_AND_CORNER, 2), self.answers.get(1).copied()),
        };
        let size = self.tty.size();
        let last = Position::new(size.width.saturating_sub(1), size.height.saturating_sub(1));
        let agrees = size == Size::ZERO || corner.is_none_or(|corner| corner == last);
        if !agrees && tries < AGREE_AT_MOST && !self.closed {
            let now = Instant::now();
            self.settling = Some(Settling { began: now, last: now, cause, tries: tries + 1 });
            return;
        }
        self.send(Input::Screen(Screen { size, cursor, agrees, cause }));
    }

    /// Asks the terminal and waits for so many answers; the first is returned. Whatever else arrives meanwhile is told
    /// as usual.
    fn query(&mut self, question: &[u8], wanted: usize) -> Option<Position> {
        self.answers.clear();
        self.tty.write(question).ok()?;
        let asked = Instant::now();
        let until = asked + QUERY_PATIENCE;
        while !self.closed && self.answers.len() < wanted {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            else {
                break;
            };
            let Ok(timeout) = Timespec::try_from(left) else { break };
            let mut ready = [self.terminal(PollFlags::IN)];
            match poll(&mut ready, Some(&timeout)) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
                Ok(_) => self.read(),
            }
        }
        self.owed.add(wanted.saturating_sub(self.answers.len()), asked);
        self.answers.first().copied()
    }

    fn send(&self, input: Input) {
        // A host that is gone needs no input; the thread ends with the reader.
        let _ = self.sender.send(input);
    }
}

/// The host does not leave by itself: restore the terminal and end as the signal would have.
fn end_process(signal: i32) {
    guard::restore_now();
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
