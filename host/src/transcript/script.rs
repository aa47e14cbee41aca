//! For tests: events in one short line each, e.g. `start c1 Read`, `args c1 {"a":`, `result c1 fine`.

use carpel_protocol::EventLine;
use serde_json::{Value, json};

/// The event of one line. `~` stands for a space inside a word; a leading `#7` gives the sequence number.
pub fn line(text: &str) -> EventLine {
    let (seq, text) = match text.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((seq, rest)) => (Some(seq.parse::<u64>().unwrap()), rest),
        None => (None, text),
    };
    let words: Vec<String> =
        text.split(' ').map(|word| word.replace('~', " ").replace("\\n", "\n")).collect();
    let word = |place: usize| words.get(place).cloned().unwrap_or_default();
    let mut value = value(&words[0], &word);
    let fields = value.as_object_mut().unwrap();
    fields.retain(|_, value| !value.is_null());
    if let Some(seq) = seq {
        fields.insert("seq".to_owned(), seq.into());
    }
    EventLine::decode(value.to_string().as_bytes()).unwrap()
}

fn value(verb: &str, word: &dyn Fn(usize) -> String) -> Value {
    let some = |place: usize| Some(word(place)).filter(|word| !word.is_empty());
    let number = |place: usize| word(place).parse::<u64>().unwrap_or(1);
    let (one, two) = (word(1), word(2));
    match verb {
        "hello" => json!({"event": "hello", "protocol": 1, "session": "s", "state": one}),
        "history" => {
            json!({"event": "history", "items": serde_json::from_str::<Value>(&one).unwrap(), "more": two == "more"})
        }
        "turn" => json!({"event": "turn_start", "turn": number(1)}),
        "end" => {
            json!({"event": "turn_end", "turn": number(1), "reason": some(2).unwrap_or("completed".to_owned())})
        }
        "user" => json!({"event": "user_message", "text": one}),
        "think" => json!({"event": "thinking_start", "parent": some(1)}),
        "think+" => json!({"event": "thinking_delta", "text": one, "parent": some(2)}),
        "think=" => json!({"event": "thinking_delta", "text": one, "reset": true, "parent": some(2)}),
        "think." => {
            json!({"event": "thinking_done", "text": one, "elapsed_ms": two.parse::<u64>().ok(), "parent": some(3)})
        }
        "text+" => json!({"event": "text_delta", "text": one, "parent": some(2)}),
        "text=" => json!({"event": "text_delta", "text": one, "reset": true, "parent": some(2)}),
        "text." => json!({"event": "text_done", "text": one, "parent": some(2)}),
        "start" => json!({"event": "tool_call_start", "id": one, "name": two, "parent": some(3)}),
        "args" => json!({"event": "tool_call_args_delta", "id": one, "delta": two}),
        "args=" => json!({"event": "tool_call_args_delta", "id": one, "delta": two, "reset": true}),
        "done" => json!({"event": "tool_call_done", "id": one, "arguments": two, "error": some(3)}),
        "out" => json!({"event": "tool_call_progress", "id": one, "text": two}),
        "out=" => json!({"event": "tool_call_progress", "id": one, "text": two, "reset": true}),
        "result" => {
            json!({"event": "tool_result", "id": one, "summary": two, "outcome": some(3), "is_error": word(3) == "error", "elapsed_ms": word(4).parse::<u64>().ok()})
        }
        "ask" => {
            json!({"event": "approval_request", "request": one, "call": two, "title": "may~I?".replace('~', " ")})
        }
        "answer" => json!({"event": "approval_resolved", "request": one, "call": two, "decision": word(3)}),
        "abandon" => json!({"event": "step_abandoned", "reason": one, "parent": some(2)}),
        "notice" => json!({"event": "notice", "level": "info", "code": "x", "text": one}),
        "compacted" => {
            json!({"event": "compact_done", "segment": 2, "summary": one, "before": 9, "after": 1})
        }
        "compacts" => json!({"event": "compact_start", "trigger": one}),
        "uncompacted" => {
            json!({"event": "compact_failed", "code": "c", "message": one, "changed": false})
        }
        other => panic!("no such verb: {other}"),
    }
}
