//! The connection to a pod: starts one, finds its socket, carries lines both ways.
//!
//! One task owns the socket. What the pod says becomes [`LinkEvent`]s; what it is asked before it answers waits. A
//! connection that drops while the pod lives is made again from the last record that was seen. This file knows
//! processes and sockets and nothing of what the lines mean, but for the sequence number.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
pub use carpel_pod::PodHandle;
use carpel_pod::choice::choose;
use carpel_pod::guide::Pace;
use carpel_pod::permission::Mode;
use carpel_pod::server::place::{running, socket_path};
use carpel_pod::{Pod, PodConfig, SessionChoice, new_session_id};
use carpel_protocol::frame::{LineBuffer, encode};
use carpel_protocol::method::ClientHello;
use carpel_protocol::{Event, EventLine, Method, MethodLine, PROTOCOL};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::chat::event::LinkEvent;
use crate::chat::run::Line;

/// How long a pod may take until it can be reached.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait between two tries to reach it.
const RETRY: Duration = Duration::from_millis(5);

/// Events that may wait for the host; beyond that the socket is not read, and the pod sees a slow client.
const EVENTS: usize = 4096;

/// What a pod is started with.
#[derive(Debug, Clone)]
pub struct PodOptions {
    /// The workspace folder.
    pub cwd: PathBuf,
    /// Who answers.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What may be done without asking.
    pub approval_mode: String,
    /// Which session.
    pub start: Start,
}

/// Which session a pod serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// A new one.
    New,
    /// One that was; its pod is joined where it still runs.
    Resume(String),
}

impl PodOptions {
    /// What a pod in this process is made of. `pace` is how fast a guide plays its answers.
    ///
    /// # Errors
    /// When there is no such provider or model, in words for the person.
    pub fn config(&self, pace: Pace) -> anyhow::Result<PodConfig> {
        let provider = choose(self.provider.as_deref(), self.model.as_deref(), pace)?;
        let mut config = PodConfig::new(&self.cwd, provider);
        config.permissions.mode = mode(&self.approval_mode).map_err(anyhow::Error::msg)?;
        if let Start::Resume(session) = &self.start {
            config.session = SessionChoice::Resume(session.clone());
        }
        Ok(config)
    }

    /// Whether a pod can be made of these, before one is started.
    ///
    /// # Errors
    /// As [`PodOptions::config`].
    pub fn check(&self) -> anyhow::Result<()> {
        self.config(Pace::chat()).map(drop)
    }

    /// Whether its session can be kept, before the screen changes and a person types something.
    ///
    /// # Errors
    /// When its place cannot be written to, in words for the person.
    pub fn check_place(&self) -> anyhow::Result<()> {
        Ok(self.config(Pace::chat())?.check_place()?)
    }

    /// A pod in this process that plays its answers at once. Must be called within a runtime.
    ///
    /// # Errors
    /// When it cannot begin, in words for the person.
    pub fn in_process(&self, client: &str) -> anyhow::Result<PodHandle> {
        let mut config = self.config(Pace::instant())?;
        // Its client is a program, which answers no questions.
        config.asks = false;
        Ok(Pod::in_process(config, client)?)
    }
}

/// The approval mode of that name.
///
/// # Errors
/// A sentence that lists the names.
pub fn mode(name: &str) -> Result<Mode, String> {
    let names = || Mode::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    name.parse().map_err(|_| format!("one of {}", names()))
}

/// Starts a pod of its own and connects to it, in the background. What goes wrong is told as an event.
pub fn start(options: PodOptions) -> Line {
    let (events, receiver) = mpsc::channel(EVENTS);
    let (methods, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let gone = match Link::start(&options, events.clone(), requests).await {
            Ok(link) => link.run().await,
            Err(error) => format!("{error:#}"),
        };
        // Nobody listens any more when the host has left.
        let _ = events.send(LinkEvent::Gone(gone)).await;
    });
    Line { events: receiver, methods }
}

struct Link {
    /// The pod's process, when it was started here.
    pod: Option<Child>,
    socket: PathBuf,
    /// What the pod writes to stderr.
    said: Option<File>,
    events: mpsc::Sender<LinkEvent>,
    requests: mpsc::UnboundedReceiver<MethodLine>,
    /// The last record that was seen.
    since: Option<u64>,
}

/// Why a connection ended.
enum Ended {
    /// It dropped.
    Dropped,
    /// The pod said that it leaves.
    Bye,
    /// The host has left.
    HostLeft,
}

impl Link {
    async fn start(
        options: &PodOptions,
        events: mpsc::Sender<LinkEvent>,
        requests: mpsc::UnboundedReceiver<MethodLine>,
    ) -> anyhow::Result<Link> {
        let (session, is_new) = match &options.start {
            Start::New => (new_session_id(), true),
            Start::Resume(session) => (session.clone(), false),
        };
        let socket = socket_path(&session)?;
        let is_running = running().iter().any(|pod| pod.session == session);
        let said = said();
        let pod = if is_running { None } else { Some(spawn(options, &session, is_new, said.as_ref())?) };
        Ok(Link { pod, socket, said, events, requests, since: None })
    }

