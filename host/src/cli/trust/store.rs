//! Where answers about folders are kept: `trust.json` in the state folder.
//!
//! Owns the file. It is written beside and then moved, under a lock, so that two chats lose nothing of each other and a
//! reader never sees half of it. A file that cannot be understood counts as empty, which trusts nothing; the log says so. A
//! path is kept as its bytes where it is no text. Refuses to know what an answer means.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::cli::log::state_folder;

/// An answer about a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub path: PathBuf,
    pub trusted: bool,
    /// Fingerprint of the folder's manifest as it was then; absent where there was none.
    pub manifest: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    folders: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The path's bytes in hexadecimal, where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    trusted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
}

/// The file, wherever there is a place for it.
pub fn store_file() -> Option<PathBuf> {
    Some(state_folder()?.join("trust.json"))
}

/// All answers.
pub(super) fn read() -> Vec<Answer> {
    store_file().map(|file| read_from(&file)).unwrap_or_default()
}

fn read_from(file: &Path) -> Vec<Answer> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            tracing::warn!(%error, "what was said about folders cannot be read");
            return Vec::new();
        }
    };
    match serde_json::from_slice::<File>(&text) {
        Ok(file) => file.folders.into_iter().filter_map(answer).collect(),
        Err(error) => {
            tracing::warn!(%error, "what was said about folders cannot be understood");
            Vec::new()
        }
    }
}

/// Changes the answers and returns them as they are then.
pub(super) fn change(change: impl FnOnce(&mut Vec<Answer>)) -> anyhow::Result<Vec<Answer>> {
    let file = store_file().context("there is no place to remember trust in; set HOME or CARPEL_HOME")?;
    changed_in(&file, change).with_context(|| format!("`{}` cannot be written", file.display()))
}

fn changed_in(file: &Path, change: impl FnOnce(&mut Vec<Answer>)) -> anyhow::Result<Vec<Answer>> {
    let folder = file.parent().context("it has no folder")?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(file.with_extension("lock"))?;
    lock.lock()?;
    let mut answers = read_from(file);
    change(&mut answers);
    let rows = File { folders: answers.iter().map(row).collect() };
    let new = file.with_extension("new");
    let mut opened = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
    opened.write_all(&serde_json::to_vec_pretty(&rows)?)?;
    opened.sync_all()?;
    fs::rename(&new, file)?;
    Ok(answers)
}

fn row(answer: &Answer) -> Row {
    let text = answer.path.to_str().map(str::to_owned);
    let bytes = text.is_none().then(|| hex(answer.path.as_os_str().as_bytes()));
    Row { path: text, bytes, trusted: answer.trusted, manifest: answer.manifest.clone() }
}

fn answer(row: Row) -> Option<Answer> {
    let path = match (row.path, row.bytes) {
        (Some(path), _) => PathBuf::from(path),
        (None, Some(bytes)) => PathBuf::from(std::ffi::OsString::from_vec(unhex(&bytes)?)),
        (None, None) => return None,
    };
    Some(Answer { path, trusted: row.trusted, manifest: row.manifest })
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| digit.try_into().ok())).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/trust.json");
        assert_eq!(read_from(&file), []);
        let path = |bytes: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
        let one = Answer { path: path(b"/w"), trusted: true, manifest: Some("ab".to_owned()) };
        let two = Answer { path: path(b"/\xff/x"), trusted: false, manifest: None };
        changed_in(&file, |answers| answers.push(one.clone())).unwrap();
        changed_in(&file, |answers| answers.push(two.clone())).unwrap();
        assert_eq!(read_from(&file), [one, two]);
        fs::write(&file, "{").unwrap();
        assert_eq!(read_from(&file), [], "what is broken trusts nothing");
    }
}
