//! What the model has seen of files in this session, so that nobody's work is overwritten unseen.
//!
//! Owns one digest a file: that of its whole content when Read showed it or when Write or Edit last wrote it. Content
//! decides, never a time stamp: touching a file, or a clock set back, is no change. Kept in memory, for one session;
//! a new session reads again. Refuses to know why a tool asks. Read next: `change.rs`.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hmac_sha256::Hash;

use super::Cancel;

/// A file that is larger is neither remembered nor edited.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

pub type Digest = [u8; 32];

/// Shared by the tools of one session; clones are the same record.
#[derive(Debug, Clone, Default)]
pub struct ReadRecord {
    seen: Arc<Mutex<HashMap<PathBuf, Digest>>>,
    unkept: bool,
}

impl ReadRecord {
    pub fn new() -> Self {
        Self::default()
    }

    /// For a single call without a session, where nothing can have been read before: nothing is asked for.
    pub fn unkept() -> Self {
        Self { unkept: true, ..Self::default() }
    }

    /// Forgets everything, as after a compaction that dropped what was read.
    pub fn clear(&self) {
        self.lock().clear();
    }

    pub(super) fn note(&self, path: &Path, digest: Digest) {
        self.lock().insert(path.to_owned(), digest);
    }

    pub(super) fn seen(&self, path: &Path, now: &Digest) -> Seen {
        match self.lock().get(path) {
            _ if self.unkept => Seen::AsItIs,
            None => Seen::Never,
            Some(then) if then == now => Seen::AsItIs,
            Some(_) => Seen::Otherwise,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Digest>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    Never,
    AsItIs,
    Otherwise,
}

pub fn digest(bytes: &[u8]) -> Digest {
    Hash::hash(bytes)
}

/// A reader that digests what passes through it.
pub struct Digesting<R> {
    inner: R,
    hash: Option<Hash>,
    passed: u64,
}

impl<R: Read> Digesting<R> {
    /// With `wanted` false it only passes bytes on.
    pub fn new(inner: R, wanted: bool) -> Self {
        Self { inner, hash: wanted.then(Hash::new), passed: 0 }
    }

    /// Reads on to the end. `None` when no digest was wanted, the file is too large, or the signal fired.
    pub fn finish(mut self, cancel: &Cancel) -> io::Result<Option<Digest>> {
        let mut buffer = vec![0; if self.hash.is_some() { 64 * 1024 } else { 0 }];
        while self.hash.is_some() && self.passed <= MOST_BYTES {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            match self.read(&mut buffer) {
                Ok(0) => return Ok(self.hash.map(|hash| hash.finalize())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(hash) = &mut self.hash {
            hash.update(&buffer[..read]);
        }
        self.passed += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let record = ReadRecord::new();
        let path = Path::new("/w/a");
        assert_eq!(record.seen(path, &digest(b"x")), Seen::Never);
        record.clone().note(path, digest(b"x"));
        assert_eq!(record.seen(path, &digest(b"x")), Seen::AsItIs);
        assert_eq!(record.seen(path, &digest(b"y")), Seen::Otherwise);
        record.clear();
        assert_eq!(record.seen(path, &digest(b"x")), Seen::Never);
        assert_eq!(ReadRecord::unkept().seen(path, &digest(b"x")), Seen::AsItIs);
    }

    #[test]
    fn a_digest_is_of_the_whole_however_little_was_read() {
        let mut reader = Digesting::new(&b"hello world"[..], true);
        reader.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(reader.finish(&Cancel::new()).unwrap(), Some(digest(b"hello world")));
        let unwanted = Digesting::new(&b"x"[..], false);
        assert_eq!(unwanted.finish(&Cancel::new()).unwrap(), None);
        let endless = Digesting::new(io::repeat(0), true);
        assert_eq!(endless.finish(&Cancel::new()).unwrap(), None);
    }
}
