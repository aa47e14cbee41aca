//! The view for **Read**: the file, the lines that were asked for, and an excerpt with its line numbers.
//!
//! The excerpt is the tool's output without the numbers that it carries for the model; where the output does not look
//! like that, it is shown as it is.

use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView, register_view};

use crate::argument::{self, PATH};
use crate::generic;
use crate::path::{language, short};

register_view!("Read", Read);

pub struct Read;

impl ToolView for Read {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let Some(path) = argument::text(call, PATH) else {
            return Card::default();
        };
        Card { title: Some(title(call, path, cx)), body: body(call, path, cx), ..Card::default() }
    }
}

fn title(call: &ToolCall, path: &str, cx: &CardCx) -> Line {
    let title = Line::of(Role::Path, &short(path, cx));
    match (argument::number(call, &["offset"]), argument::number(call, &["limit"])) {
        (Some(first), Some(1)) => title.and(Role::Plain, &format!(" line {first}")),
        (Some(first), Some(count)) if count > 0 => {
            title.and(Role::Plain, &format!(" from {first} to {}", first.saturating_add(count - 1)))
        }
        (Some(first), _) => title.and(Role::Plain, &format!(" from {first} on")),
        (None, Some(count)) => title.and(Role::Plain, &format!(" first {count}")),
        (None, None) => title,
    }
}

fn body(call: &ToolCall, path: &str, cx: &CardCx) -> Option<Vec<Block>> {
    match call.state {
        CallState::Done => {}
        CallState::Pending | CallState::Streaming => return Some(Vec::new()),
        _ => return generic::below_full_title(call, cx),
    }
    let output = call.result.as_ref()?.output.as_deref()?;
    // What the tool tells the model instead of a text is in the summary for a person.
    if cx.density != Density::Detail && is_note(output) {
        return Some(Vec::new());
    }
    let (first_line, text, rest) = unnumbered(output)?;
    let mut blocks = vec![Block::Code { lang: language(path), first_line: Some(first_line), text }];
    // What the tool tells the model below the text (how to go on) is in the summary for a person.
    if cx.density == Density::Detail && !rest.trim().is_empty() {
        blocks.push(Block::Text(rest.trim().lines().map(|line| Line::of(Role::Dim, line)).collect()));
    }
    Some(blocks)
}

/// `(the file is empty)`: one line in parentheses.
fn is_note(output: &str) -> bool {
    let note = output.trim();
    note.starts_with('(') && note.ends_with(')') && !note.contains('\n')
}

/// Takes `     1<TAB>text` lines apart: the first number, the text without numbers, and what follows the last
/// numbered line. `None` when the output does not begin with a numbered line.
fn unnumbered(output: &str) -> Option<(u64, String, &str)> {
    let mut first = None;
    let mut text = String::with_capacity(output.len());
    let mut rest = output;
    while let Some((number, line)) = rest.split_once('\t').and_then(|(number, _)| {
        let value = number.trim_start_matches(' ').parse::<u64>().ok()?;
        Some((value, &rest[number.len() + 1..]))
    }) {
        first.get_or_insert(number);
        let (line, after) = line.split_once('\n').unwrap_or((line, ""));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    first.map(|first| (first, text, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_off() {
        let rows = [
            ("     1\ta\n     2\t\tb\n", Some((1, "a\n\tb\n", ""))),
            ("    40\tlast", Some((40, "last\n", ""))),
            ("     1\ta\n\n[2 more lines]", Some((1, "a\n", "\n[2 more lines]"))),
            ("plain text", None),
            ("", None),
            ("x\ty", None),
        ];
        for (output, want) in rows {
            let got = unnumbered(output);
            assert_eq!(
                got.as_ref().map(|(first, text, rest)| (*first, text.as_str(), *rest)),
                want,
                "{output:?}"
            );
        }
    }
}
