//! `:compact [WHAT TO KEEP]` sums up the history, so that the model's window has room again.
//!
//! A typed method of the pod, never text of a prompt; how it goes and what came of it the pod tells every client.

use carpel_protocol::Method;
use carpel_protocol::method::Compact;
use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("compact", CompactHistory);

struct CompactHistory;

impl Command for CompactHistory {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "compact",
            summary: "sum up the history, to make room in the model's window",
            usage: "[WHAT TO KEEP]",
            example: ":compact keep the file names",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        let instructions = Some(arguments.trim().to_owned()).filter(|text| !text.is_empty());
        let effects = vec![CommandEffect::Send(Box::new(Method::Compact(Compact { instructions })))];
        Ok(CommandRun { effects, ..CommandRun::default() })
    }
}
