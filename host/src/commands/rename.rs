//! `:rename TITLE` gives the session a title.
//!
//! The pod keeps the title and tells every client of it; here is only the word.

use carpel_protocol::Method;
use carpel_protocol::method::Rename;
use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::register_command;

register_command!("rename", RenameSession);

/// Characters of a title.
const MOST: usize = 200;

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
        // It stands in one row wherever it is listed.
        let title = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = title.chars().count();
        if length == 0 {
            return Err("a title is missing".to_owned());
        }
        if length > MOST {
            return Err(format!("a title has at most {MOST} characters; this one has {length}"));
        }
        let rename = Method::Rename(Rename { title });
        Ok(CommandRun { effects: vec![CommandEffect::Send(Box::new(rename))], ..CommandRun::default() })
    }
}
