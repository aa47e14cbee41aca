//! The connection to a pod: starts one, finds its socket, carries lines both ways.
//!
//! One task owns the socket. What the pod says becomes [`LinkEvent`]s; what it is asked before it answers waits. A
//! connection that drops while the pod lives is made again from the last record that was seen. This file knows
//! processes and sockets and nothing of what the lines mean, but for the sequence number.

mod line_options;
mod process;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
pub use carpel_pod::catalogue::Catalogue;
use carpel_pod::choice::{self, ChoiceError, Name, Wish, Wishes, choose};
pub use carpel_pod::choice::{How, provider_names, without_model};
use carpel_pod::guide::{Guide, Pace};
pub use carpel_pod::home::{Kind, own_folder};
use carpel_pod::permission::Permissions;
pub use carpel_pod::permission::{Mode, Rule, RuleError};
use carpel_pod::provider::Provider;
pub use carpel_pod::provider::endpoint::Thinking;
use carpel_pod::server::place::{socket_of, socket_path};
use carpel_pod::{Pod, PodConfig, SessionChoice, new_session_id};
pub use carpel_pod::{PodHandle, brought::Brought, brought::brought, brought::project_of};
use carpel_protocol::event::Notice;
use carpel_protocol::frame::{LineBuffer, encode};
use carpel_protocol::method::ClientHello;
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Event, EventLine, Method, MethodLine, PROTOCOL};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::sync::mpsc;

use crate::chat::event::LinkEvent;
use crate::chat::run::Line;
pub use crate::link::line_options::LineOptions;
use crate::manifest::{Compaction, GuidePace, Manifest};
use crate::sentence;

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
    /// What the command line says.
    pub line: LineOptions,
    /// What the manifests say.
    pub manifest: Manifest,
    /// Whether the person trusts the folder.
    pub trusted: bool,
    /// What of the folder is not used as long as it is not trusted, as a sentence.
    pub unused: Option<String>,
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
    /// What a pod in this process is made of. `pace` is how fast a guide plays its answers. An address may be asked for its
    /// models, for a bounded time.
    ///
    /// # Errors
    /// When there is no such provider or model, in words for the person.
    pub fn config(&self, pace: Pace) -> anyhow::Result<PodConfig> {
        let choice = choose(&self.wishes(), &environment, pace)?;
        let mut config = self.settled(choice.provider)?;
        config.switch = Some(choice::switch(self.wishes(), environment, pace));
        let told = [("provider", choice.how.notice()), ("untrusted", self.unused.clone())];
        config.notices = told.into_iter().filter_map(|(code, text)| Some(notice(code, text?))).collect();
        Ok(config)
    }

    /// Everything of a pod but who answers, which may take a moment to find out.
    fn settled(&self, provider: Arc<dyn Provider>) -> anyhow::Result<PodConfig> {
        let mut config = PodConfig::new(&self.cwd, provider);
        config.permissions = self.permissions()?;
        config.trusted = self.trusted;
        config.linger.last = self.manifest.linger.unwrap_or(config.linger.last);
        let Compaction { share, keep, model } = self.manifest.compaction.clone();
        config.compaction = Some(carpel_pod::compaction::Settings::wished(share, keep, model));
        if let Start::Resume(session) = &self.start {
            config.session = SessionChoice::Resume(session.clone());
        }
        Ok(config)
    }

    /// Who would answer, and why. An address may be asked for its models, for a bounded time.
    ///
    /// # Errors
    /// When there is no such provider or model, in words for the person.
    pub fn how(&self) -> anyhow::Result<How> {
        Ok(choice::how(&self.wishes(), &environment)?)
    }

    /// Whether a pod can be made of these, before one is started. No address is asked.
    ///
    /// # Errors
    /// As [`PodOptions::config`].
    pub fn check(&self) -> anyhow::Result<()> {
        self.permissions()?;
        Ok(choice::check(&self.wishes(), &environment)?)
    }

    /// How fast a guide plays its answers in a chat.
    pub fn pace(&self) -> Pace {
        match self.manifest.guide_pace {
            Some(GuidePace::Instant) => Pace::instant(),
            Some(GuidePace::Chat) | None => Pace::chat(),
        }
    }

    /// What may be done without asking. The command line's mode is the person's last word; a folder has made the manifest's
    /// stricter at most.
    ///
    /// # Errors
    /// When there is no such mode, in words for the person.
    pub fn permissions(&self) -> anyhow::Result<Permissions> {
        let rules = &self.manifest.permissions;
        let mode = match &self.line.approval_mode {
            Some(name) => mode(name).map_err(anyhow::Error::msg)?,
            None => rules.mode.unwrap_or_default(),
        };
        Ok(Permissions {
            mode,
            allow: rules.allow.clone(),
            ask: rules.ask.clone(),
            deny: rules.deny.clone(),
            ..Permissions::default()
        })
    }

    /// What a person wishes as to who answers.
    fn wishes(&self) -> Wishes {
        let LineOptions { provider, model, base_url, .. } = self.line.clone();
        let settings = self.manifest.model.clone();
        Wishes {
            line: Wish { provider, model, base_url },
            manifest: Wish {
                provider: settings.provider,
                model: settings.model,
                base_url: settings.base_url,
            },
            thinking: settings.thinking,
        }
    }

    /// Whether its session can be kept, before the screen changes and a person types something.
    ///
    /// # Errors
    /// When its place cannot be written to, in words for the person.
    pub fn check_place(&self) -> anyhow::Result<()> {
        // Who answers has no say in it, and finding out may take a moment.
        Ok(self.settled(Arc::new(Guide::new(Pace::instant())))?.check_place()?)
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

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn notice(code: &str, text: String) -> Notice {
    Notice { level: NoticeLevel::Info, code: code.to_owned(), text }
}

/// The approval mode of that name.
///
/// # Errors
/// A sentence that lists the names.
pub fn mode(name: &str) -> Result<Mode, String> {
    let names = || Mode::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    name.parse().map_err(|_| format!("one of {}", names()))
}

/// The name of a provider that there is.
///
/// # Errors
/// A sentence that lists the names.
pub fn provider_name(text: &str) -> Result<String, String> {
    text.parse::<Name>().map(|name| name.text().to_owned()).map_err(|error| error.to_string())
}

/// Whether a pod cannot be made because a key is missing.
pub fn lacks_key(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ChoiceError::NoKey { .. }))
}

