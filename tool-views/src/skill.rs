//! The view for **skill**: its name, what it is for, and the files that come with it.
//!
//! The instructions themselves are for the model; they are shown at detail only. All of it comes from the tool's typed
//! data; where that is absent or has another shape the text is shown as it is.

use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView, register_view};
use serde::Deserialize;

use crate::argument;
use crate::path::short;
use crate::typed;

register_view!("skill", Skill);

struct Skill;

impl ToolView for Skill {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let Some(name) = argument::text(call, &["name", "skill"]) else {
            return Card::default();
        };
        let title = Some(Line::of(Role::Accent, name));
        Card { title, note: note(call, name), body: body(call, cx), ..Card::default() }
    }
}

/// The tool's summary without the name that the title says already; `None` leaves it as it is.
fn note(call: &ToolCall, name: &str) -> Option<Line> {
    let summary = call.result.as_ref()?.summary.strip_prefix("skill ")?;
    let rest = summary.strip_prefix(name)?;
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(", ")? };
    Some(Line::of(Role::Dim, rest))
}

fn body(call: &ToolCall, cx: &CardCx) -> Option<Vec<Block>> {
    match call.state {
        CallState::Done => {}
        CallState::Pending | CallState::Streaming => return Some(Vec::new()),
        _ => return None,
    }
    let result = call.result.as_ref()?;
    let found: Found = typed::of(call)?;
    let mut lines: Vec<Line> = found.description.lines().map(Line::from).collect();
    if cx.density == Density::Detail && !found.path.is_empty() {
        lines.push(Line::of(Role::Path, &short(&found.path, cx)));
    }
    lines.extend(found.files.iter().map(|file| Line::of(Role::Path, &short(file, cx))));
    let mut blocks = vec![Block::Text(lines)];
    if cx.density == Density::Detail {
        blocks.extend(result.output.clone().map(Block::Markdown));
    }
    Some(blocks)
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Found {
    description: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    files: Vec<String>,
}
