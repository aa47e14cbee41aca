//! Calls as a view hopes never to see them: arguments and results of every wrong shape.
//!
//! It owns the list of what was seen to go wrong. Each is a call that can really come: a model wrote it, or a tool that is
//! not the one that the view was made for.

use serde_json::{Value, json};

use super::Sample;
use crate::call::{CallState, ToolCall};

/// Texts that a screen or a parser stumbles over.
const TEXTS: [(&str, &str); 12] = [
    ("nothing", ""),
    ("blanks", " \t\r\n \n"),
    ("escape sequences", "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}]52;c;cm0gLXJm\u{7}red\u{1b}[31m"),
    ("control characters", "a\0b\u{8}\u{8}c\rd\u{b}e\u{7f}\u{85}f"),
    ("bidi controls", "rm \u{202e}gnp.elif\u{202c} \u{2066}x"),
    ("invisible characters", "pay\u{200b}load\u{feff}\u{ad}\u{2060}"),
    ("wide and joined characters", "漢字 👩\u{200d}👩\u{200d}👧 e\u{301}\u{301}\u{301}"),
    ("half a table", "NAME  READY\n\nonly-one\n  lead in  x y z\n|||\n---"),
    ("JSON that ends", "{\"a\": [1, {\"b\": \"c"),
    ("no numbers", "NaN inf -1 1e999 99999999999999999999 0x10"),
    ("separators", "a\u{2028}b\u{2029}c\u{c}d"),
    ("percent signs", "%s %n {} {0} $HOME `id` ${x}"),
];

/// Calls of the sample's tool that go wrong, each with a few words that say how. Of the sample they have the name and the
/// kind, by which its view is found.
pub fn hostile(sample: &Sample) -> Vec<(String, ToolCall)> {
    let bare = || sample.bare();
    let mut calls = Vec::new();
    let mut add = |what: String, call: ToolCall| calls.push((what, call));
    for raw in
        ["", "null", "true", "7", "-0.5e300", "[]", "[[]]", "\"text\"", "{", "{\"a\":}", "not JSON", "{}{}"]
    {
        let sample = bare().arguments(raw);
        add(format!("the arguments `{raw}`"), sample.in_state(CallState::Executing));
        add(format!("the arguments `{raw}`, while they stream"), sample.streaming(raw.len()));
    }
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    add("arguments 100 levels deep".to_owned(), bare().arguments(&deep).in_state(CallState::Done));
    let long = "x".repeat(100_000);
    let many = "line\n".repeat(20_000);
    let texts = TEXTS.into_iter().chain([("one long line", long.as_str()), ("many lines", many.as_str())]);
    for (what, text) in texts {
        let arguments = json!({"command": text, "query": text, "path": text, "args": [text], text: text});
        let sample = bare()
            .arguments(&arguments.to_string())
            .progress(text)
            .summary(text)
            .output(text)
            .structured(Value::from(text));
        for state in [CallState::AwaitingApproval, CallState::Executing, CallState::Done, CallState::Error] {
            add(format!("{what} for every text, {}", state.word()), sample.in_state(state));
        }
    }
    for structured in [
        json!(null),
        json!([]),
        json!({}),
        json!({"rows": null, "columns": 7, "items": "x", "total": -1}),
        json!({"rows": [[1], [], [1, 2, 3], null, {}], "columns": ["a", "b"]}),
        json!({"items": [null, {}, {"metadata": null}, {"metadata": {"name": 7}}]}),
        json!({"total": u64::MAX, "count": i64::MIN, "share": 1e308}),
    ] {
        let what = format!("the data {structured}");
        add(what, bare().structured(structured).in_state(CallState::Done));
    }
    calls
}
