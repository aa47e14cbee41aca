//! The session: settled records with their numbers, on the disk before anybody hears of them.
//!
//! Owns the order of records, their numbers, the title, and the log that they are written to first: what `append` refuses
//! is not here either, so memory never runs ahead of the disk. A session on disk begins with its first prompt; until then
//! nothing is left behind. One without a place is kept in memory and gone with the pod. It refuses to know clients, turns
//! in progress and the clock. Read next: `session/restored.rs`, `session/conversation.rs`, `../log.rs`.

pub mod conversation;
mod restored;

use std::path::{Path, PathBuf};

use carpel_protocol::event::{Notice, OutputPiece};
use carpel_protocol::item::{Compaction, ToolCall};
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Extra, Item, Record};

use crate::log::error::LogError;
use crate::log::header::Header;
use crate::log::outputs::Outputs;
use crate::log::queued::Queued;
use crate::log::{Rotation, SessionLog, Synced, Unsynced, Written};
use crate::session::restored::whole;
use crate::worker::call::CallIds;

/// Characters of a title that is made of a prompt.
const TITLE: usize = 80;
/// Bytes of an output that are told at a time.
const PIECE: usize = 64 * 1024;

pub struct Session {
    id: String,
    title: String,
    /// The workspace, as the log tells it.
    cwd: String,
    /// Who answers.
    provider: String,
    model: String,
    records: Vec<Record>,
    /// What waited when the session was left, with the highest number of such.
    waiting: (Vec<Queued>, u64),
    keep: Keep,
}

enum Keep {
    Memory,
    /// On the disk, in this folder of all sessions, from the first prompt on.
    Unborn(PathBuf),
    Disk(Box<SessionLog>),
}

impl Session {
    /// A session that nothing is left of.
    pub fn in_memory(id: impl Into<String>) -> Self {
        Self::with(id.into(), String::new(), Keep::Memory)
    }

    /// A new session in the folder of all sessions.
    pub fn on_disk(id: impl Into<String>, cwd: impl Into<String>, sessions: impl Into<PathBuf>) -> Self {
        Self::with(id.into(), cwd.into(), Keep::Unborn(sessions.into()))
    }

    /// Goes on with a session, and says what its reader found odd.
    ///
    /// # Errors
    /// [`LogError`] when it is not there, somebody else writes to it, or it cannot be read or written.
    pub fn resume(sessions: &Path, id: &str, at: i64) -> Result<(Self, Vec<Notice>), LogError> {
        let (log, found) = SessionLog::open(sessions, id, at)?;
        let Header { title, cwd, provider, model, .. } = found.header.clone();
        let waiting = (found.queue.clone(), found.last_item);
        let (records, notices) = whole(found);
        let keep = Keep::Disk(Box::new(log));
        Ok((
            Self { records, waiting, title, provider, model, ..Self::with(id.to_owned(), cwd, keep) },
            notices,
        ))
    }

    #[cfg(test)]
    pub(crate) fn on_log(log: SessionLog) -> Self {
        Self::with("s".to_owned(), String::new(), Keep::Disk(Box::new(log)))
    }

    fn with(id: String, cwd: String, keep: Keep) -> Self {
        let (title, provider, model) = (String::new(), String::new(), String::new());
        Self { id, title, cwd, provider, model, records: Vec::new(), waiting: (Vec::new(), 0), keep }
    }

