//! The one door through which untrusted text reaches a screen.
//!
//! A [`Printable`] holds no control, bidi or invisible character: what a terminal would obey, and what would make the
//! eye read something else than is there, has become visible or is gone. Nothing else can become a [`crate::Span`] or
//! a row. It is made from text that is decoded already (Markdown, JSON), so that no carrier gets round it, and it
//! knows nothing of colours, wrapping or windows. `printable/clean.rs` does the work, character by character;
//! `printable/class.rs` says what a character is, `printable/sequence.rs` how long an escape sequence is.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

use clean::{Form, clean};

mod class;
mod clean;
mod sequence;

/// Tabs go to the next multiple of this many cells, counted from the start of the text.
pub const TAB_STOP: usize = 4;

/// How many combining marks one character keeps. Living scripts need up to five; more is decoration that climbs over
/// the rows above.
pub const MARKS_KEPT: usize = 8;

/// Text that is safe to print in one row: no control, no bidi control, nothing invisible, never a line feed.
///
/// Three forms, from what hides least to what reads best:
///
/// | in the text | [`exact`](Self::exact) | [`line`](Self::line) | [`prose`](Self::prose) |
/// |---|---|---|---|
/// | escape sequence | `␛[31m` | gone | gone |
/// | other C0 control, DEL | `␇` | `␇` | `␇` |
/// | C1 control | `<U+0085>` | `<U+0085>` | `<U+0085>` |
/// | tab | `␉` | blanks to the next stop | blanks to the next stop |
/// | bidi embedding, override, isolate | `<U+202E>` | `<U+202E>` | `<U+202E>` |
/// | joiner | `<U+200D>` | `<U+200D>` | kept after a visible character, else gone |
/// | variation selector | `<U+FE0F>` | kept after an emoji-like character (FE0E, FE0F only), else `<U+FE01>` | kept after a visible character, else gone |
/// | line and paragraph separator | `<U+2028>` | `<U+2028>` | a blank |
/// | other invisible or format character, noncharacter | `<U+00AD>` | `<U+00AD>` | gone |
/// | blank other than U+0020 | `<U+00A0>` | kept | kept |
/// | combining mark | kept, past [`MARKS_KEPT`] `<U+0301>` | kept, past that gone | kept, past that gone |
///
/// Serialised it is a string; read back, it is cleaned by [`Printable::line`] again, since the reader cannot know who
/// wrote it.
///
/// ```
/// use carpel_slots::Printable;
///
/// let text = "\u{1b}[31mred\u{1b}[0m\u{7} a\tb pay\u{200b}load";
/// assert_eq!(Printable::line(text).as_str(), "red␇ a  b pay<U+200B>load");
/// assert_eq!(Printable::prose(text).as_str(), "red␇ a  b payload");
/// assert_eq!(Printable::exact(text).as_str(), "␛[31mred␛[0m␇ a␉b pay<U+200B>load");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Printable(String);

impl Printable {
    /// Any text as one row, strictly: for names, paths, output, source. Line feeds become visible (`␊`).
    pub fn line(text: &str) -> Printable {
        Printable(clean(text, Form::Line))
    }

    /// Any text as one row of prose: like [`Printable::line`], but joiners and variation selectors after a visible
    /// character stay, so that emoji and scripts that need them look right, and what is invisible is gone.
    pub fn prose(text: &str) -> Printable {
        Printable(clean(text, Form::Prose))
    }

    /// Any text as one row in which nothing is gone: for what a person is asked to approve. A shell runs what stands
    /// inside an escape sequence, so the sequence must be seen too.
    pub fn exact(text: &str) -> Printable {
        Printable(clean(text, Form::Exact))
    }

    /// The rows of a text, each by [`Printable::line`]. LF and CRLF end a row and nothing else does; an escape
    /// sequence never goes past its row. A line feed at the very end makes no empty row behind it.
    pub fn lines(text: &str) -> Vec<Printable> {
        text.lines().map(Printable::line).collect()
    }

    /// The rows of a text, each by [`Printable::prose`].
    pub fn prose_lines(text: &str) -> Vec<Printable> {
        text.lines().map(Printable::prose).collect()
    }

    /// The rows of a text, each by [`Printable::exact`]. Only LF ends a row here: the CR of a CRLF is shown.
    pub fn exact_lines(text: &str) -> Vec<Printable> {
        text.split_terminator('\n').map(Printable::exact).collect()
    }

    /// Bytes of the escape sequence that `text` begins with, as [`Printable::line`] drops it; `None` when none begins
    /// there. For whoever has to know one kind of sequence (a colour) and let [`Printable`] drop the others.
    ///
    /// ```
    /// use carpel_slots::Printable;
    ///
    /// assert_eq!(Printable::sequence("\u{1b}[31mred"), Some(5));
    /// assert_eq!(Printable::sequence("red"), None);
    /// ```
    pub fn sequence(text: &str) -> Option<usize> {
        sequence::length(text)
    }

    /// The printable text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when there is nothing to print.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many terminal cells it takes, as the `unicode-width` crate counts them.
    pub fn width(&self) -> usize {
        self.0.width()
    }

    /// A part of it, by byte offsets of [`Printable::as_str`]; `None` when an end is out of range or inside a
    /// character. A part of printable text is printable, so nothing is looked at again: a caller that wraps text
    /// cuts it with this, between grapheme clusters.
    pub fn get(&self, range: Range<usize>) -> Option<Printable> {
        self.0.get(range).map(|part| Printable(part.to_owned()))
    }
}

impl From<String> for Printable {
    fn from(text: String) -> Printable {
        if clean::is_plain(&text) { Printable(text) } else { Printable::line(&text) }
    }
}

impl From<Printable> for String {
    fn from(text: Printable) -> String {
        text.0
    }
}

impl AsRef<str> for Printable {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Printable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
