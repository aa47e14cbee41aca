//! Arguments by any of the names that tools give them.
//!
//! Tools of other programs mean the same by other words: `path`, `old_str`, `oldString`. A view asks with the list for
//! its argument and learns the first one that is there, as far as it has come; it never acts on what it reads.

use carpel_slots::{Ending, ToolCall};
use serde_json::Value;

/// A file or folder.
pub const PATH: &[&str] =
    &["file_path", "path", "filePath", "filepath", "absolute_path", "target_file", "file", "filename"];
/// It is shorter than so many bytes.
pub const PATH_BYTES: usize = 16 * 1024;
/// A folder to look in.
pub const FOLDER: &[&str] = &["path", "dir_path", "directory", "folder", "dir"];
/// What a file shall hold.
pub const CONTENT: &[&str] = &["content", "contents", "file_text", "new_content"];
/// What is looked for and replaced.
pub const OLD: &[&str] = &["old_string", "old_str", "oldString", "oldText", "old_text", "search"];
/// What takes its place.
pub const NEW: &[&str] = &["new_string", "new_str", "newString", "newText", "new_text", "replace"];
/// Whether every occurrence is replaced.
pub const ALL: &[&str] = &["replace_all", "replaceAll"];
/// What a shell shall run.
pub const COMMAND: &[&str] = &["command", "cmd", "script"];
/// A pattern of texts or names.
pub const PATTERN: &[&str] = &["pattern", "regex", "query", "glob_pattern"];

/// A text, as far as it has come.
pub fn text<'a>(call: &'a ToolCall, names: &[&str]) -> Option<&'a str> {
    find(call, names)?.as_str()
}

/// The end of a text as far as it has come, in so many bytes: of one that is being written a frame costs what it shows.
pub fn end(call: &ToolCall, names: &[&str], most: usize) -> Option<Ending> {
    names.iter().find_map(|name| call.args.partial_end(name, most))
}

/// A number, once it is known whole.
pub fn number(call: &ToolCall, names: &[&str]) -> Option<u64> {
    find(call, names)?.as_u64()
}

/// A yes or no.
pub fn flag(call: &ToolCall, names: &[&str]) -> bool {
    find(call, names).and_then(Value::as_bool).unwrap_or_default()
}

/// A value of any kind, as far as it has come.
pub fn find<'a>(call: &'a ToolCall, names: &[&str]) -> Option<&'a Value> {
    let fields = call.args.partial()?.as_object()?;
    names.iter().find_map(|name| fields.get(*name))
}
