//! What all agents of one turn share: how many of them may be at work, and how many calls they may make.
//!
//! However wide and deep a model nests its tasks, so many streams and so many tools are at work at a time, one writer
//! among them, and so many calls are made in all. Only what waits for nothing else holds a share: a stream, or a tool
//! that runs. An agent that waits for its own sub-agents, or a call that waits for a person, holds none, so that no
//! nesting can wait for itself. It refuses to know agents; `drive.rs`, `asking.rs` and `run.rs` take what they need.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::tools::Access;

#[derive(Debug)]
pub(super) struct Shares {
    streams: Arc<Semaphore>,
    tools: Arc<Semaphore>,
    /// Held by the one call that changes something, in whichever agent.
    writer: Arc<Mutex<()>>,
    calls: AtomicU32,
    most_calls: u32,
}

/// Room for one stream.
pub(super) type StreamShare = Option<OwnedSemaphorePermit>;

/// Room for one tool, for as long as it is kept.
#[derive(Debug)]
pub(super) struct ToolShare {
    _writer: Option<OwnedMutexGuard<()>>,
    _tool: Option<OwnedSemaphorePermit>,
}

impl Shares {
    pub(super) fn new(parallel: usize, most_calls: u32) -> Arc<Self> {
        let room = || Arc::new(Semaphore::new(parallel.clamp(1, Semaphore::MAX_PERMITS)));
        Arc::new(Self {
            streams: room(),
            tools: room(),
            writer: Arc::default(),
            calls: AtomicU32::new(0),
            most_calls,
        })
    }

    /// Counts a call; false when there have been too many.
    pub(super) fn count_call(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) < self.most_calls
    }

    /// Why no agent of the turn may go on, once a call was one too many.
    pub(super) fn exhausted(&self) -> Option<String> {
        (self.calls.load(Ordering::Relaxed) > self.most_calls)
            .then(|| format!("stopped after {} calls in one turn", self.most_calls))
    }

    /// Waits for room for a stream. The semaphore is never closed, so there is always a share in the end.
    pub(super) fn stream(&self) -> impl Future<Output = StreamShare> + Send + 'static {
        let streams = self.streams.clone();
        async move { streams.acquire_owned().await.ok() }
    }

    /// Waits for room for a tool; a writer first for the one before it.
    pub(super) async fn tool(&self, access: Access) -> ToolShare {
        let writer = match access {
            Access::Writes => Some(self.writer.clone().lock_owned().await),
            Access::Reads => None,
        };
        ToolShare { _writer: writer, _tool: self.tools.clone().acquire_owned().await.ok() }
    }
}
