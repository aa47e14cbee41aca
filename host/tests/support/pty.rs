//! The program in a pseudo-terminal with a terminal in memory behind it, over a line that may be slow.
//!
//! Every byte that it writes is kept, the terminal's answers go back as over the same line, and waiting is for what
//! is to be seen. Folders are of the test alone, and pods that it started end with it.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use carpel::terminal::emulator::Emulator;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

use crate::processes;

/// How long something may take to be seen on a busy machine before the test gives up.
const PATIENCE: Duration = Duration::from_secs(90);

/// How the program is started.
pub struct Setup {
    pub cols: u16,
    pub rows: u16,
    /// Variables beside the few that every program has; `None` takes one away.
    pub variables: Vec<(String, Option<String>)>,
    /// How long a byte is on its way, in each direction.
    pub delay: Duration,
    /// Bytes a second that reach the terminal.
    pub rate: Option<u32>,
    /// What the terminal answers when it is asked for its background.
    pub background: Option<&'static str>,
}

impl Setup {
    pub fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows, variables: Vec::new(), delay: Duration::ZERO, rate: None, background: None }
    }

    pub fn variable(mut self, name: &str, value: Option<&str>) -> Self {
        self.variables.push((name.to_owned(), value.map(str::to_owned)));
        self
    }
}

