//! A conversation as one text, for the model that sums it up.
//!
//! Owns its shape and its length: what does not fit loses the output of its oldest calls first, then their arguments, then
//! its oldest entries, so that the request to compact is never itself too long. As text it can be read by any model,
//! whoever had the conversation, and needs no tools. It refuses to know who reads it.

use super::measure;
use crate::provider::Message;

/// Characters of a result, of arguments and of a text at first.
const LONG: usize = 6_000;
/// And where room is short.
const SHORT: usize = 200;

/// `budget` is in tokens.
pub fn transcript(messages: &[Message], budget: u64) -> String {
    let mut lengths = vec![LONG; messages.len()];
    let mut entries: Vec<String> = messages.iter().map(|message| entry(message, LONG)).collect();
    let size = |entries: &[String]| entries.iter().map(|entry| measure::text(entry) + 1).sum::<u64>();
    let mut total = size(&entries);
    let steps: [fn(&Message) -> bool; 3] = [
        |message| matches!(message, Message::ToolResult { .. }),
        |message| matches!(message, Message::ToolCall { .. }),
        |message| matches!(message, Message::Assistant { .. }),
    ];
    for is_meant in steps {
        for at in 0..messages.len() {
            if total > budget && is_meant(&messages[at]) && lengths[at] > SHORT {
                lengths[at] = SHORT;
                let shorter = entry(&messages[at], SHORT);
                total = total + measure::text(&shorter) - measure::text(&entries[at]);
                entries[at] = shorter;
            }
        }
    }
    let mut left_out = 0;
    while total > budget && left_out < entries.len() {
        total -= measure::text(&entries[left_out]) + 1;
        left_out += 1;
    }
    let mark = (left_out > 0).then(|| format!("[{left_out} earlier entries are left out]"));
    let kept = entries.into_iter().skip(left_out).filter(|entry| !entry.is_empty());
    mark.into_iter().chain(kept).collect::<Vec<_>>().join("\n\n")
}

fn entry(message: &Message, most: usize) -> String {
    match message {
        // What a person said is cut only where nothing else helps.
        Message::User { text } | Message::Steer { text } => format!("PERSON: {}", cut(text, most.max(LONG))),
        Message::Assistant { text } => format!("AGENT: {}", cut(text, most)),
        Message::ToolCall { name, arguments, .. } => format!("CALL {name} {}", cut(arguments, most)),
        Message::ToolResult { text, is_error, .. } => {
            format!("{} {}", if *is_error { "FAILED:" } else { "RESULT:" }, cut(text, most))
        }
        Message::Reasoning { .. } => String::new(),
    }
}

/// Head and tail.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(most * 2 / 3)];
    let tail = &text[text.ceil_char_boundary(text.len() - most / 3)..];
    format!("{head} [{} bytes left out] {tail}", text.len() - head.len() - tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(turns: usize, output: usize) -> Vec<Message> {
        let turn = |number: usize| {
            [
                Message::User { text: format!("request {number}") },
                Message::Reasoning { text: "secret".to_owned(), opaque: None },
                Message::ToolCall {
                    id: format!("c{number}"),
                    name: "Read".to_owned(),
                    arguments: format!(r#"{{"file_path":"f{number}"}}"#),
                },
                Message::ToolResult {
                    id: format!("c{number}"),
                    text: "x".repeat(output),
                    structured: None,
                    is_error: number % 2 == 1,
                },
                Message::Assistant { text: format!("answer {number}") },
            ]
        };
        (0..turns).flat_map(turn).collect()
    }

    #[test]
    fn all_of_a_short_one() {
        let text = transcript(&conversation(2, 3), 1_000);
        let turn = |number: usize, word: &str| {
            format!(
                "PERSON: request {number}\n\nCALL Read {{\"file_path\":\"f{number}\"}}\n\n{word}: xxx\n\nAGENT: answer {number}"
            )
        };
        assert_eq!(text, format!("{}\n\n{}", turn(0, "RESULT"), turn(1, "FAILED")));
    }

    /// LOG 8.10: the request to compact is over the limit itself.
    #[test]
    fn log_8_10_it_fits_whatever_the_conversation() {
        let long = conversation(100, 20_000);
        for budget in [200_000, 100_000, 20_000, 9_000, 500, 20, 0] {
            let text = transcript(&long, budget);
            assert!(measure::text(&text) <= budget + 20, "{budget}: {}", measure::text(&text));
        }
        // The oldest outputs go first: with room for some the last are long, and every request is there.
        let text = transcript(&long, 60_000);
        assert!((0..100).all(|number| text.contains(&format!("request {number}\n"))));
        let results: Vec<usize> =
            text.split("\n\n").filter(|entry| entry.contains("xx")).map(str::len).collect();
        assert!(results[0] < 300 && results[99] > 5_000 && results.is_sorted(), "{results:?}");
        let text = transcript(&long, 500);
        assert!(text.starts_with('[') && text.ends_with("answer 99"), "{text}");
    }
}
