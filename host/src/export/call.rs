//! A call with all that is below it: a heading each, then what its card says.
//!
//! The seat `tool` places the cards, so views, aliases and plugins count here as on the screen. The heading has the sign
//! and the word of the state; arguments that no card shows are added, what was cut for the heading is told whole below
//! it. It knows no items. Read `blocks.rs` next.

use std::sync::Arc;

use carpel_slots::{Block, CallState, Line, PlacedCard, Role, ToolCall};
use serde_json::Value;

use super::text::{code, fence, heading, inline, is_cut, lines, longest_run};
use super::{ExportCx, blocks, verbatim};
use crate::render::clock;
use crate::render::glyph::Glyphs;
use crate::render::header::told_state;
use crate::render::painter::bare;

/// The level of a root call's heading.
const ROOT: usize = 3;
/// Markdown has no deeper heading.
const DEEPEST: usize = 6;

/// The parts of a call and of what is below it.
pub fn tree(root: &Arc<ToolCall>, cx: &ExportCx<'_>) -> Vec<String> {
    let placed = match cx.registry.tree() {
        Some(tree) => tree.place(root, None, cx.registry, &cx.card),
        None => root.walk().into_iter().map(|(depth, call)| bare(depth, call)).collect(),
    };
    placed.iter().flat_map(|placed| one(placed, cx)).collect()
}

fn one(placed: &PlacedCard, cx: &ExportCx<'_>) -> Vec<String> {
    let PlacedCard { call, card, .. } = placed;
    let title = card.title.clone().unwrap_or_default();
    let body = card.body.as_deref().unwrap_or_default();
    let mut parts = vec![head(placed, &title)];
    if is_cut(&title.text()) {
        parts.extend(fence("text", vec![title.text()]));
    }
    if !body.iter().any(|block| matches!(block, Block::Fields(_))) {
        let rest = arguments(call, &title.text(), !body.is_empty());
        if !rest.is_empty() {
            parts.extend(blocks::fields(&rest));
        }
    }
    if let Some(approval) = &call.approval {
        parts.push(format!("Waits for an answer: {}", inline(&approval.title)));
        parts.extend(verbatim(&approval.detail));
    }
    parts.extend(body.iter().flat_map(blocks::parts));
    if let Some(file) = cx.side_files.get(&*call.key.id) {
        parts.push(format!("The whole output is in {}", code_of_path(file)));
    }
    parts
}

/// `### ✓ Read src/parser.rs — done, 120 lines, 0.1s`
fn head(placed: &PlacedCard, title: &Line) -> String {
    let PlacedCard { call, depth, card } = placed;
    let level = (ROOT + depth).min(DEEPEST);
    let deeper = "› ".repeat((ROOT + depth - level).min(8));
    let state = told_state(call, card);
    let mut text = format!("{} {deeper}{} ", "#".repeat(level), Glyphs::UNICODE.state(state));
    text.push_str(&heading(&call.name));
    let subject = if is_code(title) { code(&title.text()) } else { heading(&title.text()) };
    if !subject.is_empty() {
        text.push(' ');
        text.push_str(&subject);
    }
    let note = heading(&card.note.clone().unwrap_or_default().text());
    let word = call.state.word();
    let told = state != CallState::Done && (state != call.state || note.to_lowercase().contains(word));
    let time = call.elapsed.map(clock::elapsed);
    let facts = [if told { "" } else { word }, &note, time.as_deref().unwrap_or_default()];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    format!("{text} — {}", facts.join(", "))
}

/// Whether a title names something that is copied as it is.
fn is_code(title: &Line) -> bool {
    title.spans.iter().any(|span| matches!(span.role, Role::Path | Role::Command | Role::Accent))
}

/// The arguments that neither title nor body tell; long ones are in the body where there is one.
fn arguments(call: &ToolCall, title: &str, has_body: bool) -> Vec<(String, String)> {
    let Some(fields) = call.args.value().and_then(Value::as_object) else {
        return Vec::new();
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_told = |value: &str| value == title || (value.chars().nth(2).is_some() && title.contains(value));
    let is_long = |value: &str| value.contains('\n') || value.chars().nth(200).is_some();
    fields
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .filter(|(_, value)| !is_told(value))
        .filter(|(_, value)| !has_body || !is_long(value))
        .collect()
}

/// A path of any length as code.
fn code_of_path(path: &str) -> String {
    let path = lines(path).join(" ");
    let ticks = "`".repeat(longest_run(&path, '`') + 1);
    format!("{ticks}{path}{ticks}")
}
