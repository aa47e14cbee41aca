//! The generic card: for tools without a view, and for the parts that a view leaves out.
//!
//! Its title is the argument that tells most; its body is the raw arguments while they arrive, the live output while
//! the call runs, and afterwards what came of it: typed data where its shape is known (`content.rs`), else the text. It
//! believes nothing about the shape of either.

use carpel_slots::protocol::word::ToolKind;
use carpel_slots::{Block, CallState, CardCx, Density, Line, Role, ToolCall};
use serde_json::{Map, Value};

use crate::path::short;
use crate::{change, content};

/// Arguments that say what a call is about, most telling first, and whether they hold a path.
const TELLING: &[(&str, bool)] = &[
    ("file_path", true),
    ("path", true),
    ("notebook_path", true),
    ("command", false),
    ("pattern", false),
    ("query", false),
    ("url", false),
    ("description", false),
    ("prompt", false),
    ("name", false),
];

/// Of arguments that arrive so many bytes are given.
const RAW: usize = 16 * 1024;

/// What the call is about, in one line; empty where nothing tells it.
pub fn title(call: &ToolCall, cx: &CardCx) -> Line {
    let Some(Value::Object(fields)) = call.args.partial() else {
        return Line::default();
    };
    for (name, is_path) in TELLING {
        match fields.get(*name) {
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) if *is_path => return Line::of(Role::Path, &short(text, cx)),
            Some(Value::String(text)) => return Line::exact(Role::Plain, first_line(text)),
            _ => {}
        }
    }
    let mut texts = fields.values().filter_map(Value::as_str).map(first_line).filter(|text| !text.is_empty());
    if let Some(text) = texts.next() {
        return Line::exact(Role::Plain, text);
    }
    // A number says little without its name.
    let simple = fields.iter().find(|(_, value)| value.is_number() || value.is_boolean());
    simple.map(|(name, value)| Line::exact(Role::Plain, &format!("{name} {value}"))).unwrap_or_default()
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

/// What typed data counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// It comes before the text, where its shape is known.
    First,
    /// It was for a view, which could not read it: the text comes first.
    Broken,
}

/// The rows below the header. The host bounds them.
pub fn body(call: &ToolCall, typed: Typed, cx: &CardCx) -> Vec<Block> {
    match call.state {
        CallState::Pending | CallState::Streaming => raw_arguments(call),
        CallState::AwaitingApproval | CallState::Executing => live_output(call),
        CallState::Done
        | CallState::Error
        | CallState::Cancelled
        | CallState::Rejected
        | CallState::Incomplete => settled(call, typed, cx),
    }
}

fn raw_arguments(call: &ToolCall) -> Vec<Block> {
    text_block(&call.args.raw_end(RAW))
}

fn live_output(call: &ToolCall) -> Vec<Block> {
    if call.progress.text().is_empty() {
        Vec::new()
    } else {
        vec![Block::Output(call.progress.text().to_owned())]
    }
}

fn settled(call: &ToolCall, typed: Typed, cx: &CardCx) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(came) = cut_off(call) {
        if cx.density == Density::Detail || !is_title(call) {
            blocks.extend(came);
        }
    } else if call.args.is_complete() && call.args.value().is_none() {
        if (cx.density == Density::Detail || !is_title(call)) && !has_arguments(call) {
            blocks.extend(text_block(call.args.raw()));
        }
    } else if cx.density == Density::Detail {
        blocks.extend(fields(call));
    }
    blocks.extend(outcome(call, typed));
    blocks
}

/// The arguments of a call that was stopped while they were written, as far as they can be read.
fn cut_off(call: &ToolCall) -> Option<Vec<Block>> {
    let is_stopped = matches!(call.state, CallState::Cancelled | CallState::Incomplete);
    if !is_stopped || call.args.value().is_some() {
        return None;
    }
    let rows = rows(call.args.partial()?.as_object()?);
    (!rows.is_empty()).then(|| vec![Block::Fields(rows)])
}

/// True where the result brings the arguments as they came: a call that was not run is answered with them.
fn has_arguments(call: &ToolCall) -> bool {
    let output = call.result.as_ref().and_then(|result| result.output.as_deref());
    let raw = call.args.raw().trim();
    !raw.is_empty() && output.is_some_and(|output| output.contains(raw))
}

/// True for broken arguments of which the title says all that can be read.
fn is_title(call: &ToolCall) -> bool {
    let fields = call.args.partial().and_then(Value::as_object);
    fields.is_some_and(|fields| fields.len() == 1 && fields.values().all(is_one_line))
}

fn is_one_line(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty() && !text.trim().contains('\n'))
}

/// The rows below the header of an ended call whose title says all of its arguments; `None` for one that goes on, and
/// at detail, where nothing is left out.
pub fn below_full_title(call: &ToolCall, cx: &CardCx) -> Option<Vec<Block>> {
    (call.state.is_settled() && cx.density != Density::Detail).then(|| outcome(call, Typed::Broken))
}

