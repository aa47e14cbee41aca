//! What of a workspace can be named in a prompt: its files, notes about it, skills.
//!
//! A host offers these while somebody writes. Which files there are is said here, beside the tools that open them, so
//! that the same ignore rules hold: what an ignore file leaves out is left out, `.git` is, links are listed and not
//! followed, hidden files are there. Paths are the text of `tools/path_text.rs`: what is listed can be opened. Each
//! answer reads the disk and is bounded; whoever asks does so where waiting hurts nobody. Refuses to know what is typed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::tools::open::open_regular;
use crate::tools::skill::discover;
use crate::tools::{Workspace, path_text};

/// More files than this are not looked at: nobody finds one among them by a few letters.
const MOST_FILES: usize = 200_000;
/// The same for one folder.
const MOST_NAMES: usize = 20_000;
/// The head of a note in which headings are looked for.
const HEAD: u64 = 64 * 1024;
const MOST_NOTES: usize = 200;

/// Notes that stand in the workspace itself, and folders of them.
const NOTES: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];
const NOTE_FOLDERS: &[&str] = &[".agents/knowledge"];
const WORKFLOW_FOLDERS: &[&str] = &[".agents/workflows"];

/// Looks around in one workspace.
#[derive(Debug, Clone)]
pub struct Catalogue {
    workspace: Workspace,
    home: Option<PathBuf>,
    trusted: bool,
}

/// What there is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paths {
    /// Below the workspace, those of few folders first, then by name; folders end with a slash.
    pub paths: Vec<String>,
    /// True when there are more.
    pub more: bool,
}

/// What is in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folder {
    /// What stands before a name to make a path that tools understand: the folder as it was named, `~` written out.
    pub prefix: String,
    /// By name; folders end with a slash.
    pub names: Vec<String>,
}

/// Something with a name and a line about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A path, or the name of a skill.
    pub name: String,
    /// A heading, or a description.
    pub about: String,
}

