//! `carpel attach [SESSION]`: the chat on a session that runs already.
//!
//! Everything that it shows comes from the pod; leaving leaves the pod as it is.

use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::{Common, chat, sessions};
use crate::link::Start;

/// Chat on a session that runs already.
#[derive(Args)]
pub struct Attach {
    /// Its id or the beginning of it; may be left out when only one runs.
    session: Option<String>,
}

impl Attach {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        chat::run(common, Start::Resume(sessions::running_named(self.session.as_deref())?))
    }
}
