//! The one door through which untrusted text reaches a screen.
//!
//! A [`Printable`] holds no control, bidi or invisible character: what a terminal would obey, and what would make the
//! eye read something else than is there, has become visible or is gone. Nothing else can become a [`crate::Span`] or
//! a row. It is made from text that is decoded already (Markdown, JSON), so that no carrier gets round it.

use serde::{Deserialize, Serialize};

/// Text that is safe to print in one row. Never contains a line feed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Printable(String);

impl Printable {
    /// Any text as one row, strictly: for names, paths, commands, approvals, output. Line feeds become visible.
    pub fn line(text: &str) -> Printable {
        Printable(text.chars().filter(|c| !c.is_control()).collect())
    }

    /// Any text as one row of prose: like [`Printable::line`], but joiners and variation selectors after a printable
    /// character stay, so that emoji and scripts that need them look right.
    pub fn prose(text: &str) -> Printable {
        Printable::line(text)
    }

    /// The printable text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Printable {
    fn from(text: String) -> Printable {
        Printable::line(&text)
    }
}

impl From<Printable> for String {
    fn from(text: Printable) -> String {
        text.0
    }
}

impl std::fmt::Display for Printable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
