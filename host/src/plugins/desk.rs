//! What is asked of one plugin and what it has answered: a pure bookkeeper between views, which must not wait, and the
//! child, which may take its time.
//!
//! A view asks for a card and gets the last one at once; the question goes into a queue in which a newer state of the same
//! call replaces the older. Of one call at one density one question is on its way. It decides what of a reply is nonsense and
//! when an answer is late. Refuses to know processes; time is an argument. Read `desk/cards.rs` for what is kept of a call,
//! `desk/asked.rs` for what is on its way.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use carpel_slots::wire::{CompletionLine, Reply, Request, RunCx, WireCall};
use carpel_slots::{CardCx, Line, ToolCall};

use self::asked::{Asked, Subject};
pub(super) use self::cards::Told;
use self::cards::{Cards, Stamp, Wanted};
use self::completion::Completion;
use crate::plugins::bounds;

mod asked;
mod cards;
mod completion;
#[cfg(test)]
mod tests;

/// An answer that comes later than this is a fault.
pub(super) const HARD: Duration = Duration::from_secs(2);

/// So many questions are on their way at most.
const UNDER_WAY: usize = 8;

/// So many runs of commands wait at most.
const MOST_RUNS: usize = 32;

/// So many completions are offered at most.
const MOST_COMPLETIONS: usize = 200;

/// A run of a command, as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RunAsk {
    /// The line of the command, for its record.
    pub line: String,
    /// The command's name.
    pub command: String,
    /// Everything behind the name.
    pub arguments: String,
    /// What the command may know.
    pub cx: RunCx,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The line of the command.
    pub line: String,
    /// A line for the record, and whether it went well.
    pub outcome: Result<String, String>,
    /// Lines below the record.
    pub lines: Vec<Line>,
}

/// What a reply changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// Nothing that is to be seen.
    None,
    /// A card or a completion came.
    Seen,
    /// A command has run.
    Ran(Ran),
}

/// What is asked of one plugin.
#[derive(Debug, Default)]
pub(super) struct Desk {
    cards: Cards,
    runs: VecDeque<RunAsk>,
    completion: Completion,
    asked: Asked,
}

impl Desk {
    /// What is to be shown of the call now. `view` is the key under which the plugin draws it. True when a question was put
    /// into the queue.
    pub(super) fn card(&mut self, view: &str, call: &ToolCall, cx: &CardCx) -> (Told, bool) {
        let place = (call.key.clone(), cx.density);
        let stamp = Stamp::of(call);
        let (told, is_known) = self.cards.told(&place, stamp);
        let asks = !is_known && !self.cards.is_wanted(&place, stamp);
        if asks {
            let wanted = Wanted { stamp, view: view.to_owned(), call: WireCall::of(call), cx: cx.clone() };
            self.cards.want(place.clone(), wanted);
        }
        self.cards.shown(&place, stamp, is_known);
        (told, asks)
    }

    /// True while an answer for the call as it stands is on its way, or has come since its card was asked for last.
    pub(super) fn is_awaited(&self, call: &ToolCall, cx: &CardCx) -> bool {
        self.cards.is_awaited(&(call.key.clone(), cx.density), Stamp::of(call))
    }

    /// What is to be shown of the call now, without a question.
    pub(super) fn told(&self, call: &ToolCall, cx: &CardCx) -> Told {
        self.cards.told(&(call.key.clone(), cx.density), Stamp::of(call)).0
    }

    /// True while there is something to be sent.
    pub(super) fn has_work(&self) -> bool {
        self.completion.has_queued() || !self.runs.is_empty() || self.cards.has_any_queued()
    }

    /// Has a command run. An error where too many wait.
    pub(super) fn run(&mut self, ask: RunAsk) -> Result<(), RunAsk> {
        if self.runs.len() >= MOST_RUNS {
            return Err(ask);
        }
        self.runs.push_back(ask);
        Ok(())
    }

    /// What the plugin offers for what is typed, as far as it is known; true when it was asked.
    pub(super) fn complete(&mut self, command: &str, typed: &str) -> (Vec<CompletionLine>, bool) {
        self.completion.offers(command, typed)
    }

    /// The next line for the plugin, if there is one that may be sent now.
    pub(super) fn next(&mut self, now: Instant) -> Option<Request> {
        if self.asked.len() >= UNDER_WAY {
            return None;
        }
        if let Some(run) = self.runs.pop_front() {
            let (command, arguments, cx) = (run.command.clone(), run.arguments.clone(), run.cx.clone());
            let id = self.asked.add(Subject::Run(run), now);
            return Some(Request::CommandRun { id, command, arguments, cx });
        }
        if let Some((command, typed)) = self.completion.next() {
            let id = self.asked.add(Subject::Complete(command.clone(), typed.clone()), now);
            return Some(Request::CommandComplete { id, command, typed });
        }
        let Desk { cards, asked, .. } = self;
        let (place, wanted) = cards.next(|place| !asked.is_under_way(place))?;
        let id = asked.add(Subject::Card(place, wanted.stamp), now);
        Some(Request::Card { id, view: wanted.view, call: Box::new(wanted.call), cx: wanted.cx })
    }

