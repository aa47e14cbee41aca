//! The thread of one plugin: starts its process when it is needed, hands it what the desk has, takes its answers, and decides
//! what is a fault.
//!
//! It sleeps until a pipe or a deadline wakes it; without either it does not wake. A process that failed is ended with all
//! that it started, and started again when there is something to ask, until it failed too often. Refuses to know what a
//! card is for; [`super::desk`] keeps what is asked, `child.rs` the pipes.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use carpel_slots::wire::{Hello, Reply};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::plugins::child::{Child, Heard, Launch};
use crate::plugins::desk::{HARD, News, Ran};
use crate::plugins::faults::{Faults, Verdict};
use crate::plugins::hello::{self, GREETING};
use crate::plugins::instance::{Instance, Phase};

/// So many lines that answer nothing are taken from one process between two answers.
const UNASKED: u32 = 1_000;

/// So much is read of its diagnostics in a second; what is more waits in the plugin.
const WORDS: usize = 256 * 1024;

/// What a driver tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Report {
    /// The process said hello, or why it could not: then the driver has ended.
    Hello(Result<Hello, String>),
    /// Something that was asked for has come, or will not come.
    Seen,
    /// A command has run.
    Ran(Ran),
    /// It failed and goes on.
    Fault(String),
    /// It failed too often and is left alone; the driver has ended.
    Quarantine(String),
}

/// Takes reports; called on the driver's thread.
pub(super) type Tell = Box<dyn Fn(Report) + Send>;

/// Whether a process is started before anybody asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// At once, to hear its hello.
    Now,
    /// When something is asked: its hello is known.
    OnUse,
}

/// Starts the thread.
///
/// # Errors
/// When there is no thread or no pipe to be had.
pub(super) fn start(
    launch: Launch,
    begin: Begin,
    tell: Tell,
) -> std::io::Result<(Arc<Instance>, JoinHandle<()>)> {
    let (instance, woken) = Instance::new()?;
    let instance = Arc::new(instance);
    let driver = Driver {
        instance: Arc::clone(&instance),
        launch,
        woken,
        tell,
        child: None,
        greets: (begin == Begin::Now).then(Instant::now),
        has_greeted: begin == Begin::OnUse,
        faults: Faults::default(),
        rests_until: None,
        unasked: 0,
        words: (Instant::now(), 0),
    };
    let thread = std::thread::Builder::new().name("plugin".to_owned()).spawn(move || driver.run())?;
    Ok((instance, thread))
}

struct Driver {
    instance: Arc<Instance>,
    launch: Launch,
    woken: OwnedFd,
    tell: Tell,
    child: Option<Child>,
    /// Since when its hello is awaited.
    greets: Option<Instant>,
    /// It is known to have said hello once.
    has_greeted: bool,
    faults: Faults,
    /// It is not started before.
    rests_until: Option<Instant>,
    unasked: u32,
    /// What it wrote to its diagnostics since then.
    words: (Instant, usize),
}

/// The driver's work is over.
struct Over;

impl Driver {
    fn run(mut self) {
        while self.step().is_ok() {}
    }

    fn step(&mut self) -> Result<(), Over> {
        let now = Instant::now();
        if self.instance.lock().phase == Phase::Ending {
            return Err(Over);
        }
        if self.child.is_none() && self.wants_child(now) {
            match Child::start(&self.launch) {
                Ok(mut child) => {
                    child.tell(&hello::greeting());
                    self.child = Some(child);
                    self.greets = Some(now);
                    self.unasked = 0;
                }
                Err(reason) => return self.fault(&reason),
            }
        }
        self.late(now)?;
        self.send(now);
        self.wait(now)
    }

    /// True when there is something to ask and it is not resting.
    fn wants_child(&self, now: Instant) -> bool {
        let rests = self.rests_until.is_some_and(|until| now < until);
        !rests && (self.greets.is_some() || self.instance.lock().desk.has_work())
    }

