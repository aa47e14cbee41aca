//! The view for **Edit**: the file, and the old lines and the new ones as far as they have come.
//!
//! While a person is asked it is what the question shows, afterwards the hunks that the tool says it applied, with
//! their line numbers; where the tool says nothing of the kind its text is shown as it is.

use carpel_slots::card::DiffTag;
use carpel_slots::{Block, CallState, Card, CardCx, Line, Role, ToolCall, ToolView, register_view};

use crate::argument::{self, ALL, NEW, OLD, PATH};
use crate::change;
use crate::path::short;

register_view!("Edit", Edit);

pub struct Edit;

impl ToolView for Edit {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
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
            note: texts.note(call),
            body: texts.body(call, path, cx),
            ..Card::default()
        }
    }
}

/// What is replaced by what, as far as it has come.
struct Texts<'a> {
    old: &'a str,
    new: &'a str,
}

impl Texts<'_> {
    fn note(&self, call: &ToolCall) -> Option<Line> {
        if call.state != CallState::Streaming {
            return None;
        }
        match (change::line_count(self.old), change::line_count(self.new)) {
            (0, 0) => None,
            (old, new) => Some(Line::from(format!("-{old} +{new} lines so far").as_str())),
        }
    }

    fn body(&self, call: &ToolCall, path: &str, cx: &CardCx) -> Option<Vec<Block>> {
        let intended = || change::replacement(self.old, self.new, path);
        match call.state {
            CallState::Pending | CallState::Streaming => {
                let texts = [(DiffTag::Removed, self.old), (DiffTag::Added, self.new)];
                Some(change::growing(&texts, path, cx))
            }
            CallState::AwaitingApproval => Some(change::asked(call, path).unwrap_or_else(intended)),
            CallState::Executing => Some(intended()),
            CallState::Done => change::done(call, path, intended),
            CallState::Error | CallState::Cancelled | CallState::Rejected | CallState::Incomplete => {
                change::failed(call, cx, intended)
            }
        }
    }
}
