//! `carpel exec "PROMPT"`: one turn without a terminal.
//!
//! The answer goes to stdout as the model wrote it, so that it can be kept or piped; what was thought and done for it
//! goes to stderr, drawn as the chat draws it. With `--json` stdout has the events instead, one a line. There is nobody
//! to ask, so what would need a person's yes is refused.

use std::collections::VecDeque;
use std::io::Read;
use std::time::{Duration, Instant};

use anyhow::Context;
use carpel_protocol::frame::encode;
use carpel_protocol::method::{Nothing, Run};
use carpel_protocol::word::{PodState, RunMode, TurnEndReason};
use carpel_protocol::{Event, Method};
use carpel_slots::{Printable, Registry};
use clap::Args;

use crate::cli::exit::{Exit, WrongUsage};
use crate::cli::{Common, folders, look, out};
use crate::link::PodHandle;
use crate::paint::{Paint, PaintCx, Place};
use crate::render::highlight::Highlighter;
use crate::render::painter::Painter;
use crate::transcript::Transcript;
use crate::transcript::item::{FlowItem, ItemBody};

/// Columns of what goes to stderr.
const WIDTH: usize = 100;

/// Run one turn without a terminal: the answer goes to stdout, what is done for it to stderr.
#[derive(Args)]
pub struct Exec {
    /// What to do; `-` reads it from stdin.
    prompt: String,
    /// Print the events as JSON Lines instead.
    #[arg(long)]
    json: bool,
}

impl Exec {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(WrongUsage("the prompt is empty; say what to do".to_owned()).into());
        }
        let pod = common.pod()?;
        pod.check().map_err(|error| WrongUsage(error.to_string()))?;
        let folders = folders(&pod.cwd);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let pod = pod.in_process("carpel-exec")?;
            if self.json {
                return turn(pod, text, |event| out::print(&String::from_utf8_lossy(&encode(event)))).await;
            }
            let (look, _) = look::from_environment();
            let painter = Painter::new(look, Registry::linked(), folders, Highlighter::inline());
            let mut told = Told { transcript: Transcript::new(), painter, next: 0, common: common.clone() };
            let started = Instant::now();
            turn(pod, text, move |event| told.event(event, started.elapsed())).await
        });
        runtime.shutdown_background();
        ended
    }

    fn text(&self) -> anyhow::Result<String> {
        if self.prompt != "-" {
            return Ok(self.prompt.clone());
        }
        let mut text = String::new();
        std::io::stdin()
            .lock()
            .read_to_string(&mut text)
            .context("the prompt could not be read from stdin")?;
        Ok(text)
    }
}

/// Runs one turn and tells every event.
async fn turn(
    mut pod: PodHandle,
    text: String,
    mut tell: impl FnMut(&carpel_protocol::EventLine) -> std::io::Result<()>,
) -> anyhow::Result<Exit> {
    pod.send(Method::Run(Run { text, attachments: Vec::new(), mode: RunMode::Now }));
    let mut interrupted = false;
    let mut ended = None;
    loop {
        let line = tokio::select! {
            line = pod.next() => line.context("the pod left before the turn was done")?,
            signal = tokio::signal::ctrl_c(), if !interrupted => {
                signal.context("Ctrl+C cannot be waited for")?;
                interrupted = true;
                pod.send(Method::Cancel(Nothing {}));
                continue;
            }
        };
        tell(&line).context("standard output cannot be written to")?;
        match &line.event {
            // The pod's last word of a turn: with it a recording of the events is whole.
            Event::State(state) if state.state == PodState::Idle && ended.is_some() => {
                return ended.unwrap_or(Ok(Exit::Done));
            }
            Event::TurnEnd(end) => {
                ended = Some(match (&end.reason, &end.message) {
                    (TurnEndReason::Completed, _) => Ok(Exit::Done),
                    (TurnEndReason::Cancelled, _) => Ok(Exit::Interrupted),
                    (reason, None) => Err(anyhow::anyhow!("the turn ended: {reason}")),
                    (_, Some(message)) => Err(anyhow::anyhow!("{message}")),
                });
            }
            Event::Rejected(rejected) => anyhow::bail!("{}", rejected.message),
            _ => {}
        }
    }
}

/// What has been told of the turn.
struct Told {
    transcript: Transcript,
    painter: Painter,
    /// How many items have been told.
    next: usize,
    common: Common,
}

impl Told {
    /// Folds an event and tells the items that nothing will change any more.
    fn event(&mut self, line: &carpel_protocol::EventLine, now: Duration) -> std::io::Result<()> {
        self.transcript.apply(line, now);
        let is_over = matches!(line.event, Event::TurnEnd(_));
        let items = self.transcript.items();
        let settled = |at: usize, item: &FlowItem| is_over || (at + 1 < items.len() && is_settled(item));
        let mut due: VecDeque<FlowItem> = VecDeque::new();
        while let Some(item) = items.get(self.next).filter(|item| settled(self.next, item)) {
            due.push_back(item.clone());
            self.next += 1;
        }
        due.iter().try_for_each(|item| self.tell(item, now))
    }

    fn tell(&mut self, item: &FlowItem, now: Duration) -> std::io::Result<()> {
        let cx = PaintCx { width: WIDTH, density: self.common.density, now, place: Place::Settled };
        let rows = match &item.body {
            ItemBody::User { .. } => return Ok(()),
            ItemBody::Text { text, .. } => {
                let rows: String =
                    Printable::prose_lines(text).iter().map(|row| format!("{row}\n")).collect();
                return out::print(&rows);
            }
            ItemBody::Call(call) => self
                .painter
                .call(call, None, &cx)
                .into_iter()
                .flat_map(|card| [card.header, card.body])
                .flatten()
                .collect(),
            _ => self.painter.item(item, &cx),
        };
        rows.iter().for_each(|row| out::error(&row.text()));
        Ok(())
    }
}

fn is_settled(item: &FlowItem) -> bool {
    match &item.body {
        ItemBody::Call(call) => call.state.is_settled(),
        ItemBody::Text { closed, .. } => *closed,
        _ => true,
    }
}
