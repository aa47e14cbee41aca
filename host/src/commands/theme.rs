//! `:theme NAME` changes the colours.
//!
//! What is in the scrollback keeps those that it was committed with; what comes next is drawn in the new ones.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, Completion, When};
use carpel_slots::{ThemeName, register_command};

register_command!("theme", SetTheme);

struct SetTheme;

impl Command for SetTheme {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "theme",
            summary: "which colours are used",
            usage: "auto|dark|light|high-contrast|none",
            example: ":theme light",
            when: When::Always,
        }
    }

    fn complete(&self, typed: &str, cx: &CommandCx) -> Vec<Completion> {
        let offers = ThemeName::ALL.into_iter().filter(|theme| theme.name().starts_with(typed));
        offers
            .map(|theme| Completion {
                insert: theme.name().to_owned(),
                summary: if theme == cx.theme {
                    format!("{}, as now", meaning(theme))
                } else {
                    meaning(theme).to_owned()
                },
            })
            .collect()
    }

    fn run(&self, arguments: &str, cx: &CommandCx) -> Result<CommandRun, String> {
        if arguments.is_empty() {
            return Err(format!("it is {} now; which shall it be?", cx.theme.name()));
        }
        let theme =
            ThemeName::from_name(arguments).ok_or_else(|| format!("there is no theme `{arguments}`"))?;
        Ok(CommandRun {
            effects: vec![CommandEffect::SetTheme(theme)],
            outcome: meaning(theme).to_owned(),
            lines: Vec::new(),
        })
    }
}

fn meaning(theme: ThemeName) -> &'static str {
    match theme {
        ThemeName::Auto => "as the terminal's background asks for",
        ThemeName::Dark => "for a dark background",
        ThemeName::Light => "for a light background",
        ThemeName::HighContrast => "bold, underline and reverse, nothing dim",
        ThemeName::None => "no colours",
    }
}
