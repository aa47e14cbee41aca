//! Which request gets what: steps, each with a condition and a reply.
//!
//! Owns the order (the first step that is left and matches) and what is answered when none does. Lists of models are
//! answered on their own, so that a script need not think of them.
//! It refuses to know sockets. `scenario.rs` reads one from a file.

use serde_json::json;

use crate::answer::Wire;
use crate::reply::{Delivery, Reply, Response};
use crate::request::Request;
use crate::trouble::Trouble;
use crate::{anthropic, chat};

#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    steps: Vec<Step>,
    otherwise: Reply,
    models: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Step {
    when: When,
    reply: Reply,
    /// How often it may still be used; absent: always.
    left: Option<usize>,
}

/// A condition; what is absent is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    /// About lists of models, not about answers.
    pub list: bool,
    pub wire: Option<Wire>,
    pub model: Option<String>,
    /// The last paragraph of the last prompt contains this.
    pub prompt: Option<String>,
    /// So many answers with calls were given since the last prompt.
    pub round: Option<usize>,
}

impl When {
    pub fn round(round: usize) -> Self {
        Self { round: Some(round), ..Self::default() }
    }

    pub fn model(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    pub fn prompt(text: &str) -> Self {
        Self { prompt: Some(text.to_owned()), ..Self::default() }
    }

    pub fn wire(wire: Wire) -> Self {
        Self { wire: Some(wire), ..Self::default() }
    }

    pub fn list() -> Self {
        Self { list: true, ..Self::default() }
    }

    fn holds(&self, request: &Request) -> bool {
        self.wire.is_none_or(|wire| request.wire() == Some(wire))
            && self.model.as_ref().is_none_or(|model| request.model() == *model)
            && self.prompt.as_ref().is_none_or(|text| request.last_words().contains(text.as_str()))
            && self.round.is_none_or(|round| request.round() == round)
    }
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// A script without steps. A request that no step answers is refused with a sentence, which no client asks again.
    pub fn new() -> Self {
        let refusal = "the script has no answer for this request";
        Self {
            steps: Vec::new(),
            otherwise: Reply::Fail(Trouble::BadRequest(refusal.to_owned())),
            models: vec!["mock-1".to_owned(), "mock-2".to_owned()],
        }
    }

    /// Answers something sensible to any prompt, for ever.
    pub fn echo(delivery: Delivery) -> Self {
        Self::new().otherwise(Reply::Echo(delivery))
    }

    /// Then this, once.
    #[must_use]
    pub fn then(self, reply: impl Into<Reply>) -> Self {
        self.step(When::default(), reply, Some(1))
    }

    /// This whenever the condition holds.
    #[must_use]
    pub fn when(self, when: When, reply: impl Into<Reply>) -> Self {
        self.step(when, reply, None)
    }

    /// This when the condition holds, so many times; absent: always.
    #[must_use]
    pub fn step(mut self, when: When, reply: impl Into<Reply>, times: Option<usize>) -> Self {
        self.steps.push(Step { when, reply: reply.into(), left: times });
        self
    }

    /// This when no step answers.
    #[must_use]
    pub fn otherwise(mut self, reply: impl Into<Reply>) -> Self {
        self.otherwise = reply.into();
        self
    }

    /// The models there are.
    #[must_use]
    pub fn models(mut self, names: &[&str]) -> Self {
        self.models = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// What this request gets. Uses up a step.
    pub(crate) fn answer(&mut self, request: &Request) -> Response {
        let list = request.method == "GET" && matches!(request.path.as_str(), "/v1/models" | "/models");
        let asks = request.method == "POST" && request.wire().is_some();
        if !list && !asks {
            return self.elsewhere(request);
        }
        let step = self
            .steps
            .iter_mut()
            .find(|step| step.left != Some(0) && step.when.list == list && step.when.holds(request));
        if let Some(step) = step {
            step.left = step.left.map(|left| left - 1);
            return step.reply.response(request);
        }
        if list {
            return Response::json(200, &self.list(request));
        }
        self.otherwise.response(request)
    }

    /// The list in the vendor's shape; Anthropic's clients say who they are.
    fn list(&self, request: &Request) -> serde_json::Value {
        if request.header("x-api-key").or(request.header("anthropic-version")).is_some() {
            anthropic::models(&self.models)
        } else {
            chat::models(&self.models)
        }
    }

    /// Ollama's own list, which its clients ask for; else 404.
    fn elsewhere(&self, request: &Request) -> Response {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/api/version") => Response::json(200, &json!({"version": "0.0.0"})),
            ("GET", "/api/tags") => {
                let models: Vec<_> =
                    self.models.iter().map(|name| json!({"name": name, "model": name})).collect();
                Response::json(200, &json!({"models": models}))
            }
            (method, path) => {
                let message = format!("there is no {method} {path} here");
                Response::json(404, &json!({"error": {"type": "not_found_error", "message": message}}))
            }
        }
    }
}
