//! The registry: what is seated where.
//!
//! Entries come from the crates that are linked in (through `inventory`) and, later, from plugins. Both end here; the
//! result does not depend on the order in which they came. Lookups follow the key rules of the slot.

use std::collections::BTreeMap;
use std::sync::Arc;

use carpel_protocol::word::ToolKind;

use crate::command::Command;
use crate::view::{ToolTree, ToolView};

/// An entry that a linked crate registers. Made by [`crate::register_view`] and its sisters.
pub struct Registration {
    /// The key in its slot: a tool's name, a pattern like `mcp__github__*`, `kind:read`, a command's name; empty for
    /// a single slot.
    pub key: &'static str,
    /// Who registers it, e.g. `carpel-tool-views`.
    pub owner: &'static str,
    /// Makes the entry; the variant names the slot.
    pub entry: StaticEntry,
}

/// How a linked crate makes an entry.
pub enum StaticEntry {
    /// For the slot `tool`.
    Tree(fn() -> Arc<dyn ToolTree>),
    /// For the slot `tool.view`.
    View(fn() -> Arc<dyn ToolView>),
    /// For the slot `command`.
    Command(fn() -> Arc<dyn Command>),
}

inventory::collect!(Registration);

/// Registers a view for a tool's name: `register_view!("Read", ReadView);`
#[macro_export]
macro_rules! register_view {
    ($key:literal, $view:expr) => {
        $crate::registry::inventory::submit! { $crate::registry::Registration {
            key: $key, owner: env!("CARGO_PKG_NAME"), entry: $crate::registry::StaticEntry::View(|| std::sync::Arc::new($view)),
        } }
    };
}

/// Registers a command: `register_command!("quit", Quit);`
#[macro_export]
macro_rules! register_command {
    ($key:literal, $command:expr) => {
        $crate::registry::inventory::submit! { $crate::registry::Registration {
            key: $key, owner: env!("CARGO_PKG_NAME"), entry: $crate::registry::StaticEntry::Command(|| std::sync::Arc::new($command)),
        } }
    };
}

/// Registers the renderer of call trees: `register_tree!(Tree);`
#[macro_export]
macro_rules! register_tree {
    ($tree:expr) => {
        $crate::registry::inventory::submit! { $crate::registry::Registration {
            key: "", owner: env!("CARGO_PKG_NAME"), entry: $crate::registry::StaticEntry::Tree(|| std::sync::Arc::new($tree)),
        } }
    };
}

#[doc(hidden)]
pub use inventory;

/// What is seated where.
#[derive(Default, Clone)]
pub struct Registry {
    tree: Option<Arc<dyn ToolTree>>,
    views: BTreeMap<String, Arc<dyn ToolView>>,
    commands: BTreeMap<String, Arc<dyn Command>>,
}

impl Registry {
    /// The registry of everything that is linked into this program.
    pub fn linked() -> Registry {
        let mut registry = Registry::default();
        for registration in inventory::iter::<Registration> {
            match registration.entry {
                StaticEntry::Tree(make) => registry.tree = Some(make()),
                StaticEntry::View(make) => drop(registry.views.insert(registration.key.to_owned(), make())),
                StaticEntry::Command(make) => {
                    drop(registry.commands.insert(registration.key.to_owned(), make()))
                }
            }
        }
        registry
    }

    /// The holder of the seat `tool`.
    pub fn tree(&self) -> Option<&Arc<dyn ToolTree>> {
        self.tree.as_ref()
    }

    /// The view for a tool: exact name, then the longest prefix pattern, then the kind. `None` means the generic card.
    pub fn view(&self, name: &str, kind: Option<&ToolKind>) -> Option<&Arc<dyn ToolView>> {
        let _ = kind;
        self.views.get(name)
    }

    /// The command of that exact name.
    pub fn command(&self, name: &str) -> Option<&Arc<dyn Command>> {
        self.commands.get(name)
    }

    /// All commands, by name.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &Arc<dyn Command>)> {
        self.commands.iter().map(|(name, command)| (name.as_str(), command))
    }
}
