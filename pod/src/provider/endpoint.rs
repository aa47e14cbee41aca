//! Where a model is reached, with what key, and how it is asked: what a person configures of a provider.
//!
//! Owns [`Endpoint`], [`Key`] and [`Options`]. A key's secret is seen by nobody but the request that carries it: `Debug`
//! shows where it came from, and so do error sentences. It refuses to know any wire and where settings come from.
//! Read next: `http.rs`, `anthropic.rs`, `openai.rs`.

use std::fmt;
use std::time::Duration;

/// Where a model is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Address of the service: for Anthropic without `/v1`, for OpenAI and its kin with it.
    pub base_url: String,
    /// Absent for servers that want none.
    pub key: Option<Key>,
    /// The model's name as the service takes it.
    pub model: String,
}

/// A secret, and where it came from.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    secret: String,
    /// What a person would look at to change it, e.g. `ANTHROPIC_API_KEY`.
    pub source: String,
}

impl Key {
    /// Blanks around a secret are none of it: files end with a line break.
    pub fn new(secret: &str, source: impl Into<String>) -> Self {
        Self { secret: secret.trim().to_owned(), source: source.into() }
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("source", &self.source).finish_non_exhaustive()
    }
}

/// How a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How much the model thinks; absent: as is usual for it.
    pub thinking: Option<Thinking>,
    /// How long a server may be silent before the stream counts as cut. There is no bound on the whole.
    pub idle: Duration,
    /// How long an address may take until it is connected to, its certificate looked at included.
    pub connect: Duration,
    /// How long after a list of models that failed for a reason that passes it is asked for once more; absent: not at all.
    pub list_again: Option<Duration>,
    /// The model's window in tokens, where a person knows it better.
    pub context_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            thinking: None,
            idle: Duration::from_secs(300),
            connect: Duration::from_secs(10),
            list_again: Some(Duration::from_secs(1)),
            context_limit: None,
        }
    }
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// Not at all, where the model can do without.
    Off,
    /// As much as it sees fit.
    Adaptive,
    /// Up to this many tokens.
    Budget(u32),
}

/// Settings with which no request could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The address cannot be read.
    #[error("the address `{url}` of {provider} cannot be read ({reason}); it looks like {example}")]
    Address { provider: String, url: String, reason: String, example: &'static str },
    /// The key cannot travel in a header.
    #[error("the key from {key_source} holds characters that no key has; copy it again, as one line")]
    Key { key_source: String },
    /// No model is named.
    #[error("no model is named for {provider}; name one with --model")]
    NoModel { provider: String },
    /// No connection can be made safe.
    #[error(
        "{provider} cannot be reached safely: {reason}; install the system's certificates (ca-certificates)"
    )]
    Tls { provider: String, reason: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let key = Key::new(" sk-secret\n", "ANTHROPIC_API_KEY");
        assert_eq!(key.secret(), "sk-secret");
        let endpoint = Endpoint { base_url: "http://x".into(), key: Some(key), model: "m".into() };
        let shown = format!("{endpoint:?}");
        assert!(shown.contains("ANTHROPIC_API_KEY") && !shown.contains("secret"), "{shown}");
    }
}
