//! What a call is about to do, known before it does it: the text of an approval, and the facts a permission is decided on.
//!
//! Owns the plain data. A tool makes an intent without any effect; `crate::permission` decides on it; a person reads
//! `title` and `detail`; and `Tool::run_approved` does what was decided on and nothing else. For that `prepared` holds
//! the very bytes that were shown: a file that has changed since refuses them.
//! Refuses to know rules, modes and screens. Read next: `change.rs`, `../permission.rs`.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::change::Change;
use super::{Access, ToolFailure, Workspace, path_text};

#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    pub access: Access,
    pub paths: Vec<IntentPath>,
    /// A verb and its object, one line: `edit src/a.rs`.
    pub title: String,
    /// All that a person needs to judge the call: a unified diff, the content of a new file, a command. May be empty.
    pub detail: String,
    /// What of it is too long to be shown, as a sentence.
    pub unshown: Option<String>,
    /// What a shell would run, whole.
    pub command: Option<String>,
    pub prepared: Prepared,
}

/// One place that the call reads or writes; a folder stands for everything beneath it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentPath {
    /// Where it really is: absolute, without links.
    pub path: PathBuf,
    /// As the call named it, made absolute, links still in it. A rule against a name holds for both.
    pub named: PathBuf,
    /// One line of text, relative to the workspace where it is inside.
    pub shown: String,
    pub outside: bool,
    pub write: bool,
}

/// What `run_approved` needs to do exactly what was shown. Opaque: only the tool that made it can use it.
#[derive(Clone, Default, PartialEq)]
pub struct Prepared(pub(super) Option<Arc<Change>>);

impl Intent {
    /// A call that touches no path.
    pub fn plain(access: Access, title: impl Into<String>) -> Self {
        Self {
            access,
            paths: Vec::new(),
            title: title.into(),
            detail: String::new(),
            unshown: None,
            command: None,
            prepared: Prepared::default(),
        }
    }

    /// A call that reads what `named` leads to, wherever that is.
    pub(super) fn read(workspace: &Workspace, verb: &str, named: &str) -> Result<Self, ToolFailure> {
        let place = IntentPath::locate(workspace, named, false)?;
        let detail = if place.outside {
            format!(
                "{} is outside the workspace {}",
                path_text::encode(&place.path),
                path_text::encode(workspace.root())
            )
        } else {
            String::new()
        };
        let title = format!("{verb} {}", place.shown);
        Ok(Self { paths: vec![place], detail, ..Self::plain(Access::Reads, title) })
    }

    /// The workspace that this intent may run in once it is approved: what it names outside counts as inside.
    pub(super) fn widened(&self, workspace: &Workspace) -> Workspace {
        let outside = self.paths.iter().filter(|place| place.outside);
        workspace.allowing(outside.map(|place| place.path.clone()))
    }
}

impl IntentPath {
    pub(super) fn locate(workspace: &Workspace, named: &str, write: bool) -> Result<Self, ToolFailure> {
        let place = workspace.locate(named)?;
        let shown = workspace.display(&place.path);
        Ok(Self { path: place.path, named: place.named, shown, outside: place.outside, write })
    }

    /// The name as the call gave it, for a person, where a link leads from it to another place.
    pub(super) fn link(&self, workspace: &Workspace) -> Option<String> {
        (self.named != self.path).then(|| workspace.display(&self.named))
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The content of a file has no place in a log.
        f.write_str(if self.0.is_some() { "Prepared(..)" } else { "Prepared(nothing)" })
    }
}
