//! What is unsettled in the open turn: enough of it for a client that attaches in the middle.
//!
//! Owns the one open block of each agent, and the arguments and progress of calls without a result. It is told of every event that
//! is broadcast before a record settles it, and gives it back as ordinary events with `reset`. They carry no `seq`:
//! records are what has one. It refuses to know clients and the session.

use carpel_protocol::event::{
    TextDelta, ThinkingStart, ToolCallArgsDelta, ToolCallDone, ToolCallProgress, ToolCallStart, TurnStart,
};
use carpel_protocol::item::ToolCall;
use carpel_protocol::word::ToolKind;
use carpel_protocol::{Event, EventLine};

/// Bytes of a call's live output that are kept for those who come later.
const PROGRESS_KEPT: usize = 64 * 1024;

/// Bytes of arguments that are noted before their call may run.
const DRAFT_KEPT: usize = 64 * 1024;

#[derive(Debug, Default)]
pub struct OpenTurn {
    turn: Option<u64>,
    /// At most one for each parent.
    blocks: Vec<OpenBlock>,
    calls: Vec<OpenCall>,
}

#[derive(Debug)]
struct OpenBlock {
    parent: Option<String>,
    thinking: bool,
    text: String,
    began: i64,
}

#[derive(Debug)]
pub struct OpenCall {
    pub id: String,
    pub name: String,
    pub parent: Option<String>,
    pub kind: Option<ToolKind>,
    pub began: i64,
    arguments: String,
    /// Why they are not valid, once they are complete.
    complete: Option<Option<String>>,
    progress: String,
    writes: bool,
    /// Since when it runs; a call may wait for others, or for a person.
    runs_since: Option<i64>,
    /// Bytes of the arguments in the draft that the log has.
    drafted: Option<usize>,
}

impl OpenTurn {
    pub fn begin(&mut self, turn: u64) {
        *self = OpenTurn { turn: Some(turn), ..OpenTurn::default() };
    }

    pub fn number(&self) -> Option<u64> {
        self.turn
    }

    /// All of the step of one agent goes; the turn stays. True when the log has drafts of it: as those can only be
    /// taken back together, all others are to be noted again.
    pub fn abandon_step(&mut self, parent: Option<&str>) -> bool {
        self.close_block(parent);
        let of_step = |call: &OpenCall| call.parent.as_deref() == parent;
        let drafted = self.calls.iter().any(|call| of_step(call) && call.drafted.is_some());
        self.calls.retain(|call| !of_step(call));
        if drafted {
            self.calls.iter_mut().for_each(|call| call.drafted = None);
        }
        drafted
    }

    pub fn end(&mut self) {
        *self = OpenTurn::default();
    }

    pub fn open_block(&mut self, parent: Option<&str>, thinking: bool, began: i64) {
        self.close_block(parent);
        let parent = parent.map(str::to_owned);
        self.blocks.push(OpenBlock { parent, thinking, text: String::new(), began });
    }

    pub fn add_text(&mut self, parent: Option<&str>, piece: &str) {
        if let Some(block) = self.blocks.iter_mut().find(|block| block.parent.as_deref() == parent) {
            block.text.push_str(piece);
        }
    }

    /// Closes the open block of an agent and says when it began.
    pub fn close_block(&mut self, parent: Option<&str>) -> Option<i64> {
        let at = self.blocks.iter().position(|block| block.parent.as_deref() == parent)?;
        Some(self.blocks.swap_remove(at).began)
    }

    pub fn open_call(
        &mut self,
        id: &str,
        name: &str,
        parent: Option<&str>,
        kind: Option<ToolKind>,
        began: i64,
    ) {
        self.calls.push(OpenCall {
            id: id.to_owned(),
            name: name.to_owned(),
            parent: parent.map(str::to_owned),
            kind,
            began,
            arguments: String::new(),
            complete: None,
            progress: String::new(),
            writes: false,
            runs_since: None,
            drafted: None,
        });
    }

    /// Calls of which the log does not know what is known of them, for the moment when a new block begins: those before
    /// it are whole then, though they may run only when the answer has ended. Long arguments are not noted.
    pub fn drafts(&mut self) -> Vec<ToolCall> {
        let mut drafts = Vec::new();
        for call in self.calls.iter_mut().filter(|call| call.complete.is_none()) {
            let length = if call.arguments.len() > DRAFT_KEPT { 0 } else { call.arguments.len() };
            if call.drafted.replace(length) != Some(length) {
                drafts.push(ToolCall {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments[..length].to_owned(),
                    parent: call.parent.clone(),
                    tool_kind: call.kind.clone(),
                    locations: Vec::new(),
                    started_at: Some(call.began),
                });
            }
        }
        drafts
    }

