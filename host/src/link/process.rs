//! The process of a pod: how this program starts itself as one, and where its last words are kept.
//!
//! What the command line says goes on as arguments; keys go with the environment and never in an argument, which everybody
//! on the machine can read. The pod reads the manifests itself. Refuses to know sockets and lines: `link.rs`.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{ExitStatus, Stdio};

use anyhow::Context;
use tokio::process::{Child, Command};

use super::PodOptions;

/// Starts this very program as a pod, in a process group of its own: Ctrl+C in the terminal is the host's.
pub(super) fn spawn(
    options: &PodOptions,
    session: &str,
    is_new: bool,
    said: Option<&File>,
) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("the program's own file cannot be found")?;
    let mut command = Command::new(program);
    command.arg("pod").arg(if is_new { "--session" } else { "--resume" }).arg(session);
    command.arg("--cwd").arg(&options.cwd);
    let line = &options.line;
    for (name, value) in [
        ("--provider", &line.provider),
        ("--model", &line.model),
        ("--base-url", &line.base_url),
        ("--approval-mode", &line.approval_mode),
    ] {
        // In one word, so that a value may begin with a dash.
        command.args(value.as_ref().map(|value| format!("{name}={value}")));
    }
    if line.trust {
        command.arg("--trust");
    }
    let stderr = said.and_then(|said| said.try_clone().ok()).map_or_else(Stdio::null, Stdio::from);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    command.process_group(0);
    command.spawn().context("a pod cannot be started")
}

/// A file without a name that the pod writes its last words to and this process reads them from; nothing is left of
/// it when both have ended. None where there is no folder for it.
pub(super) fn said(session: &str) -> Option<File> {
    let path = std::env::temp_dir().join(format!("carpel-{}-{}", std::process::id(), session));
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path).ok()?;
    std::fs::remove_file(&path).ok()?;
    Some(file)
}

/// The last line that the pod wrote there, which says why it ended.
pub(super) fn last_words(said: Option<&mut File>) -> Option<String> {
    let said = said?;
    let mut text = Vec::new();
    said.rewind().ok()?;
    said.read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim_start_matches("carpel: ").to_owned())
}

/// How a pod ended. The sentence that it left names its own way out.
pub(super) fn ended(status: ExitStatus, words: Option<String>, way_out: &str) -> String {
    match words {
        Some(words) => format!("the pod ended: {words}"),
        None => format!("the pod ended ({status}); {way_out}"),
    }
}
