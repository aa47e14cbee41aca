//! The worker's callbacks become protocol events.
//!
//! Owns the pairing of callback and event: which event a block's start, piece and end are, and which record settles
//! it. Each callback is one hold of the hub's lock. It refuses to know methods and states (`../controller.rs`).

use std::sync::Arc;

use carpel_protocol::event::{
    Notice, StepAbandoned, TextDelta, TextDone, ThinkingDone, ThinkingStart, ToolCallArgsDelta, ToolCallDone,
    ToolCallProgress, ToolCallStart,
};
use carpel_protocol::item::{AssistantText, Reasoning, ToolCall, ToolResult};
use carpel_protocol::word::{NoticeLevel, Outcome};
use carpel_protocol::{Event, Item};

use super::hub::Hub;
use super::usage;
use crate::provider::Tokens;
use crate::session::conversation::{ABANDONED, of_model};
use crate::worker::Worker;
use crate::worker::call::{CallResult, Ended};
use crate::worker::listen::{BlockScope, CallScope};
use crate::worker::turn::Whole;

pub fn listen(worker: &mut Worker, hub: &Arc<Hub>) {
    let of = |hub: &Arc<Hub>| hub.clone();
    let hub = of(hub);
    worker.on_thinking_block({
        let hub = of(&hub);
        move |block| thinking_block(&hub, block)
    });
    worker.on_text_block({
        let hub = of(&hub);
        move |block| text_block(&hub, block)
    });
    worker.on_tool_use({
        let hub = of(&hub);
        move |call| tool_use(&hub, call)
    });
    worker.on_tool_result({
        let hub = of(&hub);
        move |result| tool_result(&hub, result)
    });
    worker.on_step_abandoned({
        let hub = of(&hub);
        move |reason, kept| abandoned(&hub, reason, kept)
    });
    worker.on_usage(move |tokens, limit| used(&hub, tokens, limit));
}

fn thinking_block(hub: &Arc<Hub>, block: &mut BlockScope) {
    {
        let mut inner = hub.lock();
        inner.open.open_block(true, hub.now());
        hub.draft(&mut inner);
        hub.tell(&mut inner, Event::ThinkingStart(ThinkingStart { parent: None }));
    }
    block.on_delta({
        let hub = hub.clone();
        move |piece| {
            let mut inner = hub.lock();
            inner.open.add_text(piece);
            hub.send(&mut inner, Event::ThinkingDelta(delta(piece)));
        }
    });
    block.on_stop({
        let hub = hub.clone();
        move |whole| thinking_done(&hub, whole)
    });
}

fn thinking_done(hub: &Hub, whole: &Whole) {
    let mut inner = hub.lock();
    let began = inner.open.close_block();
    let elapsed_ms = began.map(|began| u64::try_from(hub.now() - began).unwrap_or(0));
    let text = whole.text.clone();
    let item = Reasoning {
        text: text.clone(),
        summary: Vec::new(),
        opaque: whole.opaque.clone().map(|opaque| of_model(opaque, &inner.answers.1)),
        elapsed_ms,
        parent: None,
    };
    let event = ThinkingDone { text, elapsed_ms, parent: None };
    hub.settle(&mut inner, Item::Reasoning(item), Event::ThinkingDone(event));
}

fn text_block(hub: &Arc<Hub>, block: &mut BlockScope) {
    {
        let mut inner = hub.lock();
        inner.open.open_block(false, hub.now());
        hub.draft(&mut inner);
    }
    block.on_delta({
        let hub = hub.clone();
        move |piece| {
            let mut inner = hub.lock();
            inner.open.add_text(piece);
            hub.send(&mut inner, Event::TextDelta(delta(piece)));
        }
    });
    block.on_stop({
        let hub = hub.clone();
        move |whole| text_done(&hub, whole)
    });
}

fn text_done(hub: &Hub, whole: &Whole) {
    let mut inner = hub.lock();
    inner.open.close_block();
    let text = whole.text.clone();
    let item = AssistantText { text: text.clone(), parent: None };
    hub.settle(&mut inner, Item::AssistantText(item), Event::TextDone(TextDone { text, parent: None }));
}

