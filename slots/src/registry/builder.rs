//! Where registrations come together: those of linked crates and those of plugins.
//!
//! Each registration goes to its place at once; [`RegistryBuilder::build`] then looks for what could not be seated.
//! Registry and problems are the same whatever the order was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::key::Key;
use super::linked::{Registration, StaticEntry};
use super::offer::{Offer, Owner, SlotName};
use super::problem::Problem;
use super::{Registry, inventory};
use crate::command::Command;
use crate::completion::CompletionSource;
use crate::record::CommandView;
use crate::status::StatusItem;
use crate::view::{ToolDetails, ToolTree, ToolView};

/// Collects registrations.
///
/// ```
/// use std::sync::Arc;
/// use carpel_slots::registry::{Owner, RegistryBuilder};
/// use carpel_slots::{Card, CardCx, ToolCall, ToolView};
///
/// struct Github;
/// impl ToolView for Github {
///     fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
///         Card::default()
///     }
/// }
///
/// let mut builder = RegistryBuilder::default();
/// builder.view("mcp__github__*", &Owner::plugin("github", "github.so"), Arc::new(Github));
/// builder.alias("gh_issues", "mcp__github__list_issues");
/// let registry = builder.build();
/// assert!(registry.view("mcp__github__create_issue", None).is_some());
/// assert!(registry.view("gh_issues", None).is_some());
/// assert!(registry.problems().is_empty());
/// ```
#[derive(Default, Clone)]
pub struct RegistryBuilder {
    registry: Registry,
    /// Every alias with all that it should stand for.
    aliases: BTreeMap<String, BTreeSet<String>>,
    bad_keys: Vec<Problem>,
}

impl RegistryBuilder {
    /// A builder with everything that is linked into this program.
    pub fn linked() -> RegistryBuilder {
        let mut builder = RegistryBuilder::default();
        for registration in inventory::iter::<Registration> {
            builder.registration(registration);
        }
        builder
    }

    pub(super) fn of(registry: Registry) -> RegistryBuilder {
        let mut builder = RegistryBuilder::default();
        for problem in &registry.problems {
            match problem {
                Problem::BadKey { .. } => builder.bad_keys.push(problem.clone()),
                Problem::AliasTaken { from, refused, .. } => builder.alias(from, refused),
                Problem::Taken { .. } | Problem::AliasOfNothing { .. } => {}
            }
        }
        registry.aliases.iter().for_each(|(from, to)| builder.alias(from, to));
        builder.registry = registry;
        builder
    }

    /// Registers what a linked crate registers.
    pub fn registration(&mut self, registration: &Registration) {
        let Registration { key, owner, source, entry } = registration;
        let owner = Owner::built_in(owner, source);
        match entry {
            StaticEntry::Tree(make) => self.tree(&owner, make()),
            StaticEntry::Details(make) => self.details(&owner, make()),
            StaticEntry::View(make) => self.view(key, &owner, make()),
            StaticEntry::Command(make) => self.command(key, &owner, make()),
            StaticEntry::Completion(make) => self.completion(key, &owner, make()),
            StaticEntry::CommandView(make) => self.command_view(key, &owner, make()),
            StaticEntry::Status(order, make) => self.status(*order, &owner, make()),
            StaticEntry::Alias(to) => self.alias(key, to),
        }
    }

    /// Registers a renderer of call trees.
    pub fn tree(&mut self, owner: &Owner, tree: Arc<dyn ToolTree>) {
        self.registry.tree.register(Offer::new(owner, 0, tree));
    }

    /// Registers what there is to tell of a selected call.
    pub fn details(&mut self, owner: &Owner, details: Arc<dyn ToolDetails>) {
        self.registry.details.register(Offer::new(owner, 0, details));
    }

    /// Registers a view for a tool's name, for a prefix of names (`mcp__github__*`) or for a kind (`kind:read`).
    pub fn view(&mut self, key: &str, owner: &Owner, view: Arc<dyn ToolView>) {
        match Key::of_view(key) {
            Ok(read) => self.registry.views.register(read, Offer::new(owner, 0, view)),
            Err(reason) => self.bad_key(SlotName::ToolView, key, owner, reason),
        }
    }

