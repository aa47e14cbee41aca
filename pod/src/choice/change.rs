//! Another model while a session goes on: `:model`.
//!
//! Owns which of a person's wishes still hold when another provider or model is chosen: an address that they gave belongs
//! to the provider that they gave it for. Keys and addresses come from the environment as at the start, never from who
//! asks. No address is asked here, so that nobody waits. Read next: `decide.rs`.

use std::sync::Arc;

use super::decide::{Listed, Wish, Wishes, decide};
use super::{ChoiceError, Name, provider};
use crate::guide::Pace;
use crate::provider::Provider;

/// What is wanted instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub provider: String,
    /// As the provider takes it; empty: its usual one.
    pub model: String,
}

/// Makes the provider that is wanted, or says in a sentence why there is none.
pub type Switch = Arc<dyn Fn(&Wanted) -> Result<Arc<dyn Provider>, String> + Send + Sync>;

/// A switch that goes by what a person wished at the start.
pub fn switch(
    wishes: Wishes,
    environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    pace: Pace,
) -> Switch {
    Arc::new(move |wanted| {
        let wishes = wished(&wishes, wanted);
        let decision = decide(&wishes, &environment, &mut |_| Listed::NotAsked);
        let made = decision.and_then(|decision| provider(&decision, &wishes, pace));
        made.map_err(|error| sentence(&error, wanted))
    })
}

fn wished(first: &Wishes, wanted: &Wanted) -> Wishes {
    let Wanted { provider, model } = wanted;
    let owner = first.line.provider.as_ref().or(first.manifest.provider.as_ref());
    let base_url = first.line.base_url.clone().filter(|_| owner == Some(provider));
    let model = Some(model.clone()).filter(|model| !model.is_empty());
    Wishes { line: Wish { provider: Some(provider.clone()), model, base_url }, ..first.clone() }
}

/// The ways out of a running chat are others than those of a command line.
fn sentence(error: &ChoiceError, wanted: &Wanted) -> String {
    match error {
        ChoiceError::NoModels { model } => format!(
            "the guide has no models, so `{model}` cannot be chosen; write `PROVIDER:{model}`, with one of {}",
            Name::NAMES
                .map(|(name, _)| name)
                .into_iter()
                .filter(|name| *name != "guide")
                .collect::<Vec<_>>()
                .join(", ")
        ),
        ChoiceError::NoKey { provider, variable } => {
            format!("the provider `{provider}` needs a key; set {variable} and start carpel again")
        }
        ChoiceError::NotAsked | ChoiceError::WhichModel { .. } | ChoiceError::Unlisted { .. } => {
            format!("which model of {provider}? write `{provider}:NAME`", provider = wanted.provider)
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_model() {
        let line = |provider: &str, base_url: &str| Wishes {
            line: Wish {
                provider: Some(provider.into()),
                model: Some("first".into()),
                base_url: Some(base_url.into()),
            },
            ..Wishes::default()
        };
        let keys: &[(&str, &str)] = &[("ANTHROPIC_API_KEY", "k"), ("OPENAI_BASE_URL", "http://there/v1")];
        type Row<'a> = (Wishes, &'a [(&'a str, &'a str)], &'a str, &'a str, &'a str);
        let rows: [Row<'_>; 10] = [
            (line("openai", "http://here/v1"), &[], "openai", "second", "openai second"),
            (line("openai", "http://here/v1"), keys, "anthropic", "m", "anthropic m"),
            (line("openai", "http://here/v1"), keys, "anthropic", "", "anthropic claude-sonnet-5"),
            (Wishes::default(), keys, "openai", "a/b:free", "openai a/b:free"),
            (Wishes::default(), keys, "openai", "", "which model of openai? write `openai:NAME`"),
            (line("anthropic", "http://here"), &[], "guide", "", "guide guide (no model)"),
            (
                Wishes::default(),
                &[],
                "guide",
                "x",
                "the guide has no models, so `x` cannot be chosen; write `PROVIDER:x`, with one of anthropic, openai, ollama",
            ),
            (
                Wishes::default(),
                &[],
                "anthropic",
                "m",
                "the provider `anthropic` needs a key; set ANTHROPIC_API_KEY and start carpel again",
            ),
            // An address of the first provider is not the second one's, so this one needs its key.
            (
                line("anthropic", "http://here"),
                &[],
                "openai",
                "m",
                "the provider `openai` needs a key; set OPENAI_API_KEY and start carpel again",
            ),
            (
                Wishes::default(),
                &[],
                "nobody",
                "m",
                "there is no provider `nobody` in this version; there are guide, anthropic, openai, ollama",
            ),
        ];
        for (wishes, environment, provider, model, expected) in rows {
            let environment: std::collections::HashMap<String, String> =
                environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let switch = switch(wishes, move |name: &str| environment.get(name).cloned(), Pace::instant());
            let wanted = Wanted { provider: provider.into(), model: model.into() };
            let got = match switch(&wanted) {
                Ok(made) => format!("{} {}", made.name(), made.model()),
                Err(sentence) => sentence,
            };
            assert_eq!(got, expected);
        }
    }
}
