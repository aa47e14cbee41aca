//! The models that a service lists, and what it says of their windows.
//!
//! Owns the reading of lists, whose entries name the window in many ways. It refuses to know which of them is chosen.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

/// A model in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub window: Option<u64>,
}

/// Bytes of a name; paths of files that local servers take as names fit.
const MAX_ID: usize = 256;

/// Where services tell the window, in the order of how well it is meant.
const WINDOWS: &[&str] = &[
    "/max_input_tokens",
    "/loaded_context_length",
    "/context_length",
    "/max_model_len",
    "/context_window",
    "/meta/n_ctx",
    "/max_context_length",
];

/// The models of one page of a list.
pub fn models(page: &Value) -> Vec<Listed> {
    let entries = ["data", "models"].iter().find_map(|key| page.get(key)?.as_array());
    let entry = |entry: &Value| {
        let id = entry.get("id").or_else(|| entry.get("name"))?.as_str().filter(|id| is_name(id))?.to_owned();
        let window = WINDOWS.iter().find_map(|at| entry.pointer(at)?.as_u64()).filter(|window| *window > 0);
        Some(Listed { id, window })
    };
    entries.into_iter().flatten().filter_map(entry).collect()
}

/// What a person can read in a row and type behind `:model`. Anything else is no name of a model.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID && !id.contains(|c: char| c.is_control() || c.is_whitespace())
}

/// The window that a person set, or a list told.
#[derive(Debug)]
pub struct Window(AtomicU64);

impl Window {
    pub fn new(set: Option<u64>) -> Self {
        Self(AtomicU64::new(set.unwrap_or(0)))
    }

    pub fn known(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|window| *window > 0)
    }

    /// Takes what a list says of the model; what is known already stays.
    pub fn learn(&self, listed: &[Listed], model: &str) {
        if let Some(window) = listed.iter().find(|listed| listed.id == model).and_then(|listed| listed.window)
        {
            let _ = self.0.compare_exchange(0, window, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_several_services() {
        let check = |page: Value, expected: &[(&str, Option<u64>)]| {
            let got = models(&page);
            let got: Vec<_> = got.iter().map(|listed| (listed.id.as_str(), listed.window)).collect();
            assert_eq!(got, expected);
        };
        check(json!({"data": [{"id": "gpt-x", "object": "model"}]}), &[("gpt-x", None)]);
        check(
            json!({"data": [{"id": "claude-x", "max_input_tokens": 200_000}]}),
            &[("claude-x", Some(200_000))],
        );
        check(json!({"data": [{"id": "a/b", "context_length": 32_768}]}), &[("a/b", Some(32_768))]);
        check(json!({"data": [{"id": "v", "max_model_len": 4096}]}), &[("v", Some(4096))]);
        check(
            json!({"data": [{"id": "l", "meta": {"n_ctx": 8192, "n_ctx_train": 131_072}}]}),
            &[("l", Some(8192))],
        );
        check(json!({"models": [{"name": "q"}]}), &[("q", None)]);
        check(json!({"data": [{"id": 3}, "x", {"id": "y", "context_length": "much"}]}), &[("y", None)]);
        check(json!({"error": "no"}), &[]);
        let (longest, long) = ("m".repeat(MAX_ID), "m".repeat(MAX_ID + 1));
        let odd = [json!(longest), json!(long), json!("a\nb"), json!("a b"), json!("\u{1b}[31m"), json!("")];
        let odd: Vec<Value> = odd.into_iter().map(|id| json!({"id": id})).collect();
        check(json!({"data": odd}), &[(&longest, None)]);
    }
}
