//! History: past items, folded by the functions that fold live events.
//!
//! It knows which records were seen, so that a second attach doubles nothing, and what the end of a history means for
//! calls without a result. Items of a history carry no times: durations are those that the records give.

use std::collections::BTreeSet;
use std::time::Duration;

use carpel_protocol::event::{History, TurnEnd};
use carpel_protocol::item::{Item, Record, ToolCall};
use carpel_protocol::word::TurnEndReason;
use carpel_slots::Voice;

use super::Transcript;
use super::blocks::At;
use super::calls::{End, Start};
use super::item::{ItemBody, ItemId};

/// What was restored, and which log records are known.
#[derive(Debug, Default)]
pub struct Restore {
    /// All numbers from 1 up to here are known; a session seen from its start needs nothing else.
    floor: u64,
    above: BTreeSet<u64>,
    last: Option<u64>,
    open: bool,
    item: Option<ItemId>,
}

impl Restore {
    /// Takes note of a record; false when it was known.
    pub(super) fn see(&mut self, seq: u64) -> bool {
        self.last = self.last.max(Some(seq));
        if (1..=self.floor).contains(&seq) || !self.above.insert(seq) {
            return false;
        }
        while self.above.remove(&(self.floor + 1)) {
            self.floor += 1;
        }
        true
    }

    /// Numbers of another session mean nothing here.
    pub(super) fn other_session(&mut self) {
        self.floor = 0;
        self.above.clear();
        self.last = None;
    }

    /// No more chunks come on this connection.
    pub(super) fn interrupted(&mut self) {
        self.open = false;
    }

    pub(super) fn last_seq(&self) -> Option<u64> {
        self.last
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn last_item(&self) -> Option<ItemId> {
        self.item
    }
}

impl Transcript {
    pub(super) fn history(&mut self, history: &History) {
        self.restore.open = true;
        for record in &history.items {
            if record.seq.is_none_or(|seq| self.restore.see(seq)) {
                self.record(record);
            }
        }
        if let Some(last) = self.items.all().last().filter(|_| !history.items.is_empty()) {
            self.restore.item = Some(last.id);
        }
        if !history.more {
            self.end_history();
        }
    }

    fn record(&mut self, record: &Record) {
        let at = At { turn: self.turn.number, now: None };
        match &record.item {
            Item::UserMessage(message) => {
                if self.turn.has_prompt() || self.turn.ended || self.turn.number == 0 {
                    self.release_waiting();
                    self.begin_turn(None);
                }
                let at = At { turn: self.turn.number, now: None };
                self.user_message(message, true, at);
            }
            Item::AssistantText(text) => match &text.parent {
                Some(parent) => self.sub_agents.end(&mut self.calls, parent, Voice::Text, &text.text),
                None => self.blocks.text_done(&mut self.items, at, &text.text),
            },
            Item::Reasoning(reasoning) => match &reasoning.parent {
                Some(parent) => {
                    self.sub_agents.end(&mut self.calls, parent, Voice::Thinking, &reasoning.text)
                }
                None => {
                    let elapsed = reasoning.elapsed_ms.map(Duration::from_millis);
                    self.blocks.reasoning(&mut self.items, at, &reasoning.text, &reasoning.summary, elapsed);
                }
            },
            Item::ToolCall(call) => self.past_call(call),
            Item::ToolResult(result) => self.result(result, None),
            Item::Compaction(done) => self.compaction(&done.summary, done.before, done.after),
            Item::Command(command) => self.command(&command.line, true, &command.outcome, Vec::new()),
            Item::Notice(notice) => self.notice(notice.level.clone(), &notice.text),
            Item::TurnEnd(end) => self.past_turn_end(end),
            Item::Unknown(_) => {}
        }
    }

    fn past_turn_end(&mut self, end: &TurnEnd) {
        if end.reason != TurnEndReason::Completed {
            self.items.push(self.turn.number, ItemBody::TurnEnded(end.clone()));
        }
    }

    fn past_call(&mut self, call: &ToolCall) {
        self.call_start(Start {
            id: &call.id,
            name: &call.name,
            kind: call.tool_kind.as_ref(),
            parent: call.parent.as_deref(),
            turn: self.turn.number,
            since: None,
        });
        let end = End { arguments: &call.arguments, error: None, asked: false, now: None, age: None };
        self.calls.done(&call.id, end);
        self.sub_agents.step_ran(&self.calls, &call.id);
    }

    /// A pod that is in a turn tells next what of it is open, so its calls keep their state; an idle one has nothing
    /// more to say about them.
    pub(super) fn end_history(&mut self) {
        self.restore.open = false;
        if self.session.is_busy() {
            self.turn.continue_history();
            self.calls.end_history(Some(self.turn.number));
            return;
        }
        self.calls.end_history(None);
        self.turn.quiet = true;
        self.release_waiting();
    }
}