    /// A question that is stale and has been under way for a while, to be taken back: the newer one goes at once then.
    pub(super) fn stale(&mut self, now: Instant) -> Option<Request> {
        let Desk { cards, asked, .. } = self;
        asked.stale(now, |place| cards.has_queued(place)).map(|id| Request::Cancel { id })
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn reply(&mut self, reply: Reply, now: Instant) -> Result<News, String> {
        let id = match &reply {
            Reply::Hello(_) => return Err("said hello a second time".to_owned()),
            Reply::Unknown { .. } => return Ok(News::None),
            Reply::Card { id, .. }
            | Reply::CommandComplete { id, .. }
            | Reply::CommandRun { id, .. }
            | Reply::Error { id, .. } => *id,
        };
        let Some(subject) = self.asked.answered(id, now)? else { return Ok(News::None) };
        match (subject, reply) {
            (Subject::Card(place, stamp), Reply::Card { card, .. }) => {
                self.cards.answer(&place, stamp, Told::Card(Arc::new(bounds::card(card))));
                Ok(News::Seen)
            }
            (Subject::Card(place, stamp), Reply::Error { message, .. }) => {
                self.cards.answer(&place, stamp, Told::Failed(sentence(&message)));
                Ok(News::Seen)
            }
            (Subject::Complete(command, typed), Reply::CommandComplete { mut completions, .. }) => {
                completions.truncate(MOST_COMPLETIONS);
                self.completion.answer((command, typed), completions);
                Ok(News::Seen)
            }
            (Subject::Complete(command, typed), Reply::Error { .. }) => {
                self.completion.answer((command, typed), Vec::new());
                Ok(News::Seen)
            }
            (Subject::Run(ask), Reply::CommandRun { outcome, lines, .. }) => {
                self.completion.forget();
                Ok(News::Ran(Ran {
                    line: ask.line,
                    outcome: Ok(bounds::outcome(&outcome)),
                    lines: bounds::lines(lines),
                }))
            }
            (Subject::Run(ask), Reply::Error { message, .. }) => {
                Ok(News::Ran(Ran { line: ask.line, outcome: Err(sentence(&message)), lines: Vec::new() }))
            }
            (subject, _) => {
                // It is asked again, as if the child had ended.
                self.asked.put_back(id, subject, now);
                Err(format!("answered request {id} with a reply of another kind"))
            }
        }
    }

    /// When the first of the answers will be late.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.asked.deadline()
    }

    /// When a question that is stale should be looked for.
    pub(super) fn stale_at(&self) -> Option<Instant> {
        self.asked.stale_at(|place| self.cards.has_queued(place))
    }

    /// The child is gone: what was under way is asked again, but not what was under way twice or had all of its time. The runs of commands that it
    /// took with it come back: they may have done something, so they are not repeated.
    pub(super) fn interrupted(&mut self, reason: &str, now: Instant) -> Vec<Ran> {
        let mut ran = Vec::new();
        for (subject, is_late) in self.asked.clear(now) {
            match subject {
                Subject::Card(place, stamp) => self.cards.interrupted(&place, stamp, reason, is_late),
                Subject::Complete(command, typed) => self.completion.answer((command, typed), Vec::new()),
                Subject::Run(ask) => ran.push(failed(ask, reason)),
            }
        }
        ran
    }

    /// Nothing will be answered any more.
    pub(super) fn close(&mut self, reason: &str, now: Instant) -> Vec<Ran> {
        let mut ran = self.interrupted(reason, now);
        ran.extend(self.runs.drain(..).map(|ask| failed(ask, reason)));
        self.cards.close(reason);
        self.completion = Completion::default();
        ran
    }

    /// Takes over the last cards of the version before, to be shown until this one has made its own.
    pub(super) fn inherit(&mut self, before: &Desk) {
        self.cards.inherit(&before.cards);
    }
}

fn failed(ask: RunAsk, reason: &str) -> Ran {
    Ran { line: ask.line, outcome: Err(reason.to_owned()), lines: Vec::new() }
}

/// A plugin's own words about what went wrong.
fn sentence(message: &str) -> String {
    match message.trim() {
        "" => "it could not and does not say why".to_owned(),
        message => message.chars().take(500).collect(),
    }
}
