//! Between the worker and the clients: callbacks become events, methods become work.
//!
//! Owns what a pod does: its state, the running turn, and the way in and out for clients. What is settled goes into the
//! session before anybody hears of it. It refuses to know sockets (`server.rs`) and how a turn runs (`worker.rs`).
//! Read next: `controller/report.rs` (callbacks to events), `controller/oversee.rs` (approvals), `controller/hub.rs`,
//! `state.rs`.

#[cfg(test)]
mod approval_tests;
pub mod approvals;
mod chunks;
pub mod compact;
#[cfg(test)]
mod compact_tests;
pub mod feed;
pub mod hub;
mod keep;
mod models;
mod open_turn;
mod oversee;
pub mod queue;
#[cfg(test)]
mod queue_tests;
mod report;
#[cfg(test)]
pub(crate) mod tests;
mod trouble;
#[cfg(test)]
mod trouble_tests;

use std::sync::Arc;

use carpel_protocol::event::{Notice, TurnEnd, TurnStart, Usage};
use carpel_protocol::method::Output;
use carpel_protocol::word::{NoticeLevel, PodState, TurnEndReason};
use carpel_protocol::{Event, EventLine, Item, Method, MethodLine};

use self::feed::Feed;
use self::hub::{Attach, ClientId, Hub, Inner};
use self::oversee::Oversee;
use self::queue::message_of;
use crate::choice::Switch;
use crate::compaction::Settings;
use crate::log::error::LogError;
use crate::log::queued::Prompt;
use crate::provider::{Message, Tokens};
use crate::session::Numbers;
use crate::session::conversation::messages_for;
use crate::state::{Refusal, log_failed, verdict};
use crate::tools::Cancel;
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
    /// Makes another provider; absent: the model stays.
    switch: Option<Switch>,
}

impl Controller {
    pub fn new(hub: Hub, mut worker: Worker) -> Self {
        {
            let mut inner = hub.lock();
            let numbers = Numbers::of(inner.session.records());
            worker.number_calls_after(numbers.calls);
            inner.turns = numbers.turns;
        }
        let hub = Arc::new(hub);
        report::listen(&mut worker, &hub);
        worker.oversee(Arc::new(Oversee::new(&hub)));
        Self { hub, worker: Arc::new(worker), switch: None }
    }

    /// Lets clients choose another model.
    #[must_use]
    pub fn with_switch(mut self, switch: Option<Switch>) -> Self {
        self.hub.lock().compaction.switch.clone_from(&switch);
        self.switch = switch;
        self
    }

