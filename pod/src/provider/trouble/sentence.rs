//! The sentences: who, what happened, the way out.
//!
//! Owns which refusal means what, since services tell the same thing in different ways, and which of them pass by
//! themselves. A key is named by where it came from and never shown. It refuses to know requests and streams.

use std::fmt;

use super::mask::masked;
use super::{Failure, MAX_WAIT, Refusal, Unreadable, one_line};
use crate::provider::ToolOffer;
use crate::provider::endpoint::{Endpoint, Key};
use crate::provider::http::Proxy;
use crate::provider::sse::MAX_EVENT;

/// Who is spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    pub provider: String,
    /// The address, without what could be secret in it.
    pub address: String,
    pub model: String,
    /// What stands between us and it.
    pub proxy: Option<Proxy>,
    key: Option<Key>,
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.provider, self.address)
    }
}

/// The way out of what only time mends.
pub const LATER: &str = "try again later, or choose another model with --model or :model";

const LOGIN: &[&str] = &["authentication_error", "invalid_api_key"];
const NO_CREDIT: &[&str] = &["insufficient_quota", "billing_error", "credit balance", "Insufficient Balance"];
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "prompt is too long",
    "maximum context length",
    "context window",
    "context limit",
    "context size",
    "context length",
    "request_too_large",
];
const NO_TOOLS: &[&str] = &["does not support tools", "not support tool", "tools is not supported"];
const NO_MODEL: &[&str] =
    &["model_not_found", "model not found", "not a valid model", "invalid model", "unknown model"];

impl Service {
    pub fn new(provider: &str, address: &str, endpoint: &Endpoint) -> Self {
        let (model, key) = (endpoint.model.clone(), endpoint.key.clone());
        Self { provider: provider.to_owned(), address: address.to_owned(), model, proxy: None, key }
    }

    /// Something is amiss that passes, or not, by itself.
    pub fn failure(&self, what: &str, retryable: bool) -> Failure {
        Failure { message: format!("{} {what}", self.provider), retryable, wait: None }
    }

    /// The sentence for what cannot be read.
    pub fn unreadable(&self, what: Unreadable) -> Failure {
        let message = match what {
            Unreadable::Event => return self.failure("sent an event that cannot be read", true),
            Unreadable::TooLarge => format!(
                "{self} sent more than {} MiB in one piece, which is not read; is the base URL right?",
                MAX_EVENT / 1024 / 1024
            ),
            Unreadable::NotTheApi(what) => self.not_the_api(what),
        };
        Failure { message, retryable: false, wait: None }
    }

    /// Something else than the service is there.
    pub fn not_the_api(&self, what: &str) -> String {
        format!("{self} answers {what}, not the API; is the base URL right?")
    }

    /// The sentence for a refusal; `tools` are those that were offered.
    pub fn refused(&self, refusal: &Refusal, tools: &[ToolOffer]) -> Failure {
        let (message, passes) = self.sentence(refusal, tools);
        let retryable = refusal.retry.unwrap_or(passes) && passes;
        match refusal.wait {
            Some(wait) if retryable && wait > MAX_WAIT => {
                let minutes = wait.as_secs().div_ceil(60);
                let message = format!("{message}; it wants to be left alone for {minutes} min: {LATER}");
                Failure { message, retryable: false, wait: None }
            }
            // What passes by itself has no other way out, and this time we are told not to wait for it.
            _ if passes && !retryable => {
                let message = format!("{message}; {LATER}");
                Failure { message, retryable, wait: None }
            }
            wait => Failure { message, retryable, wait },
        }
    }

    /// The sentence for a refusal to list the models, which is asked for without any of them in mind.
    pub fn unlisted(&self, refusal: &Refusal) -> String {
        match refusal.status {
            403..=405 | 501 => format!(
                "{self} does not list its models{}; name one, or check the base URL",
                self.said(refusal)
            ),
            _ => {
                let (message, passes) = self.sentence(refusal, &[]);
                if passes { format!("{message}; name a model, or try again later") } else { message }
            }
        }
    }

