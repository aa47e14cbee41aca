//! What is known of the calls that a plugin draws: for each call and density the last card, which state of the call it is of,
//! and what is wanted next.
//!
//! Two answers are kept of a place, since a call may be drawn in two forms at once (whole, and without what is below it). What
//! was asked for longest ago is forgotten first. Refuses to know ids and times.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use carpel_slots::wire::WireCall;
use carpel_slots::{Below, CallKey, Card, CardCx, Density, ToolCall};

use crate::plugins::bounds;

/// So many places are kept.
const MOST: usize = 2_000;

/// Cards of about so many bytes are kept. What is on the screen is far less; the rest is asked for again.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// So many answers of a place.
const FORMS: usize = 2;

/// A question that was under way when the child ended so many times is not asked again.
const TRIES: u32 = 2;

/// A call at a density.
pub(super) type Place = (CallKey, Density);

/// What a card depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    own: u64,
    below: Below,
}

impl Stamp {
    pub(super) fn of(call: &ToolCall) -> Stamp {
        Stamp { own: call.own_revision, below: call.sub_calls.below() }
    }
}

/// What a plugin has said of a call.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::plugins) enum Told {
    /// Nothing yet.
    Nothing,
    /// Its card.
    Card(Arc<Card>),
    /// There is none, and why.
    Failed(String),
}

/// A question.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) stamp: Stamp,
    pub(super) view: String,
    pub(super) call: WireCall,
    pub(super) cx: CardCx,
}

#[derive(Debug, Default)]
struct Entry {
    /// The latest last, each with about how large it is.
    told: VecDeque<(Stamp, Told, usize)>,
    /// What is shown for a state that has no answer of its own.
    last: Option<Told>,
    /// Waits to be sent.
    queued: Option<Wanted>,
    /// Has been sent.
    sent: Option<Wanted>,
    tries: u32,
    /// The state for which something else was given out last.
    stood_in: Option<Stamp>,
}

/// All places.
#[derive(Debug, Default)]
pub(super) struct Cards {
    entries: HashMap<Place, Entry>,
    /// In the order in which they came.
    order: VecDeque<Place>,
    /// What waits to be sent, the first to be sent first.
    queue: VecDeque<Place>,
    /// About how large all cards are together.
    bytes: usize,
}

impl Cards {
    /// What is to be shown, and whether it is of the call as it stands.
    pub(super) fn told(&self, place: &Place, stamp: Stamp) -> (Told, bool) {
        let Some(entry) = self.entries.get(place) else { return (Told::Nothing, false) };
        match entry.told.iter().find(|(of, ..)| *of == stamp) {
            Some((_, told, _)) => (told.clone(), true),
            None => (entry.last.clone().unwrap_or(Told::Nothing), false),
        }
    }

    /// True while an answer for that state is on its way.
    pub(super) fn is_wanted(&self, place: &Place, stamp: Stamp) -> bool {
        let Some(entry) = self.entries.get(place) else { return false };
        entry.queued.iter().chain(&entry.sent).any(|wanted| wanted.stamp == stamp)
    }

