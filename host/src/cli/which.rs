//! Which session a person means: by its id, by the beginning of it, or by saying nothing.
//!
//! Owns that a name is taken the same way by `--resume`, `attach`, `export` and `pod --resume`: the whole id, or a
//! beginning that only one has; of several each is told in a row. Which sessions there are, and what a row says, is
//! `sessions.rs`. Nothing is guessed among several that run.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::chat::picker::SessionRow;
use crate::cli::{out, sessions};

/// A session that was found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its identity.
    pub id: String,
    /// The folder that it belongs to, when it says so.
    pub folder: Option<PathBuf>,
}

/// Candidates that are told; more help nobody.
const FEW: usize = 10;

/// The session that a person names, past or running.
///
/// # Errors
/// When there is none, or more than one.
pub fn named(name: &str) -> anyhow::Result<Found> {
    let rows = sessions::rows()?;
    match matching(&rows, name).as_slice() {
        [only] => Ok(found(only)),
        [] => bail!("{}", none(name)),
        several => {
            tell(several);
            bail!("`{name}` begins {} ids; type more of the one you mean", several.len())
        }
    }
}

/// The session that a person names, of which is known that it runs or that its log can be opened.
///
/// # Errors
/// As [`named`], and when its log cannot be opened.
pub fn resumable(name: &str) -> anyhow::Result<Found> {
    let found = named(name)?;
    sessions::check(&found.id)?;
    Ok(found)
}

/// The whole id of a session to go on with. Of one that is named in full no other is looked at.
///
/// # Errors
/// As [`named`].
pub fn whole(name: &str) -> anyhow::Result<String> {
    match sessions::check(name) {
        Ok(()) => Ok(name.to_owned()),
        Err(_) => Ok(named(name)?.id),
    }
}

/// The running session that a person names; without a name the only one that runs.
///
/// # Errors
/// When none runs, or it is not clear which is meant.
pub fn running(name: Option<&str>, cwd: &Path) -> anyhow::Result<Found> {
    let running = sessions::running_rows();
    let meant = match name {
        Some(name) => matching(&running, name),
        None => running.iter().collect(),
    };
    match (meant.as_slice(), name) {
        ([only], _) => Ok(found(only)),
        ([], None) => {
            let way = match sessions::latest(cwd) {
                Ok(_) => "`carpel --continue` opens the latest of this folder",
                Err(_) => "`carpel` begins one",
            };
            bail!("no session runs; {way}")
        }
        ([], Some(name)) => match matching(&sessions::rows()?, name).as_slice() {
            [only] => bail!("session `{0}` does not run; `carpel --resume {0}` opens it", only.id),
            [] => bail!("{}", none(name)),
            _ => bail!("no session that runs is called `{name}`; `carpel sessions` lists all"),
        },
        (several, None) => {
            tell(several);
            bail!(
                "{} sessions run; `carpel attach ID` opens one, the beginning of its id is enough",
                several.len()
            )
        }
        (several, Some(name)) => {
            tell(several);
            bail!("`{name}` begins the ids of {} sessions that run; type more of one", several.len())
        }
    }
}

/// The rows that a name may stand for: the one that is called so, else all whose ids begin so.
fn matching<'a>(rows: &'a [SessionRow], name: &str) -> Vec<&'a SessionRow> {
    let name = name.trim();
    match rows.iter().find(|row| row.id == name) {
        Some(exact) => vec![exact],
        None if name.is_empty() => Vec::new(),
        None => rows.iter().filter(|row| row.id.starts_with(name)).collect(),
    }
}

fn none(name: &str) -> String {
    match name.trim() {
        "" => "the id of a session is missing; `carpel sessions` lists them".to_owned(),
        name => format!("there is no session `{name}`; `carpel sessions` lists them"),
    }
}

fn found(row: &SessionRow) -> Found {
    Found { id: row.id.clone(), folder: sessions::folder_in(&row.folder) }
}

/// Tells of several sessions, a row each, on stderr.
fn tell(several: &[&SessionRow]) {
    let few = &several[..several.len().min(FEW)];
    sessions::lines(few).iter().for_each(out::error);
    if let more @ 1.. = several.len() - few.len() {
        out::error(&carpel_slots::Printable::line(&format!("and {more} more; `carpel sessions` lists all")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_an_id_or_the_beginning_of_one() {
        let rows: Vec<SessionRow> = ["6b0e1673-87", "6b0e16f6-ae", "chat", "chat-2"]
            .map(|id| SessionRow { id: id.to_owned(), ..SessionRow::default() })
            .into();
        for (name, expected) in [
            ("6b0e1673-87", &["6b0e1673-87"][..]),
            ("6b0e167", &["6b0e1673-87"]),
            (" 6b0e167 ", &["6b0e1673-87"]),
            ("6b0e", &["6b0e1673-87", "6b0e16f6-ae"]),
            // The whole id of one is the beginning of another.
            ("chat", &["chat"]),
            ("cha", &["chat", "chat-2"]),
            ("0e16", &[]),
            ("", &[]),
            (" ", &[]),
        ] {
            let got: Vec<&str> = matching(&rows, name).iter().map(|row| row.id.as_str()).collect();
            assert_eq!(got, expected, "{name:?}");
        }
    }
}
