//! `docs/plugin-wire.md` says what is so: its examples are read, and what there is stands in it.

use std::path::Path;

use carpel_slots::wire::call::MAX_TEXT;
use carpel_slots::wire::{ABI, MAX_REPLY, MAX_REQUEST, Reply, Request};
use carpel_slots::{Block, CallState, Card};
use serde::Serialize;
use serde_json::Value;

use crate::transcripts::lines;

fn page() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/plugin-wire.md");
    std::fs::read_to_string(file).unwrap()
}

/// The lines of all fences of that language.
fn fenced(page: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(_), Some(_)) => inside = None,
            (Some(of), None) => inside = Some(of),
            (None, Some(of)) if of == language => found.push(line.to_owned()),
            (None, _) => {}
        }
    }
    assert!(!found.is_empty(), "no `{language}` in the page");
    found
}

#[test]
fn its_examples_are_read() {
    let page = page();
    for line in fenced(&page, "json") {
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if value.get("request").is_some() {
            let request = Request::decode(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(!matches!(request, Request::Unknown { .. }), "{line}");
        } else {
            let reply = Reply::decode(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(!matches!(reply, Reply::Unknown { .. }), "{line}");
        }
    }
    for line in fenced(&page, "json card") {
        serde_json::from_str::<Card>(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    let mut kinds: Vec<String> = Vec::new();
    for line in fenced(&page, "json block") {
        let block: Block = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let Value::Object(block) = serde_json::to_value(block).unwrap() else { panic!("{line}") };
        kinds.extend(block.keys().cloned());
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["code", "diff", "fields", "markdown", "matches", "output", "table", "text"]);
}

/// Every word and every field name of the wire, as the transcripts have them all.
#[test]
fn what_there_is_stands_in_it() {
    let page = page();
    let mut words = Vec::new();
    for (sign, line) in lines(1, "ledger.txt").into_iter().chain(lines(1, "by_hand.txt")) {
        if sign != '=' && !line.contains("later") {
            names(&serde_json::from_str(&line).unwrap(), &mut words);
        }
    }
    words.extend(CallState::ALL.iter().map(word));
    words.extend(carpel_slots::card::Role::ALL.iter().map(word));
    for name in ["request", "reply", "card", "fields"] {
        assert!(words.iter().any(|word| word == name), "{name} is not looked at");
    }
    for word in words {
        let stands = [format!("`{word}`"), format!("\"{word}\"")].iter().any(|form| page.contains(form));
        assert!(stands, "`{word}` is not in the page");
    }
    assert!(page.contains(&format!("\"abi\":{ABI},")), "{ABI}");
    for number in [MAX_REPLY, MAX_REQUEST, MAX_TEXT] {
        assert!(page.contains(&format!("{number}")), "{number}");
    }
}

fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

fn names(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                words.push(name.clone());
                if !["arguments", "structured", "fields"].contains(&name.as_str()) {
                    names(value, words);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, words)),
        _ => {}
    }
}
