//! The view for **Edit**: the file, and the old lines and the new ones as far as they have come.
//!
//! While a person is asked it is what the question shows, afterwards the hunks that the tool says it applied, with
//! their line numbers; where the tool says nothing of the kind its text is shown as it is.

use carpel_slots::card::DiffTag;
use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};

use crate::argument::{self, ALL, NEW, OLD, PATH, PATH_BYTES};
use crate::change;
use crate::path::short;

register_view!("Edit", Edit);

pub struct Edit;

/// Where a growing edit is looked at for whether it is one of every occurrence: bytes at either end.
const FLAG_BYTES: usize = 256;

impl ToolView for Edit {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        if matches!(call.state, CallState::Pending | CallState::Streaming) {
            return growing(call, cx);
        }
        let path = argument::text(call, PATH);
        let (old, new) = (argument::text(call, OLD), argument::text(call, NEW));
        // A model may write the texts first; without any of them nothing is understood.
        if path.is_none() && (old.or(new).is_none() || call.args.is_complete()) {
            return Card::default();
        }
        let path = path.unwrap_or_default();
        let title = Line::of(Role::Path, &short(path, cx));
        let texts = Texts { old: old.unwrap_or_default(), new: new.unwrap_or_default() };
        Card {
            title: Some(if argument::flag(call, ALL) { every(title) } else { title }),
            body: texts.body(call, path, cx),
            ..Card::default()
        }
    }
}

/// What is changed wherever it stands in the file.
fn every(title: Line) -> Line {
    title.and(Role::Plain, ", every occurrence")
}

/// Whether the arguments say so, as far as they have come. What stands before the texts or behind them is looked at, so
/// that a frame costs what is seen: within a text a quote is never bare.
fn is_every_so_far(call: &ToolCall) -> bool {
    let raw = call.args.raw();
    let (mut head, mut tail) = (raw.len().min(FLAG_BYTES), raw.len().saturating_sub(FLAG_BYTES));
    while !raw.is_char_boundary(head) {
        head -= 1;
    }
    while !raw.is_char_boundary(tail) {
        tail += 1;
    }
    [&raw[..head], &raw[tail..]].iter().any(|part| ALL.iter().any(|name| says_yes(part, name)))
}

fn says_yes(part: &str, name: &str) -> bool {
    let key = format!("\"{name}\"");
    part.match_indices(&key).any(|(at, key)| {
        let value = part[at + key.len()..].trim_start().strip_prefix(':').map(str::trim_start);
        !part[..at].ends_with('\\') && value.is_some_and(|value| value.starts_with("true"))
    })
}

/// While it is written: the ends of both texts, so that a frame costs what is seen.
fn growing(call: &ToolCall, cx: &CardCx) -> Card {
    let path = argument::end(call, PATH, PATH_BYTES).map(|path| path.text);
    let is_begun = argument::end(call, OLD, 0).or_else(|| argument::end(call, NEW, 0)).is_some();
    if path.is_none() && (!is_begun || call.args.is_complete()) {
        return Card::default();
    }
    let (path, old, new) = (path.unwrap_or_default(), change::end(call, OLD), change::end(call, NEW));
    let texts = [(DiffTag::Removed, &old), (DiffTag::Added, &new)];
    let title = Line::of(Role::Path, &short(&path, cx));
    let is_told = call.state == CallState::Streaming && old.lines + new.lines > 0;
    Card {
        title: Some(if is_every_so_far(call) { every(title) } else { title }),
        note: is_told.then(|| Line::from(format!("-{} +{} lines so far", old.lines, new.lines).as_str())),
        body: Some(change::growing(&texts, &path, cx)),
        ..Card::default()
    }
}

/// What is replaced by what.
struct Texts<'a> {
    old: &'a str,
    new: &'a str,
}

impl Texts<'_> {
    fn body(&self, call: &ToolCall, path: &str, cx: &CardCx) -> Option<Vec<Block>> {
        let intended = || change::replacement(self.old, self.new, path);
        match call.state {
            CallState::Pending | CallState::Streaming => None,
            CallState::AwaitingApproval => Some(change::asked(call, path).unwrap_or_else(intended)),
            CallState::Executing => Some(intended()),
            CallState::Done => change::done(call, path, intended),
            CallState::Error | CallState::Cancelled | CallState::Rejected | CallState::Incomplete => {
                change::failed(call, cx, intended)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use carpel_slots::{CardCx, ToolView};

    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn that_every_occurrence_is_meant_is_told_as_soon_as_it_was_written() {
        let long = "x".repeat(2_000);
        for (arguments, every) in [
            (r#"{"file_path":"a","replace_all":true,"old_string":"b"#.to_owned(), true),
            (r#"{"file_path":"a","replace_all" : true"#.to_owned(), true),
            (format!(r#"{{"file_path":"a","replaceAll":true,"old_string":"{long}"#), true),
            (format!(r#"{{"file_path":"a","old_string":"{long}","new_string":"","replace_all":true"#), true),
            (r#"{"file_path":"a","replace_all":tru"#.to_owned(), false),
            (r#"{"file_path":"a","replace_all":false,"old_string":"true"#.to_owned(), false),
            (r#"{"file_path":"a","old_string":"\"replace_all\": true"#.to_owned(), false),
            (format!(r#"{{"file_path":"a","old_string":"é{long}é"#), false),
        ] {
            let call = Fixture::new("Edit").streaming(&arguments).build();
            let title = Edit.card(&call, &CardCx::default()).title.unwrap_or_default().text();
            assert_eq!(title.ends_with(", every occurrence"), every, "{arguments}: {title}");
        }
    }
}
