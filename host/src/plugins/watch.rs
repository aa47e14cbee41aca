//! Watches the folders of plugins, and tells when one of the files that count has changed.
//!
//! It waits in the kernel: without a change nothing wakes. A folder that is not there yet is awaited in the nearest one
//! above that is. Opening and reading are no changes, since looking at files would tell of itself. Refuses to know what
//! changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::plugins::found::{Found, Places};

/// A watch.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    /// What is watched.
    folders: BTreeSet<PathBuf>,
    interest: Arc<Mutex<Interest>>,
}

/// What counts.
#[derive(Default)]
struct Interest {
    /// Folders with all that is in them.
    folders: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
}

impl Watch {
    /// A watch of nothing; `None` where nothing can be watched.
    pub(super) fn start(tell: impl Fn() + Send + 'static) -> Option<Watch> {
        let interest: Arc<Mutex<Interest>> = Arc::default();
        let wanted = Arc::clone(&interest);
        let handler = move |event: notify::Result<notify::Event>| {
            let counts = match &event {
                Ok(event) => {
                    is_change(&event.kind) && event.paths.iter().any(|path| is_wanted(&wanted, path))
                }
                // Something was lost.
                Err(_) => true,
            };
            if counts {
                tell();
            }
        };
        match notify::recommended_watcher(handler) {
            Ok(watcher) => Some(Watch { watcher, folders: BTreeSet::new(), interest }),
            Err(error) => {
                tracing::warn!(%error, "plugins are not watched");
                None
            }
        }
    }

    /// Watches what may become another plugin, and nothing else.
    pub(super) fn these(&mut self, places: &Places, found: &[Found]) {
        let folders: BTreeSet<PathBuf> = places.folders().cloned().collect();
        let files = found.iter().flat_map(|found| &found.files).cloned();
        // A link stays as it is while what it leads to is built anew.
        let files: BTreeSet<PathBuf> =
            files.flat_map(|file| [file.canonicalize().ok(), Some(file)]).flatten().collect();
        let parents = files.iter().filter_map(|file| file.parent());
        let wanted = folders.iter().map(PathBuf::as_path).chain(parents).filter_map(existing).collect();
        *self.interest.lock().unwrap_or_else(PoisonError::into_inner) = Interest { folders, files };
        let wanted: BTreeSet<PathBuf> = wanted;
        for gone in self.folders.difference(&wanted) {
            // What is gone is not watched any more anyway.
            let _ = self.watcher.unwatch(gone);
        }
        // One that was taken away and made again is watched anew.
        for folder in &wanted {
            if let Err(error) = self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!(%error, folder = %folder.display(), "a folder of plugins is not watched");
            }
        }
        self.folders = wanted;
    }
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(access) => *access == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// True for what counts, and for what is on the way to it.
fn is_wanted(interest: &Mutex<Interest>, path: &Path) -> bool {
    let Interest { folders, files } = &*interest.lock().unwrap_or_else(PoisonError::into_inner);
    folders.iter().any(|folder| folder.starts_with(path) || path.parent() == Some(folder))
        || files.iter().any(|file| file.starts_with(path))
}

/// The folder, or the nearest one above that is there.
fn existing(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|above| above.is_dir()).map(Path::to_owned)
}
