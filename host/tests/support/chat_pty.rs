//! The program itself in a pseudo-terminal, with a terminal in memory at the other end and a pod that the test plays.
//!
//! The terminal answers as a real one would, or like one without the keyboard protocol. The pod notes every method and
//! answers a prompt with a short turn, unless it is told to hang. Waiting is for what is to be seen, never for a time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alacritty_terminal::term::TermMode;
use carpel::terminal::emulator::Emulator;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use ratatui::layout::Position;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long something may take to be seen on a busy machine before the test gives up.
const PATIENCE: Duration = Duration::from_secs(90);

pub const SIZE: PtySize = PtySize { rows: 30, cols: 80, pixel_width: 0, pixel_height: 0 };

/// What the terminal says that it can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminal {
    /// It has the keyboard protocol.
    Kitty,
    /// It has bracketed paste and not the keyboard protocol; whether pastes come with markers the test decides.
    Plain,
}

/// What the terminal at the other end has seen.
pub struct Seen {
    pub emulator: Emulator,
    pub bytes: Vec<u8>,
    /// Titles of the window that are not the chat's own.
    pub titles: Vec<String>,
    /// Row and column of the cursor, and the row's text, when each frame was done.
    pub frames: Vec<(Position, String)>,
}

pub struct Chat {
    pub pod: Pod,
    pub child: Box<dyn Child + Send + Sync>,
    pub before: String,
    pub folder: TempDir,
    master: Box<dyn MasterPty + Send>,
    keyboard: Arc<Mutex<Box<dyn std::io::Write + Send>>>,
    seen: Arc<Mutex<Seen>>,
}

impl Chat {
    /// The chat, connected to its pod and with its first frame drawn.
    pub fn start(terminal: Terminal) -> Chat {
        Chat::start_in(folder(), terminal, &[])
    }

    /// The chat in a folder that may have seen another, with more in its environment.
    pub fn start_in(folder: TempDir, terminal: Terminal, environment: &[(&str, &str)]) -> Chat {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_carpel"));
        command.args(["attach", "keys"]);
        for (name, value) in environment {
            command.env(name, value);
        }
        let mut chat = Chat::run(folder, terminal, command);
        chat.is_up(terminal);
        chat
    }

