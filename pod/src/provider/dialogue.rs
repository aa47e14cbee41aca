//! The conversation as both wires need it: who speaks, and each call with its result.
//!
//! Owns what every service demands and a session cannot promise: calls and results in pairs, results right behind the
//! step that asked, no empty text, names and identities of the letters that services take. What was broken off is told as
//! such. It refuses to know JSON shapes. Read next: `anthropic/request.rs`, `openai/request.rs`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use super::Message;

/// Letters of an identity that every service takes.
const MAX_ID: usize = 64;
const INTERRUPTED: &str = "interrupted: nothing is known of what it did";

#[derive(Debug, PartialEq)]
pub enum Entry<'a> {
    /// One or more texts of the person.
    User(Vec<String>),
    /// One step of the model, and a result for each of its calls.
    Step { said: Vec<Said<'a>>, results: Vec<Outcome> },
}

#[derive(Debug, PartialEq)]
pub enum Said<'a> {
    Reasoning {
        text: &'a str,
        opaque: Option<&'a Value>,
        /// Place in the conversation.
        at: usize,
    },
    Text(String),
    Call {
        id: String,
        name: String,
        arguments: Arguments<'a>,
    },
}

/// Arguments that are an object, whatever the model wrote.
#[derive(Debug, PartialEq)]
pub enum Arguments<'a> {
    /// The text as it came, and what it says.
    Whole(&'a str, Value),
    /// They were none: the text stands as the only member of an object.
    Broken(Value),
}

#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

/// The conversation in entries; people and model take turns, a person comes first and last.
pub fn entries(messages: &[Message]) -> Vec<Entry<'_>> {
    let mut dialogue = Dialogue::default();
    for (at, message) in messages.iter().enumerate() {
        dialogue.take(at, message);
    }
    dialogue.close_step();
    let mut entries = dialogue.entries;
    if matches!(entries.first(), Some(Entry::Step { .. })) {
        entries.insert(0, Entry::User(vec!["(The conversation begins with your words.)".to_owned()]));
    }
    // Several models refuse to go on with their own words, and none needs to.
    if matches!(entries.last(), Some(Entry::Step { results, .. }) if results.is_empty()) {
        entries.push(Entry::User(vec!["Go on.".to_owned()]));
    }
    entries
}

#[derive(Default)]
struct Dialogue<'a> {
    entries: Vec<Entry<'a>>,
    said: Vec<Said<'a>>,
    /// The pod's identity of each call of the step, that of the wire, and what came of it.
    calls: Vec<(&'a str, String, Option<Outcome>)>,
    used: HashSet<String>,
}

impl<'a> Dialogue<'a> {
    fn take(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::User { text } | Message::Steer { text } => {
                self.close_step();
                let text = if text.trim().is_empty() { "(nothing)".to_owned() } else { clean(text) };
                match self.entries.last_mut() {
                    Some(Entry::User(texts)) => texts.push(text),
                    Some(Entry::Step { .. }) | None => self.entries.push(Entry::User(vec![text])),
                }
            }
            Message::Reasoning { text, opaque } => {
                self.say(Said::Reasoning { text, opaque: opaque.as_ref(), at });
            }
            Message::Assistant { text } if text.trim().is_empty() => {}
            Message::Assistant { text } => self.say(Said::Text(clean(text))),
            Message::ToolCall { id, name, arguments } => {
                let wire_id = self.wire_id(id);
                let arguments = object(arguments);
                self.say(Said::Call { id: wire_id.clone(), name: tool_name(name), arguments });
                self.calls.push((id, wire_id, None));
            }
            Message::ToolResult { id, text, is_error, .. } => {
                let waiting = self.calls.iter_mut().find(|call| call.0 == id && call.2.is_none());
                // A result whose call nobody knows makes a request invalid.
                if let Some((_, id, result)) = waiting {
                    *result = Some(outcome(id, text, *is_error));
                }
            }
        }
    }

    fn say(&mut self, said: Said<'a>) {
        // What is said behind a result is the next step.
        if self.calls.iter().any(|call| call.2.is_some()) {
            self.close_step();
        }
        self.said.push(said);
    }

    fn close_step(&mut self) {
        let said = std::mem::take(&mut self.said);
        let results = self.calls.drain(..);
        let results: Vec<Outcome> = results
            .map(|(_, id, result)| result.unwrap_or_else(|| outcome(&id, INTERRUPTED, true)))
            .collect();
        // Thinking alone is no answer.
        if !said.iter().all(|said| matches!(said, Said::Reasoning { .. })) {
            self.entries.push(Entry::Step { said, results });
        }
    }

    fn wire_id(&mut self, id: &str) -> String {
        let mut wire_id = wire_id(id);
        while !self.used.insert(wire_id.clone()) {
            wire_id = hashed(&wire_id, &wire_id);
        }
        wire_id
    }
}

fn outcome(id: &str, text: &str, is_error: bool) -> Outcome {
    let text = if text.trim().is_empty() { "(no output)".to_owned() } else { clean(text) };
    Outcome { id: id.to_owned(), text, is_error }
}