/// An address at which a provider can be reached.
///
/// # Errors
/// A sentence with what is wrong.
pub fn base_url(text: &str) -> Result<String, String> {
    choice::address::base_url(text).map_err(|wrong| wrong.of_any_provider())
}

/// Starts a pod of its own and connects to it, in the background. What goes wrong is told as an event.
pub fn start(options: PodOptions) -> Line {
    let (events, receiver) = mpsc::channel(EVENTS);
    let (methods, requests) = mpsc::unbounded_channel();
    let first = methods.clone();
    tokio::spawn(async move {
        let gone = match Link::start(&options, events.clone(), (first, requests)).await {
            Ok(link) => link.run().await,
            Err(error) => sentence::of(&error),
        };
        // Nobody listens any more when the host has left.
        let _ = events.send(LinkEvent::Gone(gone)).await;
    });
    Line { events: receiver, methods }
}

struct Link {
    session: String,
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
        (first, requests): (mpsc::UnboundedSender<MethodLine>, mpsc::UnboundedReceiver<MethodLine>),
    ) -> anyhow::Result<Link> {
        let (session, is_new) = match &options.start {
            Start::New => (new_session_id(), true),
            Start::Resume(session) => (session.clone(), false),
        };
        let socket = socket_path(&session)?;
        let is_running = socket_of(&session).is_some();
        if let Some(change) = options.line.change().filter(|_| is_running) {
            let _ = first.send(change);
        }
        let said = process::said(&session);
        let pod =
            if is_running { None } else { Some(process::spawn(options, &session, is_new, said.as_ref())?) };
        Ok(Link { session, pod, socket, said, events, requests, since: None })
    }

    /// Carries lines until the pod is gone; says why it is.
    async fn run(mut self) -> String {
        loop {
            let stream = match self.connect().await {
                Ok(stream) => stream,
                Err(error) => return sentence::of(&error),
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
                anyhow::bail!("the pod of this session is gone; {}", self.way_out());
            };
            if let Some(status) = pod.try_wait().context("the pod's process cannot be asked how it ended")? {
                let words = process::last_words(self.said.as_mut());
                anyhow::bail!("{}", process::ended(status, words, &self.way_out()));
            }
            if tokio::time::Instant::now() >= deadline {
                return Err(error)
                    .context(format!("the pod cannot be reached at `{}`", self.socket.display()));
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// What a person can do when the pod is gone. A session of which nothing was seen is none to go on with.
    fn way_out(&self) -> String {
        match self.since {
            Some(_) => format!("leave with :quit, `carpel --resume {}` goes on", self.session),
            None => "leave with :quit and start again".to_owned(),
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
}

/// The number of the last record that an event carries.
fn seen(line: &EventLine) -> Option<u64> {
    match &line.event {
        Event::History(history) => history.items.iter().filter_map(|record| record.seq).max(),
        _ => line.seq,
    }
}