impl Catalogue {
    /// A catalogue of the workspace `cwd`. `home` is the person's; skills of the workspace count when it is trusted.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn open(cwd: &Path, home: Option<PathBuf>, trusted: bool) -> io::Result<Catalogue> {
        Ok(Catalogue { workspace: Workspace::open(cwd)?, home, trusted })
    }

    /// Files and folders that no ignore file leaves out.
    pub fn files(&self) -> Paths {
        let root = self.workspace.root();
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .add_custom_ignore_filename(".rgignore")
            .current_dir(root)
            .follow_links(false)
            .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
            .build();
        let mut found: Vec<(usize, String)> = Vec::new();
        for entry in walk.filter_map(Result::ok).filter(|entry| entry.depth() > 0) {
            if found.len() == MOST_FILES {
                return Paths { paths: sorted(found), more: true };
            }
            let Some(kind) = entry.file_type() else { continue };
            let Ok(below) = entry.path().strip_prefix(root) else { continue };
            if kind.is_dir() || kind.is_file() || kind.is_symlink() {
                let slash = if kind.is_dir() { "/" } else { "" };
                found.push((entry.depth(), format!("{}{slash}", path_text::encode(below))));
            }
        }
        Paths { paths: sorted(found), more: false }
    }

    /// What is in a folder, whatever ignore files say. `named` is relative to the workspace, absolute, or begins with
    /// `~/`; it is empty or ends with a slash. A folder that cannot be read is empty.
    pub fn folder(&self, named: &str) -> Folder {
        let prefix = match (named.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => format!("{}/{below}", path_text::encode(home)),
            _ => named.to_owned(),
        };
        let place = self.workspace.root().join(path_text::decode(&prefix));
        let mut names = Vec::new();
        for entry in fs::read_dir(place).into_iter().flatten().take(MOST_NAMES).filter_map(Result::ok) {
            if entry.file_name() == ".git" {
                continue;
            }
            // A link counts as what it leads to; nothing is opened.
            let Ok(meta) = entry.path().metadata() else { continue };
            let name = path_text::encode(Path::new(&entry.file_name()));
            if meta.is_dir() {
                names.push(format!("{name}/"));
            } else if meta.is_file() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Folder { prefix, names }
    }

    /// Standing instructions and notes by their headings: each names its file.
    pub fn notes(&self) -> Vec<Entry> {
        let files = NOTES.iter().map(|name| PathBuf::from(*name)).chain(self.documents(NOTE_FOLDERS));
        let mut notes = Vec::new();
        for file in files {
            let Some(text) = self.head(&file) else { continue };
            let name = path_text::encode(&file);
            notes.push(Entry { name: name.clone(), about: String::new() });
            notes.extend(headings(&text).map(|about| Entry { name: name.clone(), about }));
        }
        notes.truncate(MOST_NOTES);
        notes
    }

    /// The skills that a pod here offers to its model.
    pub fn skills(&self) -> Vec<Entry> {
        let found = discover(&self.workspace, self.home.as_deref(), self.trusted).skills;
        found.into_iter().map(|skill| Entry { name: skill.name, about: skill.description }).collect()
    }

    /// Documents that say how something is done here, each by its path and its first heading.
    pub fn workflows(&self) -> Vec<Entry> {
        let files = self.documents(WORKFLOW_FOLDERS).into_iter();
        let entry = |file: PathBuf| {
            let text = self.head(&file)?;
            let about = headings(&text).next().unwrap_or_default();
            Some(Entry { name: path_text::encode(&file), about })
        };
        files.filter_map(entry).collect()
    }

    /// Markdown files of these folders, relative to the workspace.
    fn documents(&self, folders: &[&str]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in folders {
            let entries = fs::read_dir(self.workspace.root().join(folder)).into_iter().flatten();
            let names = entries.take(MOST_NOTES).filter_map(|entry| Some(entry.ok()?.file_name()));
            let names = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
            found.extend(names.map(|name| Path::new(folder).join(name)));
        }
        found.sort_unstable();
        found
    }

    /// The beginning of a file of the workspace; a link out of it is not followed.
    fn head(&self, file: &Path) -> Option<String> {
        let root = self.workspace.root();
        let whole = root.join(file).canonicalize().ok().filter(|whole| whole.starts_with(root))?;
        let mut bytes = Vec::new();
        open_regular(&whole).ok()?.0.take(HEAD).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn sorted(mut found: Vec<(usize, String)>) -> Vec<String> {
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The Markdown headings outside code fences.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        let is_heading = !fenced && heading.len() < line.len() && heading.starts_with(' ');
        is_heading.then(|| heading.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, Catalogue) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            match file.strip_suffix('/') {
                Some(_) => fs::create_dir_all(path).unwrap(),
                None => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, "text\n").unwrap();
                }
            }
        }
        let catalogue = Catalogue::open(folder.path(), None, true).unwrap();
        (folder, catalogue)
    }

    #[test]
    fn log_9_05_hidden_files_are_there_and_git_is_not() {
        let (folder, catalogue) = tree(&[
            ".git/HEAD",
            ".env",
            "src/.config/example.json",
            "node_modules/a.js",
            "x.log",
            "sub/.git/HEAD",
            "two words.txt",
        ]);
        fs::write(folder.path().join(".gitignore"), "node_modules/\n*.log\n").unwrap();
        let paths = catalogue.files().paths;
        assert_eq!(
            paths,
            [
                ".env",
                ".gitignore",
                "src/",
                "sub/",
                "two words.txt",
                "src/.config/",
                "src/.config/example.json"
            ]
        );
        // What is left out is found by its folder.
        assert_eq!(catalogue.folder("node_modules/").names, ["a.js"]);
        assert_eq!(
            catalogue.folder("").names,
            [".env", ".gitignore", "node_modules/", "src/", "sub/", "two words.txt", "x.log"]
        );
    }

    #[test]
    fn log_9_06_log_9_07_links_are_listed_and_not_followed() {
        let (folder, catalogue) = tree(&["c1/a", "c2/b"]);
        for (target, link) in
            [(".", "self"), ("..", "up"), ("../c2", "c1/to2"), ("../c1", "c2/to1"), ("/", "root")]
        {
            symlink(target, folder.path().join(link)).unwrap();
        }
        let paths = catalogue.files().paths;
        assert_eq!(paths, ["c1/", "c2/", "root", "self", "up", "c1/a", "c1/to2", "c2/b", "c2/to1"]);
        assert_eq!(catalogue.folder("self/self/c1/").names, ["a", "to2/"]);
    }

    #[test]
    fn log_9_08_log_9_10_what_is_listed_can_be_opened() {
        let names: [&[u8]; 6] =
            [b"dir /x", b"bad\xff", b"new\nline", "nnbsp\u{202f}.png".as_bytes(), b"%20 a", b"\\xff"];
        let (folder, catalogue) = tree(&["dir /", "deep/"]);
        for name in names {
            fs::write(folder.path().join(OsStr::from_bytes(name)), "x").unwrap();
        }
        let listed = catalogue.files().paths;
        assert_eq!(listed.iter().filter(|path| !path.ends_with('/')).count(), names.len());
        for path in &listed {
            let located = catalogue.workspace.resolve(path).unwrap();
            assert!(located.exists(), "{path}");
        }
        assert_eq!(catalogue.folder("dir /").names, ["x"]);
    }

    #[test]
    fn a_home_is_written_out() {
        let (folder, mut catalogue) = tree(&["home/notes.md"]);
        let home = folder.path().join("home");
        catalogue.home = Some(home.clone());
        let got = catalogue.folder("~/");
        assert_eq!((got.prefix, got.names), (format!("{}/", home.display()), vec!["notes.md".to_owned()]));
        assert_eq!(catalogue.folder("gone/").names, Vec::<String>::new());
    }

    #[test]
    fn notes_skills_and_workflows() {
        let (folder, catalogue) = tree(&[]);
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("AGENTS.md", "# Work\n```\n# no\n```\n## Tests\n#hash\n");
        write(".agents/knowledge/api.md", "text");
        write(".agents/workflows/release.md", "# How to release\n");
        write(".agents/skills/pdf/SKILL.md", "---\ndescription: reads pdf\n---\n");
        let told = |entries: Vec<Entry>| -> Vec<String> {
            entries.into_iter().map(|entry| format!("{}: {}", entry.name, entry.about)).collect()
        };
        assert_eq!(
            told(catalogue.notes()),
            ["AGENTS.md: ", "AGENTS.md: Work", "AGENTS.md: Tests", ".agents/knowledge/api.md: "]
        );
        assert_eq!(told(catalogue.skills()), ["pdf: reads pdf"]);
        assert_eq!(told(catalogue.workflows()), [".agents/workflows/release.md: How to release"]);
    }
}
