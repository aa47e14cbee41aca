//! Between the worker and the clients: callbacks become events, methods become work.
//!
//! Owns what a pod does: its state, the running turn, and the way in and out for clients. What is settled goes into the
//! session before anybody hears of it. It refuses to know sockets (`server.rs`) and how a turn runs (`worker.rs`).
//! Read next: `controller/report.rs` (callbacks to events), `controller/oversee.rs` (approvals), `controller/hub.rs`,
//! `state.rs`.

#[cfg(test)]
mod approval_tests;
pub mod approvals;
pub mod feed;
pub mod hub;
mod open_turn;
mod oversee;
mod report;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use carpel_protocol::event::{TurnEnd, TurnStart, Usage, UserMessage};
use carpel_protocol::method::Run;
use carpel_protocol::word::{PodState, TurnEndReason};
use carpel_protocol::{Event, Item, Method, MethodLine};

use self::feed::Feed;
use self::hub::{Attach, ClientId, Hub, Inner};
use self::oversee::Oversee;
use crate::provider::{Message, Tokens};
use crate::session::conversation::messages_of;
use crate::state::{Refusal, verdict};
use crate::worker::turn::{self, EndReason};
use crate::worker::{TurnControl, TurnReport, Worker};

/// When a pod that is to end does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// The running turn is cancelled.
    Now,
    /// The running turn comes to its own end first.
    AfterTheTurn,
}

/// A pod's inside. Clones are the same pod.
#[derive(Clone)]
pub struct Controller {
    hub: Arc<Hub>,
    worker: Arc<Worker>,
}

impl Controller {
    pub fn new(hub: Hub, mut worker: Worker) -> Self {
        let hub = Arc::new(hub);
        report::listen(&mut worker, &hub);
        worker.oversee(Arc::new(Oversee::new(&hub)));
        Self { hub, worker: Arc::new(worker) }
    }

    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    pub fn attach(&self, attach: Attach) -> (ClientId, Feed) {
        self.hub.attach(attach)
    }

    pub fn detach(&self, client: ClientId) {
        self.hub.detach(client);
    }

    /// Does what a client asks, or tells it why not. Must be called within a tokio runtime.
    pub fn handle(&self, client: ClientId, line: MethodLine) {
        let mut inner = self.hub.lock();
        let done = verdict(&line.method, &inner.state).and_then(|()| self.perform(&mut inner, client, &line));
        if let Err(refusal) = done {
            self.hub.reject(&mut inner, client, &line, refusal);
        }
    }

    /// Tells one client something.
    pub fn answer(&self, client: ClientId, event: Event) {
        self.hub.lock().answer(client, event);
    }

    /// Ends the pod: no prompt is taken any more, the running turn ends, then every client hears `bye`. The first
    /// reason is the one that is told.
    pub fn stop(&self, reason: &str, leave: Leave) {
        self.stop_within(&mut self.hub.lock(), reason, leave);
    }

    /// Returns when the pod has said `bye`.
    pub async fn gone(&self) {
        // The sender lives in the hub that `self` holds, so the wait cannot end for any other reason.
        let _ = self.hub.gone.subscribe().wait_for(|gone| *gone).await;
    }

    fn perform(&self, inner: &mut Inner, client: ClientId, line: &MethodLine) -> Result<(), Refusal> {
        match &line.method {
            Method::Run(run) => self.begin_turn(inner, client, run, line.id.clone())?,
            Method::Cancel(_) => self.cancel(inner),
            Method::Approve(approve) => {
                let by = inner.client_name(client).filter(|name| !name.is_empty());
                let resolved = inner.approvals.answer(approve, by)?;
                self.hub.tell_resolved(inner, resolved);
            }
            Method::Rename(rename) => {
                inner.session.title.clone_from(&rename.title);
                let event = inner.session_event();
                self.hub.tell(inner, event);
            }
            Method::Shutdown(shutdown) => {
                let reason = shutdown.reason.as_deref().unwrap_or("a client asked the pod to end");
                self.stop_within(inner, reason, Leave::Now);
            }
            Method::Hello(_)
            | Method::Dequeue(_)
            | Method::Pause(_)
            | Method::Resume(_)
            | Method::Compact(_)
            | Method::Output(_)
            | Method::Unknown(_) => {
                tracing::error!(
                    method = line.method.tag(),
                    "the table of states let a method pass that nothing does"
                );
            }
        }
        Ok(())
    }

