//! The Read tool: lines of one text file, numbered, streamed.
//!
//! Owns what a model and a person are told about a file: its lines, how to go on when there are more, and why it is not
//! shown (missing, a directory, a pipe, binary). The file is never loaded whole, so its size does not matter; where
//! lines begin and end is `read/lines.rs`, what may be opened is `open.rs`. Line ends and a byte order mark are not
//! shown. With a `ReadRecord` the whole file is digested on the way. Refuses to know
//! about editing.

mod lines;

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use encoding_rs_io::DecodeReaderBytes;
use serde_json::json;

use self::lines::{Bounds, End, Window, read_window};
use super::arguments::Arguments;
use super::open::{OpenError, open_regular};
use super::read_record::{Digesting, ReadRecord};
use super::{
    Access, Cancel, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, Workspace, count,
    grouped, near, quoted,
};

/// Lines shown when no `limit` is given.
const DEFAULT_LIMIT: u64 = 2_000;
/// A longer line is cut: it is seldom read by anybody and would push the rest out of a model's context.
const LINE_BYTES: usize = 2_000;
/// More text than this is not handed to a model at once, whatever the limit.
const WINDOW_BYTES: usize = 256 * 1024;
/// How far behind the first line shown the file is read, to show lines and then to count the rest.
const SCAN_BYTES: u64 = 64 * 1024 * 1024;
const BUFFER_BYTES: usize = 64 * 1024;
/// A NUL this near to the start makes a file binary; one further on is shown as a mark.
const BINARY_HEAD: usize = 8 * 1024;

pub struct Read {
    spec: ToolSpec,
    record: Option<ReadRecord>,
}

