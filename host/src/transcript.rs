//! The transcript: what has happened, folded from the pod's events.
//!
//! It owns the items of the flow and the call trees. Folding is pure and idempotent: the same event twice changes
//! nothing, live events and history fold through the same functions. It knows no rows, no widths and no terminal; of
//! the scrollback it knows one mark, the last item of which a row is out, which the flow moves. Times are arguments.
//! [`item`] has the types, read it next; then `calls` and `blocks`, which do the work, `ending` and `history`.

mod blocks;
mod calls;
mod ending;
mod freeze;
mod history;
pub mod item;
mod items;
mod node;
pub(crate) mod notices;
mod outcome;
mod pairing;
pub mod session;
mod sub_agents;
mod turn;
mod waiting;

#[cfg(test)]
pub(crate) mod dump;
#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::{ApprovalRequest, ApprovalResolved, Hello, UserMessage};
use carpel_protocol::item::ToolResult;
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Event, EventLine};
use carpel_slots::{CallKey, CallState, Line, ToolCall, Voice};

use blocks::{At, Blocks};
use calls::{Calls, End, Start};
use history::Restore;
use item::{FlowItem, ItemBody, ItemId};
use items::Items;
use notices::Notices;
pub use session::Session;
use sub_agents::SubAgents;
use turn::Turn;

/// All that has happened in a session, as far as this client knows.
#[derive(Debug, Default)]
pub struct Transcript {
    items: Items,
    calls: Calls,
    blocks: Blocks,
    notices: Notices,
    sub_agents: SubAgents,
    turn: Turn,
    session: Session,
    restore: Restore,
}

impl Transcript {
    /// An empty one.
    pub fn new() -> Transcript {
        Transcript::default()
    }

    /// Folds one line. `now` is the time since the host started.
    pub fn apply(&mut self, line: &EventLine, now: Duration) {
        if self.restore.is_open() && !matches!(line.event, Event::History(_) | Event::Hello(_)) {
            self.end_history();
        }
        if !self.counts(line) {
            return;
        }
        self.session.heard(&line.event);
        let at = At { turn: self.turn.number, now: Some(now) };
        match &line.event {
            Event::Hello(hello) => {
                self.hello(hello);
                self.session.clock = line.at.map(|at| (at, now));
            }
            Event::History(history) => self.history(history),
            Event::State(state) => self.session.state = state.state.clone(),
            Event::TurnStart(start) => self.turn_start(start.turn, now),
            Event::UserMessage(message) => self.user_message(message, line.seq.is_some(), at),
            Event::ThinkingStart(start) => match &start.parent {
                Some(parent) => self.sub_agents.begin(&mut self.calls, parent, Voice::Thinking),
                None => self.blocks.thinking_start(&mut self.items, at),
            },
            Event::ThinkingDelta(delta) => match &delta.parent {
                Some(parent) => self.sub_agents.delta(&mut self.calls, parent, Voice::Thinking, delta),
                None => self.blocks.thinking_delta(&mut self.items, &delta.text, delta.reset),
            },
            Event::ThinkingDone(done) => match &done.parent {
                Some(parent) => self.sub_agents.end(&mut self.calls, parent, Voice::Thinking, &done.text),
                None => {
                    let elapsed = done.elapsed_ms.map(Duration::from_millis);
                    self.blocks.thinking_done(&mut self.items, &done.text, elapsed, Some(now));
                }
            },
            Event::TextDelta(delta) => match &delta.parent {
                Some(parent) => self.sub_agents.delta(&mut self.calls, parent, Voice::Text, delta),
                None => self.blocks.text_delta(&mut self.items, at, &delta.text, delta.reset),
            },
            Event::TextDone(done) => match &done.parent {
                Some(parent) => self.sub_agents.end(&mut self.calls, parent, Voice::Text, &done.text),
                None => self.blocks.text_done(&mut self.items, at, &done.text),
            },
            Event::ToolCallStart(start) => self.call_start(Start {
                id: &start.id,
                name: &start.name,
                kind: start.kind.as_ref(),
                parent: start.parent.as_deref(),
                turn: self.turn.number,
                since: Some(now),
            }),
            Event::ToolCallArgsDelta(delta) => self.calls.args(&delta.id, &delta.delta, delta.reset),
            Event::ToolCallDone(done) => {
                let asked = self.session.asked_for(&done.id).is_some();
                let (arguments, error) = (done.arguments.as_str(), done.error.as_deref());
                let age = self.session.age(line.at, now);
                self.calls.done(&done.id, End { arguments, error, asked, now: Some(now), age });
                self.sub_agents.step_ran(&self.calls, &done.id);
            }
            Event::StepAbandoned(abandoned) => self.step_abandoned(abandoned, now),
            Event::ToolCallProgress(progress) => {
                self.step_ran();
                self.calls.progress(&progress.id, &progress.text, progress.reset);
            }
            Event::ToolResult(result) => self.result(result, Some(now)),
            Event::ApprovalRequest(request) => self.approval_request(request),
            Event::ApprovalResolved(resolved) => self.approval_resolved(resolved, now),
            Event::Queue(queue) => self.session.queue.clone_from(&queue.items),
            Event::Clients(clients) => self.session.clients = clients.attached,
            Event::TurnEnd(end) => self.turn_end(end, now),
            Event::Usage(usage) => self.session.used(usage),
            Event::Model(model) => self.session.answered_by(model),
            Event::Models(models) => self.session.listed = Some(models.clone()),
            Event::CompactStart(start) => self.notices.compaction_begins(&start.trigger),
            Event::CompactDone(done) => self.compaction(&done.summary, done.before, done.after),
            Event::CompactFailed(failed) => {
                let (level, text) = notices::compaction_failed(failed);
                self.notice(level, &text);
            }
            Event::Session(named) => self.session.named(named),
            Event::Notice(notice) => self.notice(notice.level.clone(), &notice.text),
            // Both answer one client's key; that client shows them where the key was pressed.
            Event::Rejected(_) | Event::Output(_) => {}
            Event::Bye(bye) => self.session.bye = Some(bye.reason.clone()),
            Event::Unknown(_) => {}
        }
    }

