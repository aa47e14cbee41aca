//! The view for **Write**: the file and what it shall hold, as added lines from the first fragment on.
//!
//! While a person is asked it is what the question shows, afterwards what the tool says it changed; where the tool says
//! nothing of the kind its text is shown as it is.

use carpel_slots::card::DiffTag;
use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};

use crate::argument::{self, CONTENT, PATH, PATH_BYTES};
use crate::change;
use crate::path::short;

register_view!("Write", Write);

pub struct Write;

impl ToolView for Write {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        if matches!(call.state, CallState::Pending | CallState::Streaming | CallState::Executing) {
            return growing(call, cx);
        }
        let (path, content) = (argument::text(call, PATH), argument::text(call, CONTENT));
        // A model may write the content first; without either nothing is understood.
        if path.is_none() && (content.is_none() || call.args.is_complete()) {
            return Card::default();
        }
        let (path, content) = (path.unwrap_or_default(), content.unwrap_or_default());
        Card {
            title: Some(Line::of(Role::Path, &short(path, cx))),
            body: body(call, path, content, cx),
            ..Card::default()
        }
    }
}

/// While it is written, and until it is done: its end, so that a frame costs what is seen.
fn growing(call: &ToolCall, cx: &CardCx) -> Card {
    let path = argument::end(call, PATH, PATH_BYTES).map(|path| path.text);
    if path.is_none() && (call.args.is_complete() || argument::end(call, CONTENT, 0).is_none()) {
        return Card::default();
    }
    let (path, content) = (path.unwrap_or_default(), change::end(call, CONTENT));
    Card {
        title: Some(Line::of(Role::Path, &short(&path, cx))),
        note: note(call, content.lines),
        body: Some(change::growing(&[(DiffTag::Added, &content)], &path, cx)),
        ..Card::default()
    }
}

fn note(call: &ToolCall, lines: usize) -> Option<Line> {
    if call.state != CallState::Streaming {
        return None;
    }
    match lines {
        0 => None,
        1 => Some(Line::from("1 line so far")),
        count => Some(Line::from(format!("{count} lines so far").as_str())),
    }
}

/// What was asked about and what came of it.
fn body(call: &ToolCall, path: &str, content: &str, cx: &CardCx) -> Option<Vec<Block>> {
    match call.state {
        CallState::AwaitingApproval => {
            Some(change::asked(call, path).unwrap_or_else(|| change::addition(content, path)))
        }
        CallState::Done => change::done(call, path, || change::addition(content, path)),
        CallState::Error | CallState::Cancelled | CallState::Rejected | CallState::Incomplete => {
            change::failed(call, cx, || change::addition(content, path))
        }
        CallState::Pending | CallState::Streaming | CallState::Executing => None,
    }
}
