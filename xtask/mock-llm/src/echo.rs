//! Something sensible to any prompt, so that a person can play: words of the prompt call tools.
//!
//! Owns those words: `read FILE`, `write FILE`, `glob PATTERN`, `grep PATTERN`, `bash COMMAND`, `think`, `long`, one a
//! line or separated by `;`, which makes parallel calls. Everything else is said back.
//! It refuses to know files: what the tools find is the client's business.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::Request;

const HELP: &str = "This is a scripted server, no model. It does what these words say, one a line or separated by `;`:\n\n\
     - `read FILE`, `write FILE`, `glob PATTERN`, `grep PATTERN`, `bash COMMAND` call the tool\n\
     - `think` thinks first\n\
     - `long` answers at length\n";

/// What is answered to the request.
pub(crate) fn answer(request: &Request) -> Answer {
    let results = request.results();
    if request.round() > 0 {
        return Answer::new().text(&told(&results));
    }
    let prompt = request.prompt();
    let offered = request.tools();
    let mut answer = Answer::new();
    let mut refused = String::new();
    let mut calls = Vec::new();
    for line in prompt.split(['\n', ';']).map(str::trim) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word.to_ascii_lowercase().as_str() {
            "think" => answer = answer.thinking(&thoughts(rest), "c2lnbmF0dXJlIG9mIGEgbW9jaw=="),
            "long" => answer = answer.text(&long()),
            word => match call(word, rest.trim()) {
                Some((name, arguments)) if offered.iter().any(|tool| tool == name) => {
                    calls.push((name, arguments));
                }
                Some((name, _)) => refused.push_str(&format!("I was offered no tool `{name}`. ")),
                None => {}
            },
        }
    }
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("call_mock_{}_{at}", request.body["messages"].as_array().map_or(0, Vec::len));
        answer = answer.call(&id, name, &arguments.to_string());
    }
    if !refused.is_empty() {
        return answer.text(&refused);
    }
    if answer.parts.is_empty() {
        return answer.text(&format!("You said:\n\n{}\n\n{HELP}", quoted(&prompt)));
    }
    answer
}

fn call(word: &str, rest: &str) -> Option<(&'static str, Value)> {
    if rest.is_empty() {
        return None;
    }
    Some(match word {
        "read" => ("Read", json!({"file_path": rest})),
        "write" => ("Write", json!({"file_path": rest, "content": content(rest)})),
        "glob" => ("Glob", json!({"pattern": rest})),
        "grep" => ("Grep", json!({"pattern": rest})),
        "bash" => ("Bash", json!({"command": rest})),
        _ => return None,
    })
}

fn told(results: &[String]) -> String {
    let mut text = format!("{} results came back.\n\n", results.len());
    for result in results {
        let first: String = result.lines().next().unwrap_or_default().chars().take(100).collect();
        text.push_str(&format!("- {} lines, the first: {}\n", result.lines().count(), code(first.trim())));
    }
    text
}

fn code(text: &str) -> String {
    if text.is_empty() { "(empty)".to_owned() } else { format!("`` {text} ``") }
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

fn content(name: &str) -> String {
    (1..=60).map(|line| format!("line {line} of {name}, written by a scripted server\n")).collect()
}

fn thoughts(about: &str) -> String {
    let about = if about.is_empty() { "what was asked" } else { about };
    format!("Thinking about {about}.\nFirst one side, then the other.\nThat settles it.")
}

fn long() -> String {
    let mut text = String::from("# A long answer\n\n");
    for chapter in 1..=12 {
        text.push_str(&format!(
            "## Part {chapter}\n\nSome words with **weight**, `code`, and a [link](https://example.org/{chapter}).\n\n\
             - one\n- two\n\n```rust\nfn part_{chapter}() -> u32 {{\n    {chapter}\n}}\n```\n\n"
        ));
    }
    text
}
