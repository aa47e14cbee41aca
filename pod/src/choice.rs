//! Which provider answers: what the command line says, else the one that is always there.
//!
//! Providers of models come with a later version; until then a name other than `guide` is refused with the list.

use std::sync::Arc;

use crate::guide::{Guide, Pace};
use crate::provider::Provider;

/// The names that may be given.
pub const NAMES: &[&str] = &[Guide::NAME];

/// A choice that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No such provider.
    #[error("there is no provider `{name}` in this version; there is {}", NAMES.join(", "))]
    UnknownProvider {
        /// The name that was given.
        name: String,
    },
    /// The provider has no models to choose from.
    #[error("the provider `{provider}` has no models, so `{model}` cannot be chosen; leave --model out")]
    NoModels {
        /// The provider.
        provider: &'static str,
        /// The model that was asked for.
        model: String,
    },
}

/// The provider for a name and a model, either of which may be left out.
///
/// # Errors
/// [`ChoiceError`] when there is no such provider, or it has no such model.
pub fn choose(name: Option<&str>, model: Option<&str>, pace: Pace) -> Result<Arc<dyn Provider>, ChoiceError> {
    match (name.unwrap_or(Guide::NAME), model) {
        (Guide::NAME, None) => Ok(Arc::new(Guide::new(pace))),
        (Guide::NAME, Some(model)) => {
            Err(ChoiceError::NoModels { provider: Guide::NAME, model: model.to_owned() })
        }
        (name, _) => Err(ChoiceError::UnknownProvider { name: name.to_owned() }),
    }
}