    /// The connection died; the pod may live on. Frames stay as they are.
    pub fn connection_lost(&mut self) {
        self.session.connected = false;
        self.restore.interrupted();
    }

    /// The pod is gone: nothing that is open will be told to its end.
    pub fn pod_gone(&mut self, now: Duration) {
        self.connection_lost();
        self.calls.lose();
        self.close_turn(CallState::Incomplete, Some(now));
    }

    /// A command that a person ran here.
    pub fn command(&mut self, line: &str, ok: bool, outcome: &str, lines: Vec<Line>) {
        let (line, outcome) = (line.to_owned(), outcome.to_owned());
        self.items.push(self.turn.number, ItemBody::Command { line, ok, outcome, lines });
    }

    /// A diagnostic, by the pod or by the host. What was just told in the same turn is not told again.
    pub fn notice(&mut self, level: NoticeLevel, text: &str) {
        self.notices.tell(&mut self.items, self.turn.number, level, text);
    }

    /// The items in flow order, with all that has changed.
    pub fn items(&mut self) -> &[FlowItem] {
        self.refresh();
        self.items.all()
    }

    /// Brings changed calls into the items, once for all changes since the last time.
    pub fn refresh(&mut self) {
        self.calls.freeze_roots(&mut self.items);
    }

    /// The items as of the last [`Transcript::refresh`].
    pub fn refreshed(&self) -> &[FlowItem] {
        self.items.all()
    }

    /// One call with all below it.
    pub fn call(&mut self, key: &CallKey) -> Option<Arc<ToolCall>> {
        self.calls.call(key)
    }

    /// The whole output of a call is there, or as much of it as is wanted: `total` is absent where nothing is left out.
    pub fn fetched(&mut self, key: &CallKey, output: String, total: Option<u64>) {
        self.calls.fetched(key, output, total);
    }

    /// The session's name, state, queue and approvals.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Number of the last log record that was seen, to attach with.
    pub fn last_seq(&self) -> Option<u64> {
        self.restore.last_seq()
    }

    /// True from the first chunk of a history to its last.
    pub fn is_restoring(&self) -> bool {
        self.restore.is_open()
    }

    /// The last item that came from the history.
    pub fn restored_to(&self) -> Option<ItemId> {
        self.restore.last_item()
    }

    /// The number of the newest turn, and whether it goes on.
    pub fn turn(&self) -> (u64, bool) {
        (self.turn.number, !self.turn.ended && !self.turn.quiet)
    }

