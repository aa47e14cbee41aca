//! Where a history is cut: what is summed up, and what a model is still told word for word.
//!
//! Owns the places where it may be cut: before what a person said, and behind a step whose calls all have their results.
//! So a call is never parted from its result, at whatever record the budget would end. It refuses to know how it is summed up.

use carpel_protocol::{Item, Record};

use super::measure;
use crate::provider::Message;
use crate::session::conversation::{View, messages_of, view};

/// How a history is cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What is summed up; an earlier summary is its first message.
    pub old: Vec<Message>,
    /// What stays.
    pub kept: Vec<Message>,
    /// Number of the first record that stays; absent: none does.
    pub kept_from: Option<u64>,
}

/// How much of the end stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// So many tokens at most.
    Tokens(u64),
    /// So many, and no more than a quarter of all: a person who asks wants it shorter now.
    Quarter(u64),
}

/// The plan for these records; `None` when nothing would be summed up.
pub fn plan(records: &[Record], keep: Keep) -> Option<Plan> {
    let View { summary, rest } = view(records);
    let sizes: Vec<u64> = rest.iter().map(|record| size(record)).collect();
    let keep = match keep {
        Keep::Tokens(keep) => keep,
        Keep::Quarter(keep) => keep.min(sizes.iter().sum::<u64>() / 4),
    };
    let at = cut(&rest, &sizes, keep);
    // An earlier summary alone is not summed up again.
    if !rest[..at].iter().any(|record| says(&record.item)) {
        return None;
    }
    let old: Vec<Record> = summary.into_iter().chain(rest[..at].iter().copied()).cloned().collect();
    let kept: Vec<Record> = rest[at..].iter().copied().cloned().collect();
    Some(Plan {
        old: messages_of(&old),
        kept: messages_of(&kept),
        kept_from: rest.get(at).and_then(|record| record.seq),
    })
}

/// The earliest place behind which there is no more than `keep`.
fn cut(records: &[&Record], sizes: &[u64], keep: u64) -> usize {
    let places = places(records);
    let mut behind = 0;
    let mut at = records.len();
    for place in (0..records.len()).rev() {
        behind += sizes[place];
        if behind > keep {
            break;
        }
        if places[place] {
            at = place;
        }
    }
    at
}

/// Whether the history may be cut before each record.
fn places(records: &[&Record]) -> Vec<bool> {
    let mut open: Vec<&str> = Vec::new();
    let mut step_ended = false;
    let mut places = Vec::with_capacity(records.len());
    for record in records {
        // Where a person speaks whatever had no result gets none any more.
        let speaks = matches!(record.item, Item::UserMessage(_));
        if speaks {
            open.clear();
        }
        let is_result = matches!(record.item, Item::ToolResult(_));
        let may = speaks || step_ended && open.is_empty() && !is_result;
        places.push(may && record.seq.is_some());
        match &record.item {
            Item::ToolCall(call) if call.parent.is_none() => {
                open.push(&call.id);
                step_ended = false;
            }
            Item::ToolResult(result) => {
                if let Some(at) = open.iter().position(|id| *id == result.id) {
                    open.remove(at);
                    step_ended = true;
                }
            }
            item if says(item) => step_ended = false,
            _ => {}
        }
    }
    places
}

/// Whether a model is told of it.
fn says(item: &Item) -> bool {
    match item {
        Item::UserMessage(_) | Item::ToolResult(_) => true,
        Item::AssistantText(text) => text.parent.is_none(),
        Item::Reasoning(block) => block.parent.is_none(),
        Item::ToolCall(call) => call.parent.is_none(),
        Item::Compaction(_) | Item::Command(_) | Item::Notice(_) | Item::TurnEnd(_) | Item::Unknown(_) => {
            false
        }
    }
}

