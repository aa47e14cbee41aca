//! What is known of the session beside its items: its name, its model, what the pod does, what waits for a person.
//!
//! It follows events that carry their whole value, so seeing one twice changes nothing. It knows no calls: who waits
//! for an approval is told by the call's id on the wire.

use std::time::Duration;

use carpel_protocol::Event;
use carpel_protocol::event::{ApprovalRequest, Hello, Model, Models, QueueItem, Session as Named, Usage};
use carpel_protocol::word::PodState;
use carpel_slots::command::ModelList;

/// The state of the session, raw as the pod tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// False while the connection is lost and tried again.
    pub connected: bool,
    /// The pod's own name.
    pub pod: String,
    /// Identity of the session; empty until the pod tells it.
    pub id: String,
    /// Title; may be empty.
    pub title: String,
    /// The workspace folder.
    pub cwd: String,
    /// Provider name.
    pub provider: String,
    /// Model name.
    pub model: String,
    /// The models that a provider lists, as last told.
    pub listed: Option<Models>,
    /// Why the step that runs is asked again, until something of the new attempt has come.
    pub again: Option<String>,
    /// What the pod does now.
    pub state: PodState,
    /// Tokens of the session's own model, as last told.
    pub usage: Option<Usage>,
    /// Prompts that wait.
    pub queue: Vec<QueueItem>,
    /// How many clients are on the session, this one included.
    pub clients: u64,
    /// Questions that wait for a person, oldest first.
    pub approvals: Vec<ApprovalRequest>,
    /// What the pod's clock said when it said hello, in Unix milliseconds, and when that was heard here.
    pub clock: Option<(i64, Duration)>,
    /// Why the pod leaves, once it has said so.
    pub bye: Option<String>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            connected: true,
            pod: String::new(),
            id: String::new(),
            title: String::new(),
            cwd: String::new(),
            provider: String::new(),
            model: String::new(),
            listed: None,
            again: None,
            state: PodState::Idle,
            usage: None,
            queue: Vec::new(),
            clients: 1,
            approvals: Vec::new(),
            clock: None,
            bye: None,
        }
    }
}

impl Session {
    pub(super) fn hello(&mut self, hello: &Hello) {
        self.connected = true;
        self.bye = None;
        self.again = None;
        self.pod.clone_from(&hello.pod);
        self.id.clone_from(&hello.session);
        self.title.clone_from(&hello.title);
        self.cwd.clone_from(&hello.cwd);
        self.provider.clone_from(&hello.provider);
        self.model.clone_from(&hello.model);
        self.state = hello.state.clone();
        // What is still open is told again by the snapshot that follows.
        self.approvals.clear();
        self.queue.clear();
        self.clients = 1;
    }

    /// How long ago the pod says that something was, by its own clock alone: that of this machine may differ. Less than
    /// a second is the way of the line, and what lies ahead or years back is no time.
    pub(super) fn age(&self, at: Option<i64>, now: Duration) -> Option<Duration> {
        const MOST: Duration = Duration::from_secs(366 * 24 * 60 * 60);
        let (hello, heard) = self.clock?;
        let before_hello = Duration::from_millis(u64::try_from(hello.checked_sub(at?)?).ok()?);
        let age = before_hello + now.saturating_sub(heard);
        (Duration::from_secs(1)..MOST).contains(&age).then_some(age)
    }

    /// How long ago something was that the pod gives a time of; what is too young to tell was now.
    pub fn time_since(&self, at: Option<i64>, now: Duration) -> Option<Duration> {
        at.and(self.clock).map(|_| self.age(at, now).unwrap_or_default())
    }

    pub(super) fn named(&mut self, named: &Named) {
        self.id.clone_from(&named.id);
        self.title.clone_from(&named.title);
    }

    /// The step that was asked again goes on, or the turn does not.
    pub(super) fn heard(&mut self, event: &Event) {
        let is_new = matches!(
            event,
            Event::ThinkingStart(_)
                | Event::ThinkingDelta(_)
                | Event::TextDelta(_)
                | Event::TextDone(_)
                | Event::ToolCallStart(_)
                | Event::State(_)
                | Event::TurnStart(_)
                | Event::TurnEnd(_)
        );
        if is_new {
            self.again = None;
        }
    }

    /// Usage of a sub-agent does not tell how full the session's own window is.
    pub(super) fn used(&mut self, usage: &Usage) {
        if usage.parent.is_none() {
            self.usage = Some(usage.clone());
        }
    }

    /// Another model has another window, and counts in tokens of its own.
    pub(super) fn answered_by(&mut self, model: &Model) {
        let is_same = self.provider == model.provider && self.model == model.model;
        self.provider.clone_from(&model.provider);
        self.model.clone_from(&model.model);
        match (&mut self.usage, model.context_limit) {
            (Some(usage), Some(limit)) if is_same => usage.context_limit = limit,
            (usage, _) if !is_same => *usage = None,
            _ => {}
        }
    }

    /// The models of the provider that answers now.
    pub fn models(&self) -> ModelList {
        match &self.listed {
            Some(listed) if listed.provider == self.provider => match &listed.problem {
                Some(problem) => ModelList::Failed(problem.clone()),
                None => ModelList::Known(listed.models.clone()),
            },
            Some(_) | None => ModelList::Unknown,
        }
    }

    pub(super) fn ask(&mut self, request: &ApprovalRequest) {
        match self.approvals.iter_mut().find(|open| open.request == request.request) {
            Some(open) => open.clone_from(request),
            None => self.approvals.push(request.clone()),
        }
    }

    /// Closes a question and gives it back.
    pub(super) fn answered(&mut self, request: &str) -> Option<ApprovalRequest> {
        let place = self.approvals.iter().position(|open| open.request == request)?;
        Some(self.approvals.remove(place))
    }

    /// The oldest open question for a call.
    pub(super) fn asked_for(&self, call: &str) -> Option<&ApprovalRequest> {
        self.approvals.iter().find(|open| open.call == call)
    }

    pub(super) fn call_settled(&mut self, call: &str) {
        if !self.approvals.is_empty() {
            self.approvals.retain(|open| open.call != call);
        }
    }

    /// True while a turn is open on the pod's side, so that a snapshot follows the history.
    pub(super) fn is_busy(&self) -> bool {
        !matches!(self.state, PodState::Idle | PodState::Stopping)
    }
}
