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
use crate::session::conversation::{ABANDONED, of_model};
use crate::worker::Worker;
use crate::worker::call::{CallId, CallResult, Ended};
use crate::worker::listen::{Abandoned, BlockScope, CallScope, Used};
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
        move |step| abandoned(&hub, step)
    });
    worker.on_usage(move |used| tell_usage(&hub, used));
}

fn thinking_block(hub: &Arc<Hub>, block: &mut BlockScope) {
    let parent = parent_of(block.parent());
    {
        let mut inner = hub.lock();
        inner.open.open_block(parent.as_deref(), true, hub.now());
        hub.draft(&mut inner);
        hub.tell(&mut inner, Event::ThinkingStart(ThinkingStart { parent: parent.clone() }));
    }
    block.on_delta({
        let (hub, parent) = (hub.clone(), parent.clone());
        move |piece| {
            let mut inner = hub.lock();
            inner.open.add_text(parent.as_deref(), piece);
            hub.send(&mut inner, Event::ThinkingDelta(delta(piece, parent.clone())));
        }
    });
    block.on_stop({
        let hub = hub.clone();
        move |whole| thinking_done(&hub, parent.clone(), whole)
    });
}

fn thinking_done(hub: &Hub, parent: Option<String>, whole: &Whole) {
    let mut inner = hub.lock();
    let began = inner.open.close_block(parent.as_deref());
    let elapsed_ms = began.map(|began| u64::try_from(hub.now() - began).unwrap_or(0));
    let text = whole.text.clone();
    let item = Reasoning {
        text: text.clone(),
        summary: Vec::new(),
        opaque: whole.opaque.clone().map(|opaque| of_model(opaque, &inner.answers.1)),
        elapsed_ms,
        parent: parent.clone(),
    };
    let event = ThinkingDone { text, elapsed_ms, parent };
    hub.settle(&mut inner, Item::Reasoning(item), Event::ThinkingDone(event));
}

fn text_block(hub: &Arc<Hub>, block: &mut BlockScope) {
    let parent = parent_of(block.parent());
    {
        let mut inner = hub.lock();
        inner.open.open_block(parent.as_deref(), false, hub.now());
        hub.draft(&mut inner);
    }
    block.on_delta({
        let (hub, parent) = (hub.clone(), parent.clone());
        move |piece| {
            let mut inner = hub.lock();
            inner.open.add_text(parent.as_deref(), piece);
            hub.send(&mut inner, Event::TextDelta(delta(piece, parent.clone())));
        }
    });
    block.on_stop({
        let hub = hub.clone();
        move |whole| text_done(&hub, parent.clone(), whole)
    });
}

fn text_done(hub: &Hub, parent: Option<String>, whole: &Whole) {
    let mut inner = hub.lock();
    inner.open.close_block(parent.as_deref());
    let text = whole.text.clone();
    let item = AssistantText { text: text.clone(), parent: parent.clone() };
    hub.settle(&mut inner, Item::AssistantText(item), Event::TextDone(TextDone { text, parent }));
}

fn tool_use(hub: &Arc<Hub>, call: &mut CallScope) {
    let (id, name) = (call.id().to_string(), call.name().to_owned());
    {
        let mut inner = hub.lock();
        let parent = parent_of(call.parent());
        inner.open.open_call(&id, &name, parent.as_deref(), call.kind().cloned(), hub.now());
        hub.draft(&mut inner);
        let kind = call.kind().cloned();
        let start = ToolCallStart { id: id.clone(), name, parent, kind, locations: Vec::new() };
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
        parent: call.parent.clone(),
        tool_kind: call.kind.clone(),
        locations: Vec::new(),
        started_at: Some(call.began),
    };
    let done =
        ToolCallDone { id: id.to_owned(), arguments: whole.text.clone(), error: whole.problem.clone() };
    hub.settle(&mut inner, Item::ToolCall(item), Event::ToolCallDone(done));
}

fn tool_result(hub: &Arc<Hub>, result: &CallResult) {
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
        let hub = hub.clone();
        tokio::spawn(async move { hub.durable().await });
    }
}

/// Whole blocks of the step stand in the session already; a notice there says what they are. A sub-agent's need none: a
/// model is not told of them, and they are gone from the screen when its call has its result.
fn abandoned(hub: &Hub, step: Abandoned<'_>) {
    let Abandoned { reason, kept, parent } = step;
    let parent = parent_of(parent);
    let mut inner = hub.lock();
    if inner.open.abandon_step(parent.as_deref()) {
        inner.session.draft(None, hub.now());
        // What others are writing is noted again.
        hub.draft(&mut inner);
    }
    let is_root = parent.is_none();
    let event = Event::StepAbandoned(StepAbandoned { reason: reason.to_owned(), parent });
    if kept && is_root {
        let text = format!("cut off: {reason}");
        let notice = Notice { level: NoticeLevel::Warning, code: ABANDONED.to_owned(), text };
        hub.settle(&mut inner, Item::Notice(notice), event);
    } else {
        hub.tell(&mut inner, event);
    }
}

fn tell_usage(hub: &Hub, used: Used<'_>) {
    let Used { tokens, limit, parent } = used;
    let mut usage = usage(tokens);
    usage.parent = parent_of(parent);
    usage.context_used = tokens.input + tokens.output;
    usage.context_limit = limit.unwrap_or(0);
    let mut inner = hub.lock();
    // The window is that of the conversation with the person.
    if parent.is_none() {
        inner.usage = Some(usage.clone());
        inner.compaction.measured.tells(tokens.input);
    }
    hub.tell(&mut inner, Event::Usage(usage));
}

fn delta(piece: &str, parent: Option<String>) -> TextDelta {
    TextDelta { text: piece.to_owned(), reset: false, parent }
}

fn parent_of(parent: Option<&CallId>) -> Option<String> {
    parent.map(ToString::to_string)
}
