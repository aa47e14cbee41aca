//! The slot `tool.details`: all there is of the selected call, for a person who looks closer.
//!
//! The arguments as fields, then what the call's own view says with nothing left out. An argument that the view draws
//! (the text of a change) is not told twice, and what a result says is there even where the view has no use for it. It
//! knows no rows; read [`crate::tree`] for how a card comes about.

use carpel_slots::registry::Registry;
use carpel_slots::{Block, CardCx, Density, ToolCall, ToolDetails, register_details};
use serde_json::Value;

use crate::argument;
use crate::tree::card_of;

register_details!(Details);

struct Details;

impl ToolDetails for Details {
    fn body(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Vec<Block> {
        let cx = CardCx { density: Density::Detail, ..cx.clone() };
        let drawn = card_of(call, registry, &cx).body.unwrap_or_default();
        let mut blocks = Vec::new();
        if !drawn.iter().any(|block| matches!(block, Block::Fields(_))) {
            blocks.extend(fields(call, drawn.iter().any(is_text)));
        }
        let tells_result = !drawn.is_empty() || !call.state.is_settled();
        blocks.extend(drawn);
        if !tells_result {
            blocks.extend(output(call));
        }
        blocks
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
        let grep = r#"{"pattern":"TODO","limit":3}"#;
        check(
            &Fixture::new("Odd").arguments(grep).done("fine", Some("a\nb")).build(),
            "fields:\n    limit = 3\n    pattern = TODO\n  output: a\\nb",
        );
    }
}
