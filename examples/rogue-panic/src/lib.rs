//! A plugin that panics wherever it is asked: for carpel's own tests, and to see what becomes of a chat.
//!
//! Its view draws `rogue_panic` and panics unless the arguments say `{"calm": true}`; its command `:rogue-panic` panics
//! always. The sister that goes wrong in every other way is `examples/rogue`, in C.

use carpel_slots::plugin::{CommandAnswer, PluginCommand};
use carpel_slots::wire::{CommandLine, CompletionLine, RunCx};
use carpel_slots::{Card, CardCx, Line, ToolCall, ToolView};

carpel_slots::export! {
    name: "rogue-panic",
    views: ["rogue_panic" => Panics],
    commands: [Panics],
}

struct Panics;

impl ToolView for Panics {
    fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
        let is_calm = call.args.partial().is_some_and(|args| args["calm"] == true);
        assert!(is_calm, "this view is not calm");
        Card { title: Some(Line::from("calm")), ..Card::default() }
    }
}

impl PluginCommand for Panics {
    fn about(&self) -> CommandLine {
        CommandLine { name: "rogue-panic".to_owned(), summary: "panics".to_owned(), ..CommandLine::default() }
    }

    fn complete(&self, _typed: &str) -> Vec<CompletionLine> {
        panic!("in its completion")
    }

    fn run(&self, _arguments: &str, _cx: &RunCx) -> Result<CommandAnswer, String> {
        panic!("in its command")
    }
}
