//! Which theme the chat is drawn in: what the person chose, and what is known of the background.
//!
//! The background may become known late or never, and the person may choose again at any time; the palette follows
//! from both whenever a frame is drawn. It asks nobody: [`Themes::wants_ground`] tells whoever has the terminal.

use carpel_slots::ThemeName;

use crate::render::ground::Ground;
use crate::render::theme::{Palette, Theme};

/// What the theme follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Themes {
    /// What the person chose.
    pub name: ThemeName,
    /// What the text stands on, once it is known.
    pub ground: Option<Ground>,
}

impl Themes {
    /// The theme to draw in now.
    pub fn theme(self) -> Theme {
        Theme::new(match (self.name, self.ground) {
            (ThemeName::Dark, _) | (ThemeName::Auto, Some(Ground::Dark)) => Palette::Dark,
            (ThemeName::Light, _) | (ThemeName::Auto, Some(Ground::Light)) => Palette::Light,
            (ThemeName::Auto, None) => Palette::Either,
            (ThemeName::HighContrast, _) => Palette::HighContrast,
            (ThemeName::None, _) => Palette::None,
        })
    }

    /// Whether the terminal should be asked for its background.
    pub fn wants_ground(self) -> bool {
        self.name == ThemeName::Auto && self.ground.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_word_comes_before_the_background() {
        let rows = [
            (ThemeName::Auto, None, Palette::Either, true),
            (ThemeName::Auto, Some(Ground::Dark), Palette::Dark, false),
            (ThemeName::Auto, Some(Ground::Light), Palette::Light, false),
            (ThemeName::Dark, Some(Ground::Light), Palette::Dark, false),
            (ThemeName::Light, None, Palette::Light, false),
            (ThemeName::HighContrast, Some(Ground::Dark), Palette::HighContrast, false),
            (ThemeName::None, Some(Ground::Light), Palette::None, false),
        ];
        for (name, ground, palette, asks) in rows {
            let themes = Themes { name, ground };
            assert_eq!(themes.theme(), Theme::new(palette), "{name:?} {ground:?}");
            assert_eq!(themes.wants_ground(), asks, "{name:?} {ground:?}");
        }
    }
}
