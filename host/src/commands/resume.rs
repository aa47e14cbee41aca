//! `:resume` lets a turn that was paused go on, or the prompts that wait after a cancel.
//!
//! Whether there is anything to resume the pod knows, and says so.

use carpel_protocol::Method;
use carpel_protocol::method::Nothing;
use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

use crate::commands::no_arguments;

register_command!("resume", ResumeTurn);

struct ResumeTurn;

impl Command for ResumeTurn {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "resume",
            summary: "let a paused turn, or a queue that waits, go on",
            usage: "",
            example: ":resume",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        no_arguments(arguments)?;
        let effects = vec![CommandEffect::Send(Box::new(Method::Resume(Nothing {})))];
        Ok(CommandRun { effects, ..CommandRun::default() })
    }
}
