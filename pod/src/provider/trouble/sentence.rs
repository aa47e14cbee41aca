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
/// Those of what time does not mend.
const ANOTHER_MODEL: &str = "choose another model with --model or :model";
const IS_IT_RIGHT: &str = "is the base URL right?";

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
    pub fn passing(&self, what: &str) -> Failure {
        Failure::passing(format!("{} {what}", self.provider))
    }

    /// What came and cannot be read, as a failure.
    pub fn unreadable(&self, what: Unreadable) -> Failure {
        match what {
            Unreadable::Event => self.passing("sent an event that cannot be read"),
            Unreadable::Nothing => Failure {
                way_out: Some("see what the server says of it in its log, or check the base URL".to_owned()),
                ..Failure::passing(format!("{self} sent an empty answer"))
            },
            Unreadable::TooLarge => {
                let size = MAX_EVENT / 1024 / 1024;
                let message = format!("{self} sent more than {size} MiB in one piece, which is not read");
                Failure::lasting(message, IS_IT_RIGHT)
            }
            Unreadable::NotTheApi(what) => self.not_the_api(what),
        }
    }

    /// Something else than the service is there.
    pub fn not_the_api(&self, what: &str) -> Failure {
        Failure::lasting(format!("{self} answers {what}, not the API"), IS_IT_RIGHT)
    }

    /// What a refusal means; `tools` are those that were offered.
    pub fn refused(&self, refusal: &Refusal, tools: &[ToolOffer]) -> Failure {
        let mut failure = self.meant(refusal, tools);
        if !failure.retryable {
            return failure;
        }
        failure.wait = refusal.wait.filter(|wait| *wait <= MAX_WAIT);
        if let (Some(wait), None) = (refusal.wait, failure.wait) {
            let minutes = wait.as_secs().div_ceil(60);
            failure.message += &format!("; it wants to be left alone for {minutes} min");
            failure.retryable = false;
        }
        failure.retryable &= refusal.retry.unwrap_or(true);
        if !failure.retryable {
            // What passes by itself has no other way out, and this time we are told not to wait for it.
            failure.wait = None;
            failure.way_out.get_or_insert_with(|| LATER.to_owned());
        }
        failure
    }

    /// What a refusal to list the models means, which is asked for without any of them in mind.
    pub fn unlisted(&self, refusal: &Refusal) -> Failure {
        match refusal.status {
            403..=405 | 501 => Failure::lasting(
                format!("{self} does not list its models{}", self.said(refusal)),
                "name one, or check the base URL",
            ),
            _ => {
                let mut failure = self.meant(refusal, &[]);
                failure.wait = refusal.wait;
                failure.way_out.get_or_insert_with(|| "name a model, or try again later".to_owned());
                failure
            }
        }
    }

    fn meant(&self, refusal: &Refusal, tools: &[ToolOffer]) -> Failure {
        let Self { provider, address, model, .. } = self;
        let said = self.said(refusal);
        let lasting = Failure::lasting;
        let passing = Failure::passing;
        match refusal.status {
            _ if refusal.names(NO_CREDIT) => self.no_credit(&said),
            402 => self.no_credit(&said),
            401 | 403 => self.no_access(refusal.status, &said),
            _ if refusal.names(LOGIN) => self.no_access(401, &said),
            300..400 => lasting(
                format!("{provider} at {address} points elsewhere ({})", self.own(&refusal.location)),
                "set that address as base URL if you trust it".to_owned(),
            ),
            407 => match &self.proxy {
                Some(proxy) => proxy.wants_login(provider),
                None => lasting(
                    format!("{self} answers as a proxy that wants a name and a password{said}"),
                    "check the base URL".to_owned(),
                ),
            },
            413 => too_long(&said),
            400 | 404 | 422 | 500 if refusal.names(NO_TOOLS) => lasting(
                format!("the model `{model}` cannot call tools{said}"),
                "choose one that can with --model or :model".to_owned(),
            ),
            400 | 422 | 500 if refusal.names(TOO_LONG) => too_long(&said),
            404 if !refusal.names(&["model"]) => lasting(
                format!("{provider} does not answer at {address}{said}"),
                format!("check the base URL, and the model `{model}`"),
            ),
            404 => self.no_model(&said),
            400 | 422 if refusal.names(NO_MODEL) => self.no_model(&said),
            400 | 422 if names_tools(refusal) => lasting(
                match tool_of(refusal, tools) {
                    Some(tool) => format!("{provider} refused the schema of the tool `{tool}`{said}"),
                    None => format!("{provider} refused a tool's schema{said}"),
                },
                ANOTHER_MODEL.to_owned(),
            ),
            408 | 409 | 425 => passing(format!("{provider} was too slow to take the request{said}")),
            429 => passing(format!("{provider} is asked too often{said}")),
            503 | 529 => passing(format!("{provider} is overloaded{said}")),
            0 => passing(format!("{provider} broke its answer off{said}")),
            500..600 => passing(format!("{provider} has a fault of its own{said}")),
            _ => lasting(
                format!("{provider} refused the request{said}"),
                format!("{ANOTHER_MODEL}, or report it"),
            ),
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

    fn no_credit(&self, said: &str) -> Failure {
        let provider = &self.provider;
        match &self.key {
            Some(key) => Failure::lasting(
                format!("the account at {provider} behind {} has no credit left{said}", key.source),
                "add some, or use another key",
            ),
            None => Failure::lasting(format!("{provider} wants to be paid{said}"), "give it a key"),
        }
    }

    fn no_access(&self, status: u16, said: &str) -> Failure {
        let (provider, model) = (&self.provider, &self.model);
        match &self.key {
            None => Failure::lasting(format!("{self} wants a key and has none{said}"), "give it one"),
            Some(key) if status == 403 => Failure::lasting(
                format!("{provider} does not let the key from {} use `{model}`{said}", key.source),
                "check what that key may do",
            ),
            Some(key) => Failure::lasting(
                format!("{provider} does not know the key from {}{said}", key.source),
                format!("put a valid one into {}", key.source),
            ),
        }
    }

    fn no_model(&self, said: &str) -> Failure {
        Failure::lasting(
            format!("{} has no model `{}`{said}", self.provider, self.model),
            "name another with --model or :model",
        )
    }
}

/// Whether a text holds one of these, whatever the case of its letters.
pub fn has_any(text: &str, any: &[&str]) -> bool {
    let text = text.to_lowercase();
    any.iter().any(|part| text.contains(&part.to_lowercase()))
}

fn too_long(said: &str) -> Failure {
    Failure::lasting(
        format!("the conversation is longer than the model's window{said}"),
        "start a new session, or choose a model with a larger one",
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
