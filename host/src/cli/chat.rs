//! `carpel`: the chat.
//!
//! What can be told before the screen changes is told here: no terminal, a wrong folder, an unknown provider.

use std::io::IsTerminal;

use anyhow::bail;

use crate::chat::run::{self, Ended, Options};
use crate::cli::exit::{Exit, WrongUsage};
use crate::cli::{Common, folders, look};
use crate::flow::FlowOptions;
use crate::link;

pub(super) fn run(common: &Common) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!("the chat needs a terminal on stdin and stdout; without one use `carpel exec \"PROMPT\"`");
    }
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        bail!("the terminal says that it is dumb (TERM=dumb); use `carpel exec \"PROMPT\"`, or set TERM");
    }
    let pod = common.pod()?;
    pod.check().map_err(|error| WrongUsage(error.to_string()))?;
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
