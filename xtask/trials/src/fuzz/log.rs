//! Target: the log of a session, as it may stand on the disk.
//!
//! Holds: any bytes can be read, and reading changes nothing; whole lines before a cut say what they say without what
//! follows, unless that takes a call up; a log that was opened to be written says the same afterwards and takes a record;
//! the records that were read, written to another log, are the same again. It works below the folder for temporary files.

use std::path::{Path, PathBuf};

use carpel_pod::log::SessionLog;
use carpel_pod::log::restore::{Restored, restore};
use carpel_protocol::Item;
use carpel_protocol::frame::encode;
use carpel_protocol::item::AssistantText;
use tempfile::TempDir;

const ID: &str = "s";

pub fn run(bytes: &[u8]) {
    let Ok(place) = Place::new() else { return };
    place.write(bytes);
    let Ok(read) = restore(place.sessions(), ID) else { return };
    assert_eq!(place.bytes(), bytes, "reading changes nothing");
    assert_eq!(restore(place.sessions(), ID).ok().as_ref(), Some(&read));
    assert!(
        read.records.iter().all(|record| record.seq.is_none_or(|seq| seq < read.next_seq || seq > 1 << 53))
    );
    reads_back(&read);
    goes_on(&place, &read);
}

/// What was read is read again from what is written of it.
fn reads_back(read: &Restored) {
    let Ok(place) = Place::new() else { return };
    let lines: Vec<u8> = read.records.iter().flat_map(encode).collect();
    place.write(&lines);
    let Ok(again) = restore(place.sessions(), ID) else { return };
    if !read.records.is_empty() {
        assert_eq!(again.records, read.records);
    }
}

fn goes_on(place: &Place, read: &Restored) {
    let opened = SessionLog::open(place.sessions(), ID, 1);
    let Ok((mut log, restored)) = opened else { return };
    assert_eq!(restored.records, read.records);
    assert_eq!(restored.next_seq, read.next_seq);
    let item = Item::AssistantText(AssistantText { text: "more".to_owned(), parent: None });
    let Ok(record) = log.append(&item, 2) else { return };
    assert_eq!(record.seq, Some(read.next_seq));
    drop(log);
    let after = restore(place.sessions(), ID);
    let last = after.as_ref().ok().and_then(|after| after.records.last());
    assert_eq!(last, Some(&record), "what was added is the last: {after:?}");
}

/// A folder of sessions with one of one segment.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> std::io::Result<Place> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join(ID))?;
        Ok(Place { folder })
    }

    fn sessions(&self) -> &Path {
        self.folder.path()
    }

    fn segment(&self) -> PathBuf {
        self.folder.path().join(ID).join("0001.jsonl")
    }

    fn write(&self, bytes: &[u8]) {
        assert!(
            std::fs::write(self.segment(), bytes).is_ok(),
            "the folder for temporary files takes nothing"
        );
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.segment()).unwrap_or_default()
    }
}
