//! The low layer: runs turns over a provider and tools, and reports through callbacks.
//!
//! Owns the threads, waits and streams of a turn; what happens in which order is decided by the pure machine in
//! `worker/turn.rs`, whose actions are performed here. It refuses to know the protocol, clients and sessions, so that
//! it can be used on its own: make one, hang callbacks on it, `run` a conversation.
//! Read next: `worker/turn.rs`, `worker/listen.rs`, `worker/drive.rs`.

mod agent;
mod asking;
pub mod call;
mod drive;
pub mod listen;
pub mod overseer;
mod run;
#[cfg(test)]
pub(crate) mod scripted;
mod shares;
pub mod spread;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
pub mod turn;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use self::call::{CallIds, CallResult};
use self::listen::{Abandoned, BlockScope, CallScope, Listeners, Used};
use self::overseer::Overseer;
use self::spread::Spread;
use self::turn::{Bounds, TurnEnd};
use crate::provider::{Message, Provider, Request, ToolOffer};
use crate::tools::{ToolSpec, Toolbox, Workspace};

/// Runs turns. One worker may run many, one after another or side by side.
pub struct Worker {
    /// Another may be set between two turns; a turn keeps the one that it began with.
    provider: RwLock<Arc<dyn Provider>>,
    toolbox: Toolbox,
    workspace: Arc<Workspace>,
    settings: WorkerSettings,
    ids: CallIds,
    specs: Arc<[ToolSpec]>,
    listeners: Listeners,
    overseer: Option<Arc<dyn Overseer>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// The system text.
    pub system: String,
    /// Steps of a turn.
    pub steps: u32,
    /// Calls that run side by side, and answers that are asked for side by side, in all agents of the turn together.
    pub parallel: usize,
    /// Calls of a turn, those of sub-agents included.
    pub calls: u32,
    /// How deep tasks nest: sub-agents below the root.
    pub depth: u32,
    /// How long to wait before each time that a step is asked again; as many retries as there are waits.
    pub retry_delays: Vec<Duration>,
    /// How those waits are spread.
    pub retry_spread: Spread,
    /// How long a cancelled turn waits for running tools. One that ignores the cancel runs on unheard.
    pub cancel_grace: Duration,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            system: String::new(),
            steps: 50,
            parallel: 8,
            calls: 2_000,
            depth: 8,
            retry_delays: [1, 2, 4, 8].map(Duration::from_secs).to_vec(),
            retry_spread: Spread::Random,
            cancel_grace: Duration::from_millis(700),
        }
    }
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnReport {
    pub end: TurnEnd,
    /// The conversation with all that the turn added.
    pub messages: Vec<Message>,
}

impl Worker {
    pub fn new(
        provider: Arc<dyn Provider>,
        toolbox: Toolbox,
        workspace: Arc<Workspace>,
        settings: WorkerSettings,
    ) -> Self {
        let specs = toolbox.specs().cloned().collect();
        let ids = CallIds::default();
        let listeners = Listeners::default();
        let provider = RwLock::new(provider);
        Self { provider, toolbox, workspace, settings, ids, specs, listeners, overseer: None }
    }

    /// Asks `overseer` before each call. Without one every call runs, inside the workspace only.
    pub fn oversee(&mut self, overseer: Arc<dyn Overseer>) {
        self.overseer = Some(overseer);
    }

