//! A whole pod, as a host names it: configured once, then served or kept in the process.
//!
//! Owns the ways to run one: on a socket, on stdin and stdout, in the process of its only client.
//! Everything here runs inside a tokio runtime, of one thread or many. A tool that ignores its cancel keeps a blocking
//! thread: end the runtime with `shutdown_background`, or its drop waits for that tool. Read next: `pod/config.rs`.

mod alone;
mod config;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carpel_protocol::{EventLine, MethodLine};

pub use self::alone::run_tool_alone;
use self::config::controller;
pub use self::config::{PodConfig, SessionChoice, new_session_id};
use crate::controller::feed::{Feed, Line};
use crate::controller::hub::{Attach, ClientId};
use crate::controller::{Controller, Leave};
use crate::log::error::LogError;
use crate::log::lock::Holder;
use crate::server::{self, ServeError};

/// Why a pod cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PodError {
    /// The workspace is not there.
    #[error("the workspace {path} cannot be opened: {source}; name a folder that exists")]
    Workspace { path: String, source: std::io::Error },
    /// Another pod has the session; `socket` is where it can be attached to, when it answers there.
    #[error("session {id} is in use by {holder}; {}", way_out(id, socket.as_deref()))]
    Held { id: String, holder: Holder, socket: Option<PathBuf> },
    /// The session cannot be gone on with.
    #[error("{}", with_way_out(.0))]
    Log(#[from] LogError),
    /// Clients cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

fn with_way_out(error: &LogError) -> String {
    match error {
        LogError::Io { .. } => format!("{error}; {}", error.way_out()),
        // The others say it themselves.
        error => error.to_string(),
    }
}

fn way_out(id: &str, socket: Option<&Path>) -> String {
    match socket {
        Some(socket) => format!("attach with `carpel attach {id}` (at {})", socket.display()),
        None => "end that process first".to_owned(),
    }
}

/// A pod that serves until its end.
pub struct Pod;

impl Pod {
    /// Serves clients on a socket at `path` (see [`crate::server::place::socket_path`]) until the pod leaves.
    ///
    /// # Errors
    /// [`PodError`] when the workspace cannot be opened or the socket cannot be made safely.
    pub async fn serve_socket(config: PodConfig, path: &Path) -> Result<(), PodError> {
        let linger = config.linger;
        let pod = controller(config)?;
        Ok(server::serve_socket(&pod, path, linger).await?)
    }

    /// Serves one client on stdin and stdout until it leaves; when stdin ends, after the running turn.
    ///
    /// # Errors
    /// [`PodError`] when the workspace cannot be opened or the connection breaks.
    pub async fn serve_stdio(config: PodConfig) -> Result<(), PodError> {
        let pod = controller(config)?;
        Ok(server::serve_stdio(&pod).await?)
    }

    /// A pod in this process with one client, which is attached already: its first events are `hello`, `history` and
    /// `state`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`PodError`] when the workspace cannot be opened.
    pub fn in_process(config: PodConfig, client: &str) -> Result<PodHandle, PodError> {
        let pod = controller(config)?;
        let hello = pod.hub().hello();
        let attach =
            Attach { name: client.to_owned(), since: None, known_title: hello.title.clone(), limit: None };
        let (client, feed) = pod.attach(attach);
        let hello = Some(pod.hub().hello_line(hello));
        Ok(PodHandle { methods: MethodSender { pod, client }, events: EventReceiver { hello, feed } })
    }
}

/// A pod in this process. When its methods' end is dropped the pod ends.
pub struct PodHandle {
    pub methods: MethodSender,
    pub events: EventReceiver,
}

impl PodHandle {
    /// Asks the pod for something. Must be called within a tokio runtime.
    pub fn send(&self, method: impl Into<MethodLine>) {
        self.methods.send(method);
    }

    /// The next event; `None` when the pod has left.
    pub async fn next(&mut self) -> Option<EventLine> {
        self.events.next().await
    }
}

/// The way to a pod in this process.
pub struct MethodSender {
    pod: Controller,
    client: ClientId,
}

impl MethodSender {
    /// Asks the pod for something. Must be called within a tokio runtime.
    pub fn send(&self, method: impl Into<MethodLine>) {
        self.pod.handle(self.client, method.into());
    }
}

impl Drop for MethodSender {
    fn drop(&mut self) {
        self.pod.stop("its only client left", Leave::Now);
        self.pod.detach(self.client);
    }
}

/// The way from a pod in this process.
pub struct EventReceiver {
    hello: Option<Arc<Line>>,
    feed: Feed,
}

impl EventReceiver {
    /// The next event; `None` when the pod has left. May be dropped while it waits without losing one.
    pub async fn next(&mut self) -> Option<EventLine> {
        let line = match self.hello.take() {
            Some(hello) => hello,
            None => self.feed.lines.next().await?,
        };
        Some(line.event().clone())
    }
}
