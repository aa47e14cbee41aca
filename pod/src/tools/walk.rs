//! Which files a search looks at: those `rg` would, in one order.
//!
//! Owns the settings of the walk: ignore files (`.gitignore`, `.ignore`, `.rgignore`, git's own excludes, those of parent
//! directories), no hidden files, no links followed, regular files only, `.git` never. A root is a path, never a
//! pattern, so brackets in it are just brackets. A root that is a file is that file, ignored or not.
//! Refuses to know what is searched for. Read next: `glob.rs`, `grep.rs`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::overrides::Override;
use ignore::types::Types;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::{Cancel, ToolCx, ToolFailure, count, near, path_text, quoted};

/// How often a long walk says that it is still going.
const PROGRESS_EVERY: usize = 2_000;

/// Narrows a walk as `rg -g` and `rg -t` do.
#[derive(Debug, Clone, Default)]
pub struct Narrowing {
    pub globs: Option<Override>,
    pub types: Option<Types>,
}

#[derive(Debug, Default)]
pub struct Found {
    pub files: Vec<PathBuf>,
    /// Files that a rule keeps from this search.
    pub withheld: Vec<PathBuf>,
    /// What could not be read on the way, and why.
    pub problems: Problems,
}

/// Things that went wrong without ending a search: how many, and the first in order.
#[derive(Debug, Default, Clone)]
pub struct Problems {
    number: u64,
    first: Option<String>,
}

impl Problems {
    pub fn push(&mut self, text: String) {
        self.number += 1;
        if self.first.as_ref().is_none_or(|first| text < *first) {
            self.first = Some(text);
        }
    }

    /// One sentence, the same for the same problems in whatever order they came.
    pub fn note(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.number - 1 {
            0 => format!("not searched: {first}"),
            more => format!("not searched: {first}; and {more} more"),
        })
    }
}

/// How a result says that a rule left files out of it; empty when none did.
pub fn withheld(number: u64) -> String {
    match number {
        0 => String::new(),
        number => format!("{} left out by a deny rule", count(number, "file", "files")),
    }
}

/// Where a search begins: the argument `path`, or the whole workspace.
pub fn root(cx: &ToolCx<'_>, named: Option<&str>) -> Result<PathBuf, ToolFailure> {
    let named = named.filter(|named| !named.is_empty()).unwrap_or(".");
    let root = cx.workspace.resolve(named)?;
    if root.symlink_metadata().is_err() {
        return Err(near::missing(cx.workspace, named, &root));
    }
    let inside = root.strip_prefix(cx.workspace.root()).unwrap_or(&root);
    if inside.components().any(|part| part.as_os_str() == ".git") {
        return Err(ToolFailure::new(format!(
            "{} belongs to git, whose own files are not searched; open one with Read",
            quoted(named)
        )));
    }
    Ok(root)
}

/// All files below `root`, sorted by path. `None` when cancelled.
pub fn files(root: &Path, narrowing: Narrowing, cx: &ToolCx<'_>) -> Option<Found> {
    let found = Mutex::new(Found::default());
    builder(root, narrowing, cx).build_parallel().run(|| {
        Box::new(|entry| {
            if cx.cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let said =
                note_entry(&mut found.lock().unwrap_or_else(PoisonError::into_inner), entry, cx.cancel);
            if let Some(said) = said {
                (cx.progress)(&said);
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.files.sort_unstable();
    let screen = cx.workspace.screen();
    found.withheld = found.files.extract_if(.., |file| screen.hides(file)).collect();
    (!cx.cancel.is_cancelled()).then_some(found)
}

fn builder(root: &Path, narrowing: Narrowing, cx: &ToolCx<'_>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .add_custom_ignore_filename(".rgignore")
        .current_dir(cx.workspace.root())
        .follow_links(false)
        .threads(threads())
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    if let Some(globs) = narrowing.globs {
        builder.overrides(globs);
    }
    if let Some(types) = narrowing.types {
        builder.types(types);
    }
    builder
}

/// More threads than this gain nothing on a disk that others use as well.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |threads| threads.get().min(8))
}

/// Takes one entry; answers what to tell the person, now and then.
fn note_entry(found: &mut Found, entry: Result<DirEntry, ignore::Error>, cancel: &Cancel) -> Option<String> {
    match entry {
        Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
            found.files.push(entry.into_path());
            let seen = found.files.len();
            (seen.is_multiple_of(PROGRESS_EVERY) && !cancel.is_cancelled())
                .then(|| format!("{} files so far\n", super::grouped(seen as u64)))
        }
        Ok(_) => None,
        Err(error) => {
            found.problems.push(encoded(&error));
            None
        }
    }
}

fn encoded(error: &ignore::Error) -> String {
    path_text::encode(Path::new(&error.to_string()))
}
