//! The torn tail of a log, set aside in a file of its own.
//!
//! Owns the name and the durability of that file. It refuses to know what a tail is (`restore.rs`) and does not cut it off
//! (`../log.rs`).

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::LogError;
use super::place::open_to_read;

/// Copies the bytes behind `from` to a file beside `path`, durably, and returns its name.
pub(super) fn set_aside(path: &Path, from: u64) -> Result<PathBuf, LogError> {
    let mut source = open_to_read(path).map_err(LogError::io("open", path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1u64;
    let (kept, mut target) = loop {
        let kept = path.with_file_name(format!("{name}.torn-{number}"));
        match super::place::create_file(&kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => {
                let created = created.map_err(LogError::io("create", &kept))?;
                break (kept, created);
            }
        }
    };
    let copied = io::Seek::seek(&mut source, io::SeekFrom::Start(from))
        .and_then(|_| io::copy(&mut source.by_ref(), &mut target))
        .and_then(|_| target.sync_all());
    if let Err(error) = copied {
        // A half copy would be taken for the tail; the whole of it is still where it was.
        let _ = fs::remove_file(&kept);
        return Err(LogError::Io { action: "write to", path: kept, source: error });
    }
    Ok(kept)
}
