//! `carpel`: the chat, on a new session or on one that was.
//!
//! What can be told before the screen changes is told here: no terminal, a wrong folder, an unknown provider. When the
//! person picks another session the chat begins again on that one.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::bail;
use carpel_slots::Printable;
use ratatui::layout::Size;

use crate::chat::picker::SessionRow;
use crate::chat::run::{self, Ended, Options};
use crate::cli::exit::{self, Exit};
use crate::cli::{Common, folders, log, look, out, sessions};
use crate::flow::FlowOptions;
use crate::history_file::HistoryFile;
use crate::link::{self, PodOptions, Start};
use crate::sentence;
use crate::terminal::dialect;
use crate::terminal::tty::Tty;

/// Whether a chat can be had here at all.
///
/// # Errors
/// When there is no terminal, or one that cannot be drawn on.
pub(super) fn check_terminal() -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!(
            "the chat needs a terminal on stdin and stdout; without one use `carpel exec \"PROMPT\"`, or `carpel exec -` \
             for a prompt on stdin"
        );
    }
    if let Some(reason) = dialect::refusal(std::env::var("TERM").ok().as_deref()) {
        bail!("{reason}; use `carpel exec \"PROMPT\"`, or set TERM");
    }
    match too_small(Tty::open()?.size()) {
        Some(sentence) => bail!("{sentence}"),
        None => Ok(()),
    }
}

/// Fewer cells show neither a draft nor a question.
pub(super) const FEWEST_CELLS: u32 = 12;

/// What is wrong with a window of this size, if it is known. Nothing is written to one that could show nothing.
pub(super) fn too_small(size: Size) -> Option<String> {
    let cells = u32::from(size.width) * u32::from(size.height);
    (1..FEWEST_CELLS).contains(&cells).then(|| {
        format!(
            "the window is {}x{}; the chat needs room for at least {FEWEST_CELLS} cells; enlarge it and start again, or \
             use `carpel exec \"PROMPT\"`",
            size.width, size.height
        )
    })
}

/// Chats. The terminal has been checked.
pub(super) fn run(common: &Common, start: Start) -> anyhow::Result<Exit> {
    let mut start = start;
    let mut common = common.clone();
    loop {
        let mut pod = common.pod()?;
        pod.start = start;
        pod.check().map_err(exit::of_options)?;
        pod.check_place()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = options(&common, &pod);
        // It is a draft once.
        common.typed.clear();
        let cwd = pod.cwd.clone();
        match runtime.block_on(async { run::run(options, link::start(pod)).await })? {
            Ended::Left { session, goes_on } => {
                if let Some(session) = session {
                    let session = Printable::line(&session);
                    out::error(&Printable::line(&if goes_on {
                        format!("session {session} is still at work; `carpel attach {session}` shows it")
                    } else {
                        format!(
                            "session {session}; `carpel{} --resume {session}` goes on with it",
                            elsewhere(&cwd)
                        )
                    }));
                }
                return Ok(Exit::Done);
            }
            Ended::Stopped => return Ok(Exit::Interrupted),
            Ended::Switch(session) => {
                // Its history speaks of the files of its folder, so that is where it goes on.
                if let Some(folder) = sessions::folder_of(&session)?.filter(|folder| *folder != cwd) {
                    common = common.in_folder(folder)?;
                }
                start = Start::Resume(session);
            }
        }
    }
}

/// What a command line needs besides, where the workspace is not the current folder.
fn elsewhere(cwd: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if here.is_ok_and(|here| here == cwd) { String::new() } else { format!(" --cwd {}", cwd.display()) }
}

fn options(common: &Common, pod: &PodOptions) -> Options {
    let look = look::from_environment(common.theme);
    Options {
        density: common.density,
        themes: look.themes,
        glyphs: look.glyphs,
        dialect: look.dialect,
        colourless: look.colourless,
        flow: FlowOptions { resume: true },
        folders: folders(&pod.cwd),
        registry: common.registry(),
        live: common.live_rows(),
        sessions: listed,
        history: log::state_folder().map(|folder| HistoryFile::of(&folder)),
        naming: Some(pod.clone()),
        q_leaves: false,
        typed: common.typed.clone(),
    }
}

/// The rows of the picker. What cannot be listed is told in the log; the picker is then empty.
fn listed() -> Vec<SessionRow> {
    sessions::rows().unwrap_or_else(|error| {
        tracing::warn!(error = sentence::of(&error), "past sessions cannot be listed");
        Vec::new()
    })
}