    /// Registers a command under its name, without the colon.
    pub fn command(&mut self, name: &str, owner: &Owner, command: Arc<dyn Command>) {
        match Key::of_command(name) {
            Ok(read) => self.registry.commands.register(read, Offer::new(owner, 0, command)),
            Err(reason) => self.bad_key(SlotName::Command, name, owner, reason),
        }
    }

    /// Registers a source of completion under its sigil, one character.
    pub fn completion(&mut self, sigil: &str, owner: &Owner, source: Arc<dyn CompletionSource>) {
        match Key::of_completion(sigil) {
            Ok(read) => self.registry.completions.register(read, Offer::new(owner, 0, source)),
            Err(reason) => self.bad_key(SlotName::Completion, sigil, owner, reason),
        }
    }

    /// Registers the view for the records of a command, by its name without the colon.
    pub fn command_view(&mut self, name: &str, owner: &Owner, view: Arc<dyn CommandView>) {
        match Key::of_command(name) {
            Ok(read) => self.registry.command_views.register(read, Offer::new(owner, 0, view)),
            Err(reason) => self.bad_key(SlotName::CommandView, name, owner, reason),
        }
    }

    /// Registers an item of the status row. Items stand from left to right by `order`, then by id.
    pub fn status(&mut self, order: i32, owner: &Owner, item: Arc<dyn StatusItem>) {
        match item.id() {
            "" => self.bad_key(SlotName::Status, "", owner, "is empty; give the item an id"),
            id => self.registry.status.register(id.to_owned(), Offer::new(owner, order, item)),
        }
    }

    /// Lets the view for the tool `to` draw calls of the tool `from`, unless `from` has a view of its own. An alias of
    /// an alias leads nowhere.
    pub fn alias(&mut self, from: &str, to: &str) {
        self.aliases.entry(from.to_owned()).or_default().insert(to.to_owned());
    }

    /// Lets the view for the tool `to` draw calls of the tool `from`, whatever else `from` was an alias of: a person's
    /// own word.
    pub fn settled_alias(&mut self, from: &str, to: &str) {
        self.aliases.insert(from.to_owned(), BTreeSet::from([to.to_owned()]));
    }

    /// Takes out everything that was registered under that owner's name. Aliases stay: they are the person's.
    pub fn remove(&mut self, owner: &str) {
        self.registry.tree.remove(owner);
        self.registry.details.remove(owner);
        self.registry.views.remove(owner);
        self.registry.commands.remove(owner);
        self.registry.completions.remove(owner);
        self.registry.command_views.remove(owner);
        self.registry.status.remove(owner);
        self.bad_keys
            .retain(|problem| !matches!(problem, Problem::BadKey { owner: by, .. } if by.name == owner));
    }

    /// The registry, with what could not be seated among its problems.
    pub fn build(self) -> Registry {
        let RegistryBuilder { mut registry, aliases, bad_keys } = self;
        let mut problems = bad_keys;
        problems.extend(registry.tree.problems(SlotName::Tool, ""));
        problems.extend(registry.details.problems(SlotName::ToolDetails, ""));
        problems.extend(registry.views.problems(SlotName::ToolView));
        problems.extend(registry.commands.problems(SlotName::Command));
        problems.extend(registry.completions.problems(SlotName::Completion));
        problems.extend(registry.command_views.problems(SlotName::CommandView));
        problems.extend(registry.status.problems(SlotName::Status));
        registry.aliases = BTreeMap::new();
        for (from, targets) in aliases {
            let mut targets = targets.into_iter();
            let Some(holder) = targets.next() else { continue };
            problems.extend(targets.map(|refused| Problem::AliasTaken {
                from: from.clone(),
                holder: holder.clone(),
                refused,
            }));
            if !registry.views.has(&holder) {
                problems.push(Problem::AliasOfNothing { from: from.clone(), to: holder.clone() });
            }
            registry.aliases.insert(from, holder);
        }
        problems.sort();
        registry.problems = problems;
        registry
    }

    fn bad_key(&mut self, slot: SlotName, key: &str, owner: &Owner, reason: &'static str) {
        self.bad_keys.push(Problem::BadKey { slot, key: key.to_owned(), owner: owner.clone(), reason });
    }
}
