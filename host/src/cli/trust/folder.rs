//! How it stands with a folder: what it brings, and what the person has said about it.
//!
//! A word is remembered for a folder by its physical path, and holds for the folders below it up to the next project
//! (a folder with `.git` of its own). A manifest in a folder is trusted as it was then: its bytes are looked at once, here,
//! and what is trusted is what is read. Refuses to know how answers are kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::store::{self, Answer};
use crate::link::{Brought, brought, project_of};
use crate::manifest::mistake::BadManifest;
use crate::manifest::{Manifest, Whose, file, from_bytes};
use crate::plugins::Places;
use crate::plugins::found::{self, Found};

/// So many files are looked at; who keeps more beside a plugin has its author's word for the rest.
const MOST_FILES: usize = 2_000;

/// A folder, what it brings and how it stands with it.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    brought: Brought,
    manifest: Result<Option<Vec<u8>>, BadManifest>,
    /// What runs as a plugin: names of files, and the words of commands.
    programs: Vec<String>,
    /// Fingerprints of the files of these, and of all that lies beside them; nothing where nothing runs.
    files: BTreeMap<PathBuf, String>,
    standing: Standing,
    for_now: bool,
    /// The folder above by whose trust this one is trusted.
    by: Option<PathBuf>,
}

/// What the person has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Trusted,
    /// They do not.
    Refused,
    /// They did, and the manifest is another one now.
    Changed,
    /// Nothing.
    Unknown,
}

impl Folder {
    /// Looks at a folder, whose path is physical.
    pub fn look(path: PathBuf) -> Folder {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Folder::by(path, home.as_deref(), &store::read())
    }

    /// How it stands with a folder by these answers.
    fn by(path: PathBuf, home: Option<&Path>, answers: &[Answer]) -> Folder {
        let manifest = file::bytes(&file::of_folder(&path));
        let (programs, files) = plugins(&path, &manifest);
        let mut folder = Folder {
            brought: brought(&path, home),
            programs,
            files,
            manifest,
            path,
            standing: Standing::Unknown,
            for_now: false,
            by: None,
        };
        folder.judge(answers);
        folder
    }

    fn judge(&mut self, answers: &[Answer]) {
        (self.standing, self.by) = (Standing::Unknown, None);
        let hash = self.hash();
        let top = project_of(&self.path);
        for above in self.path.ancestors().take_while(|above| above.starts_with(&top)) {
            let Some(answer) = answers.iter().find(|answer| answer.path == above) else { continue };
            let is_own = above == self.path;
            self.standing = match (answer.trusted, &hash) {
                (false, _) => Standing::Refused,
                (true, None) => Standing::Trusted,
                (true, Some(hash)) if is_own && answer.manifest.as_ref() == Some(hash) => Standing::Trusted,
                (true, Some(_)) if is_own => Standing::Changed,
                // A manifest of its own was not seen when the folder above was trusted.
                (true, Some(_)) => Standing::Unknown,
            };
            if self.standing == Standing::Trusted && !is_own {
                self.by = Some(above.to_owned());
            }
            return;
        }
    }

    /// Fingerprint of the folder's manifest and plugins: of all that is not only read.
    fn hash(&self) -> Option<String> {
        let manifest = self.manifest_hash();
        if self.files.is_empty() {
            return manifest;
        }
        let rows = self.files.iter().map(|(path, hash)| format!("{} {hash}\n", path.display()));
        let all: String = manifest.into_iter().chain(rows).collect();
        Some(store::hex(&hmac_sha256::Hash::hash(all.as_bytes())))
    }

