//! `carpel pod`: serves a session, on a socket or on stdin and stdout.
//!
//! It is what the chat starts for itself. Served on a socket it prints the session and the socket's path first. It
//! draws nothing; what goes wrong is one sentence on stderr.

use carpel_pod::server::place::socket_path;
use carpel_pod::{Pod as Serving, SessionChoice};
use carpel_slots::Printable;
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::{Common, out, which};

/// Serve a session: the part that runs the agent.
#[derive(Args)]
pub struct Pod {
    /// Speak the protocol on stdin and stdout instead of a socket.
    #[arg(long)]
    stdio: bool,
    /// Identity of a new session [default: made up].
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    session: Option<String>,
    /// A session to go on with, named by its id or the beginning of it.
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
}

impl Pod {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let options = common.pod()?;
        let mut config = options.config(options.pace())?;
        if let Some(session) = &self.session {
            config.session = SessionChoice::New(session.clone());
        } else if let Some(session) = &self.resume {
            config.session = SessionChoice::Resume(which::whole(session)?);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            if self.stdio {
                return Ok(Serving::serve_stdio(config).await?);
            }
            let socket = socket_path(config.session.id())?;
            let line = format!("{}  {}", config.session.id(), socket.display());
            out::rows(&[Printable::line(&line)])?;
            anyhow::Ok(Serving::serve_socket(config, &socket).await?)
        });
        // A tool that does not hear its cancel must not hold up the end of the process.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }
}
