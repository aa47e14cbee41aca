//! `carpel completions SHELL`: what a shell needs to complete carpel's command line.
//!
//! The script asks this program at each Tab, so what is offered is true then: sessions by their ids, the tools and views
//! that there are. Owns which argument offers which values; clap_complete speaks with the shells. What is offered is told
//! to a shell and to whoever looks at it, so titles and names go through `Printable`. How it is installed is
//! `docs/shell-completions.md`'s.

use std::ffi::OsString;

use anyhow::Context;
use carpel_slots::{CallState, Density, Printable, Registry, ThemeName};
use clap::builder::PossibleValue;
use clap::{Args, CommandFactory, ValueEnum, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use crate::chat::picker::SessionRow;
use crate::cli::exit::Exit;
use crate::cli::{Cli, gallery, help, out, sessions, tool};
use crate::link::{Mode, provider_names};

/// Under which variable a shell asks for values: a name of our own, since another's `COMPLETE` is not meant for us.
const VARIABLE: &str = "CARPEL_COMPLETE";

/// Ids that are offered: the latest, which are those that somebody goes back to.
const SESSIONS: usize = 50;

/// Print what a shell needs to complete carpel's options, sessions and files.
#[derive(Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// A shell that can be told how to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Elvish => "elvish",
            Shell::Powershell => "powershell",
        }
    }
}

impl ValueEnum for Shell {
    fn value_variants<'a>() -> &'a [Shell] {
        &[Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::Powershell]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl Completions {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let shells = Shells::builtins();
        let shell =
            shells.completer(self.shell.name()).context("this shell cannot be told how to complete")?;
        let mut script = Vec::new();
        // By its name and not by its place: a script that is kept in a file outlives where the program was.
        shell.write_registration(VARIABLE, "carpel", "carpel", "carpel", &mut script)?;
        let script = String::from_utf8(script)?;
        out::rows(&script.lines().map(Printable::prose).collect::<Vec<_>>())?;
        Ok(Exit::Done)
    }
}

/// Answers a shell that asks what may stand at its cursor; false when none asks.
///
/// # Errors
/// When the shell that asks is none that can be answered.
pub(super) fn answered(arguments: impl IntoIterator<Item = OsString>) -> Result<bool, clap::Error> {
    let here = std::env::current_dir().ok();
    CompleteEnv::with_factory(command).var(VARIABLE).try_complete(arguments, here.as_deref())
}

/// The command line, where arguments that take one of a few values know which.
fn command() -> clap::Command {
    let command = Cli::command()
        .mut_arg("resume", |arg| arg.add(ArgValueCandidates::new(past)))
        .mut_arg("provider", |arg| arg.add(ArgValueCandidates::new(|| words(provider_names()))))
        .mut_arg("approval_mode", |arg| {
            arg.add(ArgValueCandidates::new(|| words(Mode::NAMES.map(|(name, _)| name))))
        })
        .mut_arg("density", |arg| arg.add(ArgValueCandidates::new(|| words(Density::ALL.map(Density::name)))))
        .mut_arg("theme", |arg| {
            arg.add(ArgValueCandidates::new(|| words(ThemeName::ALL.map(ThemeName::name))))
        })
        .mut_arg("cwd", |arg| arg.value_hint(ValueHint::DirPath))
        .mut_subcommand("exec", |exec| exec.mut_arg("prompt", |arg| arg.value_hint(ValueHint::Other)))
        .mut_subcommand("attach", |attach| {
            attach.mut_arg("session", |arg| arg.add(ArgValueCandidates::new(running)))
        })
        .mut_subcommand("export", |export| {
            // What is changed goes to the end, and the order of these is their place on the command line.
            export.mut_arg("session", |arg| arg.add(ArgValueCandidates::new(past))).mut_arg("file", |arg| arg)
        })
        .mut_subcommand("pod", |pod| pod.mut_arg("resume", |arg| arg.add(ArgValueCandidates::new(past))))
        .mut_subcommand("tool", |tool| {
            let names = || words(tool::names());
            tool.mut_arg("name", |arg| arg.add(ArgValueCandidates::new(names)))
                .mut_arg("arguments", |arg| arg)
        })
        .mut_subcommand("gallery", |gallery| {
            let keys = || words(gallery::keys(&Registry::linked()));
            let states = || words(CallState::ALL.into_iter().filter_map(gallery::state_name));
            gallery
                .mut_arg("view", |arg| arg.add(ArgValueCandidates::new(keys)))
                .mut_arg("state", |arg| arg.add(ArgValueCandidates::new(states)))
        })
        .mut_subcommand("plugin", |plugin| {
            let executable =
                |verb: clap::Command| verb.mut_arg("file", |arg| arg.value_hint(ValueHint::ExecutablePath));
            plugin.mut_subcommand("check", executable).mut_subcommand("dev", executable)
        });
    help::shaped(command)
}

fn words(words: impl IntoIterator<Item = impl Into<String>>) -> Vec<CompletionCandidate> {
    words.into_iter().map(|word| CompletionCandidate::new(word.into())).collect()
}

/// Sessions that can be gone on with, the latest first. Where they cannot be listed there is nothing to offer.
fn past() -> Vec<CompletionCandidate> {
    ids(sessions::rows().unwrap_or_default())
}

fn running() -> Vec<CompletionCandidate> {
    ids(sessions::running_rows())
}

fn ids(rows: Vec<SessionRow>) -> Vec<CompletionCandidate> {
    let candidate = |row: SessionRow| {
        let words = [row.when.as_str(), row.title.trim(), &row.note];
        let said: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let help = Printable::line(&said.join("  "));
        CompletionCandidate::new(row.id).help(Some(help.as_str().to_owned().into()))
    };
    rows.into_iter().filter(|row| is_plain(&row.id)).take(SESSIONS).map(candidate).collect()
}

/// An id is a folder's name, which could be anything; one that a shell might take for something else is not offered.
fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && !id.starts_with('-')
        && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_that_are_named_here_are_there() {
        command().debug_assert();
    }

    #[test]
    fn only_ids_that_no_shell_misreads_are_offered() {
        for (id, offered) in [
            ("6b0e1673-87", true),
            ("a.b_c", true),
            ("", false),
            ("--force", false),
            ("a b", false),
            ("$(x)", false),
            ("a;b", false),
            ("ä", false),
        ] {
            let row =
                SessionRow { id: id.to_owned(), title: "a\x1b[31m\nb".to_owned(), ..SessionRow::default() };
            let found = ids(vec![row]);
            assert_eq!(found.len(), usize::from(offered), "{id:?}");
            let is_clean =
                |c: &CompletionCandidate| !c.get_help().unwrap().to_string().contains(char::is_control);
            assert!(found.iter().all(is_clean), "{id:?}");
        }
    }
}
