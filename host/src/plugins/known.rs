//! What plugins said of themselves when they last ran: so that one that did not change is started only when it is used.
//!
//! Owns a file in the state folder. One that cannot be read or understood counts as empty: then plugins are asked. It is
//! written beside and moved, so that nobody reads half of it. Refuses to judge what stands in it.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use carpel_slots::wire::{ABI, Hello};
use serde::{Deserialize, Serialize};

/// A larger file is not read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Hellos by the source of the plugin.
#[derive(Debug, Default)]
pub(super) struct Known {
    path: Option<PathBuf>,
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    stamp: String,
    hello: Hello,
}

impl Known {
    /// Reads what is kept at `path`.
    pub(super) fn read(path: Option<PathBuf>) -> Known {
        let bytes = path.as_deref().and_then(|path| {
            let is_small = path.metadata().ok()?.len() <= MOST_BYTES;
            is_small.then(|| std::fs::read(path).ok()).flatten()
        });
        let rows = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Known { path, rows }
    }

    /// What that version of a plugin says of itself, if it was asked before.
    pub(super) fn hello(&self, source: &str, stamp: &str) -> Option<Hello> {
        let row = self.rows.get(source).filter(|row| row.stamp == stamp && row.hello.abi == ABI)?;
        super::hello::checked(row.hello.clone()).ok()
    }

    /// Keeps what a plugin has said.
    pub(super) fn keep(&mut self, source: &str, stamp: &str, hello: &Hello) {
        let row = Row { stamp: stamp.to_owned(), hello: hello.clone() };
        if self.rows.get(source) == Some(&row) {
            return;
        }
        self.rows.insert(source.to_owned(), row);
        if let Some(path) = self.path.clone()
            && let Err(error) = self.write(&path)
        {
            tracing::warn!(%error, "what plugins say of themselves cannot be kept");
        }
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let new = path.with_extension(format!("new.{}", std::process::id()));
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(&self.rows)?)?;
        std::fs::rename(&new, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_known_for_that_version_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/known.json");
        let hello = Hello { abi: ABI, name: "a".to_owned(), ..Hello::default() };
        Known::read(Some(path.clone())).keep("/a.so", "1", &hello);
        let known = Known::read(Some(path.clone()));
        assert_eq!(known.hello("/a.so", "1"), Some(hello));
        assert_eq!(known.hello("/a.so", "2"), None);
        assert_eq!(known.hello("/b.so", "1"), None);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(Known::read(Some(path)).hello("/a.so", "1"), None);
    }
}
