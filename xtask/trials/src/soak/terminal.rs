//! The program in a pseudo-terminal with a terminal in memory behind it.
//!
//! It owns the two ends: every byte that is written is kept and shown, the terminal's answers go back, a size changes for
//! both at once. Waiting is for what is seen. It knows nothing of chats.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use carpel::terminal::emulator::Emulator;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// How long something may take to be seen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines of scrollback that are kept.
const SCROLLBACK: usize = 200_000;

struct Seen {
    emulator: Emulator,
    bytes: Vec<u8>,
    /// When the last byte came.
    last: Instant,
}

/// A program on a terminal.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    seen: Arc<Mutex<Seen>>,
    /// The line discipline before the program.
    before: String,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// Starts a program in a window of that size, below the lines of a shell.
    ///
    /// # Errors
    /// When there is no pseudo-terminal or the program cannot be started.
    pub fn start(command: CommandBuilder, cols: u16, rows: u16, shell: &str) -> Result<Terminal> {
        let pair = native_pty_system()
            .openpty(size(cols, rows))
            .map_err(|error| anyhow!("no pseudo-terminal: {error}"))?;
        let failed = |error| anyhow!("the pseudo-terminal: {error}");
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().map_err(failed)?));
        let output = pair.master.try_clone_reader().map_err(failed)?;
        let mut emulator = Emulator::new(cols.into(), rows.into(), SCROLLBACK);
        emulator.feed(shell.as_bytes());
        let seen = Arc::new(Mutex::new(Seen { emulator, bytes: Vec::new(), last: Instant::now() }));
        show(output, Arc::clone(&seen), Arc::clone(&keyboard));
        let before = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).map_err(|error| anyhow!("the program: {error}"))?;
        Ok(Terminal { child, master: pair.master, keyboard, seen, before })
    }

    /// Types.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        locked(&self.keyboard).write_all(bytes).context("the program takes no keys")
    }

    /// The window gets another size, for the terminal and for the program.
    ///
    /// # Errors
    /// When the pseudo-terminal is gone.
    pub fn resize(&self, cols: u16, rows: u16) -> Result<()> {
        let mut seen = locked(&self.seen);
        seen.emulator.resize(cols.into(), rows.into());
        self.master.resize(size(cols, rows)).map_err(|error| anyhow!("the size cannot be set: {error}"))
    }

    /// Scrollback and screen, folded lines as one.
    pub fn lines(&self) -> Vec<String> {
        locked(&self.seen).emulator.text()
    }

    /// Row of the cursor, and the rows of the screen.
    pub fn screen(&self) -> (usize, Vec<String>) {
        let seen = locked(&self.seen);
        (seen.emulator.cursor().y.into(), seen.emulator.screen_rows())
    }

    /// All that was written.
    pub fn bytes(&self) -> Vec<u8> {
        locked(&self.seen).bytes.clone()
    }

    /// The modes of the terminal, in words.
    pub fn modes(&self) -> String {
        format!("{:?}", locked(&self.seen).emulator.modes())
    }

    /// True while the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.modes().contains("ALT_SCREEN")
    }

    /// The program's process.
    pub fn process(&self) -> Option<u32> {
        self.child.process_id()
    }

    /// Fails when the program has ended.
    ///
    /// # Errors
    /// With its status and the end of what it showed.
    pub fn is_alive(&mut self) -> Result<()> {
        let ended = self.child.try_wait().context("the program cannot be asked how it is")?;
        ensure!(ended.is_none(), "the program has ended: {ended:?}\n{}", self.lines().join("\n"));
        Ok(())
    }

    /// Waits until nothing was written for so long.
    ///
    /// # Errors
    /// When it never stops writing, or has ended.
    pub fn quiet(&mut self, time: Duration) -> Result<()> {
        self.wait("silence", |terminal| locked(&terminal.seen).last.elapsed() >= time)
    }

    /// Waits for something to be seen.
    ///
    /// # Errors
    /// When it is not seen in time, or the program has ended.
    pub fn wait(&mut self, what: &str, done: impl Fn(&Terminal) -> bool) -> Result<()> {
        let since = Instant::now();
        while !done(self) {
            self.is_alive()?;
            ensure!(since.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.screen().1.join("\n"));
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Waits for the end of the program, and looks whether the terminal is as it was.
    ///
    /// # Errors
    /// When it does not end, or leaves a mode.
    pub fn ends(&mut self) -> Result<ExitStatus> {
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().context("the program cannot be asked how it is")? {
                break status;
            }
            ensure!(since.elapsed() < PATIENCE, "it does not end:\n{}", self.screen().1.join("\n"));
            std::thread::sleep(Duration::from_millis(2));
        };
        // What it wrote last may still be on its way.
        while locked(&self.seen).last.elapsed() < Duration::from_millis(100) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let plain = format!("{:?}", Emulator::new(2, 2, 0).modes());
        ensure!(self.modes() == plain, "modes are left on: {} instead of {plain}", self.modes());
        let after = format!("{:?}", self.master.get_termios());
        ensure!(after == self.before, "the line discipline is {after}, it was {}", self.before);
        Ok(status)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Shows what the program writes, and sends back what the terminal answers.
fn show(
    mut output: Box<dyn Read + Send>,
    seen: Arc<Mutex<Seen>>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default();
            let answers = {
                let mut seen = locked(&seen);
                seen.emulator.feed(bytes);
                seen.bytes.extend_from_slice(bytes);
                seen.last = Instant::now();
                seen.emulator.take_asked().answers
            };
            if !answers.is_empty() {
                _ = locked(&keyboard).write_all(answers.as_bytes());
            }
        }
    });
}
