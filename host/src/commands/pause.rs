//! `:pause` holds the turn where it stands; `:resume` lets it go on.
//!
//! Whether there is anything to pause the pod knows, and says so.

use carpel_protocol::Method;
use carpel_protocol::method::Nothing;
use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

use crate::commands::no_arguments;

register_command!("pause", PauseTurn);

struct PauseTurn;

impl Command for PauseTurn {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "pause",
            summary: "hold the turn behind the calls that run now",
            usage: "",
            example: ":pause",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        no_arguments(arguments)?;
        let effects = vec![CommandEffect::Send(Box::new(Method::Pause(Nothing {})))];
        Ok(CommandRun { effects, ..CommandRun::default() })
    }
}
