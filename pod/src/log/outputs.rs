//! Long outputs beside the log, each in a file named by the hash of what it holds.
//!
//! A record carries the head and the tail of an output over 64 KiB; the whole is read from here in pieces. The same output
//! twice is one file. Offsets are bytes of the whole; a piece begins and ends between characters. It refuses to know which
//! call an output belongs to.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::LogError;
use super::place::{create_file, make_folder, open_to_read, sync_folder};

/// The longest output that stays in its record.
pub const MOST_INLINE: usize = 64 << 10;
const HEAD: usize = 40 << 10;
const TAIL: usize = 20 << 10;

/// An output as it goes into a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spilled {
    /// The whole, or its head and its tail with a line between that tells what is left out.
    pub text: String,
    /// Bytes of the whole.
    pub total: u64,
    /// What the whole is kept under; absent when `text` is the whole.
    pub reference: Option<String>,
    /// The file that holds the whole.
    pub file: Option<PathBuf>,
}

/// A piece of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// Where it begins.
    pub offset: u64,
    /// Where the next piece begins; absent at the end.
    pub next: Option<u64>,
    /// Bytes of the whole.
    pub total: u64,
}

/// The outputs of one session; cheap to clone and safe to use beside a writer.
#[derive(Debug, Clone)]
pub struct Outputs {
    folder: PathBuf,
}

impl Outputs {
    pub(super) fn of(session: &Path) -> Self {
        Self { folder: session.join("outputs") }
    }

    /// Keeps an output durably when it is long.
    ///
    /// # Errors
    /// [`LogError`] when it cannot be written; nothing is left of it then.
    pub fn spill(&self, output: &str) -> Result<Spilled, LogError> {
        let total = output.len() as u64;
        if output.len() <= MOST_INLINE {
            return Ok(Spilled { text: output.to_owned(), total, reference: None, file: None });
        }
        let reference = hash(output.as_bytes());
        self.keep(&reference, output.as_bytes())?;
        let head = output.floor_char_boundary(HEAD);
        let tail = output.ceil_char_boundary(output.len() - TAIL);
        let text =
            format!("{}\n[... {} bytes left out ...]\n{}", &output[..head], tail - head, &output[tail..]);
        let file = Some(self.folder.join(&reference));
        Ok(Spilled { text, total, reference: Some(reference), file })
    }

    /// At most `max` bytes (and at least one character) of an output from `offset` on.
    ///
    /// # Errors
    /// [`LogError::Reference`] when there is no such output, [`LogError::Io`] when it cannot be read.
    pub fn read(&self, reference: &str, offset: u64, max: usize) -> Result<Piece, LogError> {
        let no_output = || LogError::Reference { reference: reference.to_owned() };
        if !is_hash(reference) {
            return Err(no_output());
        }
        let path = self.folder.join(reference);
        let mut file = match open_to_read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_output()),
            opened => opened.map_err(LogError::io("open", &path))?,
        };
        read_piece(&mut file, offset, max).map_err(LogError::io("read", &path))
    }

    /// A piece of an output that stands in its record.
    pub fn piece_of(output: &str, offset: u64, max: usize) -> Piece {
        let total = output.len() as u64;
        let start =
            output.floor_char_boundary(usize::try_from(offset).unwrap_or(usize::MAX).min(output.len()));
        let end = output.floor_char_boundary((start + max.max(4)).min(output.len()));
        let next = (end < output.len()).then_some(end as u64);
        Piece { text: output[start..end].to_owned(), offset: start as u64, next, total }
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), LogError> {
        let path = self.folder.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|there| there.is_file() && there.len() == bytes.len() as u64)
        {
            return Ok(());
        }
        match make_folder(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(LogError::Io { action: "create", path: self.folder.clone(), source: error });
            }
            _ => {}
        }
        let temporary = self.folder.join(format!("{name}.new"));
        let written = write_durably(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
        if let Err(source) = written {
            let _ = fs::remove_file(&temporary);
            return Err(LogError::Io { action: "write to", path, source });
        }
        sync_folder(&self.folder);
        Ok(())
    }
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What an earlier crash left under this name is half of the same output.
    let _ = fs::remove_file(path);
    let mut file = create_file(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_piece(file: &mut File, offset: u64, max: usize) -> io::Result<Piece> {
    let total = file.metadata()?.len();
    let start = offset.min(total);
    file.seek(SeekFrom::Start(start))?;
    // Room for the rest of a character at either end.
    let mut bytes = Vec::new();
    file.take(max.max(1).saturating_add(6) as u64).read_to_end(&mut bytes)?;
    let first = bytes.iter().take(3).take_while(|byte| is_inside(**byte)).count();
    let mut last = bytes.len().min(first.saturating_add(max.max(1)));
    while last < bytes.len() && last > first && is_inside(bytes[last]) {
        last -= 1;
    }
    if last == first {
        last = (first + 1..bytes.len()).find(|at| !is_inside(bytes[*at])).unwrap_or(bytes.len());
    }
    let text = String::from_utf8_lossy(&bytes[first..last]).into_owned();
    let next = start + last as u64;
    Ok(Piece { text, offset: start + first as u64, next: (next < total).then_some(next), total })
}

/// Whether a byte of UTF-8 goes on with a character.
fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn hash(bytes: &[u8]) -> String {
    hmac_sha256::Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
