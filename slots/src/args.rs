//! A call's arguments: raw text that may still grow, and two ways to read it.
//!
//! [`Args::value`] is the whole JSON, once it is complete and valid; only that may be acted on. [`Args::partial`] is a
//! best-effort reading of what has arrived, for previews only.

use std::sync::OnceLock;

use serde_json::Value;

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Args {
    raw: String,
    complete: bool,
    parsed: OnceLock<Option<Value>>,
}

impl Args {
    /// Arguments as far as they have come.
    pub fn streaming(raw: impl Into<String>) -> Args {
        Args { raw: raw.into(), complete: false, parsed: OnceLock::new() }
    }

    /// Arguments of which nothing more will come.
    pub fn complete(raw: impl Into<String>) -> Args {
        Args { raw: raw.into(), complete: true, parsed: OnceLock::new() }
    }

    /// The text as it came.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// True once nothing more will come.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The whole JSON; `None` while it is incomplete and where it is not valid.
    pub fn value(&self) -> Option<&Value> {
        if !self.complete {
            return None;
        }
        self.parsed.get_or_init(|| serde_json::from_str(&self.raw).ok()).as_ref()
    }

    /// A best-effort reading of what has arrived: open strings, arrays and objects are closed where the text ends.
    pub fn partial(&self) -> Option<&Value> {
        self.parsed.get_or_init(|| serde_json::from_str(&self.raw).ok()).as_ref()
    }

    /// A string field of [`Args::partial`].
    pub fn partial_str(&self, field: &str) -> Option<String> {
        self.partial()?.get(field)?.as_str().map(str::to_owned)
    }
}
