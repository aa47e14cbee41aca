//! `cargo xtask counts`, `soak` and `fuzz`: builds what is needed and starts the crate `trials`, which does the work.
//!
//! This file owns which chore needs which program, so that tidy stays quick: nothing here is built with it.
//! It refuses to know options and what is tried.

use std::process::Command;

use anyhow::{Context, Result, ensure};

pub const USAGE: &str = "\
usage: cargo xtask counts [--renew]                  instructions of work that is watched, against what is held
       cargo xtask soak [--minutes N] [--seed S]     the real program under random work
       cargo xtask fuzz NAME [--minutes N] [--seed S]  a fuzz target, over its corpus and mutations of it";

/// Does the chore. `None`: the words are not understood.
pub fn run(words: &[&str]) -> Option<Result<bool>> {
    let programs = programs(words)?;
    Some(built(programs).and_then(|()| started(words)))
}

/// The packages whose programs a chore needs.
fn programs(words: &[&str]) -> Option<&'static [&'static str]> {
    match words.first()? {
        &"counts" | &"fuzz" => Some(&["trials"]),
        &"soak" => Some(&["trials", "carpel"]),
        _ => None,
    }
}

fn built(programs: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--bins"]);
    for program in programs {
        command.args(["--package", program]);
    }
    let status = command.status().context("cargo: cannot be started")?;
    ensure!(status.success(), "{}: cannot be built", programs.join(" and "));
    Ok(())
}

fn started(words: &[&str]) -> Result<bool> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "trials", "--"]).args(words);
    Ok(command.status().context("cargo: cannot be started")?.success())
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

#[cfg(test)]
mod tests {
    use super::programs;

    #[test]
    fn a_chore_names_its_programs() {
        for (words, expected) in [
            (&["counts"][..], Some(&["trials"][..])),
            (&["fuzz", "keys"], Some(&["trials"])),
            (&["soak", "--minutes", "1"], Some(&["trials", "carpel"])),
            (&["tidy"], None),
            (&[], None),
        ] {
            assert_eq!(programs(words), expected, "{words:?}");
        }
    }
}
