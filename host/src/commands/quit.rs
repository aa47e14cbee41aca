//! `:quit` leaves the program.
//!
//! The pod decides for itself whether its work goes on.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("quit", Quit);

struct Quit;

impl Command for Quit {
    fn spec(&self) -> CommandSpec {
        CommandSpec { name: "quit", summary: "leave carpel", usage: "", example: ":quit", when: When::Always }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        if !arguments.is_empty() {
            return Err(format!("`{arguments}` is one word too many"));
        }
        Ok(CommandRun { effects: vec![CommandEffect::Quit], ..CommandRun::default() })
    }
}
