//! The one life of a compaction, whoever asked for it: begun, asked, checked, written, told; or failed, with nothing changed.
//!
//! Owns that order. A person's compaction runs between turns, an automatic one between two steps of a turn; both are the
//! same [`carry_out`]. The mark in the log comes last, so that a pod that is killed at any moment has either not compacted or
//! done so wholly. Whoever drops it in the middle has cancelled it, and that is told. It refuses to know how a history is
//! cut and summed up (`../compaction.rs`). Read next: `oversee.rs`, `queue.rs`.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::{CompactDone, CompactFailed, CompactStart, Notice, Usage};
use carpel_protocol::item::Compaction;
use carpel_protocol::method::Compact;
use carpel_protocol::word::{CompactTrigger, NoticeLevel, PodState};
use carpel_protocol::{Event, EventLine, Item};

use super::Controller;
use super::hub::{Hub, Inner};
use crate::choice::{Switch, Wanted, provider_names};
use crate::compaction::Settings;
use crate::compaction::attempts::Attempts;
use crate::compaction::measure::{self, Measured};
use crate::compaction::plan::{Keep, Plan, plan};
use crate::compaction::summary::{Failed, summary};
use crate::log::error::LogError;
use crate::log::{Rotation, Written};
use crate::provider::{Message, Provider};
use crate::session::conversation::{messages_for, summary_message};
use crate::state::{Refusal, log_failed};
use crate::tools::Cancel;
use crate::worker::overseer::Next;

/// What a pod knows of compacting.
#[derive(Default)]
pub struct Compacting {
    /// Absent: none happens.
    pub settings: Option<Settings>,
    /// Makes the model that sums up, where that is another.
    pub switch: Option<Switch>,
    pub measured: Measured,
    pub attempts: Attempts,
    /// Ends the one that a person asked for.
    pub running: Option<Cancel>,
    /// What was told as begun and is not over.
    pub told: Option<CompactTrigger>,
}

/// What the model is about to be asked, by its size.
pub(super) struct Asked {
    /// Tokens of what stands around every conversation, and of the messages.
    standing: u64,
    said: u64,
    provider: Arc<dyn Provider>,
}

impl Asked {
    pub(super) fn of(next: &Next<'_>) -> Self {
        Self {
            standing: measure::standing(next.system, next.tools),
            said: measure::messages(next.messages),
            provider: next.provider.clone(),
        }
    }
}

/// A compaction that may begin.
struct Job {
    trigger: CompactTrigger,
    plan: Plan,
    /// Who sums up.
    provider: Arc<dyn Provider>,
    instructions: Option<String>,
    /// Tokens of the whole request before, and what of them stands around every conversation.
    before: u64,
    standing: u64,
    /// The window of who answers.
    window: Option<u64>,
    retry_delays: Vec<Duration>,
}

impl Controller {
    /// Begins a compaction that a person asks for.
    pub(super) fn compact(&self, inner: &mut Inner, compact: &Compact) -> Result<(), Refusal> {
        self.hub.recover(inner).map_err(log_failed)?;
        let answering = self.worker.provider();
        let around = self.worker.standing();
        let standing = measure::standing(&around.system, &around.tools);
        let told = messages_for(answering.model(), inner.session.records());
        let before = inner.compaction.measured.of(standing + measure::messages(&told));
        let mut job = job(inner, &answering, CompactTrigger::Manual, before, standing)?;
        job.instructions.clone_from(&compact.instructions);
        job.retry_delays = self.worker.retry_delays().to_vec();
        let cancel = Cancel::new();
        inner.compaction.running = Some(cancel.clone());
        self.hub.set_state(inner, PodState::Compacting);
        let life = Life::begin(&self.hub, inner, &job.trigger);
        let pod = self.clone();
        tokio::spawn(async move {
            let hub = pod.hub.clone();
            // A task of its own: should it break down, the pod is still free again.
            let running = tokio::spawn(async move {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => false,
                    done = carry_out(&hub, life, job) => done,
                }
            });
            let broke_down =
                running.await.inspect_err(|error| tracing::error!(%error, "compacting broke down"));
            pod.compacted(broke_down.unwrap_or(false));
        });
        Ok(())
    }

    fn compacted(&self, done: bool) {
        let inner = &mut *self.hub.lock();
        let was_cancelled = inner.compaction.running.take().is_none_or(|cancel| cancel.is_cancelled());
        if done {
            inner.compaction.attempts.reset();
        }
        if inner.leaving.is_some() {
            self.hub.leave(inner);
        } else if !self.go_on(inner, !was_cancelled) {
            self.hub.set_state(inner, PodState::Idle);
        }
    }
}

