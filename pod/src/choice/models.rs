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
    let provider = match make(asked.provider, endpoint, Options::default()) {
        Ok(provider) => provider,
        Err(error) => return Listed::Failed(format!("cannot be asked: {error}")),
    };
    let patience = if asked.is_named { NAMED } else { GUESSED };
    std::thread::spawn(move || ask(&provider, patience))
        .join()
        .unwrap_or_else(|_| Listed::Failed("could not be asked".to_owned()))
}

fn ask(provider: &Arc<dyn Provider>, patience: Duration) -> Listed {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return Listed::Failed(format!("could not be asked ({error})")),
    };
    let answer = runtime.block_on(async { tokio::time::timeout(patience, provider.models()).await });
    // A name that is still being looked up must not hold this up.
    runtime.shutdown_background();
    match answer {
        Ok(Ok(models)) => Listed::Models(models),
        Ok(Err(sentence)) => Listed::Failed(format!("lists no models ({})", sentence.trim_end_matches('.'))),
        Err(_) => Listed::Failed(format!("does not answer within {patience:?}")),
    }
}
