//! Which provider answers, and why.
//!
//! Owns the order: command line, manifest, environment keys, a local Ollama that answers, guide. `choice/decide.rs` is
//! that order as a function of what is wished, what the environment says and what an address answers, so that it is a
//! table of tests; `choice/address.rs` has the forms that an address is written in; `choice/models.rs` asks an address for its
//! models, `choice/change.rs` chooses anew while a session goes on. This file makes a provider of what was decided. Refuses to know wires: `provider.rs`.

pub mod address;
mod change;
pub mod decide;
mod how;
mod models;
mod name;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::change::{Switch, Wanted, switch};
pub use self::decide::{Decision, Listed, Wish, Wishes, decide};
pub use self::how::{By, How, ModelBy};
pub use self::name::{Name, provider_names, without_model};
use crate::guide::{Guide, Pace};
use crate::provider::Provider;
use crate::provider::anthropic::Anthropic;
use crate::provider::endpoint::{Endpoint, EndpointError, Key, Options};
use crate::provider::openai::OpenAi;

/// A provider, and why it is this one.
pub struct Choice {
    pub provider: Arc<dyn Provider>,
    pub how: How,
}

/// A choice that cannot be followed. Each is a sentence with the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No such provider.
    #[error("there is no provider `{name}` in this version; there are {}", Name::all())]
    UnknownProvider { name: String },
    /// One that is planned.
    #[error("the provider `{name}` is not in this version; there are {}", Name::all())]
    NotYet { name: &'static str },
    /// The provider has no models to choose from.
    #[error(
        "the provider `guide` has no models, so `{model}` cannot be chosen; leave --model out, or say --provider"
    )]
    NoModels { model: String },
    /// The provider is reached at no address.
    #[error("the provider `guide` is at no address; leave --base-url out, or say --provider")]
    NoAddress,
    /// An address, and nobody said whose.
    #[error("--base-url needs --provider: say who is to be spoken to at `{base_url}`")]
    WhoseAddress { base_url: String },
    /// No address.
    #[error("the address `{}` from {from} {}; write for example `{example}`", wrong.url, wrong.fact)]
    Address {
        wrong: address::Wrong,
        /// Where it is written.
        from: &'static str,
        example: &'static str,
    },
    /// The key is missing.
    #[error("the provider `{provider}` needs a key; set {variable}")]
    NoKey { provider: Name, variable: &'static str },
    /// No model was named, and the address knows none.
    #[error("no model is chosen, and {provider} at {base_url} lists none; {way_out}")]
    WhichModel { provider: Name, base_url: String, way_out: &'static str },
    /// No model was named, and the address tells nothing of its own; the sentence is whole.
    #[error("{sentence}")]
    Unlisted { sentence: String },
    /// The provider cannot be made.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// What is decided hangs on what an address answers, and it was not asked.
    #[error("which provider answers is not known before an address is asked")]
    NotAsked,
}

/// Decides and makes the provider. Asks an address for its models where the decision hangs on that, for a bounded time.
///
/// # Errors
/// [`ChoiceError`] when the wishes cannot be followed.
pub fn choose(
    wishes: &Wishes,
    environment: &dyn Fn(&str) -> Option<String>,
    pace: Pace,
) -> Result<Choice, ChoiceError> {
    let decision = decide(wishes, environment, &mut models::listed)?;
    Ok(Choice { provider: provider(&decision, wishes, pace)?, how: decision.how })
}

fn provider(decision: &Decision, wishes: &Wishes, pace: Pace) -> Result<Arc<dyn Provider>, ChoiceError> {
    let How { provider, base_url, model, .. } = &decision.how;
    let (Some(base_url), Some(model)) = (base_url, model) else { return Ok(Arc::new(Guide::new(pace))) };
    let key = decision.key.as_ref().map(|(secret, variable)| Key::new(secret, *variable));
    let endpoint = Endpoint { base_url: base_url.clone(), key, model: model.clone() };
    let options = Options { thinking: wishes.thinking, ..Options::default() };
    Ok(make(*provider, endpoint, options)?)
}

/// A provider of models. Guide has none, and no address at which it could be asked for any.
fn make(name: Name, endpoint: Endpoint, options: Options) -> Result<Arc<dyn Provider>, EndpointError> {
    Ok(match name {
        Name::Anthropic => Arc::new(Anthropic::new(endpoint, options)?),
        Name::OpenAi | Name::Ollama => Arc::new(OpenAi::new(name.text(), endpoint, options)?),
        Name::Guide => Arc::new(Guide::new(Pace::instant())),
    })
}

/// Decides without making the provider, for a person who wants to know.
///
/// # Errors
/// [`ChoiceError`] when the wishes cannot be followed.
pub fn how(wishes: &Wishes, environment: &dyn Fn(&str) -> Option<String>) -> Result<How, ChoiceError> {
    Ok(decide(wishes, environment, &mut models::listed)?.how)
}

/// Whether the wishes can be followed, as far as that is known without asking an address.
///
/// # Errors
/// [`ChoiceError`] when they cannot.
pub fn check(wishes: &Wishes, environment: &dyn Fn(&str) -> Option<String>) -> Result<(), ChoiceError> {
    match decide(wishes, environment, &mut |_| Listed::NotAsked) {
        Ok(_) | Err(ChoiceError::NotAsked) => Ok(()),
        Err(error) => Err(error),
    }
}
