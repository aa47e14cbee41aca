//! The view for **Glob**: the pattern and where it was looked for, then the paths as a tree.
//!
//! The paths come from the tool's typed data; where that is absent or has another shape the text is shown as it is.

use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};
use serde::Deserialize;

use crate::argument::{self, FOLDER, PATTERN};
use crate::generic;
use crate::path::short;
use crate::path_tree;
use crate::typed;

register_view!("Glob", Glob);

/// So many paths are drawn, which is more than an item shows.
const LISTED: usize = 2_000;

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
    let found: Found = typed::of(call)?;
    let paths: Vec<String> = found.paths.iter().take(LISTED).map(|path| short(path, cx)).collect();
    let mut blocks = vec![Block::Text(path_tree::lines(&paths))];
    let rest = found.total.unwrap_or_default().max(found.paths.len() as u64) - paths.len() as u64;
    if rest > 0 {
        blocks.push(Block::Text(vec![Line::of(Role::Dim, &format!("and {rest} more files"))]));
    }
    Some(blocks)
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Found {
    /// How many there are, when not all are given.
    total: Option<u64>,
    paths: Vec<String>,
}