fn size(record: &Record) -> u64 {
    // A result alone makes no message, since it has no call there.
    match &record.item {
        Item::ToolResult(result) => {
            measure::text(result.output.as_deref().unwrap_or_default()) + measure::text(&result.summary)
        }
        Item::ToolCall(call) if call.parent.is_none() => {
            measure::text(&call.name) + measure::text(&call.arguments)
        }
        Item::ToolCall(_) => 0,
        _ => measure::messages(&messages_of(std::slice::from_ref(record))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn records(lines: &[String]) -> Vec<Record> {
        let numbered = |(at, line): (usize, &String)| {
            let mut record = Record::decode(line.as_bytes()).unwrap();
            record.seq = Some(at as u64 + 1);
            record
        };
        lines.iter().enumerate().map(numbered).collect()
    }

    fn user(text: &str) -> String {
        format!(r#"{{"kind":"user_message","text":"{text}"}}"#)
    }

    fn said(text: &str) -> String {
        format!(r#"{{"kind":"assistant_text","text":"{text}"}}"#)
    }

    fn call(id: &str) -> String {
        format!(r#"{{"kind":"tool_call","id":"{id}","name":"Read","arguments":"{{}}"}}"#)
    }

    fn result(id: &str) -> String {
        let output = "x".repeat(40);
        format!(r#"{{"kind":"tool_result","id":"{id}","summary":"s","output":"{output}","outcome":"ok"}}"#)
    }

    /// Each call of these messages with how many results it has, and the results without a call.
    fn paired(messages: &[Message]) {
        let mut open = BTreeSet::new();
        for message in messages {
            match message {
                Message::ToolCall { id, .. } => assert!(open.insert(id.clone()), "{id} twice"),
                Message::ToolResult { id, .. } => assert!(open.remove(id), "a result of nothing: {id}"),
                _ => {}
            }
        }
        assert!(open.is_empty(), "calls without a result: {open:?}");
    }

    /// LOG 8.04: after a compaction a call has no result. Cut after each record of a log with five calls, in turn.
    #[test]
    fn log_8_04_a_call_is_never_parted_from_its_result() {
        let lines = [
            user("go"),
            said("a"),
            call("c1"),
            call("c2"),
            result("c2"),
            result("c1"),
            call("c3"),
            result("c3"),
            said("b"),
            user("more"),
            call("c4"),
            result("c4"),
            call("c5"),
            result("c5"),
            said("done"),
        ];
        let all = records(&lines);
        let whole = messages_of(&all);
        let mut cuts = BTreeSet::new();
        for keep in 0..200 {
            let Some(Plan { old, kept, kept_from }) = plan(&all, Keep::Tokens(keep)) else { continue };
            paired(&old);
            paired(&kept);
            assert_eq!([old, kept.clone()].concat(), whole, "nothing is lost between the two");
            assert!(measure::messages(&kept) <= keep + 4 * kept.len() as u64, "no more stays than may");
            cuts.insert(kept_from);
        }
        let expected = [None, Some(7), Some(9), Some(10), Some(13), Some(15)];
        assert_eq!(cuts, BTreeSet::from(expected));
        // And so it is wherever the log ends.
        for end in 1..=all.len() {
            for keep in 0..200 {
                if let Some(plan) = plan(&all[..end], Keep::Tokens(keep)) {
                    paired(&plan.old);
                    paired(&plan.kept);
                }
            }
        }
    }

    #[test]
    fn a_second_compaction_sums_up_the_first_and_what_it_kept() {
        let mark = r#"{"kind":"compaction","summary":"first","kept_from":3}"#.to_owned();
        let lines =
            [user("a"), said("b"), user("c"), said("d"), mark, user("e"), said("f"), user("g"), said("h")];
        let all = records(&lines);
        let texts = |messages: &[Message]| {
            let text = |message: &Message| match message {
                Message::User { text } | Message::Assistant { text } => {
                    text.lines().last().unwrap_or_default().to_owned()
                }
                other => panic!("{other:?}"),
            };
            messages.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(texts(&messages_of(&all)), ["first", "c", "d", "e", "f", "g", "h"]);
        let planned = plan(&all, Keep::Tokens(10)).unwrap();
        assert_eq!(texts(&planned.old), ["first", "c", "d", "e", "f"]);
        assert_eq!((texts(&planned.kept), planned.kept_from), (vec!["g".into(), "h".into()], Some(8)));
        // The cut may lie before the first mark.
        let planned = plan(&all, Keep::Tokens(30)).map(|plan| plan.kept_from);
        assert_eq!(planned, None, "all of it may stay");
        let planned = plan(&all[..6], Keep::Tokens(12)).unwrap();
        assert_eq!(texts(&planned.old), ["first", "c", "d"]);
    }

    #[test]
    fn nothing_to_sum_up() {
        let mark = r#"{"kind":"compaction","summary":"first"}"#.to_owned();
        let command = r#"{"kind":"command","line":"help"}"#.to_owned();
        for lines in [vec![], vec![mark.clone()], vec![mark, command]] {
            assert_eq!(plan(&records(&lines), Keep::Tokens(0)), None);
        }
        // Who asks for it wants it shorter, though all of it might stay.
        let short = records(&[user("a"), said("b"), user("c"), said("d")]);
        assert_eq!(plan(&short, Keep::Tokens(1_000)), None);
        assert!(plan(&short, Keep::Quarter(1_000)).is_some());
    }
}
