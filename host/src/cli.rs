//! The command line: what the program can be asked to do, and how it tells what went wrong.
//!
//! One file a subcommand. An error is one sentence on stderr that names the thing, the fact and the way out. Exit
//! codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Nothing but text goes to a pipe.

mod attach;
mod card;
mod chat;
mod common;
mod completions;
mod doctor;
mod exec;
pub mod exit;
mod export;
mod gallery;
mod help;
mod live;
mod log;
mod look;
mod out;
mod plugin;
mod plugin_host;
mod pod;
mod replay;
mod sessions;
mod tool;
pub mod trust;
mod which;

use std::path::Path;
use std::process::ExitCode;

use carpel_slots::Printable;
use clap::{Args, Parser, Subcommand};

use crate::cli::common::Given;
pub use crate::cli::common::{Common, person_file};
use crate::cli::exit::{Exit, Stopped, WrongUsage};
use crate::cli::trust::Asking;
use crate::cli::which::Found;
use crate::link::Start;
use crate::manifest::mistake::BadManifest;
use crate::render::painter::Folders;
use crate::sentence;

/// A terminal chat for coding agents in which every tool call is drawn by a tool view.
#[derive(Parser)]
#[command(name = "carpel", version, about, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    going: Going,
    #[command(flatten)]
    given: Given,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Which session is gone on with.
#[derive(Args)]
struct Going {
    /// Go on with the latest session of this folder.
    #[arg(long = "continue", conflicts_with = "resume")]
    goes_on: bool,
    /// Go on with a session, named by its id or the beginning of it; without a name the latest.
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    resume: Option<Option<String>>,
}

impl Going {
    fn is_named(&self) -> bool {
        self.goes_on || self.resume.is_some()
    }

    /// What a chat in `cwd` goes on with.
    fn start(&self, cwd: &Path) -> anyhow::Result<Start> {
        let Found { id: session, folder } = match &self.resume {
            Some(Some(name)) => which::resumable(name)?,
            None if !self.goes_on => return Ok(Start::New),
            _ => return Ok(Start::Resume(sessions::latest(cwd)?)),
        };
        // Its history speaks of the files of its folder; the same paths elsewhere are other files.
        if let Some(folder) = folder.filter(|folder| *folder != cwd) {
            let way = match folder.is_dir() {
                true => format!("say `--cwd {}`", chat::word(&folder)),
                false => format!(
                    "it is not there any more: make it again, or read the session with `carpel export {session}`"
                ),
            };
            let sentence = format!("session `{session}` belongs to `{}`; {way}", folder.display());
            return Err(WrongUsage(sentence).into());
        }
        Ok(Start::Resume(session))
    }
}

#[derive(Subcommand)]
enum Command {
    /// Run one turn without a terminal: the answer goes to stdout, what is done for it to stderr.
    Exec(exec::Exec),
    /// Play a recording of events through the real host; `q` ends it.
    Replay(replay::Replay),
    /// Print the card of one tool call.
    Card(card::Card),
    /// Run one tool and print what came of it as JSON.
    Tool(tool::Tool),
    /// List past sessions, the latest first.
    Sessions(sessions::Sessions),
    /// Write a session as Markdown.
    Export(export::Export),
    /// Chat on a session that runs already.
    Attach(attach::Attach),
    /// Say that you trust what this folder brings, or that you do not any more.
    Trust(trust::Trust),
    /// Say what carpel finds here: terminal, provider, paths, permissions, and what is missing.
    Doctor(doctor::Doctor),
    /// Show every registered view in every state; `q` ends it.
    Gallery(gallery::GalleryArgs),
    /// Write views for tools of your own, check them, list those that are used.
    Plugin(plugin::Plugin),
    /// Print what a shell needs to complete carpel's options, sessions and files.
    Completions(completions::Completions),
    /// Run a plugin within limits: the chat starts each of its plugins so.
    PluginHost(plugin_host::PluginHost),
    /// Serve a session: the part that runs the agent.
    Pod(pod::Pod),
}

/// Does what the command line asks and tells how it went.
pub fn main() -> ExitCode {
    match completions::answered(std::env::args_os()) {
        Ok(false) => {}
        Ok(true) => return Exit::Done.into(),
        Err(error) => return exit::usage(&error),
    }
    let cli = match help::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    // What a plugin runs in writes nothing of its own.
    if !matches!(cli.command, Some(Command::PluginHost(_))) {
        log::start();
    }
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            tell(&error);
            exit::of(&error)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let (given, going) = (cli.given, cli.going);
    match cli.command {
        None => {
            chat::check_terminal()?;
            // Nobody is asked about a folder for a session that there is not.
            let start = going.start(&given.workspace()?)?;
            chat::run(&given.settled(Asking::Person)?, start)
        }
        Some(Command::Exec(exec)) => exec.run(&given.settled(Asking::Nobody)?, &going),
        // A session that is named and not used would be a promise that is not kept.
        Some(_) if going.is_named() => Err(WrongUsage(
            "--continue and --resume before a subcommand go with `exec` only; leave them out".to_owned(),
        )
        .into()),
        // What is printed is the same everywhere; on a terminal a person's own look holds.
        Some(Command::Replay(replay)) if replay.prints() => replay.run(&given.plain()),
        Some(Command::Replay(replay)) => replay.run(&given.settled(Asking::Nobody)?),
        Some(Command::Card(card)) => card.run(&given.plain()),
        Some(Command::Tool(tool)) => tool.run(&given.settled(Asking::Nobody)?),
        Some(Command::Sessions(sessions)) => sessions.run(&given.workspace()?),
        Some(Command::Export(export)) => export.run(&given.of_person()?),
        Some(Command::Attach(attach)) => attach.run(given),
        Some(Command::Trust(trust)) => trust.run(&given.workspace()?),
        Some(Command::Doctor(doctor)) => doctor.run(given),
        Some(Command::Gallery(gallery)) if gallery.prints() => gallery.run(&given.plain()),
        Some(Command::Gallery(gallery)) => gallery.run(&given.of_person()?),
        Some(Command::Plugin(plugin)) => plugin.run(given),
        Some(Command::Completions(completions)) => completions.run(),
        Some(Command::PluginHost(host)) => Ok(host.run()),
        Some(Command::Pod(pod)) => pod.run(&given.settled(Asking::Nobody)?),
    }
}

/// One sentence on stderr; of a manifest one for each mistake.
fn tell(error: &anyhow::Error) {
    if let Some(bad) = error.downcast_ref::<BadManifest>() {
        bad.lines().iter().for_each(|line| out::error(&Printable::exact(&format!("carpel: {line}"))));
    } else if error.downcast_ref::<Stopped>().is_none() {
        out::error(&Printable::exact(&format!("carpel: {}", sentence::of(error))));
    }
}

/// The folders by which paths are shortened on the screen.
fn folders(cwd: &Path) -> Folders {
    Folders { cwd: cwd.to_string_lossy().into_owned(), home: std::env::var("HOME").ok() }
}
