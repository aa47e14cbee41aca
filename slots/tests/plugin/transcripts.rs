//! What was said under each ABI, line by line, and that it is understood today: a plugin that was built then goes on
//! working, and so does a host of then with a plugin of today.
//!
//! In a transcript `> ` is what the host said and `< ` what the plugin said; `= ` below a reply is the same reply with
//! everything written out, which is how the host has to read it. A transcript is never changed once its ABI was released.

use std::path::{Path, PathBuf};

use carpel_slots::wire::{Reply, Request};
use serde_json::{Value, json};

use crate::ledger;

fn folder(abi: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/transcripts/abi-{abi}"))
}

/// The lines of a transcript with their sign.
pub fn lines(abi: u32, file: &str) -> Vec<(char, String)> {
    let text = std::fs::read_to_string(folder(abi).join(file)).unwrap();
    let line = |line: &str| (line.chars().next().unwrap(), line[1..].trim().to_owned());
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(line).collect()
}

fn all(abi: u32) -> Vec<(char, String)> {
    ["ledger.txt", "by_hand.txt"].iter().flat_map(|file| lines(abi, file)).collect()
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// A host of today and a plugin of then: its replies say what they said.
#[test]
fn old_replies_are_read() {
    let mut last = None;
    let mut seen = 0;
    for (sign, line) in all(1) {
        let is_reply = sign == '<';
        if is_reply {
            let reply = Reply::decode(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            last = Some(reply.clone());
            seen += 1;
            assert!(!matches!(reply, Reply::Unknown { .. }) || line.contains("\"later\""), "{line}");
        } else if sign == '=' {
            assert_eq!(json(&last.take().unwrap().encode()), json(&line));
        }
    }
    assert!(seen > 25, "{seen}");
}

/// A host of then and a plugin of today: it answers what it answered.
#[test]
fn old_requests_get_the_same_replies() {
    let plugin = ledger::plugin();
    let mut replies: Vec<Value> = Vec::new();
    for (sign, line) in lines(1, "ledger.txt") {
        match sign {
            '>' => {
                assert!(replies.is_empty(), "not in the transcript: {}", replies[0]);
                replies.extend(plugin.answer_line(&line).map(|reply| json(&reply)));
            }
            '<' => {
                let reply = (!replies.is_empty()).then(|| replies.remove(0));
                assert_eq!(reply, Some(json(&line)), "{}", reply.clone().unwrap_or_default());
            }
            _ => {}
        }
    }
    assert!(replies.is_empty(), "not in the transcript: {}", replies[0]);
}

/// A host of today and a plugin of then: all that it looks for in a request is there, and is what it was.
#[test]
fn requests_still_hold_what_they_held() {
    for (_, line) in all(1).into_iter().filter(|(sign, _)| *sign == '>') {
        let request = Request::decode(&line).unwrap();
        if !matches!(request, Request::Unknown { .. }) {
            holds(&json(&request.encode()), &json(&line), &line);
        }
    }
}

fn holds(now: &Value, then: &Value, line: &str) {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            for (name, then) in then.iter().filter(|(name, _)| !name.starts_with("later")) {
                let now = now.get(name).unwrap_or_else(|| panic!("`{name}` is gone from {line}"));
                holds(now, then, line);
            }
        }
        (now, then) => assert_eq!(now, then, "{line}"),
    }
}

/// Both ways: a field more in any object changes nothing.
#[test]
fn a_field_that_is_not_known_is_skipped() {
    let mut tried = 0;
    for (sign, line) in all(1) {
        let plain = json(&line);
        for at in 0..objects(&plain) {
            let mut more = plain.clone();
            add_field(&mut more, &mut { at });
            tried += 1;
            let more = more.to_string();
            match sign {
                '>' => assert_eq!(read_request(&more), read_request(&line), "{more}"),
                _ => assert_eq!(Reply::decode(&more), Reply::decode(&line), "{more}"),
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

fn read_request(line: &str) -> Request {
    Request::decode(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// Objects whose fields the wire names: not what a tool or an author fills as they like.
fn objects(value: &Value) -> usize {
    match value {
        Value::Object(fields) => 1 + own(fields).map(|name| objects(&fields[name])).sum::<usize>(),
        Value::Array(values) => values.iter().map(objects).sum(),
        _ => 0,
    }
}

fn own(fields: &serde_json::Map<String, Value>) -> impl Iterator<Item = &String> {
    fields.keys().filter(|name| !["arguments", "structured", "fields"].contains(&name.as_str()))
}

/// Adds a field to the object of that number; counts it down on the way.
fn add_field(value: &mut Value, at: &mut usize) -> bool {
    match value {
        Value::Object(fields) => {
            if *at == 0 {
                fields.insert("zz_later".to_owned(), json!({"a": [1, "b", null]}));
                return true;
            }
            *at -= 1;
            let names: Vec<String> = own(fields).cloned().collect();
            names.iter().any(|name| add_field(&mut fields[name.as_str()], at))
        }
        Value::Array(values) => values.iter_mut().any(|value| add_field(value, at)),
        _ => false,
    }
}
