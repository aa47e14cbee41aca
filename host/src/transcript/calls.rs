//! Calls: from starts, pieces and results to trees.
//!
//! It owns every call of the session and finds one by its id on the wire without a scan. One method an event, as in
//! the fold table of DESIGN.md; what an event does to items is told back to the caller. `pairing` has what waits for
//! something else (a result for its start, a child for its parent), `freeze` makes the shared values, `node` is one call.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::ApprovalRequest;
use carpel_protocol::item::ToolResult;
use carpel_protocol::word::{Decision, Outcome, ToolKind};
use carpel_slots::{Approval, Args, CallKey, CallResult, CallState, ToolCall};

use super::item::ItemId;
use super::node::{Cause, Ix, Node};
use super::outcome::{lost, result_of, state_of};
use super::pairing::Pairing;
use super::session::Session;

/// All calls of the session.
#[derive(Debug, Default)]
pub struct Calls {
    pub(super) nodes: Vec<Node>,
    /// The call that an id was last started for.
    pub(super) by_id: HashMap<Arc<str>, Ix>,
    by_key: HashMap<CallKey, Ix>,
    /// Calls without an end.
    pub(super) open: BTreeSet<Ix>,
    /// How often each id was started in this turn.
    occurrences: HashMap<Arc<str>, u32>,
    pub(super) pairing: Pairing,
    pub(super) dirty_roots: Vec<Ix>,
}

/// The start of a call, live or from history.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The id on the wire.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// What it does in general.
    pub kind: Option<&'a ToolKind>,
    /// The call that made it.
    pub parent: Option<&'a str>,
    /// The turn.
    pub turn: u64,
    /// The time; `None` from history.
    pub since: Option<Duration>,
}

/// The end of a call's arguments.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// The whole, raw; empty where what was streamed stands.
    pub arguments: &'a str,
    /// Why they are not valid.
    pub error: Option<&'a str>,
    /// True while a question about the call is open.
    pub asked: bool,
    /// The time; `None` from history.
    pub now: Option<Duration>,
    /// How long it has run already, as a pod tells one that attaches.
    pub age: Option<Duration>,
}

impl Calls {
    /// A new turn: ids may come again.
    pub(super) fn begin_turn(&mut self) {
        self.occurrences.clear();
    }

    /// The value of a call with everything below it.
    pub(super) fn call(&mut self, key: &CallKey) -> Option<Arc<ToolCall>> {
        let ix = *self.by_key.get(key)?;
        Some(self.freeze(ix))
    }

    /// More of an output than its result has told; how the call ended stays as it is.
    pub(super) fn fetched(&mut self, key: &CallKey, output: String, total: Option<u64>) {
        let Some(&ix) = self.by_key.get(key) else { return };
        if let Some(result) = &mut self.change(ix).result {
            let left_out = total.map(|total| total.saturating_sub(output.len() as u64));
            let mark = left_out.map(|bytes| format!("\n[... {bytes} bytes left out ...]"));
            result.output = Some(output + mark.as_deref().unwrap_or_default());
            result.output_total = None;
        }
    }

    /// A call begins. Gives back the roots that are to be shown now: the call itself, or one that waited.
    pub(super) fn start(&mut self, start: Start<'_>) -> Vec<Ix> {
        if let Some(&ix) = self.by_id.get(start.id)
            && self.is_same(ix, &start)
        {
            self.seen_again(ix);
            return Vec::new();
        }
        let ix = self.create(&start);
        let mut roots = Vec::new();
        if self.place(ix, &start) {
            roots.push(ix);
        }
        roots.extend(self.adopt_waiting(ix));
        if let Some(early) = self.pairing.take_result(start.id) {
            // It came before the call: how long that took is not known.
            self.result(&early, None);
        }
        roots
    }

    /// A piece of the arguments. After settling they still fill in, the state stays.
    pub(super) fn args(&mut self, id: &str, piece: &str, reset: bool) {
        let Some(ix) = self.find(id) else { return };
        if reset {
            self.change(ix).args = Args::streaming("");
        } else if self.nodes[ix].call.args.is_complete() {
            return;
        }
        self.change(ix).args.push(piece);
        let before = self.nodes[ix].call.state;
        match before {
            CallState::Pending | CallState::Executing => self.change(ix).state = CallState::Streaming,
            CallState::AwaitingApproval => self.nodes[ix].before = CallState::Streaming,
            CallState::Streaming
            | CallState::Done
            | CallState::Error
            | CallState::Cancelled
            | CallState::Rejected
            | CallState::Incomplete => {}
        }
    }

