//! Finds skills: folders with a `SKILL.md` in `.agents/skills` and `.claude/skills`, of the project and of the person.
//!
//! Owns the places, their order (the project before the person, `.agents` before `.claude`; the first of a name stands)
//! and what makes a skill unusable. Those of the project are looked at only when the person trusts the folder, and a
//! link in it that leads out of the workspace is passed over. What was passed over or is odd is told as a problem.
//! Refuses to know the tool.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::frontmatter;
use crate::tools::open::open_regular;
use crate::tools::{Cancel, ToolFailure, Workspace, path_text, quoted};

const PLACES: &[&str] = &[".agents/skills", ".claude/skills"];
/// A longer text is cut: a model would not follow it.
const MOST_BYTES: u64 = 256 * 1024;
const MOST_SKILLS: usize = 200;
const LISTED: usize = 200;
const NAME: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// Physical.
    pub folder: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skills {
    pub skills: Vec<Skill>,
    /// Sentences for the person.
    pub problems: Vec<String>,
}

pub struct Files {
    pub shown: Vec<String>,
    pub more: bool,
}

/// `home` is the person's home folder; `trusted` whether skills of the workspace may be used.
pub fn discover(workspace: &Workspace, home: Option<&Path>, trusted: bool) -> Skills {
    let mut found = Skills::default();
    if trusted {
        for place in PLACES {
            found.look_in(&workspace.root().join(place), Some(workspace));
        }
    }
    // In the home folder itself both are the same place.
    for home in home.into_iter().filter(|home| !trusted || *home != workspace.root()) {
        for place in PLACES {
            found.look_in(&home.join(place), None);
        }
    }
    found
}

impl Skills {
    /// Reads one place; with `within` nothing that leads out of it is used.
    fn look_in(&mut self, place: &Path, within: Option<&Workspace>) {
        let Ok(entries) = fs::read_dir(place) else { return };
        let folders: BTreeSet<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        for folder in folders {
            let Ok(file) = folder.join("SKILL.md").canonicalize() else { continue };
            let shown = path_text::encode(&folder);
            if self.skills.len() >= MOST_SKILLS {
                self.problems
                    .push(format!("{shown} and what follows is not used: there are too many skills."));
                return;
            }
            if within.is_some_and(|workspace| !file.starts_with(workspace.root())) {
                self.problems.push(format!("{shown} is not used: it leads out of the workspace."));
                continue;
            }
            match self.read(&folder, &file) {
                Ok(skill) => self.skills.push(skill),
                Err(why) => self.problems.push(format!("{shown} is not used: {why}.")),
            }
        }
    }

    fn read(&mut self, folder: &Path, file: &Path) -> Result<Skill, String> {
        let text = read_text(file).map_err(|failure| failure.summary)?;
        let head = frontmatter::parse(&text);
        let of_folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = head.name.unwrap_or_else(|| of_folder.clone());
        let description = head.description.ok_or("its SKILL.md has no description")?;
        if name.len() > NAME || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(format!("{} is no name of a skill", quoted(&name)));
        }
        if self.skills.iter().any(|skill| skill.name == name) {
            return Err(format!("another skill is called {}", quoted(&name)));
        }
        if name != of_folder {
            self.problems.push(format!(
                "{} holds a skill called {}; the two names should be the same.",
                path_text::encode(folder),
                quoted(&name)
            ));
        }
        // A skill that is a link lies where the link leads, so that its files are found there.
        let folder = file.parent().unwrap_or(folder).to_owned();
        Ok(Skill { name, description, folder })
    }
}

impl Skill {
    pub(super) fn body(&self) -> Result<String, ToolFailure> {
        let text = read_text(&self.folder.join("SKILL.md"))?;
        Ok(frontmatter::parse(&text).body.to_owned())
    }

