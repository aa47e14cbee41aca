//! Views for tools whose name says nothing, by what they do in general.
//!
//! A kind promises little about the arguments: the view is taken when they are those that it draws, else the generic
//! card. Kinds whose arguments differ from tool to tool (searching, fetching) have no view.

use carpel_slots::{Card, CardCx, ToolCall, ToolView, register_view};

use crate::argument::{self, CONTENT, NEW, OLD, PATTERN};
use crate::bash::Bash;
use crate::edit::Edit;
use crate::read::Read;
use crate::write::Write;

register_view!("kind:read", OfRead);
register_view!("kind:edit", OfEdit);
register_view!("kind:execute", Bash);

struct OfRead;

impl ToolView for OfRead {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        // What has a pattern looks for something; its path is not what is read.
        if argument::find(call, PATTERN).is_some() { Card::default() } else { Read.card(call, cx) }
    }
}

struct OfEdit;

impl ToolView for OfEdit {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        if argument::text(call, OLD).or(argument::text(call, NEW)).is_some() {
            Edit.card(call, cx)
        } else if argument::text(call, CONTENT).is_some() {
            Write.card(call, cx)
        } else {
            Card::default()
        }
    }
}
