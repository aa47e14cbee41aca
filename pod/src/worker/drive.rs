//! Performs the actions of one turn and feeds back what came of them.
//!
//! Owns the loop: the provider's stream, the tools' threads, the one timer, the control. It decides nothing about
//! order; the machine does. A tool's thread is never waited for longer than the machine asks, so that one that ignores
//! its cancel cannot hold the turn. Read next: `turn.rs`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::call::{CallId, CallResult, Ended};
use super::listen::{BlockScope, CallScope};
use super::run::Run;
use super::turn::{Action, Input, Report, RunCall, Turn, TurnEnd, TurnSetup, Wait};
use super::{TurnControl, TurnReport, Wanted, Worker};
use crate::provider::{Provider, Request, StreamEvent, ToolOffer};
use crate::tools::Cancel;

pub(super) struct Drive<'a> {
    worker: &'a Worker,
    provider: Arc<dyn Provider>,
    turn: Turn,
    due: Vec<Action>,
    offers: Vec<ToolOffer>,
    wanted: watch::Receiver<Wanted>,
    stream: Option<mpsc::Receiver<StreamEvent>>,
    timer: Option<tokio::time::Instant>,
    cancel: Cancel,
    results: (mpsc::UnboundedSender<CallResult>, mpsc::UnboundedReceiver<CallResult>),
    block: Option<BlockScope>,
    calls: HashMap<CallId, CallScope>,
}

impl<'a> Drive<'a> {
    pub(super) fn new(
        worker: &'a Worker,
        messages: Vec<crate::provider::Message>,
        control: &TurnControl,
    ) -> Self {
        let tools = worker.specs.clone();
        let (ids, bounds) = (worker.ids.clone(), worker.bounds());
        let settings = &worker.settings;
        let retry_waits = settings.retry_spread.over(&settings.retry_delays);
        let setup = TurnSetup { messages, tools, ids, bounds, retry_waits };
        let (mut turn, mut due) = Turn::begin(setup);
        let mut wanted = control.wanted.subscribe();
        // What was wanted before the turn began counts too; a cancelled one does not even ask.
        wanted.mark_changed();
        if *wanted.borrow() == Wanted::Cancel {
            due = turn.take(Input::Cancel);
        }
        Self {
            worker,
            provider: worker.provider(),
            turn,
            due,
            offers: worker.offers(),
            wanted,
            stream: None,
            timer: None,
            cancel: Cancel::new(),
            results: mpsc::unbounded_channel(),
            block: None,
            calls: HashMap::new(),
        }
    }

    pub(super) async fn run(mut self) -> TurnReport {
        loop {
            for action in std::mem::take(&mut self.due) {
                if let Some(end) = self.perform(action) {
                    return TurnReport { end, messages: self.turn.messages().to_vec() };
                }
            }
            let input = self.next().await;
            self.due = self.turn.take(input);
        }
    }

    /// The order matters: a cancel is heard before anything else that has happened.
    async fn next(&mut self) -> Input {
        tokio::select! {
            biased;
            // The sender lives in the control that the caller holds; without it nothing is wanted any more.
            changed = self.wanted.changed() => match (changed, *self.wanted.borrow_and_update()) {
                (Err(_), _) | (Ok(()), Wanted::Cancel) => Input::Cancel,
                (Ok(()), Wanted::Hold) => Input::Pause,
                (Ok(()), Wanted::Run) => Input::Resume,
            },
            Some(result) = self.results.1.recv() => Input::Result(result),
            event = next_event(&mut self.stream) => match event {
                Some(event) => Input::Stream(event),
                None => {
                    self.stream = None;
                    Input::StreamCut
                }
            },
            () = until(self.timer) => {
                self.timer = None;
                Input::TimeUp
            }
        }
    }

