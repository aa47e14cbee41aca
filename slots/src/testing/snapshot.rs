//! A card as lines of text: near to what the host draws, without its colours and its pains.
//!
//! It owns the plain picture of each kind of block, and how much of it each density shows, which follows the host. It
//! wraps nothing: what is too wide is cut. Text goes through [`Printable`], so that a snapshot can be printed.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::call::{CallState, ToolCall};
use crate::card::{Action, Block, Card, DiffTag, Hunk, Line, MatchGroup};
use crate::density::Density;
use crate::printable::Printable;

/// So many rows of a card that still grows are shown, the last ones.
const LIVE: usize = 6;
/// No card is longer.
const MOST: usize = 400;
/// No column is wider at normal density.
const COLUMN: usize = 40;

/// A card as lines of text, each ended by a line feed and at most `width` cells wide.
///
/// The first line is `sign name  title  note`; the body stands below it, indented, at overview not at all; actions stand
/// last. What the view leaves to the host is told in brackets: `(generic title)`, `(generic body)`. How much of a block is
/// shown at which density is as in the host.
///
/// It does not show roles and colours, elapsed times, how the host wraps what is too wide (here it is cut, with `…`), how
/// Markdown is laid out (here it is source) and the colours of code. Diffs have no line numbers here.
pub fn card_text(card: &Card, call: &ToolCall, width: usize, density: Density) -> String {
    let width = width.max(1);
    let mut rows = vec![header(card, call)];
    if density != Density::Overview {
        let mut body: Vec<String> = match &card.body {
            None => vec!["(generic body)".to_owned()],
            Some(blocks) => blocks.iter().flat_map(|block| block_rows(block, width, density)).collect(),
        };
        if !call.state.is_settled() && density == Density::Normal {
            body.drain(..body.len().saturating_sub(LIVE));
        }
        rows.extend(first(body, MOST, "row").into_iter().map(|row| format!("    {row}")));
        rows.extend(card.actions.iter().map(|action| format!("    -> {}", action_text(action))));
    }
    rows.iter().map(|row| format!("{}\n", cut(row.trim_end(), width))).collect()
}

fn header(card: &Card, call: &ToolCall) -> String {
    let mut parts = vec![format!("{} {}", sign(call.state), printable(&call.name))];
    parts.push(card.title.as_ref().map_or("(generic title)".to_owned(), Line::text));
    let summary = call.result.as_ref().map(|result| printable(result.summary.trim()));
    let note = card.note.as_ref().map(Line::text).or(summary).unwrap_or_default();
    let word = call.state.word();
    parts.push(match call.state {
        CallState::Done => note,
        CallState::Executing if !note.is_empty() => note,
        _ if note.is_empty() => word.to_owned(),
        _ if note.to_lowercase().contains(word) => note,
        state if state.is_settled() => format!("{word}: {note}"),
        _ => format!("{word}, {note}"),
    });
    parts.retain(|part| !part.is_empty());
    parts.join("  ")
}

fn sign(state: CallState) -> char {
    match state {
        CallState::Pending => '○',
        CallState::Streaming => '◌',
        CallState::AwaitingApproval => '?',
        CallState::Executing => '●',
        CallState::Done => '✓',
        CallState::Error => '✗',
        CallState::Cancelled => '⊘',
        CallState::Rejected => '⊝',
        CallState::Incomplete => '◐',
    }
}

fn action_text(action: &Action) -> String {
    match action {
        Action::OpenFile { path, line: Some(line) } => format!("opens {}:{line}", printable(path)),
        Action::OpenFile { path, line: None } => format!("opens {}", printable(path)),
        Action::OpenUrl(address) => format!("opens {}", printable(address)),
    }
}