impl Read {
    pub fn new() -> Self {
        let schema = json!({
            "type": "object",
            "required": ["file_path"],
            "properties": {
                "file_path": {"type": "string", "description": "the file to read, relative to the workspace or absolute"},
                "offset": {"type": "integer", "minimum": 0, "description": "first line to show, counted from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "how many lines to show (default 2000; there is no value for all of them)"},
            },
        });
        Self {
            spec: ToolSpec {
                name: "Read",
                kind: ToolKind::Read,
                description: "Reads a text file of the workspace. Each line comes as its number, a tab and its text; \
                    at most 2000 lines unless `limit` says more, and lines over 2000 bytes are cut. When there is more, \
                    a note at the end says which `offset` goes on. `\\xNN` in a listed name may be given back as it is.",
                schema,
                access: Access::Reads,
            },
            record: None,
        }
    }

    /// Notes in `record` what was shown, so that Write and Edit may change it.
    pub fn recording(record: ReadRecord) -> Self {
        Self { record: Some(record), ..Self::new() }
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, arguments: &serde_json::Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments(arguments);
        let named = arguments.string("file_path").unwrap_or_default();
        let limit = arguments.integer("limit");
        let bounds = Bounds {
            first: arguments.integer("offset").unwrap_or(1).max(1),
            lines: limit.unwrap_or(DEFAULT_LIMIT),
            line_bytes: LINE_BYTES,
            window_bytes: WINDOW_BYTES,
            scan_bytes: SCAN_BYTES,
        };

        if named.is_empty() {
            return Err(ToolFailure::new("Read: `file_path` is empty; name a file of the workspace"));
        }
        let path = cx.workspace.resolve(named)?;
        let (file, size) = open(cx.workspace, named, &path)?;
        let mut file = Digesting::new(file, self.record.is_some());
        let (window, encoding) = read_text(&mut file, size, named, &bounds, cx.cancel)?;
        let output = report(cx.workspace.display(&path), named, &bounds, limit.is_some(), &window, encoding)?;
        if let Some(record) = &self.record
            && let Some(digest) = file.finish(cx.cancel).map_err(|error| unreadable(named, &error))?
        {
            record.note(&path, digest);
        }
        Ok(output)
    }

    fn intent(&self, arguments: &serde_json::Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        Intent::read(cx.workspace, "read", Arguments(arguments).string("file_path").unwrap_or_default())
    }
}

fn unreadable(named: &str, error: &io::Error) -> ToolFailure {
    ToolFailure::new(format!("{} cannot be read: {error}; try again", quoted(named)))
}

/// Opens the file and says its size, or says why not and what to do instead.
fn open(workspace: &Workspace, named: &str, path: &Path) -> Result<(File, u64), ToolFailure> {
    open_regular(path).map(|(file, metadata)| (file, metadata.len())).map_err(|error| {
        let way_out = match error {
            OpenError::Missing => return near::missing(workspace, named, path),
            OpenError::Directory => "list its files with Glob, `path` set to it",
            OpenError::Special(_) => "only regular files can be read",
            OpenError::Io(_) => "check its permissions",
        };
        ToolFailure::new(format!("{} {}; {way_out}", quoted(named), error.fact()))
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16,
}

fn read_text(
    file: impl io::Read,
    size: u64,
    named: &str,
    bounds: &Bounds,
    cancel: &Cancel,
) -> Result<(Window, Encoding), ToolFailure> {
    let unreadable = |error| unreadable(named, &error);
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let head = reader.fill_buf().map_err(unreadable)?;
    let (window, encoding) = if is_utf16(head) {
        let decoded = BufReader::with_capacity(BUFFER_BYTES, DecodeReaderBytes::new(reader));
        (read_window(decoded, bounds, cancel), Encoding::Utf16)
    } else if head.iter().take(BINARY_HEAD).any(|byte| *byte == 0) {
        return Err(ToolFailure::new(format!(
            "{} is a binary file ({}, with NUL bytes); Read shows text only",
            quoted(named),
            count(size, "byte", "bytes")
        )));
    } else {
        (read_window(reader, bounds, cancel), Encoding::Utf8)
    };
    match window.map_err(unreadable)? {
        Some(window) => Ok((window, encoding)),
        None => Err(ToolFailure::cancelled()),
    }
}

/// A UTF-16 byte order mark; with two more zero bytes it is that of UTF-32, which counts as binary.
fn is_utf16(head: &[u8]) -> bool {
    match head {
        [0xff, 0xfe, 0, 0, ..] => false,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        _ => false,
    }
}

/// The result of a read. For views: `path`, `start_line`, `num_lines`, `total_lines` (null when the end was not seen),
/// `truncated` (something that was asked for is not shown: a default or a bound ended the window, or a line is cut).
fn report(
    path: String,
    named: &str,
    bounds: &Bounds,
    limited: bool,
    window: &Window,
    encoding: Encoding,
) -> Result<ToolOutput, ToolFailure> {
    let shown = window.lines.len() as u64;
    let total = window.total;
    if shown == 0 && total.is_some_and(|total| total > 0) {
        let total = total.unwrap_or_default();
        return Err(ToolFailure::new(format!(
            "{} has {}; `offset` {} is past its end",
            quoted(named),
            count(total, "line", "lines"),
            bounds.first
        )));
    }
    let last = bounds.first + shown.saturating_sub(1);
    let cut_lines = window.lines.iter().filter(|line| line.cut > 0).count() as u64;
    let more_asked_for = window.end == End::Bounds || (window.end == End::Lines && !limited);
    Ok(ToolOutput {
        summary: summary(bounds.first, last, total),
        output: Some(numbered(bounds, last, window, cut_lines, encoding)),
        structured: Some(json!({
            "path": path,
            "start_line": if total == Some(0) { 1 } else { bounds.first },
            "num_lines": shown,
            "total_lines": total,
            "truncated": more_asked_for || cut_lines > 0,
        })),
    })
}

fn summary(first: u64, last: u64, total: Option<u64>) -> String {
    let which = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    match total {
        Some(0) => "empty file".to_owned(),
        Some(total) if first == 1 && last == total => count(total, "line", "lines"),
        Some(total) => format!("{which} of {}", grouped(total)),
        None => format!("{which} of more"),
    }
}

fn numbered(bounds: &Bounds, last: u64, window: &Window, cut_lines: u64, encoding: Encoding) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, so the results are dropped.
    for (number, line) in (bounds.first..).zip(&window.lines) {
        let _ = write!(text, "{number:>6}\t{}", line.text);
        if line.cut > 0 {
            let _ = write!(text, " [{} more]", count(line.cut, "byte", "bytes"));
        }
        text.push('\n');
    }
    for note in notes(bounds, last, window, cut_lines, encoding) {
        let _ = writeln!(text, "({note})");
    }
    text
}

fn notes(bounds: &Bounds, last: u64, window: &Window, cut_lines: u64, encoding: Encoding) -> Vec<String> {
    let mut notes = Vec::new();
    let first = bounds.first;
    match window.total {
        Some(0) => notes.push("the file is empty".to_owned()),
        Some(total) if last < total => {
            notes.push(format!("lines {first}-{last} of {total}; go on with offset {}", last + 1));
        }
        Some(_) => {}
        None if window.end == End::MidLine => notes.push(format!(
            "line {last} goes on for more than {} bytes; what follows is not shown, search it with Grep",
            grouped(bounds.scan_bytes)
        )),
        None => notes.push(format!("lines {first}-{last} of many more; go on with offset {}", last + 1)),
    }
    if cut_lines > 0 {
        let what = count(cut_lines, "line is", "lines are");
        notes.push(format!("{what} cut after {} bytes", grouped(LINE_BYTES as u64)));
    }
    if window.lossy {
        notes.push(
            "bytes that are not UTF-8 text are shown as \u{fffd}; the file itself holds other bytes there"
                .to_owned(),
        );
    }
    if encoding == Encoding::Utf16 {
        notes.push("the file is UTF-16; it is shown as UTF-8".to_owned());
    }
    notes
}
