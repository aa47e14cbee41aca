//! Models that speak OpenAI's chat completions, whoever serves them: OpenAI, Ollama, llama.cpp, vLLM, LM Studio,
//! OpenRouter, DeepSeek.
//!
//! Owns the endpoint and what was learned of it: its window, and which parameters it refuses. It refuses to know the
//! shapes: requests are made in `openai/request.rs`, chunks read in `openai/chunks.rs`.

mod chunks;
mod details;
mod quirks;
mod request;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc;

use self::chunks::Chunks;
use self::quirks::Quirks;
use super::endpoint::{Endpoint, EndpointError, Options};
use super::http::{Http, Manner};
use super::list::{self, Window};
use super::step::{self, Wire};
use super::trouble::Refusal;
use super::{Models, Provider, Request, StreamEvent};

/// A model behind chat completions.
pub struct OpenAi {
    api: Arc<Api>,
}

struct Api {
    name: &'static str,
    http: Http,
    model: String,
    quirks: Mutex<Quirks>,
    window: Window,
}

impl OpenAi {
    /// `name` is the provider's, e.g. `openai` or `ollama`.
    ///
    /// # Errors
    /// [`EndpointError`] when no request could be made with these settings.
    pub fn new(name: &'static str, endpoint: Endpoint, options: Options) -> Result<Self, EndpointError> {
        let manner = Manner {
            provider: name.to_owned(),
            example: "http://localhost:11434/v1",
            key_header: ("authorization", "Bearer "),
            headers: &[],
        };
        // A bare host is meant as its API.
        let with_v1 = |base: &mut reqwest::Url| {
            if matches!(base.path(), "" | "/") {
                base.set_path("/v1");
            }
        };
        let http = Http::new(&manner, &endpoint, with_v1, &options)?;
        let quirks = Mutex::new(Quirks::of(options.thinking));
        let window = Window::new(options.context_limit);
        Ok(Self { api: Arc::new(Api { name, http, model: endpoint.model, quirks, window }) })
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        self.api.name
    }

    fn model(&self) -> &str {
        &self.api.model
    }

    fn context_limit(&self) -> Option<u64> {
        self.api.window.known()
    }

    fn models(&self) -> Models {
        let api = self.api.clone();
        Box::pin(async move { api.models().await })
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        step::begin(self.api.clone(), request)
    }
}

impl Api {
    async fn models(&self) -> Result<Vec<String>, String> {
        let listed = list::models(&self.http.get(&["models"], &[]).await?);
        self.window.learn(&listed, &self.model);
        Ok(listed.into_iter().map(|listed| listed.id).collect())
    }
}

impl Wire for Api {
    type Reader = Chunks;

    fn http(&self) -> &Http {
        &self.http
    }

    fn path(&self) -> &'static [&'static str] {
        &["chat", "completions"]
    }

    fn body(&self, request: &Request) -> Value {
        let quirks = self.quirks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        request::body(self.name, &self.model, request, &quirks)
    }

    fn adapt(&self, _request: &Request, refusal: &Refusal) -> bool {
        self.quirks.lock().unwrap_or_else(PoisonError::into_inner).adapt(refusal)
    }

    fn reader(&self) -> Chunks {
        Chunks::new(self.name, self.http.service.clone())
    }
}
