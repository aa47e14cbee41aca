//! What Write and Edit share: a change as a diff, before it is made and after.
//!
//! Before, it is read from the arguments or from the question that a person was asked; line numbers are not known then.
//! After, it is the tool's own typed data. Nothing here compares whole files, and what streams is read from its end, so
//! that a frame costs what is seen of it.

use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use carpel_slots::{Block, CallState, CardCx, Density, Ending, Line, Role, ToolCall};
use serde::Deserialize;

use crate::{argument, generic, typed, unified};

/// Of a text that is being written so many lines are given at detail, which is more than a screen shows.
const TAIL: usize = 400;
/// In so many bytes.
const END: usize = 64 * 1024;
/// And so many lines at normal density.
const SHORT_TAIL: usize = 12;
/// Of a line that is being written so many bytes are given.
const LINE: usize = 4_000;

/// Of a text that is complete so many lines are given, which is more than an item shows.
const LISTED: usize = 2_000;

/// What the tool says that it changed; `None` when it says nothing of the kind.
fn applied(call: &ToolCall, path: &str) -> Option<Vec<Block>> {
    let change: Applied = typed::of(call)?;
    let mut blocks = Vec::new();
    if !change.hunks.is_empty() {
        blocks.push(Block::Diff { path: Some(path.to_owned()), hunks: change.hunks });
    }
    if change.truncated {
        let line = Line::of(Role::Dim, "more was changed than the tool has listed");
        blocks.push(Block::Text(vec![line]));
    }
    Some(blocks)
}

/// What a tool that ended well did: what it says that it changed, else its text, else what it was told to do. `None`
/// leaves the text to the generic card.
pub fn done(call: &ToolCall, path: &str, intended: impl FnOnce() -> Vec<Block>) -> Option<Vec<Block>> {
    let has_text = call
        .result
        .as_ref()
        .is_some_and(|result| result.output.as_ref().is_some_and(|output| *output != result.summary));
    applied(call, path).or_else(|| told(call)).or_else(|| (!has_text).then(intended))
}

/// The diff that a person is asked about; `None` when the question holds none.
pub fn asked(call: &ToolCall, path: &str) -> Option<Vec<Block>> {
    let mut blocks = unified::blocks(&call.approval.as_ref()?.detail)?;
    for block in &mut blocks {
        if let Block::Diff { path: of_diff, .. } = block {
            of_diff.get_or_insert_with(|| path.to_owned());
        }
    }
    Some(blocks)
}

/// The result's text as a diff, for tools that answer with one.
pub fn told(call: &ToolCall) -> Option<Vec<Block>> {
    unified::blocks(call.result.as_ref()?.output.as_deref()?)
}

/// One text in the place of another: what both begin and end with is context.
pub fn replacement(old: &str, new: &str, path: &str) -> Vec<Block> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old).collect(), lines(new).collect());
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|at| old[*at] == new[*at]).count();
    let tail =
        (0..shorter - head).take_while(|at| old[old.len() - 1 - at] == new[new.len() - 1 - at]).count();
    let parts = [
        (DiffTag::Context, &old[..head]),
        (DiffTag::Removed, &old[head..old.len() - tail]),
        (DiffTag::Added, &new[head..new.len() - tail]),
        (DiffTag::Context, &old[old.len() - tail..]),
    ];
    let lines = parts.into_iter().flat_map(|(tag, lines)| lines.iter().map(move |line| (tag, *line)));
    listed(lines, path)
}

/// A text that comes into being, whole.
pub fn addition(text: &str, path: &str) -> Vec<Block> {
    listed(lines(text).map(|line| (DiffTag::Added, line)), path)
}

fn listed<'a>(mut lines: impl Iterator<Item = (DiffTag, &'a str)>, path: &str) -> Vec<Block> {
    let given = lines.by_ref().take(LISTED).map(|(tag, line)| DiffLine::new(tag, line)).collect();
    let mut blocks = diff(given, path);
    let rest = lines.count();
    if rest > 0 {
        let line = Line::of(Role::Dim, &format!("and {rest} more lines"));
        blocks.push(Block::Text(vec![line]));
    }
    blocks
}

/// Why a change was not made and, at detail, what it would have been; `None` leaves it to the generic card.
pub fn failed(call: &ToolCall, cx: &CardCx, intended: impl FnOnce() -> Vec<Block>) -> Option<Vec<Block>> {
    // Of a call whose pod went away nobody knows whether it was done: what it was about to do is all there is.
    let is_whole = call.args.value().is_some();
    // What was cut off while it was written was not refused with its arguments in the answer: what came is all there is.
    let is_cut = !is_whole && matches!(call.state, CallState::Cancelled | CallState::Incomplete);
    let is_told = call.state == CallState::Incomplete || is_cut;
    let shows = cx.density == Density::Detail || cx.density == Density::Normal && is_told;
    if !shows || !(is_whole || is_cut) {
        return None;
    }
    let mut blocks: Vec<Block> = Vec::new();
    if let Some(result) = &call.result {
        blocks.extend(result.output.clone().filter(|text| !generic::is_told(call, text)).map(Block::Output));
    }
    blocks.extend(intended());
    Some(blocks)
}

/// The end of a text that is being written; nothing while it has not come.
pub fn end(call: &ToolCall, names: &[&str]) -> Ending {
    argument::end(call, names, END).unwrap_or_default()
}

/// The last lines of texts that are being written, oldest first.
pub fn growing(texts: &[(DiffTag, &Ending)], path: &str, cx: &CardCx) -> Vec<Block> {
    let room = if cx.density == Density::Detail { TAIL } else { SHORT_TAIL };
    let mut last: Vec<DiffLine> = texts
        .iter()
        .rev()
        .flat_map(|(tag, text)| last_lines(&text.text).map(|line| (*tag, line)))
        .take(room)
        .map(|(tag, line)| DiffLine::new(tag, &line[..line.floor_char_boundary(LINE)]))
        .collect();
    last.reverse();
    diff(last, path)
}

fn diff(lines: Vec<DiffLine>, path: &str) -> Vec<Block> {
    if lines.is_empty() {
        return Vec::new();
    }
    let hunk = Hunk { old_start: None, new_start: None, lines };
    let path = (!path.is_empty()).then(|| path.to_owned());
    vec![Block::Diff { path, hunks: vec![hunk] }]
}

/// The lines of a text, without their line feeds; a carriage return before one stays.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator('\n')
}

/// The same, from the end.
fn last_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix('\n').map_or((!text.is_empty()).then_some(text), Some);
    text.into_iter().flat_map(|text| text.rsplit('\n'))
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Applied {
    hunks: Vec<Hunk>,
    #[serde(default)]
    truncated: bool,
}
