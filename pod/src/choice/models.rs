//! Asks an address for its models while it is being decided who answers.
//!
//! Owns how long that may take: an address that was only guessed is not waited for, since a person waits meanwhile. It
//! runs on a thread with a runtime of its own, because the decision is made inside and outside of runtimes.

use std::sync::Arc;
use std::time::Duration;

use super::decide::{Asked, Listed};
use super::make;
use crate::provider::Provider;
use crate::provider::endpoint::{Endpoint, Key, Options};

/// How long an address that nobody named may take.
const GUESSED: Duration = Duration::from_millis(300);

/// How long one may take that a person named.
const NAMED: Duration = Duration::from_secs(5);

/// The models that the address lists, or what happened instead.
pub(super) fn listed(asked: Asked<'_>) -> Listed {
    let endpoint = Endpoint {
        base_url: asked.base_url.to_owned(),
        key: asked.key.map(|(secret, source)| Key::new(secret, source)),
        // A list is asked for of no model in particular.
        model: "any".to_owned(),
    };
    let patience = if asked.is_named { NAMED } else { GUESSED };
    // The provider's own sentence about a connection that does not come about says more than that nothing came.
    let mut options = Options { connect: patience.mul_f64(0.9), ..Options::default() };
    options.list_again = options.list_again.filter(|_| asked.is_named);
    let (name, base_url) = (asked.provider, asked.base_url.to_owned());
    let provider = match make(asked.provider, endpoint, options) {
        Ok(provider) => provider,
        Err(error) => return Listed::Failed(error.to_string()),
    };
    let answer = std::thread::spawn(move || ask(&provider, patience)).join();
    match answer.unwrap_or_else(|_| Err(Unheard::Unasked(String::new()))) {
        Ok(models) => Listed::Models(models),
        Err(Unheard::Told(sentence)) => Listed::Failed(sentence.trim_end_matches('.').to_owned()),
        Err(Unheard::Unasked(why)) => Listed::Failed(format!(
            "{name} at {base_url} could not be asked for its models{why}; name one with --model"
        )),
        Err(Unheard::Silent) => Listed::Failed(format!(
            "{name} at {base_url} does not answer within {} s; start it, or check the address",
            patience.as_secs_f64()
        )),
    }
}

/// Why there is no list.
enum Unheard {
    /// The provider's own sentence.
    Told(String),
    Unasked(String),
    Silent,
}

fn ask(provider: &Arc<dyn Provider>, patience: Duration) -> Result<Vec<String>, Unheard> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return Err(Unheard::Unasked(format!(" ({error})"))),
    };
    let answer = runtime.block_on(async { tokio::time::timeout(patience, provider.models()).await });
    // A name that is still being looked up must not hold this up.
    runtime.shutdown_background();
    match answer {
        Ok(answer) => answer.map_err(Unheard::Told),
        Err(_) => Err(Unheard::Silent),
    }
}
