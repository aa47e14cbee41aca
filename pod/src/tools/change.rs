//! A change of one file, planned and then made: what Write and Edit share.
//!
//! Owns the target (found, looked at, allowed to be changed, read before) and the two steps. `plan` has no effect and
//! yields the new bytes and the whole result; `Change::make` puts just these bytes in place if the file and the way to
//! it are still what they were. Bytes are `change/text.rs`, differences `change/hunks.rs`, the disk `change/place.rs`.
//! Refuses to know how the new bytes came about. Read next: `write.rs`, `edit.rs`.

mod folder;
mod hunks;
mod place;
pub mod text;

use std::path::Path;
use std::sync::Arc;

use memchr::memchr;
use serde_json::json;

use self::folder::{Folder, Missing};
use self::hunks::{Budget, hunks};
use self::place::{PutError, Unfinished};
use self::text::Region;
use super::intent::{Intent, IntentPath, Prepared};
use super::open::OpenError;
use super::read_record::{Digest, MOST_BYTES, ReadRecord, Seen, digest};
use super::{Access, ToolCx, ToolFailure, ToolOutput, Workspace, count, grouped, quoted};

/// What views get; the result travels in one line of the protocol.
const SHOWN: Budget = Budget { lines: 2_000, bytes: 256 * 1024, line_bytes: 2_000 };
/// What a person decides on: as much as anybody could look at.
const JUDGED: Budget = Budget { lines: 50_000, bytes: 2 * 1024 * 1024, line_bytes: 64 * 1024 };
/// What is said of a change beyond [`JUDGED`].
const UNSHOWN: &str = "It is too long to be shown whole: a yes allows more than what you see, the places left out say how much.";
/// A NUL this near to the start makes a file binary, as for Read.
const BINARY_HEAD: usize = 8 * 1024;

/// Everything about a change; made once, when it is planned.
#[derive(Debug, PartialEq)]
pub struct Change {
    place: IntentPath,
    argument: String,
    before: Option<Digest>,
    after: Vec<u8>,
    result: ToolOutput,
}

/// The file that a call wants to change, as it is.
pub struct Target {
    pub place: IntentPath,
    argument: String,
    /// As the call named it, where a link leads from there to `place`.
    named: Option<String>,
    /// `None`: there is no file yet.
    pub old: Option<Vec<u8>>,
}

/// What a tool made of a target.
pub struct Plan {
    pub after: Vec<u8>,
    pub regions: Vec<Region>,
    pub title: String,
    pub summary: String,
    pub output: Option<String>,
    /// How often a text was replaced, by a tool that counts that.
    pub replacements: Option<usize>,
}

impl Target {
    /// Finds and reads the target. It need not exist.
    pub fn find(argument: &str, record: &ReadRecord, cx: &ToolCx<'_>) -> Result<Self, ToolFailure> {
        let place = IntentPath::locate(cx.workspace, argument, true)?;
        let old = read(&place, argument, cx.workspace)?;
        if let Some(bytes) = &old {
            check_text(bytes, argument)?;
            check_seen(record.seen(&place.path, &digest(bytes)), argument)?;
        }
        Ok(Self { named: place.link(cx.workspace), place, argument: argument.to_owned(), old })
    }

    pub fn intent(self, plan: Plan) -> Intent {
        // A person knows the file by the name that was asked for, and must see which one is written.
        let title = match (&self.named, plan.title.strip_suffix(&self.place.shown)) {
            (Some(named), Some(verb)) => format!("{verb}{named}, which leads to {}", self.place.shown),
            _ => plan.title,
        };
        let created = self.old.is_none();
        let old = self.old.unwrap_or_default();
        let shown = hunks(&old, &plan.after, &plan.regions, &SHOWN);
        let mut structured = json!({
            "path": self.place.shown,
            "created": created,
            "bytes": plan.after.len(),
            "hunks": shown.to_value(),
            "truncated": shown.truncated(),
        });
        if let Some(replacements) = plan.replacements {
            structured["replacements"] = json!(replacements);
        }
        let result = ToolOutput { summary: plan.summary, output: plan.output, structured: Some(structured) };
        let (detail, is_whole) = if created {
            (content_for_judging(&plan.after), plan.after.len() <= JUDGED.bytes)
        } else {
            let judged = hunks(&old, &plan.after, &plan.regions, &JUDGED);
            (judged.unified(), !judged.truncated())
        };
        let change = Change {
            place: self.place.clone(),
            argument: self.argument,
            before: (!created).then(|| digest(&old)),
            after: plan.after,
            result,
        };
        Intent {
            access: Access::Writes,
            paths: vec![self.place],
            title,
            detail,
            unshown: (!is_whole).then(|| UNSHOWN.to_owned()),
            command: None,
            prepared: Prepared(Some(Arc::new(change))),
        }
    }
}

impl Change {
    /// Puts the planned bytes in place, once, if nothing has moved.
    pub fn make(&self, record: &ReadRecord, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let argument = &self.argument;
        let path = cx.workspace.resolve(argument)?;
        if path != self.place.path {
            return Err(ToolFailure::new(format!(
                "{} leads to another file than it did a moment ago; try again",
                quoted(argument)
            )));
        }
        if cx.cancel.is_cancelled() {
            return Err(ToolFailure::cancelled());
        }
        let after = digest(&self.after);
        if self.before != Some(after) {
            let missing = if self.before.is_none() { Missing::IsMade } else { Missing::Fails };
            let (folder, name) = open_folder(&self.place, cx.workspace, missing)
                .map_err(|error| cannot_be_written(argument, &error))?;
            place::put(&folder, name, self.before.as_ref(), &self.after, Unfinished::NamelessIfPossible)
                .map_err(|error| refusal(argument, self.before.is_none(), &error))?;
        }
        record.note(&path, after);
        Ok(self.result.clone())
    }
}

