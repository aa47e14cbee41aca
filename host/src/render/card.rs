//! A placed card as rows: its header, and below it what the density leaves of its body.
//!
//! Depth is two columns a level, at most eight in all, and less in a narrow window, so that words stay whole. An open
//! approval shows what it asks about. It knows neither the tree's rules (the seat `tool` has them) nor the cache.

use std::time::Duration;

use carpel_slots::card::{DiffTag, Hunk};
use carpel_slots::{Block, CallState, Density, PlacedCard, Printable, Role, ToolCall};
use carpel_tool_views::generic;
use carpel_tool_views::unified::{self, Part};

use crate::paint::{CardRows, PaintCx, Place};
use crate::render::Highlighter;
use crate::render::block::{self, ITEM_ROWS, Ink, LIVE_ROWS};
use crate::render::clip::{self, Keep, LINE_CELLS, Room};
use crate::render::diff;
use crate::render::header::{self, Header};
use crate::render::look::Look;
use crate::row::{Row, RowSpan};

/// Below this width indents are small.
pub const NARROW: usize = 30;
/// Depth never takes more columns than this.
const DEPTH: usize = 8;
/// So many rows of what an approval asks about are shown.
const APPROVAL_ROWS: usize = 12;

/// The blanks in front of a header at a depth.
pub fn header_indent(depth: usize, width: usize) -> usize {
    match width {
        0..8 => 0,
        8..NARROW => (2 * depth).min(2),
        _ => (2 * depth).min(DEPTH),
    }
}

/// The blanks in front of a body at a depth.
pub fn body_indent(depth: usize, width: usize) -> usize {
    match width {
        0..8 => 0,
        8..16 => 2,
        16..NARROW => header_indent(depth, width) + 2,
        _ => header_indent(depth, width) + 4,
    }
}

/// The blanks in front of a sub-call's settled output: below its name, so that it does not read as its neighbour's.
fn nested_indent(depth: usize, width: usize) -> usize {
    if width < NARROW { body_indent(depth, width) } else { header_indent(depth, width) + 2 }
}

/// What is needed to draw a card.
pub struct CardInk<'a> {
    /// Width, density, place, time.
    pub cx: &'a PaintCx,
    /// Styles and glyphs.
    pub look: Look,
    /// Bounds bodies that still grow.
    pub body_rows: Option<usize>,
    /// So many rows of a body are shown at most.
    pub most: usize,
    /// Colours source text.
    pub highlighter: &'a mut Highlighter,
    /// Set when colours are missing yet.
    pub waiting: bool,
}

/// The rows of one card.
pub fn rows(placed: &PlacedCard, elapsed: Option<Duration>, ink: &mut CardInk<'_>) -> CardRows {
    let call = &*placed.call;
    let width = ink.cx.width.max(1);
    let indent = header_indent(placed.depth, width);
    let head = Header { call, card: &placed.card, elapsed, indent };
    // At overview a header is one row wherever it stands.
    let place = if ink.cx.density == Density::Overview { Place::Live } else { ink.cx.place };
    let header = header::rows(&head, width, place, ink.look);
    let (body, asked) = body(placed, width, ink);
    CardRows { key: call.key.clone(), depth: placed.depth, state: call.state, header, body, asked }
}

/// The rows below the header, and how many of them, the first, say what was asked.
fn body(placed: &PlacedCard, width: usize, ink: &mut CardInk<'_>) -> (Vec<Row>, usize) {
    let call = &*placed.call;
    // In a tree only what is not well, or not over, tells more than its header.
    let is_quiet = ink.cx.density == Density::Normal && placed.depth > 0 && call.state == CallState::Done;
    if ink.cx.density == Density::Overview || is_quiet {
        return (Vec::new(), 0);
    }
    let blocks = placed.card.body.as_deref().unwrap_or_default();
    let growing = !call.state.is_settled();
    let mut block_ink = Ink {
        look: ink.look,
        width,
        indent: body_indent(placed.depth, width),
        nested: (placed.depth > 0).then(|| nested_indent(placed.depth, width)),
        density: ink.cx.density,
        place: ink.cx.place,
        most: ink.most,
        end_tells: call.state == CallState::Error || header::is_command(&placed.card),
        live_rows: (growing && ink.cx.place == Place::Live).then(|| live_rows(ink)),
        highlighter: &mut *ink.highlighter,
        waiting: false,
    };
    let mut rows = approval_rows(call, blocks, &mut block_ink);
    // What a person is asked about is shown once, as it was asked.
    let mut asked = 0;
    if !is_asked(call) {
        let mut says_asked = true;
        for block in blocks {
            rows.extend(block::rows(block, &mut block_ink));
            says_asked &= is_of_asking(block);
            if says_asked {
                asked = rows.len();
            }
        }
        // Named values alone are what came of it.
        if says_asked && blocks.iter().any(|block| matches!(block, Block::Fields(_))) {
            asked = 0;
        }
    }
    rows.extend(note_of_output(call, blocks, &mut block_ink));
    let live_rows = block_ink.live_rows;
    let indent = block_ink.indent;
    ink.waiting |= block_ink.waiting;
    let rows = match live_rows {
        Some(limit) if call.state != CallState::AwaitingApproval && rows.len() > limit => {
            rows.split_off(rows.len() - limit)
        }
        None if rows.len() > ink.most + 1 => {
            let hidden = rows.len() - ink.most;
            rows.truncate(ink.most);
            rows.push(clip::more(&format!("{hidden} more rows"), indent, width, ink.look));
            rows
        }
        _ => rows,
    };
    let asked = asked.min(rows.len());
    (rows, asked)
}

