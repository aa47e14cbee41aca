//! The theme: what a role looks like.
//!
//! Colours are the terminal's own sixteen, and of these only the ones that read on the background that a palette is
//! for, in every usual set of sixteen: on white the usual green, cyan and yellow do not, on black blue and the darker
//! red do not. Nothing is ever white, black, grey or bright yellow, and less weight is the attribute `DIM`. Without
//! colours the same difference is told by weight where a word does not tell it already. It knows no widths and no
//! content; which palette it is `ground.rs` and `chat/theme.rs` say.

use carpel_slots::Role;
use ratatui::style::{Color, Modifier, Style};

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorMode {
    /// The terminal's sixteen.
    Colour,
    /// None at all.
    None,
}

/// Which colours, and for which background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Palette {
    /// Nothing is known of the background: what reads well on most of them.
    #[default]
    Either,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// No colours, and nothing of less weight.
    HighContrast,
    /// No colours (`NO_COLOR`).
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

/// The colours of a palette by what they say.
struct Colours {
    accent: Color,
    good: Color,
    bad: Color,
    warning: Color,
    keyword: Color,
    string: Color,
    constant: Color,
    kind: Color,
}

const EITHER: Colours = Colours {
    accent: Color::Cyan,
    good: Color::Green,
    bad: Color::Red,
    warning: Color::Magenta,
    keyword: Color::Magenta,
    string: Color::Green,
    constant: Color::Reset,
    kind: Color::Cyan,
};

const DARK: Colours = Colours {
    accent: Color::Cyan,
    good: Color::Green,
    bad: Color::LightRed,
    warning: Color::Yellow,
    keyword: Color::LightMagenta,
    string: Color::Green,
    constant: Color::Yellow,
    kind: Color::Cyan,
};

const LIGHT: Colours = Colours {
    accent: Color::Blue,
    good: Color::Blue,
    bad: Color::Red,
    warning: Color::Magenta,
    keyword: Color::Magenta,
    string: Color::Blue,
    constant: Color::Red,
    kind: Color::Reset,
};

/// Styles by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    palette: Palette,
}

impl Theme {
    /// With colours, for a background of which nothing is known.
    pub const COLOUR: Theme = Theme { palette: Palette::Either };
    /// Without.
    pub const NONE: Theme = Theme { palette: Palette::None };

    /// A theme of that palette.
    pub const fn new(palette: Palette) -> Theme {
        Theme { palette }
    }

    /// Whether colours may be used.
    pub fn mode(self) -> ColorMode {
        if self.colours().is_some() { ColorMode::Colour } else { ColorMode::None }
    }

    /// The style of a role.
    pub fn role(self, role: Role) -> Style {
        match role {
            Role::Plain | Role::Path | Role::Number | Role::Command => Style::new(),
            Role::Dim => self.dim(),
            Role::Strong => self.title(),
            Role::Accent => self.accent(),
            Role::Added | Role::Success => self.says(|colours| colours.good, Modifier::empty()),
            Role::Removed => self.says(|colours| colours.bad, Modifier::empty()),
            Role::Error => self.says(|colours| colours.bad, Modifier::BOLD | Modifier::UNDERLINED),
            Role::Warning => self.says(|colours| colours.warning, Modifier::REVERSED),
        }
    }

    /// The style of a piece of source code.
    pub fn syntax(self, syntax: Syntax) -> Style {
        match syntax {
            Syntax::Plain => Style::new(),
            Syntax::Comment => self.dim(),
            Syntax::Keyword => self.says(|colours| colours.keyword, Modifier::BOLD),
            Syntax::String => self.says(|colours| colours.string, Modifier::empty()),
            Syntax::Constant => self.says(|colours| colours.constant, Modifier::empty()),
            Syntax::Type => self.says(|colours| colours.kind, Modifier::empty()),
            Syntax::Added => self.role(Role::Added),
            Syntax::Removed => self.role(Role::Removed),
        }
    }

    /// Of less weight.
    pub fn dim(self) -> Style {
        match self.palette {
            Palette::HighContrast => Style::new(),
            Palette::Either | Palette::Dark | Palette::Light | Palette::None => {
                Style::new().add_modifier(Modifier::DIM)
            }
        }
    }

    /// A title.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// A hit of a search: the colour that the eye finds, an underline where there are no colours.
    pub fn hit(self) -> Style {
        match self.mode() {
            ColorMode::Colour => self.accent(),
            ColorMode::None => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// A colour that a program gave to its output, where it reads on this background; a background of its own makes
    /// every colour a pair that the program chose.
    pub fn foreign(self, colour: Color, on: Option<Color>) -> Option<Color> {
        let reads = match self.palette {
            Palette::HighContrast | Palette::None => false,
            Palette::Either | Palette::Dark | Palette::Light if on.is_some() => true,
            Palette::Either => {
                !matches!(colour, Color::White | Color::Gray | Color::Black | Color::LightYellow)
            }
            Palette::Dark => !matches!(colour, Color::Black | Color::DarkGray),
            Palette::Light => !matches!(
                colour,
                Color::White
                    | Color::Gray
                    | Color::Yellow
                    | Color::LightYellow
                    | Color::LightGreen
                    | Color::LightCyan
            ),
        };
        reads.then_some(colour)
    }

    fn accent(self) -> Style {
        self.says(|colours| colours.accent, Modifier::BOLD)
    }

    /// A colour, or the attribute that says the same in high contrast.
    fn says(self, colour: impl Fn(&Colours) -> Color, instead: Modifier) -> Style {
        match (self.colours().map(colour), self.palette) {
            (None, Palette::HighContrast) => Style::new().add_modifier(instead),
            (None | Some(Color::Reset), _) => Style::new(),
            (Some(colour), _) => Style::new().fg(colour),
        }
    }

    fn colours(self) -> Option<&'static Colours> {
        match self.palette {
            Palette::Either => Some(&EITHER),
            Palette::Dark => Some(&DARK),
            Palette::Light => Some(&LIGHT),
            Palette::HighContrast | Palette::None => None,
        }
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
