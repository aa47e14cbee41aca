//! The Bash tool: one command in the workspace, its output as it comes, its exit code.
//!
//! Owns the arguments, the question that a person is asked, and the words of the result. A command that ended by itself
//! is a result, whatever its exit code; one that could not start or took too long is a failure. How a shell is started
//! is `bash/shell.rs`, the life of its process group `bash/run.rs`, what is kept of its output `bash/capture.rs`.
//! A command may do whatever the person may: it is not looked into for paths. Which commands run unasked: `../permission`.

mod capture;
mod decode;
mod group;
mod live;
mod plain;
mod run;
mod shell;
#[cfg(test)]
mod tests;
mod watch;

use std::time::Duration;

use serde_json::{Value, json};

use self::capture::Kept;
pub use self::plain::plain;
use self::run::{Bounds, Finished, Why};
use super::arguments::Arguments;
use super::{Access, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, path_text, quoted};

const USUAL_TIMEOUT: Duration = Duration::from_secs(120);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

pub struct Bash {
    spec: ToolSpec,
}

impl Bash {
    pub fn new() -> Self {
        let schema = json!({
            "type": "object",
            "required": ["command"],
            "properties": {
                "command": {"type": "string", "description": "what bash shall run, in the workspace; nothing can be typed into it"},
                "timeout": {"type": "integer", "minimum": 1, "description": "milliseconds until it is ended; 120000 when absent, at most 600000"},
                "description": {"type": "string", "description": "what it is for, in a few words"},
            },
        });
        Self {
            spec: ToolSpec {
                name: "Bash",
                kind: ToolKind::Execute,
                description: "Runs a command with bash in the workspace and returns its output (stdout and stderr in one, in the \
                    order in which they came) and its exit code. Each call is a shell of its own: a changed folder or variable \
                    is gone afterwards. There is no terminal and nothing to type into it, so ask for no editor, pager or \
                    password. What is still running in the background when the shell ends is ended with it. A person is asked \
                    before most commands. To read, find, search or change files use Read, Glob, Grep, Edit and Write.",
                schema,
                access: Access::Writes,
            },
        }
    }
}

impl Default for Bash {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let asked = Asked::of(arguments)?;
        let started = shell::start(asked.command, cx.workspace.root()).map_err(|error| {
            ToolFailure::new(format!(
                "{} could not be started: {error}; see that bash or sh is installed and that the command is not too long",
                quoted(asked.command)
            ))
        })?;
        let bounds = Bounds { timeout: asked.timeout, ..Bounds::default() };
        told(&asked, run::run(started, &bounds, cx))
    }

    fn intent(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let asked = Asked::of(arguments)?;
        let folder = path_text::encode(cx.workspace.root());
        Ok(Intent {
            detail: asked.command.to_owned(),
            command: Some(asked.command.to_owned()),
            ..Intent::plain(
                Access::Writes,
                format!("run a command in {folder}, for at most {}", time(asked.timeout)),
            )
        })
    }
}

struct Asked<'a> {
    command: &'a str,
    timeout: Duration,
}

impl<'a> Asked<'a> {
    fn of(arguments: &'a Value) -> Result<Self, ToolFailure> {
        let arguments = Arguments(arguments);
        let command = arguments.string("command").unwrap_or_default();
        if command.trim().is_empty() {
            return Err(ToolFailure::new("Bash: `command` is empty; say what to run"));
        }
        if command.contains('\0') {
            return Err(ToolFailure::new("Bash: `command` holds a NUL, which no command can; leave it out"));
        }
        let timeout = arguments.integer("timeout").map_or(USUAL_TIMEOUT, Duration::from_millis);
        if timeout > LONGEST_TIMEOUT {
            return Err(ToolFailure::new(format!(
                "Bash: `timeout` is {} milliseconds; at most {} can be waited",
                timeout.as_millis(),
                LONGEST_TIMEOUT.as_millis()
            )));
        }
        Ok(Self { command, timeout })
    }
}

/// A finished command as a result.
fn told(asked: &Asked<'_>, finished: Finished) -> Result<ToolOutput, ToolFailure> {
    let Finished { why, status, kept: Kept { text, total, lines: output_lines, is_cut }, left_running } =
        finished;
    let (exit_code, signal) = status.map_or((None, None), |status| {
        use std::os::unix::process::ExitStatusExt;
        (status.code(), status.signal().map(signal_name))
    });
    let mut structured = json!({
        "command": asked.command,
        "timed_out": why == Why::TimedOut,
        "truncated": is_cut,
        "output_total": total,
        "output_lines": output_lines,
    });
    if why == Why::Ended {
        if let Some(code) = exit_code {
            structured["exit_code"] = json!(code);
        }
        if let Some(signal) = &signal {
            structured["signal"] = json!(signal);
        }
    }
    if text.contains(plain::is_special) {
        structured["for_terminal"] = json!(true);
    }
    let ended_by = match (exit_code, &signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("killed by {signal}"),
        (None, None) => "ended, nobody knows how".to_owned(),
    };
    let mut lines = Vec::new();
    if left_running && why == Why::Ended {
        lines.push("[what it left running in the background was ended with it]".to_owned());
    }
    // The last line, so that a view knows where to find it.
    if why == Why::Ended && exit_code != Some(0) {
        lines.push(format!("[{ended_by}]"));
    }
    let output = with_lines(text, &lines);
    match why {
        Why::Ended => {
            let summary =
                if total == 0 && exit_code == Some(0) { "exit 0, no output".to_owned() } else { ended_by };
            Ok(ToolOutput { summary, output, structured: Some(structured) })
        }
        Why::TimedOut => Err(ToolFailure {
            summary: format!("timed out after {}", time(asked.timeout)),
            output,
            structured: Some(structured),
        }),
        Why::Cancelled => {
            Err(ToolFailure { summary: "cancelled".to_owned(), output, structured: Some(structured) })
        }
    }
}

/// The output with lines of ours at its end, each on a line of its own; absent rather than empty.
fn with_lines(mut text: String, lines: &[String]) -> Option<String> {
    for line in lines {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
    (!text.is_empty()).then_some(text)
}

/// A length of time for people: `90ms`, `2m`, `1m30s`.
fn time(length: Duration) -> String {
    let (milliseconds, seconds) = (length.as_millis(), length.as_secs());
    if !milliseconds.is_multiple_of(1000) {
        return if seconds == 0 {
            format!("{milliseconds}ms")
        } else {
            format!("{}.{:03}s", seconds, milliseconds % 1000)
        };
    }
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, 0) => format!("{minutes}m"),
        (minutes, seconds) => format!("{minutes}m{seconds:02}s"),
    }
}

fn signal_name(number: i32) -> String {
    use rustix::process::Signal;
    const NAMES: &[(Signal, &str)] = &[
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(signal, _)| signal.as_raw() == number);
    known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}