    /// Carries lines until the pod is gone; says why it is.
    async fn run(mut self) -> String {
        loop {
            let stream = match self.connect().await {
                Ok(stream) => stream,
                Err(error) => return format!("{error:#}"),
            };
            match self.carry(stream).await {
                Ended::HostLeft => return "the chat has ended".to_owned(),
                Ended::Bye => return "the pod has left".to_owned(),
                Ended::Dropped => drop(self.events.send(LinkEvent::Lost).await),
            }
        }
    }

    async fn connect(&mut self) -> anyhow::Result<UnixStream> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let error = match UnixStream::connect(&self.socket).await {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            let Some(pod) = &mut self.pod else {
                anyhow::bail!(
                    "the pod of this session is gone; leave with :quit, `carpel --continue` goes on"
                );
            };
            if let Some(status) = pod.try_wait().context("the pod's process cannot be asked how it ended")? {
                anyhow::bail!(
                    "the pod ended ({status}){}; leave with :quit, `carpel --continue` goes on",
                    self.last_words()
                );
            }
            if tokio::time::Instant::now() >= deadline {
                return Err(error)
                    .context(format!("the pod cannot be reached at `{}`", self.socket.display()));
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn carry(&mut self, stream: UnixStream) -> Ended {
        let (mut reader, mut writer) = stream.into_split();
        let hello = Method::Hello(ClientHello {
            protocol: PROTOCOL,
            client: format!("carpel-{}", std::process::id()),
            since: self.since,
        });
        if writer.write_all(&encode(&MethodLine::from(hello))).await.is_err() {
            return Ended::Dropped;
        }
        let mut lines = LineBuffer::default();
        let mut bytes = vec![0; 64 * 1024];
        loop {
            tokio::select! {
                read = reader.read(&mut bytes) => match read {
                    Ok(0) | Err(_) => return Ended::Dropped,
                    Ok(count) => {
                        lines.push(&bytes[..count]);
                        if let Some(ended) = self.tell(&mut lines).await {
                            return ended;
                        }
                    }
                },
                request = self.requests.recv() => match request {
                    None => return Ended::HostLeft,
                    Some(request) => if writer.write_all(&encode(&request)).await.is_err() {
                        return Ended::Dropped;
                    },
                },
            }
        }
    }

    async fn tell(&mut self, lines: &mut LineBuffer) -> Option<Ended> {
        while let Some(line) = lines.next_line() {
            let event = match line.and_then(|line| EventLine::decode(&line)) {
                Ok(event) => event,
                Err(error) => {
                    tracing::warn!(%error, "a line of the pod was skipped");
                    continue;
                }
            };
            self.since = seen(&event).max(self.since);
            let leaves = match &event.event {
                // Only this connection ends: what was missed comes with the next.
                Event::Bye(bye) if bye.attach_again => {
                    tracing::warn!(reason = bye.reason, "the pod let this client go");
                    return Some(Ended::Dropped);
                }
                event => matches!(event, Event::Bye(_)),
            };
            if self.events.send(LinkEvent::Event(Box::new(event))).await.is_err() {
                return Some(Ended::HostLeft);
            }
            if leaves {
                return Some(Ended::Bye);
            }
        }
        None
    }

    /// The last line that the pod wrote to stderr, which says why it ended.
    fn last_words(&mut self) -> String {
        let mut text = String::new();
        let said = self.said.as_mut().and_then(|said| {
            said.rewind().ok()?;
            said.read_to_string(&mut text).ok()
        });
        let line = said.and(text.lines().rev().find(|line| !line.trim().is_empty()));
        line.map_or_else(String::new, |line| format!(": {}", line.trim_start_matches("carpel: ")))
    }
}

/// The number of the last record that an event carries.
fn seen(line: &EventLine) -> Option<u64> {
    match &line.event {
        Event::History(history) => history.items.iter().filter_map(|record| record.seq).max(),
        _ => line.seq,
    }
}

/// Starts this very program as a pod, in a process group of its own: Ctrl+C in the terminal is the host's.
fn spawn(options: &PodOptions, session: &str, is_new: bool, said: Option<&File>) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("the program's own file cannot be found")?;
    let mut command = Command::new(program);
    command.arg("pod").arg(if is_new { "--session" } else { "--resume" }).arg(session);
    command.arg("--cwd").arg(&options.cwd).arg("--approval-mode").arg(&options.approval_mode);
    for (name, value) in [("--provider", &options.provider), ("--model", &options.model)] {
        if let Some(value) = value {
            command.arg(name).arg(value);
        }
    }
    let stderr = said.and_then(|said| said.try_clone().ok()).map_or_else(Stdio::null, Stdio::from);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    command.process_group(0);
    command.spawn().context("a pod cannot be started")
}

/// A file without a name that the pod writes its last words to and this process reads them from; nothing is left of
/// it when both have ended. None where there is no folder for it.
fn said() -> Option<File> {
    let path = std::env::temp_dir().join(format!("carpel-{}-{}", std::process::id(), new_session_id()));
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path).ok()?;
    std::fs::remove_file(&path).ok()?;
    Some(file)
}
