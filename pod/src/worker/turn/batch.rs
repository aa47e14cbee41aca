//! The calls of one step: which may start now, and that each gets exactly one result.
//!
//! Owns the order: calls start in call order, adjacent readers side by side up to a bound, each writer alone. Results
//! may come in any order; the request to a model has them in call order. It refuses to know what a call does and
//! whether its arguments are good (`verdict.rs`).

use super::RunCall;
use crate::provider::Message;
use crate::tools::Access;
use crate::worker::call::{CallId, CallResult};

#[derive(Debug, Default)]
pub(super) struct Batch {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: CallId,
    access: Access,
    state: EntryState,
}

#[derive(Debug)]
enum EntryState {
    Waiting(RunCall),
    Running,
    Settled(Message),
}

impl Batch {
    /// Adds a call that shall run.
    pub(super) fn add(&mut self, call: RunCall, access: Access) {
        self.entries.push(Entry { id: call.id.clone(), access, state: EntryState::Waiting(call) });
    }

    /// Adds a call that has its result already.
    pub(super) fn add_settled(&mut self, result: &CallResult) {
        let state = EntryState::Settled(result.message());
        self.entries.push(Entry { id: result.id.clone(), access: Access::Reads, state });
    }

    /// Marks what may start now as running and hands it out.
    pub(super) fn start_due(&mut self, parallel: usize) -> Vec<RunCall> {
        let mut due = Vec::new();
        let mut running = 0;
        for entry in &mut self.entries {
            let writes = entry.access == Access::Writes;
            match &entry.state {
                EntryState::Settled(_) => continue,
                EntryState::Running => running += 1,
                EntryState::Waiting(_) if running >= if writes { 1 } else { parallel.max(1) } => break,
                EntryState::Waiting(call) => {
                    due.push(call.clone());
                    entry.state = EntryState::Running;
                    running += 1;
                }
            }
            if writes {
                break;
            }
        }
        due
    }

    /// Takes the result of a running call. False when that call does not wait for one.
    pub(super) fn settle(&mut self, result: &CallResult) -> bool {
        let running =
            |entry: &&mut Entry| entry.id == result.id && matches!(entry.state, EntryState::Running);
        match self.entries.iter_mut().find(running) {
            Some(entry) => {
                entry.state = EntryState::Settled(result.message());
                true
            }
            None => false,
        }
    }

    /// Settles as cancelled what waits, and with `running` what runs too; the results in call order.
    pub(super) fn cancel(&mut self, running: bool) -> Vec<CallResult> {
        let mut results = Vec::new();
        for entry in &mut self.entries {
            let ends = match entry.state {
                EntryState::Waiting(_) => true,
                EntryState::Running => running,
                EntryState::Settled(_) => false,
            };
            if ends {
                let result = CallResult::cancelled(entry.id.clone());
                entry.state = EntryState::Settled(result.message());
                results.push(result);
            }
        }
        results
    }

    pub(super) fn is_settled(&self) -> bool {
        self.entries.iter().all(|entry| matches!(entry.state, EntryState::Settled(_)))
    }

    /// The results in call order. Called when all are settled.
    pub(super) fn into_messages(self) -> impl Iterator<Item = Message> {
        self.entries.into_iter().filter_map(|entry| match entry.state {
            EntryState::Settled(message) => Some(message),
            EntryState::Waiting(_) | EntryState::Running => None,
        })
    }
}