    fn manifest_hash(&self) -> Option<String> {
        match &self.manifest {
            Ok(None) => None,
            Ok(Some(bytes)) => Some(store::hex(&hmac_sha256::Hash::hash(bytes))),
            // What cannot be read is told once the folder is trusted; it is nothing to run.
            Err(_) => Some(String::new()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// What the folder brings, each in words.
    pub fn things(&self) -> Vec<String> {
        let mut things = Vec::new();
        things.extend(self.brought.instructions.as_ref().map(|file| format!("instructions ({file})")));
        match self.brought.skills.as_slice() {
            [] => {}
            [one] => things.push(format!("a skill ({one})")),
            more => things.push(format!("{} skills ({})", more.len(), some(more))),
        }
        if !matches!(self.manifest, Ok(None)) {
            things.push("a manifest (.carpel/manifest.toml)".to_owned());
        }
        match self.programs.as_slice() {
            [] => {}
            [one] => things.push(format!("a plugin, which is a program ({one})")),
            more => things.push(format!("{} plugins, which are programs ({})", more.len(), some(more))),
        }
        things
    }

    fn count(&self) -> usize {
        let manifest = usize::from(!matches!(self.manifest, Ok(None)));
        self.brought.skills.len()
            + usize::from(self.brought.instructions.is_some())
            + manifest
            + self.programs.len()
    }

    /// The files of its plugins, and what lies beside them, as they were looked at, with their fingerprints.
    pub fn plugin_files(&self) -> BTreeMap<PathBuf, String> {
        self.files.clone()
    }

    /// Whether what it brings may be used.
    pub fn is_trusted(&self) -> bool {
        self.for_now || self.standing == Standing::Trusted
    }

    /// Whether it is used in this run only, which no other process can know of.
    pub fn is_trusted_for_now(&self) -> bool {
        self.for_now
    }

    pub fn trust_for_now(&mut self) {
        self.for_now = true;
    }

    /// Whether the person should be asked.
    pub fn is_open_question(&self) -> bool {
        self.count() > 0 && matches!(self.standing, Standing::Changed | Standing::Unknown)
    }

    /// The folder above that the trust in this one comes from.
    pub fn trusted_by(&self) -> Option<&Path> {
        self.by.as_deref()
    }

    /// What is not used, as a sentence.
    pub fn unused(&self) -> Option<String> {
        let subject = match self.count() {
            0 => return None,
            _ if self.is_trusted() => return None,
            1 => "1 thing of this folder is".to_owned(),
            count => format!("{count} things of this folder are"),
        };
        Some(format!("{subject} not used until you trust it ({}): `carpel trust`", self.things().join(", ")))
    }

    /// The manifest of the folder. Only for one that is trusted.
    ///
    /// # Errors
    /// When it has mistakes.
    pub fn manifest(&self) -> Result<Manifest, BadManifest> {
        match self.manifest.clone()? {
            Some(bytes) => from_bytes(&file::of_folder(&self.path), &bytes, Whose::Folder),
            None => Ok(Manifest::default()),
        }
    }

    /// Keeps the person's word.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn remember(&mut self, trusted: bool) -> anyhow::Result<()> {
        let answer = Answer { path: self.path.clone(), trusted, manifest: self.hash() };
        let answers = store::change(|answers| {
            answers.retain(|other| other.path != answer.path);
            answers.push(answer);
        })?;
        self.judge(&answers);
        Ok(())
    }

    /// Forgets the person's word; says whether there was one.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn forget(&mut self) -> anyhow::Result<bool> {
        let mut was_known = false;
        let path = self.path.clone();
        let answers = store::change(|answers| {
            was_known = answers.iter().any(|answer| answer.path == path);
            answers.retain(|answer| answer.path != path);
        })?;
        self.judge(&answers);
        Ok(was_known)
    }
}

/// The plugins that are in the folder's place for them or that its manifest names: what runs, and the files that are trusted
/// with them.
fn plugins(
    folder: &Path,
    manifest: &Result<Option<Vec<u8>>, BadManifest>,
) -> (Vec<String>, BTreeMap<PathBuf, String>) {
    let place = file::of_folder(folder);
    let listed = match manifest {
        Ok(Some(bytes)) => from_bytes(&place, bytes, Whose::Folder).map(|manifest| manifest.plugins),
        Ok(None) | Err(_) => Ok(Vec::new()),
    };
    let places = Places {
        listed: listed.unwrap_or_default(),
        workspace: Some(found::of_workspace(folder)),
        ..Places::default()
    };
    let found: Vec<Found> = places.look().into_iter().filter(|found| found.runs.is_ok()).collect();
    let name = |found: &Found| match &found.files[..] {
        [file] => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        _ => found.source.clone(),
    };
    let programs: Vec<String> = found.iter().map(name).collect();
    let mut files: Vec<PathBuf> = found.into_iter().flat_map(|found| found.files).collect();
    if let Some(own) = place.parent().filter(|_| !programs.is_empty()) {
        beside(own, &mut files);
    }
    let files = files.into_iter();
    (programs, files.filter_map(|file| found::fingerprint(&file).map(|hash| (file, hash))).collect())
}

/// All files of carpel's own folder in a project, at any depth, which a plugin may load or run: not its manifest and its
/// skills, which have rules of their own, and no link.
fn beside(own: &Path, files: &mut Vec<PathBuf>) {
    let mut folders = vec![own.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            let is_other =
                folder == own && ["manifest.toml", "skills"].iter().any(|name| entry.file_name() == *name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_other => folders.push(path),
                Ok(kind) if kind.is_file() && !is_other && files.len() < MOST_FILES => files.push(path),
                _ => {}
            }
        }
    }
}

