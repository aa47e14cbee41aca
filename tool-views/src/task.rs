//! The view for **Task**: what a sub-agent was asked, what it says while it works, and its answer.
//!
//! Its calls are cards of their own below it (`tree.rs`). Until it says something the prompt stands for what it does,
//! a few lines of it; then the end of what it says; when it is done its answer, as Markdown. How its calls stand is
//! the note: while it works counted here, afterwards in the tool's own words.

use carpel_slots::{
    Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView, register_alias, register_view,
};
use serde_json::Value;

use crate::argument;
use crate::generic;
use crate::rollup;

register_view!("Task", Task);
register_alias!("task", "Task");
register_alias!("Agent", "Task");

/// Names of the argument that says what is to be done.
const PROMPT: &[&str] = &["prompt", "task", "instructions"];
/// Lines of a prompt while nothing else tells what happens.
const PROMPT_LINES: usize = 3;
/// Lines of a prompt, and of what is said, at detail.
const DETAIL_LINES: usize = 200;
/// Lines of what is said while it works.
const SAID_LINES: usize = 4;

struct Task;

impl ToolView for Task {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let description = argument::text(call, &["description", "title", "name"]);
        let Some(about) = description.or_else(|| argument::text(call, PROMPT)) else {
            return Card::default();
        };
        let about = about.trim();
        let first = about.lines().next().unwrap_or_default();
        let more = if first.len() < about.len() { "..." } else { "" };
        Card {
            title: Some(Line::of(Role::Accent, &format!("{first}{more}"))),
            note: note(call),
            body: body(call, cx),
            ..Card::default()
        }
    }
}

/// How its calls stand when it was stopped: the tool says no more than that it was.
fn note(call: &ToolCall) -> Option<Line> {
    match call.state {
        CallState::Cancelled | CallState::Incomplete => rollup::line(call),
        _ => None,
    }
}

fn body(call: &ToolCall, cx: &CardCx) -> Option<Vec<Block>> {
    let detail = cx.density == Density::Detail;
    let mut blocks = Vec::new();
    match call.state {
        CallState::Pending | CallState::Streaming | CallState::AwaitingApproval | CallState::Executing => {
            let said = last_lines(call.progress.text(), if detail { DETAIL_LINES } else { SAID_LINES });
            if detail || (said.is_empty() && call.sub_calls.is_empty()) {
                blocks.extend(prompt(call, detail));
            }
            if !said.is_empty() {
                blocks.push(Block::Text(said));
            }
        }
        CallState::Done => {
            if detail {
                blocks.extend(apart(call, prompt(call, detail)));
            }
            blocks.push(Block::Markdown(answer(call)?.to_owned()));
        }
        CallState::Error | CallState::Cancelled | CallState::Rejected | CallState::Incomplete => {
            // What it had found until then.
            let found = answer(call).filter(|answer| !generic::is_told(call, answer));
            if detail {
                let prompt = prompt(call, detail);
                blocks.extend(if found.is_some() { apart(call, prompt) } else { prompt });
            }
            blocks.extend(found.map(|answer| Block::Markdown(answer.to_owned())));
        }
    }
    Some(blocks)
}

/// What was asked is not the beginning of what came of it. Its calls stand between the two, where there are any.
fn apart(call: &ToolCall, prompt: Option<Block>) -> Option<Block> {
    match prompt? {
        Block::Text(mut lines) if call.sub_calls.is_empty() => {
            lines.push(Line::default());
            Some(Block::Text(lines))
        }
        other => Some(other),
    }
}

fn prompt(call: &ToolCall, detail: bool) -> Option<Block> {
    let prompt = argument::text(call, PROMPT)?.trim();
    let limit = if detail { DETAIL_LINES } else { PROMPT_LINES };
    let mut lines: Vec<Line> = prompt.lines().take(limit).map(|line| Line::exact(Role::Dim, line)).collect();
    let rest = prompt.lines().skip(limit).count();
    if rest > 0 {
        lines.push(Line::of(Role::Dim, &format!("and {rest} more lines")));
    }
    (!lines.is_empty()).then_some(Block::Text(lines))
}

fn last_lines(text: &str, limit: usize) -> Vec<Line> {
    let lines: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(limit).collect();
    lines.into_iter().rev().map(|line| Line::of(Role::Dim, line)).collect()
}

/// The typed answer, else the text of the result.
fn answer(call: &ToolCall) -> Option<&str> {
    let result = call.result.as_ref()?;
    let typed = result.structured.as_ref().and_then(|found| found.get("answer")).and_then(Value::as_str);
    typed.or(result.output.as_deref()).filter(|answer| !answer.trim().is_empty())
}
