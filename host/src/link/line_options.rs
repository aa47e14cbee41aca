//! What the command line says to a pod.
//!
//! Owns the values as they were given, so that they can be passed on to a pod in another process unchanged. It refuses to
//! know what they mean: `../link.rs` puts them together with the manifests.

use carpel_protocol::Method;
use carpel_protocol::MethodLine;
use carpel_protocol::method::SetModel;

/// What the command line says to a pod; it is passed on to one in another process as it was given.
#[derive(Debug, Clone, Default)]
pub struct LineOptions {
    /// Who answers.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Where the provider is reached.
    pub base_url: Option<String>,
    /// What may be done without asking.
    pub approval_mode: Option<String>,
    /// That the folder is trusted for this run.
    pub trust: bool,
}

impl LineOptions {
    /// What has a pod that runs already answer with the model that is named here.
    pub fn change(&self) -> Option<MethodLine> {
        let (provider, model) = (self.provider.clone(), self.model.clone()?);
        Some(MethodLine::from(Method::SetModel(SetModel { provider, model })))
    }
}

#[cfg(test)]
mod tests {
    use carpel_protocol::frame::encode;

    use super::*;

    #[test]
    fn what_a_pod_that_runs_is_told() {
        let rows = [
            (None, None, ""),
            (Some("openai"), None, ""),
            (None, Some("m"), "{\"method\":\"set_model\",\"model\":\"m\"}\n"),
            (
                Some("openai"),
                Some("m"),
                "{\"method\":\"set_model\",\"model\":\"m\",\"provider\":\"openai\"}\n",
            ),
        ];
        for (provider, model, expected) in rows {
            let named = |name: Option<&str>| name.map(str::to_owned);
            let line =
                LineOptions { provider: named(provider), model: named(model), ..LineOptions::default() };
            let told = line.change().map(|change| String::from_utf8(encode(&change)).unwrap());
            assert_eq!(told.unwrap_or_default(), expected);
        }
    }
}
