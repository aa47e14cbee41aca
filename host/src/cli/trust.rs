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

pub use self::folder::{Folder, Standing};
pub use self::store::store_file;
use crate::cli::exit::{Exit, Stopped};
use crate::cli::out;

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

/// How often an answer that is neither yes nor no is asked about again.
const TRIES: usize = 3;

/// Asks the person at the terminal whether they trust the folder, and remembers what they say. Without an answer the
/// folder is not used, and asked about again next time.
///
/// # Errors
/// When the person ends the input, as Ctrl+D does.
pub fn ask(folder: &mut Folder) -> anyhow::Result<()> {
    out::rows(&Printable::lines(&question(folder)))?;
    for _ in 0..TRIES {
        out::prompt(&Printable::line("Trust it? [y/n] "))?;
        let mut line = String::new();
        let count = std::io::stdin().lock().read_line(&mut line).context("the answer could not be read")?;
        if count == 0 {
            out::rows(&[Printable::default()])?;
            return Err(Stopped.into());
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return kept(folder, true),
            "n" | "no" => return kept(folder, false),
            _ => {}
        }
    }
    Ok(())
}

/// An answer that cannot be written down holds for this run.
fn kept(folder: &mut Folder, yes: bool) -> anyhow::Result<()> {
    if let Err(error) = folder.remember(yes) {
        out::error(&Printable::line(&format!("carpel: {error:#}; the answer holds for this run")));
        if yes {
            folder.trust_for_now();
        }
    }
    Ok(())
}

fn question(folder: &Folder) -> String {
    let things: String =
        folder.things().iter().map(|thing| format!("  {}\n", Printable::line(thing))).collect();
    let changed = match folder.standing() {
        Standing::Changed => "The manifest has changed since you trusted the folder. ",
        Standing::Trusted | Standing::Refused | Standing::Unknown => "",
    };
    format!(
        "This folder brings what tells an agent what to do:\n{things}{changed}Without your trust none of it is used.\n"
    )
}
