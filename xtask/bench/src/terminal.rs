//! A program in a pseudo-terminal, with a terminal in memory at the other end.
//!
//! One thread reads what is written, dates it, shows it, types the terminal's answers back, and looks after each piece
//! whether what somebody waits for is there: so a delay is that of the program and not of a poll. It refuses to know
//! which program runs. What it shows is `screen.rs`.

use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::screen::{COLUMNS, ROWS, Screen};

/// How long anything may take before the run is given up.
const PATIENCE: Duration = Duration::from_secs(180);

type Wanted = Box<dyn Fn(&Screen) -> bool + Send>;

pub struct Terminal {
    /// The program's process.
    pub pid: u32,
    /// When it was started.
    pub started: Instant,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    shared: Arc<Shared>,
    // Held, so that the terminal stays as long as the program.
    _master: Box<dyn MasterPty + Send>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    screen: Screen,
    wanted: Option<Wanted>,
    /// When what is wanted was there.
    seen: Option<Instant>,
    ended: bool,
}

impl Terminal {
    /// # Errors
    /// When there is no pseudo-terminal or no such program.
    pub fn start(command: CommandBuilder) -> Result<Terminal> {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer()?));
        let mut output = pair.master.try_clone_reader()?;
        let now = Instant::now();
        let state = State { screen: Screen::new(now), wanted: None, seen: None, ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command)?;
        let pid = child.process_id().context("the program has ended at once")?;
        let (show, answer) = (Arc::clone(&shared), Arc::clone(&keyboard));
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(read) = output.read(&mut buffer)
                && read > 0
            {
                let answers = show.take(&buffer[..read], Instant::now());
                if !answers.is_empty() {
                    _ = lock(&answer).write_all(answers.as_bytes());
                }
            }
            show.lock().ended = true;
            show.changed.notify_all();
        });
        Ok(Terminal { pid, started, child, keyboard, shared, _master: pair.master })
    }

    pub fn write(&self, text: &str) -> Result<()> {
        lock(&self.keyboard).write_all(text.as_bytes()).context("nothing can be typed any more")
    }

    pub fn look<T>(&self, look: impl FnOnce(&Screen) -> T) -> T {
        look(&self.shared.lock().screen)
    }

    /// From now on this is looked for; [`Terminal::seen`] waits for it.
    pub fn expect(&self, wanted: impl Fn(&Screen) -> bool + Send + 'static) {
        let mut state = self.shared.lock();
        state.seen = wanted(&state.screen).then(Instant::now);
        state.wanted = Some(Box::new(wanted));
    }

    /// When what is expected was there.
    ///
    /// # Errors
    /// When it does not come; the error shows the screen.
    pub fn seen(&self, what: &str) -> Result<Instant> {
        let since = Instant::now();
        let mut state = self.shared.lock();
        while state.seen.is_none() {
            if state.ended || since.elapsed() > PATIENCE {
                let why = if state.ended { "the program ended" } else { "nothing of it came" };
                bail!("{why} instead of {what}; on the screen:\n{}", state.screen.rows().join("\n"));
            }
            let waited = self.shared.changed.wait_timeout(state, Duration::from_millis(200));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.seen.context("it was seen")
    }

    /// Waits until this is to be seen.
    ///
    /// # Errors
    /// As [`Terminal::seen`].
    pub fn wait(&self, what: &str, wanted: impl Fn(&Screen) -> bool + Send + 'static) -> Result<Instant> {
        self.expect(wanted);
        self.seen(what)
    }

    /// Waits until nothing has been written for that long.
    pub fn rest(&self, time: Duration) {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let quiet = self.look(|screen| screen.changed).elapsed();
            if quiet >= time {
                return;
            }
            std::thread::sleep(time - quiet);
        }
    }

    pub fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn take(&self, bytes: &[u8], now: Instant) -> String {
        let mut state = self.lock();
        let answers = state.screen.feed(bytes, now);
        if state.seen.is_none() && state.wanted.as_ref().is_some_and(|wanted| wanted(&state.screen)) {
            state.seen = Some(now);
            self.changed.notify_all();
        }
        answers
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