    /// The arguments are final.
    pub(super) fn done(&mut self, id: &str, end: End<'_>) {
        let End { arguments, error, asked, now, age } = end;
        let Some(ix) = self.find(id) else { return };
        let streamed = self.nodes[ix].call.args.raw();
        let raw = if arguments.is_empty() { streamed } else { arguments }.to_owned();
        self.change(ix).args = Args::complete(raw);
        if self.nodes[ix].call.state.is_settled() {
            return;
        }
        if let Some(error) = error {
            let result = CallResult {
                summary: error.to_owned(),
                output: None,
                output_total: None,
                outcome: Outcome::Error,
                structured: None,
            };
            self.change(ix).result = Some(result);
            self.settle(ix, CallState::Error, Cause::BadArguments, None);
            return;
        }
        // An attach tells it again; the time runs from the first.
        let is_first = !std::mem::replace(&mut self.nodes[ix].ran, true);
        let ran_before = age.filter(|_| self.nodes[ix].since.is_none() || is_first);
        if now.is_some() && (is_first || self.nodes[ix].since.is_none()) {
            self.nodes[ix].since = now;
        }
        self.nodes[ix].waits = age.is_none() && self.is_blocked(ix);
        if asked && self.nodes[ix].call.approval.is_some() {
            self.nodes[ix].before = CallState::Executing;
        } else {
            let waits = self.nodes[ix].waits;
            let call = self.change(ix);
            call.approval = None;
            call.state = if waits { CallState::Pending } else { CallState::Executing };
            if ran_before.is_some() {
                call.elapsed = ran_before;
            }
        }
    }

    /// A question waits for a person.
    pub(super) fn ask(&mut self, request: &ApprovalRequest) {
        let Some(ix) = self.find(&request.call) else { return };
        let state = self.nodes[ix].call.state;
        if state.is_settled() {
            return;
        }
        // Its turn has come: a pod asks when what stands before it has ended.
        let waited = std::mem::take(&mut self.nodes[ix].waits);
        if state != CallState::AwaitingApproval {
            self.nodes[ix].before = if waited { CallState::Executing } else { state };
        }
        let approval = Approval { title: request.title.clone(), detail: request.detail.clone() };
        let call = self.change(ix);
        call.approval = Some(approval);
        call.state = CallState::AwaitingApproval;
    }

    /// A question may have come before its call, or stand while the call is told again.
    pub(super) fn ask_again(&mut self, id: &str, session: &Session) {
        if let Some(request) = session.asked_for(id) {
            self.ask(request);
        }
    }

    /// A root has become an item.
    pub(super) fn shown(&mut self, root: Ix, item: ItemId) {
        self.nodes[root].item = Some(item);
    }

    /// A question was answered; `next` is the call's oldest question that is still open.
    pub(super) fn answered(
        &mut self,
        id: &str,
        decision: &Decision,
        next: Option<&ApprovalRequest>,
        now: Option<Duration>,
    ) {
        let Some(ix) = self.find(id) else { return };
        if self.nodes[ix].call.state != CallState::AwaitingApproval {
            return;
        }
        let before = self.nodes[ix].before;
        match decision {
            Decision::Deny => {
                self.settle(ix, CallState::Rejected, Cause::Denied, None);
                self.wake_after(ix, now);
                return;
            }
            Decision::Once | Decision::Session => {
                self.nodes[ix].since = now;
                self.nodes[ix].before = CallState::Executing;
                self.change(ix).state = CallState::Executing;
            }
            // A word of a newer pod allows nothing; what the pod does next tells what it meant.
            Decision::Withdrawn | Decision::Other(_) => self.change(ix).state = before,
        }
        self.change(ix).approval = None;
        if let Some(next) = next {
            self.ask(next);
        }
    }

    /// Live output, and what a sub-agent says.
    pub(super) fn progress(&mut self, id: &str, text: &str, reset: bool) {
        let Some(ix) = self.find(id) else { return };
        if self.nodes[ix].call.state.is_settled() {
            return;
        }
        if std::mem::take(&mut self.nodes[ix].waits) {
            self.change(ix).state = CallState::Executing;
        }
        let tail = &mut self.change(ix).progress;
        if reset {
            tail.clear();
        }
        tail.push(text);
    }

