//! The view for **Grep**: the pattern and where it was looked for, then the hits by file.
//!
//! The hits come from the tool's typed data; where that is absent or has another shape the text is shown as it is.

use carpel_slots::card::{MatchGroup, MatchLine};
use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};
use serde::Deserialize;

use crate::argument::{self, FOLDER, PATTERN};
use crate::generic;
use crate::path::short;
use crate::typed;

register_view!("Grep", Grep);

struct Grep;

impl ToolView for Grep {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let Some(pattern) = argument::text(call, PATTERN) else {
            return Card::default();
        };
        Card { title: Some(title(call, pattern, cx)), body: body(call, cx), ..Card::default() }
    }
}

fn title(call: &ToolCall, pattern: &str, cx: &CardCx) -> Line {
    let mut title = Line::of(Role::Accent, pattern);
    let path = argument::text(call, FOLDER).filter(|path| !path.is_empty());
    // Where is shown once the arguments say so, or say nothing to their end: nothing that changes later.
    if let Some(path) = path.or_else(|| call.args.is_complete().then_some(".")) {
        title = title.and(Role::Plain, " in ").and(Role::Path, &short(path, cx));
    }
    match argument::text(call, &["glob", "include", "type"]) {
        Some(filter) if !filter.is_empty() => title.and(Role::Plain, " of ").and(Role::Path, filter),
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
    if found.mode != "content" {
        return Some(vec![Block::Text(found.files.iter().map(|file| counted(file, cx)).collect())]);
    }
    Some(vec![Block::Matches { groups: found.files.into_iter().map(|file| group(file, cx)).collect() }])
}

fn counted(file: &FileHits, cx: &CardCx) -> Line {
    let path = Line::of(Role::Path, &short(&file.path, cx));
    // The summary counts matches; a line may have several.
    let count = file.occurrences.unwrap_or(file.count);
    if count == 0 { path } else { path.and(Role::Plain, "  ").and(Role::Number, &count.to_string()) }
}

fn group(file: FileHits, cx: &CardCx) -> MatchGroup {
    let lines = file.lines.into_iter().map(|hit| MatchLine {
        line: hit.line,
        hits: if hit.context { Vec::new() } else { hit.hits },
        text: hit.text,
    });
    MatchGroup { path: short(&file.path, cx), count: file.count, lines: lines.collect() }
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Found {
    mode: String,
    #[serde(default)]
    files: Vec<FileHits>,
}

#[derive(Deserialize)]
struct FileHits {
    path: String,
    #[serde(default)]
    count: u64,
    occurrences: Option<u64>,
    #[serde(default)]
    lines: Vec<LineHits>,
}

#[derive(Deserialize)]
struct LineHits {
    line: u64,
    text: String,
    #[serde(default)]
    hits: Vec<(usize, usize)>,
    #[serde(default)]
    context: bool,
}
