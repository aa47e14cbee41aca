//! What is on its way to a plugin: requests by id, when each was sent, and when an answer is late.
//!
//! A plugin that works through its requests one by one is not late because others stood before: the time counts from its last
//! answer. A request that was taken back may be answered nevertheless. Refuses to know what is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::cards::{Place, Stamp};
use super::{HARD, RunAsk};

/// A stale question is taken back after this time: a plugin that is quick enough is never interrupted.
const SOFT: Duration = Duration::from_millis(300);

/// What a request is about.
#[derive(Debug)]
pub(super) enum Subject {
    /// The card of a call as it stood then.
    Card(Place, Stamp),
    /// What may stand behind a command.
    Complete(String, String),
    /// A command.
    Run(RunAsk),
}

/// Requests without an answer.
#[derive(Debug, Default)]
pub(super) struct Asked {
    last_id: u64,
    open: BTreeMap<u64, (Subject, Instant)>,
    /// Taken back, with the time at which they were sent.
    cancelled: BTreeMap<u64, Instant>,
    /// Taken back and not waited for any more.
    forgotten: BTreeSet<u64>,
    heard: Option<Instant>,
}

impl Asked {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Notes a request; its id.
    pub(super) fn add(&mut self, subject: Subject, now: Instant) -> u64 {
        self.last_id += 1;
        self.open.insert(self.last_id, (subject, now));
        self.last_id
    }

    pub(super) fn is_under_way(&self, place: &Place) -> bool {
        self.open.values().any(|(subject, _)| matches!(subject, Subject::Card(of, _) if of == place))
    }

    /// What was answered; `None` for what is not wanted any more.
    pub(super) fn answered(&mut self, id: u64, now: Instant) -> Result<Option<Subject>, String> {
        if id == 0 || id > self.last_id {
            return Err(format!("answered request {id}, which was never asked"));
        }
        let subject = match self.open.remove(&id) {
            Some((subject, _)) => Some(subject),
            None if self.cancelled.remove(&id).is_some() || self.forgotten.remove(&id) => None,
            None => return Err(format!("answered request {id} twice")),
        };
        self.heard = Some(now);
        // It is alive, and need not answer these.
        self.forgotten.extend(std::mem::take(&mut self.cancelled).into_keys());
        Ok(subject)
    }

    pub(super) fn put_back(&mut self, id: u64, subject: Subject, now: Instant) {
        self.open.insert(id, (subject, now));
    }

    /// Takes back a question about a call of which a newer one waits.
    pub(super) fn stale(&mut self, now: Instant, has_newer: impl Fn(&Place) -> bool) -> Option<u64> {
        let is_stale = |(subject, sent): &(Subject, Instant)| {
            now.saturating_duration_since(*sent) >= SOFT
                && matches!(subject, Subject::Card(place, _) if has_newer(place))
        };
        let id = self.open.iter().find(|(_, asked)| is_stale(asked)).map(|(id, _)| *id)?;
        let (_, sent) = self.open.remove(&id)?;
        self.cancelled.insert(id, sent);
        Some(id)
    }

    pub(super) fn stale_at(&self, has_newer: impl Fn(&Place) -> bool) -> Option<Instant> {
        let stale = self.open.values().filter_map(|(subject, sent)| match subject {
            Subject::Card(place, _) if has_newer(place) => Some(*sent + SOFT),
            _ => None,
        });
        stale.min()
    }

    /// When the first answer will be late.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let sent = self.open.values().map(|(_, sent)| sent).chain(self.cancelled.values()).min()?;
        Some(self.heard.map_or(*sent, |heard| heard.max(*sent)) + HARD)
    }

    /// Forgets all of it: the child is gone. What had all of its time comes with `true`.
    pub(super) fn clear(&mut self, now: Instant) -> Vec<(Subject, bool)> {
        self.cancelled.clear();
        self.forgotten.clear();
        let heard = self.heard.take();
        let is_late = |sent: Instant| now >= heard.map_or(sent, |heard| heard.max(sent)) + HARD;
        let open = std::mem::take(&mut self.open).into_values();
        open.map(|(subject, sent)| (subject, is_late(sent))).collect()
    }
}
