//! Past and running sessions: which there are, and what their logs say.
//!
//! `carpel sessions` lists them, the picker shows the same rows. Titles and folders are untrusted text and become
//! printable where they are shown. Which one a person means is `which.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use carpel_pod::log::error::LogError;
use carpel_pod::log::list::{SessionInfo, SessionState, list};
use carpel_pod::log::place::{check_sessions, sessions_folder};
use carpel_pod::log::restore;
use carpel_pod::server::place::{running, socket_of};
use carpel_protocol::{Item, Record};
use carpel_slots::Printable;
use clap::Args;

use crate::chat::picker::{SessionRow, runs_left_out};
use crate::cli::exit::Exit;
use crate::cli::live::{self, Live};
use crate::cli::{exec, out};
use crate::export::answerer;

/// List past sessions, the latest first.
#[derive(Args)]
pub struct Sessions {
    /// Only those of the current folder.
    #[arg(long)]
    here: bool,
    /// Those of `carpel exec`, too.
    #[arg(long)]
    all: bool,
}

impl Sessions {
    pub(super) fn run(&self, cwd: &Path) -> anyhow::Result<Exit> {
        let here = cwd.to_string_lossy();
        let (all, is_unreadable) = rows_and_whether_unreadable()?;
        let is_any = !all.is_empty();
        let found: Vec<SessionRow> = all.into_iter().filter(|row| !self.here || row.folder == here).collect();
        let is_hidden = |row: &SessionRow| !self.all && row.is_run;
        let (hidden, rows): (Vec<SessionRow>, Vec<SessionRow>) = found.into_iter().partition(is_hidden);
        if rows.is_empty() && hidden.is_empty() {
            // An empty list is the truth only where there could be a session.
            check_sessions(&folder()?).map_err(|error| cannot_list(&error))?;
            out::error(&Printable::line(if is_any {
                "no sessions of this folder yet; `carpel` begins one, `carpel sessions` lists all"
            } else {
                "no sessions yet; `carpel` begins one"
            }));
        }
        out::rows(&lines(&rows.iter().collect::<Vec<_>>()))?;
        if let count @ 1.. = hidden.len() {
            out::error(&Printable::line(&runs_left_out(count)));
        }
        Ok(if is_unreadable { Exit::Failed } else { Exit::Done })
    }
}

/// Sessions as rows of text: id, when, title, folder, and what is to be said of it.
pub fn lines(rows: &[&SessionRow]) -> Vec<Printable> {
    let width = rows.iter().map(|row| row.when.len()).max().unwrap_or_default();
    rows.iter().map(|row| line(row, width)).collect()
}

fn line(row: &SessionRow, width: usize) -> Printable {
    let title = if row.title.trim().is_empty() { "(no title)" } else { row.title.trim() };
    let when = format!("{:width$}", row.when);
    let words = [&row.id, &when, title, &row.folder, &row.note];
    Printable::line(&words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("  "))
}

/// The pods that run now, by session.
fn pods() -> Vec<Live> {
    live::ask_all(running().into_iter().map(|pod| (pod.session, pod.socket)).collect())
}

/// All sessions as rows, the latest first, those of `carpel exec` behind the rest.
pub fn rows() -> anyhow::Result<Vec<SessionRow>> {
    let mut rows = rows_and_whether_unreadable()?.0;
    rows.sort_by_key(|row| row.is_run);
    Ok(rows)
}

/// The sessions that run, as rows. A pod can be reached whatever is wrong where its log is.
pub fn running_rows() -> Vec<SessionRow> {
    let rows = rows_of(all().unwrap_or_default(), &pods());
    rows.into_iter().filter(|row| row.runs).collect()
}

/// The rows, and whether there are sessions of which none can be read.
fn rows_and_whether_unreadable() -> anyhow::Result<(Vec<SessionRow>, bool)> {
    let running = pods();
    let all = all()?;
    let is_bad = |info: &SessionInfo| matches!(info.state, SessionState::Unreadable(_));
    let is_unreadable = !all.is_empty() && all.iter().all(is_bad);
    Ok((rows_of(all, &running), is_unreadable))
}

fn rows_of(all: Vec<SessionInfo>, running: &[Live]) -> Vec<SessionRow> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    // A session is on the disk from its first prompt on; its pod runs before that.
    let unborn = running.iter().filter(|pod| !all.iter().any(|info| info.id == pod.id)).map(unborn_row);
    let mut rows: Vec<SessionRow> = unborn.collect();
    rows.extend(all.into_iter().map(|info| row(info, running, now)));
    rows
}

fn all() -> anyhow::Result<Vec<SessionInfo>> {
    list(&folder()?).map_err(|error| cannot_list(&error))
}

fn folder() -> anyhow::Result<PathBuf> {
    let folder = sessions_folder(|name| std::env::var_os(name));
    folder.context("there is no folder for sessions; set HOME or CARPEL_HOME")
}

fn cannot_list(error: &LogError) -> anyhow::Error {
    anyhow::anyhow!("past sessions cannot be listed: {error}; {}", error.way_out())
}

fn cannot_read(id: &str, error: &LogError) -> anyhow::Error {
    match error {
        // On the disk it is from its first prompt on.
        LogError::Missing { .. } if runs(id) => {
            anyhow::anyhow!("nothing was said in session `{id}` yet; `carpel attach {id}` opens it")
        }
        LogError::Io { .. } => {
            anyhow::anyhow!("session `{id}`: {error}; {}", error.way_out())
        }
        // The others say it themselves.
        error => anyhow::anyhow!("{error}"),
    }
}

