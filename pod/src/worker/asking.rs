//! The stream of one answer: waited for, open, or none.
//!
//! Owns the wait for room among the streams of all agents of the turn, and gives the room back with the stream. It
//! refuses to know what the events mean. Read next: `shares.rs`.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::shares::{Shares, StreamShare};
use crate::provider::{Provider, Request, StreamEvent};

/// At most one stream.
#[derive(Default)]
pub(super) enum Asking {
    #[default]
    Nothing,
    /// There is no room yet; its place in the queue is kept.
    Waiting {
        request: Arc<Request>,
        room: Pin<Box<dyn Future<Output = StreamShare> + Send>>,
    },
    Open {
        stream: mpsc::Receiver<StreamEvent>,
        _share: StreamShare,
    },
}

impl Asking {
    pub(super) fn begin(request: Request, shares: &Shares) -> Self {
        Self::Waiting { request: Arc::new(request), room: Box::pin(shares.stream()) }
    }

    /// The next event; `None` once, at the end of the stream. Waits for ever where there is no stream.
    pub(super) async fn next(&mut self, provider: &dyn Provider) -> Option<StreamEvent> {
        if let Self::Waiting { request, room } = self {
            let _share = room.as_mut().await;
            let stream = provider.stream(request.clone());
            *self = Self::Open { stream, _share };
        }
        let Self::Open { stream, .. } = self else {
            return std::future::pending().await;
        };
        let event = stream.recv().await;
        if event.is_none() {
            *self = Self::Nothing;
        }
        event
    }
}
