//! `:density NAME` changes how much of each item is shown.
//!
//! What is in the scrollback stays as it was committed; what comes next is drawn in the new density.

use carpel_slots::command::{Command, CommandCx, CommandEffect, CommandRun, CommandSpec, Completion, When};
use carpel_slots::{Density, register_command};

register_command!("density", SetDensity);

struct SetDensity;

impl Command for SetDensity {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "density",
            summary: "how much of each item is shown",
            usage: "overview|normal|detail",
            example: ":density detail",
            when: When::Always,
        }
    }

    fn complete(&self, typed: &str, cx: &CommandCx) -> Vec<Completion> {
        let offers = Density::ALL.into_iter().filter(|density| density.name().starts_with(typed));
        offers
            .map(|density| Completion {
                insert: density.name().to_owned(),
                summary: if density == cx.density {
                    format!("{}, as now", meaning(density))
                } else {
                    meaning(density).to_owned()
                },
            })
            .collect()
    }

    fn run(&self, arguments: &str, cx: &CommandCx) -> Result<CommandRun, String> {
        if arguments.is_empty() {
            return Err(format!("it is {} now; which shall it be?", cx.density.name()));
        }
        let density =
            Density::from_name(arguments).ok_or_else(|| format!("there is no density `{arguments}`"))?;
        Ok(CommandRun {
            effects: vec![CommandEffect::SetDensity(density)],
            outcome: meaning(density).to_owned(),
            lines: Vec::new(),
        })
    }
}

fn meaning(density: Density) -> &'static str {
    match density {
        Density::Overview => "a row an item",
        Density::Normal => "a preview of each item",
        Density::Detail => "everything",
    }
}
