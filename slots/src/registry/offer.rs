//! One registration: an entry, who offers it, and what is told of it.
//!
//! Owns the words for slots, ranks and owners, and the note that an entry was dispatched. Knows no keys and no order:
//! a slot compares owners. Read `registry/slot.rs` next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The slots, by the names that documentation and plugins use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SlotName {
    /// `tool`: renders a root call and what is below it. Single.
    Tool,
    /// `tool.view`: turns a call into a card. Keyed by tool name, prefix pattern or kind.
    ToolView,
    /// `tool.details`: what there is to tell of a selected call. Single.
    ToolDetails,
    /// `command`: a `:` word. Keyed by its name.
    Command,
    /// `completion`: what may be meant by a word that begins with a sigil. Keyed by the sigil.
    Completion,
    /// `command.view`: how a command's record is drawn. Keyed by the command's name.
    CommandView,
    /// `status`: a part of the status row. List.
    Status,
}

impl std::fmt::Display for SlotName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SlotName::Tool => "tool",
            SlotName::ToolView => "tool.view",
            SlotName::ToolDetails => "tool.details",
            SlotName::Command => "command",
            SlotName::Completion => "completion",
            SlotName::CommandView => "command.view",
            SlotName::Status => "status",
        })
    }
}

/// Which of two registrations for one key is seated: the higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rank {
    /// A plugin that a person has put behind what is built in.
    Yielding,
    /// Linked into the program.
    BuiltIn,
    /// A plugin.
    Plugin,
    /// A plugin that a person has put before others; the greater number wins.
    Preferred(u32),
}

/// Who registers something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner {
    /// A crate or a plugin, e.g. `carpel-tool-views`. All that is registered under one name is removed together.
    pub name: String,
    /// Against others for the same key.
    pub rank: Rank,
    /// Where it stands, e.g. `tool-views/src/read.rs:11:1` or the file of a plugin. Among owners of the same name and
    /// rank the lesser one wins, so that the order of linking decides nothing.
    pub source: String,
}

impl Owner {
    /// A crate that is linked into the program.
    pub fn built_in(name: &str, source: &str) -> Owner {
        Owner { name: name.to_owned(), rank: Rank::BuiltIn, source: source.to_owned() }
    }

    /// A plugin; `source` is its file.
    pub fn plugin(name: &str, source: &str) -> Owner {
        Owner { name: name.to_owned(), rank: Rank::Plugin, source: source.to_owned() }
    }

    /// The same owner at another rank.
    #[must_use]
    pub fn ranked(self, rank: Rank) -> Owner {
        Owner { rank, ..self }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.source.as_str() {
            "" => write!(f, "`{}`", self.name),
            source => write!(f, "`{}` ({source})", self.name),
        }
    }
}

/// What is told of one registration. Strings are raw: a plugin chose them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The slot.
    pub slot: SlotName,
    /// The key as it was registered; the id in a list; empty for a single slot.
    pub key: String,
    /// Who registered it.
    pub owner: Owner,
    /// False while something of higher or equal rank covers it.
    pub seated: bool,
    /// True once it was asked for by its key.
    pub dispatched: bool,
}

/// A registration as a slot keeps it.
pub(super) struct Offer<T: ?Sized> {
    pub(super) owner: Owner,
    pub(super) entry: Arc<T>,
    /// Place in a list, from left to right; 0 elsewhere.
    pub(super) order: i32,
    dispatched: AtomicBool,
}

impl<T: ?Sized> Offer<T> {
    pub(super) fn new(owner: &Owner, order: i32, entry: Arc<T>) -> Arc<Offer<T>> {
        Arc::new(Offer { owner: owner.clone(), entry, order, dispatched: AtomicBool::new(false) })
    }

    /// The entry, noting that it was asked for.
    pub(super) fn dispatch(&self) -> &Arc<T> {
        self.dispatched.store(true, Ordering::Relaxed);
        &self.entry
    }

    pub(super) fn was_dispatched(&self) -> bool {
        self.dispatched.load(Ordering::Relaxed)
    }
}
