//! Performs the actions of one turn and feeds back what came of them.
//!
//! Owns the loop: the provider's stream, the tools' threads, the sub-agents, the one timer, the control. It decides
//! nothing about order; the machine does. A tool's thread is never waited for longer than the machine asks, so that one
//! that ignores its cancel cannot hold the turn. A sub-agent is always waited for: it hears the same cancel and ends by
//! the same rule, so that what is below a call has its results before the call has its own.
//! Read next: `turn.rs`, `agent.rs`.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};

use super::agent::{self, Done, Tally};
use super::asking::Asking;
use super::call::{CallId, CallResult, Ended};
use super::listen::{Abandoned, BlockScope, CallScope, Used};
use super::overseer::{Entering, Next};
use super::run::Run;
use super::shares::Shares;
use super::turn::{Action, Between, Entry, Input, Report, RunCall, Turn, TurnEnd, TurnSetup, Wait};
use super::{TurnControl, TurnReport, Wanted, Worker};
use crate::provider::{Message, Provider, Request, Tokens, ToolOffer};
use crate::tools::Cancel;

type Working<'a> = Pin<Box<dyn Future<Output = Done> + Send + 'a>>;

/// Where an agent stands among those of its turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The call that it works for; none for the root.
    pub(super) parent: Option<CallId>,
    /// Agents above it.
    pub(super) depth: u32,
}

pub(super) struct Drive<'a> {
    worker: &'a Worker,
    control: &'a TurnControl,
    place: Place,
    shares: Arc<Shares>,
    provider: Arc<dyn Provider>,
    turn: Turn,
    due: Vec<Action>,
    offers: Vec<ToolOffer>,
    wanted: watch::Receiver<Wanted>,
    asking: Asking,
    entering: Option<Entering>,
    agents: FuturesUnordered<Working<'a>>,
    tally: Tally,
    /// What is known already and not told to the machine yet.
    early: VecDeque<Input>,
    /// Running tools are not waited for any more, once the sub-agents have ended.
    grace_over: bool,
    timer: Option<tokio::time::Instant>,
    cancel: Cancel,
    results: (mpsc::UnboundedSender<CallResult>, mpsc::UnboundedReceiver<CallResult>),
    block: Option<BlockScope>,
    calls: HashMap<CallId, CallScope>,
}

impl<'a> Drive<'a> {
    /// The root of a turn.
    pub(super) fn new(worker: &'a Worker, messages: Vec<Message>, control: &'a TurnControl) -> Self {
        let shares = Shares::new(worker.settings.parallel, worker.settings.calls);
        Self::at(Place::default(), worker, shares, messages, control)
    }

    pub(super) fn at(
        place: Place,
        worker: &'a Worker,
        shares: Arc<Shares>,
        messages: Vec<Message>,
        control: &'a TurnControl,
    ) -> Self {
        let tools = worker.specs.clone();
        let (ids, bounds) = (worker.ids.clone(), worker.bounds());
        let settings = &worker.settings;
        let retry_waits = settings.retry_spread.over(&settings.retry_delays);
        let is_overseen_root = place.depth == 0 && worker.overseer.is_some();
        let between = if is_overseen_root { Between::Entry } else { Between::Nothing };
        let setup = TurnSetup { messages, tools, ids, bounds, retry_waits, between };
        let (mut turn, mut due) = Turn::begin(setup);
        let mut wanted = control.wanted.subscribe();
        // What was wanted before the turn began counts too; a cancelled one does not even ask.
        wanted.mark_changed();
        if *wanted.borrow() == Wanted::Cancel {
            due = turn.take(Input::Cancel);
        }
        Self {
            worker,
            control,
            offers: worker.offers(place.depth),
            place,
            shares,
            provider: worker.provider(),
            turn,
            due,
            wanted,
            asking: Asking::Nothing,
            entering: None,
            agents: FuturesUnordered::new(),
            tally: Tally::default(),
            early: VecDeque::new(),
            grace_over: false,
            timer: None,
            cancel: Cancel::new(),
            results: mpsc::unbounded_channel(),
            block: None,
            calls: HashMap::new(),
        }
    }

    pub(super) async fn run(self) -> TurnReport {
        self.finish().await.0
    }

    /// Runs to the end, and counts the calls.
    pub(super) async fn finish(mut self) -> (TurnReport, Tally) {
        loop {
            for action in std::mem::take(&mut self.due) {
                if let Some(end) = self.perform(action) {
                    return (TurnReport { end, messages: self.turn.messages().to_vec() }, self.tally);
                }
            }
            let input = match self.early.pop_front() {
                Some(input) => input,
                None => self.next().await,
            };
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
            Some(done) = self.agents.next() => self.worked(done),
            event = self.asking.next(self.provider.as_ref()) => match event {
                Some(event) => Input::Stream(event),
                None => Input::StreamCut,
            },
            entry = entered(&mut self.entering) => {
                self.entering = None;
                Input::Entry(entry)
            }
            // A retry waits when nothing runs. The wait after a cancel is over for tools; a sub-agent, which hears of
            // the cancel a moment later, ends by itself.
            () = until(self.timer) => {
                self.timer = None;
                self.grace_over = !self.agents.is_empty();
                if self.grace_over { Input::Spent(Tokens::default()) } else { Input::TimeUp }
            }
        }
    }

