//! Past and running sessions: which there are, and which one a person means.
//!
//! `carpel sessions` lists them, `--continue` and `--resume` choose one, the picker shows the same rows. Titles and
//! folders are untrusted text and become printable where they are shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use carpel_pod::log::error::LogError;
use carpel_pod::log::list::{SessionInfo, SessionState, list};
use carpel_pod::log::place::{check_sessions, sessions_folder};
use carpel_pod::log::restore::restore;
use carpel_pod::server::place::running;
use carpel_protocol::{Item, Record};
use carpel_slots::Printable;
use clap::Args;

use crate::chat::picker::SessionRow;
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
        let found: Vec<SessionRow> = all.into_iter().filter(|row| !self.here || row.folder == here).collect();
        let is_hidden = |row: &SessionRow| !self.all && row.is_run;
        let (hidden, rows): (Vec<SessionRow>, Vec<SessionRow>) = found.into_iter().partition(is_hidden);
        if rows.is_empty() && hidden.is_empty() {
            // An empty list is the truth only where there could be a session.
            check_sessions(&folder()?).map_err(|error| cannot_list(&error))?;
            out::error(&Printable::line("no sessions yet; `carpel` begins one"));
        }
        let width = rows.iter().map(|row| row.when.len()).max().unwrap_or_default();
        out::rows(&rows.iter().map(|row| line(row, width)).collect::<Vec<_>>())?;
        if let count @ 1.. = hidden.len() {
            let runs = if count == 1 { "1 run" } else { &format!("{count} runs") };
            let text = format!("{runs} of `carpel exec` left out; `carpel sessions --all` lists all");
            out::error(&Printable::line(&text));
        }
        Ok(if is_unreadable { Exit::Failed } else { Exit::Done })
    }
}

fn line(row: &SessionRow, width: usize) -> Printable {
    let title = if row.title.trim().is_empty() { "(no title)" } else { row.title.trim() };
    let note = if row.note.is_empty() { String::new() } else { format!("  {}", row.note) };
    let words = format!("{}  {:width$}  {title}  {}{note}", row.id, row.when, row.folder);
    Printable::line(&words)
}

/// The pods that run now, by session.
fn pods() -> Vec<Live> {
    live::ask_all(running().into_iter().map(|pod| (pod.session, pod.socket)).collect())
}

fn running_line(pod: &Live) -> Printable {
    let title = if pod.title.trim().is_empty() { "(no title)" } else { pod.title.trim() };
    Printable::line(&format!("{}  {title}  {}  {}", pod.id, pod.folder, pod.state))
}

/// All sessions as rows, the latest first, those of `carpel exec` behind the rest.
pub fn rows() -> anyhow::Result<Vec<SessionRow>> {
    let mut rows = rows_and_whether_unreadable()?.0;
    rows.sort_by_key(|row| row.is_run);
    Ok(rows)
}

