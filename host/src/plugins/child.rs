//! The process of one plugin: how it is started, and its pipes, none of which is ever waited for.
//!
//! Every plugin is started through `carpel plugin-host`, which sets limits and a session of its own and then opens the
//! library or becomes the program. Lines go in and out without blocking: what the child does not read stays here, and its
//! owner asks nothing more meanwhile. Refuses to know what the lines mean. Read `plugin_host.rs` for the other side.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child as Process, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use carpel_slots::wire::MAX_REPLY;
use rustix::process::{Pid, Signal};

use crate::plugins::found::fingerprint;
use crate::plugins::hello::REFUSES;
use crate::plugins::log_file::LogFile;

/// Keys of model services are nothing for a plugin.
const SECRETS: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
];

/// How long a child that has closed its pipes may take to end.
const LAST_BREATH: Duration = Duration::from_millis(300);

/// So much is read at a time.
const PIECE: usize = 64 * 1024;

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// A library, by its file.
    Library(PathBuf),
    /// A program and its arguments.
    Program(Vec<OsString>),
}

/// How a plugin is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The file of this program.
    pub carpel: PathBuf,
    /// What is started.
    pub runs: Runs,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Where its diagnostics go.
    pub log: Option<PathBuf>,
    /// Files that must be as they were trusted, with their fingerprints, whenever it is started.
    pub trusted: Vec<(PathBuf, String)>,
}

/// A running plugin.
pub(super) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    log: LogFile,
    /// What has been taken over to be written, and how much of it is written.
    going: (Vec<u8>, usize),
    /// What was read of a line that is not whole.
    coming: Vec<u8>,
    /// Up to where there is no line feed in it.
    looked: usize,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Whole lines.
    Lines(Vec<String>),
    /// What is no line.
    Fault(String),
    /// Nothing will come any more.
    Ended,
}

