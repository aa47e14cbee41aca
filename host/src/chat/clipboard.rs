//! The system's clipboard through the programs that people have for it.
//!
//! A program runs beside the chat, gets the text on its standard input and a bounded time; what it says goes nowhere.
//! tmux counts as one: its own buffer is where the person pastes from, and it hands on to the terminal what it may. What
//! the terminal itself takes is [`crate::terminal::clipboard`]'s.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::inspector::copy::Copying;
use crate::terminal::clipboard::MOST;

/// A program that has not ended by then is ended: those that stay to serve the clipboard do so in a child.
const PATIENCE: Duration = Duration::from_secs(5);

/// A variable that says that a program makes sense, the program, its arguments.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    ("WAYLAND_DISPLAY", "wl-copy", &[]),
    ("DISPLAY", "xclip", &["-selection", "clipboard", "-in"]),
    ("DISPLAY", "xsel", &["--clipboard", "--input"]),
    ("", "pbcopy", &[]),
];

/// The programs that copy text, best first.
pub fn programs() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(_, program, _)| *program)
}

/// Hands text to tmux, where the chat runs in one, and to the first program that is there. Its name comes back.
pub fn copy(text: &str, var: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let path = var("PATH").unwrap_or_default();
    let has = |program: &str| std::env::split_paths(&path).any(|folder| is_program(&folder.join(program)));
    let chosen = choose(&var, has);
    for (program, arguments) in &chosen {
        start(program, arguments, text.to_owned());
    }
    chosen.first().map(|(program, _)| *program)
}

/// The programs to use, the system's first.
fn choose(
    var: &impl Fn(&str) -> Option<String>,
    has: impl Fn(&str) -> bool,
) -> Vec<(&'static str, &'static [&'static str])> {
    let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
    let system = PROGRAMS.iter().find(|(name, program, _)| (name.is_empty() || set(name)) && has(program));
    let mut chosen: Vec<_> =
        system.map(|(_, program, arguments)| (*program, *arguments)).into_iter().collect();
    if set("TMUX") && has("tmux") {
        chosen.push(("tmux", &["load-buffer", "-w", "-"]));
    }
    chosen
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Runs a program without waiting for it. What goes wrong has nobody to tell: the terminal was asked as well.
fn start(program: &'static str, arguments: &'static [&'static str], text: String) {
    std::thread::spawn(move || {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return };
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read would hold this thread for ever; it is ended below, which ends the write.
            std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        }
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        let _ = child.kill();
        let _ = child.wait();
    });
}

/// What the person is told: what was copied, and where it went.
pub fn told(copying: &Copying, by_terminal: bool, program: Option<&str>) -> String {
    let told = copying.told();
    match (by_terminal, program) {
        (true, Some(program)) => format!("copied the {told}: terminal, {program}"),
        (true, None) => format!("copied the {told}: terminal"),
        (false, Some(program)) => format!("copied the {told}: {program}"),
        (false, None) if copying.text.len() > MOST => {
            format!("not copied, {told}: more than {} KiB need wl-copy, xclip or xsel", MOST / 1024)
        }
        (false, None) => format!("not copied, {told}: there is no clipboard here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_which_programs() {
        let check = |set: &[&str], there: &[&str], want: &[&str]| {
            let var = |name: &str| set.contains(&name).then(|| "x".to_owned());
            let chosen: Vec<&str> =
                choose(&var, |program| there.contains(&program)).into_iter().map(|(name, _)| name).collect();
            assert_eq!(chosen, want, "{set:?} {there:?}");
        };
        check(&[], &["wl-copy", "xclip", "tmux"], &[]);
        check(&["WAYLAND_DISPLAY", "DISPLAY"], &["wl-copy", "xclip"], &["wl-copy"]);
        check(&["WAYLAND_DISPLAY", "DISPLAY"], &["xclip", "xsel"], &["xclip"]);
        check(&["DISPLAY"], &["xsel", "wl-copy"], &["xsel"]);
        check(&[], &["pbcopy"], &["pbcopy"]);
        check(&["TMUX"], &["tmux"], &["tmux"]);
        check(&["TMUX", "DISPLAY"], &["tmux", "xclip"], &["xclip", "tmux"]);
    }

    #[test]
    fn the_person_is_told_where_it_went() {
        let check = |bytes: usize, by_terminal, program, want: &str| {
            let copying = Copying { letter: 'o', what: "output", text: "x".repeat(bytes) };
            assert_eq!(told(&copying, by_terminal, program), want);
        };
        check(3, true, Some("xclip"), "copied the output, 3 bytes: terminal, xclip");
        check(3, true, None, "copied the output, 3 bytes: terminal");
        check(200_000, false, Some("tmux"), "copied the output, 200,000 bytes: tmux");
        check(
            200_000,
            false,
            None,
            "not copied, output, 200,000 bytes: more than 100 KiB need wl-copy, xclip or xsel",
        );
        check(3, false, None, "not copied, output, 3 bytes: there is no clipboard here");
    }
}