    fn begin_turn(
        &self,
        inner: &mut Inner,
        client: ClientId,
        run: &Run,
        method: Option<String>,
    ) -> Result<(), Refusal> {
        if run.text.trim().is_empty() && run.attachments.is_empty() {
            return Err(Refusal::new("empty", "the prompt is empty; write something first"));
        }
        inner.turns += 1;
        let turn = inner.turns;
        self.hub.set_state(inner, PodState::Running);
        inner.open.begin(turn);
        self.hub.tell(inner, Event::TurnStart(TurnStart { turn }));
        let message = UserMessage {
            text: run.text.clone(),
            attachments: run.attachments.clone(),
            origin: inner.client_name(client).filter(|name| !name.is_empty()),
            method,
        };
        self.hub.settle(inner, Item::UserMessage(message.clone()), Event::UserMessage(message));
        let control = TurnControl::new();
        inner.control = Some(control.clone());
        self.spawn_turn(messages_of(inner.session.records()), control);
        Ok(())
    }

    fn spawn_turn(&self, messages: Vec<Message>, control: TurnControl) {
        let (pod, worker) = (self.clone(), self.worker.clone());
        tokio::spawn(async move {
            // A task of its own: should the worker break down, the turn still gets its end.
            let running = tokio::spawn(async move { worker.run(messages, &control).await });
            let end = match running.await {
                Ok(TurnReport { end, .. }) => end,
                Err(error) => {
                    tracing::error!(%error, "the worker broke down");
                    let message = Some("the pod broke down in this turn; send the prompt again".to_owned());
                    turn::TurnEnd { reason: EndReason::Failed, message, tokens: Tokens::default() }
                }
            };
            pod.end_turn(end);
        });
    }

    fn end_turn(&self, end: turn::TurnEnd) {
        let mut inner = self.hub.lock();
        let turn = inner.open.number().unwrap_or(inner.turns);
        inner.open.end();
        inner.control = None;
        let used = (end.tokens != Tokens::default()).then(|| usage(end.tokens));
        let reason = match end.reason {
            EndReason::Completed => TurnEndReason::Completed,
            EndReason::Cancelled => TurnEndReason::Cancelled,
            EndReason::Failed => TurnEndReason::Failed,
            EndReason::Limit => TurnEndReason::Limit,
        };
        self.hub
            .tell(&mut inner, Event::TurnEnd(TurnEnd { turn, reason, message: end.message, usage: used }));
        if inner.leaving.is_some() {
            self.hub.leave(&mut inner);
        } else {
            self.hub.set_state(&mut inner, PodState::Idle);
        }
    }

    fn cancel(&self, inner: &mut Inner) {
        self.hub.set_state(inner, PodState::Cancelling);
        if let Some(control) = &inner.control {
            control.cancel();
        }
        self.withdraw(inner);
    }

    /// What waits for an answer waits no longer.
    fn withdraw(&self, inner: &mut Inner) {
        let withdrawn = inner.approvals.withdraw_all();
        self.hub.tell_resolved(inner, withdrawn);
    }

    fn stop_within(&self, inner: &mut Inner, reason: &str, leave: Leave) {
        if inner.leaving.is_none() {
            inner.leaving = Some(reason.to_owned());
            self.hub.set_state(inner, PodState::Stopping);
            if inner.control.is_none() {
                self.hub.leave(inner);
            }
        }
        match (&inner.control, leave) {
            (Some(control), Leave::Now) => {
                control.cancel();
                self.withdraw(inner);
            }
            (Some(_), Leave::AfterTheTurn) => {
                // Whoever could answer is gone, so a question would hold the turn for ever.
                let refused = inner.approvals.stop_asking();
                self.hub.tell_resolved(inner, refused);
            }
            (None, _) => {}
        }
    }
}

fn usage(tokens: Tokens) -> Usage {
    let Tokens { input, output, cached } = tokens;
    Usage { parent: None, input, output, cached, context_used: 0, context_limit: 0 }
}
