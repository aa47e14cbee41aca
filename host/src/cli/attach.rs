//! `carpel attach [SESSION]`: the chat on a session that runs already.
//!
//! Everything that it shows comes from the pod; leaving leaves the pod as it is.

use clap::Args;

use crate::cli::common::Given;
use crate::cli::exit::Exit;
use crate::cli::trust::Asking;
use crate::cli::{chat, which};
use crate::link::Start;

/// Chat on a session that runs already.
#[derive(Args)]
pub struct Attach {
    /// Its id or the beginning of it; without it the one that runs, or a list where several do.
    session: Option<String>,
}

impl Attach {
    pub(super) fn run(&self, given: Given) -> anyhow::Result<Exit> {
        // Which sessions run is worth telling where no terminal is, too.
        let found = which::running(self.session.as_deref(), &given.workspace()?)?;
        chat::check_terminal()?;
        // What is shown and named is of its own folder, as long as that is there.
        let given = match found.folder.filter(|folder| folder.is_dir()) {
            Some(folder) => given.in_folder(folder),
            None => given,
        };
        // Its pod runs already, with what was trusted then.
        chat::run(&given.settled(Asking::Nobody)?, Start::Resume(found.id))
    }
}
