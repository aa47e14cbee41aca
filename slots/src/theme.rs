//! The name of a theme.
//!
//! The person chooses it (`:theme NAME`, `--theme`, the manifest). What it looks like only the host knows: a view gives
//! its spans roles and never sees a colour.

/// Which colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeName {
    /// The one that suits the terminal's background, as far as it can be known.
    #[default]
    Auto,
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// No colours, and no text of less weight: bold, underline and reverse tell what colours would.
    HighContrast,
    /// No colours.
    None,
}

impl ThemeName {
    /// All of them.
    pub const ALL: [ThemeName; 5] =
        [ThemeName::Auto, ThemeName::Dark, ThemeName::Light, ThemeName::HighContrast, ThemeName::None];

    /// The name that a person types.
    pub fn name(self) -> &'static str {
        match self {
            ThemeName::Auto => "auto",
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::HighContrast => "high-contrast",
            ThemeName::None => "none",
        }
    }

    /// The theme of that name.
    pub fn from_name(name: &str) -> Option<ThemeName> {
        ThemeName::ALL.into_iter().find(|theme| theme.name() == name)
    }
}
