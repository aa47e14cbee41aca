//! `:rename TITLE` gives the session a title.
//!
//! The pod keeps the title and tells every client of it; here is only the word.

use carpel_protocol::Method;
use carpel_protocol::method::Rename;
use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("rename", RenameSession);

struct RenameSession;

impl Command for RenameSession {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "rename",
            summary: "give the session a title",
            usage: "TITLE",
            example: ":rename parser clean-up",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        if arguments.is_empty() {
            return Err("a title is missing".to_owned());
        }
        let rename = Method::Rename(Rename { title: arguments.to_owned() });
        Ok(CommandRun { effects: vec![CommandEffect::Send(Box::new(rename))], ..CommandRun::default() })
    }
}