    /// Notes what was given out for that state: its own answer, or what stands in for it.
    pub(super) fn shown(&mut self, place: &Place, stamp: Stamp, is_own: bool) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        match is_own {
            true => drop(entry.stood_in.take_if(|stood_in| *stood_in == stamp)),
            false => entry.stood_in = Some(stamp),
        }
    }

    /// True while whoever drew that state should draw it again: its answer is on its way, or came after it was drawn.
    pub(super) fn is_awaited(&self, place: &Place, stamp: Stamp) -> bool {
        let stood_in = self.entries.get(place).and_then(|entry| entry.stood_in);
        stood_in == Some(stamp) || self.is_wanted(place, stamp)
    }

    pub(super) fn has_any_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    pub(super) fn has_queued(&self, place: &Place) -> bool {
        self.entries.get(place).is_some_and(|entry| entry.queued.is_some())
    }

    /// Puts a question into the queue, in place of an older one about the same call.
    pub(super) fn want(&mut self, place: Place, wanted: Wanted) {
        if !self.entries.contains_key(&place) {
            self.order.push_back(place.clone());
            self.forget();
        }
        let entry = self.entries.entry(place.clone()).or_default();
        if entry.queued.replace(wanted).is_none() {
            self.queue.push_back(place);
        }
    }

    fn forget(&mut self) {
        while self.order.len() > MOST || self.bytes > MOST_BYTES && self.order.len() > 1 {
            let Some(oldest) = self.order.pop_front() else { return };
            let gone = self.entries.remove(&oldest);
            self.bytes -= gone.as_ref().map_or(0, Entry::bytes);
            self.queue.retain(|place| *place != oldest);
        }
    }

    /// Keeps an answer at its place.
    fn keep(&mut self, place: &Place, stamp: Stamp, told: Told) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        let before = entry.bytes();
        entry.keep(stamp, told);
        self.bytes = self.bytes - before + entry.bytes();
        self.forget();
    }

    /// The next question whose place is free.
    pub(super) fn next(&mut self, is_free: impl Fn(&Place) -> bool) -> Option<(Place, Wanted)> {
        let at = self.queue.iter().position(is_free)?;
        let place = self.queue.remove(at)?;
        let entry = self.entries.get_mut(&place)?;
        let wanted = entry.queued.take()?;
        entry.sent = Some(wanted.clone());
        Some((place, wanted))
    }

    /// Keeps an answer.
    pub(super) fn answer(&mut self, place: &Place, stamp: Stamp, told: Told) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        entry.sent.take_if(|sent| sent.stamp == stamp);
        entry.tries = 0;
        self.keep(place, stamp, told);
    }

    /// The child that was asked is gone. One that had all of its time would not use more.
    pub(super) fn interrupted(&mut self, place: &Place, stamp: Stamp, reason: &str, is_late: bool) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        let Some(sent) = entry.sent.take_if(|sent| sent.stamp == stamp) else { return };
        entry.tries += 1;
        entry.last = Some(Told::Failed(reason.to_owned()));
        if entry.tries >= TRIES || is_late {
            self.keep(place, stamp, Told::Failed(reason.to_owned()));
        } else if entry.queued.is_none() {
            entry.queued = Some(sent);
            self.queue.push_front(place.clone());
        }
    }

    /// Nothing will be answered any more.
    pub(super) fn close(&mut self, reason: &str) {
        self.queue.clear();
        for entry in self.entries.values_mut() {
            for wanted in entry.queued.take().into_iter().chain(entry.sent.take()) {
                entry.keep(wanted.stamp, Told::Failed(reason.to_owned()));
            }
        }
        self.bytes = self.entries.values().map(Entry::bytes).sum();
    }

    /// Takes over what was shown last.
    pub(super) fn inherit(&mut self, before: &Cards) {
        for place in &before.order {
            let last = before.entries.get(place).and_then(|entry| entry.last.clone());
            if let Some(last @ Told::Card(_)) = last {
                self.order.push_back(place.clone());
                self.entries.insert(place.clone(), Entry { last: Some(last), ..Entry::default() });
            }
        }
    }
}

impl Entry {
    fn keep(&mut self, stamp: Stamp, told: Told) {
        let bytes = match &told {
            Told::Card(card) => bounds::bytes(card),
            Told::Nothing | Told::Failed(_) => 0,
        };
        self.told.retain(|(of, ..)| *of != stamp);
        self.told.push_back((stamp, told.clone(), bytes));
        if self.told.len() > FORMS {
            self.told.pop_front();
        }
        self.last = Some(told);
    }

    fn bytes(&self) -> usize {
        self.told.iter().map(|(_, _, bytes)| bytes).sum()
    }
}
