//! All text of an item, part by part, as it is searched: arguments and outputs too, whether they are shown or not.
//!
//! Strings are raw and borrowed; of arguments their values are read, so that a quotation mark is found as a person
//! writes it. It looks for nothing itself.

use carpel_slots::{CallKey, ToolCall};
use serde_json::Value;

use crate::transcript::item::{FlowItem, ItemBody};

/// Calls `see` with each text of each part of an item.
pub fn each<'a>(item: &'a FlowItem, mut see: impl FnMut(Option<&'a CallKey>, &'a str)) {
    match &item.body {
        ItemBody::User { text } | ItemBody::Text { text, .. } | ItemBody::Notice { text, .. } => {
            see(None, text)
        }
        ItemBody::Thinking(thinking) => {
            see(None, &thinking.text);
            thinking.summary.iter().for_each(|line| see(None, line));
        }
        ItemBody::Call(root) => {
            root.walk()
                .into_iter()
                .for_each(|(_, call)| of_call(call, &mut |text| see(Some(&call.key), text)));
        }
        ItemBody::Orphan { id, summary } => [id, summary].into_iter().for_each(|text| see(None, text)),
        ItemBody::Command { line, outcome, lines, .. } => {
            [line, outcome].into_iter().for_each(|text| see(None, text));
            let spans = lines.iter().flat_map(|line| &line.spans);
            spans.for_each(|span| see(None, span.text.as_str()));
        }
        ItemBody::Compaction { summary, .. } => see(None, summary),
        ItemBody::CutOff { reason } => see(None, reason),
        ItemBody::TurnEnded(end) => end.message.iter().for_each(|text| see(None, text)),
        ItemBody::Earlier { .. } => {}
    }
}

fn of_call<'a>(call: &'a ToolCall, see: &mut impl FnMut(&'a str)) {
    see(&call.name);
    match call.args.partial() {
        Some(value) => values(value, see),
        None => see(call.args.raw()),
    }
    if let Some(approval) = &call.approval {
        see(&approval.title);
        see(&approval.detail);
    }
    if let Some(result) = &call.result {
        see(&result.summary);
        result.output.iter().for_each(|text| see(text));
        result.structured.iter().for_each(|value| values(value, see));
    }
    see(call.progress.text());
    call.said.passages().iter().for_each(|passage| see(passage.text()));
}

fn values<'a>(value: &'a Value, see: &mut impl FnMut(&'a str)) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => see(text),
            Value::Array(all) => open.extend(all),
            Value::Object(fields) => {
                fields.keys().for_each(|name| see(name));
                open.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
