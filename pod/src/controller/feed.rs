//! The way of events to one client: what it gets first, then what follows, without ever holding up the pod.
//!
//! Owns the bound on what waits for a client. Sending never waits; a client that leaves too much unread is dropped, hears
//! why as soon as it reads, and may attach again from the last record that it has. One large line, such as the echo of a
//! prompt, may wait beside what the bound counts: nobody can read faster than a line at a time. It refuses to know sockets; a line is encoded once for all who
//! want its bytes. Read next: `hub.rs`, which sends.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use carpel_protocol::event::Bye;
use carpel_protocol::frame::encode;
use carpel_protocol::{Event, EventLine};
use tokio::sync::{mpsc, oneshot};

/// A line is large from this share of the limit on.
const LARGE: usize = 8;

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
    waiting: Arc<Waiting>,
    limit: Option<usize>,
    overrun: Option<oneshot::Sender<()>>,
}

/// What was sent and not yet taken.
#[derive(Debug, Default)]
struct Waiting {
    /// Bytes, save those of the large line.
    bytes: AtomicUsize,
    /// The one large line: its address while it waits, 0 when there is none.
    large: AtomicUsize,
    overrun: AtomicBool,
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
    waiting: Arc<Waiting>,
    counted: bool,
    parted: bool,
}

/// Tells that the client was dropped because it did not read.
#[derive(Debug)]
pub struct Overrun(oneshot::Receiver<()>);

/// A feed that begins with `first`. Of what follows at most `limit` bytes wait; without a limit, any number.
pub fn feed(first: Vec<Arc<Line>>, limit: Option<usize>) -> (FeedSender, Feed) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (overrun, overran) = oneshot::channel();
    let waiting = Arc::new(Waiting::default());
    let lines = FeedLines {
        first: first.into(),
        lines: receiver,
        waiting: waiting.clone(),
        counted: limit.is_some(),
        parted: false,
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
        if let Some(limit) = self.limit
            && !self.waiting.add(line, limit)
        {
            self.waiting.overrun.store(true, Ordering::Release);
            if let Some(overrun) = self.overrun.take() {
                // The client may have gone by itself.
                let _ = overrun.send(());
            }
            return false;
        }
        self.lines.send(line.clone()).is_ok()
    }
}

impl FeedLines {
    /// The next line; `None` when the pod has left or has dropped this client.
    pub async fn next(&mut self) -> Option<Arc<Line>> {
        if self.is_overrun() {
            return self.part();
        }
        if let Some(line) = self.first.pop_front() {
            return Some(line);
        }
        let Some(line) = self.lines.recv().await else {
            return if self.is_overrun() { self.part() } else { None };
        };
        self.taken(&line);
        Some(line)
    }

    /// The next line if one is there already.
    pub fn try_next(&mut self) -> Option<Arc<Line>> {
        if self.is_overrun() {
            return None;
        }
        if let Some(line) = self.first.pop_front() {
            return Some(line);
        }
        let line = self.lines.try_recv().ok()?;
        self.taken(&line);
        Some(line)
    }

    fn taken(&self, line: &Arc<Line>) {
        if self.counted {
            self.waiting.take(line);
        }
    }

    fn is_overrun(&self) -> bool {
        self.waiting.overrun.load(Ordering::Acquire)
    }

    /// The last line of a client that was dropped, once; what waits for it is thrown away.
    fn part(&mut self) -> Option<Arc<Line>> {
        self.first.clear();
        self.lines.close();
        while self.lines.try_recv().is_ok() {}
        (!std::mem::replace(&mut self.parted, true)).then(|| {
            let reason = "too much was unread; attach again to go on from the last record".to_owned();
            Line::new(Event::Bye(Bye { reason, attach_again: true }))
        })
    }
}

impl Waiting {
    /// False when the line is too much.
    fn add(&self, line: &Arc<Line>, limit: usize) -> bool {
        let size = line.bytes().len();
        if size > limit / LARGE {
            let claimed = self.large.compare_exchange(0, address(line), Ordering::AcqRel, Ordering::Acquire);
            if claimed.is_ok() {
                return true;
            }
        }
        self.bytes.fetch_add(size, Ordering::Relaxed) + size <= limit
    }

    fn take(&self, line: &Arc<Line>) {
        let freed =
            self.large.compare_exchange(address(line), 0, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if !freed {
            self.bytes.fetch_sub(line.bytes().len(), Ordering::Relaxed);
        }
    }
}

/// A line that waits is alive, so that its address names it.
fn address(line: &Arc<Line>) -> usize {
    Arc::as_ptr(line) as usize
}

impl Overrun {
    /// Returns when the client has been given up; never otherwise.
    pub async fn fired(&mut self) {
        if (&mut self.0).await.is_err() {
            std::future::pending().await
        }
    }
}
