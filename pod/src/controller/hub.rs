//! The one place where the session, the open turn and the clients meet, under one lock.
//!
//! Owns the order of what clients hear: a record is appended, then its event is sent, and an attach is cut between two
//! such moments, so that nobody misses an event or gets one twice. It holds the lock for short, synchronous work only.
//! It refuses to know workers and tools; `../controller.rs` calls it. Read next: `open_turn.rs`, `feed.rs`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use carpel_protocol::event::{
    ApprovalResolved, Clients, CompactStart, Hello, Notice, Rejected, State, Usage,
};
use carpel_protocol::word::PodState;
use carpel_protocol::{Event, EventLine, MethodLine, PROTOCOL};
use tokio::sync::watch;

use super::approvals::Approvals;
use super::chunks::history;
use super::compact::Compacting;
use super::feed::{Feed, FeedSender, Line, feed};
use super::models::Catalogue;
use super::open_turn::OpenTurn;
use super::queue::Queue;
use super::trouble::Trouble;
use crate::session::Session;
use crate::state::Refusal;
use crate::worker::TurnControl;

/// Unix milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What a pod says of itself in its first line.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    pub pod: String,
    pub cwd: String,
    pub provider: String,
    pub model: String,
}

/// One attached client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientId(u64);

/// How many clients there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attached {
    pub now: usize,
    /// Ever since the pod began, those that have left too.
    pub ever: u64,
}

/// How a client attaches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attach {
    /// Its name, shown to others.
    pub name: String,
    /// The last record that it has.
    pub since: Option<u64>,
    /// The title that the pod's `hello` told it.
    pub known_title: String,
    /// Bytes that may wait for it.
    pub limit: Option<usize>,
}

pub struct Hub {
    inner: Mutex<Inner>,
    /// How many clients there are.
    pub attached: watch::Sender<Attached>,
    /// Whether a turn runs, or anything else that does not need a client.
    pub busy: watch::Sender<bool>,
    /// Whether the pod has said `bye`.
    pub gone: watch::Sender<bool>,
    clock: Clock,
    identity: Identity,
}

/// What the lock guards. Methods that send are here, so that they can be used within one hold of the lock.
pub struct Inner {
    pub session: Session,
    pub state: PodState,
    /// When it last ceased to be idle, while it is not.
    works_since: Option<i64>,
    pub open: OpenTurn,
    pub approvals: Approvals,
    pub queue: Queue,
    pub compaction: Compacting,
    pub control: Option<TurnControl>,
    pub turns: u64,
    /// Who answers: provider and model.
    pub answers: (String, String),
    /// What of the window is taken, as last told.
    pub usage: Option<Usage>,
    /// The size of the window, as last told.
    pub told_limit: Option<u64>,
    pub catalogue: Catalogue,
    /// While the log cannot be written.
    pub trouble: Option<Trouble>,
    /// What every client that comes new is told: who answers, what was odd about the session when it was restored.
    pub notices: Vec<Notice>,
    /// Why the pod leaves, once it does.
    pub leaving: Option<String>,
    pub(super) clients: Vec<Client>,
    /// How many there are, as last told.
    told_clients: u64,
    next_client: u64,
}

pub(super) struct Client {
    id: ClientId,
    name: String,
    feed: FeedSender,
}

impl Hub {
    pub fn new(session: Session, approvals: Approvals, identity: Identity, clock: Clock) -> Self {
        let (items, number) = session.left_waiting();
        let inner = Inner {
            queue: Queue::of(items, number),
            session,
            state: PodState::Idle,
            works_since: None,
            open: OpenTurn::default(),
            approvals,
            compaction: Compacting::default(),
            control: None,
            turns: 0,
            answers: (identity.provider.clone(), identity.model.clone()),
            usage: None,
            told_limit: None,
            catalogue: Catalogue::default(),
            trouble: None,
            notices: Vec::new(),
            leaving: None,
            clients: Vec::new(),
            told_clients: 0,
            next_client: 0,
        };
        let (busy, gone) = (watch::Sender::new(false), watch::Sender::new(false));
        let attached = watch::Sender::new(Attached::default());
        Self { inner: Mutex::new(inner), attached, busy, gone, clock, identity }
    }

    /// Has every client that comes new told of these.
    #[must_use]
    pub fn telling(self, notices: Vec<Notice>) -> Self {
        self.lock().notices = notices;
        self
    }

    /// Takes the lock. A panic elsewhere while it was held leaves data that is still whole: each change is one step.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The workspace folder.
    pub fn cwd(&self) -> &str {
        &self.identity.cwd
    }

    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// The first line of the pod.
    pub fn hello(&self) -> Hello {
        let inner = self.lock();
        Hello {
            protocol: PROTOCOL,
            features: ["approvals", "queue", "edit", "pause", "compaction"].map(str::to_owned).to_vec(),
            pod: self.identity.pod.clone(),
            session: inner.session.id().to_owned(),
            title: inner.session.title().to_owned(),
            cwd: self.identity.cwd.clone(),
            provider: inner.answers.0.clone(),
            model: inner.answers.1.clone(),
            state: inner.state.clone(),
            waiting: inner.approvals.events().count() as u64,
        }
    }

    /// The first line of the pod with the time, by which a client dates what the snapshot says.
    pub fn hello_line(&self, hello: Hello) -> Arc<Line> {
        let mut line = EventLine::from(Event::Hello(hello));
        line.at = Some(self.now());
        Line::new(line)
    }

