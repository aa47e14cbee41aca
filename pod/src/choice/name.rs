//! The names of providers.
//!
//! Owns the words that a person types, and those that are known but not in this version. It refuses to know what stands
//! behind a name.

use std::fmt;
use std::str::FromStr;

use super::ChoiceError;

/// A provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    Guide,
    Anthropic,
    /// Chat completions, and everything that speaks them.
    OpenAi,
    Ollama,
}

/// Providers that are planned.
const NOT_YET: &[&str] = &["openai-responses", "gemini"];

impl Name {
    pub const NAMES: [(&'static str, Name); 4] = [
        ("guide", Name::Guide),
        ("anthropic", Name::Anthropic),
        ("openai", Name::OpenAi),
        ("ollama", Name::Ollama),
    ];

    pub fn text(self) -> &'static str {
        Self::NAMES.iter().find(|(_, name)| *name == self).map_or("", |(text, _)| text)
    }

    /// What `:model PROVIDER:` with no model behind it comes to, in a few words.
    fn without_model(self) -> &'static str {
        match self {
            Self::Guide => "no model, no network",
            Self::Anthropic => "another provider: its usual model, or the one you name",
            Self::OpenAi => "another provider: name a model (optional at api.openai.com)",
            Self::Ollama => "another provider: name a model",
        }
    }

    pub(super) fn all() -> String {
        Self::NAMES.map(|(text, _)| text).join(", ")
    }
}

/// The names of all providers.
pub fn provider_names() -> [&'static str; 4] {
    Name::NAMES.map(|(text, _)| text)
}

/// What it comes to when one of them is chosen and no model named.
pub fn without_model(provider: &str) -> &'static str {
    provider.parse::<Name>().map(Name::without_model).unwrap_or_default()
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for Name {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        if let Some((_, name)) = Self::NAMES.iter().find(|(known, _)| *known == text) {
            return Ok(*name);
        }
        match NOT_YET.iter().find(|name| **name == text) {
            Some(name) => Err(ChoiceError::NotYet { name }),
            None => Err(ChoiceError::UnknownProvider { name: text.to_owned() }),
        }
    }
}
