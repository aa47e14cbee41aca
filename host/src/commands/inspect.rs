//! `:inspect` opens the inspector, as Ctrl+T does.
//!
//! It leaves no record in the flow: it changes nothing there. What the inspector is stands in `inspector.rs`.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

use crate::commands::no_arguments;

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
        no_arguments(arguments)?;
        Ok(CommandRun { effects: vec![CommandEffect::OpenInspector], ..CommandRun::default() })
    }
}
