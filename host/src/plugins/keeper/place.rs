//! What the keeper knows of one plugin: what was found, the version that is asked, and the one that is to replace it.
//!
//! Values only; the keeper acts.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use carpel_slots::wire::Hello;

use super::{PluginRow, Seated};
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