fn open_folder<'a>(
    place: &'a IntentPath,
    workspace: &Workspace,
    missing: Missing,
) -> std::io::Result<(Folder, &'a std::ffi::OsStr)> {
    let base = if place.outside { Path::new("/") } else { workspace.root() };
    let below = place.path.strip_prefix(base).unwrap_or(&place.path);
    let name = below.file_name().ok_or(std::io::ErrorKind::IsADirectory)?;
    Ok((Folder::open(base, below.parent().unwrap_or(Path::new("")), missing)?, name))
}

fn read(place: &IntentPath, argument: &str, workspace: &Workspace) -> Result<Option<Vec<u8>>, ToolFailure> {
    if argument.is_empty() {
        return Err(ToolFailure::new("`file_path` is empty; name a file"));
    }
    if ["/proc", "/sys", "/dev"].iter().any(|kernel| place.path.starts_with(kernel)) {
        return Err(ToolFailure::new(format!(
            "{} belongs to the running system; only regular files can be written",
            quoted(argument)
        )));
    }
    let opened = open_folder(place, workspace, Missing::Fails);
    let found = match &opened {
        Ok((folder, name)) => place::content(folder, name),
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => Err(OpenError::Directory),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(OpenError::Missing),
        Err(error) => return Err(cannot_be_written(argument, error)),
    };
    match found {
        Ok(Some((bytes, stat))) => {
            if let Ok((folder, name)) = &opened {
                place::check_writable(folder, name, &stat)
                    .map_err(|error| refusal(argument, false, &error))?;
            }
            Ok(Some(bytes))
        }
        Ok(None) => Err(ToolFailure::new(format!(
            "{} is larger than {}; it cannot be changed",
            quoted(argument),
            count(MOST_BYTES, "byte", "bytes")
        ))),
        Err(OpenError::Missing) => {
            if argument.ends_with('/') {
                return Err(ToolFailure::new(format!("{} names a directory; name a file", quoted(argument))));
            }
            Ok(None)
        }
        Err(error) => Err(refusal(argument, false, &PutError::Open(error))),
    }
}

fn check_text(bytes: &[u8], argument: &str) -> Result<(), ToolFailure> {
    let head = &bytes[..bytes.len().min(BINARY_HEAD)];
    let kind = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "a UTF-16 file, whose encoding would be lost"
    } else if memchr(0, head).is_some() {
        "a binary file (with NUL bytes)"
    } else {
        return Ok(());
    };
    Err(ToolFailure::new(format!("{} is {kind}; Write and Edit change UTF-8 text only", quoted(argument))))
}

fn check_seen(seen: Seen, argument: &str) -> Result<(), ToolFailure> {
    let fact = match seen {
        Seen::AsItIs => return Ok(()),
        Seen::Never => "exists and was not read in this session; read it first",
        Seen::Otherwise => "has changed since it was read; read it again",
    };
    Err(ToolFailure::new(format!("{} {fact}", quoted(argument))))
}

fn refusal(argument: &str, creating: bool, error: &PutError) -> ToolFailure {
    let fact = match error {
        PutError::Changed if creating => "has come into being meanwhile; read it first".to_owned(),
        PutError::Changed => "has changed since it was read; read it again".to_owned(),
        PutError::ReadOnly => {
            "is read-only; nothing was changed, ask the person to make it writable".to_owned()
        }
        PutError::Open(error @ (OpenError::Directory | OpenError::Missing)) => {
            format!("{}; name a file", error.fact())
        }
        PutError::Open(error) => format!("{}; nothing was changed", error.fact()),
        PutError::Io(error) => return cannot_be_written(argument, error),
    };
    ToolFailure::new(format!("{} {fact}", quoted(argument)))
}

fn cannot_be_written(argument: &str, error: &std::io::Error) -> ToolFailure {
    let why = match error.kind() {
        std::io::ErrorKind::PermissionDenied => "permission denied on its directory".to_owned(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "there is no space left on the disk".to_owned()
        }
        std::io::ErrorKind::ResourceBusy => "another process is writing it; try again".to_owned(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        std::io::ErrorKind::NotADirectory => "its path goes through a file or a link".to_owned(),
        _ => error.to_string(),
    };
    ToolFailure::new(format!("{} cannot be written: {why}; nothing was changed", quoted(argument)))
}

fn content_for_judging(bytes: &[u8]) -> String {
    let shown = bytes.len().min(JUDGED.bytes);
    let mut text = String::from_utf8_lossy(&bytes[..shown]).into_owned();
    if shown < bytes.len() {
        text.push_str(&format!("\n({} more bytes)\n", grouped((bytes.len() - shown) as u64)));
    }
    text
}

/// Line ends and a mark that are kept, as a sentence for the model; plain files need none.
pub fn kept(view: &text::View<'_>) -> Option<&'static str> {
    match (view.line_ends(), view.has_mark()) {
        (text::LineEnds::CrLf, true) => Some("byte order mark and CR LF line ends are kept"),
        (text::LineEnds::CrLf, false) => Some("CR LF line ends are kept"),
        (text::LineEnds::Mixed, _) => Some("the file mixes line ends; those of other lines are kept"),
        (text::LineEnds::None | text::LineEnds::Lf, true) => Some("the byte order mark is kept"),
        (text::LineEnds::None | text::LineEnds::Lf, false) => None,
    }
}

/// Runs an approved or a fresh intent.
pub fn make(intent: &Intent, record: &ReadRecord, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
    let Some(change) = &intent.prepared.0 else {
        return Err(ToolFailure::new("nothing was prepared for this call; call the tool again"));
    };
    change.make(record, cx)
}
