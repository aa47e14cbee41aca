//! What went wrong between us and a service, as one sentence with the way out.
//!
//! Owns the reading of a refusal (a status and whatever body came with it) and of a stream's error, the sentences, and
//! whether asking again may help. What a server says is foreign text: one line, bounded, without our secret. It refuses
//! to know how a request is made (`http.rs`) and what a wire tries instead (`Wire::adapt`).

mod mask;
mod sentence;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::Value;

pub use self::sentence::{LATER, Service, has_any};

/// Characters of a server's own words in a sentence.
const MAX_WORDS: usize = 300;
/// How long a server may make us wait; one that wants more is told of instead.
pub const MAX_WAIT: Duration = Duration::from_secs(300);

/// A step or request that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// What happened, for the person.
    pub message: String,
    /// What the person can do, where that is more than to wait.
    pub way_out: Option<String>,
    /// True when asking again may help.
    pub retryable: bool,
    /// How long the server wants to be left alone first.
    pub wait: Option<Duration>,
}

impl Failure {
    /// It passes, or not, by itself.
    pub fn passing(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: true, ..Self::default() }
    }

    /// Asking again changes nothing.
    pub fn lasting(message: impl Into<String>, way_out: impl Into<String>) -> Self {
        Self { message: message.into(), way_out: Some(way_out.into()), ..Self::default() }
    }

    /// The whole, with the way out.
    pub fn sentence(self) -> String {
        match self.way_out {
            Some(way_out) => format!("{}; {way_out}", self.message),
            None => self.message,
        }
    }
}

/// What came and cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// One event of many; the next try may be better.
    Event,
    /// More in one piece than is taken.
    TooLarge,
    /// Nothing at all came.
    Nothing,
    /// What something else than the service says.
    NotTheApi(&'static str),
}

/// A server's no.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusal {
    /// Status of the answer; of an error within a stream the one that its kind stands for, else 0.
    pub status: u16,
    /// Its kind or code, as the server names it.
    pub kind: String,
    /// The parameter that it names.
    pub param: String,
    /// Its words, one bounded line.
    pub words: String,
    pub wait: Option<Duration>,
    /// The server says whether asking again helps.
    pub retry: Option<bool>,
    /// Where it points to instead.
    pub location: String,
}

impl Refusal {
    /// From a body, which may be anything.
    pub fn of_body(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let refusal = match serde_json::from_str::<Value>(&text) {
            Ok(value) => Self::of_value(&value),
            Err(_) if text.trim_start().starts_with('<') => {
                Self { words: "a web page".to_owned(), ..Self::default() }
            }
            Err(_) => Self { words: one_line(&text), ..Self::default() },
        };
        Self { status, ..refusal }
    }

    /// From an error object; its status is what its kind stands for.
    pub fn of_value(value: &Value) -> Self {
        // Some wrap it in a list.
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let text = |key: &str| match error.get(key).or_else(|| value.get(key)) {
            Some(Value::String(text)) => one_line(text),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let words = match error {
            Value::String(text) => one_line(text),
            _ => {
                ["message", "detail"].map(text).into_iter().find(|text| !text.is_empty()).unwrap_or_default()
            }
        };
        let (code, kind) = (text("code"), text("type"));
        // The code is the finer word; a number is a status.
        let number = [&code, &kind].into_iter().find_map(|text| text.parse().ok());
        // Of a code that nobody knows, the type still says what sort of error it is.
        let named = [&code, &kind].into_iter().map(|kind| status_of(kind)).find(|status| *status != 0);
        let kind = if code.is_empty() || code.parse::<u16>().is_ok() { kind } else { code };
        let status = number.filter(|status| (400..600).contains(status)).or(named).unwrap_or(0);
        Self { status, kind, param: text("param"), words, ..Self::default() }
    }

    /// Whether the server's words or kind or parameter hold one of these.
    pub fn names(&self, any: &[&str]) -> bool {
        [&self.words, &self.kind, &self.param].into_iter().any(|text| has_any(text, any))
    }
}

/// The status that an error's kind stands for, where an error comes without one.
fn status_of(kind: &str) -> u16 {
    match kind {
        "authentication_error" | "invalid_api_key" => 401,
        "permission_error" => 403,
        "not_found_error" | "model_not_found" => 404,
        "request_too_large" | "context_length_exceeded" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
        "billing_error" => 402,
        "invalid_request_error" => 400,
        "overloaded_error" | "overloaded" | "engine_overloaded" => 529,
        "api_error" | "server_error" | "internal_error" | "internal_server_error" => 500,
        "timeout_error" => 504,
        _ => 0,
    }
}

/// A server's text on one line, cut.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    // What is cut later is not even looked at.
    let head = &text[..text.floor_char_boundary(MAX_WORDS * 16)];
    for word in head.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MAX_WORDS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