/// Several services refuse a request that holds a NUL, and with it every later one of the session.
pub fn clean(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

/// An identity in letters that every service takes; the pod's own in the nine that the strictest demands.
fn wire_id(id: &str) -> String {
    let number = id.strip_prefix('c').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    match number {
        Some(number) if !number.is_empty() && number.len() <= 8 => format!("c{number:0>8}"),
        _ => {
            let plain = letters(id);
            if plain == id && !id.is_empty() && id.len() <= MAX_ID { plain } else { hashed(&plain, id) }
        }
    }
}

/// Keeps apart what its letters alone do not.
fn hashed(letters: &str, whole: &str) -> String {
    let mut hasher = DefaultHasher::new();
    whole.hash(&mut hasher);
    let head: String = letters.chars().take(MAX_ID - 17).collect();
    format!("{head}_{:016x}", hasher.finish())
}

fn letters(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

/// Models make names up; what was refused by its name is told in letters that services take.
fn tool_name(name: &str) -> String {
    match letters(name) {
        name if name.is_empty() => "unnamed".to_owned(),
        name => name.chars().take(MAX_ID).collect(),
    }
}

fn object(arguments: &str) -> Arguments<'_> {
    if arguments.trim().is_empty() {
        return Arguments::Whole("{}", Value::Object(Map::new()));
    }
    match serde_json::from_str(arguments) {
        Ok(value @ Value::Object(_)) => Arguments::Whole(arguments, value),
        Ok(_) | Err(_) => Arguments::Broken(json!({"unreadable_arguments": clean(arguments)})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn said(text: &str) -> Message {
        Message::Assistant { text: text.into() }
    }

    fn thought(text: &str) -> Message {
        Message::Reasoning { text: text.into(), opaque: None }
    }

    fn call(id: &str) -> Message {
        Message::ToolCall { id: id.into(), name: "Read".into(), arguments: "{}".into() }
    }

    fn result(id: &str) -> Message {
        Message::ToolResult { id: id.into(), text: format!("of {id}"), structured: None, is_error: false }
    }

    fn check(messages: &[Message], expected: &[&str]) {
        let got: Vec<String> = entries(messages).iter().map(dump).collect();
        assert_eq!(got, expected);
    }

    fn dump(entry: &Entry<'_>) -> String {
        match entry {
            Entry::User(texts) => format!("user: {}", texts.join(" | ")),
            Entry::Step { said, results } => {
                let said = said.iter().map(|said| match said {
                    Said::Reasoning { text, .. } => format!("({text})"),
                    Said::Text(text) => text.clone(),
                    Said::Call { id, .. } => format!("call {id}"),
                });
                let results = results.iter().map(|result| format!("{} {}", result.id, result.text));
                format!("step: {}", said.chain(results).collect::<Vec<_>>().join(" | "))
            }
        }
    }

    #[test]
    fn each_call_has_its_result_and_each_result_its_call() {
        check(
            &[
                user("go"),
                thought("hm"),
                said("a"),
                call("c1"),
                call("c2"),
                result("c2"),
                result("c1"),
                said("b"),
            ],
            &[
                "user: go",
                "step: (hm) | a | call c00000001 | call c00000002 | c00000001 of c1 | c00000002 of c2",
                "step: b",
                "user: Go on.",
            ],
        );
        check(
            &[user("go"), call("c1"), user("next"), result("c1"), result("c9")],
            &[
                "user: go",
                "step: call c00000001 | c00000001 interrupted: nothing is known of what it did",
                "user: next",
            ],
        );
        check(
            &[user("go"), call("c1"), result("c1"), result("c1"), call("c2"), result("c2")],
            &["user: go", "step: call c00000001 | c00000001 of c1", "step: call c00000002 | c00000002 of c2"],
        );
    }

    #[test]
    fn what_is_empty_is_left_out_or_named() {
        check(&[user(""), thought("only"), user("b")], &["user: (nothing) | b"]);
        check(&[user("a"), said(" \n"), user("b\0")], &["user: a | b\u{2400}"]);
        check(
            &[said("a"), user("b")],
            &["user: (The conversation begins with your words.)", "step: a", "user: b"],
        );
        check(&[], &[]);
    }

    #[test]
    fn misbehaviour_11_identities_are_of_letters_that_every_service_takes() {
        let long = "x".repeat(200);
        let ids =
            ["c1", "c123456789", "toolu_01", "a.b", "a:b", "a_b", "", "日本", &long, &format!("{long}y")];
        let wire: Vec<String> = ids.iter().map(|id| wire_id(id)).collect();
        for id in &wire {
            assert!(!id.is_empty() && id.len() <= MAX_ID && letters(id) == *id, "{id}");
        }
        assert_eq!(wire.iter().collect::<HashSet<_>>().len(), ids.len(), "{wire:?}");
        assert_eq!(wire[0], "c00000001");
        // Two calls of one identity are still two.
        let twice = [user("go"), call("c1"), result("c1"), call("c1"), result("c1")];
        let dumped: Vec<String> = entries(&twice).iter().map(dump).collect();
        assert_ne!(dumped[1], dumped[2]);
    }

    #[test]
    fn names_and_arguments_are_sent_in_a_form_that_is_taken() {
        assert_eq!(tool_name("functions.Read:0"), "functions_Read_0");
        assert_eq!(tool_name(""), "unnamed");
        assert_eq!(object(" "), Arguments::Whole("{}", json!({})));
        assert_eq!(object(r#"{"a": 1}"#), Arguments::Whole(r#"{"a": 1}"#, json!({"a": 1})));
        for broken in ["{", "[1]", "null", r#"{"a":1} junk"#] {
            assert_eq!(object(broken), Arguments::Broken(json!({"unreadable_arguments": broken})));
        }
    }
}