    /// Lets the history be compacted.
    #[must_use]
    pub fn with_compaction(self, settings: Option<Settings>) -> Self {
        self.hub.lock().compaction.settings = settings;
        self
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

    /// Why nothing can be done in the workspace any more, when it is gone.
    pub fn homeless(&self) -> Option<String> {
        self.worker.workspace().check_there().err().map(|failure| failure.summary)
    }

    /// Returns when the pod has said `bye`.
    pub async fn gone(&self) {
        // The sender lives in the hub that `self` holds, so the wait cannot end for any other reason.
        let _ = self.hub.gone.subscribe().wait_for(|gone| *gone).await;
    }

    fn perform(&self, inner: &mut Inner, client: ClientId, line: &MethodLine) -> Result<(), Refusal> {
        match &line.method {
            Method::Run(run) => self.run(inner, client, run, line.id.clone())?,
            Method::Dequeue(dequeue) => self.dequeue(inner, client, dequeue, line.id.clone())?,
            Method::Edit(edit) => self.edit(inner, client, edit, line.id.clone())?,
            Method::Pause(_) => self.pause(inner),
            Method::Resume(_) => self.resume(inner)?,
            Method::Cancel(_) => self.cancel(inner),
            Method::Approve(approve) => {
                let by = inner.client_name(client).filter(|name| !name.is_empty());
                let resolved = inner.approvals.answer(approve, by)?;
                self.hub.tell_resolved(inner, resolved);
            }
            Method::Output(output) => self.output(inner, client, output)?,
            Method::Rename(rename) => self.rename(inner, &rename.title)?,
            Method::SetModel(set) => self.set_model(inner, set)?,
            Method::Models(_) => self.models(inner, client),
            Method::Shutdown(shutdown) => {
                let reason = shutdown.reason.as_deref().unwrap_or("a client asked the pod to end");
                self.stop_within(inner, reason, Leave::Now);
            }
            Method::Compact(compact) => self.compact(inner, compact)?,
            Method::Hello(_) | Method::Unknown(_) => {
                tracing::error!(
                    method = line.method.tag(),
                    "the table of states let a method pass that nothing does"
                );
            }
        }
        Ok(())
    }

    /// `item` is the identity that the prompt had in the queue.
    fn begin_turn(&self, inner: &mut Inner, prompt: Prompt, item: Option<String>) -> Result<(), Refusal> {
        let message = message_of(prompt, item);
        self.hub.recover(inner).map_err(log_failed)?;
        let unwritten = |error: LogError| log_failed(trouble::sentence(&error));
        let at = self.hub.now();
        let named = inner.session.begin(&message.text, at).map_err(unwritten)?;
        // Before anything is told: a prompt that cannot be kept has not been taken.
        let seq = inner.session.append(Item::UserMessage(message.clone()), at).map_err(unwritten)?;
        inner.turns += 1;
        let turn = inner.turns;
        self.hub.set_state(inner, PodState::Running);
        inner.open.begin(turn);
        self.hub.tell(inner, Event::TurnStart(TurnStart { turn }));
        let waited = message.item.is_some();
        let mut line = EventLine::from(Event::UserMessage(message));
        (line.seq, line.at) = (Some(seq), Some(at));
        self.hub.send(inner, line);
        if waited {
            self.hub.queue_changed(inner);
        }
        if let Some(text) = self.homeless() {
            let (level, code) = (NoticeLevel::Warning, "no_workspace".to_owned());
            self.hub.tell(inner, Event::Notice(Notice { level, code, text }));
        }
        if named {
            let event = inner.session_event();
            self.hub.tell(inner, event);
        }
        let control = TurnControl::new();
        inner.control = Some(control.clone());
        let messages = messages_for(self.worker.provider().model(), inner.session.records());
        self.spawn_turn(messages, control);
        self.learn_window(inner);
        Ok(())
    }

    fn rename(&self, inner: &mut Inner, title: &str) -> Result<(), Refusal> {
        if let Some(trouble) = &inner.trouble {
            return Err(log_failed(trouble.sentence()));
        }
        let renamed = inner.session.rename(title, self.hub.now());
        renamed.map_err(|error| log_failed(format!("the title could not be kept: {error}")))?;
        let event = inner.session_event();
        self.hub.tell(inner, event);
        let hub = self.hub.clone();
        tokio::spawn(async move { hub.durable().await });
        Ok(())
    }

    fn output(&self, inner: &mut Inner, client: ClientId, output: &Output) -> Result<(), Refusal> {
        let refuse = |why: String| Refusal::new("no_output", why);
        let piece = inner.session.output(&output.call, output.offset);
        let piece = piece.map_err(|error| refuse(format!("the output cannot be read: {error}")))?;
        let piece = piece.ok_or_else(|| refuse(format!("of `{}` no more output is kept", output.call)))?;
        inner.answer(client, Event::Output(piece));
        Ok(())
    }

    fn spawn_turn(&self, messages: Vec<Message>, control: TurnControl) {
        let (pod, worker) = (self.clone(), self.worker.clone());
        tokio::spawn(async move {
            // The prompt is durable before anything is done about it. A cancelled turn does nothing.
            let may_begin = tokio::select! {
                biased;
                () = control.cancelled() => true,
                durable = pod.hub.durable() => durable,
            };
            let end = if may_begin { pod.work(worker, messages, control).await } else { failed(None) };
            pod.end_turn(end).await;
        });
    }

    async fn work(&self, worker: Arc<Worker>, messages: Vec<Message>, control: TurnControl) -> turn::TurnEnd {
        // A task of its own: should the worker break down, the turn still gets its end.
        let running = tokio::spawn(async move { worker.run(messages, &control).await });
        match running.await {
            Ok(TurnReport { end, .. }) => end,
            Err(error) => {
                tracing::error!(%error, "the worker broke down");
                failed(Some("the pod broke down in this turn; send the prompt again".to_owned()))
            }
        }
    }

    async fn end_turn(&self, end: turn::TurnEnd) {
        let (leaves, goes_on) = {
            let inner = &mut *self.hub.lock();
            let completed = self.tell_end(inner, end);
            inner.control = None;
            // Who has cancelled or paused at the last moment wants nothing more to begin.
            let goes_on = completed && inner.state == PodState::Running;
            let leaves = inner.leaving.is_some();
            // In one step with the end: whoever hears of that may send the next prompt.
            let goes_on = !leaves && self.go_on(inner, goes_on);
            if !leaves && !goes_on {
                self.hub.set_state(inner, PodState::Idle);
            }
            (leaves, goes_on)
        };
        // The next turn makes its prompt durable before it does anything, and this end with it.
        if !goes_on {
            self.hub.durable().await;
        }
        if leaves {
            self.hub.leave(&mut self.hub.lock());
        }
    }

    /// True when the turn has completed.
    fn tell_end(&self, inner: &mut Inner, end: turn::TurnEnd) -> bool {
        let turn = inner.open.number().unwrap_or(inner.turns);
        inner.open.end();
        // The log's trouble ended it, whatever the worker made of that.
        let end = match &inner.trouble {
            Some(trouble) => turn::TurnEnd { tokens: end.tokens, ..failed(Some(trouble.sentence())) },
            None => end,
        };
        let usage = (end.tokens != Tokens::default()).then(|| usage(end.tokens));
        let reason = match end.reason {
            EndReason::Completed => TurnEndReason::Completed,
            EndReason::Cancelled => TurnEndReason::Cancelled,
            EndReason::Failed => TurnEndReason::Failed,
            EndReason::Limit => TurnEndReason::Limit,
        };
        let completed = reason == TurnEndReason::Completed;
        let end = TurnEnd { turn, reason, message: end.message, usage };
        self.hub.settle(inner, Item::TurnEnd(end.clone()), Event::TurnEnd(end));
        completed
    }

    fn pause(&self, inner: &mut Inner) {
        inner.control.iter().for_each(TurnControl::pause);
        self.hub.set_state(inner, PodState::Paused);
    }

    fn resume(&self, inner: &mut Inner) -> Result<(), Refusal> {
        if inner.state == PodState::Idle {
            return self.release(inner);
        }
        inner.control.iter().for_each(TurnControl::resume);
        self.hub.set_state(inner, PodState::Running);
        Ok(())
    }

    fn cancel(&self, inner: &mut Inner) {
        self.hub.set_state(inner, PodState::Cancelling);
        inner.control.iter().for_each(TurnControl::cancel);
        inner.compaction.running.iter().for_each(Cancel::cancel);
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
            if inner.control.is_none() && inner.compaction.running.is_none() {
                self.hub.leave(inner);
            }
        }
        if leave == Leave::Now {
            inner.compaction.running.iter().for_each(Cancel::cancel);
        }
        match (&inner.control, leave) {
            (Some(control), Leave::Now) => {
                control.cancel();
                self.withdraw(inner);
            }
            (Some(control), Leave::AfterTheTurn) => {
                // Whoever could answer or resume is gone, so a question or a pause would hold the turn for ever.
                control.resume();
                let refused = inner.approvals.stop_asking();
                self.hub.tell_resolved(inner, refused);
            }
            (None, _) => {}
        }
    }
}

/// The end of a turn that did not come to its own.
fn failed(message: Option<String>) -> turn::TurnEnd {
    turn::TurnEnd { reason: EndReason::Failed, message, tokens: Tokens::default() }
}

fn usage(tokens: Tokens) -> Usage {
    let Tokens { input, output, cached } = tokens;
    Usage { parent: None, input, output, cached, context_used: 0, context_limit: 0 }
}