/// Folders of one test.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("carpel-env-").tempdir().unwrap();
        for name in ["work/src", "home", "run"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("work/src/parser.rs"), "// TODO: one\nfn parse() {}\n").unwrap();
        // No Ollama of whoever runs the tests has a say.
        std::fs::write(folder.path().join("home/manifest.toml"), "provider = \"guide\"\n").unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// The variables that a program gets here.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let path = |name: &str| self.path().join(name).display().to_string();
        vec![
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", path("home")),
            ("CARPEL_HOME", path("home")),
            ("XDG_RUNTIME_DIR", path("run")),
            ("TERM", "xterm-256color".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
        ]
    }

    /// The pods of this place.
    pub fn pods(&self) -> Vec<i32> {
        processes::pods(self.path())
    }

    /// The hosts of this place: they work in it.
    pub fn hosts(&self) -> Vec<i32> {
        let program = env!("CARGO_BIN_EXE_carpel");
        processes::find(|words, cwd| {
            cwd.starts_with(self.path())
                && words.first().is_some_and(|word| word == program)
                && words.get(1).is_none_or(|word| word != "pod")
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        processes::end_pods(self.path());
    }
}

/// A program that runs.
pub struct Pty {
    pub child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    emulator: Arc<Mutex<Emulator>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    keyboard: Sender<(Instant, Vec<u8>)>,
    delay: Duration,
}

impl Pty {
    /// The program with these arguments.
    pub fn carpel(place: &Place, setup: Setup, arguments: &[&str]) -> Self {
        let mut line = vec![env!("CARGO_BIN_EXE_carpel")];
        line.extend_from_slice(arguments);
        Self::run(place, setup, &line)
    }

    pub fn run(place: &Place, setup: Setup, line: &[&str]) -> Self {
        let size = PtySize { rows: setup.rows, cols: setup.cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let emulator = Emulator::new(setup.cols.into(), setup.rows.into(), 10_000);
        let (emulator, bytes) = (Arc::new(Mutex::new(emulator)), Arc::new(Mutex::new(Vec::new())));
        let (keyboard, typed) = channel();
        let mut command = CommandBuilder::new(line[0]);
        command.args(&line[1..]);
        command.cwd(place.work());
        command.env_clear();
        for (name, value) in place.variables() {
            command.env(name, value);
        }
        for (name, value) in &setup.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            }
        }
        let relay = Relay {
            emulator: Arc::clone(&emulator),
            bytes: Arc::clone(&bytes),
            keyboard: keyboard.clone(),
            answered: 0,
            delay: setup.delay,
            rate: setup.rate,
            background: setup.background,
        };
        relay.start(pair.master.try_clone_reader().unwrap());
        type_from(typed, pair.master.take_writer().unwrap());
        let child = pair.slave.spawn_command(command).unwrap();
        Self { child, master: pair.master, emulator, bytes, keyboard, delay: setup.delay }
    }

    pub fn press(&self, keys: &str) {
        self.keyboard.send((Instant::now() + self.delay, keys.as_bytes().to_vec())).unwrap();
    }

    pub fn rows(&self) -> Vec<String> {
        self.emulator.lock().unwrap().screen_rows()
    }

    pub fn text(&self) -> String {
        self.emulator.lock().unwrap().text().join("\n")
    }

    pub fn modes(&self) -> String {
        format!("{:?}", self.emulator.lock().unwrap().modes())
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }

    pub fn resize(&self, cols: u16, rows: u16) {
        self.emulator.lock().unwrap().resize(cols.into(), rows.into());
        self.tell_size(cols, rows);
    }

    /// Only the kernel hears of it.
    pub fn tell_size(&self, cols: u16, rows: u16) {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).unwrap();
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_raw(i32::try_from(self.child.process_id().unwrap()).unwrap()).unwrap()
    }

    pub fn wait_for(&self, what: &str, seen: impl Fn(&str) -> bool) {
        let since = Instant::now();
        while !seen(&self.text()) {
            assert!(since.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until nothing has been written for a while, and returns how much has been written by then. Fails when it
    /// never ends.
    pub fn settle(&self) -> usize {
        let since = Instant::now();
        let mut last = usize::MAX;
        loop {
            let now = self.bytes.lock().unwrap().len();
            if now == last {
                return now;
            }
            assert!(since.elapsed() < PATIENCE, "it never stops writing");
            last = now;
            std::thread::sleep(Duration::from_millis(500) + self.delay * 2);
        }
    }

    /// Leaves with Ctrl+D; the exit code.
    pub fn leave(&mut self) -> u32 {
        self.press("\x04");
        self.exit_code()
    }

    pub fn exit_code(&mut self) -> u32 {
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Relay {
    emulator: Arc<Mutex<Emulator>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    keyboard: Sender<(Instant, Vec<u8>)>,
    answered: usize,
    delay: Duration,
    rate: Option<u32>,
    background: Option<&'static str>,
}

impl Relay {
    fn start(mut self, mut output: Box<dyn std::io::Read + Send>) {
        let (sender, line) = channel();
        let delay = self.delay;
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = output.read(&mut buffer) {
                if read == 0 || sender.send((Instant::now() + delay, buffer[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || {
            for (due, bytes) in line {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                match self.rate {
                    None => self.arrives(&bytes),
                    Some(rate) => {
                        for piece in bytes.chunks(16) {
                            std::thread::sleep(Duration::from_secs(16) / rate);
                            self.arrives(piece);
                        }
                    }
                }
            }
        });
    }

    fn arrives(&mut self, bytes: &[u8]) {
        let mut answers = {
            let mut emulator = self.emulator.lock().unwrap();
            emulator.feed(bytes);
            emulator.take_asked().answers
        };
        let mut all = self.bytes.lock().unwrap();
        all.extend_from_slice(bytes);
        let asked = String::from_utf8_lossy(&all).matches("\x1b]11;?\x1b\\").count();
        drop(all);
        for _ in self.answered..asked {
            answers.push_str(self.background.unwrap_or_default());
        }
        self.answered = asked;
        if !answers.is_empty() {
            let _ = self.keyboard.send((Instant::now() + self.delay, answers.into_bytes()));
        }
    }
}

fn type_from(typed: Receiver<(Instant, Vec<u8>)>, mut writer: Box<dyn std::io::Write + Send>) {
    std::thread::spawn(move || {
        for (due, bytes) in typed {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if writer.write_all(&bytes).is_err() {
                return;
            }
        }
    });
}
