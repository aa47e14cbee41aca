//! Places that a general permission does not cover: what steers the agent or runs by itself, and what is secret.
//!
//! Owns the two lists. Writing to `.git`, to carpel's configuration, to skills or to the files with standing
//! instructions would let a model widen its own rights, so it asks in every mode; that the place does not exist yet
//! changes nothing. Names compare without regard to case, as some disks do. Pure.

use std::ffi::OsStr;
use std::path::Path;

use super::Permissions;

/// A guarded place: the component that makes it one, and what to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub part: String,
    pub what: &'static str,
}

/// What lies in a folder of agents is named by what it is, see [`in_agents`].
const AGENTS: &str = "a folder that steers agents";

const STEERING: &[(&str, &str)] = &[
    (".git", "git's own data"),
    (".carpel", "carpel's own configuration"),
    (".agents", AGENTS),
    (".claude", AGENTS),
    ("agents.md", "a file of standing instructions"),
    ("agents.override.md", "a file of standing instructions"),
    ("claude.md", "a file of standing instructions"),
    ("claude.local.md", "a file of standing instructions"),
];

const SECRET_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"];
const SECRET_FILES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "credentials.json",
];
const SECRET_ENDINGS: &[&str] = &["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];
/// Files that only show what belongs into a secret one.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist"];

pub fn protected(path: &Path, _: &Permissions) -> Option<Guard> {
    parts(path).find_map(|part| {
        let (_, what) = STEERING.iter().find(|(name, _)| *name == part)?;
        let what = if *what == AGENTS { in_agents(path, &part) } else { what };
        Some(Guard { part, what })
    })
}

fn in_agents(path: &Path, folder: &str) -> &'static str {
    let mut below = parts(path).skip_while(|part| part != folder).skip(1);
    match (below.next().as_deref(), below.next()) {
        (None, _) => AGENTS,
        (Some("skills"), None) => "a folder of skills",
        (Some("skills"), Some(_)) => "in a folder of skills",
        (Some(name), None) if name.starts_with("settings") => "a file of settings of an agent",
        (Some(_), _) => "in a folder that steers agents",
    }
}

/// carpel's folders outside the workspace, and all in them.
pub fn own(path: &Path, permissions: &Permissions) -> Option<Guard> {
    let folder = permissions.own.iter().find(|folder| path.starts_with(folder))?;
    let part = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    Some(Guard { part, what: "carpel's own configuration" })
}

pub fn secret(path: &Path) -> Option<Guard> {
    let last = parts(path).last()?;
    let folder = parts(path).find(|part| SECRET_FOLDERS.contains(&part.as_str()));
    if let Some(part) = folder {
        return Some(Guard { part, what: "in a folder of secrets" });
    }
    let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_environment = last.starts_with(".env.") && !EXAMPLES.contains(&ending);
    (SECRET_FILES.contains(&last.as_str()) || SECRET_ENDINGS.contains(&ending) || is_environment)
        .then_some(Guard { part: last, what: "a file that may hold secrets" })
}

fn parts(path: &Path) -> impl Iterator<Item = String> {
    path.iter().map(OsStr::to_string_lossy).map(|part| part.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_called_what_they_are() {
        for (path, expected) in [
            (".claude", "a folder that steers agents"),
            (".claude/settings.json", "a file of settings of an agent"),
            (".claude/Settings.local.json", "a file of settings of an agent"),
            (".claude/commands/x.md", "in a folder that steers agents"),
            (".claude/hooks", "in a folder that steers agents"),
            (".agents/skills", "a folder of skills"),
            ("sub/.claude/skills/a/SKILL.md", "in a folder of skills"),
            ("CLAUDE.md", "a file of standing instructions"),
            (".git/config", "git's own data"),
            (".carpel/manifest.toml", "carpel's own configuration"),
        ] {
            let guard = protected(Path::new(path), &Permissions::default()).unwrap();
            assert_eq!(guard.what, expected, "{path}");
        }
    }

    #[test]
    fn which_places_are_guarded() {
        let check = |path: &str, steers: bool, hides: bool| {
            let path = Path::new(path);
            assert_eq!(protected(path, &Permissions::default()).is_some(), steers, "{path:?}");
            assert_eq!(secret(path).is_some(), hides, "{path:?}");
        };
        check("src/a.rs", false, false);
        check(".git/hooks/pre-commit", true, false);
        check("sub/.GIT/config", true, false);
        check(".gitignore", false, false);
        check(".github/workflows/x.yml", false, false);
        check(".carpel/manifest.toml", true, false);
        check(".agents/skills/x/SKILL.md", true, false);
        check(".claude", true, false);
        check("docs/AGENTS.md", true, false);
        check("CLAUDE.md", true, false);
        check("agents.rs", false, false);
        check(".env", false, true);
        check("app/.env.production", false, true);
        check(".env.example", false, false);
        check("certs/server.PEM", false, true);
        check(".ssh/config", false, true);
        check("id_rsa", false, true);
        check("id_rsa.pub", false, false);
        check("keyboard.rs", false, false);
        check("", false, false);
    }
}
