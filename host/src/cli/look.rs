//! What the environment says about the look: colours, background and glyphs.
//!
//! Variables come in through a function, so that the rules are a table of tests.

use carpel_slots::ThemeName;

use crate::chat::theme::Themes;
use crate::render::glyph::Glyphs;
use crate::render::ground::Ground;
use crate::render::look::Look;
use crate::terminal::dialect::{Age, Dialect};
use crate::terminal::sgr::ColorDepth;

/// What the chat is drawn with.
pub struct Chosen {
    /// The theme, and the background where a variable tells it.
    pub themes: Themes,
    /// The signs that the locale can show.
    pub glyphs: &'static Glyphs,
    /// What the terminal understands.
    pub dialect: Dialect,
    /// Why no colour is written, where none is.
    pub colourless: Option<String>,
}

impl Chosen {
    /// The look of what is printed, where nobody can ask for the background.
    pub fn look(&self) -> Look {
        Look { theme: self.themes.theme(), glyphs: self.glyphs }
    }
}

/// The look for this environment and the theme that the person named, if any.
pub fn from_environment(theme: Option<ThemeName>) -> Chosen {
    chosen(theme, |name| std::env::var(name).ok())
}

/// `NO_COLOR` takes the colours unless a theme is named, an old terminal in any case; a locale without UTF-8 takes the
/// glyphs.
pub(super) fn chosen(theme: Option<ThemeName>, variable: impl Fn(&str) -> Option<String>) -> Chosen {
    let term = variable("TERM");
    let asked = if theme.is_some() { ColorDepth::Full } else { ColorDepth::from_environment(&variable) };
    let dialect = Dialect::of(term.as_deref(), asked);
    let name = match dialect.depth {
        ColorDepth::Full => theme.unwrap_or_default(),
        ColorDepth::None if theme == Some(ThemeName::HighContrast) => ThemeName::HighContrast,
        ColorDepth::None => ThemeName::None,
    };
    let colourless = match dialect {
        Dialect { depth: ColorDepth::Full, .. } => None,
        Dialect { age: Age::Old, .. } => {
            Some(format!("TERM={} knows none", term.clone().unwrap_or_default()))
        }
        Dialect { age: Age::Modern, .. } => {
            Some("NO_COLOR is set; `carpel --theme NAME` writes them all the same".to_owned())
        }
    };
    // The console of Linux answers nothing, and its background is black.
    let console = term.is_some_and(|term| term.starts_with("linux")) && dialect.age == Age::Modern;
    let told = variable("COLORFGBG").and_then(|value| Ground::of_variable(&value));
    let ground = told.or(console.then_some(Ground::Dark));
    let glyphs = if is_utf8(&variable) { &Glyphs::UNICODE } else { &Glyphs::ASCII };
    Chosen { themes: Themes { name, ground }, glyphs, dialect, colourless }
}

/// Whether the environment asks for words instead of pictures: `ACCESSIBLE`, by which several programs are told so.
pub(super) fn asks_for_words(variable: impl Fn(&str) -> Option<String>) -> bool {
    let said = variable("ACCESSIBLE").unwrap_or_default().to_ascii_lowercase();
    !matches!(said.as_str(), "" | "0" | "false" | "no" | "off")
}

/// The first of these that is set decides, as for the C library. None set is the C locale, which has no UTF-8.
pub(super) fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    let locale = set.unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOG 12.10, 12.19.
    #[test]
    fn log_12_10_12_19_variables_and_the_option() {
        use ThemeName::{Auto, Dark, HighContrast, Light, None as Colourless};
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<ThemeName>, ThemeName, Option<Ground>);
        let rows: [Row; 11] = [
            (&[], None, Auto, None),
            (&[("COLORFGBG", "0;15")], None, Auto, Some(Ground::Light)),
            (&[("COLORFGBG", "15;0")], None, Auto, Some(Ground::Dark)),
            (&[("COLORFGBG", "nonsense")], None, Auto, None),
            (&[("TERM", "linux")], None, Auto, Some(Ground::Dark)),
            (&[("NO_COLOR", "1")], None, Colourless, None),
            (&[("NO_COLOR", "")], None, Auto, None),
            (&[("NO_COLOR", "1")], Some(Dark), Dark, None),
            (&[("TERM", "vt100")], Some(Light), Colourless, None),
            (&[("TERM", "vt100")], Some(HighContrast), HighContrast, None),
            (&[], Some(Colourless), Colourless, None),
        ];
        for (environment, theme, name, ground) in rows {
            let variable = |wanted: &str| {
                environment.iter().find(|(known, _)| *known == wanted).map(|(_, value)| (*value).to_owned())
            };
            let chosen = chosen(theme, variable);
            assert_eq!(chosen.themes, Themes { name, ground }, "{environment:?} {theme:?}");
            let is_off = chosen.dialect.depth == ColorDepth::None;
            assert_eq!(chosen.colourless.is_some(), is_off, "{environment:?} {theme:?}");
        }
    }

    #[test]
    fn who_hears_says_so() {
        for (value, heard) in [
            (None, false),
            (Some(""), false),
            (Some("0"), false),
            (Some("False"), false),
            (Some("1"), true),
            (Some("yes"), true),
        ] {
            assert_eq!(
                asks_for_words(|name| value.filter(|_| name == "ACCESSIBLE").map(str::to_owned)),
                heard,
                "{value:?}"
            );
        }
    }

    #[test]
    fn log_12_12_locales() {
        let rows: [(&[(&str, &str)], bool); 6] = [
            (&[], false),
            (&[("LANG", "de_DE.UTF-8")], true),
            (&[("LANG", "C.utf8")], true),
            (&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")], false),
            (&[("LANG", ""), ("LC_CTYPE", "en_US.UTF-8")], true),
            (&[("LC_ALL", ""), ("LANG", "C")], false),
        ];
        for (environment, want) in rows {
            let variable = |name: &str| {
                environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(is_utf8(variable), want, "{environment:?}");
        }
    }
}