fn tool_use(hub: &Arc<Hub>, call: &mut CallScope) {
    let (id, name) = (call.id().to_string(), call.name().to_owned());
    {
        let mut inner = hub.lock();
        inner.open.open_call(&id, &name, call.kind().cloned(), hub.now());
        hub.draft(&mut inner);
        let kind = call.kind().cloned();
        let start = ToolCallStart { id: id.clone(), name, parent: None, kind, locations: Vec::new() };
        hub.tell(&mut inner, Event::ToolCallStart(start));
    }
    call.on_delta({
        let (hub, id) = (hub.clone(), id.clone());
        move |piece| {
            let mut inner = hub.lock();
            inner.open.add_arguments(&id, piece);
            let (id, delta) = (id.clone(), piece.to_owned());
            hub.send(&mut inner, Event::ToolCallArgsDelta(ToolCallArgsDelta { id, delta, reset: false }));
        }
    });
    call.on_stop({
        let (hub, id) = (hub.clone(), id.clone());
        move |whole| tool_call_done(&hub, &id, whole)
    });
    call.on_run({
        let (hub, id) = (hub.clone(), id.clone());
        move || {
            let now = hub.now();
            hub.lock().open.mark_running(&id, now);
        }
    });
    let hub = hub.clone();
    call.on_progress(move |piece| {
        let mut inner = hub.lock();
        if inner.open.add_progress(&id, piece) {
            let (id, text) = (id.clone(), piece.to_owned());
            hub.send(&mut inner, Event::ToolCallProgress(ToolCallProgress { id, text, reset: false }));
        }
    });
}

fn tool_call_done(hub: &Hub, id: &str, whole: &Whole) {
    let mut inner = hub.lock();
    let Some(call) = inner.open.complete_call(id, &whole.text, whole.problem.clone()) else {
        return;
    };
    let item = ToolCall {
        id: id.to_owned(),
        name: call.name.clone(),
        arguments: whole.text.clone(),
        parent: None,
        tool_kind: call.kind.clone(),
        locations: Vec::new(),
        started_at: Some(call.began),
    };
    let done =
        ToolCallDone { id: id.to_owned(), arguments: whole.text.clone(), error: whole.problem.clone() };
    hub.settle(&mut inner, Item::ToolCall(item), Event::ToolCallDone(done));
}

fn tool_result(hub: &Hub, result: &CallResult) {
    let mut inner = hub.lock();
    let wrote = inner.open.settle_call(result.id.as_str());
    let outcome = match result.ended {
        Ended::Ok => Outcome::Ok,
        Ended::Error => Outcome::Error,
        Ended::Cancelled => Outcome::Cancelled,
        Ended::Rejected => Outcome::Rejected,
    };
    let result = ToolResult {
        id: result.id.to_string(),
        summary: result.summary.clone(),
        output: result.output.clone(),
        is_error: result.ended != Ended::Ok,
        outcome: Some(outcome),
        structured: result.structured.clone(),
        elapsed_ms: result.elapsed.map(|elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
        output_total: result.output_total,
        output_ref: result.output_ref.clone(),
    };
    hub.settle(&mut inner, Item::ToolResult(result.clone()), Event::ToolResult(result));
    if wrote {
        hub.sync(&mut inner);
    }
}

/// Whole blocks of the step stand in the session already; a notice there says what they are.
fn abandoned(hub: &Hub, reason: &str, kept: bool) {
    let mut inner = hub.lock();
    if inner.open.abandon_step() {
        inner.session.draft(None, hub.now());
    }
    let event = Event::StepAbandoned(StepAbandoned { reason: reason.to_owned() });
    if kept {
        let text = format!("cut off: {reason}");
        let notice = Notice { level: NoticeLevel::Warning, code: ABANDONED.to_owned(), text };
        hub.settle(&mut inner, Item::Notice(notice), event);
    } else {
        hub.tell(&mut inner, event);
    }
}

fn used(hub: &Hub, tokens: Tokens, limit: Option<u64>) {
    let mut usage = usage(tokens);
    usage.context_used = tokens.input + tokens.output;
    usage.context_limit = limit.unwrap_or(0);
    let mut inner = hub.lock();
    inner.usage = Some(usage.clone());
    hub.tell(&mut inner, Event::Usage(usage));
}

fn delta(piece: &str) -> TextDelta {
    TextDelta { text: piece.to_owned(), reset: false, parent: None }
}
