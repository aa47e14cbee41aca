//! The life of a command from its start to the end of its whole process group.
//!
//! Owns the waits: for output, for the end, for the time that is up, for a cancel. A call ends with its shell; what still
//! holds the pipe gets a moment to say its last words, then all that is left of the group is told to end, and killed when
//! it does not. One thread does it all, so nothing is left behind in this process. The times are an argument.
//! Refuses to know what the result is called (`../bash.rs`).

use std::io::{self, PipeReader, Read};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::{Cancel, ToolCx};
use super::capture::{Capture, Kept};
use super::decode::Decoder;
use super::group::Group;
use super::live::Live;
use super::shell::Started;
use super::watch::Watch;

#[derive(Debug, Clone)]
pub struct Bounds {
    /// How long the command may run.
    pub timeout: Duration,
    /// Between the request to end and the kill.
    pub grace: Duration,
    /// How long those that outlive the shell may still speak.
    pub drain: Duration,
    /// How soon a cancel is seen.
    pub tick: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            grace: Duration::from_millis(300),
            drain: Duration::from_millis(250),
            tick: Duration::from_millis(40),
        }
    }
}

/// Why a command is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Ended,
    TimedOut,
    Cancelled,
}

#[derive(Debug)]
pub struct Finished {
    pub why: Why,
    /// Of the shell; unknown where even a kill did not end it in time.
    pub status: Option<ExitStatus>,
    pub kept: Kept,
    /// Whether others of its group had to be ended after it.
    pub left_running: bool,
}

pub fn run(started: Started, bounds: &Bounds, cx: &ToolCx<'_>) -> Finished {
    let Started { child, pipe } = started;
    let group = Group::led_by(&child);
    let watch = group.map(Watch::over).transpose().unwrap_or_else(|error| {
        tracing::warn!(%error, "a command runs unwatched: it would outlive a pod that is killed");
        None
    });
    let reader = Reader {
        pipe: Some(pipe),
        decoder: Decoder::default(),
        capture: Capture::default(),
        live: Live::new(cx.progress),
        nap: FIRST_NAP,
    };
    let mut running = Running { child, group, reader, status: None };
    let why = running.wait(bounds, cx.cancel);
    if why == Why::Ended {
        running.drain(bounds.drain);
    }
    let left_running = !running.is_over();
    if left_running {
        running.end(bounds.grace);
    }
    drop(watch);
    let status = running.status;
    Finished { why, status, kept: running.reader.kept(), left_running: left_running && why == Why::Ended }
}

/// After the last writer has closed the pipe there is nothing to wait on; the end is near then.
const FIRST_NAP: Duration = Duration::from_millis(1);
const LONGEST_NAP: Duration = Duration::from_millis(20);
/// A killed process is gone at once, unless the kernel holds it (a dead disk); that is not waited for.
const AFTER_KILL: Duration = Duration::from_millis(250);

struct Running<'a> {
    child: Child,
    group: Option<Group>,
    reader: Reader<'a>,
    status: Option<ExitStatus>,
}

impl Running<'_> {
    fn wait(&mut self, bounds: &Bounds, cancel: &Cancel) -> Why {
        let began = Instant::now();
        loop {
            if cancel.is_cancelled() {
                return Why::Cancelled;
            }
            self.reader.read(bounds.tick);
            if self.has_ended() {
                return Why::Ended;
            }
            if began.elapsed() >= bounds.timeout {
                return Why::TimedOut;
            }
        }
    }

    /// Reads what is still written after the shell's end, until nobody is left who could write.
    fn drain(&mut self, longest: Duration) {
        self.read_until(longest, |running| running.is_over());
        // What was in the pipe when the last one ended.
        self.reader.read(Duration::ZERO);
    }

    fn end(&mut self, grace: Duration) {
        if let Some(group) = self.group {
            group.terminate();
        }
        self.read_until(grace, Self::is_over);
        if self.is_over() {
            return;
        }
        match self.group {
            Some(group) => group.kill(),
            None => drop(self.child.kill()),
        }
        self.read_until(AFTER_KILL, |running| running.has_ended());
        self.reader.read(Duration::ZERO);
    }

    fn read_until(&mut self, longest: Duration, is_done: impl Fn(&mut Self) -> bool) {
        let began = Instant::now();
        while !is_done(self) && began.elapsed() < longest {
            self.reader.read(LONGEST_NAP);
        }
    }

    fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    /// Whether the shell and all of its group are gone.
    fn is_over(&mut self) -> bool {
        self.has_ended() && self.group.is_none_or(Group::is_empty)
    }
}

struct Reader<'a> {
    /// Absent after its end.
    pipe: Option<PipeReader>,
    decoder: Decoder,
    capture: Capture,
    live: Live<'a>,
    nap: Duration,
}

impl Reader<'_> {
    /// Waits for output and takes what is there, a bounded part of it.
    fn read(&mut self, wait: Duration) {
        /// Reads of one pipe's worth before anything else is looked at.
        const AT_ONCE: usize = 16;
        self.live.tell(Instant::now());
        let Some(mut pipe) = self.pipe.take() else {
            std::thread::sleep(self.nap.min(wait));
            self.nap = (self.nap * 2).min(LONGEST_NAP);
            return;
        };
        wait_for(&pipe, wait);
        let mut buffer = vec![0; 64 << 10];
        for _ in 0..AT_ONCE {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => {
                    let text = self.decoder.text(&buffer[..length]);
                    self.take(&text);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    tracing::warn!(%error, "the output of a command cannot be read on");
                    return;
                }
            }
        }
        self.pipe = Some(pipe);
    }

    fn take(&mut self, text: &str) {
        self.capture.push(text);
        self.live.push(text);
        self.live.tell(Instant::now());
    }

    fn kept(mut self) -> Kept {
        let rest = self.decoder.rest();
        self.capture.push(&rest);
        self.capture.kept()
    }
}

fn wait_for(pipe: &PipeReader, longest: Duration) {
    let timeout = Timespec {
        tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    };
    // Interrupted or failed, the read that follows tells.
    let _ = poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timeout));
}
