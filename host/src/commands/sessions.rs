//! `:sessions` opens the picker of past sessions.
//!
//! Choosing one leaves this session as it is and shows the other.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

use crate::commands::no_arguments;

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
        no_arguments(arguments)?;
        Ok(CommandRun { effects: vec![CommandEffect::OpenSessions], ..CommandRun::default() })
    }
}
