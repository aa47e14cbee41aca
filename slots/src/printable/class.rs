//! What a character is, as far as printing it is concerned.
//!
//! The ranges are those of Unicode 17: `Default_Ignorable_Code_Point`, `Bidi_Control`, the invisible part of general
//! category Cf, and the noncharacters. They stand here as a table because the properties hardly change and a crate of
//! Unicode tables would be the largest thing beneath this one. Everything else is told apart by its cell width.

use unicode_width::UnicodeWidthChar;

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Takes cells and shows something, or is an ordinary blank.
    Visible,
    /// A blank that cannot be told from U+0020.
    Blank,
    /// Drawn over the character before it.
    Mark,
    /// C0, DEL or C1.
    Control,
    /// Changes the order of what follows: embeddings, overrides, isolates.
    Reordering,
    /// U+2028 and U+2029.
    Separator,
    /// ZWJ and ZWNJ.
    Joiner,
    /// Chooses the look of the character before it.
    Selector,
    /// Shows nothing.
    Hidden,
}

/// The class of a character.
pub(super) fn class(c: char) -> Class {
    match c {
        ' '..='~' => Class::Visible,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Class::Control,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Class::Reordering,
        '\u{2028}' | '\u{2029}' => Class::Separator,
        '\u{200c}' | '\u{200d}' => Class::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            Class::Selector
        }
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Class::Blank
        }
        _ if is_hidden(c) => Class::Hidden,
        _ if c.width() == Some(0) => Class::Mark,
        _ => Class::Visible,
    }
}

/// True for a character that shows nothing, of those that [`class`] has not named before.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' // soft hyphen: terminals disagree about its width
            | '\u{34f}' // combining grapheme joiner
            | '\u{61c}' // Arabic letter mark
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
            | '\u{17b4}' | '\u{17b5}' // Khmer inherent vowels
            | '\u{180e}' // Mongolian vowel separator
            | '\u{200b}' | '\u{200e}' | '\u{200f}' // zero width space, left-to-right and right-to-left mark
            | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, deprecated format characters
            | '\u{feff}' // byte order mark
            | '\u{fff0}'..='\u{fffb}' // reserved, interlinear annotation
            | '\u{13430}'..='\u{1343f}' // hieroglyph joiners
            | '\u{1bca0}'..='\u{1bca3}' // shorthand format controls
            | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' // musical null notehead, beams and slurs
            | '\u{e0000}'..='\u{e0fff}' // tags and reserved
            | '\u{fdd0}'..='\u{fdef}' // noncharacters
    ) || u32::from(c) & 0xfffe == 0xfffe
}
