//! The look: what the person's terminal and settings decide about every row.
//!
//! It is small, copied freely and never changes while rows are made. It knows no content.

use crate::render::glyph::Glyphs;
use crate::render::theme::Theme;

/// Styles and glyphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The style of each role.
    pub theme: Theme,
    /// The glyphs that the locale can show.
    pub glyphs: &'static Glyphs,
}

impl Look {
    /// The look of a terminal with colours and UTF-8.
    pub const COLOUR: Look = Look { theme: Theme::COLOUR, glyphs: &Glyphs::UNICODE };
    /// The same without colours.
    pub const PLAIN: Look = Look { theme: Theme::NONE, glyphs: &Glyphs::UNICODE };
}
