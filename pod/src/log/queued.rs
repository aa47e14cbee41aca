//! Prompts that wait, as the log keeps them.
//!
//! Owns the line `queue`: the whole queue after each change, without a number, since it is no part of what was said. The
//! last one counts when a pod goes away, less what entered the conversation since. It refuses to know when a prompt's
//! turn comes; see `../controller/queue.rs`.

use carpel_protocol::Extra;
use carpel_protocol::word::RunMode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry::VERSION;

/// The word under `"kind"`.
pub(super) const KIND: &str = "queue";

/// What a person asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Value>,
    /// Which client sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The client's own name for the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Queued {
    /// Does not repeat in the session.
    pub id: String,
    pub mode: RunMode,
    #[serde(flatten)]
    pub prompt: Prompt,
}

impl Queued {
    /// The number in an id; 0 where another program made it.
    pub fn number(id: &str) -> u64 {
        id.strip_prefix('q').and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

/// The items of a line. One that cannot be read is left out: the others are not to be lost with it.
pub(super) fn queue_of(mut fields: Extra) -> Vec<Queued> {
    let Some(Value::Array(items)) = fields.remove("items") else { return Vec::new() };
    items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect()
}

/// The line with its LF.
pub(super) fn queue_line(items: &[Queued], at: i64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        at: i64,
        kind: &'a str,
        items: &'a [Queued],
    }
    carpel_protocol::frame::encode(&Line { v: VERSION, at, kind: KIND, items })
}
