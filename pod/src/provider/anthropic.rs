//! Models that speak Anthropic's Messages API.
//!
//! Owns the endpoint, what was learned of it (its windows, and what a model or server does not know: thinking of a kind,
//! eager arguments, caching, long answers), and the way of a refusal to a request without that. It refuses to know the
//! shapes: requests are made in `anthropic/request.rs`, events read in `anthropic/events.rs`.

mod events;
mod quirks;
mod request;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc;

use self::events::Events;
use self::quirks::Quirks;
use super::endpoint::{Endpoint, EndpointError, Options};
use super::http::{Http, Manner};
use super::list::{self, Window};
use super::step::{self, Wire};
use super::trouble::Refusal;
use super::{Models, Provider, Request, StreamEvent};

/// A model behind the Messages API.
pub struct Anthropic {
    api: Arc<Api>,
}

struct Api {
    http: Http,
    model: String,
    quirks: Mutex<Quirks>,
    window: Window,
}

/// Pages of a list of models that are read.
const PAGES: usize = 10;

impl Anthropic {
    pub const NAME: &str = "anthropic";
    /// Where it is when nothing else is said.
    pub const BASE_URL: &str = "https://api.anthropic.com";

    /// # Errors
    /// [`EndpointError`] when no request could be made with these settings.
    pub fn new(endpoint: Endpoint, options: Options) -> Result<Self, EndpointError> {
        let manner = Manner {
            provider: Self::NAME.to_owned(),
            example: Self::BASE_URL,
            key_header: ("x-api-key", ""),
            headers: &[("anthropic-version", "2023-06-01")],
        };
        let without_v1 = |base: &mut reqwest::Url| {
            let path = base.path().trim_end_matches('/');
            let path = path.strip_suffix("/v1").unwrap_or(path).to_owned();
            base.set_path(&path);
        };
        let http = Http::new(&manner, &endpoint, without_v1, &options)?;
        let quirks = Mutex::new(Quirks::of(&endpoint.model, options.thinking));
        let window = Window::new(options.context_limit);
        Ok(Self { api: Arc::new(Api { http, model: endpoint.model, quirks, window }) })
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn model(&self) -> &str {
        &self.api.model
    }

    fn context_limit(&self) -> Option<u64> {
        self.api.window.known().or_else(|| quirks::window_of(&self.api.model))
    }

    fn may_list_window(&self) -> bool {
        self.api.window.known().is_none()
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
        let mut all = Vec::new();
        let mut after = String::new();
        for _ in 0..PAGES {
            let query = [("limit", "100"), ("after_id", after.as_str())];
            let query = if after.is_empty() { &query[..1] } else { &query[..] };
            let page = self.http.get(&["v1", "models"], query).await?;
            let listed = list::models(&page);
            self.window.learn(&listed, &self.model);
            all.extend(listed.into_iter().map(|listed| listed.id));
            match (page.get("has_more"), page.get("last_id").and_then(Value::as_str)) {
                (Some(Value::Bool(true)), Some(last)) if last != after => last.clone_into(&mut after),
                _ => break,
            }
        }
        Ok(all)
    }

    fn quirks(&self) -> Quirks {
        self.quirks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Wire for Api {
    type Reader = Events;

    fn http(&self) -> &Http {
        &self.http
    }

    fn path(&self) -> &'static [&'static str] {
        &["v1", "messages"]
    }

    fn body(&self, request: &Request) -> Value {
        request::body(&self.model, request, &self.quirks())
    }

    fn adapt(&self, request: &Request, refusal: &Refusal) -> bool {
        self.quirks.lock().unwrap_or_else(PoisonError::into_inner).adapt(request.messages.len(), refusal)
    }

    fn reader(&self) -> Events {
        Events::new(self.http.service.clone())
    }
}
