//! What goes over into a summary word for word: open to-dos, and the last request where it does not stay.
//!
//! Owns what counts as a list of to-dos: lines of a task list in what the person or the model said, or the items of a call
//! of a to-do tool. The last such list counts, and of it what is open. No model is trusted to repeat these.

use serde_json::Value;

use crate::provider::Message;

/// Characters of the last request that are carried over.
const REQUEST: usize = 8_000;

/// The paragraphs that follow a summary; empty when there are none.
pub fn carried(old: &[Message], kept: &[Message]) -> String {
    let mut paragraphs = String::new();
    let has_newer = kept.iter().any(|message| todos(message).is_some());
    let open = old.iter().rev().find_map(todos).filter(|open| !has_newer && !open.is_empty());
    if let Some(open) = open {
        paragraphs.push_str(&format!("\n\nOpen to-dos, word for word:\n{}", open.join("\n")));
    }
    let request = |message: &Message| match message {
        Message::User { text } | Message::Steer { text } => Some(text.clone()),
        _ => None,
    };
    if !kept.iter().any(|message| request(message).is_some())
        && let Some(last) = old.iter().rev().find_map(request)
    {
        let cut: String = last.chars().take(REQUEST).collect();
        let rest = if cut.len() < last.len() { "\n[the rest is left out]" } else { "" };
        paragraphs.push_str(&format!("\n\nThe last request, word for word:\n{cut}{rest}"));
    }
    paragraphs
}

/// The open items of the list in a message; `None` where there is no list.
fn todos(message: &Message) -> Option<Vec<String>> {
    match message {
        Message::User { text } | Message::Steer { text } | Message::Assistant { text } => in_text(text),
        Message::ToolCall { name, arguments, .. } if name.to_lowercase().contains("todo") => {
            in_arguments(arguments)
        }
        Message::Reasoning { .. } | Message::ToolCall { .. } | Message::ToolResult { .. } => None,
    }
}

fn in_text(text: &str) -> Option<Vec<String>> {
    let item = |line: &str| {
        let line = line.trim_start();
        let marked = ["- [", "* [", "+ ["].iter().any(|mark| line.starts_with(mark));
        let (state, rest) = line.get(3..)?.split_once(']')?;
        (marked && state.chars().count() == 1 && rest.starts_with(' ')).then(|| state == " ")
    };
    let lines: Vec<(&str, bool)> = text.lines().filter_map(|line| Some((line, item(line)?))).collect();
    let open = |(line, open): &(&str, bool)| open.then(|| line.trim_end().to_owned());
    (!lines.is_empty()).then(|| lines.iter().filter_map(open).collect())
}

fn in_arguments(arguments: &str) -> Option<Vec<String>> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let items = arguments.as_object()?.values().find_map(Value::as_array)?;
    let open = |item: &Value| {
        let status = item["status"].as_str().unwrap_or_default();
        let done = ["completed", "done", "cancelled"].contains(&status) || item["done"] == true;
        let said =
            item.as_str().or_else(|| ["content", "text", "title"].iter().find_map(|key| item[key].as_str()));
        said.filter(|_| !done).map(|said| format!("- [ ] {said}"))
    };
    Some(items.iter().filter_map(open).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Message {
        Message::Assistant { text: text.to_owned() }
    }

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    fn call(arguments: &str) -> Message {
        let name = "TodoWrite".to_owned();
        Message::ToolCall { id: "c1".to_owned(), name, arguments: arguments.to_owned() }
    }

    /// LOG 8.09: open to-dos are forgotten.
    #[test]
    fn log_8_09_open_todos_go_over_word_for_word() {
        let list =
            "The plan:\n- [x] read it\n- [ ] mend  the *lexer*\n  - [ ] and its tests\n* [ ] tell `main`\nok";
        let open = "- [ ] mend  the *lexer*\n  - [ ] and its tests\n* [ ] tell `main`";
        let stays = [user("go on")];
        let check = |old: &[Message], kept: &[Message], expected: &str| {
            assert_eq!(carried(old, kept), expected);
        };
        let told = format!("\n\nOpen to-dos, word for word:\n{open}");
        check(&[user("a"), said(list), said("more")], &stays, &told);
        // The summary of an earlier compaction holds it in the same words.
        check(&[user(&format!("Summary.{told}"))], &stays, &told);
        // The last list counts, wherever it stands.
        check(&[said(list), said("- [x] all done")], &stays, "");
        check(&[said(list)], &[user("b"), said("- [ ] other")], "");
        check(&[said(list), said("no list: [ ] x, -[ ], - [ab] c, - [ ]d")], &stays, &told);
        let todos = r#"{"todos":[{"content":"one","status":"pending"},{"content":"two","status":"completed"},"three"]}"#;
        check(&[call(todos)], &stays, "\n\nOpen to-dos, word for word:\n- [ ] one\n- [ ] three");
    }

    #[test]
    fn the_last_request_stays_one_way_or_the_other() {
        assert_eq!(
            carried(&[user("a"), user("b"), said("c")], &[said("d")]),
            "\n\nThe last request, word for word:\nb"
        );
        assert_eq!(carried(&[user("a")], &[user("b")]), "");
        let long = carried(&[user(&"漢".repeat(9_000))], &[]);
        assert!(long.ends_with("[the rest is left out]") && long.chars().count() < 8_100);
    }
}