fn row(info: SessionInfo, running: &[Live], now: u64) -> SessionRow {
    let last = info.last_at.or(info.created_at).and_then(|at| u64::try_from(at / 1000).ok());
    let pod = running.iter().find(|pod| pod.id == info.id);
    let note = match (pod, &info.state) {
        (Some(pod), _) => pod.state.clone(),
        (None, SessionState::Free) => String::new(),
        (None, SessionState::Held(holder)) => format!("held by {holder}"),
        (None, SessionState::Unreadable(reason)) => reason.clone(),
    };
    SessionRow {
        runs: pod.is_some(),
        is_run: pod.is_none() && info.asked_by.as_deref() == Some(exec::CLIENT),
        when: last.map_or_else(String::new, |last| ago(now.saturating_sub(last))),
        title: info.title,
        folder: info.cwd,
        id: info.id,
        note,
    }
}

fn unborn_row(pod: &Live) -> SessionRow {
    SessionRow {
        id: pod.id.clone(),
        title: pod.title.clone(),
        folder: pod.folder.clone(),
        when: "new".to_owned(),
        note: pod.state.clone(),
        runs: true,
        is_run: false,
    }
}

/// A span of time as a person says it.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// The latest session of a folder.
///
/// # Errors
/// When it has none.
pub fn latest(cwd: &Path) -> anyhow::Result<String> {
    let here = cwd.to_string_lossy();
    let found = all()?.into_iter().find(|info| info.cwd == here);
    found.map(|info| info.id).with_context(|| {
        format!(
            "there is no session of `{here}` to continue; `carpel` begins one, `carpel sessions` lists all"
        )
    })
}

/// A folder as a session tells it, when it does.
pub fn folder_in(told: &str) -> Option<PathBuf> {
    Some(told).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The folder that a session belongs to, when its log says so.
///
/// # Errors
/// When past sessions cannot be listed.
pub fn folder_of(session: &str) -> anyhow::Result<Option<PathBuf>> {
    let found = rows()?.into_iter().find(|row| row.id == session);
    Ok(found.and_then(|row| folder_in(&row.folder)))
}

/// Whether a session's pod runs.
pub fn runs(id: &str) -> bool {
    socket_of(id).is_some()
}

/// Whether a session can be gone on with, as far as that shows without reading it: it runs, or its log can be opened.
///
/// # Errors
/// When its log cannot be opened.
pub fn check(id: &str) -> anyhow::Result<()> {
    let opened =
        folder().and_then(|sessions| restore::check(&sessions, id).map_err(|error| cannot_read(id, &error)));
    // Nobody is asked about a log that opens.
    match opened {
        Err(_) if runs(id) => Ok(()),
        opened => opened,
    }
}

/// A session as its log tells it; all strings are raw.
pub struct Past {
    /// Its identity.
    pub id: String,
    /// Its title, or the beginning of the first prompt.
    pub title: String,
    /// The workspace folder.
    pub folder: String,
    /// Who answered last, and with which model.
    pub provider: String,
    /// When it began, in Unix milliseconds.
    pub began: Option<i64>,
    /// Everything in it.
    pub records: Vec<Record>,
    /// What could not be read of the log, a sentence each.
    pub problems: Vec<String>,
    /// True while a process holds it.
    pub in_use: bool,
    /// Where the whole of an output that is cut in its record is kept, by the call's id.
    pub side_files: BTreeMap<String, String>,
}

/// All of a past session. Reads only, also while it runs.
///
/// # Errors
/// When its log cannot be read.
pub fn past(id: &str) -> anyhow::Result<Past> {
    let sessions = folder()?;
    let restored = restore::restore(&sessions, id).map_err(|error| cannot_read(id, &error))?;
    let info = all()?.into_iter().find(|info| info.id == id).unwrap_or_default();
    let outputs = sessions.join(id).join("outputs");
    let side_file = |record: &Record| match &record.item {
        Item::ToolResult(result) => {
            let name = result
                .output_ref
                .as_deref()
                .filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric()))?;
            let file = outputs.join(name);
            file.is_file().then(|| (result.id.clone(), file.to_string_lossy().into_owned()))
        }
        _ => None,
    };
    let header = restored.header;
    Ok(Past {
        id: id.to_owned(),
        title: if header.title.trim().is_empty() { info.title } else { header.title },
        folder: header.cwd,
        provider: answerer(&header.provider, &header.model),
        began: info.created_at.or(header.created_at),
        side_files: restored.records.iter().filter_map(side_file).collect(),
        problems: restored.problems.iter().map(ToString::to_string).collect(),
        in_use: matches!(info.state, SessionState::Held(_)),
        records: restored.records,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let rows = [
            (0, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (7_200, "2 h ago"),
            (90_000, "yesterday"),
            (400_000, "4 days ago"),
        ];
        for (seconds, want) in rows {
            assert_eq!(ago(seconds), want, "{seconds}");
        }
    }

    /// LOG 3.05: a title is untrusted text.
    #[test]
    fn log_3_05_titles_stay_in_their_row() {
        let row = SessionRow { id: "1".into(), title: "a\u{1b}]0;x\u{7}\nb".into(), ..SessionRow::default() };
        let line = line(&row, 8);
        assert!(line.as_str().ends_with("a␊b"), "{line:?}");
    }
}
