//! The command line: what the program can be asked to do, and how it tells what went wrong.
//!
//! One file a subcommand. An error is one sentence on stderr that names the thing, the fact and the way out. Exit
//! codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Nothing but text goes to a pipe.

mod attach;
mod card;
mod chat;
mod exec;
pub mod exit;
mod live;
mod log;
mod look;
mod out;
mod pod;
mod replay;
mod sessions;
mod tool;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use carpel_slots::{Density, Printable, ThemeName};
use clap::{Args, Parser, Subcommand};

use crate::cli::exit::WrongUsage;
use crate::link::{self, PodOptions, Start};
use crate::render::painter::Folders;

/// A terminal chat for coding agents in which every tool call is drawn by a tool view.
#[derive(Parser)]
#[command(name = "carpel", version, about, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    going: Going,
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

    fn start(&self, common: &Common) -> anyhow::Result<Start> {
        match &self.resume {
            Some(Some(name)) => Ok(Start::Resume(sessions::named(name)?)),
            None if !self.goes_on => Ok(Start::New),
            _ => Ok(Start::Resume(sessions::latest(&common.workspace()?)?)),
        }
    }
}

/// Options that may stand before or after the subcommand.
#[derive(Args, Clone)]
struct Common {
    /// Who answers; in this version only `guide`, which needs no model and no network.
    #[arg(long, global = true, value_name = "NAME")]
    provider: Option<String>,
    /// The model, as the provider names it.
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// The workspace folder [default: the current folder].
    #[arg(long, global = true, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// What may be done without asking: ask, edits, all or read-only.
    #[arg(long, global = true, value_name = "MODE", value_parser = approval_mode, default_value = "ask")]
    approval_mode: String,
    /// How much of each item is shown: overview, normal or detail.
    #[arg(long, global = true, value_name = "NAME", value_parser = density, default_value = "normal")]
    density: Density,
    /// Which colours are used: auto (as the background asks for), dark, light, high-contrast or none.
    #[arg(long, global = true, value_name = "NAME", value_parser = theme)]
    theme: Option<ThemeName>,
}

impl Common {
    /// What a pod is started with.
    fn pod(&self) -> anyhow::Result<PodOptions> {
        Ok(PodOptions {
            cwd: self.workspace()?,
            provider: self.provider.clone(),
            model: self.model.clone(),
            approval_mode: self.approval_mode.clone(),
            start: Start::New,
        })
    }

    /// The workspace folder. A wrong one is told here, before anything starts.
    fn workspace(&self) -> anyhow::Result<PathBuf> {
        let cwd = match &self.cwd {
            Some(cwd) => cwd.clone(),
            None => {
                std::env::current_dir().context("the current folder cannot be found; name one with --cwd")?
            }
        };
        let shown = cwd.display();
        let whole = cwd.canonicalize().map_err(|error| {
            WrongUsage(format!(
                "the workspace `{shown}` cannot be opened ({error}); name a folder that exists with --cwd"
            ))
        })?;
        if !whole.is_dir() {
            return Err(
                WrongUsage(format!("the workspace `{shown}` is no folder; name one with --cwd")).into()
            );
        }
        Ok(whole)
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
    /// Chat on a session that runs already.
    Attach(attach::Attach),
    /// Serve a session: the part that runs the agent.
    Pod(pod::Pod),
}

fn approval_mode(name: &str) -> Result<String, String> {
    link::mode(name).map(|_| name.to_owned())
}

fn density(name: &str) -> Result<Density, String> {
    Density::from_name(name).ok_or_else(|| "one of overview, normal, detail".to_owned())
}

fn theme(name: &str) -> Result<ThemeName, String> {
    ThemeName::from_name(name).ok_or_else(|| "one of auto, dark, light, high-contrast, none".to_owned())
}

/// Does what the command line asks and tells how it went.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    log::start();
    let (common, going) = (cli.common, cli.going);
    let done = match cli.command {
        None => going.start(&common).and_then(|start| chat::run(&common, start)),
        Some(Command::Exec(exec)) => exec.run(&common, &going),
        // A session that is named and not used would be a promise that is not kept.
        Some(_) if going.is_named() => Err(WrongUsage(
            "--continue and --resume before a subcommand go with `exec` only; leave them out".to_owned(),
        )
        .into()),
        Some(Command::Replay(replay)) => replay.run(&common),
        Some(Command::Card(card)) => card.run(&common),
        Some(Command::Tool(tool)) => tool.run(&common),
        Some(Command::Sessions(sessions)) => common.workspace().and_then(|cwd| sessions.run(&cwd)),
        Some(Command::Attach(attach)) => attach.run(&common),
        Some(Command::Pod(pod)) => pod.run(&common),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            let sentence = Printable::line(&format!("{error:#}"));
            out::error(&format!("carpel: {sentence}"));
            exit::of(&error)
        }
    }
}

/// The folders by which paths are shortened on the screen.
fn folders(cwd: &Path) -> Folders {
    Folders { cwd: cwd.to_string_lossy().into_owned(), home: std::env::var("HOME").ok() }
}
