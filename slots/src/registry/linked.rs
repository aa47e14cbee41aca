//! Registrations of crates that are linked into the program: one line beside the definition of an entry.
//!
//! The macros submit a [`Registration`] through `inventory`, which collects them over all crates before `main`. The
//! order in which it hands them out is the linker's; the builder sorts.

use std::sync::Arc;

use crate::command::Command;
use crate::completion::CompletionSource;
use crate::record::CommandView;
use crate::status::StatusItem;
use crate::view::{ToolDetails, ToolTree, ToolView};

/// An entry that a linked crate registers. Made by [`crate::register_view`] and its sisters.
pub struct Registration {
    /// The key in its slot: a tool's name, a pattern like `mcp__github__*`, `kind:read`, a command's name, a foreign
    /// tool name for an alias; empty for a single slot and for a list.
    pub key: &'static str,
    /// Who registers it, e.g. `carpel-tool-views`.
    pub owner: &'static str,
    /// File, line and column of the registration.
    pub source: &'static str,
    /// Makes the entry; the variant names the slot.
    pub entry: StaticEntry,
}

/// How a linked crate makes an entry.
#[non_exhaustive]
pub enum StaticEntry {
    /// For the slot `tool`.
    Tree(fn() -> Arc<dyn ToolTree>),
    /// For the slot `tool.view`.
    View(fn() -> Arc<dyn ToolView>),
    /// For the slot `tool.details`.
    Details(fn() -> Arc<dyn ToolDetails>),
    /// For the slot `command`.
    Command(fn() -> Arc<dyn Command>),
    /// For the slot `completion`.
    Completion(fn() -> Arc<dyn CompletionSource>),
    /// For the slot `command.view`.
    CommandView(fn() -> Arc<dyn CommandView>),
    /// For the slot `status`, with its place in the row.
    Status(i32, fn() -> Arc<dyn StatusItem>),
    /// Another name for a tool that has a view.
    Alias(&'static str),
}

inventory::collect!(Registration);

#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($key:expr, $entry:expr) => {
        $crate::registry::inventory::submit! { $crate::registry::Registration {
            key: $key,
            owner: env!("CARGO_PKG_NAME"),
            source: concat!(file!(), ":", line!(), ":", column!()),
            entry: $entry,
        } }
    };
}

/// Registers a view for a tool's name, a prefix of names or a kind: `register_view!("Read", ReadView);`
#[macro_export]
macro_rules! register_view {
    ($key:literal, $view:expr) => {
        $crate::__register!($key, $crate::registry::StaticEntry::View(|| std::sync::Arc::new($view)));
    };
}

/// Registers a command: `register_command!("quit", Quit);`
#[macro_export]
macro_rules! register_command {
    ($key:literal, $command:expr) => {
        $crate::__register!($key, $crate::registry::StaticEntry::Command(|| std::sync::Arc::new($command)));
    };
}

/// Registers a source of completion under its sigil: `register_completion!("@", Files);`
#[macro_export]
macro_rules! register_completion {
    ($sigil:literal, $source:expr) => {
        $crate::__register!(
            $sigil,
            $crate::registry::StaticEntry::Completion(|| std::sync::Arc::new($source))
        );
    };
}

/// Registers the view for a command's records: `register_command_view!("export", ExportView);`
#[macro_export]
macro_rules! register_command_view {
    ($key:literal, $view:expr) => {
        $crate::__register!($key, $crate::registry::StaticEntry::CommandView(|| std::sync::Arc::new($view)));
    };
}

/// Registers the renderer of call trees: `register_tree!(Tree);`
#[macro_export]
macro_rules! register_tree {
    ($tree:expr) => {
        $crate::__register!("", $crate::registry::StaticEntry::Tree(|| std::sync::Arc::new($tree)));
    };
}

/// Registers what there is to tell of a selected call: `register_details!(Details);`
#[macro_export]
macro_rules! register_details {
    ($details:expr) => {
        $crate::__register!("", $crate::registry::StaticEntry::Details(|| std::sync::Arc::new($details)));
    };
}

/// Registers an item of the status row at a place, counted from the left: `register_status!(20, Model);`
#[macro_export]
macro_rules! register_status {
    ($order:literal, $item:expr) => {
        $crate::__register!("", $crate::registry::StaticEntry::Status($order, || std::sync::Arc::new($item)));
    };
}

/// Lets one tool's view draw another tool's calls: `register_alias!("read_file", "Read");`
#[macro_export]
macro_rules! register_alias {
    ($from:literal, $to:literal) => {
        $crate::__register!($from, $crate::registry::StaticEntry::Alias($to));
    };
}
