//! Where plugins are looked for, and what is there: the manifests' lists, the person's folder, the workspace's.
//!
//! Owns the order and the reasons for which something that is there is not started: its file is none
//! ([`super::file`]), the workspace is not trusted, the file is another one than was trusted. Nothing is run or opened as
//! a library here. Trust is handed in as the fingerprints of what was trusted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::link;
use crate::manifest::{ListedPlugin, Plugin};
use crate::plugins::child::{Launch, Runs};
use crate::plugins::file::{self, Kind};

/// So many files of a folder are looked at.
const MOST: usize = 200;

/// Where plugins are looked for.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// What the manifests list: the person's, then a trusted folder's.
    pub listed: Vec<ListedPlugin>,
    /// The person's folder of plugins.
    pub own: Option<PathBuf>,
    /// The workspace's.
    pub workspace: Option<PathBuf>,
    /// Fingerprints of the files below the workspace that were there when it was trusted; `None` where it is not.
    pub trusted: Option<BTreeMap<PathBuf, String>>,
    /// The workspace itself: plugins below it run only as they were trusted.
    pub root: Option<PathBuf>,
}

/// Something that is to be a plugin.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its file or command, raw; no two are the same.
    pub source: String,
    /// What it is called before it has said hello, raw.
    pub name: String,
    /// How it is started, or why it is not.
    pub runs: Result<Runs, String>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// The files that it consists of, as far as that is known.
    pub files: Vec<PathBuf>,
    /// Which version of them it is.
    pub stamp: String,
    /// Whether its coming and going is a matter of trust.
    pub is_of_workspace: bool,
}

/// Where the person's plugins are: `$CARPEL_HOME/plugins`, else `$XDG_DATA_HOME/carpel/plugins`, else
/// `~/.local/share/carpel/plugins`.
pub fn own_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    link::own_folder(link::Kind::Data, variable).map(|folder| folder.join("plugins"))
}

/// Where a workspace's plugins are.
pub fn of_workspace(workspace: &Path) -> PathBuf {
    workspace.join(".carpel/plugins")
}

/// The plugin of a file that a person names, wherever it lies: that they named it is their trust.
///
/// # Errors
/// When the file cannot be found.
pub fn named(file: &Path) -> std::io::Result<Found> {
    // It runs in another folder than the one that the name may be relative to.
    Ok(Places::default().file(&std::path::absolute(file)?))
}

impl Found {
    /// How it is started by this program.
    ///
    /// # Errors
    /// Why it is not.
    pub fn launch(&self, carpel: &Path) -> Result<Launch, String> {
        Ok(Launch {
            carpel: carpel.to_owned(),
            runs: self.runs.clone()?,
            folder: self.folder.clone(),
            log: None,
            trusted: Vec::new(),
        })
    }
}

impl Places {
    /// All that is there, the best first.
    pub fn look(&self) -> Vec<Found> {
        let mut found: Vec<Found> = self.listed.iter().map(|listed| self.listed(listed)).collect();
        for folder in self.folders() {
            found.extend(files(folder).iter().map(|path| self.file(path)));
        }
        let mut sources = BTreeSet::new();
        found.retain(|found| sources.insert(found.source.clone()));
        refuse_same_files(&mut found);
        found
    }