fn outcome(call: &ToolCall, typed: Typed) -> Vec<Block> {
    let Some(result) = &call.result else {
        return live_output(call);
    };
    let structured = result.structured.as_ref().filter(|_| call.state == CallState::Done);
    if typed == Typed::First
        && let Some(blocks) = structured.and_then(content::typed)
    {
        return untold(call, blocks);
    }
    match result.output.as_deref().filter(|output| !output.is_empty()) {
        Some(output) if is_told(call, output) => Vec::new(),
        Some(output) => match diff(call).or_else(|| content::told(output)) {
            Some(blocks) => untold(call, blocks),
            None => vec![Block::Output(output.to_owned())],
        },
        None if is_told(call, call.progress.text()) => Vec::new(),
        None if call.progress.text().is_empty() => structured.and_then(content::untold).unwrap_or_default(),
        None => live_output(call),
    }
}

/// Without texts that the header says already.
fn untold(call: &ToolCall, mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.retain(|block| !matches!(block, Block::Output(text) if is_told(call, text)));
    blocks
}

/// True for a text that the header says already: its summary, when that is one line.
pub fn is_told(call: &ToolCall, text: &str) -> bool {
    let text = text.trim();
    let Some(result) = &call.result else { return false };
    let summary = result.summary.trim();
    !text.contains('\n')
        && (summary == text || summary.is_empty() && one_line_error(call).is_some_and(|error| error == text))
}

/// Why the call failed, where the result's text says that in one line.
pub fn one_line_error(call: &ToolCall) -> Option<&str> {
    let result = call.result.as_ref().filter(|_| call.state == CallState::Error)?;
    let text = result.output.as_deref()?.trim();
    (!text.is_empty() && !text.contains(['\n', '\r'])).then_some(text)
}

/// A tool that changes files and answers with a diff needs no view of its own.
fn diff(call: &ToolCall) -> Option<Vec<Block>> {
    let is_edit = call.kind == Some(ToolKind::Edit) && call.state == CallState::Done;
    if is_edit { change::told(call) } else { None }
}

fn fields(call: &ToolCall) -> Option<Block> {
    let rows = rows(call.args.value()?.as_object()?);
    (!rows.is_empty()).then_some(Block::Fields(rows))
}

fn rows(fields: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    fields.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn text_block(text: &str) -> Vec<Block> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Block::Text(text.lines().map(|line| Line::exact(Role::Dim, line)).collect())]
}

#[cfg(test)]
mod tests {
    use carpel_slots::CallState;
    use carpel_slots::protocol::word::Outcome;
    use carpel_slots::registry::Registry;

    use super::*;
    use crate::fixture::{Fixture, dump};
    use crate::tree::card_of;

    /// What was written until a call was stopped is shown as what it is, never as the raw text of arguments.
    #[test]
    fn what_came_until_a_call_was_stopped_is_no_raw_text() {
        let edit = r#"{"file_path":"a.txt","old_string":"one\n","new_string":"two\nthr"#;
        let write = r#"{"file_path":"a.txt","content":"two\nthr"#;
        for (name, cut, want) in [
            ("Edit", edit, &["-one", "+two", "+thr"][..]),
            ("Write", write, &["+two", "+thr"]),
            ("other", edit, &["old_string = one", "new_string = two"]),
            ("Bash", r#"{"command":"echo a\necho b","description":"say"#, &["echo a"]),
        ] {
            for state in [CallState::Cancelled, CallState::Incomplete] {
                for density in [Density::Normal, Density::Detail] {
                    let outcome =
                        if state == CallState::Cancelled { Outcome::Cancelled } else { Outcome::Interrupted };
                    for fixture in [Fixture::new(name).streaming(cut), Fixture::new(name).arguments(cut)] {
                        let call = fixture.result(state, outcome.clone(), "cancelled", None, None).build();
                        let cx = CardCx { density, ..CardCx::default() };
                        let card = dump(&card_of(&call, &Registry::linked(), &cx));
                        assert!(!card.contains(r#"":""#), "{name} {density:?}\n{card}");
                        assert!(want.iter().all(|part| card.contains(part)), "{name} {density:?}\n{card}");
                    }
                }
            }
        }
    }

    /// A call that was not run is answered with its arguments: they are shown once.
    #[test]
    fn cut_off_arguments_are_shown_once() {
        let cut = r#"{"file_path":"a.txt","command":"echo a","content":"one"#;
        let answer = format!("the arguments as they came:\n{cut}");
        for name in ["Write", "Edit", "Read", "Grep", "Glob", "Bash", "Task", "skill", "other"] {
            for (density, output) in [
                (Density::Normal, Some(answer.as_str())),
                (Density::Detail, Some(answer.as_str())),
                (Density::Detail, Some("no")),
                (Density::Detail, None),
            ] {
                let call = Fixture::new(name)
                    .arguments(cut)
                    .result(CallState::Error, Outcome::Error, "not run", output, None)
                    .build();
                let cx = CardCx { density, ..CardCx::default() };
                let card = dump(&card_of(&call, &Registry::linked(), &cx));
                assert_eq!(card.matches(cut).count(), 1, "{name} {density:?} {output:?}\n{card}");
            }
        }
    }
}
