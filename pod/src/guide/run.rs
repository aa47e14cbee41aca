//! Carries out `run:`: one command, and how it ended.
//!
//! What is told is the exit code and the end of what the command wrote; nothing is made of either. Whether it may run is
//! asked elsewhere. It refuses to know how a command is told from a request (`parse/shell.rs`).

use super::calls::{Call, Command};
use super::files::told;
use super::markdown::{block, code};
use super::script::{Pause, Script};
use crate::tools::{count, grouped};

/// Lines of output that an answer repeats: all, or so many from the end.
const ALL_LINES: usize = 12;
const LAST_LINES: usize = 6;
/// Bytes of a command that an answer repeats.
const NAMED: usize = 40;

pub fn run(command: &str, script: &mut Script<'_>) -> Result<String, Pause> {
    // The call says all there is to say.
    let outcome = script.ask_one("", Call::bash(command))?;
    let name = command.split_whitespace().collect::<Vec<_>>().join(" ");
    // The call stands right above; a long command is not said twice.
    let name = if name.len() > NAMED { String::new() } else { format!(" {}", code(&name)) };
    Ok(match outcome.command() {
        Ok(ended) => format!("The command{name} {}", how(&ended)),
        Err(sentence) if outcome.structured.is_object() => {
            format!("The command{name} did not come to its end: {}", told(&sentence))
        }
        Err(sentence) => format!("The command{name} was not run: {}", told(&sentence)),
    })
}

fn how(ended: &Command) -> String {
    let how = match (ended.exit_code, &ended.signal) {
        (Some(0), _) => "ended well (exit code 0)".to_owned(),
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => format!("was killed by {signal}"),
        (None, None) => "ended".to_owned(),
    };
    let lines: Vec<&str> = ended.output.trim_matches('\n').lines().collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return format!("{how} and wrote nothing.");
    }
    let shown = if lines.len() > ALL_LINES { LAST_LINES } else { lines.len() };
    let last = block("", &lines[lines.len() - shown..].join("\n"));
    let of = if shown == lines.len() {
        count(shown as u64, "line", "lines")
    } else {
        format!(
            "{}, of which these are the last {}",
            // The output may be a part of all that was written.
            count(ended.lines.unwrap_or(lines.len() as u64), "line", "lines"),
            grouped(shown as u64)
        )
    };
    format!("{how}. It wrote {of}:\n\n{last}")
}
