//! The way of events to one client: what it gets first, then what follows, without ever holding up the pod.
//!
//! Owns the bound on what waits for a client. Sending never waits; a client that leaves too much unread is dropped and
//! may attach again from the last record that it has. It refuses to know sockets; a line is encoded once for all who
//! want its bytes. Read next: `hub.rs`, which sends.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use carpel_protocol::EventLine;
use carpel_protocol::frame::encode;
use tokio::sync::{mpsc, oneshot};

/// An event on its way, shared by all who get it.
#[derive(Debug)]
pub struct Line {
    event: EventLine,
    bytes: OnceLock<Vec<u8>>,
}

impl Line {
    pub fn new(event: impl Into<EventLine>) -> Arc<Line> {
        Arc::new(Line { event: event.into(), bytes: OnceLock::new() })
    }

    pub fn event(&self) -> &EventLine {
        &self.event
    }

    /// The line as it goes over the wire, with its LF.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| encode(&self.event))
    }
}

/// The pod's end.
#[derive(Debug)]
pub struct FeedSender {
    lines: mpsc::UnboundedSender<Arc<Line>>,
    /// Bytes that were sent and not yet taken.
    waiting: Arc<AtomicUsize>,
    limit: Option<usize>,
    overrun: Option<oneshot::Sender<()>>,
}

/// The client's end.
#[derive(Debug)]
pub struct Feed {
    pub lines: FeedLines,
    pub overrun: Overrun,
}

#[derive(Debug)]
pub struct FeedLines {
    first: VecDeque<Arc<Line>>,
    lines: mpsc::UnboundedReceiver<Arc<Line>>,
    waiting: Arc<AtomicUsize>,
    counted: bool,
}

/// Tells that the client was dropped because it did not read.
#[derive(Debug)]
pub struct Overrun(oneshot::Receiver<()>);

/// A feed that begins with `first`. Of what follows at most `limit` bytes wait; without a limit, any number.
pub fn feed(first: Vec<Arc<Line>>, limit: Option<usize>) -> (FeedSender, Feed) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (overrun, overran) = oneshot::channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let lines = FeedLines {
        first: first.into(),
        lines: receiver,
        waiting: waiting.clone(),
        counted: limit.is_some(),
    };
    (
        FeedSender { lines: sender, waiting, limit, overrun: Some(overrun) },
        Feed { lines, overrun: Overrun(overran) },
    )
}

impl FeedSender {
    /// False when the client is gone, or has just been given up.
    #[must_use]
    pub fn send(&mut self, line: &Arc<Line>) -> bool {
        if let Some(limit) = self.limit {
            let size = line.bytes().len();
            let waiting = self.waiting.fetch_add(size, Ordering::Relaxed) + size;
            // One line may be larger than the limit; it is the pile that is bounded.
            if waiting > limit.max(size) {
                if let Some(overrun) = self.overrun.take() {
                    // The client may have gone by itself.
                    let _ = overrun.send(());
                }
                return false;
            }
        }
        self.lines.send(line.clone()).is_ok()
    }
}

impl FeedLines {
    /// The next line; `None` when the pod has left or has dropped this client.
    pub async fn next(&mut self) -> Option<Arc<Line>> {
        if let Some(line) = self.first.pop_front() {
            return Some(line);
        }
        let line = self.lines.recv().await?;
        self.taken(&line);
        Some(line)
    }

    /// The next line if one is there already.
    pub fn try_next(&mut self) -> Option<Arc<Line>> {
        if let Some(line) = self.first.pop_front() {
            return Some(line);
        }
        let line = self.lines.try_recv().ok()?;
        self.taken(&line);
        Some(line)
    }

    fn taken(&self, line: &Line) {
        if self.counted {
            self.waiting.fetch_sub(line.bytes().len(), Ordering::Relaxed);
        }
    }
}

impl Overrun {
    /// Returns when the client has been given up; never otherwise.
    pub async fn fired(&mut self) {
        if (&mut self.0).await.is_err() {
            std::future::pending().await
        }
    }
}