/// The first few names.
fn some(names: &[String]) -> String {
    const MOST: usize = 5;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown}, …") } else { shown }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Files of `/repo/sub`, what was answered before (about a folder, and with which manifest), what is thought of it.
    fn check(files: &[(&str, &str)], answers: &[(&str, bool, Option<&str>)], expected: (Standing, &[&str])) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("repo/sub")).unwrap();
        for (name, text) in files {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let hash = |text: &str| store::hex(&hmac_sha256::Hash::hash(text.as_bytes()));
        let answers: Vec<Answer> = answers
            .iter()
            .map(|(name, trusted, manifest)| Answer {
                path: root.join(name),
                trusted: *trusted,
                manifest: manifest.map(hash),
            })
            .collect();
        let found = Folder::by(root.join("repo/sub"), None, &answers);
        assert_eq!(
            (found.standing(), found.things()),
            (expected.0, expected.1.iter().map(|text| (*text).to_owned()).collect())
        );
        assert_eq!(found.unused().is_some(), !expected.1.is_empty() && expected.0 != Standing::Trusted);
    }

    #[test]
    fn how_it_stands_with_a_folder() {
        use Standing::{Changed, Refused, Trusted, Unknown};
        let agents = ("repo/sub/AGENTS.md", "do");
        let manifest = ("repo/sub/.carpel/manifest.toml", "a");
        let (brings, both) = (
            ["instructions (AGENTS.md)"].as_slice(),
            ["instructions (AGENTS.md)", "a manifest (.carpel/manifest.toml)"].as_slice(),
        );
        check(&[], &[], (Unknown, &[]));
        check(&[agents], &[], (Unknown, brings));
        check(&[agents], &[("repo/sub", true, None)], (Trusted, brings));
        check(&[agents], &[("repo/sub", false, None)], (Refused, brings));
        // A manifest is trusted as it was.
        check(&[agents, manifest], &[("repo/sub", true, Some("a"))], (Trusted, both));
        check(&[agents, manifest], &[("repo/sub", true, Some("b"))], (Changed, both));
        check(&[agents, manifest], &[("repo/sub", true, None)], (Changed, both));
        check(&[agents], &[("repo/sub", true, Some("a"))], (Trusted, brings));
        check(&[agents, manifest], &[("repo/sub", false, Some("a"))], (Refused, both));
        // A word about the project holds below it, but for a manifest that was not seen; without a project it does not.
        let git = ("repo/.git/HEAD", "");
        check(&[agents, git], &[("repo", true, None)], (Trusted, brings));
        check(&[agents, git], &[("repo", false, None)], (Refused, brings));
        check(&[agents, git, manifest], &[("repo", true, Some("a"))], (Unknown, both));
        check(&[agents], &[("repo", true, None)], (Unknown, brings));
        // Another project inside of a trusted one is another one; and nothing above a project counts.
        check(&[agents, git, ("repo/sub/.git/HEAD", "")], &[("repo", true, None)], (Unknown, brings));
        check(&[agents, git], &[("", true, None)], (Unknown, brings));
        // A path that only begins alike is another one.
        check(&[agents], &[("repo/su", true, None)], (Unknown, brings));
    }

    #[test]
    fn plugins_are_trusted_as_they_were() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let plugin = path.join(".carpel/plugins/rows");
        fs::create_dir_all(plugin.parent().unwrap()).unwrap();
        let write = |text: &str| {
            fs::write(&plugin, text).unwrap();
            fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
        };
        write("#!/bin/sh\n");
        let look = |answers: &[Answer]| Folder::by(path.clone(), None, answers);
        let found = look(&[]);
        assert_eq!(found.things(), ["a plugin, which is a program (rows)"]);
        assert!(found.is_open_question());
        assert_eq!(found.plugin_files().len(), 1);
        let answer = Answer { path: path.clone(), trusted: true, manifest: found.hash() };
        assert_eq!(look(std::slice::from_ref(&answer)).standing(), Standing::Trusted);
        let helper = path.join(".carpel/plugins/lib/helper");
        fs::create_dir_all(helper.parent().unwrap()).unwrap();
        fs::write(&helper, "what it loads").unwrap();
        assert_eq!(look(std::slice::from_ref(&answer)).standing(), Standing::Changed);
        fs::remove_file(&helper).unwrap();
        assert_eq!(look(std::slice::from_ref(&answer)).standing(), Standing::Trusted);
        write("#!/bin/sh\nrm -rf /\n");
        assert_eq!(look(std::slice::from_ref(&answer)).standing(), Standing::Changed);
        // What can be no plugin is none.
        fs::set_permissions(&plugin, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(look(&[]).things(), [""; 0]);
        // One that the manifest names counts wherever it is.
        fs::write(path.join("view.py"), "#!/usr/bin/python3\n").unwrap();
        fs::set_permissions(path.join("view.py"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(path.join(".carpel/manifest.toml"), "plugins = [{ path = \"../view.py\" }]").unwrap();
        assert_eq!(
            look(&[]).things(),
            ["a manifest (.carpel/manifest.toml)", "a plugin, which is a program (view.py)"]
        );
    }

    #[test]
    fn skills_are_counted() {
        let skill = "---\ndescription: x\n---\n";
        check(
            &[("repo/sub/.agents/skills/b/SKILL.md", skill), ("repo/sub/.claude/skills/a/SKILL.md", skill)],
            &[],
            (Standing::Unknown, &["2 skills (b, a)"]),
        );
        check(&[("repo/sub/.agents/skills/b/SKILL.md", skill)], &[], (Standing::Unknown, &["a skill (b)"]));
    }
}
