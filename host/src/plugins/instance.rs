//! One loaded version of a plugin, as views and commands see it: they ask and go on.
//!
//! It holds the desk under a lock that is only ever held for bookkeeping, and wakes the driver's thread when there is
//! something to do. Refuses to know processes: [`super::driver`] is on the other side.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use carpel_slots::wire::CompletionLine;
use carpel_slots::{CardCx, ToolCall};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::plugins::desk::{Desk, Ran, RunAsk, Told};

/// What is shared between the plugin's driver and everybody who asks.
pub(super) struct Instance {
    state: Mutex<State>,
    wake: OwnedFd,
}

/// What the lock guards.
pub(super) struct State {
    pub(super) desk: Desk,
    pub(super) phase: Phase,
}

/// How it stands with the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is asked as usual, whether its process runs or not.
    Open,
    /// It is not asked any more, and why.
    Closed(String),
    /// Its driver is to end.
    Ending,
}

impl Instance {
    /// An instance, and the end of a pipe at which its driver is woken.
    ///
    /// # Errors
    /// When there are no pipes any more.
    pub(super) fn new() -> std::io::Result<(Instance, OwnedFd)> {
        let (woken, wake) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let state = Mutex::new(State { desk: Desk::default(), phase: Phase::Open });
        Ok((Instance { state, wake }, woken))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that is held under the lock is left half done by a panic elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be shown of a call now; the plugin is asked for what it has not told.
    pub(super) fn card(&self, view: &str, call: &ToolCall, cx: &CardCx) -> Told {
        let mut state = self.lock();
        match &state.phase {
            Phase::Open => {}
            Phase::Closed(reason) => {
                let reason = reason.clone();
                return match state.desk.told(call, cx) {
                    Told::Nothing => Told::Failed(reason),
                    told => told,
                };
            }
            Phase::Ending => return state.desk.told(call, cx),
        }
        let (told, is_new) = state.desk.card(view, call, cx);
        drop(state);
        if is_new {
            self.wake();
        }
        told
    }

    /// True while another card for the call as it stands is on its way.
    pub(super) fn is_awaited(&self, call: &ToolCall, cx: &CardCx) -> bool {
        let state = self.lock();
        state.phase == Phase::Open && state.desk.is_awaited(call, cx)
    }

    /// Has a command run; what comes of it is told later, or at once where it cannot be asked.
    pub(super) fn run(&self, ask: RunAsk) -> Result<(), Ran> {
        let mut state = self.lock();
        let refused = match &state.phase {
            Phase::Open => {
                state.desk.run(ask).err().map(|ask| (ask, "too many commands wait already".to_owned()))
            }
            Phase::Closed(reason) => Some((ask, reason.clone())),
            Phase::Ending => Some((ask, "it is being loaded anew; try again".to_owned())),
        };
        drop(state);
        match refused {
            Some((ask, reason)) => Err(Ran { line: ask.line, outcome: Err(reason), lines: Vec::new() }),
            None => {
                self.wake();
                Ok(())
            }
        }
    }

    /// What the plugin offers for what is typed, as far as it is known.
    pub(super) fn complete(&self, command: &str, typed: &str) -> Vec<CompletionLine> {
        let mut state = self.lock();
        if state.phase != Phase::Open {
            return Vec::new();
        }
        let (offers, is_new) = state.desk.complete(command, typed);
        drop(state);
        if is_new {
            self.wake();
        }
        offers
    }

    /// Takes over what was shown by the version before.
    pub(super) fn inherit(&self, before: &Instance) {
        let Ok(before) = before.state.try_lock() else { return };
        self.lock().desk.inherit(&before.desk);
    }

    /// Ends the driver and with it the process; says what came of the commands that waited.
    pub(super) fn end(&self, reason: &str) -> Vec<Ran> {
        let mut state = self.lock();
        state.phase = Phase::Ending;
        let ran = state.desk.close(reason, Instant::now());
        drop(state);
        self.wake();
        ran
    }

    /// When something is due at the latest, whether or not anything comes.
    pub(super) fn due(&self, runs: bool) -> Option<Instant> {
        let state = self.lock();
        if !runs {
            return None;
        }
        state.desk.deadline().into_iter().chain(state.desk.stale_at()).min()
    }

    fn wake(&self) {
        // A pipe that is full wakes as well, and one whose reader is gone has nobody to wake.
        let _ = rustix::io::write(&self.wake, b"!");
    }
}
