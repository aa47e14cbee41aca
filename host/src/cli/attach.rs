//! `carpel attach [SESSION]`: the chat on a session that runs already.
//!
//! Everything that it shows comes from the pod; leaving leaves the pod as it is.

use clap::Args;

use crate::cli::common::Given;
use crate::cli::exit::Exit;
use crate::cli::trust::Asking;
use crate::cli::{chat, sessions};
use crate::link::Start;

/// Chat on a session that runs already.
#[derive(Args)]
pub struct Attach {
    /// Its id or the beginning of it; without it the one of this folder, or the one at work.
    session: Option<String>,
}

impl Attach {
    pub(super) fn run(&self, given: Given) -> anyhow::Result<Exit> {
        // Which sessions run is worth telling where no terminal is, too.
        let session = sessions::running_named(self.session.as_deref(), &given.workspace()?)?;
        chat::check_terminal()?;
        // Its pod runs already, with what was trusted then.
        chat::run(&given.settled(Asking::Nobody)?, Start::Resume(session))
    }
}