    /// Adds a client. It gets the records that it lacks, then what is unsettled, then all that follows.
    pub fn attach(&self, attach: Attach) -> (ClientId, Feed) {
        let mut inner = self.lock();
        let mut first = history(inner.session.after(attach.since.unwrap_or(0)));
        if attach.since.is_none() {
            first.extend(inner.notices.iter().cloned().map(Event::Notice).map(Line::new));
        }
        if let Some(trouble) = &inner.trouble {
            first.extend(trouble.lines().map(Line::new));
            if !trouble.is_told() {
                first.push(Line::new(trouble.notice()));
            }
        }
        if inner.session.title() != attach.known_title {
            first.push(Line::new(inner.session_event()));
        }
        first.extend(inner.usage.clone().map(Event::Usage).map(Line::new));
        let compacts = inner.compaction.told.clone().map(|trigger| CompactStart { trigger });
        first.extend(compacts.map(Event::CompactStart).map(Line::new));
        first.extend(inner.open.events().into_iter().map(Line::new));
        first.extend(inner.approvals.events().map(Line::new));
        // One that comes back may know of items that have gone.
        if !inner.queue.is_empty() || attach.since.is_some() {
            first.push(Line::new(inner.queue.event()));
        }
        first.push(Line::new(inner.state_line()));
        let (sender, feed) = feed(first, attach.limit);
        inner.next_client += 1;
        let id = ClientId(inner.next_client);
        // A pod that has said `bye` takes nobody any more: the feed ends behind its first lines.
        if !*self.gone.borrow() {
            inner.clients.push(Client { id, name: attach.name, feed: sender });
        }
        self.count_clients(&mut inner);
        (id, feed)
    }

    pub fn detach(&self, id: ClientId) {
        let mut inner = self.lock();
        inner.clients.retain(|client| client.id != id);
        self.count_clients(&mut inner);
    }

    /// Tells how many clients there are, where that is another number than the last one that was told.
    fn count_clients(&self, inner: &mut Inner) {
        self.attached.send_replace(inner.attached());
        let attached = inner.clients.len() as u64;
        // One alone knows it, unless it was told of others.
        if attached != inner.told_clients.max(1) && attached > 0 {
            inner.told_clients = attached;
            self.tell(inner, Event::Clients(Clients { attached }));
        }
    }

    /// Sends an event that no record stands behind, with the time.
    pub fn tell(&self, inner: &mut Inner, event: Event) {
        let mut line = EventLine::from(event);
        line.at = Some(self.now());
        self.send(inner, line);
    }

    /// Sends to every client. Who is gone or does not read is dropped.
    pub fn send(&self, inner: &mut Inner, line: impl Into<EventLine>) {
        let line = Line::new(line);
        let before = inner.clients.len();
        inner.clients.retain_mut(|client| {
            let kept = client.feed.send(&line);
            if !kept {
                tracing::warn!(client = client.name, "a client that did not read was dropped");
            }
            kept
        });
        if inner.clients.len() != before {
            // Ends, since each time there are fewer.
            self.count_clients(inner);
        }
    }

    /// Tells how questions were answered.
    pub fn tell_resolved(&self, inner: &mut Inner, resolved: Vec<ApprovalResolved>) {
        for resolved in resolved {
            self.tell(inner, Event::ApprovalResolved(resolved));
        }
    }

    pub fn set_state(&self, inner: &mut Inner, state: PodState) {
        if inner.state != state {
            let worked_since = inner.works_since.take().or_else(|| Some(self.now()));
            inner.works_since = worked_since.filter(|_| state != PodState::Idle);
            inner.state = state.clone();
            self.busy.send_replace(state != PodState::Idle);
            self.tell(inner, Event::State(State { state }));
        }
    }

    /// Refuses a method, to the client that sent it alone.
    pub fn reject(&self, inner: &mut Inner, client: ClientId, line: &MethodLine, refusal: Refusal) {
        let rejected = Rejected {
            method: line.method.tag().to_owned(),
            id: line.id.clone(),
            code: refusal.code.to_owned(),
            message: refusal.message,
        };
        inner.answer(client, Event::Rejected(rejected));
    }
}

impl Inner {
    /// The state as it is told to who attaches: with the time since when the pod has been at work.
    fn state_line(&self) -> EventLine {
        let mut line = EventLine::from(Event::State(State { state: self.state.clone() }));
        line.at = self.works_since;
        line
    }

    pub(super) fn attached(&self) -> Attached {
        Attached { now: self.clients.len(), ever: self.next_client }
    }

    pub fn client_name(&self, id: ClientId) -> Option<String> {
        self.clients.iter().find(|client| client.id == id).map(|client| client.name.clone())
    }

    /// Sends to one client alone.
    pub fn answer(&mut self, id: ClientId, event: Event) {
        if let Some(client) = self.clients.iter_mut().find(|client| client.id == id) {
            // Whether it is gone shows with the next line to all.
            let _ = client.feed.send(&Line::new(event));
        }
    }

    pub fn session_event(&self) -> Event {
        let (id, title) = (self.session.id().to_owned(), self.session.title().to_owned());
        let segment = self.session.segment();
        Event::Session(carpel_protocol::event::Session { id, title, segment })
    }
}