    /// What should have come by now is a fault.
    fn late(&mut self, now: Instant) -> Result<(), Over> {
        if self.child.is_none() {
            return Ok(());
        }
        if let Some(since) = self.greets {
            if now.saturating_duration_since(since) >= GREETING {
                return self.fault(&format!("did not say hello within {} s", GREETING.as_secs()));
            }
            return Ok(());
        }
        let deadline = self.instance.lock().desk.deadline();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return self.fault(&format!("did not answer within {} s", HARD.as_secs()));
        }
        Ok(())
    }

    /// Hands over what may be asked now.
    fn send(&mut self, now: Instant) {
        let Some(child) = self.child.as_mut().filter(|_| self.greets.is_none()) else { return };
        while !child.is_writing() {
            let mut state = self.instance.lock();
            let next = match state.desk.stale(now) {
                Some(cancel) => Some(cancel),
                None => state.desk.next(now),
            };
            drop(state);
            let Some(request) = next else { return };
            child.tell(&request.encode());
        }
    }

    /// Sleeps until something is to be done, and takes what has come.
    fn wait(&mut self, now: Instant) -> Result<(), Over> {
        let reads_words = self.reads_words(now);
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        if let Some(child) = &self.child {
            fds.push(PollFd::from_borrowed_fd(child.replies(), PollFlags::IN));
            fds.extend(child.requests().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
            let errors = child.errors().filter(|_| reads_words);
            fds.extend(errors.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        }
        let left = self.due(now).map(|due| timespec(due.saturating_duration_since(now)));
        // An interruption is as good as a wake.
        let _ = poll(&mut fds, left.as_ref());
        let mut drained = [0; 64];
        while matches!(rustix::io::read(&self.woken, &mut drained), Ok(1..)) {}
        let Some(child) = &mut self.child else { return Ok(()) };
        child.write();
        if reads_words {
            self.words.1 += child.read_errors();
        }
        match child.read() {
            Heard::Lines(lines) => lines.into_iter().try_for_each(|line| self.take(&line)),
            Heard::Fault(reason) => self.fault(&reason),
            Heard::Ended => {
                let ending = child.ending();
                let reason = child.reason(&ending);
                self.fault(&reason)
            }
        }
    }

    /// Whether its diagnostics are read now; it gets so much of a second.
    fn reads_words(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.words.0) >= Duration::from_secs(1) {
            self.words = (now, 0);
        }
        self.words.1 < WORDS
    }

    /// When it has to wake though nothing comes.
    fn due(&self, now: Instant) -> Option<Instant> {
        let runs = self.child.is_some();
        let greeting = self.greets.filter(|_| runs).map(|since| since + GREETING);
        let rest =
            self.rests_until.filter(|until| !runs && *until > now && self.instance.lock().desk.has_work());
        let words = (runs && self.words.1 >= WORDS).then(|| self.words.0 + Duration::from_secs(1));
        let answers = self.instance.due(runs && self.greets.is_none());
        greeting.into_iter().chain(rest).chain(words).chain(answers).min()
    }

    /// Takes a line of its replies. What it wrote behind a fault went with it.
    fn take(&mut self, line: &str) -> Result<(), Over> {
        if self.child.is_none() {
            return Ok(());
        }
        let reply = match Reply::decode(line) {
            Ok(reply) => reply,
            Err(error) => return self.fault(&format!("answered with what is no reply: {error}")),
        };
        if self.greets.is_some() {
            return self.greeted(reply);
        }
        let is_nothing = reply.id().is_none();
        let news = self.instance.lock().desk.reply(reply, Instant::now());
        match news {
            Ok(News::None) => {
                self.unasked += u32::from(is_nothing);
                if self.unasked > UNASKED {
                    return self.fault("writes lines that answer nothing, without end");
                }
            }
            Ok(News::Seen) => (self.tell)(Report::Seen),
            Ok(News::Ran(ran)) => (self.tell)(Report::Ran(ran)),
            Err(reason) => return self.fault(&reason),
        }
        Ok(())
    }

    fn greeted(&mut self, reply: Reply) -> Result<(), Over> {
        match hello::taken(reply) {
            Ok(hello) => {
                self.greets = None;
                self.has_greeted = true;
                (self.tell)(Report::Hello(Ok(hello)));
                Ok(())
            }
            Err(reason) => self.fault(&reason),
        }
    }

    /// Ends the process and decides whether there will be another one.
    fn fault(&mut self, reason: &str) -> Result<(), Over> {
        self.child = None;
        self.greets = None;
        let now = Instant::now();
        if !self.has_greeted {
            self.close(reason);
            (self.tell)(Report::Hello(Err(reason.to_owned())));
            return Err(Over);
        }
        let ran = self.instance.lock().desk.interrupted(reason, now);
        ran.into_iter().for_each(|ran| (self.tell)(Report::Ran(ran)));
        match self.faults.add(now) {
            Verdict::Again(pause) => {
                self.rests_until = Some(now + pause);
                (self.tell)(Report::Fault(reason.to_owned()));
                (self.tell)(Report::Seen);
                Ok(())
            }
            Verdict::Quarantine => {
                self.close(reason);
                (self.tell)(Report::Quarantine(reason.to_owned()));
                Err(Over)
            }
        }
    }

    fn close(&mut self, reason: &str) {
        let mut state = self.instance.lock();
        if state.phase == Phase::Open {
            state.phase = Phase::Closed(reason.to_owned());
        }
        let ran = state.desk.close(reason, Instant::now());
        drop(state);
        ran.into_iter().for_each(|ran| (self.tell)(Report::Ran(ran)));
    }
}

/// Rounded up to a millisecond, so that it does not wake just before it is due.
pub(super) fn timespec(left: Duration) -> Timespec {
    let left = left + Duration::from_millis(1);
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    }
}
