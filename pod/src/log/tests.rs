//! A disk that fails, from inside: what `append`, `sync`, `rename` and `retry` make of it (LOG 7.07, 7.08).

use std::io;
use std::sync::{Arc, Mutex};

use carpel_protocol::Item;
use carpel_protocol::item::AssistantText;

use super::SessionLog;
use super::appender::{Storage, Syncing};
use super::error::LogError;
use super::header::Header;
use super::restore::restore;

/// What a disk can do to a log.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Vec<u8>,
    /// Bytes that still fit.
    pub(crate) room: usize,
    /// The largest piece that one write takes.
    piece: usize,
    cut_fails: bool,
    sync_fails: bool,
    /// A sync does not come back before this is taken away.
    pub(crate) stuck: bool,
}

#[derive(Clone)]
pub(crate) struct Faulty(pub(crate) Arc<Mutex<Disk>>);

impl Storage for Faulty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.0.lock().unwrap();
        let count = bytes.len().min(disk.room).min(disk.piece);
        if count == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        disk.room -= count;
        disk.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn syncing(&self) -> io::Result<Syncing> {
        let mut disk = self.clone();
        Ok(Box::new(move || disk.sync()))
    }

    fn sync(&mut self) -> io::Result<()> {
        while self.0.lock().unwrap().stuck {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if self.0.lock().unwrap().sync_fails { Err(io::ErrorKind::QuotaExceeded.into()) } else { Ok(()) }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        let mut disk = self.0.lock().unwrap();
        if disk.cut_fails {
            return Err(io::Error::other("cannot cut"));
        }
        let length = usize::try_from(length).unwrap();
        disk.room += disk.bytes.len() - length;
        disk.bytes.truncate(length);
        Ok(())
    }
}

/// A log of one header whose further writes go to a disk with `room`.
pub(crate) fn log_on(room: usize) -> (tempfile::TempDir, SessionLog, Faulty) {
    let dir = tempfile::tempdir().unwrap();
    let mut log = SessionLog::create(dir.path(), Header::new("s", "t", "/w"), 1).unwrap();
    let bytes = std::fs::read(dir.path().join("s/0001.jsonl")).unwrap();
    let disk = Disk { bytes, room, piece: 7, ..Disk::default() };
    let disk = Faulty(Arc::new(Mutex::new(disk)));
    log.appender.storage = Box::new(disk.clone());
    (dir, log, disk)
}

fn said(text: &str) -> Item {
    Item::AssistantText(AssistantText { text: text.to_owned(), parent: None })
}

/// The texts that a reader finds on the disk, and how many problems.
fn read_back(dir: &tempfile::TempDir, disk: &Faulty) -> (Vec<String>, usize) {
    std::fs::write(dir.path().join("s/0001.jsonl"), &disk.0.lock().unwrap().bytes).unwrap();
    let restored = restore(dir.path(), "s").unwrap();
    let texts = restored.records.iter().filter_map(|record| match &record.item {
        Item::AssistantText(text) => Some(text.text.clone()),
        _ => None,
    });
    (texts.collect(), restored.problems.len())
}

#[test]
fn log_7_07_a_full_disk_leaves_whole_records_and_a_true_sentence() {
    let (dir, mut log, disk) = log_on(100);
    assert_eq!(log.append(&said("fits"), 2).unwrap().seq, Some(2));
    let error = log.append(&said(&"too long ".repeat(20)), 3).unwrap_err();
    let path = dir.path().join("s/0001.jsonl");
    assert_eq!(error.to_string(), format!("cannot write to {}: no storage space", path.display()));
    assert!(error.is_full());
    assert_eq!(log.next_seq(), 3, "a record that failed has no number");
    assert_eq!(read_back(&dir, &disk), (vec!["fits".to_owned()], 0));

    assert!(log.retry().unwrap_err().is_full());
    disk.0.lock().unwrap().room = 1 << 20;
    log.retry().unwrap();
    assert_eq!(log.append(&said("again"), 4).unwrap().seq, Some(3));
    assert_eq!(read_back(&dir, &disk), (vec!["fits".to_owned(), "again".to_owned()], 0));
}

#[test]
fn log_7_08_the_beginning_of_a_record_is_cut_off_when_the_disk_allows_it_again() {
    let (dir, mut log, disk) = log_on(90);
    log.append(&said("a"), 2).unwrap();
    disk.0.lock().unwrap().cut_fails = true;
    let error = log.append(&said(&"b".repeat(100)), 3).unwrap_err();
    assert!(error.is_full(), "{error}");
    assert_eq!(read_back(&dir, &disk), (vec!["a".to_owned()], 1), "the torn record is told");
    disk.0.lock().unwrap().room = 1 << 20;
    let error = log.append(&said("c"), 4).unwrap_err();
    assert!(!error.is_full() && error.to_string().contains("cannot cut"), "{error}");
    disk.0.lock().unwrap().cut_fails = false;
    assert_eq!(log.append(&said("d"), 5).unwrap().seq, Some(3));
    assert_eq!(read_back(&dir, &disk), (vec!["a".to_owned(), "d".to_owned()], 0));
}

#[test]
fn a_sync_or_a_title_that_fails_is_told_and_changes_nothing() {
    let (_dir, mut log, disk) = log_on(0);
    assert!(log.rename("other", 2).unwrap_err().is_full());
    assert_eq!((log.header().title.as_str(), log.next_seq()), ("t", 2));
    disk.0.lock().unwrap().room = 1 << 20;
    log.append(&said("a"), 3).unwrap();
    disk.0.lock().unwrap().sync_fails = true;
    let error = log.sync().unwrap_err();
    assert!(error.is_full() && error.to_string().starts_with("cannot sync "), "{error}");
    disk.0.lock().unwrap().sync_fails = false;
    log.sync().unwrap();
}

#[test]
fn a_folder_stays_to_be_synced_until_it_was() {
    let (dir, mut log, disk) = log_on(1 << 20);
    let folders = |log: &SessionLog| log.unsynced().unwrap().folders;
    let new = [dir.path().join("s"), dir.path().to_owned()];
    assert_eq!(folders(&log), new);
    disk.0.lock().unwrap().sync_fails = true;
    assert!(log.unsynced().unwrap().sync().is_err());
    assert_eq!(folders(&log), new, "what failed is tried again");
    disk.0.lock().unwrap().sync_fails = false;
    let (first, second) = (log.unsynced().unwrap(), log.unsynced().unwrap());
    log.synced(&first.sync().unwrap());
    assert!(folders(&log).is_empty());
    log.synced(&second.sync().unwrap());
    assert!(folders(&log).is_empty());
}

#[test]
fn a_log_that_was_removed_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = SessionLog::create(dir.path(), Header::new("s", "", ""), 1).unwrap();
    std::fs::remove_file(dir.path().join("s/0001.jsonl")).unwrap();
    log.append(&said("into nothing"), 2).unwrap();
    let error = log.sync().unwrap_err();
    assert!(matches!(error, LogError::Io { .. }) && error.to_string().contains("removed"), "{error}");
}
