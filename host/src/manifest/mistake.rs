//! A mistake in a manifest, told so that it can be mended: file, line, key, what is wrong, what is right.
//!
//! Owns the wording's frame and the bound on how many are told. The texts come from a file and are made printable
//! here. Refuses to know the keys.

use std::fmt;
use std::path::{Path, PathBuf};

use carpel_slots::Printable;

/// More than these are counted only.
const TOLD: usize = 20;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its line, from 1; absent where the file as a whole is wrong.
    pub line: Option<usize>,
    /// The key as it would be written in a command: `ui.density`; absent where no key is concerned.
    pub key: Option<String>,
    /// Fact and way out.
    pub what: String,
}

/// A manifest that cannot be used. Shown as one line for each mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadManifest {
    pub file: PathBuf,
    /// In the order of the lines.
    pub mistakes: Vec<Mistake>,
}

impl BadManifest {
    /// The file as a whole is wrong.
    pub fn whole(file: &Path, what: impl Into<String>) -> BadManifest {
        let mistake = Mistake { line: None, key: None, what: what.into() };
        BadManifest { file: file.to_owned(), mistakes: vec![mistake] }
    }

    /// One printable line for each mistake.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.mistakes.iter().take(TOLD).map(|mistake| self.line(mistake)).collect();
        match self.mistakes.len().saturating_sub(TOLD) {
            0 => {}
            1 => lines.push(format!("{}: 1 more mistake", self.shown())),
            more => lines.push(format!("{}: {more} more mistakes", self.shown())),
        }
        lines
    }

    fn line(&self, mistake: &Mistake) -> String {
        let line = mistake.line.map_or_else(String::new, |line| format!(":{line}"));
        let key = mistake.key.as_ref().map_or_else(String::new, |key| format!("key `{key}`: "));
        let words = format!("{}{line}: {key}{}", self.file.display(), mistake.what);
        Printable::line(&words).to_string()
    }

    fn shown(&self) -> Printable {
        Printable::line(&self.file.display().to_string())
    }
}

impl fmt::Display for BadManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}
