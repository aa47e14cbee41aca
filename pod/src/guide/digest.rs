//! A conversation as a plain digest: what was asked, which calls were made, how the last answers began.
//!
//! Owns its shape and its bounds. There is no model behind it, so it says nothing that does not stand in the conversation. It
//! refuses to know who asked for it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::provider::Message;
use crate::session::conversation::is_summary;
use crate::tools::count;

/// Requests, and files of each tool, that are named.
const NAMED: usize = 12;
/// Characters of a request or an answer.
const LINE: usize = 160;

/// `instructions` are repeated: without a model nothing can be made of them.
pub fn digest(messages: &[Message], instructions: Option<&str>) -> String {
    let mut requests = Vec::new();
    let mut calls: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut earlier, mut failed, mut answer) = (0, 0, None);
    for message in messages {
        match message {
            Message::User { text } if is_summary(text) => earlier += 1,
            Message::User { text } | Message::Steer { text } => requests.push(line(text)),
            Message::ToolCall { name, arguments, .. } => {
                calls.entry(name).or_default().push(object_of(arguments));
            }
            Message::ToolResult { is_error, .. } => failed += usize::from(*is_error),
            Message::Assistant { text } => answer = Some(line(text)),
            Message::Reasoning { .. } => {}
        }
    }
    let mut parts = vec!["A plain digest, made without a model.".to_owned()];
    if earlier > 0 {
        parts
            .push("What was said before that is in the part of the log that was compacted first.".to_owned());
    }
    parts.extend(list("Asked", &requests));
    for (name, objects) in &calls {
        let mut objects: Vec<&str> =
            objects.iter().map(String::as_str).filter(|object| !object.is_empty()).collect();
        let total = objects.len();
        objects.sort_unstable();
        objects.dedup();
        let more = objects.len().saturating_sub(NAMED);
        let named = objects[..objects.len() - more].join(", ");
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        parts.push(format!("{name}, {}: {named}{more}", count(total as u64, "time", "times")));
    }
    if failed > 0 {
        parts.push(format!("Calls that failed: {failed}."));
    }
    parts.extend(answer.map(|answer| format!("The last answer began: {answer}")));
    parts.extend(instructions.map(|wish| format!("Asked to keep in view: {}", line(wish))));
    parts.join("\n\n")
}

/// The last of them, since those are what is spoken of.
fn list(what: &str, lines: &[String]) -> Option<String> {
    let before = lines.len().saturating_sub(NAMED);
    let mark = (before > 0).then(|| format!("- ({before} before these)"));
    let rest = lines[before..].iter().map(|line| format!("- {line}"));
    let all: Vec<String> = mark.into_iter().chain(rest).collect();
    (!lines.is_empty()).then(|| format!("{what}:\n{}", all.join("\n")))
}

/// What a call was about: its path, its pattern, its command.
fn object_of(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let names = ["file_path", "path", "pattern", "command", "description", "name"];
    names.iter().find_map(|name| arguments[name].as_str()).map(line).unwrap_or_default()
}

fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}\u{2026}", &words[..at]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    fn call(name: &str, arguments: &str) -> Message {
        Message::ToolCall { id: "c".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn what_was_asked_and_done() {
        let result = Message::ToolResult {
            id: "c".to_owned(),
            text: "x".to_owned(),
            structured: None,
            is_error: true,
        };
        let messages = [
            user("read  a.rs\nplease"),
            call("Read", r#"{"file_path":"a.rs"}"#),
            result,
            call("Read", r#"{"file_path":"a.rs","offset":3}"#),
            call("Grep", r#"{"pattern":"TODO"}"#),
            Message::Assistant { text: "It has\n3 lines.".to_owned() },
        ];
        assert_eq!(
            digest(&messages, Some("the lexer")),
            "A plain digest, made without a model.\n\nAsked:\n- read a.rs please\n\nGrep, 1 time: TODO\n\n\
             Read, 2 times: a.rs\n\nCalls that failed: 1.\n\nThe last answer began: It has 3 lines.\n\n\
             Asked to keep in view: the lexer"
        );
    }

    #[test]
    fn however_long_the_conversation_it_is_short() {
        let turn = |number: usize| {
            [
                user(&format!("{number} {}", "word ".repeat(900))),
                call("Read", &format!(r#"{{"file_path":"f{number}"}}"#)),
            ]
        };
        let text = digest(&(0..500).flat_map(turn).collect::<Vec<_>>(), None);
        assert!(text.len() < 4_000, "{}", text.len());
        assert!(text.contains("(488 before these)") && text.contains("Read, 500 times"), "{text}");
    }
}
