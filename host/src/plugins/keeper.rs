//! The thread that decides which plugins there are: it starts what is found, seats what says hello, replaces what changed
//! and takes out what is gone.
//!
//! It sleeps until a driver reports, a file changes or the chat asks. A new version runs beside the old one until it has
//! said hello; one that cannot leaves the old one in place, and that is said once. Refuses to know cards and the chat's
//! registry: what is seated is published as a [`Snapshot`]. Read `keeper/place.rs` for what is kept of one plugin.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use carpel_slots::wire::Hello;
use tokio::sync::mpsc::UnboundedSender;

use self::place::{Place, Version};
pub use self::snapshot::PluginRow;
pub(super) use self::snapshot::{Seated, Snapshot};
use super::{PluginEvent, STATE};
use crate::plugins::child::Launch;
use crate::plugins::driver::{self, Begin, Report};
use crate::plugins::found::{Found, Places};
use crate::plugins::known::Known;
use crate::plugins::watch::Watch;

mod place;
mod snapshot;

/// Files are looked at when nothing has changed for so long.
const QUIET: Duration = Duration::from_millis(60);

/// They are looked at so long after a change, whatever changes meanwhile.
const PATIENCE: Duration = Duration::from_millis(180);

/// What is gone, or is no plugin any more, is believed after so long: it may be being written.
const DOUBT: Duration = Duration::from_millis(400);

/// What the keeper is told.
pub(super) enum Order {
    /// A driver reports, of that plugin's version.
    Report(String, u64, Report),
    /// Files have changed.
    Files,
    /// Start that plugin anew, or all.
    Reload(String),
    /// End everything.
    Stop,
}

/// What the keeper is started with.
pub(super) struct Setting {
    pub(super) places: Places,
    /// The file of this program.
    pub(super) carpel: PathBuf,
    /// Where logs and what is known of plugins lie.
    pub(super) state: Option<PathBuf>,
    /// Files are watched.
    pub(super) watches: bool,
}

/// The thread's own.
pub(super) struct Keeper {
    setting: Setting,
    known: Known,
    kept: Vec<Place>,
    versions: u64,
    watch: Option<Watch>,
    orders: Receiver<Order>,
    order: Sender<Order>,
    chat: UnboundedSender<PluginEvent>,
    /// True while a [`PluginEvent::Seen`] has been told and not taken.
    seen: Arc<AtomicBool>,
    snapshot: Arc<Mutex<Snapshot>>,
    /// When files changed first, and when they are looked at.
    look_at: Option<(Instant, Instant)>,
    is_settled: bool,
    has_published: bool,
}

impl Keeper {
    pub(super) fn new(
        setting: Setting,
        (order, orders): (Sender<Order>, Receiver<Order>),
        chat: UnboundedSender<PluginEvent>,
        seen: Arc<AtomicBool>,
        snapshot: Arc<Mutex<Snapshot>>,
    ) -> Keeper {
        let known = Known::read(setting.state.as_ref().map(|state| state.join(STATE).join("known.json")));
        let tell = order.clone();
        // Without it plugins are loaded anew by `:plugins reload` only.
        let watch = setting.watches.then(|| Watch::start(move || drop(tell.send(Order::Files)))).flatten();
        Keeper {
            setting,
            known,
            kept: Vec::new(),
            versions: 0,
            watch,
            orders,
            order,
            chat,
            seen,
            snapshot,
            look_at: None,
            is_settled: false,
            has_published: false,
        }
    }

    pub(super) fn run(mut self) {
        self.look(Instant::now());
        self.publish();
        while let Some(order) = self.next() {
            let now = Instant::now();
            match order {
                None => {
                    self.look_at = None;
                    self.look(now);
                }
                Some(Order::Files) => {
                    let first = self.look_at.map_or(now, |(first, _)| first);
                    self.look_at = Some((first, (now + QUIET).min(first + PATIENCE)));
                    continue;
                }
                Some(Order::Report(source, version, report)) => self.report(&source, version, report),
                Some(Order::Reload(name)) => self.reload(&name, now),
                Some(Order::Stop) => break,
            }
            self.publish();
        }
        self.stop();
    }

