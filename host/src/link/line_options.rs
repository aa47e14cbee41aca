//! What the command line says to a pod.
//!
//! Owns the values as they were given, so that they can be passed on to a pod in another process unchanged. It refuses to
//! know what they mean: `../link.rs` puts them together with the manifests.

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
