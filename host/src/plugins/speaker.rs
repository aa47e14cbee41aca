//! A plugin that is asked one thing at a time, and judged by the letter of the wire: for the author's workbench.
//!
//! The process is the chat's own ([`super::child`]), with the same limits, the same times and the same words for what goes
//! wrong. Unlike the chat, which has to go on whatever a plugin does, whoever asks here waits for each answer and takes
//! nothing that was not asked for; they can stop waiting. What is asked is the business of `cli/plugin/`.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use carpel_slots::wire::{Hello, Reply, Request, WireCall};
use carpel_slots::{Card, CardCx, ToolCall};
use rustix::event::{PollFd, PollFlags, poll};

use crate::plugins::bounds;
use crate::plugins::child::{self, Child, Heard};
use crate::plugins::desk::HARD;
use crate::plugins::driver::timespec;
use crate::plugins::found::Found;
use crate::plugins::hello::{self, GREETING};

/// How long it may take to end once nothing more is asked.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// How often whoever waits is asked whether they still do.
const LOOK: Duration = Duration::from_millis(100);

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

/// Says whether answers are still waited for.
pub type IsAwaited = Box<dyn Fn() -> bool + Send>;

/// A plugin that runs. It ends with this value, and so does all that it started.
pub struct Speaker {
    child: Child,
    /// What it said and nobody has taken.
    lines: VecDeque<String>,
    next: u64,
    is_awaited: IsAwaited,
}

impl Speaker {
    /// Starts it as a chat would, and takes its hello.
    ///
    /// # Errors
    /// When it cannot be started, does not say hello in time, or says one that cannot be used.
    pub fn start(found: &Found, is_awaited: IsAwaited) -> Result<(Speaker, Hello), Fault> {
        let carpel = std::env::current_exe().map_err(|error| {
            Fault::Gone(format!("could not be started: this program's own file cannot be found ({error})"))
        })?;
        let child = found.launch(&carpel).and_then(|launch| Child::start(&launch)).map_err(Fault::Gone)?;
        let mut speaker = Speaker { child, lines: VecDeque::new(), next: 1, is_awaited };
        speaker.tell(&hello::greeting());
        let late = || format!("did not say hello within {} s", GREETING.as_secs());
        let hello = hello::taken(speaker.reply(GREETING, late)?).map_err(Fault::Gone)?;
        Ok((speaker, hello))
    }

    /// Asks what the line of that number says, and waits for the answer to it.
    ///
    /// # Errors
    /// When the answer is late, none, or one to something else.
    pub fn ask(&mut self, line: impl FnOnce(u64) -> String) -> Result<Reply, Fault> {
        let id = self.next;
        self.next += 1;
        self.tell(&line(id));
        let reply = self.reply(HARD, || format!("did not answer within {} s", HARD.as_secs()))?;
        match reply.id() {
            Some(own) if own == id => Ok(reply),
            _ => Err(Fault::Gone(format!(
                "request {id} was answered with `{}`, which is no answer to it",
                shown(&reply.encode())
            ))),
        }
    }

    /// Asks a view for the card of a call; of one that is too large the part that a chat takes.
    ///
    /// # Errors
    /// As [`Speaker::ask`], and when there is no card in the answer.
    pub fn card(&mut self, view: &str, call: &ToolCall, cx: CardCx) -> Result<Card, Fault> {
        let (view, call) = (view.to_owned(), Box::new(WireCall::of(call)));
        match self.ask(|id| Request::Card { id, view, call, cx }.encode())? {
            Reply::Card { card, .. } => Ok(bounds::card(card)),
            Reply::Error { message, .. } => {
                Err(Fault::Wrong(format!("answered with an error: {}", shown(&message))))
            }
            other => Err(Fault::Wrong(format!("wants a card, got `{}`", shown(&other.encode())))),
        }
    }

    /// Says a line that has no answer. Where nobody reads any more the missing answer to the next one tells.
    pub fn tell(&mut self, line: &str) {
        self.child.tell(line);
    }

    /// Ends its input and waits for its end.
    ///
    /// # Errors
    /// When it says something more, does not end, or ends as one that failed.
    pub fn end(mut self) -> Result<(), Fault> {
        self.child.hang_up();
        let late = || "did not end when its standard input did".to_owned();
        match self.line(LAST_PATIENCE, late)? {
            None => {}
            Some(line) => {
                return Err(Fault::Gone(format!("said `{}`, which nobody asked for", shown(&line))));
            }
        }
        match self.child.ended() {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Fault::Gone(self.child.reason(&child::words(status)))),
            None => Err(Fault::Gone("closed its standard output and did not end".to_owned())),
        }
    }

    fn reply(&mut self, patience: Duration, late: impl Fn() -> String) -> Result<Reply, Fault> {
        let Some(line) = self.line(patience, late)? else {
            let ending = self.child.ending();
            return Err(Fault::Gone(self.child.reason(&ending)));
        };
        Reply::decode(&line).map_err(|error| {
            Fault::Wrong(format!("answered with what is no reply ({error}): `{}`", shown(&line)))
        })
    }

    /// The next line that it says; `None` when it says no more.
    fn line(&mut self, patience: Duration, late: impl Fn() -> String) -> Result<Option<String>, Fault> {
        let until = Instant::now() + patience;
        while self.lines.is_empty() {
            let now = Instant::now();
            if !(self.is_awaited)() {
                return Err(Fault::Gone("is not waited for any more".to_owned()));
            }
            if now >= until {
                return Err(Fault::Gone(late()));
            }
            self.wait((until - now).min(LOOK));
            self.child.write();
            self.child.read_errors();
            match self.child.read() {
                Heard::Lines(lines) => self.lines.extend(lines),
                Heard::Fault(reason) => return Err(Fault::Gone(reason)),
                Heard::Ended => {
                    let rest = String::from_utf8_lossy(self.child.unfinished());
                    return match rest.as_ref() {
                        "" => Ok(None),
                        rest => Err(Fault::Gone(format!("ended within a line: `{}`", shown(rest)))),
                    };
                }
            }
        }
        Ok(self.lines.pop_front())
    }

    /// Sleeps until one of its pipes has something to do, or that time has passed.
    fn wait(&self, most: Duration) {
        let mut fds = vec![PollFd::from_borrowed_fd(self.child.replies(), PollFlags::IN)];
        fds.extend(self.child.requests().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(self.child.errors().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An interruption is as good as a wake.
        let _ = poll(&mut fds, Some(&timespec(most)));
    }
}

/// As much of a line as a report shows.
pub fn shown(line: &str) -> String {
    const MOST: usize = 80;
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
