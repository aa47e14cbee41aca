//! Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
//!
//! Wrong usage is clap's to find; here it gets its code and its place.

use std::process::ExitCode;

use carpel_slots::Printable;

use crate::cli::out;
use crate::link;
use crate::manifest::mistake::BadManifest;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what it was asked.
    Done,
    /// It did not; the reason is told.
    Failed,
    /// A person or a signal interrupted it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Failed => ExitCode::from(1),
            Exit::Interrupted => ExitCode::from(130),
        }
    }
}

/// A wrong use of the command line that clap cannot see. In an error's chain it makes the exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// What is wrong with the options of a pod. A key that is missing is no wrong use: it stands in the environment.
pub fn of_options(error: anyhow::Error) -> anyhow::Error {
    if link::lacks_key(&error) { error } else { WrongUsage(error.to_string()).into() }
}

/// A person left before anything began. Nothing is to be told about it.
#[derive(Debug, thiserror::Error)]
#[error("left")]
pub struct Stopped;

/// The exit code of an error.
pub fn of(error: &anyhow::Error) -> ExitCode {
    if error.is::<WrongUsage>() || error.is::<BadManifest>() {
        ExitCode::from(2)
    } else if error.is::<Stopped>() {
        Exit::Interrupted.into()
    } else {
        Exit::Failed.into()
    }
}

/// Prints what clap says of the command line: help and version are no errors, the rest is wrong usage.
pub fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // It repeats what was typed, which may be the names of files.
        Printable::exact_lines(error.to_string().trim_end()).iter().for_each(out::error);
        return ExitCode::from(2);
    }
    match out::rows(&Printable::lines(&error.to_string())) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            out::error(&Printable::line(&format!("carpel: {error}")));
            ExitCode::from(1)
        }
    }
}