    /// The folders of which every file is a plugin.
    pub fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.own.iter().chain(&self.workspace)
    }

    /// What the files of a plugin of the workspace have to be whenever it is started.
    pub fn fingerprints(&self, found: &Found) -> Vec<(PathBuf, String)> {
        let trusted = self.trusted.iter().flatten().filter(|_| found.is_of_workspace);
        let own = trusted.filter(|(path, _)| found.files.contains(path));
        own.map(|(path, hash)| (path.clone(), hash.clone())).collect()
    }

    fn listed(&self, ListedPlugin { plugin, folder }: &ListedPlugin) -> Found {
        match plugin {
            Plugin::Path(path) => self.file(&folder.join(path)),
            Plugin::Command(words) => {
                let files: Vec<PathBuf> =
                    words.iter().map(|word| folder.join(word)).filter(|path| path.is_file()).collect();
                let name = files.last().map_or(words.first().map(String::as_str), |file| stem(file));
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                self.trusted(Found {
                    source: words.join(" "),
                    name: name.unwrap_or_default().to_owned(),
                    runs: Ok(Runs::Program(words.iter().map(OsString::from).collect())),
                    folder: folder.to_owned(),
                    stamp: stamp(&files),
                    files,
                    is_of_workspace: false,
                })
            }
        }
    }

    fn file(&self, path: &Path) -> Found {
        let runs = file::kind(path).map(|kind| match kind {
            Kind::Library => Runs::Library(path.to_owned()),
            Kind::Program => Runs::Program(vec![path.as_os_str().to_owned()]),
        });
        self.trusted(Found {
            source: path.to_string_lossy().into_owned(),
            name: stem(path).unwrap_or_default().to_owned(),
            runs,
            folder: path.parent().unwrap_or(Path::new("/")).to_owned(),
            stamp: stamp(&[path.to_owned()]),
            files: vec![path.to_owned()],
            is_of_workspace: false,
        })
    }

    /// Refuses what is below the workspace and not as it was trusted.
    fn trusted(&self, mut found: Found) -> Found {
        let Some(root) = &self.root else { return found };
        let is_below = |path: &PathBuf| path.starts_with(root.join(".carpel"));
        found.is_of_workspace = found.files.iter().any(is_below);
        if !found.is_of_workspace || found.runs.is_err() {
            return found;
        }
        let refused = match &self.trusted {
            None => Some("is not run until you trust this folder: `carpel trust`"),
            Some(trusted) => found.files.iter().find_map(|file| match trusted.get(file) {
                None => {
                    Some("has come after you trusted this folder; `carpel trust`, then start the chat anew")
                }
                Some(hash) if fingerprint(file).as_ref() != Some(hash) => Some(
                    "is another one than you trusted; look at it, `carpel trust`, then start the chat anew",
                ),
                Some(_) => None,
            }),
        };
        if let Some(refused) = refused {
            found.runs = Err(refused.to_owned());
        }
        found
    }
}

/// What a file's content is told by; `None` for what is no file that is read.
pub fn fingerprint(file: &Path) -> Option<String> {
    file::look(file).ok()?;
    let bytes = std::fs::read(file).ok()?;
    Some(hmac_sha256::Hash::hash(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The files of a folder that are to be plugins, by name. Hidden ones are left out, and folders that are not named like a
/// library: an author may have sources there.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let is_wanted = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_named_so = path.extension().is_some_and(|end| end == "so" || end == "dylib");
        !hidden && (is_named_so || !path.is_dir())
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_wanted).take(MOST).collect();
    files.sort();
    files
}

/// A file that is there under two names is one plugin.
fn refuse_same_files(found: &mut [Found]) {
    let mut seen: BTreeMap<(u64, u64), String> = BTreeMap::new();
    for found in found.iter_mut().filter(|found| found.runs.is_ok()) {
        // A command may run the same script in another way.
        let [file] = found.files.as_slice() else { continue };
        if file.to_string_lossy() != found.source {
            continue;
        }
        let Ok(data) = file.metadata() else { continue };
        match seen.get(&(data.dev(), data.ino())) {
            Some(first) => found.runs = Err(format!("is the same file as {first}")),
            None => {
                seen.insert((data.dev(), data.ino()), found.source.clone());
            }
        }
    }
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem().and_then(|stem| stem.to_str())
}

/// Changes whenever one of the files does.
fn stamp(files: &[PathBuf]) -> String {
    let of = |file: &PathBuf| match file.metadata() {
        Ok(data) => format!(
            "{}:{}:{}:{}.{}:{}.{}",
            data.dev(),
            data.ino(),
            data.size(),
            data.mtime(),
            data.mtime_nsec(),
            data.ctime(),
            data.ctime_nsec()
        ),
        Err(error) => error.kind().to_string(),
    };
    files.iter().map(of).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_order() {
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let rows: [Row; 5] = [
            (&[("CARPEL_HOME", "/c"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")], Some("/c/plugins")),
            (&[("XDG_DATA_HOME", "/x"), ("HOME", "/h")], Some("/x/carpel/plugins")),
            (&[("XDG_DATA_HOME", "x"), ("HOME", "/h")], Some("/h/.local/share/carpel/plugins")),
            (&[("CARPEL_HOME", ""), ("HOME", "/h")], Some("/h/.local/share/carpel/plugins")),
            (&[], None),
        ];
        for (set, want) in rows {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(own_folder(variable), want.map(PathBuf::from), "{set:?}");
        }
    }
}
