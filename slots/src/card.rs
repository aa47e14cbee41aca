//! Cards: what a view returns. Plain data, drawn by the host.
//!
//! A card has a title, a note, a body of blocks and actions. State glyph, elapsed time, folding, clipping, syntax
//! colours and copying are the host's, so every view has them. Strings in blocks are raw: the host makes them
//! [`Printable`] after it has decoded what they carry; text of a [`Span`] is printable already. `card/read.rs` reads a card
//! that came as JSON.

use serde::{Deserialize, Serialize};

use crate::printable::Printable;

pub(crate) mod read;

/// What a view makes of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// What the call is about, right of the tool's name: a path, a pattern. `None` takes the generic title.
    pub title: Option<Line>,
    /// What came of it, in a few words, right of the title. `None` takes the tool's own summary once there is one.
    pub note: Option<Line>,
    /// The rows below the header. `None` takes the generic body; an empty list has none.
    #[serde(deserialize_with = "read::body")]
    pub body: Option<Vec<Block>>,
    /// What a person can do with the call.
    pub actions: Vec<Action>,
}

/// One thing below the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Lines as they are.
    Text(Vec<Line>),
    /// Source text, coloured by the host.
    Code {
        /// A language name or file name ending, e.g. `rs`; `None` is not coloured.
        lang: Option<String>,
        /// Number of the first line; `None` shows no numbers.
        first_line: Option<u64>,
        /// The text, raw, lines ended by LF.
        text: String,
    },
    /// A change of a text, as hunks.
    Diff {
        /// The file, raw: the host colours what did not change by its ending. `None` is not coloured.
        path: Option<String>,
        /// The hunks, in file order.
        hunks: Vec<Hunk>,
    },
    /// Hits of a search, by file.
    Matches {
        /// The files, in the order in which they are shown.
        groups: Vec<MatchGroup>,
    },
    /// Rows of values under the names of their columns; in a narrow window each row as named values.
    Table {
        /// The names of the columns.
        columns: Vec<String>,
        /// The values, raw, as many in a row as there are columns; one that is missing is empty.
        rows: Vec<Vec<String>>,
    },
    /// Named values, aligned.
    Fields(Vec<(String, String)>),
    /// Markdown, raw.
    Markdown(String),
    /// Output of a program, raw, with ANSI colours and carriage returns.
    Output(String),
}

/// A run of lines around a change.
///
/// ```
/// use carpel_slots::card::{DiffLine, DiffTag, Hunk};
///
/// let json = r#"{"old_start":12,"new_start":12,"lines":[{"tag":"removed","text":"a"},{"tag":"added","text":"b"}]}"#;
/// let hunk: Hunk = serde_json::from_str(json)?;
/// assert_eq!(hunk.old_start, Some(12));
/// assert_eq!(hunk.lines[1], DiffLine::new(DiffTag::Added, "b"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hunk {
    /// The number that its first line has, or would have, in the old text, from 1; `None` while it is not known.
    #[serde(default)]
    pub old_start: Option<u64>,
    /// The same in the new text.
    #[serde(default)]
    pub new_start: Option<u64>,
    /// The lines; within a change the removed ones before the added ones.
    #[serde(default)]
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// Whether it went, came or stayed.
    pub tag: DiffTag,
    /// The line, raw, without its line feed.
    pub text: String,
    /// True for the last line of a file that has no line end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

impl DiffLine {
    /// A line that has its line end.
    pub fn new(tag: DiffTag, text: impl Into<String>) -> DiffLine {
        DiffLine { tag, text: text.into(), open: false }
    }
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffTag {
    /// It stayed.
    Context,
    /// It came.
    Added,
    /// It went.
    Removed,
}

/// The hits in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchGroup {
    /// The file, raw.
    pub path: String,
    /// How many hits it has, also when fewer lines are given.
    pub count: u64,
    /// The lines, in file order.
    pub lines: Vec<MatchLine>,
}

/// One line of a search result.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchLine {
    /// Its number in the file, from 1.
    pub line: u64,
    /// The line, raw, without its line end.
    pub text: String,
    /// Byte ranges of `text` that matched; empty for a line of context.
    pub hits: Vec<(usize, usize)>,
}

/// What a person can do with a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Opens a file in the person's editor.
    OpenFile {
        /// The file, raw.
        path: String,
        /// The line to go to, from 1.
        line: Option<u64>,
    },
    /// Opens an address.
    OpenUrl(String),
}

/// One row's worth of text with roles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Line {
    /// Its parts, left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// A line of one span.
    pub fn of(role: Role, text: &str) -> Line {
        Line { spans: vec![Span::new(role, text)] }
    }

    /// A line of one span in which nothing is gone, see [`Printable::exact`]: for names and arguments, whatever their role.
    pub fn exact(role: Role, text: &str) -> Line {
        Line { spans: vec![Span { text: Printable::exact(text), role }] }
    }

    /// The same line with one more span.
    #[must_use]
    pub fn and(mut self, role: Role, text: &str) -> Line {
        self.spans.push(Span::new(role, text));
        self
    }

    /// The text without roles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::of(Role::Plain, text)
    }
}

/// Text with a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// What is shown.
    pub text: Printable,
    /// What it is, which decides its colour.
    pub role: Role,
}

impl Span {
    /// A span of any text; what a terminal would obey is made visible or left out. It is made visible in all that names
    /// something: what is run, where something is written, what is looked for and why something failed must be there to
    /// be read, all of it and everywhere in the same signs.
    pub fn new(role: Role, text: &str) -> Span {
        let text = match role {
            Role::Command | Role::Path | Role::Accent | Role::Error => Printable::exact(text),
            _ => Printable::line(text),
        };
        Span { text, role }
    }
}

/// What a piece of text is; the theme gives it a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Ordinary.
    #[default]
    Plain,
    /// Of less weight.
    Dim,
    /// Of more weight.
    Strong,
    /// What the eye should find: a hit, a key.
    Accent,
    /// A file or folder.
    Path,
    /// A number.
    Number,
    /// What a shell runs. As a title it is kept whole and left to the terminal to fold, so that it can be copied.
    Command,
    /// Added text.
    Added,
    /// Removed text.
    Removed,
    /// Something to look at.
    Warning,
    /// Something that failed.
    Error,
    /// Something that went well.
    Success,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 12] = [
        Role::Plain,
        Role::Dim,
        Role::Strong,
        Role::Accent,
        Role::Path,
        Role::Number,
        Role::Command,
        Role::Added,
        Role::Removed,
        Role::Warning,
        Role::Error,
        Role::Success,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an escape string holds is run with the rest of a command, and is part of a name.
    #[test]
    fn what_names_something_hides_nothing() {
        let hostile = "echo safe \u{1b}]0;; touch pwned #\u{7}done";
        let whole = "echo safe ␛]0;; touch pwned #␇done";
        for role in [Role::Command, Role::Path, Role::Accent, Role::Error] {
            assert_eq!(Span::new(role, hostile).text.as_str(), whole, "{role:?}");
        }
        assert_eq!(Line::of(Role::Plain, hostile).text(), "echo safe done");
        assert_eq!(Line::exact(Role::Plain, hostile).text(), whole);
    }
}