    pub fn add_arguments(&mut self, id: &str, piece: &str) {
        if let Some(call) = self.call(id) {
            call.arguments.push_str(piece);
        }
    }

    pub fn complete_call(&mut self, id: &str, arguments: &str, problem: Option<String>) -> Option<&OpenCall> {
        let call = self.call(id)?;
        arguments.clone_into(&mut call.arguments);
        call.complete = Some(problem);
        Some(call)
    }

    /// False when the call is not open: then its output comes too late.
    pub fn add_progress(&mut self, id: &str, piece: &str) -> bool {
        let Some(call) = self.call(id) else {
            return false;
        };
        call.progress.push_str(piece);
        // Cut at twice the size, so that many small pieces do not each move the whole.
        if call.progress.len() > 2 * PROGRESS_KEPT {
            let from = call.progress.ceil_char_boundary(call.progress.len() - PROGRESS_KEPT);
            call.progress.drain(..from);
        }
        true
    }

    /// The call is about to change something.
    pub fn mark_writer(&mut self, id: &str) {
        if let Some(call) = self.call(id) {
            call.writes = true;
        }
    }

    pub fn mark_running(&mut self, id: &str, at: i64) {
        if let Some(call) = self.call(id) {
            call.runs_since = Some(at);
        }
    }

    /// True when the call may have changed something.
    pub fn settle_call(&mut self, id: &str) -> bool {
        let wrote = self.calls.iter().any(|call| call.id == id && call.writes);
        self.calls.retain(|call| call.id != id);
        // Of a sub-agent that was stopped while it thought the block is still open.
        self.close_block(Some(id));
        wrote
    }

    /// The open turn as events, in the order in which a client may fold them.
    pub fn events(&self) -> Vec<EventLine> {
        let mut events = Vec::new();
        if let Some(turn) = self.turn {
            events.push(Event::TurnStart(TurnStart { turn }).into());
        }
        self.block_events(None, &mut events);
        for call in &self.calls {
            call.events(&mut events);
            // Behind the call that it belongs to, before the calls that the sub-agent has made since.
            self.block_events(Some(&call.id), &mut events);
        }
        events
    }

    fn block_events(&self, parent: Option<&str>, events: &mut Vec<EventLine>) {
        if let Some(block) = self.blocks.iter().find(|block| block.parent.as_deref() == parent) {
            block.events(events);
        }
    }

    fn call(&mut self, id: &str) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|call| call.id == id)
    }
}

impl OpenBlock {
    fn events(&self, events: &mut Vec<EventLine>) {
        let delta = || TextDelta { text: self.text.clone(), reset: true, parent: self.parent.clone() };
        if !self.thinking {
            events.push(Event::TextDelta(delta()).into());
            return;
        }
        let mut start = EventLine::from(Event::ThinkingStart(ThinkingStart { parent: self.parent.clone() }));
        start.at = Some(self.began);
        events.push(start);
        if !self.text.is_empty() {
            events.push(Event::ThinkingDelta(delta()).into());
        }
    }
}

