//! What of the selected item or call can be copied, each under its letter.
//!
//! Copied is the raw text, as it was said or done: that is what a person asked for, so nothing is made visible in it
//! and nothing is cut. A word tells how much it is and whether there are control characters in it.

use std::sync::Arc;

use carpel_slots::number::grouped;
use carpel_slots::{Registry, ToolCall};

use crate::inspector::subject;
use crate::transcript::item::{FlowItem, ItemBody};

/// Something to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copying {
    /// The key that chooses it.
    pub letter: char,
    /// What it is, e.g. `output`.
    pub what: &'static str,
    /// The text, raw.
    pub text: String,
}

/// All that an item, or the selected call of one, has to copy; the most likely first.
pub fn offers(item: &FlowItem, call: Option<&Arc<ToolCall>>, registry: &Registry) -> Vec<Copying> {
    let offer = |letter, what, text: &str| Copying { letter, what, text: text.to_owned() };
    let mut offers = match (&item.body, call) {
        (_, Some(call)) => of_call(call, registry),
        (ItemBody::User { text }, _) => vec![offer('t', "message", text)],
        (ItemBody::Text { text, .. }, _) => vec![offer('t', "answer", text)],
        (ItemBody::Thinking(thinking), _) if thinking.text.is_empty() => {
            vec![offer('t', "thought", &thinking.summary.join("\n"))]
        }
        (ItemBody::Thinking(thinking), _) => vec![offer('t', "thought", &thinking.text)],
        (ItemBody::Command { line, outcome, lines, .. }, _) => {
            let lines: Vec<String> = lines.iter().map(carpel_slots::Line::text).collect();
            let all = [outcome.clone(), lines.join("\n")];
            let told: Vec<&str> = all.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
            vec![offer('o', "output", &told.join("\n")), offer('c', "command", &format!(":{line}"))]
        }
        (ItemBody::Orphan { summary, .. }, _) => vec![offer('o', "output", summary)],
        (ItemBody::Notice { text, .. }, _) => vec![offer('t', "notice", text)],
        (ItemBody::Compaction { summary, .. }, _) => vec![offer('t', "summary", summary)],
        (ItemBody::CutOff { reason }, _) => vec![offer('t', "reason", reason)],
        (ItemBody::TurnEnded(end), _) => {
            vec![offer('t', "reason", end.message.as_deref().unwrap_or_default())]
        }
        (ItemBody::Call(_) | ItemBody::Earlier { .. }, None) => Vec::new(),
    };
    offers.retain(|offer| !offer.text.is_empty());
    offers
}

fn of_call(call: &Arc<ToolCall>, registry: &Registry) -> Vec<Copying> {
    let card = subject::card(call, registry);
    let path = subject::target(call, &card).map(|target| target.path);
    // Head and tail are all there is as long as nobody has fetched the whole.
    let is_cut = call.result.as_ref().is_some_and(|result| result.output_total.is_some());
    let raw = Some(call.args.raw().to_owned());
    [
        ('d', "diff", subject::diff(call, &card)),
        ('o', if is_cut { "part of the output" } else { "output" }, subject::output(call, &card)),
        ('c', "command", subject::command(call)),
        ('p', "path", path),
        ('a', "arguments", raw),
        ('t', "passages", said(call)),
    ]
    .into_iter()
    .filter_map(|(letter, what, text)| Some(Copying { letter, what, text: text? }))
    .collect()
}

/// All that its sub-agent has said.
fn said(call: &ToolCall) -> Option<String> {
    let passages: Vec<&str> = call.said.passages().iter().map(|passage| passage.text().trim_end()).collect();
    (!passages.is_empty()).then(|| passages.join("\n\n"))
}

impl Copying {
    /// What is told of it: `output, 1,234 bytes`.
    pub fn told(&self) -> String {
        let bytes = self.text.len();
        let noun = if bytes == 1 { "byte" } else { "bytes" };
        let control = if self.text.chars().any(is_control) { ", control characters among them" } else { "" };
        format!("{}, {} {noun}{control}", self.what, grouped(bytes as u64))
    }
}

/// What a terminal or an eye may be led astray by when it is pasted.
fn is_control(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_told() {
        let check = |text: &str, want: &str| {
            assert_eq!(Copying { letter: 'o', what: "output", text: text.to_owned() }.told(), want);
        };
        check("x", "output, 1 byte");
        check(&"x\n\t".repeat(411), "output, 1,233 bytes");
        check(&"x".repeat(1_234_567), "output, 1,234,567 bytes");
        check("\u{1b}[31m", "output, 5 bytes, control characters among them");
        check("a\u{202e}b", "output, 5 bytes, control characters among them");
    }
}