    /// A command, with the environment of the chat.
    pub fn run(folder: TempDir, terminal: Terminal, mut command: CommandBuilder) -> Chat {
        for name in ["run/carpel", "home", "state/carpel"] {
            let path = folder.path().join(name);
            std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path).unwrap();
        }
        let pod = Pod::start(&folder.path().join("run/carpel/keys.sock"));
        command.cwd(folder.path());
        for (name, value) in [("XDG_RUNTIME_DIR", "run"), ("HOME", "home"), ("XDG_STATE_HOME", "state")] {
            command.env(name, folder.path().join(value));
        }
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("PS1", "bash$ ");
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let before = termios(&*pair.master);
        let emulator = Emulator::new(SIZE.cols.into(), SIZE.rows.into(), 100_000);
        let seen = Seen { emulator, bytes: Vec::new(), titles: Vec::new(), frames: Vec::new() };
        let seen = Arc::new(Mutex::new(seen));
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let mut output = pair.master.try_clone_reader().unwrap();
        let (show, answer) = (Arc::clone(&seen), Arc::clone(&keyboard));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = output.read(&mut buffer)
                && read > 0
            {
                let answers = show.lock().unwrap().take(&buffer[..read], terminal);
                if !answers.is_empty() {
                    let _ = answer.lock().unwrap().write_all(answers.as_bytes());
                }
            }
        });
        let child = pair.slave.spawn_command(command).unwrap();
        Chat { pod, child, before, folder, master: pair.master, keyboard, seen }
    }

    pub fn is_up(&mut self, terminal: Terminal) {
        self.wait_for("the first frame", |rows| rows.iter().any(|row| row.starts_with("scripted")));
        if terminal == Terminal::Kitty {
            self.wait("the keyboard protocol", |chat| !chat.pushes().is_empty());
        }
    }

    pub fn write(&self, bytes: &[u8]) {
        self.keyboard.lock().unwrap().write_all(bytes).unwrap();
    }

    /// What was seen until now.
    pub fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().unwrap())
    }

    pub fn rows(&self) -> Vec<String> {
        self.seen(|seen| seen.emulator.screen_rows())
    }

    /// The rows of the draft, from the last prompt sign to the last row with text, without the sign.
    pub fn draft(&self) -> Vec<String> {
        draft(&self.rows())
    }

    /// The pushes and pops of the keyboard protocol in their order, as `+` and `-`.
    pub fn pushes(&self) -> String {
        let text = self.seen(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
        let sequences = text.split("\x1b[").skip(1);
        let signs = sequences.filter_map(|sequence| {
            let sequence = &sequence[..sequence.find(|c: char| ('@'..='~').contains(&c))? + 1];
            match (sequence.as_bytes().first(), sequence.ends_with('u')) {
                (Some(b'>'), true) => Some('+'),
                (Some(b'<'), true) => Some('-'),
                _ => None,
            }
        });
        signs.collect()
    }

    pub fn wait(&mut self, what: &str, done: impl Fn(&Chat) -> bool) {
        let since = Instant::now();
        while !done(self) {
            assert!(since.elapsed() < PATIENCE, "waited in vain for {what}:\n{:#?}", self.rows());
            std::thread::sleep(Duration::from_millis(3));
        }
    }

    pub fn wait_for(&mut self, what: &str, seen: impl Fn(&[String]) -> bool) {
        self.wait(what, |chat| seen(&chat.rows()));
    }

    /// The draft is this, and the program still runs.
    pub fn drafts(&mut self, want: &[&str]) {
        self.wait(&format!("the draft {want:?}"), |chat| chat.draft() == want);
        assert!(self.child.try_wait().unwrap().is_none(), "the program has ended");
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.process_id().unwrap() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end of the program and of what it writes; every mode is as it was.
    pub fn ends(&mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        self.wait("the end of the output", |chat| chat.is_silent());
        assert_eq!(self.termios(), self.before);
        self.seen(|seen| assert_eq!(seen.emulator.modes(), plain_modes()));
        status
    }

    pub fn termios(&self) -> String {
        termios(&*self.master)
    }

    /// Nothing has been written for a while.
    pub fn is_silent(&self) -> bool {
        let before = self.seen(|seen| seen.bytes.len());
        std::thread::sleep(Duration::from_millis(150));
        self.seen(|seen| seen.bytes.len()) == before
    }

    /// Shows bytes on the terminal that are not the program's.
    pub fn scribble(&self, bytes: &[u8]) {
        self.seen.lock().unwrap().emulator.feed(bytes);
    }

    /// Leaves, and hands the folder on.
    pub fn leave(mut self) -> TempDir {
        self.write(b"\x03\x03\x03");
        self.ends();
        std::mem::replace(&mut self.folder, folder())
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state/carpel")
    }
}

pub fn folder() -> TempDir {
    tempfile::Builder::new().prefix("carpel-keys-").tempdir().unwrap()
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Seen {
    /// Shows bytes; what the terminal answers comes back.
    fn take(&mut self, bytes: &[u8], terminal: Terminal) -> String {
        for &byte in bytes {
            self.bytes.push(byte);
            self.emulator.feed(&[byte]);
            if self.bytes.ends_with(b"\x1b[?2026l") {
                let cursor = self.emulator.cursor();
                let row = self.emulator.screen_rows().get(usize::from(cursor.y)).cloned();
                self.frames.push((cursor, row.unwrap_or_default()));
            }
        }
        let asked = self.emulator.take_asked();
        self.titles.extend(asked.titles.into_iter().filter(|title| !title.ends_with("carpel")));
        match terminal {
            Terminal::Kitty => asked.answers,
            Terminal::Plain => without_flags(&asked.answers),
        }
    }
}

/// Answers without the one that tells keyboard flags.
fn without_flags(answers: &str) -> String {
    let mut left = String::new();
    for answer in answers.split_inclusive(|c: char| c.is_ascii_alphabetic()) {
        if !(answer.starts_with("\x1b[?") && answer.ends_with('u')) {
            left.push_str(answer);
        }
    }
    left
}

pub fn plain_modes() -> TermMode {
    Emulator::new(2, 2, 0).modes()
}

fn draft(rows: &[String]) -> Vec<String> {
    let last = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |row| row + 1);
    let first = rows.iter().rposition(|row| row.starts_with('›')).unwrap_or(last);
    rows[first..last].iter().map(|row| row.chars().skip(2).collect()).collect()
}

fn termios(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

/// A pod that the test plays.
pub struct Pod {
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Heard {
    methods: Vec<Value>,
    client: Option<UnixStream>,
    hangs: bool,
    turns: u64,
}

impl Pod {
    fn start(socket: &Path) -> Pod {
        // Another chat in this folder had one.
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).unwrap();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let pod = Pod { heard: Arc::clone(&heard) };
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), heard) = (client, Arc::clone(&heard)) else { return };
                std::thread::spawn(move || serve(client, &heard));
            }
        });
        pod
    }

    /// Prompts get no answer from now on: a turn runs until the test says otherwise.
    pub fn hangs(&self) {
        self.heard.lock().unwrap().hangs = true;
    }

    pub fn say(&self, event: &Value) {
        self.heard.lock().unwrap().say(event);
    }

    /// The texts that were sent as prompts.
    pub fn prompts(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let runs = heard.methods.iter().filter(|method| method["method"] == "run");
        runs.map(|run| run["text"].as_str().unwrap().to_owned()).collect()
    }

    /// The methods that were asked, but for the first, `hello`.
    pub fn methods(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        heard.methods.iter().map(|method| method["method"].as_str().unwrap().to_owned()).collect()
    }
}

impl Heard {
    fn say(&mut self, event: &Value) {
        if let Some(client) = &mut self.client {
            let _ = client.write_all(format!("{event}\n").as_bytes());
        }
    }

    fn answer(&mut self, run: &Value) {
        self.turns += 1;
        let turn = self.turns;
        self.say(&json!({"event":"state","state":"running"}));
        self.say(&json!({"event":"turn_start","turn":turn}));
        self.say(&json!({"event":"user_message","text":run["text"],"method":run["id"]}));
        if !self.hangs {
            self.say(&json!({"event":"text_done","text":format!("answer {turn}")}));
            self.say(&json!({"event":"turn_end","turn":turn,"reason":"completed"}));
            self.say(&json!({"event":"state","state":"idle"}));
        }
    }
}

/// One client. Who only looks whether somebody answers says nothing and goes.
fn serve(client: UnixStream, heard: &Mutex<Heard>) {
    for line in BufReader::new(client.try_clone().unwrap()).lines() {
        let Ok(line) = line else { return };
        let method: Value = serde_json::from_str(&line).unwrap();
        let mut heard = heard.lock().unwrap();
        match method["method"].as_str().unwrap() {
            "hello" => {
                heard.client = Some(client.try_clone().unwrap());
                heard.say(&json!({"event":"hello","protocol":1,"session":"keys","provider":"scripted",
                    "model":"scripted","state":"idle"}));
                heard.say(&json!({"event":"history","items":[],"more":false}));
                continue;
            }
            "run" => heard.answer(&method),
            _ => {}
        }
        heard.methods.push(method);
    }
}

/// The bytes of a row of `keys.jsonl`.
pub fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
