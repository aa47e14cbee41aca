//! A plugin that is asked one thing at a time, and judged by the letter of the wire.
//!
//! Unlike the chat, which has to go on whatever a plugin does, it waits for each answer and takes nothing that was not
//! asked for. It owns the process, its pipes and the time that an answer may take. What is asked is `check.rs`'s business.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use carpel_slots::wire::{ABI, Hello, MAX_REPLY, Reply, Request};

/// The time that an answer may take, as in a chat.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How long it may take to end once nothing more is asked.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// So much of what it wrote on standard error is kept, the end.
const LAST_WORDS: usize = 4096;

/// What went wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The answer was wrong, and the plugin can be asked on.
    Wrong(String),
    /// It cannot be asked any more.
    Gone(String),
}

impl Fault {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        match self {
            Fault::Wrong(sentence) | Fault::Gone(sentence) => sentence,
        }
    }
}

enum Heard {
    Line(String),
    Nonsense(String),
    Ended,
}

/// A plugin that runs.
pub struct Speaker {
    process: Child,
    requests: Option<Sender<String>>,
    replies: Receiver<Heard>,
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl Speaker {
    /// Starts an executable. It runs in the current folder, as it would in a chat's workspace.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(file: &Path) -> Result<Speaker, Fault> {
        let gone = |error: std::io::Error| Fault::Gone(format!("could not be started: {error}"));
        // Without a folder in front the shell's path would be searched.
        let mut command = Command::new(Path::new(".").join(file));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(gone)?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(Fault::Gone("could not be started: it has no pipes".to_owned()));
        };
        let (requests, lines) = channel::<String>();
        // What it does not read must hold up nobody: its deadline tells of it.
        std::thread::spawn(move || {
            for line in lines {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let (heard, replies) = sync_channel(64);
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let heard_now = line(&mut stdout);
                let is_last = !matches!(heard_now, Heard::Line(_));
                if heard.send(heard_now).is_err() || is_last {
                    return;
                }
            }
        });
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&last_words);
        std::thread::spawn(move || keep_end(stderr, &kept));
        Ok(Speaker { process, requests: Some(requests), replies, last_words })
    }

    /// Says hello.
    ///
    /// # Errors
    /// When it does not say hello in time.
    pub fn hello(&mut self) -> Result<Hello, Fault> {
        self.tell(&greeting().encode());
        match self.reply("hello")? {
            Reply::Hello(hello) => Ok(hello),
            other => Err(Fault::Gone(format!("answered hello with `{}`", shown(&other.encode())))),
        }
    }

    /// Asks in a line, and waits for the answer to it.
    ///
    /// # Errors
    /// When the answer is late, none, or one to something else.
    pub fn ask(&mut self, line: &str, id: u64) -> Result<Reply, Fault> {
        self.tell(line);
        let reply = self.reply("the request")?;
        match reply.id() {
            Some(own) if own == id => Ok(reply),
            _ => Err(Fault::Gone(format!(
                "request {id} was answered with `{}`, which is no answer to it",
                shown(&reply.encode())
            ))),
        }
    }

    /// Says a line that has no answer.
    pub fn tell(&self, line: &str) {
        if let Some(requests) = &self.requests {
            // Where nobody reads any more the missing answer tells.
            let _ = requests.send(format!("{line}\n"));
        }
    }

    /// Ends its input and waits for its end.
    ///
    /// # Errors
    /// When it says something more, does not end, or ends as one that failed.
    pub fn end(mut self) -> Result<(), Fault> {
        self.requests = None;
        match self.replies.recv_timeout(LAST_PATIENCE) {
            Ok(Heard::Ended) | Err(RecvTimeoutError::Disconnected) => {}
            Ok(Heard::Line(line)) => {
                return Err(Fault::Gone(format!("said `{}`, which nobody asked for", shown(&line))));
            }
            Ok(Heard::Nonsense(what)) => return Err(Fault::Gone(what)),
            Err(RecvTimeoutError::Timeout) => {
                return Err(Fault::Gone("did not end when its standard input did".to_owned()));
            }
        }
        match self.wait() {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Fault::Gone(format!("ended with {status}{}", self.last_words()))),
            None => Err(Fault::Gone("closed its standard output and did not end".to_owned())),
        }
    }

    fn reply(&mut self, what: &str) -> Result<Reply, Fault> {
        match self.replies.recv_timeout(PATIENCE) {
            Ok(Heard::Line(line)) => Reply::decode(&line).map_err(|error| {
                Fault::Wrong(format!("answered with what is no reply ({error}): `{}`", shown(&line)))
            }),
            Ok(Heard::Nonsense(what)) => Err(Fault::Gone(what)),
            Ok(Heard::Ended) | Err(RecvTimeoutError::Disconnected) => {
                let how = self
                    .wait()
                    .map_or("closed its standard output".to_owned(), |status| format!("ended with {status}"));
                Err(Fault::Gone(format!("{how} instead of an answer{}", self.last_words())))
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(Fault::Gone(format!("did not answer {what} within {} seconds", PATIENCE.as_secs())))
            }
        }
    }

    /// How it ended, if it does soon.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + LAST_PATIENCE;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// The last line of its standard error that says something, in brackets.
    fn last_words(&self) -> String {
        // Its end may be seen before its words are read.
        std::thread::sleep(Duration::from_millis(20));
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().rev().map(str::trim).find(|line| !line.is_empty());
        last.map(|line| format!(" (it said `{}`)", shown(line))).unwrap_or_default()
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first line.
fn greeting() -> Request {
    Request::Hello { abi: ABI, carpel: env!("CARGO_PKG_VERSION").to_owned(), features: Vec::new() }
}

/// As much of a line as a report shows.
pub fn shown(line: &str) -> String {
    const MOST: usize = 80;
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// A line of a plugin, or why it is none.
fn line(stdout: &mut impl BufRead) -> Heard {
    let mut bytes = Vec::new();
    let most = MAX_REPLY as u64 + 2;
    match stdout.take(most).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => return Heard::Ended,
        Ok(_) => {}
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() <= MAX_REPLY {
        return Heard::Nonsense(format!(
            "ended within a line: `{}`",
            shown(&String::from_utf8_lossy(&bytes))
        ));
    }
    if bytes.len() > MAX_REPLY {
        return Heard::Nonsense(format!("answered with a line of more than {MAX_REPLY} bytes"));
    }
    match String::from_utf8(bytes) {
        Ok(line) => Heard::Line(line),
        Err(error) => {
            let line = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Heard::Nonsense(format!("answered with a line that is not UTF-8: `{}`", shown(&line)))
        }
    }
}

fn keep_end(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut piece) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let over = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..over);
    }
}
