//! How the worker reports: callbacks of one shape, a scope for each block.
//!
//! Owns [`Listeners`] (what is called when a block begins) and the scopes in which a callback leaves what shall be
//! called with each piece and with the whole. It refuses to know who listens. A listener may be called from any
//! thread that the worker runs on, and is done before the worker goes on. Read next: `../worker.rs`, which calls them.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use carpel_protocol::word::ToolKind;

use super::call::{CallId, CallResult};
use super::turn::Whole;
use crate::provider::Tokens;

type OnPiece = Arc<dyn Fn(&str) + Send + Sync>;
type OnStop = Arc<dyn Fn(&Whole) + Send + Sync>;

/// A block of text or thinking that has just begun.
#[derive(Default, Clone)]
pub struct BlockScope {
    parent: Option<CallId>,
    delta: Option<OnPiece>,
    stop: Option<OnStop>,
}

impl BlockScope {
    pub(super) fn of(parent: Option<CallId>) -> Self {
        Self { parent, ..Self::default() }
    }

    /// The call whose sub-agent speaks; `None` for the root's own words.
    pub fn parent(&self) -> Option<&CallId> {
        self.parent.as_ref()
    }

    /// Called with each piece; for thinking perhaps never.
    pub fn on_delta(&mut self, call: impl Fn(&str) + Send + Sync + 'static) {
        self.delta = Some(Arc::new(call));
    }

    /// Called once with the whole, unless the step is abandoned first, or the turn ends in the middle of thinking.
    pub fn on_stop(&mut self, call: impl Fn(&Whole) + Send + Sync + 'static) {
        self.stop = Some(Arc::new(call));
    }

    pub(super) fn delta(&self, piece: &str) {
        if let Some(call) = &self.delta {
            call(piece);
        }
    }

    pub(super) fn stop(&self, whole: &Whole) {
        if let Some(call) = &self.stop {
            call(whole);
        }
    }
}

/// A tool call that has just begun; its pieces are raw argument text.
#[derive(Clone)]
pub struct CallScope {
    id: CallId,
    name: String,
    kind: Option<ToolKind>,
    block: BlockScope,
    progress: Option<OnPiece>,
    run: Option<Arc<dyn Fn() + Send + Sync>>,
    began: Arc<OnceLock<Instant>>,
}

impl CallScope {
    pub(super) fn new(id: CallId, name: String, kind: Option<ToolKind>, parent: Option<CallId>) -> Self {
        Self {
            id,
            name,
            kind,
            block: BlockScope::of(parent),
            progress: None,
            run: None,
            began: Arc::default(),
        }
    }

    pub fn id(&self) -> &CallId {
        &self.id
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The call whose sub-agent makes it.
    pub fn parent(&self) -> Option<&CallId> {
        self.block.parent()
    }

    /// What the tool does in general; `None` when there is no such tool.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.kind.as_ref()
    }

    /// Called with each piece of the arguments.
    pub fn on_delta(&mut self, call: impl Fn(&str) + Send + Sync + 'static) {
        self.block.on_delta(call);
    }

    /// Called once with the whole arguments, unless the step is abandoned first.
    pub fn on_stop(&mut self, call: impl Fn(&Whole) + Send + Sync + 'static) {
        self.block.on_stop(call);
    }

    /// Called when the call runs: others may have had to end before it, and somebody to allow it.
    pub fn on_run(&mut self, call: impl Fn() + Send + Sync + 'static) {
        self.run = Some(Arc::new(call));
    }

    /// Called with what the tool says while it runs, on the tool's own thread.
    pub fn on_progress(&mut self, call: impl Fn(&str) + Send + Sync + 'static) {
        self.progress = Some(Arc::new(call));
    }

    pub(super) fn delta(&self, piece: &str) {
        self.block.delta(piece);
    }

    pub(super) fn stop(&self, whole: &Whole) {
        self.block.stop(whole);
    }

    pub(super) fn runs(&self) {
        self.began.get_or_init(Instant::now);
        if let Some(call) = &self.run {
            call();
        }
    }

    /// How long it has run; `None` when it never did.
    pub(super) fn has_run(&self) -> Option<Duration> {
        self.began.get().map(Instant::elapsed)
    }

    pub(super) fn progress(&self, piece: &str) {
        if let Some(call) = &self.progress {
            call(piece);
        }
    }
}

/// A step that is asked again.
#[derive(Debug, Clone, Copy)]
pub struct Abandoned<'a> {
    pub reason: &'a str,
    /// Whole blocks of it had stopped.
    pub kept: bool,
    /// The call whose sub-agent asks again; only its own open blocks go.
    pub parent: Option<&'a CallId>,
}

/// What a step has cost.
#[derive(Debug, Clone, Copy)]
pub struct Used<'a> {
    pub tokens: Tokens,
    /// The size of the model's window, where it is known.
    pub limit: Option<u64>,
    /// The call whose sub-agent it is a step of.
    pub parent: Option<&'a CallId>,
}

type UsageHook = Option<Box<dyn Fn(Used<'_>) + Send + Sync>>;
type ScopeHook<S> = Option<Box<dyn Fn(&mut S) + Send + Sync>>;
type ResultHook = Option<Box<dyn Fn(&CallResult) + Send + Sync>>;
type AbandonedHook = Option<Box<dyn Fn(Abandoned<'_>) + Send + Sync>>;

/// What is called when.
#[derive(Default)]
pub(super) struct Listeners {
    pub(super) text: ScopeHook<BlockScope>,
    pub(super) thinking: ScopeHook<BlockScope>,
    pub(super) tool_use: ScopeHook<CallScope>,
    pub(super) tool_result: ResultHook,
    pub(super) abandoned: AbandonedHook,
    pub(super) usage: UsageHook,
}
