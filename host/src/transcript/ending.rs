//! Beginnings and endings: of turns, and of steps that are asked again.
//!
//! Here stands what happens to everything that is still open when its turn ends or its step is abandoned. What is in
//! the scrollback stays; the flow has told which items these are. Which numbers turns have is `turn`'s business.

use std::time::Duration;

use carpel_protocol::event::{StepAbandoned, TurnEnd};
use carpel_protocol::word::TurnEndReason;
use carpel_slots::CallState;

use super::Transcript;
use super::item::{FlowItem, ItemBody, ItemId};

impl Transcript {
    pub(super) fn turn_start(&mut self, wire: u64, now: Duration) {
        if self.turn.is_open(wire) {
            self.turn.seen_again(wire);
            return;
        }
        self.close_turn(CallState::Incomplete, Some(now));
        self.begin_turn(Some(wire));
    }

    pub(super) fn begin_turn(&mut self, wire: Option<u64>) {
        self.turn.begin(wire, self.items.next_id());
        self.blocks.end_turn(&mut self.items, None);
        self.calls.begin_turn();
    }

    /// Calls run only after the model's answer has ended, so that nothing so far can be abandoned any more.
    pub(super) fn step_ran(&mut self) {
        self.turn.step = self.items.next_id();
    }

    pub(super) fn step_abandoned(&mut self, abandoned: &StepAbandoned, now: Duration) {
        if let Some(parent) = &abandoned.parent {
            self.sub_agents.abandon(&mut self.calls, parent);
            return;
        }
        self.blocks.end_turn(&mut self.items, Some(now));
        let step = self.turn.step;
        let of_step = |item: &FlowItem| {
            matches!(item.body, ItemBody::Text { .. } | ItemBody::Thinking(_) | ItemBody::Call(_))
        };
        let kept: Vec<ItemId> =
            self.items.committed_since(step).filter(|item| of_step(item)).map(|item| item.id).collect();
        let committed = kept.last().copied();
        let gone =
            self.items.take_back(step, |item| of_step(item) && committed.is_none_or(|last| item.id > last));
        for item in gone {
            if let ItemBody::Call(call) = item.body {
                self.calls.drop_root(&call.key);
            }
        }
        if !kept.is_empty() {
            for id in kept {
                self.items.cut_off(id);
            }
            let reason = abandoned.reason.clone();
            self.items.push(self.turn.number, ItemBody::CutOff { reason });
        } else if !abandoned.reason.is_empty() {
            // Nothing on the screen tells of the step any more, and the wait may be long.
            self.session.again = Some(abandoned.reason.clone());
        }
        self.step_ran();
    }

    pub(super) fn turn_end(&mut self, end: &TurnEnd, now: Duration) {
        if self.turn.wire.is_some_and(|wire| wire != end.turn) {
            return;
        }
        let state = match end.reason {
            TurnEndReason::Cancelled => CallState::Cancelled,
            TurnEndReason::Completed
            | TurnEndReason::Failed
            | TurnEndReason::Limit
            | TurnEndReason::Other(_) => CallState::Incomplete,
        };
        self.close_turn(state, Some(now));
        if end.reason != TurnEndReason::Completed {
            self.items.push(self.turn.number, ItemBody::TurnEnded(end.clone()));
        }
    }

    pub(super) fn close_turn(&mut self, state: CallState, now: Option<Duration>) {
        self.blocks.end_turn(&mut self.items, now);
        self.calls.end_turn(state, now);
        self.release_waiting();
        self.sub_agents.end_turn();
        self.session.approvals.clear();
        self.turn.end();
    }

    /// What has waited for another event is shown without it.
    pub(super) fn release_waiting(&mut self) {
        let turn = self.turn.number;
        for root in self.calls.pairing.motherless() {
            self.show_root(root, turn);
        }
        for orphan in self.calls.pairing.orphans() {
            self.items.push(turn, ItemBody::Orphan { id: orphan.id, summary: orphan.summary });
        }
    }
}
