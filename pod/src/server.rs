//! Carries lines between a pod and its clients: over a local socket, or over stdin and stdout.
//!
//! Owns who may connect, how long the pod lives and how it leaves. Several clients may be attached; none can hold up
//! the pod. Nothing here runs while nothing happens: the only timers are those of a pod without a client. It refuses to
//! know what the lines mean. Read next: `server/connection.rs`, `server/place.rs`.

mod connection;
pub mod place;
mod stdio;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::connection::{AtEnd, Manner, Reader};
use self::place::Place;
use self::stdio::Stdio;
use crate::controller::hub::Attached;
use crate::controller::{Controller, Leave};

/// How long clients have to read a `bye`.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A pod without a client looks after its workspace no more often than this.
const SHORTEST_LOOK: Duration = Duration::from_millis(20);

/// Bytes that may wait for a client before it is given up.
const UNREAD: usize = 8 * 1024 * 1024;

/// Why a pod cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The id cannot be a file name.
    #[error("session `{id}`: an id is 1 to 64 letters, digits, `-` and `_`; choose another")]
    SessionId { id: String },
    /// The socket's directory is not safe.
    #[error("the socket's directory {} {fact}", path.display())]
    Directory { path: PathBuf, fact: String },
    /// Another pod listens there.
    #[error("{}: a pod serves this session already; attach to it", path.display())]
    InUse { path: PathBuf },
    /// Something else has that name.
    #[error("{} is no socket; remove it or choose another session", path.display())]
    NotASocket { path: PathBuf },
    /// The system said no.
    #[error("{}: the socket cannot be made: {source}", path.display())]
    Bind { path: PathBuf, source: io::Error },
    /// Signals cannot be heard.
    #[error("signals cannot be heard: {0}")]
    Signals(io::Error),
    /// Reading or writing failed.
    #[error("the connection broke: {0}")]
    Connection(io::Error),
}

/// How long a pod without a client waits for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linger {
    /// For the first to come.
    pub first: Duration,
    /// After the last has left, while nothing runs. A session in which nothing was said waits no longer than for its first.
    pub last: Duration,
}

impl Default for Linger {
    fn default() -> Self {
        Self { first: Duration::from_secs(15), last: Duration::from_secs(10 * 60) }
    }
}

impl Linger {
    /// When a pod ends that nobody comes to, and when one that is at work without a client looks whether its workspace is
    /// still there: a question about a folder that is gone would keep it for ever.
    fn deadlines(self, pod: &Controller) -> (Option<Instant>, Option<Instant>) {
        let alone = pod.hub().attached.borrow().now == 0 && *pod.hub().busy.borrow();
        let look_at = alone.then(|| Instant::now() + self.last.max(SHORTEST_LOOK));
        (self.of(pod).map(|wait| Instant::now() + wait), look_at)
    }

    /// How long a pod waits from now on; `None` while it has a client, or something to do.
    fn of(self, pod: &Controller) -> Option<Duration> {
        let attached = *pod.hub().attached.borrow();
        if attached.now > 0 || *pod.hub().busy.borrow() {
            return None;
        }
        let begun = attached.ever > 0 && pod.hub().lock().session.is_begun();
        Some(match attached {
            Attached { ever: 0, .. } => self.first,
            Attached { .. } if begun => self.last,
            Attached { .. } => self.last.min(self.first),
        })
    }
}

/// Serves clients on a socket at `path` until the pod leaves.
///
/// # Errors
/// [`ServeError`] when the socket cannot be made safely, or signals cannot be heard.
pub async fn serve_socket(pod: &Controller, path: &Path, linger: Linger) -> Result<(), ServeError> {
    let uid = rustix::process::geteuid().as_raw();
    serve_on(pod, path, Terms { linger, uid, unread: UNREAD }).await
}

/// On what terms clients are served.
#[derive(Debug, Clone, Copy)]
struct Terms {
    linger: Linger,
    /// The user whose clients are let in.
    uid: u32,
    /// Bytes that may wait for a client before it is given up.
    unread: usize,
}

async fn serve_on(pod: &Controller, path: &Path, terms: Terms) -> Result<(), ServeError> {
    let Terms { linger, uid, unread } = terms;
    let place = Place::claim(path, rustix::process::geteuid().as_raw())?;
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let mut clients = JoinSet::new();
    let (mut attached, mut busy) = (pod.hub().attached.subscribe(), pod.hub().busy.subscribe());
    let mut alone_until = Some(Instant::now() + linger.first);
    let mut look_at = None;
    loop {
        tokio::select! {
            accepted = place.listener.accept() => match accepted {
                Ok((stream, _)) if is_peer(&stream, uid) => {
                    clients.spawn(serve_stream(pod.clone(), stream, unread));
                }
                Ok(_) => tracing::warn!("a client of another user was sent away"),
                Err(error) => {
                    tracing::error!(%error, "a client could not be let in");
                    // Out of file handles, for instance: trying again at once would only burn time.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = clients.join_next() => {}
            Ok(()) = attached.changed() => (alone_until, look_at) = linger.deadlines(pod),
            Ok(()) = busy.changed() => (alone_until, look_at) = linger.deadlines(pod),
            () = until(alone_until) => {
                alone_until = None;
                pod.stop("no client is attached any more", Leave::Now);
            }
            () = until(look_at) => {
                look_at = None;
                match pod.homeless() {
                    Some(why) => pod.stop(&format!("no client is attached, and {why}"), Leave::Now),
                    None => (_, look_at) = linger.deadlines(pod),
                }
            }
            name = signals.next() => pod.stop(&format!("{name} came"), Leave::Now),
            () = pod.gone() => break,
        }
    }
    drop(place);
    last_words(clients).await;
    Ok(())
}

/// Serves one client on stdin and stdout until it leaves. When the input ends, the running turn is finished first.
///
/// # Errors
/// [`ServeError`] when reading or writing fails, or signals cannot be heard.
pub async fn serve_stdio(pod: &Controller) -> Result<(), ServeError> {
    let stdio = stdio::open().map_err(ServeError::Connection)?;
    serve_bridge(pod, stdio).await
}

async fn serve_bridge(pod: &Controller, stdio: Stdio) -> Result<(), ServeError> {
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let (from, to) = stdio.stream.into_split();
    let served = {
        let client =
            connection::serve(pod, Reader::new(from), to, Manner { at_end: AtEnd::Finish, unread: UNREAD });
        tokio::pin!(client);
        loop {
            tokio::select! {
                served = &mut client => break served,
                name = signals.next() => pod.stop(&format!("{name} came"), Leave::Now),
            }
        }
    };
    // The client may have gone in the middle of a turn.
    pod.stop("the client left", Leave::Now);
    pod.gone().await;
    if tokio::time::timeout(LAST_WORDS, stdio.written).await.is_err() {
        tracing::warn!("nobody read the end of stdout");
    }
    match served {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ServeError::Connection(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

async fn serve_stream(pod: Controller, stream: UnixStream, unread: usize) {
    let (from, to) = stream.into_split();
    if let Err(error) =
        connection::serve(&pod, Reader::new(from), to, Manner { at_end: AtEnd::Detach, unread }).await
    {
        tracing::debug!(%error, "a client's connection broke");
    }
}

fn is_peer(stream: &UnixStream, uid: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == uid)
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Gives clients a moment to take what was sent to them; who does not is cut off.
async fn last_words(mut clients: JoinSet<()>) {
    let all = async { while clients.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_WORDS, all).await.is_err() {
        tracing::warn!("a client did not read the end");
    }
}

/// The signals that ask a program to end.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
