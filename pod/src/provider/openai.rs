//! Models that speak OpenAI's chat completions, whoever serves them.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::endpoint::{Endpoint, EndpointError, Options};
use super::{Provider, Request, StreamEvent};

/// A model behind chat completions.
pub struct OpenAi {
    name: &'static str,
    endpoint: Endpoint,
}

impl OpenAi {
    /// `name` is the provider's, e.g. `openai` or `ollama`.
    ///
    /// # Errors
    /// [`EndpointError`] when no request could be made with these settings.
    pub fn new(name: &'static str, endpoint: Endpoint, _options: Options) -> Result<Self, EndpointError> {
        Ok(Self { name, endpoint })
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        self.name
    }

    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn stream(&self, _request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        mpsc::channel(1).1
    }
}
