//! What the keeper knows of one plugin: what was found, the version that is asked, and the one that is to replace it.
//!
//! Values only; the keeper acts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use carpel_slots::wire::Hello;

use super::{PluginRow, Seated};
use crate::plugins::STATE;
use crate::plugins::found::Found;
use crate::plugins::instance::Instance;

/// A plugin.
pub(super) struct Place {
    pub(super) found: Found,
    /// What it called itself last.
    pub(super) called: Option<String>,
    /// The version that is asked.
    pub(super) current: Option<Version>,
    /// A version that has not said hello yet.
    pub(super) next: Option<Version>,
    /// What is wrong with it.
    pub(super) trouble: Option<String>,
    /// The trouble that the person was told of.
    pub(super) said: Option<String>,
    /// Since when it is gone, or is no plugin, which may be so only while it is being written.
    pub(super) doubted: Option<Instant>,
}

/// A version that runs, or would when it is used.
pub(super) struct Version {
    pub(super) number: u64,
    pub(super) instance: Arc<Instance>,
    pub(super) thread: JoinHandle<()>,
    pub(super) hello: Option<Hello>,
    pub(super) stamp: String,
}

impl Place {
    pub(super) fn new(found: Found) -> Place {
        Place { found, called: None, current: None, next: None, trouble: None, said: None, doubted: None }
    }

    pub(super) fn hello(&self) -> Option<&Hello> {
        self.current.as_ref()?.hello.as_ref()
    }

    /// What it calls itself, or did when it ran last, else what its file is called.
    pub(super) fn name(&self) -> &str {
        self.called.as_ref().unwrap_or(&self.found.name)
    }

    pub(super) fn seated(&self) -> Option<Seated> {
        let version = self.current.as_ref()?;
        let hello = version.hello.clone()?;
        Some(Seated { source: self.found.source.clone(), hello, instance: Arc::clone(&version.instance) })
    }

    pub(super) fn row(&self, log: Option<PathBuf>) -> PluginRow {
        let hello = self.hello();
        PluginRow {
            name: self.name().to_owned(),
            source: self.found.source.clone(),
            version: hello.map(|hello| hello.version.clone()).unwrap_or_default(),
            is_seated: hello.is_some(),
            trouble: self.trouble.clone().or_else(|| {
                (hello.is_none() && self.next.is_some()).then(|| "has not said hello yet".to_owned())
            }),
            log,
        }
    }
}

/// Where the diagnostics of a plugin go: a file by its name; a name that is taken gets a number.
pub(super) fn log(all: &[Place], at: usize, state: &Path) -> Option<PathBuf> {
    let name = |place: &Place| {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        place.found.name.chars().take(60).map(safe).collect::<String>()
    };
    let own = name(all.get(at)?);
    let before = all[..at].iter().filter(|place| name(place) == own).count();
    let number = if before == 0 { String::new() } else { format!("-{}", before + 1) };
    Some(state.join(STATE).join(format!("{own}{number}.log")))
}

/// What could not be started at first, in one sentence. What is of the workspace was asked about already.
pub(super) fn refused(all: &mut [Place]) -> Option<String> {
    let refused = all.iter_mut().filter(|place| place.current.is_none() && !place.found.is_of_workspace);
    let mut sentences = Vec::new();
    for place in refused {
        place.said.clone_from(&place.trouble);
        let trouble = place.trouble.as_deref().unwrap_or("was not started");
        sentences.push(format!("plugin `{}` is not used: it {trouble}", place.name()));
    }
    match sentences.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        more => Some(format!("{} plugins are not used; `:plugins` says why", more.len())),
    }
}
