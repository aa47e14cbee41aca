//! What a person allowed "for this session" while it ran.
//!
//! Owns the grants and what one covers: one tool, and a file, a folder with all in it, or the tool wherever it names no
//! path; of commands this very one, letter for letter. `offer` says which grant the answer "session" gives; there is none for what always asks. A guarded path is
//! covered only by a grant for that very file. Never written to disk. Pure.

use std::path::{Path, PathBuf};

use super::Permissions;
use crate::tools::{Intent, IntentPath, path_text};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub tool: String,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    File(PathBuf),
    Folder(PathBuf),
    /// This command and no other.
    Command(String),
    /// Calls that name no path.
    Tool,
}

#[derive(Debug, Clone, Default)]
pub struct SessionGrants {
    grants: Vec<Grant>,
}

impl SessionGrants {
    pub fn add(&mut self, grant: Grant) {
        if !self.grants.contains(&grant) {
            self.grants.push(grant);
        }
    }

    /// The grants that "allow for this session" gives for this call, one for each path; none when it always asks.
    /// Inside the workspace they hold for all of it, outside for this one place.
    pub fn offer(intent: &Intent, tool: &str, permissions: &Permissions) -> Vec<Grant> {
        if intent.paths.iter().any(|place| permissions.protected(place, tool).is_some()) {
            return Vec::new();
        }
        let grant = |scope: Scope| Grant { tool: tool.to_owned(), scope };
        if let Some(command) = &intent.command {
            return vec![grant(Scope::Command(command.clone()))];
        }
        if intent.paths.is_empty() {
            return vec![grant(Scope::Tool)];
        }
        let scope = |place: &IntentPath| {
            if permissions.secret(place).is_some() || place.outside && place.write {
                Scope::File(place.path.clone())
            } else if place.outside {
                // A folder that was named, or a file: either way this and what is in it.
                Scope::Folder(place.path.clone())
            } else {
                Scope::Folder(permissions.root.clone())
            }
        };
        intent.paths.iter().map(scope).map(grant).collect()
    }

    /// What these grants, of one call, cover, in a few words: `every Write anywhere in work`. Nothing for none.
    pub fn tell(grants: &[Grant], permissions: &Permissions) -> Option<String> {
        let tool = &grants.first()?.tool;
        let shown = |path: &Path| path_text::encode(path.strip_prefix(&permissions.root).unwrap_or(path));
        let place = |grant: &Grant| match &grant.scope {
            // Not "in this folder": a call deep in the workspace would be read to be allowed there only.
            Scope::Folder(path) if *path == permissions.root => {
                let name = path.file_name().map_or(path.as_path(), Path::new);
                format!("anywhere in {}", path_text::encode(name))
            }
            Scope::Folder(path) if path.is_dir() => format!("in {}", shown(path)),
            Scope::File(path) | Scope::Folder(path) => format!("of {}", shown(path)),
            Scope::Command(_) | Scope::Tool => String::new(),
        };
        match &grants.first()?.scope {
            Scope::Command(_) => Some("this very command".to_owned()),
            Scope::Tool => Some(format!("every {tool}")),
            Scope::File(_) | Scope::Folder(_) => {
                let mut places: Vec<String> = grants.iter().map(place).collect();
                places.dedup();
                Some(format!("every {tool} {}", places.join(" and ")))
            }
        }
    }

    /// Whether every path of the call was allowed.
    pub fn cover(&self, intent: &Intent, tool: &str, permissions: &Permissions) -> bool {
        let mine = || self.grants.iter().filter(|grant| grant.tool == tool);
        if let Some(command) = &intent.command {
            return mine().any(|grant| matches!(&grant.scope, Scope::Command(granted) if granted == command));
        }
        if intent.paths.is_empty() {
            return mine().any(|grant| grant.scope == Scope::Tool);
        }
        intent.paths.iter().all(|place| {
            let guarded = permissions.secret(place).is_some();
            mine().any(|grant| match &grant.scope {
                Scope::File(path) => place.path == *path,
                Scope::Folder(path) => !guarded && place.path.starts_with(path),
                Scope::Command(_) | Scope::Tool => false,
            })
        })
    }
}
