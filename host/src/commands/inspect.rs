//! `:inspect` opens the inspector, as Ctrl+T does.
//!
//! It leaves no record in the flow: it changes nothing there. What the inspector is stands in `inspector.rs`.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("inspect", Inspect);

struct Inspect;

impl Command for Inspect {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "inspect",
            summary: "the whole session: move, fold, search, copy",
            usage: "",
            example: ":inspect",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        if !arguments.is_empty() {
            return Err(format!("`{arguments}` is one word too many"));
        }
        Ok(CommandRun { effects: vec![CommandEffect::OpenInspector], ..CommandRun::default() })
    }
}
