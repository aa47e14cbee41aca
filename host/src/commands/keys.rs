//! `:keys` lists every key and what it does.
//!
//! The list is made of the tables that the keys are read by.

use carpel_slots::command::{Command, CommandCx, CommandRun, CommandSpec, When};
use carpel_slots::{Line, Role, register_command};

use crate::chat::key;
use crate::commands::no_arguments;
use crate::composer::bindings::BINDINGS;

register_command!("keys", Keys);

struct Keys;

impl Command for Keys {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "keys",
            summary: "every key and what it does",
            usage: "",
            example: ":keys",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        no_arguments(arguments)?;
        Ok(CommandRun { lines: lines(), ..CommandRun::default() })
    }
}

fn lines() -> Vec<Line> {
    let chat = key::KEYS.iter().map(|(keys, meaning)| ((*keys).to_owned(), *meaning));
    let draft = BINDINGS.iter().map(|binding| {
        let keys: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
        (keys.join(", "), binding.meaning)
    });
    let rows: Vec<(String, &str)> = chat.chain(draft).collect();
    let width = rows.iter().map(|(keys, _)| keys.chars().count()).max().unwrap_or_default();
    let rows = rows.iter();
    rows.map(|(keys, meaning)| {
        Line::of(Role::Accent, &format!("{keys:width$}")).and(Role::Plain, &format!("  {meaning}"))
    })
    .collect()
}