    fn sentence(&self, refusal: &Refusal, tools: &[ToolOffer]) -> (String, bool) {
        let Self { provider, address, model, .. } = self;
        let said = self.said(refusal);
        let lasting = |sentence: String| (sentence, false);
        let passing = |sentence: String| (sentence, true);
        match refusal.status {
            _ if refusal.names(NO_CREDIT) => lasting(self.no_credit(&said)),
            402 => lasting(self.no_credit(&said)),
            401 | 403 => lasting(self.no_access(refusal.status, &said)),
            _ if refusal.names(LOGIN) => lasting(self.no_access(401, &said)),
            300..400 => lasting(format!(
                "{provider} at {address} points elsewhere ({}); set that address as base URL if you trust it",
                self.own(&refusal.location)
            )),
            407 => lasting(match &self.proxy {
                Some(proxy) => format!("{provider}: {}", proxy.wants_login()),
                None => format!(
                    "{self} answers as a proxy that wants a name and a password{said}; check the base URL"
                ),
            }),
            413 => lasting(too_long(&said)),
            400 | 404 | 422 | 500 if refusal.names(NO_TOOLS) => lasting(format!(
                "the model `{model}` cannot call tools{said}; choose one that can with --model or :model"
            )),
            400 | 422 | 500 if refusal.names(TOO_LONG) => lasting(too_long(&said)),
            404 if !refusal.names(&["model"]) => lasting(format!(
                "{provider} does not answer at {address}{said}; check the base URL, and the model `{model}`"
            )),
            404 => lasting(self.no_model(&said)),
            400 | 422 if refusal.names(NO_MODEL) => lasting(self.no_model(&said)),
            400 | 422 if names_tools(refusal) => lasting(match tool_of(refusal, tools) {
                Some(tool) => format!(
                    "{provider} refused the schema of the tool `{tool}`{said}; choose another model with --model or :model"
                ),
                None => format!(
                    "{provider} refused a tool's schema{said}; choose another model with --model or :model"
                ),
            }),
            408 | 409 | 425 => passing(format!("{provider} was too slow to take the request{said}")),
            429 => passing(format!("{provider} is asked too often{said}")),
            503 | 529 => passing(format!("{provider} is overloaded{said}")),
            0 => passing(format!("{provider} broke its answer off{said}")),
            500..600 => passing(format!("{provider} has a fault of its own{said}")),
            _ => lasting(format!(
                "{provider} refused the request{said}; choose another model with --model or :model, or report it"
            )),
        }
    }

    /// Status and the server's words, in brackets.
    fn said(&self, refusal: &Refusal) -> String {
        let words = self.own(&refusal.words);
        match (refusal.status, words.is_empty()) {
            (0, true) => String::new(),
            (0, false) => format!(" ({words})"),
            (status, true) => format!(" ({status})"),
            (status, false) => format!(" ({status}: {words})"),
        }
    }

    /// A server's words without our secret, which some repeat.
    pub fn own(&self, words: &str) -> String {
        let words = one_line(words);
        match &self.key {
            Some(key) => masked(&words, key.secret()),
            None => words,
        }
    }

    fn no_credit(&self, said: &str) -> String {
        let provider = &self.provider;
        match &self.key {
            Some(key) => format!(
                "the account at {provider} behind {} has no credit left{said}; add some, or use another key",
                key.source
            ),
            None => format!("{provider} wants to be paid{said}; give it a key"),
        }
    }

    fn no_access(&self, status: u16, said: &str) -> String {
        let (provider, model) = (&self.provider, &self.model);
        match &self.key {
            None => format!("{provider} at {} wants a key and has none{said}; give it one", self.address),
            Some(key) if status == 403 => format!(
                "{provider} does not let the key from {} use `{model}`{said}; check what that key may do",
                key.source
            ),
            Some(key) => {
                format!(
                    "{provider} does not know the key from {source}{said}; put a valid one into {source}",
                    source = key.source
                )
            }
        }
    }

    fn no_model(&self, said: &str) -> String {
        format!("{} has no model `{}`{said}; name another with --model or :model", self.provider, self.model)
    }
}

/// Whether a text holds one of these, whatever the case of its letters.
pub fn has_any(text: &str, any: &[&str]) -> bool {
    let text = text.to_lowercase();
    any.iter().any(|part| text.contains(&part.to_lowercase()))
}

fn too_long(said: &str) -> String {
    format!(
        "the conversation is longer than the model's window{said}; start a new session, or choose a model with a larger one"
    )
}

fn names_tools(refusal: &Refusal) -> bool {
    refusal.names(&[
        "tools.",
        "tools[",
        "schema for function",
        "input_schema",
        "function.parameters",
        "function_declarations",
    ])
}

/// The tool that a server names, by its place or by its name.
fn tool_of<'a>(refusal: &Refusal, tools: &'a [ToolOffer]) -> Option<&'a str> {
    let place = |text: &str| {
        let at = text.find("tools.").or_else(|| text.find("tools["))? + "tools.".len();
        let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    };
    let quoted = |tool: &&ToolOffer| {
        ["'", "\"", "`"].iter().any(|quote| refusal.words.contains(&format!("{quote}{}{quote}", tool.name)))
    };
    let by_place = [&refusal.words, &refusal.param].into_iter().find_map(|text| place(text));
    let tool = by_place.and_then(|at| tools.get(at)).or_else(|| tools.iter().find(quoted));
    tool.map(|tool| tool.name.as_str())
}
