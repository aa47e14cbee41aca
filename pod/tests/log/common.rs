//! Sessions made of given bytes, and items.

use std::path::{Path, PathBuf};

use carpel_pod::log::SessionLog;
use carpel_pod::log::header::Header;
use carpel_pod::log::restore::Restored;
use carpel_protocol::item::AssistantText;
use carpel_protocol::{Item, Record};
use tempfile::TempDir;

pub struct Sessions(pub TempDir);

impl Sessions {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A session `s` whose only segment holds `bytes`.
    pub fn with(bytes: &[u8]) -> Self {
        let sessions = Self::new();
        std::fs::create_dir(sessions.path().join("s")).unwrap();
        std::fs::write(sessions.segment(), bytes).unwrap();
        sessions
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn segment(&self) -> PathBuf {
        self.path().join("s/0001.jsonl")
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.segment()).unwrap()
    }

    pub fn create(&self) -> SessionLog {
        SessionLog::create(self.path(), Header::new("s", "title", "/work"), 1000).unwrap()
    }

    pub fn open(&self) -> (SessionLog, Restored) {
        SessionLog::open(self.path(), "s", 2000).unwrap()
    }
}

pub fn said(text: &str) -> Item {
    Item::AssistantText(AssistantText { text: text.to_owned(), parent: None })
}

/// An item from its JSON.
pub fn item(json: &str) -> Item {
    Record::decode(json.as_bytes()).unwrap().item
}

pub fn problems(restored: &Restored) -> Vec<String> {
    restored.problems.iter().map(ToString::to_string).collect()
}
