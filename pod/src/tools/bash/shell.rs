//! Starts the shell of a command: where, with which environment, and where its output goes.
//!
//! Owns those decisions. stdout and stderr are the same pipe, which is what keeps their order; stdin is empty. The shell
//! leads a process group of its own, so that all it starts can be ended with it, save what leaves the group by itself
//! (`setsid`): that is out of reach. No login files are read. Refuses to know how long it runs. Read next: `run.rs`.

use std::io::{self, PipeReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running shell and the end of its output.
#[derive(Debug)]
pub struct Started {
    pub child: Child,
    /// Does not block when it is read.
    pub pipe: PipeReader,
}

/// What must not reach a command: the keys that the models are paid with, and files that a shell would run first.
const WITHHELD: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
    "BASH_ENV",
    "ENV",
];

/// Nothing may wait for a person: no pager, no editor, no password.
const SET: &[(&str, &str)] = &[
    ("TERM", "xterm-256color"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
];

/// Starts bash, or sh where there is no bash.
///
/// # Errors
/// When neither can be started, or not with this command.
pub fn start(command: &str, folder: &Path) -> io::Result<Started> {
    match start_with("bash", command, folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => start_with("sh", command, folder),
        started => started,
    }
}

fn start_with(shell: &str, command: &str, folder: &Path) -> io::Result<Started> {
    let (pipe, output) = io::pipe()?;
    rustix::io::ioctl_fionbio(&pipe, true)?;
    let mut process = Command::new(shell);
    process
        // A command may begin with a dash.
        .args(["-c", "--", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .process_group(0);
    WITHHELD.iter().for_each(|name| {
        process.env_remove(name);
    });
    process.envs(SET.iter().copied());
    // What is left of the writing end in this process goes with `process`.
    let child = process.spawn()?;
    Ok(Started { child, pipe })
}
