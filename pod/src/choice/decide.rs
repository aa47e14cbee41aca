//! The order in which a provider is chosen, as a function without IO.
//!
//! In: what the command line and the manifest wish, the environment as a function, and what an address answers when it is
//! asked for its models. Out: everything that a provider is made of, and why. An address or a model of the manifest holds
//! for the manifest's provider only: another one, named on the command line, must not be sent there. A key of the
//! environment goes to an address that a person named, or to its own vendor. An empty variable counts as unset.

use std::fmt;

use super::how::{By, How, ModelBy};
use super::name::Name;
use super::{ChoiceError, address};
use crate::provider::endpoint::Thinking;

/// What one place says; each may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    pub provider: Option<String>,
    pub model: Option<String>,
    pub base_url: Option<String>,
}

/// What a person wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    pub line: Wish,
    pub manifest: Wish,
    pub thinking: Option<Thinking>,
}

/// What a provider is made of.
#[derive(Clone, PartialEq, Eq)]
pub struct Decision {
    /// The secret, and the variable that it comes from.
    pub key: Option<(String, &'static str)>,
    pub how: How,
}

/// An address to be asked for its models.
pub struct Asked<'a> {
    pub provider: Name,
    pub base_url: &'a str,
    /// The secret, and the variable that it comes from.
    pub key: Option<(&'a str, &'static str)>,
    /// Whether a person named it; one that was only guessed is not waited for.
    pub is_named: bool,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    Models(Vec<String>),
    /// What happened instead, as a sentence with the way out.
    Failed(String),
    /// It was not asked.
    NotAsked,
}

type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;
type Ask<'a> = &'a mut dyn FnMut(Asked<'_>) -> Listed;

/// The provider and the model.
///
/// # Errors
/// [`ChoiceError`] when the wishes cannot be followed; [`ChoiceError::NotAsked`] when `ask` says so and it matters.
pub fn decide(wishes: &Wishes, environment: Environment<'_>, ask: Ask<'_>) -> Result<Decision, ChoiceError> {
    let set =
        |name: &str| environment(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let Wishes { line, manifest, .. } = wishes;
    if let (Some(base_url), None, None) = (&line.base_url, &line.provider, &manifest.provider) {
        return Err(ChoiceError::WhoseAddress { base_url: base_url.clone() });
    }
    let chosen = match (&line.provider, &manifest.provider) {
        (Some(name), _) => Some((name.parse::<Name>()?, By::CommandLine)),
        (None, Some(name)) => Some((name.parse::<Name>()?, By::Manifest)),
        (None, None) => key_of(&set),
    };
    if let Some((provider, by)) = chosen {
        return followed(Followed { wishes, provider, by }, &set, ask);
    }
    let mut passed = Vec::new();
    if let Some(decision) = answering(wishes, &set, ask, &mut passed)? {
        return Ok(decision);
    }
    if set("GEMINI_API_KEY").is_some() {
        passed.push("GEMINI_API_KEY is set, but the provider `gemini` is not in this version.".to_owned());
    }
    guide(line, By::Nothing, passed)
}

/// The first key that the environment holds; else an address of OpenAI's wire, since a local server asks for no key.
fn key_of(set: &impl Fn(&str) -> Option<String>) -> Option<(Name, By)> {
    let keyed = [Name::Anthropic, Name::OpenAi].into_iter().find_map(|provider| {
        let variable = key_variable(provider)?;
        set(variable).map(|_| (provider, By::Key(variable)))
    });
    let address = "OPENAI_BASE_URL";
    keyed.or_else(|| set(address).map(|_| (Name::OpenAi, By::Key(address))))
}

/// The variable that holds a provider's key.
pub fn key_variable(provider: Name) -> Option<&'static str> {
    match provider {
        Name::Anthropic => Some("ANTHROPIC_API_KEY"),
        Name::OpenAi => Some("OPENAI_API_KEY"),
        Name::Guide | Name::Ollama => None,
    }
}

/// The model that is taken where nobody names one; an address of somebody else has its own.
fn default_model(provider: Name, base_url: &str) -> Option<&'static str> {
    match provider {
        Name::Anthropic => Some("claude-sonnet-5"),
        Name::OpenAi if base_url == address::OPENAI => Some("gpt-5.5"),
        Name::OpenAi | Name::Guide | Name::Ollama => None,
    }
}

struct Followed<'a> {
    wishes: &'a Wishes,
    provider: Name,
    by: By,
}

/// A provider that was named, or has a key.
fn followed(
    followed: Followed<'_>,
    set: &impl Fn(&str) -> Option<String>,
    ask: Ask<'_>,
) -> Result<Decision, ChoiceError> {
    let Followed { wishes, provider, by } = followed;
    if provider == Name::Guide {
        return guide(&wishes.line, by, Vec::new());
    }
    let base_url = base_url(wishes, provider, set)?;
    let variable = key_variable(provider);
    let key = variable.and_then(|variable| Some((set(variable)?, variable)));
    if let (Some(variable), None) = (variable, &key)
        && matches!(base_url.as_str(), address::ANTHROPIC | address::OPENAI)
    {
        return Err(ChoiceError::NoKey { provider, variable });
    }
    let (model, model_by) = match wished_model(wishes, provider) {
        Some(wished) => wished,
        None => match default_model(provider, &base_url) {
            Some(model) => (model.to_owned(), ModelBy::Default),
            None => {
                let asked = Asked {
                    provider,
                    base_url: &base_url,
                    key: key.as_ref().map(|(key, from)| (key.as_str(), *from)),
                    is_named: true,
                };
                (first(asked, ask)?, ModelBy::FirstListed)
            }
        },
    };
    let how =
        How { provider, by, model: Some(model), model_by, base_url: Some(base_url), passed: Vec::new() };
    Ok(Decision { key, how })
}