    /// The flow tells that a row of the item, and all items before it, are in the scrollback.
    pub fn mark_committed(&mut self, id: ItemId) {
        self.items.mark_committed(id);
    }

    /// True when no more of the item may be committed: its step was asked again, or its text was replaced.
    pub fn is_cut_off(&self, id: ItemId) -> bool {
        self.items.is_cut(id)
    }

    /// The last call, text, thinking or user message: what settles before it is final.
    pub fn last_beginning(&self) -> Option<ItemId> {
        self.items.last_beginning()
    }

    /// False for what was seen already and for what comes after the end of its turn.
    fn counts(&mut self, line: &EventLine) -> bool {
        let ended = self.turn.ended;
        let (of_turn, once) = match &line.event {
            Event::TextDone(_) | Event::ThinkingDone(_) | Event::ToolResult(_) => (true, true),
            Event::ThinkingStart(_)
            | Event::ThinkingDelta(_)
            | Event::TextDelta(_)
            | Event::ToolCallStart(_)
            | Event::ToolCallArgsDelta(_)
            | Event::ToolCallDone(_)
            | Event::StepAbandoned(_)
            | Event::ToolCallProgress(_)
            | Event::TurnEnd(_) => (true, false),
            Event::UserMessage(_) | Event::Notice(_) | Event::CompactDone(_) => (false, true),
            Event::Hello(_)
            | Event::History(_)
            | Event::State(_)
            | Event::TurnStart(_)
            | Event::ApprovalRequest(_)
            | Event::ApprovalResolved(_)
            | Event::Queue(_)
            | Event::Clients(_)
            | Event::Usage(_)
            | Event::Model(_)
            | Event::Models(_)
            | Event::CompactStart(_)
            | Event::CompactFailed(_)
            | Event::Session(_)
            | Event::Rejected(_)
            | Event::Output(_)
            | Event::Bye(_)
            | Event::Unknown(_) => (false, false),
        };
        // Only what would be doubled is told apart by its number: a `done` seen again still has to open its call.
        self.turn.quiet &= !of_turn;
        let new = line.seq.is_none_or(|seq| self.restore.see(seq)) || !once;
        new && !(of_turn && ended)
    }

    fn hello(&mut self, hello: &Hello) {
        if self.session.id != hello.session {
            self.restore.other_session();
        }
        self.session.hello(hello);
        self.blocks.attached();
        self.sub_agents.attached();
    }

    fn user_message(&mut self, message: &UserMessage, numbered: bool, at: At) {
        // A number that was not seen before says for certain that the prompt is new.
        if !self.turn.prompt(&message.text) && !numbered {
            return;
        }
        self.blocks.close(&mut self.items, at.now);
        self.items.push(at.turn, ItemBody::User { text: message.text.clone() });
        self.step_ran();
    }

    fn call_start(&mut self, start: Start<'_>) {
        if start.parent.is_some() {
            self.step_ran();
        }
        let (turn, now) = (start.turn, start.since);
        for root in self.calls.start(start) {
            self.blocks.close(&mut self.items, now);
            self.show_root(root, turn);
        }
        self.calls.ask_again(start.id, &self.session);
    }

    fn show_root(&mut self, root: usize, turn: u64) {
        let call = self.calls.freeze(root);
        let id = self.items.push(turn, ItemBody::Call(call));
        self.calls.shown(root, id);
    }

    fn result(&mut self, result: &ToolResult, now: Option<Duration>) {
        if self.calls.result(result, now) {
            self.step_ran();
            self.session.call_settled(&result.id);
        } else {
            self.calls.pairing.hold_result(result);
        }
    }

    fn approval_request(&mut self, request: &ApprovalRequest) {
        self.step_ran();
        self.session.ask(request);
        self.calls.ask(request);
    }

    fn approval_resolved(&mut self, resolved: &ApprovalResolved, now: Duration) {
        let asked = self.session.answered(&resolved.request);
        let call = asked.map_or_else(|| resolved.call.clone(), |asked| asked.call);
        let next = self.session.asked_for(&call);
        self.calls.answered(&call, &resolved.decision, next, Some(now));
    }

    fn compaction(&mut self, summary: &str, before: u64, after: u64) {
        let summary = summary.to_owned();
        self.items.push(self.turn.number, ItemBody::Compaction { summary, before, after });
    }
}
