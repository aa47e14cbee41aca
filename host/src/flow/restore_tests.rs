//! A recording folded live, and the same as items of a history, draw the same.
//!
//! The converter here stands for a pod's log: whole texts, calls in start order, a result for every call that was
//! cancelled or could not be run.

use std::collections::HashMap;
use std::time::Duration;

use carpel_protocol::EventLine;
use carpel_protocol::event::{Event, TurnEnd};
use carpel_protocol::recording::{Directive, Step};
use serde_json::{Value, json};

use super::properties::drawn;
use super::tests::Stage;
use crate::paint::Paint;
use crate::transcript::dump::recordings;
use crate::transcript::notices::compaction_failed;

#[derive(Default)]
pub struct Log {
    items: Vec<Value>,
    /// Where the newest step began.
    step: usize,
    now: u64,
    turn: Option<u64>,
    told_again: bool,
    ended: bool,
    open: Option<Open>,
    calls: HashMap<String, Call>,
}

struct Open {
    place: usize,
    since: u64,
}

struct Call {
    place: usize,
    since: u64,
    output: String,
    settled: bool,
}

impl Log {
    pub fn of(steps: &[Step]) -> Vec<Value> {
        let mut log = Log::default();
        for step in steps {
            match step {
                Step::Event(line) => log.event(&line.event),
                Step::Directive(Directive::Wait(wait)) => log.now += wait.ms,
                Step::Directive(_) => {}
            }
        }
        log.items.retain(|item| !item.is_null());
        log.items
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::History(history) => {
                self.items.extend(history.items.iter().map(|item| serde_json::to_value(item).unwrap()));
                self.step = self.items.len();
            }
            Event::TurnStart(start) => {
                self.told_again = !self.ended && self.turn == Some(start.turn);
                self.turn = Some(start.turn);
                self.ended = false;
            }
            Event::UserMessage(message) if !std::mem::take(&mut self.told_again) => {
                self.push(json!({"kind": "user_message", "text": message.text}));
                self.step = self.items.len();
            }
            Event::Notice(notice) => {
                self.push(json!({"kind": "notice", "level": notice.level, "text": notice.text}))
            }
            Event::CompactFailed(failed) => {
                let (level, text) = compaction_failed(failed);
                self.push(json!({"kind": "notice", "level": level, "text": text}));
            }
            Event::CompactDone(done) => self.push(json!({
                "kind": "compaction", "summary": done.summary, "before": done.before, "after": done.after
            })),
            Event::TurnEnd(end) => self.turn_end(end),
            _ if self.ended => {}
            Event::TextDelta(delta) if delta.parent.is_none() => self.text(&delta.text),
            Event::TextDone(done) if done.parent.is_none() => {
                self.text("");
                self.end_block(&done.text);
            }
            Event::ThinkingStart(start) if start.parent.is_none() => {
                self.open = Some(Open { place: self.items.len(), since: self.now });
                self.push(json!({"kind": "reasoning", "text": ""}));
            }
            Event::ThinkingDelta(delta) if delta.parent.is_none() => self.add(&delta.text),
            Event::ThinkingDone(done) if done.parent.is_none() => self.end_block(&done.text),
            Event::ToolCallStart(start) => self.start(&start.id, &start.name, start.parent.as_deref()),
            Event::ToolCallDone(done) => {
                let Some(call) = self.calls.get_mut(&done.id) else { return };
                self.items[call.place]["arguments"] = done.arguments.clone().into();
                call.since = self.now;
                if let Some(error) = &done.error {
                    self.settle(
                        &done.id,
                        json!({"summary": error, "outcome": "error", "is_error": true, "elapsed_ms": null}),
                    );
                }
            }
            Event::ToolCallProgress(progress) => {
                let Some(call) = self.calls.get_mut(&progress.id) else { return };
                if progress.reset {
                    call.output.clear();
                }
                call.output += &progress.text;
            }
            Event::ToolResult(result) => {
                self.step = self.items.len();
                self.settle(&result.id, serde_json::to_value(result).unwrap());
            }
            Event::StepAbandoned(_) => {
                self.items.truncate(self.step);
                self.open = None;
                let left = self.items.len();
                self.calls.retain(|_, call| call.place < left);
            }
            _ => {}
        }
    }

    fn push(&mut self, item: Value) {
        self.items.push(item);
    }

    fn start(&mut self, id: &str, name: &str, parent: Option<&str>) {
        if self.calls.get(id).is_some_and(|call| !call.settled) {
            return;
        }
        if parent.is_none() {
            self.end_block("");
        }
        let call = Call { place: self.items.len(), since: self.now, output: String::new(), settled: false };
        self.calls.insert(id.to_owned(), call);
        let mut item = json!({"kind": "tool_call", "id": id, "name": name});
        if let Some(parent) = parent {
            item["parent"] = parent.into();
        }
        self.push(item);
    }

    fn settle(&mut self, id: &str, mut result: Value) {
        if let Some(call) = self.calls.get_mut(id) {
            if std::mem::replace(&mut call.settled, true) {
                return;
            }
            // What never ran took no time.
            if result["outcome"] != "rejected" && result.get("elapsed_ms").is_none() {
                result["elapsed_ms"] = (self.now - call.since).into();
            }
        }
        result["kind"] = "tool_result".into();
        result["id"] = id.into();
        self.push(result);
    }

    fn text(&mut self, piece: &str) {
        let text = |open: &Open| self.items[open.place]["kind"] == "assistant_text";
        if !self.open.as_ref().is_some_and(text) {
            self.end_block("");
            self.open = Some(Open { place: self.items.len(), since: self.now });
            self.push(json!({"kind": "assistant_text", "text": ""}));
        }
        self.add(piece);
    }

    fn add(&mut self, piece: &str) {
        let Some(open) = &self.open else { return };
        let text = format!("{}{piece}", self.items[open.place]["text"].as_str().unwrap());
        self.items[open.place]["text"] = text.into();
    }

    fn end_block(&mut self, whole: &str) {
        let Some(open) = self.open.take() else { return };
        let item = &mut self.items[open.place];
        // What its end tells beyond its pieces was lost on the way, and belongs to it.
        if item["text"].as_str().is_some_and(|told| whole.starts_with(told)) {
            item["text"] = whole.into();
        }
        if item["kind"] == "reasoning" {
            item["elapsed_ms"] = (self.now - open.since).into();
        } else if item["text"] == "" {
            *item = Value::Null;
        }
    }

    fn turn_end(&mut self, end: &TurnEnd) {
        if self.turn.is_some_and(|turn| turn != end.turn) || self.ended {
            return;
        }
        let cancelled = end.reason.as_str() == "cancelled";
        self.end_block("");
        let mut open: Vec<_> = self
            .calls
            .iter()
            .filter(|(_, call)| !call.settled)
            .map(|(id, call)| (call.place, id.clone()))
            .collect();
        open.sort();
        for (_, id) in open.iter().filter(|_| cancelled) {
            let output = self.calls[id].output.clone();
            let output = if output.is_empty() { Value::Null } else { output.into() };
            self.settle(id, json!({"outcome": "cancelled", "is_error": true, "output": output}));
        }
        self.ended = true;
        let mut item = serde_json::to_value(end).unwrap();
        item["kind"] = "turn_end".into();
        self.push(item);
    }
}

