//! `:plugins` lists the plugins, each with what it draws or why it is not used, and loads them anew.
//!
//! What there is to tell the keeper of plugins knows; the record comes when it has answered.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, Completion, When};
use carpel_slots::register_command;

register_command!("plugins", Plugins);

struct Plugins;

impl Command for Plugins {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "plugins",
            summary: "list plugins, or load them anew",
            usage: "[reload [NAME]]",
            example: ":plugins reload",
            when: When::Always,
        }
    }

    fn complete(&self, _typed: &str, _cx: &CommandCx) -> Vec<Completion> {
        vec![Completion { insert: "reload".to_owned(), summary: "start them anew".to_owned() }]
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let effect = match words.as_slice() {
            [] => CommandEffect::ListPlugins,
            ["reload"] => CommandEffect::ReloadPlugins { name: String::new() },
            ["reload", name] => CommandEffect::ReloadPlugins { name: (*name).to_owned() },
            ["reload", _, more, ..] => return Err(format!("`{more}` is one word too many")),
            [word, ..] => {
                return Err(format!("`{word}` is no word of it; there is `:plugins reload [NAME]`"));
            }
        };
        Ok(CommandRun { effects: vec![effect], ..CommandRun::default() })
    }
}
