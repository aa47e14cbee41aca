//! `carpel pod`: serves a session, on a socket or on stdin and stdout.
//!
//! It is what the chat starts for itself. It draws nothing; what goes wrong is one sentence on stderr.

use carpel_pod::guide::Pace;
use carpel_pod::server::place::socket_path;
use carpel_pod::{Pod as Serving, SessionChoice};
use clap::Args;

use crate::cli::Common;
use crate::cli::exit::Exit;

/// Serve a session: the part that runs the agent.
#[derive(Args)]
pub struct Pod {
    /// Speak the protocol on stdin and stdout instead of a socket.
    #[arg(long)]
    stdio: bool,
    /// Identity of the session [default: a new one].
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Pod {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let mut config = common.pod()?.config(Pace::chat())?;
        if let Some(session) = &self.session {
            config.session = SessionChoice::New(session.clone());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            if self.stdio {
                return Ok(Serving::serve_stdio(config).await?);
            }
            let socket = socket_path(config.session.id())?;
            anyhow::Ok(Serving::serve_socket(config, &socket).await?)
        });
        // A tool that does not hear its cancel must not hold up the end of the process.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }
}