    /// A result; false when its call has not begun, so that it has to wait.
    pub(super) fn result(&mut self, result: &ToolResult, now: Option<Duration>) -> bool {
        let Some(ix) = self.find(&result.id) else { return false };
        // A pod tells how long what it stopped had run; what it tells no time of never ran.
        let stopped = matches!(result.settled(), Outcome::Cancelled | Outcome::Rejected);
        let measured = || {
            self.nodes[ix].since.zip(now).map(|(since, now)| now.saturating_sub(since)).filter(|_| !stopped)
        };
        let elapsed = result.elapsed_ms.map(Duration::from_millis).or_else(measured);
        match self.nodes[ix].cause {
            Some(Cause::Result | Cause::TurnEnd) => {}
            // Whoever said no, or found the arguments bad, has settled the call; the result only says it in words.
            Some(Cause::Denied | Cause::BadArguments) => {
                self.nodes[ix].cause = Some(Cause::Result);
                self.change(ix).result = Some(result_of(result));
            }
            None | Some(Cause::Parent | Cause::History) => {
                let call = self.change(ix);
                call.result = Some(result_of(result));
                call.progress.clear();
                self.settle(ix, state_of(&result.settled()), Cause::Result, elapsed);
                self.wake_after(ix, now);
            }
        }
        true
    }

    /// The pod went away: what is open gets the result that a resumed session would give it.
    pub(super) fn lose(&mut self) {
        for ix in self.open.clone() {
            let has_begun = self.nodes[ix].call.state == CallState::Executing;
            self.nodes[ix].since = self.nodes[ix].since.filter(|_| has_begun);
            self.change(ix).result = Some(lost(has_begun));
        }
    }

    /// The turn ends: what is open gets that state and nothing can change it any more.
    pub(super) fn end_turn(&mut self, state: CallState, now: Option<Duration>) {
        for ix in std::mem::take(&mut self.open) {
            let elapsed = self.nodes[ix].since.zip(now).map(|(since, now)| now.saturating_sub(since));
            self.close(ix, state, Cause::TurnEnd, elapsed);
        }
    }

    /// The history ends. Calls of the turn that a snapshot goes on with stay open.
    pub(super) fn end_history(&mut self, goes_on: Option<u64>) {
        for ix in std::mem::take(&mut self.open) {
            if goes_on == Some(self.nodes[ix].call.key.turn) {
                self.open.insert(ix);
            } else {
                self.close(ix, CallState::Incomplete, Cause::History, None);
            }
        }
    }

    /// The calls of an abandoned step go.
    pub(super) fn drop_root(&mut self, key: &CallKey) {
        let Some(&root) = self.by_key.get(key) else { return };
        let mut gone = vec![root];
        while let Some(ix) = gone.pop() {
            gone.extend(std::mem::take(&mut self.nodes[ix].children));
            self.open.remove(&ix);
            let key = self.nodes[ix].call.key.clone();
            if self.by_id.get(&key.id) == Some(&ix) {
                self.by_id.remove(&key.id);
            }
            self.by_key.remove(&key);
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<Ix> {
        self.by_id.get(id).copied()
    }

    /// True when a start of a known id tells of the call that is known.
    fn is_same(&self, ix: Ix, start: &Start<'_>) -> bool {
        let node = &self.nodes[ix];
        match node.cause {
            None => true,
            Some(Cause::History) => node.call.key.turn == start.turn,
            Some(Cause::Result | Cause::Denied | Cause::BadArguments | Cause::Parent | Cause::TurnEnd) => {
                false
            }
        }
    }

    fn seen_again(&mut self, ix: Ix) {
        if self.nodes[ix].cause == Some(Cause::History) {
            self.nodes[ix].cause = None;
            self.open.insert(ix);
            self.change(ix).state = CallState::Pending;
        }
    }

    fn create(&mut self, start: &Start<'_>) -> Ix {
        let id: Arc<str> = Arc::from(start.id);
        let count = self.occurrences.entry(Arc::clone(&id)).or_default();
        let key = CallKey { turn: start.turn, id: Arc::clone(&id), occurrence: *count };
        *count += 1;
        let ix = self.nodes.len();
        self.nodes.push(Node::new(key.clone(), start.name, start.kind.cloned(), start.since));
        self.by_id.insert(id, ix);
        self.by_key.insert(key, ix);
        self.open.insert(ix);
        ix
    }

    /// Settles a call and, as far as they are open, all calls below it.
    pub(super) fn settle(&mut self, ix: Ix, state: CallState, cause: Cause, elapsed: Option<Duration>) {
        self.open.remove(&ix);
        self.close(ix, state, cause, elapsed);
        let mut below = self.nodes[ix].children.clone();
        while let Some(child) = below.pop() {
            if self.open.remove(&child) {
                self.close(child, CallState::Incomplete, Cause::Parent, None);
                below.extend_from_slice(&self.nodes[child].children);
            }
        }
    }

    fn close(&mut self, ix: Ix, state: CallState, cause: Cause, elapsed: Option<Duration>) {
        self.nodes[ix].cause = Some(cause);
        let call = self.change(ix);
        call.state = state;
        call.approval = None;
        call.elapsed = elapsed;
    }
}
