//! The registry: what is seated where.
//!
//! Its slots are declared here, as fields: `tool` and `tool.details` (single), `tool.view`, `command`, `command.view` and
//! `completion` (keyed), `status` (list). So no entry can come before its slot, and only who is handed the [`Registry`] can
//! render one. Entries come from the crates that are linked in ([`linked`]) and from plugins; both end in the
//! [`RegistryBuilder`], and the result does
//! not depend on the order in which they came. Nothing here draws, runs or catches anything.
//!
//! Read `registry/slot.rs` next for what a slot is, `registry/key.rs` for how a tool's name finds its view.

use std::collections::BTreeMap;
use std::sync::Arc;

use carpel_protocol::word::ToolKind;

use crate::command::Command;
use crate::completion::CompletionSource;
use crate::record::CommandView;
use crate::status::StatusItem;
use crate::view::{ToolDetails, ToolTree, ToolView};

pub use builder::RegistryBuilder;
#[doc(hidden)]
pub use inventory;
pub use linked::{Registration, StaticEntry};
pub use offer::{Entry, Owner, Rank, SlotName};
pub use problem::Problem;

use slot::{Keyed, List, Single};

mod builder;
mod key;
pub mod linked;
mod offer;
mod problem;
mod slot;

/// What is seated where. Cheap to clone: the entries are shared, and so is what has been dispatched.
#[derive(Default, Clone)]
pub struct Registry {
    tree: Single<dyn ToolTree>,
    details: Single<dyn ToolDetails>,
    views: Keyed<dyn ToolView>,
    commands: Keyed<dyn Command>,
    completions: Keyed<dyn CompletionSource>,
    command_views: Keyed<dyn CommandView>,
    status: List<dyn StatusItem>,
    /// Foreign tool names and the names whose views draw them.
    aliases: BTreeMap<String, String>,
    problems: Vec<Problem>,
}

impl Registry {
    /// The registry of everything that is linked into this program.
    pub fn linked() -> Registry {
        RegistryBuilder::linked().build()
    }

    /// A builder that holds everything that is seated here, to add a plugin's entries to.
    pub fn to_builder(&self) -> RegistryBuilder {
        RegistryBuilder::of(self.clone())
    }

    /// Takes out every entry of that owner, by [`Owner::name`]; what they covered is seated again.
    pub fn remove(&mut self, owner: &str) {
        let mut builder = self.to_builder();
        builder.remove(owner);
        *self = builder.build();
    }

    /// The holder of the seat `tool`.
    pub fn tree(&self) -> Option<&Arc<dyn ToolTree>> {
        self.tree.dispatch()
    }

    /// What there is to tell of a selected call.
    pub fn details(&self) -> Option<&Arc<dyn ToolDetails>> {
        self.details.dispatch()
    }

    /// The view for a tool: exact name, then the name that it is an alias of, then the longest prefix pattern, then
    /// the kind. `None` means the generic card.
    pub fn view(&self, name: &str, kind: Option<&ToolKind>) -> Option<&Arc<dyn ToolView>> {
        let alias = self.aliases.get(name);
        self.views
            .exact(name)
            .or_else(|| self.views.exact(alias?).or_else(|| self.views.by_prefix(alias?)))
            .or_else(|| self.views.by_prefix(name))
            .or_else(|| self.views.by_kind(kind?.as_str()))
    }

    /// The command of that exact name.
    pub fn command(&self, name: &str) -> Option<&Arc<dyn Command>> {
        self.commands.exact(name)
    }

    /// The view for records of the command of that exact name. `None` means the generic card.
    pub fn command_view(&self, name: &str) -> Option<&Arc<dyn CommandView>> {
        self.command_views.exact(name)
    }

    /// All commands, by name. Listing them is no dispatch.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &Arc<dyn Command>)> {
        self.commands.all_exact()
    }

    /// The source of completion for a sigil.
    pub fn completion(&self, sigil: char) -> Option<&Arc<dyn CompletionSource>> {
        self.completions.exact(sigil.encode_utf8(&mut [0; 4]))
    }

    /// The items of the status row, from left to right.
    pub fn status(&self) -> Vec<&Arc<dyn StatusItem>> {
        self.status.in_order()
    }

    /// What could not be seated and why, in a fixed order; for the person, as notices.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Everything that was registered, seated or not, by slot and key.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = self.tree.entries(SlotName::Tool, "");
        entries.extend(self.details.entries(SlotName::ToolDetails, ""));
        entries.extend(self.views.entries(SlotName::ToolView));
        entries.extend(self.commands.entries(SlotName::Command));
        entries.extend(self.completions.entries(SlotName::Completion));
        entries.extend(self.command_views.entries(SlotName::CommandView));
        entries.extend(self.status.entries(SlotName::Status));
        entries
    }

    /// The views and commands that are seated and were never asked for: a misspelt key ends up here.
    pub fn never_dispatched(&self) -> Vec<Entry> {
        let mut entries = self.views.entries(SlotName::ToolView);
        entries.extend(self.commands.entries(SlotName::Command));
        entries.extend(self.command_views.entries(SlotName::CommandView));
        entries.retain(|entry| entry.seated && !entry.dispatched);
        entries
    }
}
