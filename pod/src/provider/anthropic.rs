//! Models that speak Anthropic's Messages API.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::endpoint::{Endpoint, EndpointError, Options};
use super::{Provider, Request, StreamEvent};

/// A model behind the Messages API.
pub struct Anthropic {
    endpoint: Endpoint,
}

impl Anthropic {
    pub const NAME: &str = "anthropic";

    /// # Errors
    /// [`EndpointError`] when no request could be made with these settings.
    pub fn new(endpoint: Endpoint, _options: Options) -> Result<Self, EndpointError> {
        Ok(Self { endpoint })
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn stream(&self, _request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        mpsc::channel(1).1
    }
}