    /// Says who answers from now on, in which folder. The log is told with the next prompt; what the person should
    /// know of the change is returned.
    pub fn goes_on_with(&mut self, provider: &str, model: &str, cwd: &str) -> Option<Notice> {
        if self.cwd.is_empty() {
            cwd.clone_into(&mut self.cwd);
        }
        provider.clone_into(&mut self.provider);
        model.clone_into(&mut self.model);
        let Keep::Disk(log) = &self.keep else { return None };
        let was = log.header();
        if was.provider.is_empty() || (was.provider == provider && was.model == model) {
            return None;
        }
        let text = format!(
            "so far {} answered in this session; from now on {} does, with all that was said before",
            named(&was.provider, &was.model),
            named(provider, model)
        );
        Some(Notice { level: NoticeLevel::Info, code: "other_model".to_owned(), text })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Number of the log segment; 0 where there is none.
    pub fn segment(&self) -> u64 {
        match &self.keep {
            Keep::Memory | Keep::Unborn(_) => 0,
            Keep::Disk(log) => log.header().segment,
        }
    }

    /// Whether there is something that a person could come back to.
    pub fn is_begun(&self) -> bool {
        !self.records.is_empty()
    }

    /// Before the first prompt: gives the session a title, unless it has one, and its place on the disk. True when the
    /// title is new.
    ///
    /// # Errors
    /// [`LogError`] when it cannot be written; nothing has changed then.
    pub fn begin(&mut self, prompt: &str, at: i64) -> Result<bool, LogError> {
        let named = self.title.is_empty() && self.records.is_empty();
        let title = if named { title_of(prompt) } else { self.title.clone() };
        let header = Header {
            provider: self.provider.clone(),
            model: self.model.clone(),
            ..Header::new(self.id.clone(), title.clone(), self.cwd.clone())
        };
        match &mut self.keep {
            Keep::Memory => {}
            Keep::Unborn(sessions) => {
                self.keep = Keep::Disk(Box::new(SessionLog::create(sessions, header, at)?));
            }
            Keep::Disk(log) if log.header().is_behind(&header) => {
                let was = log.header().clone();
                log.describe(
                    Header { created_at: was.created_at.or(Some(at)), extra: was.extra, ..header },
                    at,
                )?;
            }
            Keep::Disk(_) => {}
        }
        self.title = title;
        Ok(named && !self.title.is_empty())
    }

    /// Adds what is settled; `at` is Unix milliseconds. Returns its number.
    ///
    /// # Errors
    /// [`LogError`] when it could not be written; it is not in the session then.
    pub fn append(&mut self, item: Item, at: i64) -> Result<u64, LogError> {
        let record = match &mut self.keep {
            Keep::Memory => self.numbered(item, at),
            Keep::Unborn(_) => {
                self.begin("", at)?;
                return self.append(item, at);
            }
            Keep::Disk(log) => log.append(&item, at)?,
        };
        let seq = record.seq.unwrap_or_default();
        self.records.push(record);
        Ok(seq)
    }

    /// See [`SessionLog::draft`]. Where it cannot be kept, what is settled next tells of that.
    pub fn draft(&mut self, call: Option<&ToolCall>, at: i64) {
        if let Keep::Disk(log) = &mut self.keep
            && let Err(error) = log.draft(call, at)
        {
            tracing::debug!(%error, "a call that is being written was not noted");
        }
    }

    /// Notes that a call may run from now on.
    ///
    /// # Errors
    /// [`LogError`] when it could not be written: it must not run then, as the log says that it has not begun.
    pub fn begun(&mut self, id: &str, at: i64) -> Result<(), LogError> {
        match &mut self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(()),
            Keep::Disk(log) => log.begun(id, at),
        }
    }

    /// The prompts that waited when the session was left, and the highest number that one has had.
    pub fn left_waiting(&self) -> (Vec<Queued>, u64) {
        self.waiting.clone()
    }

