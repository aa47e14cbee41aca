//! `:sessions` opens the picker of past sessions.
//!
//! Choosing one leaves this session as it is and shows the other.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("sessions", Sessions);

struct Sessions;

impl Command for Sessions {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "sessions",
            summary: "open another session",
            usage: "",
            example: ":sessions",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        if !arguments.is_empty() {
            return Err(format!("`{arguments}` is one word too many"));
        }
        Ok(CommandRun { effects: vec![CommandEffect::OpenSessions], ..CommandRun::default() })
    }
}