    /// Its other files, relative and sorted; links are not followed. `None` when cancelled.
    pub(super) fn files(&self, cancel: &Cancel) -> Option<Files> {
        let mut shown = Vec::new();
        let walk = WalkBuilder::new(&self.folder)
            .standard_filters(false)
            .max_depth(Some(8))
            .sort_by_file_path(Path::cmp)
            .build();
        for entry in walk.filter_map(Result::ok) {
            if cancel.is_cancelled() {
                return None;
            }
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let Ok(below) = entry.path().strip_prefix(&self.folder) else { continue };
            let is_hidden = below.iter().any(|part| part.to_string_lossy().starts_with('.'));
            if !is_file || is_hidden || below == Path::new("SKILL.md") {
                continue;
            }
            if shown.len() == LISTED {
                return Some(Files { shown, more: true });
            }
            shown.push(path_text::encode(below));
        }
        Some(Files { shown, more: false })
    }
}

fn read_text(file: &Path) -> Result<String, ToolFailure> {
    let failure = |fact: String| ToolFailure::new(format!("{} {fact}", path_text::encode(file)));
    let (opened, _) = open_regular(file).map_err(|error| failure(error.fact()))?;
    let mut bytes = Vec::new();
    opened
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| failure(format!("cannot be read: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new() -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(tree.0.path().join("work")).unwrap();
            tree
        }

        fn skill(&self, folder: &str, text: &str) {
            fs::create_dir_all(self.0.path().join(folder)).unwrap();
            fs::write(self.0.path().join(folder).join("SKILL.md"), text).unwrap();
        }

        fn check(&self, trusted: bool, names: &[&str], problems: &[&str]) {
            let workspace = Workspace::open(&self.0.path().join("work")).unwrap();
            let got = discover(&workspace, Some(&self.0.path().join("home")), trusted);
            let got_names: Vec<&str> = got.skills.iter().map(|skill| skill.name.as_str()).collect();
            assert_eq!(got_names, names);
            assert_eq!(got.problems.len(), problems.len(), "{:?}", got.problems);
            for (got, expected) in got.problems.iter().zip(problems) {
                assert!(got.contains(expected), "{got} lacks {expected:?}");
            }
        }
    }

    #[test]
    fn places_trust_and_precedence() {
        let tree = Tree::new();
        tree.check(true, &[], &[]);
        tree.skill("work/.agents/skills/b", "---\nname: b\ndescription: project\n---\n");
        tree.skill("work/.claude/skills/c", "---\ndescription: no name, so the folder's\n---\n");
        tree.skill("home/.agents/skills/b", "---\nname: b\ndescription: person\n---\n");
        tree.skill("home/.claude/skills/a", "---\nname: a\ndescription: person\n---\n");
        tree.check(true, &["b", "c", "a"], &["another skill is called `b`"]);
        tree.check(false, &["b", "a"], &[]);
    }

    #[test]
    fn what_is_odd_is_told_and_what_is_unusable_skipped() {
        let tree = Tree::new();
        tree.skill("work/.agents/skills/a", "---\nname: other\ndescription: x\n---\n");
        tree.skill("work/.agents/skills/b", "---\nname: b\n---\n");
        tree.skill("work/.agents/skills/c", "---\nname: two words\ndescription: x\n---\n");
        tree.skill("outside/d", "---\nname: d\ndescription: x\n---\n");
        symlink("../../../outside/d", tree.0.path().join("work/.agents/skills/d")).unwrap();
        fs::create_dir(tree.0.path().join("work/.agents/skills/e")).unwrap();
        tree.check(
            true,
            &["other"],
            &[
                "the two names should be the same",
                "no description",
                "is no name of a skill",
                "leads out of the workspace",
            ],
        );
        fs::create_dir_all(tree.0.path().join("home/.claude/skills")).unwrap();
        symlink(tree.0.path().join("outside/d"), tree.0.path().join("home/.claude/skills/d")).unwrap();
        tree.check(false, &["d"], &[]);
    }
}