fn base_url(
    wishes: &Wishes,
    provider: Name,
    set: &impl Fn(&str) -> Option<String>,
) -> Result<String, ChoiceError> {
    let (variable, usual) = match provider {
        Name::Anthropic => ("ANTHROPIC_BASE_URL", address::ANTHROPIC),
        Name::Ollama => ("OLLAMA_HOST", "127.0.0.1"),
        Name::OpenAi | Name::Guide => ("OPENAI_BASE_URL", address::OPENAI),
    };
    let of_line = || Some((wishes.line.base_url.clone()?, "--base-url"));
    let of_manifest = || {
        let base_url = wishes.manifest.base_url.clone().filter(|_| is_manifests(wishes, provider))?;
        Some((base_url, "`base_url` of the manifest"))
    };
    let (text, from) = of_line()
        .or_else(of_manifest)
        .or_else(|| Some((set(variable)?, variable)))
        .unwrap_or_else(|| (usual.to_owned(), variable));
    let read = if provider == Name::Ollama { address::ollama(&text) } else { address::base_url(&text) };
    read.map_err(|wrong| ChoiceError::Address { wrong, from, example: example(provider) })
}

/// A base URL in the form that the provider's own kit takes.
fn example(provider: Name) -> &'static str {
    match provider {
        Name::Anthropic => "https://host",
        Name::Ollama => "http://host:11434",
        Name::OpenAi | Name::Guide => "https://host/v1",
    }
}

fn is_manifests(wishes: &Wishes, provider: Name) -> bool {
    wishes.manifest.provider.as_deref() == Some(provider.text())
}

fn wished_model(wishes: &Wishes, provider: Name) -> Option<(String, ModelBy)> {
    let line = wishes.line.model.clone().map(|model| (model, ModelBy::CommandLine));
    line.or_else(|| {
        let is_for_it = wishes.manifest.provider.is_none() || is_manifests(wishes, provider);
        let model = wishes.manifest.model.clone().filter(|_| is_for_it);
        model.map(|model| (model, ModelBy::Manifest))
    })
}

/// The first model that an address lists, or why there is none.
fn first(asked: Asked<'_>, ask: Ask<'_>) -> Result<String, ChoiceError> {
    let (provider, base_url) = (asked.provider, asked.base_url.to_owned());
    let way_out = match provider {
        Name::Ollama => "`ollama pull NAME` gets one",
        Name::Guide | Name::Anthropic | Name::OpenAi => "name one with --model",
    };
    match ask(asked) {
        Listed::Models(models) => {
            talker(models).ok_or(ChoiceError::WhichModel { provider, base_url, way_out })
        }
        Listed::Failed(sentence) => Err(ChoiceError::Unlisted { sentence }),
        Listed::NotAsked => Err(ChoiceError::NotAsked),
    }
}

/// The first model that talks. Addresses list the newest first; models for embeddings carry it in their name.
fn talker(models: Vec<String>) -> Option<String> {
    const SILENT: [&str; 3] = ["embed", "minilm", "bge-"];
    models.into_iter().find(|model| {
        let name = model.to_lowercase();
        !SILENT.iter().any(|part| name.contains(part))
    })
}

/// A local Ollama that answers and has a model.
fn answering(
    wishes: &Wishes,
    set: &impl Fn(&str) -> Option<String>,
    ask: Ask<'_>,
    passed: &mut Vec<String>,
) -> Result<Option<Decision>, ChoiceError> {
    let is_named = set("OLLAMA_HOST").is_some();
    let base_url = match base_url(wishes, Name::Ollama, set) {
        Ok(base_url) => base_url,
        Err(error) => {
            passed.push(format!("{error}."));
            return Ok(None);
        }
    };
    let asked = Asked { provider: Name::Ollama, base_url: &base_url, key: None, is_named: false };
    let models = match ask(asked) {
        Listed::Models(models) => models,
        Listed::NotAsked => return Err(ChoiceError::NotAsked),
        Listed::Failed(sentence) => {
            if is_named {
                passed.push(format!("OLLAMA_HOST is set, but {sentence}."));
            }
            return Ok(None);
        }
    };
    let (model, model_by) = match (wished_model(wishes, Name::Ollama), talker(models)) {
        (Some(wished), _) => wished,
        (None, Some(model)) => (model, ModelBy::FirstListed),
        (None, None) => {
            passed.push(format!(
                "Ollama answers at {base_url}, but has no models; `ollama pull NAME` gets one."
            ));
            return Ok(None);
        }
    };
    let (by, base_url) = (By::Answered, Some(base_url));
    let how = How { provider: Name::Ollama, by, model: Some(model), model_by, base_url, passed: Vec::new() };
    Ok(Some(Decision { key: None, how }))
}

fn guide(line: &Wish, by: By, passed: Vec<String>) -> Result<Decision, ChoiceError> {
    if let Some(model) = &line.model {
        return Err(ChoiceError::NoModels { model: model.clone() });
    }
    if line.base_url.is_some() {
        return Err(ChoiceError::NoAddress);
    }
    let how = How { provider: Name::Guide, by, model: None, model_by: ModelBy::None, base_url: None, passed };
    Ok(Decision { key: None, how })
}

impl fmt::Debug for Decision {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|(_, variable)| variable);
        f.debug_struct("Decision").field("key", &key).field("how", &self.how).finish()
    }
}
