//! The view for **Glob**: the pattern and where it was looked for, then the paths.
//!
//! The paths come from the tool's typed data; where that is absent or has another shape the text is shown as it is.

use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};
use serde::Deserialize;

use crate::argument::{self, FOLDER, PATTERN};
use crate::generic;
use crate::path::short;

register_view!("Glob", Glob);

struct Glob;

impl ToolView for Glob {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let Some(pattern) = argument::text(call, PATTERN) else {
            return Card::default();
        };
        Card { title: Some(title(call, pattern, cx)), body: body(call, cx), ..Card::default() }
    }
}

fn title(call: &ToolCall, pattern: &str, cx: &CardCx) -> Line {
    let title = Line::of(Role::Accent, pattern);
    match argument::text(call, FOLDER) {
        Some(path) if !path.is_empty() && path != "." => {
            title.and(Role::Plain, " in ").and(Role::Path, &short(path, cx))
        }
        _ => title,
    }
}

fn body(call: &ToolCall, cx: &CardCx) -> Option<Vec<Block>> {
    match call.state {
        CallState::Done => {}
        CallState::Pending | CallState::Streaming => return Some(Vec::new()),
        _ => return generic::below_full_title(call, cx),
    }
    let structured = call.result.as_ref()?.structured.as_ref()?;
    let found = Found::deserialize(structured).ok()?;
    Some(vec![Block::Text(found.paths.iter().map(|path| Line::of(Role::Path, &short(path, cx))).collect())])
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Found {
    paths: Vec<String>,
}
