//! The slot `tool.details`: all there is of the selected call, for a person who looks closer.
//!
//! The arguments as fields, then what the call's own view says with nothing left out. An argument that the view draws
//! (the text of a change) is not told twice, and what a result says is there even where the view has no use for it. It
//! knows no rows; read [`crate::tree`] for how a card comes about.

use carpel_slots::registry::Registry;
use carpel_slots::{
    Block, CardCx, Density, Line, Passage, Role, ToolCall, ToolDetails, Voice, register_details,
};
use serde_json::Value;

use crate::argument;
use crate::tree::card_of;

register_details!(Details);

struct Details;

impl ToolDetails for Details {
    fn body(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Vec<Block> {
        let cx = CardCx { density: Density::Detail, ..cx.clone() };
        let mut told = card_of(call, registry, &cx).body.unwrap_or_default();
        let asked = match told.first() {
            Some(Block::Fields(_)) => Some(told.remove(0)),
            _ => fields(call, told.iter().any(is_text)),
        };
        if told.is_empty() && call.state.is_settled() {
            told.extend(output(call));
        }
        if !call.said.is_empty() {
            told = with_passages(call, told);
        }
        // What was asked stands apart from what came of it.
        let apart = (asked.is_some() && !told.is_empty()).then(|| Block::Text(vec![Line::default()]));
        asked.into_iter().chain(apart).chain(told).collect()
    }
}

/// All that a sub-agent has said stands before its answer, which is not told twice; its prompt is among the arguments and
/// the end of what it says among the passages.
fn with_passages(call: &ToolCall, told: Vec<Block>) -> Vec<Block> {
    let told: Vec<Block> = told.into_iter().filter(|block| !matches!(block, Block::Text(_))).collect();
    let is_answer = |text: &str| {
        let same = |block: &Block| matches!(block, Block::Markdown(answer) if answer.trim() == text.trim());
        call.state.is_settled() && told.iter().any(same)
    };
    let mut passages = call.said.passages();
    if let Some((last, before)) = passages.split_last()
        && is_answer(last.text())
    {
        passages = before;
    }
    let dropped = match call.said.dropped() {
        0 => None,
        bytes => Some(Block::Text(vec![Line::of(
            Role::Dim,
            &format!("the first {bytes} bytes of what it said are left out"),
        )])),
    };
    let apart = (!passages.is_empty() && !told.is_empty()).then(|| Block::Text(vec![Line::default()]));
    let gap = |at: usize| (at > 0).then(|| Block::Text(vec![Line::default()]));
    let passages =
        passages.iter().enumerate().flat_map(|(at, said)| gap(at).into_iter().chain([passage(said)]));
    dropped.into_iter().chain(passages).chain(apart).chain(told).collect()
}

/// Thinking is dim and as it came, text is Markdown.
fn passage(passage: &Passage) -> Block {
    match passage.voice {
        Voice::Text => Block::Markdown(passage.text().trim_end().to_owned()),
        Voice::Thinking => {
            let lines = passage.text().trim_end().lines().map(|line| Line::of(Role::Dim, line));
            Block::Text(lines.collect())
        }
    }
}

/// True for a block that shows what was written.
fn is_text(block: &Block) -> bool {
    matches!(block, Block::Diff { .. } | Block::Code { .. })
}

/// The arguments once they are whole; while they arrive the view shows them as they come.
fn fields(call: &ToolCall, is_drawn: bool) -> Option<Block> {
    let fields = call.args.value()?.as_object()?;
    let drawn = |name: &str| {
        is_drawn
            && [argument::CONTENT, argument::OLD, argument::NEW].iter().any(|names| names.contains(&name))
    };
    let pairs: Vec<(String, String)> = fields
        .iter()
        .filter(|(name, _)| !drawn(name))
        .map(|(name, value)| (name.clone(), told(value)))
        .collect();
    (!pairs.is_empty()).then_some(Block::Fields(pairs))
}

fn told(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn output(call: &ToolCall) -> Option<Block> {
    let told = call.result.as_ref().and_then(|result| result.output.clone());
    let text = told.unwrap_or_else(|| call.progress.text().to_owned());
    (!text.trim().is_empty()).then_some(Block::Output(text))
}

#[cfg(test)]
mod tests {
    use carpel_slots::Card;

    use super::*;
    use crate::fixture::{Fixture, dump};

    fn check(call: &ToolCall, want: &str) {
        let body = Details.body(call, &Registry::linked(), &CardCx::default());
        assert_eq!(dump(&Card { body: Some(body), ..Card::default() }).trim(), want.trim());
    }

    #[test]
    fn arguments_then_everything() {
        check(
            &Fixture::new("Odd")
                .arguments(r#"{"pattern":"TODO","limit":3}"#)
                .done("fine", Some("a\nb"))
                .build(),
            "limit = 3\n  pattern = TODO\n  \n  output: a\n  output: b",
        );
        check(&Fixture::new("Odd").arguments(r#"{"a":"b"}"#).done("fine", None).build(), "a = b");
        check(
            &Fixture::new("Odd").arguments(r#"{"a":"b"}"#).progress("so far").build(),
            "a = b\n  \n  output: so far",
        );
        check(&Fixture::new("Odd").streaming(r#"{"a":"#).build(), r#"{"a":"#);
    }

    #[test]
    fn a_change_is_told_once() {
        let edit = r#"{"file_path":"a.rs","old_string":"one","new_string":"two"}"#;
        check(
            &Fixture::new("Edit").arguments(edit).done("edited", None).build(),
            "file_path = a.rs\n  \n  diff a.rs\n  @@ ? ?\n  -one\n  +two",
        );
    }

    #[test]
    fn all_that_a_sub_agent_said_stands_before_its_answer() {
        let mut call = Fixture::new("Task").arguments(r#"{"prompt":"look"}"#).progress("two\n").build();
        call.said.begin(Voice::Thinking, "hm\nhm");
        call.said.begin(Voice::Text, "one\n");
        call.said.begin(Voice::Text, "two");
        check(&call, "prompt = look\n  \n  hm\n  hm\n  \n  markdown: one\n  \n  markdown: two");
        let mut done =
            Fixture::new("Task").arguments(r#"{"prompt":"look"}"#).done("fine", Some("two")).build();
        done.said = call.said.clone();
        check(&done, "prompt = look\n  \n  hm\n  hm\n  \n  markdown: one\n  \n  markdown: two");
        done.said = Default::default();
        done.said.begin(Voice::Text, &"x".repeat(1 << 20));
        let body = Details.body(&done, &Registry::linked(), &CardCx::default());
        let told = dump(&Card { body: Some(body), ..Card::default() });
        assert!(told.contains("the first 786432 bytes of what it said are left out"), "{}", &told[..200]);
    }
}