    /// Notes which prompts wait.
    ///
    /// # Errors
    /// [`LogError`] when it could not be written.
    pub fn keep_queue(&mut self, items: &[Queued], at: i64) -> Result<(), LogError> {
        match &mut self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(()),
            Keep::Disk(log) => log.queue(items, at),
        }
    }

    /// What is to be made durable, if anything, for another thread; see [`SessionLog::unsynced`].
    ///
    /// # Errors
    /// [`LogError`] when that cannot be told.
    pub fn unsynced(&self) -> Result<Option<Unsynced>, LogError> {
        match &self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(None),
            Keep::Disk(log) => log.unsynced().map(Some),
        }
    }

    /// Hears what became durable.
    pub fn synced(&mut self, synced: &Synced) {
        if let Keep::Disk(log) = &mut self.keep {
            log.synced(synced);
        }
    }

    /// Makes what was added durable. Blocks.
    ///
    /// # Errors
    /// [`LogError`] when the disk did not take it.
    pub fn sync(&mut self) -> Result<(), LogError> {
        match &mut self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(()),
            Keep::Disk(log) => log.sync(),
        }
    }

    /// Begins a compaction of the log, see [`SessionLog::rotation`]; `None` where there is none.
    ///
    /// # Errors
    /// [`LogError`] when it cannot be begun.
    pub fn rotation(&mut self, compaction: &Compaction, at: i64) -> Result<Option<Rotation>, LogError> {
        match &mut self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(None),
            Keep::Disk(log) => log.rotation(compaction.clone(), at).map(Some),
        }
    }

    /// Makes the change, see [`SessionLog::rotated`]. Returns the number of the mark.
    ///
    /// # Errors
    /// [`LogError`] when it could not be made; nothing has changed then.
    pub fn rotated(&mut self, written: Written) -> Result<Option<u64>, LogError> {
        let Keep::Disk(log) = &mut self.keep else { return Ok(None) };
        let record = log.rotated(written)?;
        let seq = record.as_ref().and_then(|record| record.seq);
        self.records.extend(record);
        Ok(seq)
    }

    /// Lets go of the log: what comes now is kept in memory only. What was added is durable, where the disk takes it.
    pub fn close(&mut self) {
        if let Keep::Disk(log) = &mut self.keep {
            if let Err(error) = log.sync() {
                tracing::error!(%error, "the end of the session may not be on the disk");
            }
            self.keep = Keep::Memory;
        }
    }

    /// Asks the disk again after a failure.
    ///
    /// # Errors
    /// [`LogError`] when nothing can be written still.
    pub fn retry(&mut self) -> Result<(), LogError> {
        match &mut self.keep {
            Keep::Memory | Keep::Unborn(_) => Ok(()),
            Keep::Disk(log) => log.retry(),
        }
    }

    /// # Errors
    /// [`LogError`] when it could not be written; the old title stays.
    pub fn rename(&mut self, title: &str, at: i64) -> Result<(), LogError> {
        if let Keep::Disk(log) = &mut self.keep {
            log.rename(title, at)?;
        }
        title.clone_into(&mut self.title);
        Ok(())
    }

    /// Where long outputs are kept, if anywhere.
    pub fn outputs(&self) -> Option<Outputs> {
        match &self.keep {
            Keep::Memory | Keep::Unborn(_) => None,
            Keep::Disk(log) => Some(log.outputs().clone()),
        }
    }

    /// A piece of a call's output; `None` when there is no such output, or the whole was not kept.
    ///
    /// # Errors
    /// [`LogError`] when it cannot be read.
    pub fn output(&self, call: &str, offset: u64) -> Result<Option<OutputPiece>, LogError> {
        let result = self.records.iter().rev().find_map(|record| match &record.item {
            Item::ToolResult(result) if result.id == call => Some(result),
            _ => None,
        });
        let Some(result) = result else { return Ok(None) };
        let piece = match (&result.output_ref, self.outputs(), &result.output) {
            (Some(reference), Some(outputs), _) => outputs.read(reference, offset, PIECE)?,
            (None, _, Some(text)) if result.output_total.is_none() => Outputs::piece_of(text, offset, PIECE),
            _ => return Ok(None),
        };
        let call = call.to_owned();
        Ok(Some(OutputPiece {
            call,
            offset: piece.offset,
            text: piece.text,
            next: piece.next,
            total: piece.total,
        }))
    }

    /// The records after number `since`: numbers have gaps, and old records may have none. A number larger than any
    /// here gives none.
    pub fn after(&self, since: u64) -> &[Record] {
        let known = |record: &Record| record.seq.is_some_and(|seq| seq <= since);
        let from = self.records.iter().rposition(known).map_or(0, |last| last + 1);
        &self.records[from..]
    }

    fn numbered(&self, item: Item, at: i64) -> Record {
        let last = self.records.last().and_then(|record| record.seq).unwrap_or_default();
        Record { seq: Some(last + 1), at: Some(at), item, extra: Extra::new() }
    }
}

/// How far a session has counted what it numbers itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub turns: u64,
    pub calls: u64,
}

impl Numbers {
    pub fn of(records: &[Record]) -> Self {
        // Logs of other versions do not say where a turn ends; in ours one turn may have several prompts.
        let (mut ended, mut asked, mut calls, mut open) = (0, 0, 0, false);
        for record in records {
            match &record.item {
                Item::ToolCall(call) => calls = CallIds::number(&call.id).max(calls),
                Item::TurnEnd(end) => (ended, open) = (end.turn.max(ended), false),
                Item::UserMessage(_) => (asked, open) = (asked + 1, true),
                _ => {}
            }
        }
        let turns = if ended > 0 { ended + u64::from(open) } else { asked };
        Self { turns, calls }
    }
}

/// A model as a person would say it.
fn named(provider: &str, model: &str) -> String {
    match model {
        "" => provider.to_owned(),
        // It names its provider itself.
        model if model.starts_with(provider) => model.to_owned(),
        model => format!("{model} ({provider})"),
    }
}

/// The first line of a prompt, in one row of bounded length.
fn title_of(prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= TITLE {
        return line;
    }
    let head: String = line.chars().take(TITLE - 1).collect();
    format!("{}\u{2026}", head.trim_end())
}

#[cfg(test)]
mod tests;
