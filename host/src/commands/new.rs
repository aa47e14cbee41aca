//! `:new` opens the dialog of a new session.
//!
//! What it begins stands beside this session, which goes on as if the terminal had been closed.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("new", New);

struct New;

impl Command for New {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "new",
            summary: "begin another session",
            usage: "[FOLDER]",
            example: ":new ~/src/other",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        let effects = vec![CommandEffect::OpenNewSession(arguments.trim().to_owned())];
        Ok(CommandRun { effects, ..CommandRun::default() })
    }
}