impl OpenCall {
    fn events(&self, events: &mut Vec<EventLine>) {
        let id = || self.id.clone();
        let mut start = EventLine::from(Event::ToolCallStart(ToolCallStart {
            id: id(),
            name: self.name.clone(),
            parent: self.parent.clone(),
            kind: self.kind.clone(),
            locations: Vec::new(),
        }));
        start.at = Some(self.began);
        events.push(start);
        if !self.arguments.is_empty() {
            let delta = self.arguments.clone();
            events.push(Event::ToolCallArgsDelta(ToolCallArgsDelta { id: id(), delta, reset: true }).into());
        }
        if let Some(error) = self.complete.clone() {
            let arguments = self.arguments.clone();
            let mut done = EventLine::from(Event::ToolCallDone(ToolCallDone { id: id(), arguments, error }));
            done.at = self.runs_since;
            events.push(done);
        }
        if !self.progress.is_empty() {
            let text = self.progress.clone();
            events.push(Event::ToolCallProgress(ToolCallProgress { id: id(), text, reset: true }).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(open: &OpenTurn, expected: &[&str]) {
        let got: Vec<String> =
            open.events().iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn what_is_unsettled_as_events() {
        let mut open = OpenTurn::default();
        check(&open, &[]);
        open.begin(2);
        open.open_block(None, true, 7);
        open.add_text(None, "h");
        open.add_text(None, "m");
        open.open_call("c1", "Read", None, Some(ToolKind::Read), 8);
        open.add_arguments("c1", "{\"a\"");
        open.open_call("c2", "Odd", None, None, 9);
        check(
            &open,
            &[
                r#"{"event":"turn_start","turn":2}"#,
                r#"{"event":"thinking_start","at":7}"#,
                r#"{"event":"thinking_delta","text":"hm","reset":true}"#,
                r#"{"event":"tool_call_start","at":8,"id":"c1","name":"Read","kind":"read"}"#,
                r#"{"event":"tool_call_args_delta","id":"c1","delta":"{\"a\"","reset":true}"#,
                r#"{"event":"tool_call_start","at":9,"id":"c2","name":"Odd"}"#,
            ],
        );
        assert_eq!(open.close_block(None), Some(7));
        open.complete_call("c1", "{}", None);
        open.complete_call("c2", "{", Some("broken".to_owned()));
        open.mark_running("c1", 12);
        assert!(open.add_progress("c1", "tick"));
        assert!(open.add_progress("c1", " tock"));
        assert!(!open.settle_call("c2"));
        assert!(!open.add_progress("c2", "too late"));
        open.open_block(None, false, 10);
        open.add_text(None, "said");
        check(
            &open,
            &[
                r#"{"event":"turn_start","turn":2}"#,
                r#"{"event":"text_delta","text":"said","reset":true}"#,
                r#"{"event":"tool_call_start","at":8,"id":"c1","name":"Read","kind":"read"}"#,
                r#"{"event":"tool_call_args_delta","id":"c1","delta":"{}","reset":true}"#,
                r#"{"event":"tool_call_done","at":12,"id":"c1","arguments":"{}"}"#,
                r#"{"event":"tool_call_progress","id":"c1","text":"tick tock","reset":true}"#,
            ],
        );
        open.abandon_step(None);
        check(&open, &[r#"{"event":"turn_start","turn":2}"#]);
        open.end();
        check(&open, &[]);
    }

    #[test]
    fn each_agent_has_a_block_and_a_step_of_its_own() {
        let mut open = OpenTurn::default();
        open.begin(1);
        open.open_call("c1", "Task", None, None, 1);
        open.open_call("c2", "Task", None, None, 1);
        open.open_block(Some("c1"), false, 2);
        open.add_text(Some("c1"), "one");
        open.open_block(Some("c2"), true, 3);
        open.open_call("c3", "Read", Some("c2"), None, 4);
        open.add_text(Some("c2"), "two");
        let start = |id: &str, name: &str| {
            format!(r#"{{"event":"tool_call_start","at":1,"id":"{id}","name":"{name}"}}"#)
        };
        let one = r#"{"event":"text_delta","text":"one","reset":true,"parent":"c1"}"#;
        check(
            &open,
            &[
                r#"{"event":"turn_start","turn":1}"#,
                &start("c1", "Task"),
                one,
                &start("c2", "Task"),
                r#"{"event":"thinking_start","at":3,"parent":"c2"}"#,
                r#"{"event":"thinking_delta","text":"two","reset":true,"parent":"c2"}"#,
                r#"{"event":"tool_call_start","at":4,"id":"c3","name":"Read","parent":"c2"}"#,
            ],
        );
        assert!(open.drafts().iter().any(|call| call.parent.as_deref() == Some("c2")));
        assert!(open.abandon_step(Some("c2")));
        assert_eq!(open.drafts().len(), 2, "what the log has of others is to be noted again");
        let rest = [r#"{"event":"turn_start","turn":1}"#, &start("c1", "Task"), one, &start("c2", "Task")];
        check(&open, &rest);
        open.settle_call("c1");
        check(&open, &[rest[0], rest[3]]);
    }

    #[test]
    fn of_long_progress_the_tail_is_kept() {
        let mut open = OpenTurn::default();
        open.open_call("c1", "Bash", None, None, 0);
        for _ in 0..3 {
            assert!(open.add_progress("c1", &"漢".repeat(PROGRESS_KEPT / 2)));
        }
        assert!(open.add_progress("c1", "end"));
        let kept = &open.calls[0].progress;
        assert!(kept.len() <= 2 * PROGRESS_KEPT + 3 && kept.len() >= PROGRESS_KEPT);
        assert!(kept.ends_with("漢end"));
    }
}
