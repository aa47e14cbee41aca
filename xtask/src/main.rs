//! `cargo xtask`: the chores of this repository as a program, so that they need no tool beside cargo.
//!
//! This file owns the command line and the exit code. What a chore does stands in its own module.
//! It refuses to know rules, files and crates.
//!
//! Read next: `tidy.rs`, the list of rules that the tree is held to; `mock_llm.rs`, a provider to play with;
//! `bench.rs`, what it costs; `trials.rs`, what takes longer than tests.

use std::io::Write;
use std::process::ExitCode;

mod bench;
mod mock_llm;
mod tidy;
mod trials;

const USAGE: &str = "\
usage: cargo xtask tidy           check the rules of this repository
       cargo xtask tidy --rules   list them, one line each";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut out = std::io::stdout().lock();
    let done = match words.as_slice() {
        ["tidy"] => tidy::run(&mut out),
        ["tidy", "--rules"] => tidy::list(&mut out),
        ["bench", words @ ..] => bench::run(words),
        ["mock-llm", words @ ..] => match mock_llm::run(words, &mut out) {
            Some(done) => done,
            None => return usage(),
        },
        words => match trials::run(words) {
            Some(done) => done,
            None => return usage(),
        },
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Nobody is left to tell when stderr itself is closed.
            _ = writeln!(std::io::stderr(), "xtask: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn usage() -> ExitCode {
    _ = writeln!(std::io::stderr(), "{USAGE}\n{}\n{}\n{}", mock_llm::USAGE, bench::USAGE, trials::USAGE);
    ExitCode::from(2)
}
