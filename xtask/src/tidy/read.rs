//! Fills the view of the tree: the one place of tidy that touches the disk, git and cargo.
//!
//! This file owns which files are looked at: those that git tracks and those it would track, so that a new file
//! is judged before it is added and what is ignored is nobody's business. Without git, in an unpacked archive, it
//! is every file outside the folders that builds make.
//! It refuses to know rules, and changes nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::graph::Graph;
use super::limits::{self, Limits};
use super::tree::{Tree, files};

/// Packages are counted for one platform, so that the numbers are the same on every machine.
const COUNTED_PLATFORM: &str = "x86_64-unknown-linux-gnu";

pub fn tree() -> Result<Tree> {
    let everywhere = metadata(&[])?;
    let root = Path::new(&everywhere.workspace_root);
    let counted = metadata(&["--filter-platform", COUNTED_PLATFORM])?;
    let paths = if root.join(".git").exists() { tracked(root)? } else { walked(root)? };
    let texts: Vec<(String, String)> = paths.into_iter().filter_map(|path| text(root, path)).collect();
    let table = texts.iter().find(|(path, _)| path == limits::PATH);
    let (_, table) = table.with_context(|| format!("{}: not there", limits::PATH))?;
    let limits = Limits::parse(table)?;
    Ok(Tree { files: files(texts), everywhere, counted, limits })
}

/// A path that git tracks may be gone from the disk; a file that is not UTF-8 has no text to judge.
fn text(root: &Path, path: String) -> Option<(String, String)> {
    let bytes = std::fs::read(root.join(&path)).ok()?;
    Some((path, String::from_utf8(bytes).ok()?))
}

/// `--locked`, so that looking never changes the lock file.
fn metadata(extra: &[&str]) -> Result<Graph> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked"]).args(extra);
    serde_json::from_slice(&output(command)?).context("cargo metadata: output not understood")
}

fn tracked(root: &Path) -> Result<Vec<String>> {
    let mut command = Command::new("git");
    // A container often runs as another user than the one who cloned; names of files may be read all the same.
    command.current_dir(root).args(["-c", "safe.directory=*"]);
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let bytes = output(command)?;
    let names = String::from_utf8_lossy(&bytes);
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn output(mut command: Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name}: cannot be started"))?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output.stdout)
}

fn walked(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("{}: not readable", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && !["target", "node_modules"].iter().any(|made| entry.file_name() == *made) {
                open.push(entry.path());
            } else if kind.is_file()
                && let Some(path) = entry.path().strip_prefix(root)?.to_str()
            {
                paths.push(path.to_owned());
            }
        }
    }
    paths.sort_unstable();
    Ok(paths)
}
