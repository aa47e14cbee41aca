//! `carpel`: the chat, on a new session or on one that was.
//!
//! What can be told before the screen changes is told here: no terminal, a wrong folder, an unknown provider. When the
//! person picks another session the chat begins again on that one.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::bail;
use carpel_slots::Printable;
use ratatui::layout::Size;

use crate::chat::ending::{Does, Ended, Remains};
use crate::chat::new_session::Wanted;
use crate::chat::picker::SessionRow;
use crate::chat::run::{self, Options};
use crate::chat::window::Signs;
use crate::cli::exit::{self, Exit};
use crate::cli::trust::Asking;
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
        // Who answers in a session that runs is settled there, whatever this terminal has of keys.
        if !matches!(&pod.start, Start::Resume(session) if sessions::runs(session)) {
            pod.check().map_err(exit::of_options)?;
            pod.check_place()?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = options(&common, &pod);
        // It is a draft once.
        common.typed.clear();
        let cwd = pod.cwd.clone();
        let (ended, remains) = runtime.block_on(async { run::run(options, link::start(pod)).await })?;
        // One that works unseen is told of whatever comes next; one that rests is told to who leaves.
        let is_told =
            |remains: &Remains| remains.does != Does::Rest || matches!(ended, Ended::Left | Ended::Stopped);
        if let Some(remains) = remains.filter(is_told) {
            out::error(&last_words(&remains, std::env::current_dir().ok().as_deref()));
        }
        match ended {
            Ended::Left => return Ok(Exit::Done),
            Ended::Stopped => return Ok(Exit::Interrupted),
            Ended::Begin(wanted) => {
                common = common.beginning(&wanted, &cwd, Asking::Person)?;
                start = Start::New;
            }
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

/// What a session does when its chat has ended, and how to come back to it. A running one is found wherever one is
/// (`here`); another needs its folder.
fn last_words(Remains { session, folder, does }: &Remains, here: Option<&Path>) -> Printable {
    let words = match does {
        Does::Work => format!("session {session} works on; `carpel attach {session}` comes back to it"),
        Does::Ask => {
            format!("session {session} waits for your answer; `carpel attach {session}` shows what it asks")
        }
        Does::Rest => {
            let elsewhere = sessions::folder_in(folder).filter(|folder| !is_here(folder, here));
            let cwd = elsewhere.map_or_else(String::new, |folder| format!(" --cwd {}", word(&folder)));
            format!("session {session}; `carpel{cwd} --resume {session}` goes on with it")
        }
    };
    Printable::line(&words)
}

fn is_here(folder: &Path, here: Option<&Path>) -> bool {
    here.and_then(|here| here.canonicalize().ok()).is_some_and(|here| here == folder)
}

/// A path as one word of a shell.
pub(super) fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn options(common: &Common, pod: &PodOptions) -> Options {
    let look = look::from_environment(common.theme);
    let live = common.live_rows();
    Options {
        density: common.density,
        themes: look.themes,
        glyphs: if live.spoken { look.glyphs.heard() } else { look.glyphs },
        dialect: look.dialect,
        colourless: look.colourless,
        flow: FlowOptions { resume: true },
        folders: folders(&pod.cwd),
        registry: common.registry(),
        live,
        sessions: listed,
        beginning: {
            let (common, from) = (common.clone(), pod.cwd.clone());
            Box::new(move |wanted| can_begin(&common, wanted, &from).map_err(|error| sentence::of(&error)))
        },
        history: log::state_folder().map(|folder| HistoryFile::of(&folder)),
        naming: Some(pod.clone()),
        q_leaves: false,
        typed: common.typed.clone(),
        plugins: common.plugins(&pod.cwd),
        signs: Signs { title: common.manifest.ui.title, notify: common.manifest.ui.notify },
    }
}

/// Whether a session as it is wanted could begin now; whoever is asked about a folder is asked later.
fn can_begin(common: &Common, wanted: &Wanted, from: &Path) -> anyhow::Result<()> {
    let pod = common.beginning(wanted, from, Asking::Nobody)?.pod()?;
    pod.check()?;
    pod.check_place()
}

/// The rows of the picker, or why there are none.
fn listed() -> Result<Vec<SessionRow>, String> {
    sessions::rows().map_err(|error| sentence::of(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_a_session_is_told_with_the_way_back() {
        let here = tempfile::tempdir().unwrap();
        let own = here.path().canonicalize().unwrap().display().to_string();
        for (folder, does, expected) in [
            (own.as_str(), Does::Work, "session s works on; `carpel attach s` comes back to it"),
            ("/elsewhere", Does::Work, "session s works on; `carpel attach s` comes back to it"),
            (&own, Does::Ask, "session s waits for your answer; `carpel attach s` shows what it asks"),
            (&own, Does::Rest, "session s; `carpel --resume s` goes on with it"),
            ("", Does::Rest, "session s; `carpel --resume s` goes on with it"),
            ("/else", Does::Rest, "session s; `carpel --cwd /else --resume s` goes on with it"),
            ("/a b", Does::Rest, "session s; `carpel --cwd '/a b' --resume s` goes on with it"),
            ("/it's", Does::Rest, r"session s; `carpel --cwd '/it'\''s' --resume s` goes on with it"),
        ] {
            let remains = Remains { session: "s".to_owned(), folder: folder.to_owned(), does };
            assert_eq!(last_words(&remains, Some(here.path())).as_str(), expected);
        }
    }
}