fn block_rows(block: &Block, width: usize, density: Density) -> Vec<String> {
    let room = |normal: usize| if density == Density::Detail { MOST } else { normal };
    let (rows, normal): (Vec<String>, usize) = match block {
        Block::Table { columns, rows } => {
            return table_rows(columns, rows, width.saturating_sub(4), room(6), density);
        }
        Block::Text(lines) => (lines.iter().map(Line::text).collect(), 8),
        Block::Code { first_line: Some(from), text, .. } => {
            let number = |(at, line): (u64, &str)| format!("{} {}", from.saturating_add(at), printable(line));
            ((0..).zip(text.lines()).map(number).collect(), 3)
        }
        Block::Code { first_line: None, text, .. } => (text.lines().map(printable).collect(), 12),
        Block::Diff { hunks, .. } => (hunks.iter().flat_map(hunk_rows).collect(), 8),
        Block::Matches { groups } => (groups.iter().flat_map(group_rows).collect(), 6),
        Block::Fields(pairs) => (pair_rows(pairs), 8),
        Block::Markdown(text) => (text.lines().map(printable).collect(), 8),
        Block::Output(text) => (text.lines().map(output_row).collect(), 6),
    };
    first(rows, room(normal), "line")
}

/// The first rows, and how many there are more. One more is shown, as a row that counts it would be no shorter.
fn first(mut rows: Vec<String>, most: usize, noun: &str) -> Vec<String> {
    if rows.len() > most + 1 {
        let hidden = rows.len() - most;
        rows.truncate(most);
        rows.push(format!("… {hidden} more {noun}s"));
    }
    rows
}

fn hunk_rows(hunk: &Hunk) -> Vec<String> {
    let sign = |tag: DiffTag| match tag {
        DiffTag::Context => ' ',
        DiffTag::Added => '+',
        DiffTag::Removed => '-',
    };
    hunk.lines.iter().map(|line| format!("{}{}", sign(line.tag), printable(&line.text))).collect()
}

fn group_rows(group: &MatchGroup) -> Vec<String> {
    let head = format!("{}  {}", printable(&group.path), group.count);
    let line = |line: &crate::card::MatchLine| format!("  {}  {}", line.line, printable(&line.text));
    std::iter::once(head).chain(group.lines.iter().map(line)).collect()
}

fn pair_rows(pairs: &[(String, String)]) -> Vec<String> {
    let pairs: Vec<(String, String)> =
        pairs.iter().map(|(name, value)| (printable(name), printable(value))).collect();
    let widest = pairs.iter().map(|(name, _)| name.width()).max().unwrap_or(0).min(16);
    pairs.iter().map(|(name, value)| format!("{}  {value}", padded(name, widest, false))).collect()
}

/// A table; where it is wider than there is room each row as named values.
fn table_rows(
    columns: &[String],
    rows: &[Vec<String>],
    width: usize,
    most: usize,
    density: Density,
) -> Vec<String> {
    if columns.is_empty() || rows.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = columns.iter().map(|name| printable(name)).collect();
    let cell = |row: &Vec<String>, at: usize| row.get(at).map(|value| printable(value)).unwrap_or_default();
    let cells = |row| (0..names.len()).map(|at| cell(row, at)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let limit = if density == Density::Detail { usize::MAX } else { COLUMN };
    let column = |at: usize| rows.iter().map(move |row| &row[at]);
    let widths: Vec<usize> = (0..names.len())
        .map(|at| column(at).map(|value| value.width()).max().unwrap_or(0).max(names[at].width()).min(limit))
        .collect();
    if widths.iter().map(|width| width + 2).sum::<usize>() > width + 2 {
        let record = |row: &Vec<String>| {
            let pairs: Vec<_> = names.iter().cloned().zip(row.iter().cloned()).collect();
            pair_rows(&pairs)
        };
        // What is looked at quickly has two rows of the table, not half of one.
        let most = if density == Density::Detail { most } else { most.min(2 * names.len()) };
        return first(rows.iter().flat_map(record).collect(), most, "line");
    }
    let is_number: Vec<bool> = (0..names.len())
        .map(|at| column(at).all(|value| value.is_empty() || value.parse::<f64>().is_ok()))
        .collect();
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate();
        let cells = cells.map(|(at, cell)| padded(&cut(cell, widths[at]), widths[at], is_number[at]));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let values = rows.iter().map(row).collect();
    let mut all = vec![row(&names)];
    all.extend(first(values, most, "row"));
    all
}

fn padded(text: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    if right { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// What a terminal would show last of a line that was written over.
fn output_row(line: &str) -> String {
    printable(line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default())
}

fn printable(text: &str) -> String {
    Printable::line(text).into()
}

fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}