/// Before the model is asked: compacts what has grown too large for its window. Returns the history that the turn goes
/// on with, when it is another.
pub(super) async fn between(hub: &Arc<Hub>, next: &Asked) -> Option<Vec<Message>> {
    let Asked { standing, said, .. } = *next;
    let (life, job, before, threshold) = {
        let inner = &mut *hub.lock();
        let estimate = standing + said + inner.queue.steering().unwrap_or(0).div_ceil(4) as u64;
        let before = inner.compaction.measured.of(estimate);
        inner.compaction.measured.asks(estimate);
        let settings = inner.compaction.settings.as_ref()?;
        let threshold = settings.threshold(next.provider.context_limit()?);
        let is_due = inner.compaction.attempts.is_due(before, threshold);
        // A pod that leaves behind this turn still has to get through it.
        let may = matches!(inner.state, PodState::Running | PodState::Stopping) && inner.trouble.is_none();
        if !is_due || !may {
            return None;
        }
        let job = match job(inner, &next.provider, CompactTrigger::Auto, before, standing) {
            Ok(job) => job,
            Err(refusal) => {
                inner.compaction.attempts.in_vain(before);
                let text = format!(
                    "the conversation fills {before} tokens of the window and was not compacted: {}",
                    refusal.message
                );
                warn(hub, inner, refusal.code, text);
                return None;
            }
        };
        if inner.state == PodState::Running {
            hub.set_state(inner, PodState::Compacting);
        }
        (Life::begin(hub, inner, &job.trigger), job, before, threshold)
    };
    let done = carry_out(hub, life, job).await;
    let inner = &mut *hub.lock();
    if inner.state == PodState::Compacting {
        hub.set_state(inner, PodState::Running);
    }
    let told = messages_for(next.provider.model(), inner.session.records());
    let after = standing + measure::messages(&told);
    if done && after <= threshold {
        inner.compaction.attempts.reset();
    } else if inner.compaction.attempts.in_vain(if done { after } else { before }) {
        let text = "compacting came to nothing three times and is not tried again by itself; make room with :compact, choose a model with a larger window with :model, or start a new session";
        warn(hub, inner, "compacting_stopped", text.to_owned());
    } else if done {
        let text = format!(
            "what has to stay still fills {after} tokens, more than the {threshold} from which on the history is compacted; lower `keep` or raise `share` below [compaction] in the manifest, or choose a model with a larger window with :model"
        );
        warn(hub, inner, "no_room", text);
    }
    inner.compaction.measured.asks(after);
    done.then_some(told)
}

fn warn(hub: &Hub, inner: &mut Inner, code: &str, text: String) {
    let (level, code) = (NoticeLevel::Warning, code.to_owned());
    hub.tell(inner, Event::Notice(Notice { level, code, text }));
}

/// What there is to do, or why nothing can be done.
fn job(
    inner: &Inner,
    answering: &Arc<dyn Provider>,
    trigger: CompactTrigger,
    before: u64,
    standing: u64,
) -> Result<Job, Refusal> {
    let Some(settings) = &inner.compaction.settings else {
        let text = "this pod has no settings for compacting; set `share`, `keep` or `model` below [compaction] in the manifest";
        return Err(Refusal::new("no_settings", text));
    };
    let window = answering.context_limit();
    let keep = match (&trigger, window) {
        // What stays must leave room below the threshold.
        (CompactTrigger::Auto, Some(window)) => {
            Keep::Tokens(settings.keep.min(settings.threshold(window).saturating_sub(standing) / 2))
        }
        _ => Keep::Quarter(settings.keep),
    };
    let plan = plan(inner.session.records(), keep).ok_or_else(|| {
        Refusal::new(
            "nothing_to_compact",
            "there is nothing to compact: all that was said would stay as it is",
        )
    })?;
    let provider = compactor(settings, inner.compaction.switch.as_ref(), answering)?;
    let (instructions, retry_delays) = (None, vec![Duration::from_secs(1), Duration::from_secs(4)]);
    Ok(Job { trigger, plan, provider, instructions, before, standing, window, retry_delays })
}

