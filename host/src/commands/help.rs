//! `:help [NAME]` lists the commands and the chat's keys, or explains one command.
//!
//! The list is made from what the commands say of themselves; the keys of the draft are in `:keys`.

use carpel_slots::command::{Command, CommandCx, CommandRun, CommandSpec, Completion, When};
use carpel_slots::{Line, Role, register_command};

use crate::chat::key;

register_command!("help", Help);

struct Help;

impl Command for Help {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "help",
            summary: "the commands and the keys",
            usage: "[NAME]",
            example: ":help density",
            when: When::Always,
        }
    }

    fn complete(&self, typed: &str, cx: &CommandCx) -> Vec<Completion> {
        let offers = cx.commands.iter().filter(|spec| spec.name.starts_with(typed));
        offers
            .map(|spec| Completion { insert: spec.name.to_owned(), summary: spec.summary.to_owned() })
            .collect()
    }

    fn run(&self, arguments: &str, cx: &CommandCx) -> Result<CommandRun, String> {
        if arguments.is_empty() {
            return Ok(CommandRun { lines: everything(cx), ..CommandRun::default() });
        }
        let spec = cx.commands.iter().find(|spec| spec.name == arguments.trim_start_matches(':'));
        let spec = spec.ok_or_else(|| format!("there is no command `{arguments}`"))?;
        Ok(CommandRun { lines: one(spec), ..CommandRun::default() })
    }
}

fn everything(cx: &CommandCx) -> Vec<Line> {
    let commands = cx.commands.iter().map(|spec| (signature(spec), spec.summary));
    let keys = key::KEYS.iter().map(|(key, meaning)| ((*key).to_owned(), *meaning));
    let rows: Vec<(String, &str)> = commands.chain(keys).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let rows = rows.iter();
    rows.map(|(name, meaning)| {
        Line::of(Role::Accent, &format!("{name:width$}")).and(Role::Plain, &format!("  {meaning}"))
    })
    .collect()
}

fn one(spec: &CommandSpec) -> Vec<Line> {
    vec![
        Line::of(Role::Accent, &signature(spec)).and(Role::Plain, &format!("  {}", spec.summary)),
        Line::of(Role::Dim, &format!("for example {}", spec.example)),
    ]
}

fn signature(spec: &CommandSpec) -> String {
    if spec.usage.is_empty() { format!(":{}", spec.name) } else { format!(":{} {}", spec.name, spec.usage) }
}