    /// What is to be done next; `Some(None)` when files should be looked at, `None` at the end.
    fn next(&self) -> Option<Option<Order>> {
        let doubts = self.kept.iter().filter_map(|place| place.doubted.map(|since| since + DOUBT));
        let Some(due) = self.look_at.map(|(_, at)| at).into_iter().chain(doubts).min() else {
            return self.orders.recv().ok().map(Some);
        };
        match self.orders.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(order) => Some(Some(order)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Looks at what is there and acts on what is another than before.
    fn look(&mut self, now: Instant) {
        let found = self.setting.places.look();
        if let Some(watch) = &mut self.watch {
            watch.these(&self.setting.places, &found);
        }
        let order: Vec<String> = found.iter().map(|found| found.source.clone()).collect();
        for found in found {
            match self.kept.iter().position(|place| place.found.source == found.source) {
                None => {
                    self.kept.push(Place::new(found));
                    self.begin(self.kept.len() - 1);
                }
                Some(at) => self.changed(at, found, now),
            }
        }
        let is_there = |place: &Place| order.contains(&place.found.source);
        for place in self.kept.iter_mut().filter(|place| !is_there(place)) {
            place.doubted.get_or_insert(now);
        }
        let is_gone =
            |place: &mut Place| !is_there(place) && place.doubted.is_some_and(|since| now >= since + DOUBT);
        let gone: Vec<Place> = self.kept.extract_if(.., is_gone).collect();
        for place in gone {
            self.end(place.current, "it is gone");
            self.end(place.next, "it is gone");
        }
        // The order is that in which plugins are looked for.
        self.kept.sort_by_key(|place| order.iter().position(|source| *source == place.found.source));
    }

    /// What was found at a place that was known.
    fn changed(&mut self, at: usize, found: Found, now: Instant) {
        let place = &mut self.kept[at];
        let is_same = place.found.stamp == found.stamp && place.found.runs == found.runs;
        if is_same {
            place.doubted = None;
            return;
        }
        if found.runs.is_err() && place.current.is_some() {
            // It may be half written.
            let since = *place.doubted.get_or_insert(now);
            if now < since + DOUBT {
                return;
            }
        }
        place.doubted = None;
        place.found = found;
        self.begin(at);
    }

    fn reload(&mut self, name: &str, now: Instant) {
        self.look(now);
        for at in 0..self.kept.len() {
            if name.is_empty() || self.kept[at].name() == name {
                self.begin(at);
            }
        }
    }

    /// Starts what is at a place, beside what runs there.
    fn begin(&mut self, at: usize) {
        let older = self.kept[at].next.take();
        self.end(older, "it is being loaded anew");
        let place = &self.kept[at];
        let launch = match place.found.launch(&self.setting.carpel) {
            Ok(launch) => Launch {
                log: self.log(at),
                trusted: self.setting.places.fingerprints(&place.found),
                ..launch
            },
            Err(reason) => return self.failed(at, reason),
        };
        let source = place.found.source.clone();
        // What is known saves the start; a version that replaces another one has to show that it runs.
        let known = match &place.current {
            None => self.known.hello(&source, &place.found.stamp),
            Some(_) => None,
        };
        self.versions += 1;
        let number = self.versions;
        let tell = self.teller(source, number);
        let begin = if known.is_some() { Begin::OnUse } else { Begin::Now };
        let stamp = place.found.stamp.clone();
        match driver::start(launch, begin, tell) {
            Ok((instance, thread)) => {
                self.kept[at].next = Some(Version { number, instance, thread, hello: None, stamp });
                if let Some(hello) = known {
                    self.greeted(at, hello);
                }
            }
            Err(error) => self.failed(at, format!("could not be started: {error}")),
        }
    }

    /// Takes a driver's reports: what the chat waits for goes there at once.
    fn teller(&self, source: String, number: u64) -> driver::Tell {
        let (chat, seen, order) = (self.chat.clone(), Arc::clone(&self.seen), self.order.clone());
        Box::new(move |report| match report {
            Report::Seen => {
                if !seen.swap(true, Ordering::AcqRel) {
                    // A chat that has ended sees nothing.
                    let _ = chat.send(PluginEvent::Seen);
                }
            }
            Report::Ran(ran) => drop(chat.send(PluginEvent::Ran(ran))),
            report => drop(order.send(Order::Report(source.clone(), number, report))),
        })
    }

    fn report(&mut self, source: &str, number: u64, report: Report) {
        let Some(at) = self.kept.iter().position(|place| place.found.source == source) else { return };
        let place = &mut self.kept[at];
        let is = |version: &Option<Version>| version.as_ref().is_some_and(|version| version.number == number);
        let is_next = is(&place.next);
        if !is_next && !is(&place.current) {
            return;
        }
        match report {
            Report::Hello(Ok(hello)) => self.greeted(at, hello),
            Report::Hello(Err(reason)) => {
                let ended = place.next.take();
                self.end(ended, &reason);
                self.failed(at, reason);
            }
            Report::Fault(reason) => place.trouble = Some(format!("failed once: {reason}")),
            Report::Quarantine(reason) => {
                let ended = place.current.take();
                let name = place.name().to_owned();
                place.trouble =
                    Some(format!("is left alone after three faults in a minute; the last: {reason}"));
                self.end(ended, &reason);
                self.say(format!(
                    "plugin `{name}` is left alone after three faults in a minute (it {reason}); `:plugins reload {name}` \
                     tries it again"
                ));
            }
            Report::Seen | Report::Ran(_) => {}
        }
    }

    /// A version said hello: it takes the place of the one before.
    fn greeted(&mut self, at: usize, hello: Hello) {
        let holder = self.kept.iter().enumerate().find(|(other, place)| {
            *other != at && place.hello().is_some_and(|other| other.name == hello.name)
        });
        if let Some((_, holder)) = holder {
            let reason = format!(
                "calls itself `{}` as {} does; take one of the two out",
                hello.name, holder.found.source
            );
            let ended = self.kept[at].next.take().or_else(|| self.kept[at].current.take());
            self.end(ended, &reason);
            return self.failed(at, reason);
        }
        let place = &mut self.kept[at];
        place.called = Some(hello.name.clone());
        match place.next.take() {
            Some(mut version) => {
                if let Some(before) = &place.current {
                    version.instance.inherit(&before.instance);
                }
                self.known.keep(&place.found.source, &version.stamp, &hello);
                version.hello = Some(hello);
                place.trouble = None;
                place.said = None;
                let before = place.current.replace(version);
                self.end(before, "it was loaded anew meanwhile; try again");
            }
            None => {
                let Some(version) = &mut place.current else { return };
                self.known.keep(&place.found.source, &version.stamp, &hello);
                version.hello = Some(hello);
            }
        }
    }

    /// What is at that place cannot be started.
    fn failed(&mut self, at: usize, reason: String) {
        let place = &mut self.kept[at];
        let goes_on = place.current.is_some();
        let name = place.name().to_owned();
        place.trouble = Some(match goes_on {
            true => format!("the version before goes on, since the new one {reason}"),
            false => reason.clone(),
        });
        if self.is_settled && place.said.as_deref() != Some(reason.as_str()) {
            place.said = Some(reason.clone());
            self.say(match goes_on {
                true => format!("plugin `{name}`: the version before goes on, since the new one {reason}"),
                false => format!("plugin `{name}` is not used: it {reason}"),
            });
        }
    }

    fn end(&self, version: Option<Version>, reason: &str) {
        if let Some(version) = version {
            for ran in version.instance.end(reason) {
                drop(self.chat.send(PluginEvent::Ran(ran)));
            }
        }
    }

    /// Ends all of them, and waits until their processes are gone.
    fn stop(&mut self) {
        let versions = self.kept.drain(..).flat_map(|place| [place.current, place.next]).flatten();
        let versions: Vec<Version> = versions.collect();
        for version in &versions {
            version.instance.end("the chat ends");
        }
        for version in versions {
            // One that panicked has ended as well.
            let _ = version.thread.join();
        }
    }

    fn say(&self, text: String) {
        drop(self.chat.send(PluginEvent::Said(text)));
    }

    fn log(&self, at: usize) -> Option<PathBuf> {
        place::log(&self.kept, at, self.setting.state.as_ref()?)
    }

    /// Tells the chat what is seated now.
    fn publish(&mut self) {
        let rows = (0..self.kept.len()).map(|at| self.kept[at].row(self.log(at))).collect();
        let seated = self.kept.iter().filter_map(Place::seated).collect();
        let settles = !self.is_settled && self.kept.iter().all(|place| place.next.is_none());
        self.is_settled |= settles;
        let snapshot = Snapshot { seated, rows, is_settled: self.is_settled };
        let shared = Arc::clone(&self.snapshot);
        let mut told = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !std::mem::replace(&mut self.has_published, true);
        if is_first || !told.is_like(&snapshot) {
            *told = snapshot;
            drop(self.chat.send(PluginEvent::Changed));
        }
        drop(told);
        if settles {
            place::refused(&mut self.kept).into_iter().for_each(|sentence| self.say(sentence));
        }
    }
}