/// Who sums up.
fn compactor(
    settings: &Settings,
    switch: Option<&Switch>,
    answering: &Arc<dyn Provider>,
) -> Result<Arc<dyn Provider>, Refusal> {
    let Some(named) = &settings.model else { return Ok(answering.clone()) };
    let of_provider = named.split_once(':').filter(|(provider, _)| provider_names().contains(provider));
    let (provider, model) = of_provider.unwrap_or((answering.name(), named));
    if (provider, model) == (answering.name(), answering.model()) {
        return Ok(answering.clone());
    }
    let wanted = Wanted { provider: provider.to_owned(), model: model.to_owned() };
    let made = match switch {
        Some(switch) => switch(&wanted),
        None => Err("this pod can ask no other model than the one that answers".to_owned()),
    };
    made.map_err(|why| {
        let text = format!(
            "the model `{named}` cannot sum up: {why}; set `model` below [compaction] in the manifest to one that can be used, as NAME or PROVIDER:NAME, or leave it out for the one that answers"
        );
        Refusal::new("no_compactor", text)
    })
}

/// A compaction that was told of as begun. Dropped before it is over, it was cancelled.
struct Life {
    hub: Arc<Hub>,
    is_over: bool,
}

impl Life {
    fn begin(hub: &Arc<Hub>, inner: &mut Inner, trigger: &CompactTrigger) -> Self {
        hub.tell(inner, Event::CompactStart(CompactStart { trigger: trigger.clone() }));
        inner.compaction.told = Some(trigger.clone());
        Self { hub: hub.clone(), is_over: false }
    }

    fn fail(mut self, failed: Failed) {
        self.end(failed);
    }

    fn end(&mut self, failed: Failed) {
        self.is_over = true;
        let inner = &mut *self.hub.lock();
        inner.compaction.told = None;
        let (code, message) = (failed.code.to_owned(), failed.message);
        self.hub.tell(inner, Event::CompactFailed(CompactFailed { code, message, changed: false }));
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(Failed::cancelled());
        }
    }
}

/// Compacts, and tells what came of it. True when it is done.
async fn carry_out(hub: &Arc<Hub>, mut life: Life, job: Job) -> bool {
    let said = summary(&job.provider, &job.plan, job.instructions.as_deref(), &job.retry_delays).await;
    let summary = match said {
        Ok(summary) => summary,
        Err(failed) => {
            life.fail(failed);
            return false;
        }
    };
    let after =
        job.standing + measure::message(&summary_message(&summary)) + measure::messages(&job.plan.kept);
    let compaction =
        Compaction { summary, before: job.before, after, from_segment: 0, kept_from: job.plan.kept_from };
    // The log may go on meanwhile, by a title or a prompt that waits; then the segment is written anew.
    loop {
        let rotation = hub.lock().session.rotation(&compaction, hub.now());
        let written = match rotation {
            Ok(Some(rotation)) => write(rotation).await.map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        let marked = {
            let inner = &mut *hub.lock();
            let marked = match written {
                Ok(Some(written)) => inner.session.rotated(written),
                Ok(None) => inner.session.append(Item::Compaction(compaction.clone()), hub.now()).map(Some),
                Err(error) => Err(error),
            };
            if let Ok(Some(seq)) = marked {
                life.is_over = true;
                tell_done(hub, inner, &compaction, seq, job.window);
            }
            marked
        };
        match marked {
            Ok(None) => {}
            Ok(Some(_)) => {
                // The new segment has its name; that it keeps it is seen to beside what follows.
                let hub = hub.clone();
                tokio::spawn(async move { hub.durable().await });
                return true;
            }
            Err(error) => {
                let text = format!("the session's log cannot be written: {error}; {}", error.way_out());
                life.fail(Failed::new("log_failed", text));
                return false;
            }
        }
    }
}

async fn write(rotation: Rotation) -> Result<Written, LogError> {
    let written = tokio::task::spawn_blocking(|| rotation.write()).await;
    written.unwrap_or_else(|error| {
        Err(LogError::io("write to", "the log".as_ref())(std::io::Error::other(error)))
    })
}

fn tell_done(hub: &Hub, inner: &mut Inner, compaction: &Compaction, seq: u64, window: Option<u64>) {
    inner.compaction.told = None;
    inner.compaction.measured.forget();
    let Compaction { summary, before, after, .. } = compaction.clone();
    let segment = inner.session.segment();
    let mut line = EventLine::from(Event::CompactDone(CompactDone { segment, summary, before, after }));
    (line.seq, line.at) = (Some(seq), Some(hub.now()));
    hub.send(inner, line);
    let event = inner.session_event();
    hub.tell(inner, event);
    // What was told of the window is of a history that is no more.
    if window.is_some() || inner.usage.is_some() {
        let usage = Usage {
            parent: None,
            input: 0,
            output: 0,
            cached: 0,
            context_used: after,
            context_limit: window.unwrap_or(0),
        };
        inner.usage = Some(usage.clone());
        hub.tell(inner, Event::Usage(usage));
    }
}
