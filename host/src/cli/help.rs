//! Which of the common options the help of each subcommand shows: those that have an effect there.
//!
//! Each is still taken everywhere, before or after the subcommand, so that a wrapper may put what it likes in front. A
//! subcommand that is added stands in the table too; a test sees to it. Refuses to know what the options do: `common.rs`.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

use crate::cli::Cli;

/// The subcommands, each with the common options that it goes by.
const USED: &[(&str, &[&str])] = &[
    ("exec", &["provider", "model", "base_url", "cwd", "approval_mode", "density", "trust"]),
    ("replay", &["density", "theme", "screen_reader"]),
    ("card", &["density"]),
    ("tool", &["cwd", "approval_mode", "trust"]),
    ("sessions", &["cwd"]),
    ("export", &[]),
    ("attach", &["density", "theme", "screen_reader"]),
    ("trust", &["cwd"]),
    ("doctor", &["provider", "model", "base_url", "cwd", "approval_mode", "theme", "trust"]),
    ("gallery", &["density", "theme"]),
    ("plugin", &["cwd", "density", "theme", "trust"]),
    ("completions", &[]),
    ("plugin-host", &[]),
    ("pod", &["provider", "model", "base_url", "cwd", "approval_mode", "trust"]),
];

/// What the command line says.
///
/// # Errors
/// What clap finds wrong, and the help where that is asked for.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = shaped(Cli::command());
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// This command line, where each help has what is of use there.
pub(super) fn shaped(command: clap::Command) -> clap::Command {
    let common = common(&command);
    USED.iter().fold(command, |command, (name, used)| {
        // A subcommand that has an option of its own by that name is not given the common one.
        let idle = common.iter().filter(|option| !used.contains(&option.get_id().as_str()));
        let idle = idle.map(|option| option.clone().hide(true));
        command.mut_subcommand(name, |subcommand| subcommand.args(idle))
    })
}

fn common(command: &clap::Command) -> Vec<clap::Arg> {
    command.get_arguments().filter(|option| option.is_global_set()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_says_what_it_goes_by() {
        let command = shaped(Cli::command());
        let common: Vec<String> = common(&command).iter().map(|option| option.get_id().to_string()).collect();
        let known: Vec<&str> = USED.iter().map(|(name, _)| *name).collect();
        let there: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(known, there);
        for (name, used) in USED {
            assert!(used.iter().all(|option| common.contains(&(*option).to_owned())), "{name}");
        }
    }

    #[test]
    fn help_shows_what_has_an_effect() {
        for (arguments, shown, hidden) in [
            (&["carpel", "--help"][..], &["--provider", "--theme", "--continue"][..], &["--online"][..]),
            (&["carpel", "replay", "--help"], &["--density", "--theme", "--print"], &["--provider", "--cwd"]),
            (&["carpel", "export", "--help"], &["--force"], &["--provider", "--trust", "Settings"]),
            (&["carpel", "trust", "--help"], &["--forget", "--cwd"], &["--model", "--density"]),
            (&["carpel", "exec", "-h"], &["--json", "--trust"], &["--theme"]),
        ] {
            let error = parse(arguments.iter().map(OsString::from)).err().unwrap();
            let help = error.to_string();
            assert!(!error.use_stderr(), "{help}");
            assert!(shown.iter().all(|text| help.contains(text)), "{arguments:?}\n{help}");
            assert!(!hidden.iter().any(|text| help.contains(text)), "{arguments:?}\n{help}");
        }
        // What is not shown is taken all the same.
        assert!(parse(["carpel", "trust", "--model", "x"].map(OsString::from)).is_ok());
        assert!(parse(["carpel", "--density", "detail", "sessions"].map(OsString::from)).is_ok());
    }
}
