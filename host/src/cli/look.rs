//! What the environment says about the look: colours and glyphs.
//!
//! Variables come in through a function, so that the rules are a table of tests.

use crate::render::glyph::Glyphs;
use crate::render::look::Look;
use crate::render::theme::{ColorMode, Theme};
use crate::terminal::dialect::Dialect;
use crate::terminal::sgr::ColorDepth;

/// The look for this environment. `NO_COLOR` takes the colours, a locale without UTF-8 the glyphs.
pub fn from_environment() -> (Look, Dialect) {
    let variable = |name: &str| std::env::var(name).ok();
    let dialect = Dialect::of(variable("TERM").as_deref(), ColorDepth::from_environment(variable));
    let mode = if dialect.depth == ColorDepth::None { ColorMode::None } else { ColorMode::Colour };
    let glyphs = if is_utf8(variable) { &Glyphs::UNICODE } else { &Glyphs::ASCII };
    (Look { theme: Theme::new(mode), glyphs }, dialect)
}

/// The first of these that is set decides, as for the C library. None set is the C locale, which has no UTF-8.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    let locale = set.unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

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
