//! `:quit` leaves the program.
//!
//! The pod decides for itself whether its work goes on.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

use crate::commands::no_arguments;

register_command!("quit", Quit);

struct Quit;

impl Command for Quit {
    fn spec(&self) -> CommandSpec {
        CommandSpec { name: "quit", summary: "leave carpel", usage: "", example: ":quit", when: When::Always }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        no_arguments(arguments)?;
        Ok(CommandRun { effects: vec![CommandEffect::Quit], ..CommandRun::default() })
    }
}
