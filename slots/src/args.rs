//! A call's arguments: raw text that may still grow, and two ways to read it.
//!
//! [`Args::value`] is the whole JSON, once it is complete and valid; only that may be acted on. [`Args::partial`] is a
//! best-effort reading of what has arrived, for previews only: what it shows may be cut off, and it reads on where a
//! strict parser stops. Both are read when first asked for and kept. `args/partial.rs` is the tolerant reader.

use std::sync::OnceLock;

use serde_json::Value;

mod partial;

/// The arguments of a call.
///
/// ```
/// use carpel_slots::Args;
///
/// let mut args = Args::streaming(r#"{"file_path": "src/li"#);
/// assert_eq!(args.partial_str("file_path").as_deref(), Some("src/li"));
/// assert_eq!(args.value(), None);
///
/// args.push(r#"b.rs", "limit": 2"#);
/// assert_eq!(args.partial_str("file_path").as_deref(), Some("src/lib.rs"));
/// assert_eq!(args.partial().and_then(|partial| partial.get("limit")), None, "the number may go on");
///
/// let args = Args::complete(r#"{"file_path": "src/lib.rs", "limit": 20}"#);
/// assert_eq!(args.value().and_then(|value| value["limit"].as_u64()), Some(20));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Args {
    raw: String,
    complete: bool,
    value: OnceLock<Option<Value>>,
    partial: OnceLock<Option<Value>>,
}

impl Args {
    /// Arguments as far as they have come.
    pub fn streaming(raw: impl Into<String>) -> Args {
        Args { raw: raw.into(), ..Args::default() }
    }

    /// Arguments of which nothing more will come.
    pub fn complete(raw: impl Into<String>) -> Args {
        Args { raw: raw.into(), complete: true, ..Args::default() }
    }

    /// Adds a piece of raw text. What was read before is forgotten; the text itself is not copied.
    pub fn push(&mut self, piece: &str) {
        self.raw.push_str(piece);
        self.value = OnceLock::new();
        self.partial = OnceLock::new();
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
        self.value.get_or_init(|| serde_json::from_str(&self.raw).ok()).as_ref()
    }

    /// A best-effort reading of what has arrived: open strings, arrays and objects are closed where the text ends;
    /// what cannot be told yet (half a key, half an escape, a number that may go on) is left out. Where the text is
    /// not JSON, the readable beginning. The same as [`Args::value`] where there is one; `None` while nothing can be
    /// read. Takes time linear in the text.
    pub fn partial(&self) -> Option<&Value> {
        if let Some(value) = self.value() {
            return Some(value);
        }
        self.partial.get_or_init(|| partial::read(&self.raw, self.complete)).as_ref()
    }

    /// A string field of [`Args::partial`], as far as it has come.
    pub fn partial_str(&self, field: &str) -> Option<String> {
        self.partial()?.get(field)?.as_str().map(str::to_owned)
    }
}
