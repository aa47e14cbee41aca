//! The theme: what a role looks like.
//!
//! Colours are the terminal's own sixteen, and of these only the ones that read well on light and on dark: nothing is
//! ever white, black or bright yellow, and less weight is the attribute `DIM`, not a grey. Without colour the same
//! difference is told by weight where a word does not tell it already. It knows no widths and no content.

use carpel_slots::Role;
use ratatui::style::{Color, Modifier, Style};

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMode {
    /// The terminal's sixteen.
    #[default]
    Colour,
    /// None at all (`NO_COLOR`).
    None,
}

/// What a piece of source code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Nothing in particular.
    Plain,
    /// A comment.
    Comment,
    /// A word of the language.
    Keyword,
    /// A string or character.
    String,
    /// A number or named constant.
    Constant,
    /// A type, tag or section.
    Type,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
}

/// Styles by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    mode: ColorMode,
}

impl Theme {
    /// With colours.
    pub const COLOUR: Theme = Theme { mode: ColorMode::Colour };
    /// Without.
    pub const NONE: Theme = Theme { mode: ColorMode::None };

    /// A theme of that mode.
    pub fn new(mode: ColorMode) -> Theme {
        Theme { mode }
    }

    /// Whether colours may be used.
    pub fn mode(self) -> ColorMode {
        self.mode
    }

    /// The style of a role.
    pub fn role(self, role: Role) -> Style {
        match role {
            Role::Plain | Role::Path | Role::Number => Style::new(),
            Role::Dim => self.dim(),
            Role::Strong => self.title(),
            Role::Accent => self.colour(Color::Cyan),
            Role::Added | Role::Success => self.colour(Color::Green),
            Role::Removed | Role::Error => self.colour(Color::Red),
            Role::Warning => self.colour(Color::Yellow),
        }
    }

    /// The style of a piece of source code.
    pub fn syntax(self, syntax: Syntax) -> Style {
        match syntax {
            Syntax::Plain => Style::new(),
            Syntax::Comment => self.dim(),
            Syntax::Keyword => self.colour(Color::Magenta),
            Syntax::String | Syntax::Added => self.colour(Color::Green),
            Syntax::Constant => self.colour(Color::Yellow),
            Syntax::Type => self.colour(Color::Cyan),
            Syntax::Removed => self.colour(Color::Red),
        }
    }

    /// Of less weight.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// A title.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// A hit of a search: the colour that the eye finds, an underline where there are no colours.
    pub fn hit(self) -> Style {
        match self.mode {
            ColorMode::Colour => self.colour(Color::Cyan),
            ColorMode::None => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// A colour, where colours may be used.
    pub fn colour(self, colour: Color) -> Style {
        match self.mode {
            ColorMode::Colour => Style::new().fg(colour),
            ColorMode::None => Style::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 11] = [
        Role::Plain,
        Role::Dim,
        Role::Strong,
        Role::Accent,
        Role::Path,
        Role::Number,
        Role::Added,
        Role::Removed,
        Role::Warning,
        Role::Error,
        Role::Success,
    ];

    /// LOG 12.10: white on white. LOG 12.19: NO_COLOR.
    #[test]
    fn colours_read_on_light_and_dark_and_can_be_left_out() {
        let bad = [Color::White, Color::Gray, Color::Black, Color::DarkGray, Color::LightYellow];
        for role in ROLES {
            let style = Theme::COLOUR.role(role);
            assert!(style.bg.is_none(), "{role:?}");
            assert!(style.fg.is_none_or(|fg| !bad.contains(&fg)), "{role:?}: {style:?}");
            assert_eq!(Theme::NONE.role(role).fg, None, "{role:?}");
        }
    }
}