/// The rows, and whether there are sessions of which none can be read.
fn rows_and_whether_unreadable() -> anyhow::Result<(Vec<SessionRow>, bool)> {
    let running = pods();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let all = all()?;
    let is_bad = |info: &SessionInfo| matches!(info.state, SessionState::Unreadable(_));
    let is_unreadable = !all.is_empty() && all.iter().all(is_bad);
    // A session is on the disk from its first prompt on; its pod runs before that.
    let unborn = running.iter().filter(|pod| !all.iter().any(|info| info.id == pod.id)).map(unborn_row);
    let mut rows: Vec<SessionRow> = unborn.collect();
    rows.extend(all.into_iter().map(|info| row(info, &running, now)));
    Ok((rows, is_unreadable))
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

/// A session that was found by its name.
pub struct Found {
    /// Its identity.
    pub id: String,
    /// The folder that it belongs to, when its log says so.
    pub folder: Option<PathBuf>,
}

/// The session that a person names: its id, or the beginning of it where only one begins so.
///
/// # Errors
/// When there is none, or more than one.
pub fn named(name: &str) -> anyhow::Result<Found> {
    let mut found: Vec<SessionInfo> = all()?.into_iter().filter(|info| info.id.starts_with(name)).collect();
    if let Some(exact) = found.iter().position(|info| info.id == name) {
        found = vec![found.swap_remove(exact)];
    }
    match found.as_slice() {
        [only] => Ok(Found { id: only.id.clone(), folder: folder_in(only) }),
        [] => bail!("there is no session `{name}`; `carpel sessions` lists them"),
        several => {
            let ids: Vec<String> = several.iter().map(|info| info.id.clone()).collect();
            bail!("`{name}` may be {}; type more of it", a_few(&ids))
        }
    }
}

fn folder_in(info: &SessionInfo) -> Option<PathBuf> {
    Some(&info.cwd).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The folder that a session belongs to, when its log says so.
///
/// # Errors
/// When past sessions cannot be listed.
pub fn folder_of(session: &str) -> anyhow::Result<Option<PathBuf>> {
    let found = all()?.into_iter().find(|info| info.id == session);
    Ok(found.as_ref().and_then(folder_in))
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
    let cannot =
        |error: LogError| anyhow::anyhow!("session `{id}` cannot be read: {error}; {}", error.way_out());
    let restored = restore(&sessions, id).map_err(cannot)?;
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

/// The running session that a person names; without a name the one that is meant from `cwd`.
///
/// # Errors
/// When none runs, or the name does not tell which.
pub fn running_named(name: Option<&str>, cwd: &Path) -> anyhow::Result<String> {
    let pods = pods();
    let found: Vec<&Live> = match name {
        Some(name) => pods.iter().filter(|pod| pod.id.starts_with(name)).collect(),
        None => meant(&pods, &cwd.to_string_lossy()),
    };
    if let Some(exact) = found.iter().find(|pod| name == Some(&pod.id)) {
        return Ok(exact.id.clone());
    }
    match (found.as_slice(), name) {
        ([only], _) => Ok(only.id.clone()),
        ([], None) => bail!("no session runs; `carpel --continue` opens the latest of this folder"),
        ([], Some(name)) => bail!("no running session is called `{name}`; `carpel --resume {name}` opens it"),
        (several, _) => {
            several.iter().for_each(|pod| out::error(&running_line(pod)));
            bail!("several sessions run; name one of these with `carpel attach ID`")
        }
    }
}

/// The running sessions that may be meant from a folder: its own before others, then those at work before idle ones.
fn meant<'a>(pods: &'a [Live], here: &str) -> Vec<&'a Live> {
    let narrowed = |pods: Vec<&'a Live>, is_meant: &dyn Fn(&Live) -> bool| {
        let some: Vec<&Live> = pods.iter().copied().filter(|pod| is_meant(pod)).collect();
        if some.is_empty() { pods } else { some }
    };
    let of_folder = narrowed(pods.iter().collect(), &|pod| pod.folder == here);
    narrowed(of_folder, &|pod| pod.is_at_work)
}

/// The first of many names, and how many more there are.
fn a_few(names: &[String]) -> String {
    const FEW: usize = 5;
    let first = names[..names.len().min(FEW)].join(", ");
    if names.len() > FEW {
        format!("{first} and {} more (`carpel sessions` lists them)", names.len() - FEW)
    } else {
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names = |count: usize| -> Vec<String> { (0..count).map(|at| at.to_string()).collect() };
        assert_eq!(a_few(&names(2)), "0, 1");
        assert_eq!(a_few(&names(7)), "0, 1, 2, 3, 4 and 2 more (`carpel sessions` lists them)");
    }

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

    #[test]
    fn which_running_session_is_meant() {
        // Each is id, folder, whether it works.
        let check = |pods: &[(&str, &str, bool)], expected: &[&str]| {
            let live = |(id, folder, is_at_work): &(&str, &str, bool)| Live {
                id: (*id).to_owned(),
                folder: (*folder).to_owned(),
                is_at_work: *is_at_work,
                ..Live::default()
            };
            let pods: Vec<Live> = pods.iter().map(live).collect();
            let got: Vec<&str> = meant(&pods, "/w").iter().map(|pod| pod.id.as_str()).collect();
            assert_eq!(got, expected);
        };
        check(&[], &[]);
        check(&[("a", "/x", false)], &["a"]);
        check(&[("a", "/x", true), ("b", "/w", false)], &["b"]);
        check(&[("a", "/w", false), ("b", "/w", true)], &["b"]);
        check(&[("a", "/x", true), ("b", "/x", false)], &["a"]);
        check(&[("a", "/w", false), ("b", "/w", false), ("c", "/x", true)], &["a", "b"]);
        check(&[("a", "/x", true), ("b", "/y", true)], &["a", "b"]);
    }

    /// LOG 3.05: a title is untrusted text.
    #[test]
    fn log_3_05_titles_stay_in_their_row() {
        let row = SessionRow { id: "1".into(), title: "a\u{1b}]0;x\u{7}\nb".into(), ..SessionRow::default() };
        let line = line(&row, 8);
        assert!(line.as_str().ends_with("a␊b  "), "{line:?}");
    }
}
