//! What a folder brings that tells an agent what to do: standing instructions and skills.
//!
//! Whoever asks a person whether they trust the folder names these things. Nothing of their text is used for it. Where they
//! are looked for: `tools/instructions.rs`, `tools/skill/discover.rs`. Refuses to know the answer, and what the host's own
//! folder `.carpel` holds.

use std::path::{Path, PathBuf};

use crate::tools::instructions::{instruction_file, project};
use crate::tools::skill::discover;
use crate::tools::{Workspace, path_text};

/// What a folder brings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Brought {
    /// The file with standing instructions, as it would be named in the folder.
    pub instructions: Option<String>,
    /// Names of skills.
    pub skills: Vec<String>,
}

/// What the folder `cwd` brings; `home` is the person's, whose skills are their own. Nothing where it cannot be opened.
pub fn brought(cwd: &Path, home: Option<&Path>) -> Brought {
    let Ok(workspace) = Workspace::open(cwd) else { return Brought::default() };
    let root = workspace.root();
    let instructions = instruction_file(&workspace).map(|file| {
        let named = file.strip_prefix(root).unwrap_or(&file);
        path_text::encode(named)
    });
    let home = home.and_then(|home| home.canonicalize().ok());
    let skills = if home.is_some_and(|home| home == root) {
        Vec::new()
    } else {
        discover(&workspace, None, true).skills.into_iter().map(|skill| skill.name).collect()
    };
    Brought { instructions, skills }
}

/// The project that a folder belongs to: the nearest folder with `.git` at or above it, else itself.
pub fn project_of(cwd: &Path) -> PathBuf {
    project(cwd)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_a_folder_brings() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("repo/sub");
        fs::create_dir_all(work.join(".agents/skills/pdf")).unwrap();
        fs::create_dir(folder.path().join("repo/.git")).unwrap();
        let check = |home: Option<&Path>, instructions: Option<&str>, skills: &[&str]| {
            let got = brought(&work, home);
            assert_eq!(got.instructions.as_deref(), instructions);
            assert_eq!(got.skills, skills);
        };
        check(None, None, &[]);
        fs::write(work.join(".agents/skills/pdf/SKILL.md"), "---\ndescription: x\n---\n").unwrap();
        check(None, None, &["pdf"]);
        check(Some(&work), None, &[]);
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("repo/AGENTS.md"), "do").unwrap();
        let above = root.join("repo/AGENTS.md").to_string_lossy().into_owned();
        check(None, Some(&above), &["pdf"]);
        fs::write(work.join("CLAUDE.md"), "do").unwrap();
        fs::remove_file(root.join("repo/AGENTS.md")).unwrap();
        check(None, Some("CLAUDE.md"), &["pdf"]);
        assert_eq!(brought(&work.join("gone"), None), Brought::default());
    }
}
