//! The inspector: the whole session on the alternate screen, made of the same items as the flow.
//!
//! It owns where a person is in it ([`cursor`]), what is folded ([`folds`]), the rows that were laid out ([`layout`]),
//! the search, and the pane with the details of what is selected. It refuses to know the pod, the scrollback and the
//! clipboard: keys come in, wishes ([`keys::Wish`]) and rows go out. Only what is seen is laid out, so that a session of
//! any length opens at once. [`keys`] has what a key does, [`draw`] what it looks like.

pub mod bindings;
pub mod copy;
pub mod cursor;
pub mod details;
pub mod draw;
pub mod fetch;
pub mod folds;
mod header;
pub mod jump;
pub mod keys;
pub mod layout;
pub mod needle;
pub mod query;
pub mod search;
pub mod subject;
pub mod texts;
pub mod view;

#[cfg(test)]
mod drawings;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use carpel_slots::Density;

use cursor::Cursor;
use details::Details;
use fetch::Fetch;
use folds::Folds;
use layout::Layouts;
use search::Search;

/// The inspector while it is open.
#[derive(Default)]
pub struct Inspector {
    /// Where the person is.
    pub cursor: Cursor,
    /// What is folded, call by call.
    pub folds: Folds,
    /// What is looked for.
    pub search: Search,
    /// The pane beside the list, or below it.
    pub details: Details,
    /// The rest of a long output that the pane shows.
    pub fetch: Fetch,
    /// What the next key is for.
    pub mode: Mode,
    /// A word about what was just done; goes with the next key.
    pub word: Option<String>,
    /// Rows that were laid out.
    pub layouts: Layouts,
}

/// What the next key is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mode {
    /// Moving about.
    #[default]
    Browse,
    /// Writing what to look for.
    Query,
    /// Choosing what to copy.
    Copy,
    /// Reading the list of keys, from that row on.
    Keys(usize),
}

impl Inspector {
    /// An inspector at the end of the session, which it follows.
    pub fn new(density: Density) -> Inspector {
        Inspector { folds: Folds::new(density), ..Inspector::default() }
    }
}