/// Folds items as a history in chunks.
pub fn restore<P: Paint>(stage: &mut Stage<P>, items: &[Value], chunk: usize) {
    stage.events("hello idle");
    for part in items.chunks(chunk) {
        let history = json!({"event": "history", "items": part, "more": true}).to_string();
        stage.transcript.apply(&EventLine::decode(history.as_bytes()).unwrap(), Duration::ZERO);
    }
    stage.events("history []");
}

/// What no log tells: that thinking was cut short by the end of its turn.
fn told_by_a_log(rows: Vec<String>) -> Vec<String> {
    let mut rows: Vec<String> =
        rows.into_iter().map(|row| row.replace("thinking interrupted", "thinking done")).collect();
    rows.dedup();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

#[test]
fn live_and_restored_draw_the_same() {
    for (name, steps) in recordings() {
        let mut live = Stage::new(80, 24);
        live.cx.now = Duration::from_secs(7);
        for step in &steps {
            live.step(step);
        }
        let items = Log::of(&steps);
        assert!(!items.is_empty());
        for chunk in [1, 3, items.len()] {
            let mut restored = Stage::new(80, 24);
            restore(&mut restored, &items, chunk);
            let frame = restored.frame();
            assert!(frame.live.is_empty(), "{name}: a restored session has nothing live");
            let drawn_live = told_by_a_log(drawn(&mut live));
            assert_eq!(told_by_a_log(drawn(&mut restored)), drawn_live, "{name} in chunks of {chunk}");
            assert_eq!(told_by_a_log(restored.committed.clone()), drawn_live, "{name}: committed");
        }
    }
}
