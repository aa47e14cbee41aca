//! What the words of the command line ask for.
//!
//! Owns the options and the sentences for a word that is wrong. `cargo xtask bench` puts `--carpel` in front; `floor` is for
//! this program alone, which starts itself so. It refuses to know what the options do.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

pub const USAGE: &str = "\
usage: cargo xtask bench [--only NAME]... [--json FILE]   workloads, each beside a program that only prints
       cargo xtask bench plugins [--json FILE]            cards of plugins, plugins at rest, a plugin that sleeps
       cargo xtask bench --list                           list the workloads";

#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    List,
    Workloads {
        only: Vec<String>,
        common: Common,
    },
    Plugins(Common),
    /// This program as the floor; with a log it prints that.
    Floor {
        log: Option<PathBuf>,
    },
}

#[derive(Debug, PartialEq, Eq, Default)]
pub struct Common {
    /// The program that is measured.
    pub carpel: PathBuf,
    pub json: Option<PathBuf>,
}

/// # Errors
/// A sentence that names the word.
pub fn wanted(words: &[String]) -> Result<Wanted> {
    let mut words = words.iter().map(String::as_str);
    let (mut only, mut common, mut command, mut log) = (Vec::new(), Common::default(), None, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
        match word {
            "--only" => only.push(value()?.to_owned()),
            "--json" => common.json = Some(value()?.into()),
            "--carpel" => common.carpel = value()?.into(),
            "--log" => log = Some(value()?.into()),
            "--list" | "plugins" | "floor" if command.is_none() => command = Some(word),
            _ => bail!("`{word}` is not understood\n{USAGE}"),
        }
    }
    Ok(match command {
        Some("--list") => Wanted::List,
        Some("floor") => Wanted::Floor { log },
        _ if common.carpel.as_os_str().is_empty() => {
            bail!("--carpel FILE names the program; `cargo xtask bench` does")
        }
        Some("plugins") => Wanted::Plugins(common),
        _ => Wanted::Workloads { only, common },
    })
}

#[cfg(test)]
mod tests {
    use super::{Common, Wanted, wanted};

    #[test]
    fn the_command_line() {
        let common = |json: Option<&str>| Common { carpel: "c".into(), json: json.map(Into::into) };
        for (words, expected) in [
            ("--list", Some(Wanted::List)),
            ("--carpel c", Some(Wanted::Workloads { only: vec![], common: common(None) })),
            (
                "--carpel c --only a --json f --only b",
                Some(Wanted::Workloads { only: vec!["a".into(), "b".into()], common: common(Some("f")) }),
            ),
            ("--carpel c plugins --json f", Some(Wanted::Plugins(common(Some("f"))))),
            ("floor", Some(Wanted::Floor { log: None })),
            ("floor --log l", Some(Wanted::Floor { log: Some("l".into()) })),
            ("plugins", None),
            ("--carpel", None),
            ("--carpel c --onyl a", None),
            ("--carpel c floor plugins", None),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            assert_eq!(wanted(&words).ok(), expected, "{words:?}");
        }
    }
}
