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
        let is_everywhere = argument::flag(call, ALL);
        let texts = Texts { old: old.unwrap_or_default(), new: new.unwrap_or_default() };
        Card {
            title: Some(if is_everywhere { title.and(Role::Plain, " everywhere") } else { title }),
            body: texts.body(call, path, cx),
            ..Card::default()
        }
    }
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
    let is_told = call.state == CallState::Streaming && old.lines + new.lines > 0;
    Card {
        title: Some(Line::of(Role::Path, &short(&path, cx))),
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