    /// Who answers.
    pub fn provider(&self) -> Arc<dyn Provider> {
        self.provider.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has `provider` answer from the next turn on.
    pub fn answer_with(&self, provider: Arc<dyn Provider>) {
        *self.provider.write().unwrap_or_else(PoisonError::into_inner) = provider;
    }

    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Mints call ids behind `last`, for a session that has some already.
    pub fn number_calls_after(&mut self, last: u64) {
        self.ids = CallIds::after(last);
    }

    /// Called when a block of the answer begins, with its first piece at hand.
    pub fn on_text_block(&mut self, call: impl Fn(&mut BlockScope) + Send + Sync + 'static) {
        self.listeners.text = Some(Box::new(call));
    }

    /// Called when a block of thinking begins. One without any text still starts and stops, with `""`.
    pub fn on_thinking_block(&mut self, call: impl Fn(&mut BlockScope) + Send + Sync + 'static) {
        self.listeners.thinking = Some(Box::new(call));
    }

    /// Called when a tool call begins.
    pub fn on_tool_use(&mut self, call: impl Fn(&mut CallScope) + Send + Sync + 'static) {
        self.listeners.tool_use = Some(Box::new(call));
    }

    /// Called once for each call that has stopped.
    pub fn on_tool_result(&mut self, call: impl Fn(&CallResult) + Send + Sync + 'static) {
        self.listeners.tool_result = Some(Box::new(call));
    }

    /// Called when a step is asked again; what was open of it will not stop.
    pub fn on_step_abandoned(&mut self, call: impl Fn(Abandoned<'_>) + Send + Sync + 'static) {
        self.listeners.abandoned = Some(Box::new(call));
    }

    /// Called with the tokens of a step at its end.
    pub fn on_usage(&mut self, call: impl Fn(Used<'_>) + Send + Sync + 'static) {
        self.listeners.usage = Some(Box::new(call));
    }

    /// Runs one turn to its end. Dropping the future tells running tools to stop and reports nothing more.
    pub async fn run(&self, messages: Vec<Message>, control: &TurnControl) -> TurnReport {
        drive::Drive::new(self, messages, control).run().await
    }

    /// What stands around every conversation, without one.
    pub fn standing(&self) -> Request {
        Request { system: self.settings.system.clone(), messages: Vec::new(), tools: self.offers(0) }
    }

    /// How long to wait before each time that something is asked again.
    pub fn retry_delays(&self) -> &[Duration] {
        &self.settings.retry_delays
    }

    fn bounds(&self) -> Bounds {
        Bounds { steps: self.settings.steps, parallel: self.settings.parallel }
    }

    /// What is offered to an agent at this depth: the deepest may not hand its work on.
    fn offers(&self, depth: u32) -> Vec<ToolOffer> {
        let hands_on = |spec: &&ToolSpec| self.toolbox.assignment(spec.name, &Value::Null).is_some();
        let offer = |spec: &ToolSpec| ToolOffer {
            name: spec.name.to_owned(),
            description: spec.description.to_owned(),
            schema: spec.schema.clone(),
            kind: spec.kind.clone(),
        };
        self.specs.iter().filter(|spec| depth < self.settings.depth || !hands_on(spec)).map(offer).collect()
    }
}

/// Steers a running turn from outside. Clones steer the same turn.
#[derive(Debug, Clone)]
pub struct TurnControl {
    wanted: Arc<watch::Sender<Wanted>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Run,
    Hold,
    Cancel,
}

impl TurnControl {
    pub fn new() -> Self {
        Self { wanted: Arc::new(watch::Sender::new(Wanted::Run)) }
    }

    /// Ends the turn. There is no way back.
    pub fn cancel(&self) {
        self.want(Wanted::Cancel);
    }

    /// Holds the turn after the calls that run now.
    pub fn pause(&self) {
        self.want(Wanted::Hold);
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.want(Wanted::Run);
    }

    /// Returns when the turn is to end; at once when that is so already.
    pub async fn cancelled(&self) {
        // The sender lives in `self`, so the wait cannot end for any other reason.
        let _ = self.wanted.subscribe().wait_for(|wanted| *wanted == Wanted::Cancel).await;
    }

    fn want(&self, wanted: Wanted) {
        self.wanted.send_if_modified(|now| {
            let changes = *now != Wanted::Cancel && *now != wanted;
            if changes {
                *now = wanted;
            }
            changes
        });
    }
}

impl Default for TurnControl {
    fn default() -> Self {
        Self::new()
    }
}
