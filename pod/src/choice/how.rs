//! Why it is this provider and this model, in words for a person.
//!
//! What a person said themselves needs no word in the chat; what the environment or the network decided does, since their
//! words go there. `doctor` shows all of it.

use std::fmt;

use super::name::Name;

/// Why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct How {
    pub provider: Name,
    pub by: By,
    /// The model as the provider takes it; guide has none.
    pub model: Option<String>,
    pub model_by: ModelBy,
    /// Where words are sent; guide sends none.
    pub base_url: Option<String>,
    /// What was looked at and passed over, as sentences.
    pub passed: Vec<String>,
}

/// What decided the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    CommandLine,
    Manifest,
    /// The variable of that name holds a key.
    Key(&'static str),
    /// A local Ollama answered.
    Answered,
    /// Nothing else was there.
    Nothing,
}

/// What decided the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelBy {
    CommandLine,
    Manifest,
    /// It is the one that carpel takes for this provider.
    Default,
    /// It is the first that the address lists, save those that only make embeddings.
    FirstListed,
    /// There are no models.
    None,
}

impl How {
    /// What is said in the chat, if anything: whom the words go to when no person said so, and what was passed over.
    pub fn notice(&self) -> Option<String> {
        let mut told = match self.by {
            By::Key(_) | By::Answered => vec![self.to_string()],
            By::CommandLine | By::Manifest | By::Nothing => Vec::new(),
        };
        told.extend(self.passed.iter().cloned());
        (!told.is_empty()).then(|| told.join(" "))
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answers", self.provider)?;
        if let Some(model) = &self.model {
            write!(f, " with {model}")?;
        }
        match self.by {
            By::CommandLine => f.write_str(": the command line says so")?,
            By::Manifest => f.write_str(": the manifest says so")?,
            By::Key(variable) => write!(f, ": {variable} is set")?,
            By::Answered => write!(f, ": it is at {}", self.base_url.as_deref().unwrap_or_default())?,
            By::Nothing => f.write_str(": no other provider is named, has a key or answers")?,
        }
        match self.model_by {
            ModelBy::CommandLine if self.by != By::CommandLine => {
                f.write_str("; the command line names the model")?;
            }
            ModelBy::Manifest if self.by != By::Manifest => f.write_str("; the manifest names the model")?,
            ModelBy::FirstListed => f.write_str("; the model is the first that it lists")?,
            ModelBy::CommandLine | ModelBy::Manifest | ModelBy::Default | ModelBy::None => {}
        }
        f.write_str(".")
    }
}