    /// A sub-agent has ended.
    fn worked(&mut self, done: Done) -> Input {
        self.tally.add(done.tally);
        self.early.push_back(Input::Result(done.result));
        if self.grace_over && self.agents.is_empty() {
            self.early.push_back(Input::TimeUp);
        }
        Input::Spent(done.tokens)
    }

    fn perform(&mut self, action: Action) -> Option<TurnEnd> {
        match action {
            Action::Enter { at_the_end } => self.enter(at_the_end),
            Action::Ask => self.ask(),
            Action::HangUp => self.asking = Asking::Nothing,
            Action::Wait(wait) => self.timer = Some(tokio::time::Instant::now() + self.length(wait)),
            Action::Run(call) => self.start(call),
            Action::StopRunning => self.cancel.cancel(),
            Action::Report(report) => self.report(report),
            Action::End(end) => return Some(end),
        }
        None
    }

    fn enter(&mut self, at_the_end: bool) {
        match &self.worker.overseer {
            Some(overseer) => {
                let next = Next {
                    system: &self.worker.settings.system,
                    tools: &self.offers,
                    messages: self.turn.messages(),
                    provider: &self.provider,
                    at_the_end,
                };
                self.entering = Some(overseer.between(next));
            }
            None => self.early.push_back(Input::Entry(Entry::default())),
        }
    }

    fn ask(&mut self) {
        if let Some(message) = self.shares.exhausted() {
            self.early.push_back(Input::Limit(message));
            return;
        }
        let system = &self.worker.settings.system;
        let request = Request {
            system: if self.place.depth == 0 { system.clone() } else { agent::system(system) },
            messages: self.turn.messages().to_vec(),
            tools: self.offers.clone(),
        };
        self.asking = Asking::begin(request, &self.shares);
    }

    fn length(&self, wait: Wait) -> Duration {
        match wait {
            Wait::Retry(length) => length,
            Wait::Grace => self.worker.settings.cancel_grace,
        }
    }

    fn start(&mut self, call: RunCall) {
        let worker = self.worker;
        let prompt = worker.toolbox.assignment(&call.name, &call.arguments);
        if let Some(why) = self.refuses(prompt.is_some()) {
            self.early.push_back(Input::Result(CallResult::refused(call.id, why, None)));
            return;
        }
        let run = Run {
            toolbox: worker.toolbox.clone(),
            workspace: worker.workspace.clone(),
            overseer: worker.overseer.clone(),
            cancel: self.cancel.clone(),
            shares: self.shares.clone(),
            scope: self.calls.get(&call.id).cloned(),
            call: Arc::new(call),
        };
        match prompt {
            Some(prompt) => {
                let (shares, control, depth) = (self.shares.clone(), self.control, self.place.depth + 1);
                self.agents.push(Box::pin(agent::work(worker, shares, control, run, prompt, depth)));
            }
            None => {
                let results = self.results.0.clone();
                tokio::spawn(async move {
                    // The turn may be over: then nobody waits for it.
                    let _ = results.send(run.finish().await);
                });
            }
        }
    }

    /// Why a call must not run, in a sentence for the model.
    fn refuses(&self, is_task: bool) -> Option<String> {
        let deepest = self.worker.settings.depth;
        if is_task && self.place.depth >= deepest {
            return Some(format!("not run: tasks are nested {deepest} deep here; do this part yourself"));
        }
        (!self.shares.count_call()).then(|| {
            format!(
                "not run: this turn has made its {} calls; answer with what is known",
                self.worker.settings.calls
            )
        })
    }

    fn report(&mut self, report: Report) {
        let worker = self.worker;
        let listeners = &worker.listeners;
        match report {
            Report::TextStart => self.block = self.begin(listeners.text.as_deref()),
            Report::ThinkingStart => self.block = self.begin(listeners.thinking.as_deref()),
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
                self.tally.add_call(result.ended);
                listeners.tool_result.iter().for_each(|call| call(&result));
            }
            Report::Abandoned { reason, kept } => {
                self.block = None;
                self.calls.clear();
                let abandoned = Abandoned { reason: &reason, kept, parent: self.place.parent.as_ref() };
                listeners.abandoned.iter().for_each(|call| call(abandoned));
            }
            Report::Usage(tokens) => {
                let (limit, parent) = (self.provider.context_limit(), self.place.parent.as_ref());
                listeners.usage.iter().for_each(|call| call(Used { tokens, limit, parent }));
            }
        }
    }

    fn begin_call(&mut self, id: CallId, name: String) {
        let kind = self.worker.specs.iter().find(|spec| spec.name == name).map(|spec| spec.kind.clone());
        let mut scope = CallScope::new(id.clone(), name, kind, self.place.parent.clone());
        if let Some(call) = &self.worker.listeners.tool_use {
            call(&mut scope);
        }
        self.calls.insert(id, scope);
    }

    fn begin(&self, listener: Option<&(dyn Fn(&mut BlockScope) + Send + Sync)>) -> Option<BlockScope> {
        let mut scope = BlockScope::of(self.place.parent.clone());
        listener?(&mut scope);
        Some(scope)
    }
}

impl Drop for Drive<'_> {
    /// A turn that is dropped in the middle must not leave tools at work.
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// What enters between two steps; waits for ever where nothing was asked.
async fn entered(entering: &mut Option<Entering>) -> Entry {
    match entering {
        Some(entering) => entering.await,
        None => std::future::pending().await,
    }
}

async fn until(timer: Option<tokio::time::Instant>) {
    match timer {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