impl Child {
    /// Starts it.
    pub(super) fn start(launch: &Launch) -> Result<Child, String> {
        for (file, trusted) in &launch.trusted {
            if fingerprint(file).as_ref() != Some(trusted) {
                return Err("is another one than you trusted; look at it, then `carpel trust`".to_owned());
            }
        }
        let mut command = Command::new(&launch.carpel);
        command.arg("plugin-host");
        match &launch.runs {
            Runs::Library(file) => command.arg("--").arg(file),
            Runs::Program(words) => command.arg("--run").arg("--").args(words),
        };
        SECRETS.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.current_dir(&launch.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: std::io::Error| format!("could not be started: {error}");
        let mut process = command.spawn().map_err(failed)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err("could not be started: it has no pipes".to_owned());
        };
        let child = Child {
            process,
            log: LogFile::open(launch.log.as_deref()),
            going: (Vec::new(), 0),
            coming: Vec::new(),
            looked: 0,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
        };
        let pipes = [child.stdin.as_ref().map(AsFd::as_fd), Some(child.stdout.as_fd()), child.errors()];
        for pipe in pipes.into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true).map_err(|error| failed(error.into()))?;
        }
        Ok(child)
    }

    /// Its number, for signals.
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Where its replies come from.
    pub(super) fn replies(&self) -> BorrowedFd<'_> {
        self.stdout.as_fd()
    }

    /// Where its diagnostics come from, until they end.
    pub(super) fn errors(&self) -> Option<BorrowedFd<'_>> {
        self.stderr.as_ref().map(AsFd::as_fd)
    }

    /// Where requests go, while something waits to be written.
    pub(super) fn requests(&self) -> Option<BorrowedFd<'_>> {
        self.stdin.as_ref().filter(|_| self.is_writing()).map(AsFd::as_fd)
    }

    /// True while it has not taken all that it was told.
    pub(super) fn is_writing(&self) -> bool {
        self.going.1 < self.going.0.len()
    }

    /// Tells it a line.
    pub(super) fn tell(&mut self, line: &str) {
        self.going.0.extend_from_slice(line.as_bytes());
        self.going.0.push(b'\n');
        self.write();
    }

    /// Writes as much as the pipe takes. A pipe that nobody reads is noticed at the other one.
    pub(super) fn write(&mut self) {
        let (bytes, written) = &mut self.going;
        let Some(stdin) = &mut self.stdin else { return };
        while *written < bytes.len() {
            match stdin.write(&bytes[*written..]) {
                Ok(0) => return,
                Ok(count) => *written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.stdin = None;
                    break;
                }
            }
        }
        self.going = (Vec::new(), 0);
    }

    /// Reads what is there of its replies, one piece at most, so that one that never ends holds up nothing.
    pub(super) fn read(&mut self) -> Heard {
        let mut piece = vec![0; PIECE];
        let count = match self.stdout.read(&mut piece) {
            Ok(0) => return Heard::Ended,
            Ok(count) => count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
            Err(_) => return Heard::Ended,
        };
        self.coming.extend_from_slice(&piece[..count]);
        let mut lines = Vec::new();
        let mut from = 0;
        while let Some(at) = self.coming[self.looked..].iter().position(|byte| *byte == b'\n') {
            let end = self.looked + at;
            let line = &self.coming[from..end];
            if line.len() > MAX_REPLY {
                return Heard::Fault(too_long());
            }
            match std::str::from_utf8(line) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => lines.push(line.trim_end_matches('\r').to_owned()),
                Err(_) => return Heard::Fault("wrote a line that is not UTF-8".to_owned()),
            }
            from = end + 1;
            self.looked = from;
        }
        self.coming.drain(..from);
        self.looked = self.coming.len();
        if self.coming.len() > MAX_REPLY {
            return Heard::Fault(too_long());
        }
        Heard::Lines(lines)
    }

    /// Reads what is there of its diagnostics into the log; how many bytes that were.
    pub(super) fn read_errors(&mut self) -> usize {
        let mut piece = vec![0; PIECE];
        let Some(stderr) = &mut self.stderr else { return 0 };
        match stderr.read(&mut piece) {
            Ok(count @ 1..) => {
                self.log.write(&piece[..count]);
                return count;
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Ok(0) | Err(_) => self.stderr = None,
        }
        0
    }

    /// What was read of a line that is not whole.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.coming
    }

    /// Ends its input: it has to end by itself.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Why it ended, raw: what `carpel plugin-host` says of it, else how it ended with its last words.
    pub(super) fn reason(&self, ending: &str) -> String {
        match (self.log.line_behind(REFUSES), self.log.last_line()) {
            (Some(reason), _) => reason,
            (None, Some(words)) => format!("{ending}; its last words: {words}"),
            (None, None) => ending.to_owned(),
        }
    }

    /// How it ended, in words, after it closed its replies. One that does not end is ended.
    pub(super) fn ending(&mut self) -> String {
        self.ended().map_or("closed its output and went on".to_owned(), words)
    }

    /// How it ended after it closed its replies; `None` for one that did not and is ended.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.hang_up();
        let until = Instant::now() + LAST_BREATH;
        loop {
            // What it said last is read before it is judged.
            self.read_errors();
            match self.process.try_wait() {
                Ok(Some(status)) => {
                    self.read_errors();
                    return Some(status);
                }
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) | Err(_) => {
                    self.kill();
                    return None;
                }
            }
        }
    }

    /// Ends it and all that it started.
    pub(super) fn kill(&mut self) {
        self.stdin = None;
        kill(self.pid());
        // A process that was killed ends; one that cannot be waited for is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills a plugin with its group, which has the same number once it has one of its own.
pub(super) fn kill(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    // The one or the other is not there.
    let _ = rustix::process::kill_process_group(pid, Signal::KILL);
}

fn too_long() -> String {
    format!("wrote a line of more than {} KiB", MAX_REPLY / 1024)
}

/// How it ended, in words.
pub(super) fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by {}", signal_name(signal)),
        (None, None) => "ended".to_owned(),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match Signal::from_named_raw(signal) {
        Some(Signal::SEGV) => "SIGSEGV, a wrong memory access",
        Some(Signal::BUS) => "SIGBUS, a wrong memory access",
        Some(Signal::ABORT) => "SIGABRT, it gave up by itself",
        Some(Signal::ILL) => "SIGILL, a wrong instruction",
        Some(Signal::FPE) => "SIGFPE, wrong arithmetic",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::TERM) => "SIGTERM",
        Some(Signal::PIPE) => "SIGPIPE",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
