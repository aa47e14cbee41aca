//! What was sent in earlier sessions, in a file of the person's own: `history.jsonl` in the state folder.
//!
//! One JSON string a line, oldest first, appended as it is sent, so that several chats at once lose nothing. Readable by
//! its owner only, and bounded: it is written anew with the newest lines when it has grown. Nothing depends on it; a
//! file that cannot be read or written costs the memory and is told in the log. What is not to be kept (long pastes,
//! commands, drafts that begin with a blank) is decided by [`crate::composer`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::composer::history::REMEMBERED;

/// A file beyond this is written anew at the next start.
const BOUND: u64 = 1024 * 1024;

/// A longer text is not kept.
const LONGEST: usize = 16 * 1024;

/// The file of a person's history.
#[derive(Debug, Clone)]
pub struct HistoryFile {
    path: PathBuf,
}

impl HistoryFile {
    /// The file in that state folder.
    pub fn of(state: &Path) -> HistoryFile {
        HistoryFile { path: state.join("history.jsonl") }
    }

    /// What was sent, oldest first. Lines that are no text are skipped.
    pub fn load(&self) -> Vec<String> {
        match self.read() {
            Ok(texts) => texts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                tracing::warn!(%error, path = %self.path.display(), "the history cannot be read");
                Vec::new()
            }
        }
    }

    /// Adds texts at the end.
    pub fn append(&self, texts: &[String]) {
        if let Err(error) = self.write(texts) {
            tracing::warn!(%error, path = %self.path.display(), "the history cannot be written");
        }
    }

    fn read(&self) -> io::Result<Vec<String>> {
        let meta = fs::metadata(&self.path)?;
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(16 * BOUND).read_to_end(&mut bytes)?;
        let lines = bytes.split(|byte| *byte == b'\n');
        let mut texts: Vec<String> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        texts.drain(..texts.len().saturating_sub(REMEMBERED));
        if meta.len() > BOUND {
            // The newest that fit into half the bound, so that it does not happen at every start.
            let mut room = usize::try_from(BOUND / 2).unwrap_or(usize::MAX);
            let kept = texts.iter().rev().take_while(|text| {
                room = room.saturating_sub(text.len());
                room > 0
            });
            let first = texts.len() - kept.count();
            self.rewrite(&texts[first..])?;
        }
        Ok(texts)
    }

    fn write(&self, texts: &[String]) -> io::Result<()> {
        let texts: Vec<&String> = texts.iter().filter(|text| text.len() <= LONGEST).collect();
        if texts.is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        // It may have been made by hand, open to others.
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        file.write_all(lines(&texts)?.as_bytes())
    }

    fn rewrite(&self, texts: &[String]) -> io::Result<()> {
        let beside = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&beside)?;
        file.write_all(lines(&texts.iter().collect::<Vec<_>>())?.as_bytes())?;
        fs::rename(&beside, &self.path)
    }
}

fn lines(texts: &[&String]) -> io::Result<String> {
    let mut lines = String::new();
    for text in texts {
        lines.push_str(&serde_json::to_string(text)?);
        lines.push('\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{BOUND, HistoryFile, LONGEST};

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn what_is_appended_comes_back_and_is_the_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::of(&folder.path().join("state"));
        assert_eq!(file.load(), [""; 0]);
        file.append(&texts(&["one", "two\nlines \"quoted\" 漢"]));
        file.append(&texts(&[&"x".repeat(LONGEST + 1), "three"]));
        assert_eq!(file.load(), ["one", "two\nlines \"quoted\" 漢", "three"]);
        let mode = fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn alien_lines_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::of(folder.path());
        fs::write(&file.path, b"\"one\"\n{\"a\":1}\n\xff\xfe\n\n\"two\"\n\"cut").unwrap();
        assert_eq!(file.load(), ["one", "two"]);
    }

    #[test]
    fn a_file_that_has_grown_is_cut_to_its_newest_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::of(folder.path());
        let many: Vec<String> =
            (0..400).map(|number| format!("{number} {}", "x".repeat(LONGEST / 4))).collect();
        file.append(&many);
        assert!(fs::metadata(&file.path).unwrap().len() > BOUND);
        assert_eq!(file.load(), many);
        assert!(fs::metadata(&file.path).unwrap().len() < BOUND);
        let left = file.load();
        assert!(left.len() > 100 && many.ends_with(&left), "{} lines", left.len());
    }

    #[test]
    fn a_folder_in_its_place_costs_nothing_but_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::of(folder.path());
        fs::create_dir(&file.path).unwrap();
        file.append(&texts(&["one"]));
        assert_eq!(file.load(), [""; 0]);
    }
}
