//! `carpel plugin ...`: what the author of a plugin does with this program.
//!
//! One file a verb. What a plugin is and says is `carpel-slots`' business, how to write one `docs/writing-a-tool-view.md`'s.

use clap::{Args, Subcommand};

use crate::cli::common::Given;
use crate::cli::exit::Exit;
use crate::cli::trust::Asking;

mod check;
mod dev;
mod drawing;
mod list;
mod new;
mod project;

/// Write views for tools of your own, check them, list those that are used.
#[derive(Args)]
pub struct Plugin {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Make a project of a plugin that builds and has a passing test.
    New(new::New),
    /// Run a plugin through every state, density, width and hostile input, and print what is wrong with it.
    Check(check::Check),
    /// Show a plugin's views in every state, anew whenever its file changes; `q` ends it.
    Dev(dev::Dev),
    /// List plugins, each with what it draws or why it is not used.
    List(list::List),
}

impl Plugin {
    pub(super) fn run(&self, given: Given) -> anyhow::Result<Exit> {
        match &self.verb {
            Verb::New(new) => new.run(&given.workspace()?),
            Verb::Check(check) => check.run(),
            Verb::Dev(dev) => dev.run(&given.of_person()?),
            Verb::List(list) => list.run(&given.settled(Asking::Nobody)?),
        }
    }
}
