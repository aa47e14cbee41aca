//! Other programs that carpel calls or that a person may want beside it, and a bounded way to ask one something.
//!
//! Owns the list of them, and where a program is found: the folders of `PATH`. None is needed, so none that is missing is
//! in the way. Refuses to know what they say.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};

use super::report::Fact;
use crate::chat::clipboard;

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// The lines. `editor` is what the environment names, `find` knows where a program is.
pub fn facts(editor: Option<&str>, find: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<Fact> {
    let shown = |name: &str| find(name).map(|path| path.display().to_string());
    let editor = match editor.map(|line| (line, line.split_whitespace().next().unwrap_or_default())) {
        None => Fact::note("editor", "none is named, so Ctrl+G cannot open the draft in one")
            .way("set VISUAL or EDITOR"),
        Some((line, program)) if find(program).is_some() => {
            Fact::ok("editor", format!("{line}: Ctrl+G opens the draft in it"))
        }
        Some((line, program)) => Fact::note("editor", format!("{line}: there is no program `{program}`"))
            .way("set VISUAL or EDITOR"),
    };
    let plain = |name: &str, without: &str| match shown(name) {
        Some(path) => Fact::ok(name, path),
        None => Fact::note(name, format!("not found; {without}")),
    };
    let copiers: Vec<&str> = clipboard::programs().filter(|name| find(name).is_some()).collect();
    let clipboard = match copiers.as_slice() {
        [] => Fact::ok("clipboard", "no program found; what you copy in the inspector goes to the terminal"),
        found => Fact::ok(
            "clipboard",
            format!("{}: what you copy in the inspector goes there, and to the terminal", found.join(", ")),
        ),
    };
    vec![
        editor,
        plain("git", "carpel does not call it"),
        shell(find),
        plain("tmux", "carpel does not need it; it keeps a chat in sight over a lost connection"),
        clipboard,
    ]
}

/// What runs commands: bash, else sh.
fn shell(find: &dyn Fn(&str) -> Option<PathBuf>) -> Fact {
    match (find("bash"), find("sh")) {
        (Some(path), _) => Fact::ok("bash", format!("{}: the tool Bash runs commands in it", path.display())),
        (None, Some(path)) => {
            Fact::note("bash", format!("not found; the tool Bash runs commands in {}", path.display()))
                .way("install bash: agents write for it")
        }
        (None, None) => Fact::note("bash", "neither it nor sh is found; the tool Bash cannot run anything")
            .way("install bash"),
    }
}

/// Where a program is, by the folders of `PATH`.
pub fn find(program: &str, folders: Option<&OsStr>) -> Option<PathBuf> {
    let is_program = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if program.is_empty() || program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| is_program(path));
    }
    std::env::split_paths(folders?).map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// What a program prints, where it ends well and in time; one line.
pub fn asked(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() >= until => {
                let _ = child.kill();
                break child.wait().ok()?;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut text = String::new();
    child.stdout.take()?.take(4096).read_to_string(&mut text).ok()?;
    status.success().then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    #[test]
    fn what_is_said_of_programs() {
        let none = |_: &str| None;
        let all = |name: &str| Some(PathBuf::from(format!("/bin/{name}")));
        let got = brief(&facts(None, &none));
        assert!(got[0].starts_with("! editor: none is named") && got[0].ends_with("-> set VISUAL or EDITOR"));
        assert_eq!(got[1], "! git: not found; carpel does not call it");
        assert!(got[2].starts_with("! bash: neither it nor sh is found"), "{}", got[2]);
        assert!(got[4].starts_with("+ clipboard: no program found"));
        let only_sh = |name: &str| (name == "sh").then(|| PathBuf::from("/bin/sh"));
        let got = brief(&facts(None, &only_sh));
        assert!(
            got[2].starts_with("! bash: not found; the tool Bash runs commands in /bin/sh"),
            "{}",
            got[2]
        );
        let got = brief(&facts(Some("code --wait"), &all));
        assert_eq!(got[0], "+ editor: code --wait: Ctrl+G opens the draft in it");
        assert_eq!(got[2], "+ bash: /bin/bash: the tool Bash runs commands in it");
        assert!(brief(&facts(Some("ed"), &none))[0].contains("there is no program `ed`"));
    }

    #[test]
    fn programs_are_found_and_asked() {
        let path = std::env::var_os("PATH");
        assert!(find("sh", path.as_deref()).is_some());
        assert!(find("/bin/sh", None).is_some());
        for none in ["", "no-such-program-at-all", "/etc/passwd"] {
            assert_eq!(find(none, path.as_deref()), None, "{none}");
        }
        assert_eq!(asked("sh", &["-c", "echo a"]).as_deref(), Some("a"));
        assert_eq!(asked("sh", &["-c", "echo a; exit 1"]), None);
        assert_eq!(asked("no-such-program-at-all", &[]), None);
    }
}
