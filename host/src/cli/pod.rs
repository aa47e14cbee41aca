//! `carpel pod`: serves a session, on a socket or on stdin and stdout.

use std::path::PathBuf;

use anyhow::Context;
use carpel_pod::guide::Pace;
use carpel_pod::server::place::socket_path;
use carpel_pod::{Pod as Serving, PodConfig};
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
        let config = config(common, self.session.clone(), Pace::chat())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            if self.stdio {
                return Ok(Serving::serve_stdio(config).await?);
            }
            let socket = socket_path(&config.session)?;
            anyhow::Ok(Serving::serve_socket(config, &socket).await?)
        });
        // A tool that does not hear its cancel must not hold up the end of the process.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }
}

/// What a pod is made of, from the command line.
pub(super) fn config(common: &Common, session: Option<String>, pace: Pace) -> anyhow::Result<PodConfig> {
    let cwd = workspace(common)?;
    let provider = carpel_pod::choice::choose(common.provider.as_deref(), common.model.as_deref(), pace)?;
    let mut config = PodConfig::new(cwd, provider);
    if let Some(session) = session {
        config.session = session;
    }
    Ok(config)
}

/// The workspace folder, checked: a wrong one is told before anything starts.
pub(super) fn workspace(common: &Common) -> anyhow::Result<PathBuf> {
    let cwd = match &common.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir().context("the current folder cannot be found; name one with --cwd")?,
    };
    let whole = cwd.canonicalize().with_context(|| {
        format!("the workspace `{}` cannot be opened; name a folder that exists with --cwd", cwd.display())
    })?;
    anyhow::ensure!(whole.is_dir(), "the workspace `{}` is no folder; name one with --cwd", cwd.display());
    Ok(whole)
}
