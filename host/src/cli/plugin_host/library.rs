//! Opens a library and serves its table over the plugin wire: the only place that opens libraries.
//!
//! Standard input and output are moved aside first, so that what the library prints is among its diagnostics and no reply.
//! It is opened under a fresh name, since a loader knows libraries by theirs, and never closed. Whatever it does wrong
//! ends this process and nothing else. The contract is `carpel_slots::plugin::c`.

#![allow(unsafe_code, reason = "the code of a library is what its author says it is")]

use std::ffi::{c_char, c_void};
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use carpel_slots::Printable;
use carpel_slots::plugin::c::{ANSWERED, EntryFn, NOT_TEXT, RequestFn, SYMBOL, TAKEN, TOO_LONG, Table};
use carpel_slots::plugin::serve_lines;
use carpel_slots::wire::{MAX_REPLY, Reply};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;

use crate::cli::log::state_folder;
use crate::cli::out;
use crate::plugins::{STATE, abi, file};

/// So many replies to one request are taken.
const REPLIES: usize = 64;

/// Serves a library until its input ends.
///
/// # Errors
/// Why it cannot be used.
pub(super) fn serve(path: &Path) -> Result<(), String> {
    file::kind(path)?;
    let (input, output) =
        out::aside().map_err(|error| format!("has no input and output to be served on: {error}"))?;
    let request = open(path)?;
    serve_lines(input, output, |line, reply| answer(request, line, reply))
        .map_err(|error| format!("has nobody to answer to: {error}"))
}

/// Opens a library and gives the function of its table.
fn open(path: &Path) -> Result<RequestFn, String> {
    let copy = copied(path).map_err(|error| format!("cannot be copied to be opened: {error}"))?;
    // SAFETY: what the library's constructors do is not in our hands; this process is there to be ended by it.
    let library = unsafe { Library::open(Some(&copy), RTLD_NOW | RTLD_LOCAL) };
    // What is open stays so without its name.
    let _ = std::fs::remove_file(&copy);
    let shown = copy.display().to_string();
    let library = library.map_err(|error| {
        format!("cannot be opened: {}", cause(&error).replace(&shown, &path.display().to_string()))
    })?;
    // SAFETY: by the contract the symbol of that name is a function of this type.
    let entry = unsafe { library.get::<EntryFn>(SYMBOL) }.map(|symbol| *symbol).map_err(|_| {
        format!("has no function `{}`; a library exports it, see carpel.h", SYMBOL.to_string_lossy())
    })?;
    // Closing it would take away what runs in it.
    std::mem::forget(library);
    // SAFETY: by the contract it takes nothing and may be called once.
    let table = unsafe { entry() };
    if table.is_null() {
        return Err("gives no table: it says that it cannot be used here".to_owned());
    }
    if !table.is_aligned() {
        return Err("gives a table that lies where none can be".to_owned());
    }
    // SAFETY: not null and aligned, and by the contract it lives as long as the process; each layout begins so.
    let (number, size) = unsafe { ((&raw const (*table).abi).read(), (&raw const (*table).size).read()) };
    abi(number)?;
    if size < Table::SIZE {
        return Err(format!("has a table of {size} bytes; one of ABI {number} has {}", Table::SIZE));
    }
    // SAFETY: it says that it is as large as the type.
    let Table { request, .. } = unsafe { table.read() };
    request.ok_or_else(|| "has no function for requests in its table".to_owned())
}

/// The file under a name that no loader has seen.
fn copied(path: &Path) -> std::io::Result<PathBuf> {
    let folder = state_folder().unwrap_or_else(std::env::temp_dir).join(STATE).join("open");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    clear(&folder);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(80).collect();
    let copy = folder.join(format!("{}-{name}", std::process::id()));
    let mut to = OpenOptions::new().create(true).truncate(true).write(true).mode(0o700).open(&copy)?;
    std::io::copy(&mut File::open(path)?, &mut to)?;
    Ok(copy)
}

/// Takes away what processes have left that were ended while they opened a library.
fn clear(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.split_once('-')?.0.parse().ok()).and_then(Pid::from_raw);
        if pid.is_none_or(|pid| test_kill_process(pid).is_err()) {
            // Another one may be at it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn cause(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Hands a line to the library, and its replies on. What gets none is answered in its place.
fn answer(request: RequestFn, line: &str, reply: &mut dyn FnMut(&str)) {
    let mut replies: Vec<String> = Vec::new();
    let to = (&raw mut replies).cast::<c_void>();
    // SAFETY: the line has that many bytes during the call, and `to` is the list that `take` expects.
    let result = unsafe { request(line.as_ptr().cast(), line.len(), take, to) };
    let head = serde_json::from_str::<Value>(line).unwrap_or_default();
    let word = head.get("request").and_then(Value::as_str).unwrap_or_default();
    let wants_reply = !matches!(word, "cancel" | "");
    let fault = match result {
        ANSWERED if replies.is_empty() && wants_reply => {
            "returned without a reply that could be taken".to_owned()
        }
        ANSWERED => {
            replies.iter().for_each(|text| reply(text));
            return;
        }
        number => format!("its function for requests returned {number}"),
    };
    match head.get("id").and_then(Value::as_u64) {
        Some(id) => reply(&Reply::Error { id, message: fault }.encode()),
        None if word == "hello" => {
            reply(&Reply::Error { id: 0, message: format!("says no hello: {fault}") }.encode())
        }
        None => {
            out::error(&Printable::line(&format!("a line was not dealt with: {fault}")));
        }
    }
}

/// The sink: copies a reply of the library.
unsafe extern "C" fn take(to: *mut c_void, text: *const c_char, length: usize) -> i32 {
    if length > MAX_REPLY {
        return TOO_LONG;
    }
    if text.is_null() || to.is_null() {
        return NOT_TEXT;
    }
    // SAFETY: not null, and by the contract the library vouches for `length` bytes, which are below `MAX_REPLY`.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    let Ok(text) = std::str::from_utf8(bytes) else { return NOT_TEXT };
    if text.contains('\n') {
        return NOT_TEXT;
    }
    // SAFETY: by the contract `to` is what came with the request, the list of `answer`, which waits for this call.
    let replies = unsafe { &mut *to.cast::<Vec<String>>() };
    if replies.len() >= REPLIES {
        return TOO_LONG;
    }
    replies.push(text.to_owned());
    TAKEN
}
