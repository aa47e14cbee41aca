//! `carpel plugin list`: which plugins there are, each with what it draws or why it is not used.
//!
//! It looks where a chat in this folder would, has each say hello, and ends them again. What a plugin may do to whoever
//! starts it is the business of [`crate::plugins`].

use anyhow::Context as _;
use carpel_slots::Printable;
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::{Common, out};
use crate::plugins::{Plugins, listing};

/// List plugins, each with what it draws or why it is not used.
#[derive(Args)]
pub struct List {}

impl List {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let setting = common.plugins(&common.workspace()?).context(
            "the program's own file cannot be found, which would start the plugins; call it by its path",
        )?;
        let mut plugins =
            Plugins::start_once(setting, common.registry()).context("plugins cannot be looked for")?;
        while !plugins.is_settled() && plugins.wait().is_some() {}
        let rows = plugins.rows();
        let lines = listing::lines(&rows, &plugins.registry());
        let mut printed = vec![Printable::line(&listing::summary(&rows))];
        printed.extend(lines.iter().map(|line| Printable::line(&line.text())));
        out::rows(&printed)?;
        Ok(Exit::Done)
    }
}
