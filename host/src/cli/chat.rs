//! `carpel`: the chat.

use std::io::IsTerminal;

use anyhow::bail;

use carpel_pod::guide::Pace;

use crate::chat::run::{self, Ended, Options};
use crate::cli::exit::Exit;
use crate::cli::{Common, folders, log, look, pod};
use crate::flow::FlowOptions;
use crate::link::{self, PodOptions};

pub(super) fn run(common: &Common) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!("the chat needs a terminal on stdin and stdout; without one use `carpel exec \"PROMPT\"`");
    }
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        bail!("the terminal says that it is dumb (TERM=dumb); use `carpel exec \"PROMPT\"`, or set TERM");
    }
    let pod = pod_options(common)?;
    let (look, depth) = look::from_environment();
    let options = Options {
        density: common.density,
        look,
        depth,
        flow: FlowOptions { resume: true },
        folders: folders(&pod.cwd),
        q_leaves: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async { run::run(options, link::start(pod)).await })?;
    Ok(if ended == Ended::Left { Exit::Done } else { Exit::Interrupted })
}

/// What a pod is started with, checked as far as the host can: a mistake is told before the screen changes.
fn pod_options(common: &Common) -> anyhow::Result<PodOptions> {
    carpel_pod::choice::choose(common.provider.as_deref(), common.model.as_deref(), Pace::chat())?;
    let cwd = pod::workspace(common)?;
    let log = log::state_folder().map(|folder| folder.join(format!("pod-{}.log", std::process::id())));
    Ok(PodOptions { cwd, provider: common.provider.clone(), model: common.model.clone(), log })
}