    fn perform(&mut self, action: Action) -> Option<TurnEnd> {
        match action {
            Action::Ask => self.ask(),
            Action::HangUp => self.stream = None,
            Action::Wait(wait) => self.timer = Some(tokio::time::Instant::now() + self.length(wait)),
            Action::Run(call) => self.start(call),
            Action::StopRunning => self.cancel.cancel(),
            Action::Report(report) => self.report(report),
            Action::End(end) => return Some(end),
        }
        None
    }

    fn ask(&mut self) {
        let request = Request {
            system: self.worker.settings.system.clone(),
            messages: self.turn.messages().to_vec(),
            tools: self.offers.clone(),
        };
        self.stream = Some(self.provider.stream(Arc::new(request)));
    }

    fn length(&self, wait: Wait) -> Duration {
        match wait {
            Wait::Retry(length) => length,
            Wait::Grace => self.worker.settings.cancel_grace,
        }
    }

    fn start(&self, call: RunCall) {
        let results = self.results.0.clone();
        let run = Run {
            toolbox: self.worker.toolbox.clone(),
            workspace: self.worker.workspace.clone(),
            overseer: self.worker.overseer.clone(),
            cancel: self.cancel.clone(),
            scope: self.calls.get(&call.id).cloned(),
            call: Arc::new(call),
        };
        tokio::spawn(async move {
            // The turn may be over: then nobody waits for it.
            let _ = results.send(run.finish().await);
        });
    }

    fn report(&mut self, report: Report) {
        let listeners = &self.worker.listeners;
        match report {
            Report::TextStart => self.block = begin(listeners.text.as_deref()),
            Report::ThinkingStart => self.block = begin(listeners.thinking.as_deref()),
            Report::TextDelta(piece) | Report::ThinkingDelta(piece) => {
                self.block.iter().for_each(|block| block.delta(&piece));
            }
            Report::TextStop(whole) | Report::ThinkingStop(whole) => {
                self.block.take().iter().for_each(|block| block.stop(&whole));
            }
            Report::CallStart { id, name } => self.begin_call(id, name),
            Report::CallDelta { id, text } => {
                self.calls.get(&id).into_iter().for_each(|call| call.delta(&text));
            }
            Report::CallStop { id, whole } => {
                self.calls.get(&id).into_iter().for_each(|call| call.stop(&whole));
            }
            Report::Result(mut result) => {
                let ran = self.calls.remove(&result.id).and_then(|call| call.has_run());
                // Of a call that is given up the machine, which has no clock, does not know how long it ran.
                if result.ended == Ended::Cancelled && result.elapsed.is_none() {
                    result.elapsed = ran;
                }
                listeners.tool_result.iter().for_each(|call| call(&result));
            }
            Report::Abandoned { reason, kept } => {
                self.block = None;
                self.calls.clear();
                listeners.abandoned.iter().for_each(|call| call(&reason, kept));
            }
            Report::Usage(tokens) => {
                let limit = self.provider.context_limit();
                listeners.usage.iter().for_each(|call| call(tokens, limit));
            }
        }
    }

    fn begin_call(&mut self, id: CallId, name: String) {
        let kind = self.worker.specs.iter().find(|spec| spec.name == name).map(|spec| spec.kind.clone());
        let mut scope = CallScope::new(id.clone(), name, kind);
        if let Some(call) = &self.worker.listeners.tool_use {
            call(&mut scope);
        }
        self.calls.insert(id, scope);
    }
}

impl Drop for Drive<'_> {
    /// A turn that is dropped in the middle must not leave tools at work.
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn begin(listener: Option<&(dyn Fn(&mut BlockScope) + Send + Sync)>) -> Option<BlockScope> {
    let mut scope = BlockScope::default();
    listener?(&mut scope);
    Some(scope)
}

async fn next_event(stream: &mut Option<mpsc::Receiver<StreamEvent>>) -> Option<StreamEvent> {
    match stream {
        Some(stream) => stream.recv().await,
        None => std::future::pending().await,
    }
}

async fn until(timer: Option<tokio::time::Instant>) {
    match timer {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
