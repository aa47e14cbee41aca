//! Where manifests lie, and their bytes: bounded, and from nothing but a regular file.
//!
//! Owns the two places and what can be wrong with a file before it is text. A pipe or a device in its place must not
//! hold up the start. Variables come in through a function. Refuses to know what the text says.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::mistake::BadManifest;
use crate::link::{Kind, own_folder};

/// A longer file is no manifest.
const MOST_BYTES: u64 = 256 * 1024;

/// Where the person's manifest is looked for: `$CARPEL_HOME`, else `$XDG_CONFIG_HOME/carpel`, else `~/.config/carpel`.
pub fn of_person(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    Some(own_folder(Kind::Config, variable)?.join("manifest.toml"))
}

/// Where a folder's manifest is looked for.
pub fn of_folder(folder: &Path) -> PathBuf {
    folder.join(".carpel/manifest.toml")
}

/// The bytes of a manifest; `None` where there is none.
///
/// # Errors
/// [`BadManifest`] when something else is in its place, or it cannot be read.
pub fn bytes(file: &Path) -> Result<Option<Vec<u8>>, BadManifest> {
    let wrong = |what: String| BadManifest::whole(file, what);
    let failed = |error: std::io::Error| wrong(format!("cannot be read ({error}); see who may read it"));
    // Without waiting: opening a pipe would block until somebody writes into it.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let opened = match OpenOptions::new().read(true).custom_flags(flags).open(file) {
        Ok(opened) => opened,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        // A socket cannot be opened at all.
        Err(_) if file.exists() && !file.is_file() => return Err(wrong(NO_FILE.to_owned())),
        Err(error) => return Err(failed(error)),
    };
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err(wrong(NO_FILE.to_owned()));
    }
    let mut bytes = Vec::new();
    opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong(format!("is larger than {} KiB; a manifest is not", MOST_BYTES / 1024)));
    }
    Ok(Some(bytes))
}

const NO_FILE: &str = "is no regular file; put a text file there, or nothing";