/// What a card says first of all, dim, and named values are what a call was given, not what came of it.
fn is_of_asking(block: &Block) -> bool {
    match block {
        Block::Text(lines) => lines.iter().flat_map(|line| &line.spans).all(|span| span.role == Role::Dim),
        Block::Fields(_) => true,
        Block::Code { .. }
        | Block::Diff { .. }
        | Block::Matches { .. }
        | Block::Table { .. }
        | Block::Markdown(_)
        | Block::Output(_) => false,
    }
}

/// The rows of a body that still grows: a few, and at detail as many as the flow has room for.
fn live_rows(ink: &CardInk<'_>) -> usize {
    let most = if ink.cx.density == Density::Detail { ITEM_ROWS } else { LIVE_ROWS };
    ink.body_rows.map_or(most, |rows| rows.min(most))
}

/// A failure keeps its reason even where its view says nothing of it.
fn note_of_output(call: &ToolCall, blocks: &[Block], ink: &mut Ink<'_>) -> Vec<Row> {
    let output = call.result.as_ref().and_then(|result| result.output.as_deref());
    match output {
        Some(text) if call.state == CallState::Error && blocks.is_empty() => {
            let summary = call.result.as_ref().map(|result| result.summary.trim()).unwrap_or_default();
            let is_note = summary.is_empty() && generic::one_line_error(call).is_some();
            if is_note || text.trim() == summary {
                return Vec::new();
            }
            block::rows(&Block::Output(text.to_owned()), ink)
        }
        _ => Vec::new(),
    }
}

/// True while a question is open that says what it is about.
fn is_asked(call: &ToolCall) -> bool {
    !call.state.is_settled() && call.approval.as_ref().is_some_and(|approval| !approval.detail.is_empty())
}

/// What an open approval asks about, with nothing gone. It comes from the question itself: a card can give it its form
/// only where it says the same.
fn approval_rows(call: &ToolCall, blocks: &[Block], ink: &mut Ink<'_>) -> Vec<Row> {
    let Some(approval) = call.approval.as_ref().filter(|_| !call.state.is_settled()) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    if !approval.title.is_empty() {
        rows.extend(ink.line(&exact(&approval.title, Role::Warning, ink)));
    }
    let limit = match ink.place {
        Place::Settled => ITEM_ROWS,
        Place::Live if ink.live_rows == Some(0) => return Vec::new(),
        Place::Live => APPROVAL_ROWS,
    };
    // A cut falls in the middle, so that both the old and the new lines stay in sight.
    let room = Room { rows: limit, keep: Keep::Ends };
    let drawn = blocks.iter().find_map(|block| match block {
        Block::Diff { path, hunks } => Some((path.as_deref(), hunks.as_slice())),
        _ => None,
    });
    let path = drawn.and_then(|(path, _)| path);
    if let Some(parts) = unified::parts(&approval.detail) {
        for part in &parts {
            match part {
                Part::Text(lines) => rows.extend(detail_rows(lines, room, ink)),
                Part::Diff { path: of_part, hunks } => {
                    rows.extend(diff::rows_in(of_part.as_deref().or(path), hunks, room, ink));
                }
            }
        }
    } else if let Some((_, hunks)) = drawn.filter(|(_, hunks)| adds(hunks, &approval.detail)) {
        rows.extend(diff::rows_in(path, hunks, room, ink));
    } else {
        let lines: Vec<&str> = approval.detail.lines().collect();
        rows.extend(detail_rows(&lines, room, ink));
    }
    rows
}

/// True when the hunks add that text and do nothing else.
fn adds(hunks: &[Hunk], text: &str) -> bool {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.clone().all(|line| line.tag == DiffTag::Added)
        && lines.map(|line| line.text.as_str()).eq(text.split_terminator('\n'))
}

fn detail_rows(lines: &[impl AsRef<str>], room: Room, ink: &Ink<'_>) -> Vec<Row> {
    let shown = room.choose(lines.len());
    let chosen: Vec<&str> =
        lines[..shown.head].iter().chain(&lines[lines.len() - shown.tail..]).map(AsRef::as_ref).collect();
    let row =
        |line: &str| ink.line(&clip::long_line(exact(line, approval_role(line), ink), LINE_CELLS, ink.look));
    shown.rows(chosen, row, |hidden| ink.more_lines(hidden))
}

/// What a person says yes to is shown with nothing gone.
fn exact(text: &str, role: Role, ink: &Ink<'_>) -> Vec<RowSpan> {
    let text = Printable::exact(text);
    if text.is_empty() { Vec::new() } else { vec![RowSpan { text, style: ink.look.theme.role(role) }] }
}

fn approval_role(line: &str) -> Role {
    let sign = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    match sign.as_bytes().first() {
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        _ => Role::Plain,
    }
}
