//! `carpel exec "PROMPT"`: one turn without a terminal.
//!
//! The answer goes to stdout as the model wrote it, so that it can be kept or piped; what was thought and done for it
//! goes to stderr, drawn as the chat draws it, without colours. With `--json` stdout has the events instead, one a line. There is
//! nobody to ask, so what would need a person's yes is refused. A signal cancels the turn, a second one does not wait.
//! Read next: `exec/prompt.rs` (what is asked), `exec/told.rs` (what is printed), `exec/ending.rs` (the exit code).

mod ending;
mod prompt;
mod told;

use std::time::Instant;

use anyhow::Context;
use carpel_protocol::frame::encode;
use carpel_protocol::method::{Nothing, Run};
use carpel_protocol::word::{PodState, RunMode};
use carpel_protocol::{Event, EventLine, Method};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::ending::Ending;
use self::told::Told;
use crate::cli::exit::{self, Exit, WrongUsage};
use crate::cli::out::{self, Heard};
use crate::cli::{Common, Going, folders, look};
use crate::link::{PodHandle, Start};
use crate::render::highlight::Highlighter;
use crate::render::painter::Painter;

/// The name of this client, by which its runs are known among the sessions.
pub(super) const CLIENT: &str = "carpel-exec";

/// Run one turn without a terminal: the answer goes to stdout, what is done for it to stderr.
#[derive(Args)]
#[command(after_help = ending::HELP)]
pub struct Exec {
    /// What to do; `-`, or no PROMPT where stdin is no terminal, reads it from stdin.
    prompt: Option<String>,
    /// Print the events as JSON Lines instead.
    #[arg(long)]
    json: bool,
    /// Go on with the latest session of this folder.
    #[arg(long = "continue", conflicts_with = "resume")]
    goes_on: bool,
    /// Go on with a session, named by its id or the beginning of it.
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
}

impl Exec {
    /// `before` is what stood before the subcommand.
    pub(super) fn run(&self, common: &Common, before: &Going) -> anyhow::Result<Exit> {
        let mut pod = common.pod()?;
        // What is wrong with the command line is told before stdin is waited for.
        pod.start = self.start(common, before)?;
        pod.check().map_err(exit::of_options)?;
        let text = prompt::of(self.prompt.as_deref())?;
        let folders = folders(&pod.cwd);
        let ending = Ending::new(&common.approval_mode);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let signals = Signals::new()?;
            let pod = pod.in_process(CLIENT)?;
            if self.json {
                let line = |event: &EventLine| out::json(&String::from_utf8_lossy(&encode(event)));
                return turn(pod, text, ending, signals, line).await;
            }
            let look = look::from_environment(common.theme).look();
            let painter = Painter::new(look, common.registry(), folders, Highlighter::inline());
            let mut told = Told::new(painter, common.density);
            let started = Instant::now();
            turn(pod, text, ending, signals, move |event| told.event(event, started.elapsed())).await
        });
        // A tool that does not hear its cancel must not hold up the end of the process.
        runtime.shutdown_background();
        ended
    }

    fn start(&self, common: &Common, before: &Going) -> anyhow::Result<Start> {
        let own = Going { goes_on: self.goes_on, resume: self.resume.clone().map(Some) };
        let going = match (own.is_named(), before.is_named()) {
            (true, true) => {
                let sentence = "the session is named twice; say --continue or --resume ID once";
                return Err(WrongUsage(sentence.to_owned()).into());
            }
            (false, true) => before,
            (true | false, false) => &own,
        };
        going.start(&common.workspace()?)
    }
}

/// The signals that end a turn.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be waited for");
        Ok(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Runs one turn and tells every event.
async fn turn(
    mut pod: PodHandle,
    text: String,
    mut ending: Ending,
    mut signals: Signals,
    mut tell: impl FnMut(&EventLine) -> std::io::Result<Heard>,
) -> anyhow::Result<Exit> {
    pod.send(Method::Run(Run { text, attachments: Vec::new(), mode: RunMode::Now }));
    let mut interrupted = false;
    let mut unread = false;
    loop {
        let line = tokio::select! {
            line = pod.next() => line.context("the pod left before the turn was done")?,
            () = signals.next() => {
                if interrupted {
                    return Ok(Exit::Interrupted);
                }
                interrupted = true;
                pod.send(Method::Cancel(Nothing {}));
                continue;
            }
        };
        if !unread && tell(&line)? == Heard::NobodyReads {
            // Nobody waits for the answer any more: nothing more is done for it.
            unread = true;
            pod.send(Method::Cancel(Nothing {}));
        }
        ending.event(&line.event);
        match &line.event {
            // The pod's last word of a turn: with it a recording of the events is whole.
            Event::State(state) if state.state == PodState::Idle && ending.has_ended() => {
                return match (interrupted, unread) {
                    (true, _) => Ok(Exit::Interrupted),
                    (false, true) => Ok(Exit::Done),
                    (false, false) => ending.exit(),
                };
            }
            // A cancel that comes after the end of the turn is refused, and changes nothing.
            Event::Rejected(_) if interrupted || unread => {}
            Event::Rejected(rejected) => anyhow::bail!("{}", rejected.message),
            _ => {}
        }
    }
}
