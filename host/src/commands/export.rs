//! `:export FILE` writes the session to a file as Markdown.
//!
//! Here is only the word, and how its record looks; what is written is `export`'s business, where it goes the loop's. The
//! record comes when the file is there, or with the reason why it is not.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, When};
use carpel_slots::record::{CommandRecord, CommandView};
use carpel_slots::{Card, CardCx, Line, Role, register_command, register_command_view};

register_command!("export", Export);
register_command_view!("export", ExportView);

struct Export;

impl Command for Export {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "export",
            summary: "write the session to a file as Markdown",
            usage: "[--force] [--no-thinking] FILE",
            example: ":export talk.md",
            when: When::Always,
        }
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        let Wanted { file, force, thinking } = read(arguments)?;
        let file = file.to_owned();
        Ok(CommandRun {
            effects: vec![CommandEffect::Export { file, force, thinking }],
            ..CommandRun::default()
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Wanted<'a> {
    file: &'a str,
    force: bool,
    thinking: bool,
}

/// Options stand in front of the file or behind it; a name with blanks needs no quotes.
fn read(arguments: &str) -> Result<Wanted<'_>, String> {
    let mut wanted = Wanted { file: arguments.trim(), force: false, thinking: true };
    while let Some((option, rest)) = option(wanted.file) {
        match option {
            "--force" => wanted.force = true,
            "--no-thinking" => wanted.thinking = false,
            other => return Err(format!("there is no option `{other}`; a file of that name is `./{other}`")),
        }
        wanted.file = rest;
    }
    if wanted.file.is_empty() { Err("the name of a file is missing".to_owned()) } else { Ok(wanted) }
}

/// An option at either end, and what remains.
fn option(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if first.starts_with("--") {
        return Some((first, rest.trim()));
    }
    let (rest, last) = text.rsplit_once(char::is_whitespace)?;
    last.starts_with("--").then(|| (last, rest.trim()))
}

/// The file is a path.
struct ExportView;

impl CommandView for ExportView {
    fn card(&self, record: &CommandRecord, _cx: &CardCx) -> Card {
        let file = read(record.arguments()).map_or(record.arguments(), |wanted| wanted.file);
        Card { title: Some(Line::of(Role::Path, file)), ..Card::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_files() {
        let rows = [
            ("talk.md", Ok(("talk.md", false, true))),
            ("--force a b.md", Ok(("a b.md", true, true))),
            ("a b.md --force", Ok(("a b.md", true, true))),
            ("--no-thinking ~/x.md --force", Ok(("~/x.md", true, false))),
            ("", Err("the name of a file is missing")),
            ("--force", Err("the name of a file is missing")),
            ("--all x", Err("there is no option `--all`; a file of that name is `./--all`")),
        ];
        for (arguments, want) in rows {
            let got = read(arguments);
            let got = got.as_ref().map(|wanted| (wanted.file, wanted.force, wanted.thinking));
            assert_eq!(got.map_err(String::as_str), want, "{arguments:?}");
        }
    }
}
