//! The trials as a program, which `cargo xtask` starts: `counts`, `fuzz` and `soak`.
//!
//! It owns the command line and what is printed. What is tried stands in the library.
//! Output speaks of this repository only; inputs that failed are written to files, never shown.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use trials::fuzz::{self, hunt};

const USAGE: &str = "\
usage: counts [--renew]                   instructions of the work that is watched, held against xtask/trials/counts.toml
       soak [--minutes N] [--seed S]       the real program under random work, with a terminal in memory as the oracle
       fuzz NAME [--minutes N] [--seed S]  a fuzz target over its corpus, then over mutations of it";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut out = std::io::stdout().lock();
    match run(&words, &mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Nobody is left to tell when stderr itself is closed.
            _ = writeln!(std::io::stderr(), "trials: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn run(words: &[&str], out: &mut dyn Write) -> Result<bool> {
    match words {
        ["counts", "--work"] => {
            trials::counts::work();
            Ok(true)
        }
        ["counts"] => counts(false, out),
        ["counts", "--renew"] => counts(true, out),
        ["fuzz", name, options @ ..] => fuzz(name, &Options::read(options)?, out),
        ["soak", options @ ..] => {
            let options = Options::read(options)?;
            trials::soak::run(
                options.time(),
                options.seed.unwrap_or_else(|| u64::from(std::process::id())),
                out,
            )
        }
        _ => bail!("{} is not understood\n{USAGE}", words.join(" ")),
    }
}

/// What stands behind the name.
#[derive(Debug, PartialEq)]
struct Options {
    minutes: f64,
    seed: Option<u64>,
}

impl Options {
    fn read(words: &[&str]) -> Result<Options> {
        let mut options = Options { minutes: 1.0, seed: None };
        for pair in words.chunks(2) {
            match pair {
                ["--minutes", minutes] => {
                    options.minutes = minutes.parse().context("--minutes: not a number")?;
                }
                ["--seed", seed] => options.seed = Some(seed.parse().context("--seed: not a number")?),
                _ => bail!("{} is not understood\n{USAGE}", pair.join(" ")),
            }
        }
        anyhow::ensure!((0.0..=1e6).contains(&options.minutes), "--minutes: from 0 to 1000000");
        Ok(options)
    }

    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.minutes * 60.0)
    }
}

fn counts(renew: bool, out: &mut dyn Write) -> Result<bool> {
    let (table, fine) = trials::counts::check(renew)?;
    write!(out, "{table}")?;
    Ok(fine)
}

fn fuzz(name: &str, options: &Options, out: &mut dyn Write) -> Result<bool> {
    let known = || fuzz::TARGETS.map(|target| target.name).join(", ");
    let target =
        fuzz::target(name).with_context(|| format!("{name}: no such target; there are {}", known()))?;
    let files = hunt::corpus(name).with_context(|| format!("the corpus of {name} cannot be read"))?;
    let seed = options.seed.unwrap_or_else(|| u64::from(std::process::id()));
    let (since, time) = (Instant::now(), options.time());
    hunt::quiet();
    let hunted = hunt::over(target, &files);
    match hunted.and_then(|()| hunt::mutations(target, &files, seed, |_| since.elapsed() < time)) {
        Ok(count) => {
            writeln!(out, "{name}: {} files and {count} mutations of seed {seed}, all is well", files.len())?;
            Ok(true)
        }
        Err(finding) => {
            let file = std::env::temp_dir().join(format!("{name}-{:016x}", fuzz::digest(&finding.input)));
            std::fs::write(&file, &finding.input)
                .with_context(|| format!("{}: not writable", file.display()))?;
            writeln!(out, "{name}, {}: {}", finding.from, finding.said.escape_debug())?;
            writeln!(out, "the input, made small: {}", file.display())?;
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn the_options() {
        let read = |words: &[&str]| Options::read(words).ok();
        assert_eq!(read(&[]), Some(Options { minutes: 1.0, seed: None }));
        assert_eq!(read(&["--seed", "7", "--minutes", "0.5"]), Some(Options { minutes: 0.5, seed: Some(7) }));
        for wrong in [&["--minutes"][..], &["--minutes", "x"], &["--minutes", "-1"], &["--sed", "7"]] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
