//! `carpel trust`: a person's word on what a folder brings, and the question that asks for it.
//!
//! A folder may tell an agent what to do: standing instructions, skills, a manifest. None of it is used before the
//! person has said so. The chat asks once, in plain lines before it begins; everything else goes by what is remembered,
//! or by `--trust`. `trust/folder.rs` says how it stands with a folder, `trust/store.rs` keeps the answers. Refuses to know
//! what the things say.

mod folder;
mod store;

use std::io::BufRead;
use std::path::Path;

use anyhow::Context;
use carpel_slots::Printable;
use clap::Args;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub use self::folder::{Folder, Standing};
pub use self::store::store_file;
use crate::cli::exit::{Exit, Stopped};
use crate::cli::out;
use crate::sentence;

/// Say that you trust what this folder brings, or that you do not any more.
#[derive(Args)]
pub struct Trust {
    /// Forget what was said about the folder.
    #[arg(long)]
    forget: bool,
}

/// Who can be asked about a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// A person at a terminal.
    Person,
    Nobody,
}

impl Trust {
    pub(super) fn run(&self, workspace: &Path) -> anyhow::Result<Exit> {
        let mut folder = Folder::look(workspace.to_owned());
        let shown = Printable::line(&workspace.display().to_string());
        if self.forget {
            let was_known = folder.forget()?;
            let text = match (was_known, folder.trusted_by()) {
                (_, Some(above)) => format!(
                    "{shown} belongs to {}, which you trust; `carpel trust --forget --cwd` that folder forgets it\n",
                    Printable::line(&above.display().to_string())
                ),
                (true, None) => format!("{shown} is forgotten; the chat asks again\n"),
                (false, None) => format!("nothing was remembered about {shown}\n"),
            };
            out::rows(&[Printable::line(text.trim_end())])?;
            return Ok(Exit::Done);
        }
        folder.remember(true)?;
        let things = match folder.things() {
            things if things.is_empty() => "it brings nothing now".to_owned(),
            things => format!("it brings {}", things.join(", ")),
        };
        out::rows(&[Printable::line(&format!("{shown} is trusted; {things}"))])?;
        Ok(Exit::Done)
    }
}

/// Asks the person at the terminal whether they trust the folder, and remembers what they say. Gives back what they typed
/// that was no answer: it was meant for the chat.
///
/// # Errors
/// When the person ends the input, as Ctrl+D does.
pub fn ask(folder: &mut Folder) -> anyhow::Result<String> {
    let mut typed = String::new();
    // What was typed before the question could be seen answers nothing.
    while is_more_waiting() {
        keep(&mut typed, &line()?);
    }
    out::rows(&Printable::lines(&question(folder)))?;
    loop {
        let path = folder.path().display();
        out::prompt(&Printable::line(&format!("Trust {path}? y or n, then Enter: ")))?;
        let line = line()?;
        match answer(&line).filter(|_| !is_more_waiting()) {
            Some(yes) => {
                kept(folder, yes)?;
                return Ok(typed);
            }
            None if keep(&mut typed, &line) => {
                out::rows(&[Printable::line("That is kept for the chat.")])?;
            }
            None => {}
        }
    }
}

/// A line of the terminal.
fn line() -> anyhow::Result<String> {
    let mut line = String::new();
    let count = std::io::stdin().lock().read_line(&mut line).context("the answer could not be read")?;
    if count == 0 {
        out::rows(&[Printable::default()])?;
        return Err(Stopped.into());
    }
    Ok(line)
}

/// Whether a line stands there already: one that comes with others was pasted, or typed ahead.
fn is_more_waiting() -> bool {
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

fn answer(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// Adds a line to what was typed for the chat; says whether there was anything in it.
fn keep(typed: &mut String, line: &str) -> bool {
    let line = line.trim_end_matches(['\n', '\r']);
    if line.trim().is_empty() {
        return false;
    }
    if !typed.is_empty() {
        typed.push('\n');
    }
    typed.push_str(line);
    true
}

/// An answer that cannot be written down holds for this run.
fn kept(folder: &mut Folder, yes: bool) -> anyhow::Result<()> {
    if let Err(error) = folder.remember(yes) {
        out::error(&Printable::line(&format!(
            "carpel: {}; the answer holds for this run",
            sentence::of(&error)
        )));
        if yes {
            folder.trust_for_now();
        }
    }
    Ok(())
}

fn question(folder: &Folder) -> String {
    let path = Printable::line(&folder.path().display().to_string());
    let things: String =
        folder.things().iter().map(|thing| format!("  {}\n", Printable::line(thing))).collect();
    let changed = match folder.standing() {
        Standing::Changed => "The manifest has changed since you trusted the folder.\n",
        Standing::Trusted | Standing::Refused | Standing::Unknown => "",
    };
    format!(
        "{path}\nbrings what tells an agent what to do:\n{things}{changed}With your trust it is used, also when \
         instructions and skills change\nor are added later; a changed manifest is asked about again.\nWithout your \
         trust none of it is used.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_that_says_so_is_an_answer() {
        for (line, expected) in [
            ("y\n", Some(true)),
            (" Yes \r\n", Some(true)),
            ("n\n", Some(false)),
            ("NO", Some(false)),
            ("\n", None),
            ("yy\n", None),
            ("yes, read the README\n", None),
            ("no\u{1b}[A\n", None),
        ] {
            assert_eq!(answer(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_kept() {
        let mut typed = String::new();
        let kept: Vec<bool> =
            ["\n", "read a\n", " \r\n", "  and b\r\n"].iter().map(|line| keep(&mut typed, line)).collect();
        assert_eq!(kept, [false, true, false, true]);
        assert_eq!(typed, "read a\n  and b");
    }
}
