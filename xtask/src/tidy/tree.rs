//! The tree as rules see it: text files with their paths, the package graph, the limits.
//!
//! This file owns what a file is for (production, test, data) and the one place that reads disk, git and cargo.
//! Files are those that git tracks and those it would track; ignored files are nobody's business here.
//! It refuses to know rules.
//!
//! Read next: `graph.rs` for the packages, `rust.rs` for code.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::graph::Graph;
use super::limits::{self, Limits};
use super::rust::Code;

/// Packages are counted for one platform, so that the numbers are the same on every machine.
const COUNTED_PLATFORM: &str = "x86_64-unknown-linux-gnu";

#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub files: Vec<File>,
    /// Every package that any platform needs.
    pub everywhere: Graph,
    /// The packages that `COUNTED_PLATFORM` needs.
    pub counted: Graph,
    pub limits: Limits,
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Production,
    Test,
    /// Test inputs and expected outputs: bytes that are as they must be.
    Data,
}

#[derive(Debug, Clone)]
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    pub text: String,
    pub used: Use,
    /// Only of a Rust file that is not data.
    pub code: Option<Code>,
}

impl Tree {
    pub fn read() -> Result<Self> {
        let everywhere = metadata(&[])?;
        let root = Path::new(&everywhere.workspace_root).to_owned();
        let counted = metadata(&["--filter-platform", COUNTED_PLATFORM])?;
        let mut texts = Vec::new();
        for path in tracked(&root)? {
            // A path that git tracks may be gone from the disk; a file that is not UTF-8 has no text to judge.
            if let Ok(bytes) = std::fs::read(root.join(&path))
                && let Ok(text) = String::from_utf8(bytes)
            {
                texts.push((path, text));
            }
        }
        let limits = texts.iter().find(|(path, _)| path == limits::PATH);
        let (_, limits) = limits.with_context(|| format!("{}: not there", limits::PATH))?;
        let limits = Limits::parse(limits)?;
        Ok(Self { files: files(texts), everywhere, counted, limits })
    }

    /// Rust files that are not data, with their code.
    pub fn rust(&self) -> impl Iterator<Item = (&File, &Code)> {
        self.files.iter().filter_map(|file| Some((file, file.code.as_ref()?)))
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The first line of `path` that starts with `start`; the first line of all when none does.
    pub fn line_of(&self, path: &str, start: &str) -> usize {
        let Some(file) = self.file(path) else { return 1 };
        file.text.lines().position(|line| line.trim_start().starts_with(start)).map_or(1, |at| at + 1)
    }
}

/// Judges what each text is for. A file is a test's when its folder says so or when a file above declares it
/// under `#[cfg(test)]`.
fn files(texts: Vec<(String, String)>) -> Vec<File> {
    let mut files: Vec<File> = texts.into_iter().map(|(path, text)| File::new(path, text)).collect();
    let declared: HashSet<String> = files.iter().flat_map(declared_for_tests).collect();
    for file in files.iter_mut().filter(|file| file.used == Use::Production) {
        let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
        if Path::new(stem).ancestors().any(|part| part.to_str().is_some_and(|part| declared.contains(part))) {
            file.used = Use::Test;
        }
    }
    files
}

/// Paths, without `.rs`, of the modules that `file` declares for tests only.
fn declared_for_tests(file: &File) -> Vec<String> {
    let Some(code) = &file.code else { return Vec::new() };
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    // Children of `a/b.rs` stand in `a/b/`, those of the crate's own root file beside it.
    let folder = match stem.rsplit_once('/') {
        Some((folder, "lib" | "main")) => folder,
        Some(_) | None => stem,
    };
    code.test_modules.iter().map(|name| format!("{folder}/{name}")).collect()
}

impl File {
    fn new(path: String, text: String) -> Self {
        let used = used(&path);
        let is_code = path.ends_with(".rs") && used != Use::Data;
        let code = is_code.then(|| Code::parse(&text));
        Self { path, text, used, code }
    }
}

fn used(path: &str) -> Use {
    let mut folders = path.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev();
    if !folders.any(|folder| folder == "tests" || folder == "benches") {
        Use::Production
    } else if folders.any(|folder| folder == "data") {
        Use::Data
    } else {
        Use::Test
    }
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
    command.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
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

/// A tree of these files, for the tests of rules.
#[cfg(test)]
pub fn of(texts: &[(&str, &str)]) -> Tree {
    let texts = texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Tree { files: files(texts), ..Tree::default() }
}

#[cfg(test)]
mod tests {
    use super::{Use, of, used};

    #[test]
    fn folders_say_what_a_file_is_for() {
        for (path, expected) in [
            ("host/src/flow.rs", Use::Production),
            ("host/src/data/x.rs", Use::Production),
            ("tests.rs", Use::Production),
            ("host/tests/chat.rs", Use::Test),
            ("host/tests/it/main.rs", Use::Test),
            ("host/benches/fold.rs", Use::Test),
            ("pod/tests/data/tree/a.rs", Use::Data),
            ("pod/tests/it/data/a.rs", Use::Data),
        ] {
            assert_eq!(used(path), expected, "{path}");
        }
    }

    #[test]
    fn modules_declared_for_tests_make_their_files_tests() {
        let tree = of(&[
            ("host/src/lib.rs", "mod flow;\n#[cfg(test)]\nmod oracle;\n"),
            ("host/src/oracle.rs", ""),
            ("host/src/oracle/grid.rs", ""),
            ("host/src/flow.rs", "#[cfg(test)]\nmod tests;\n"),
            ("host/src/flow/tests.rs", ""),
            ("host/src/flow/place.rs", ""),
        ]);
        let tests: Vec<&str> =
            tree.files.iter().filter(|file| file.used == Use::Test).map(|file| file.path.as_str()).collect();
        assert_eq!(tests, ["host/src/oracle.rs", "host/src/oracle/grid.rs", "host/src/flow/tests.rs"]);
    }

    #[test]
    fn a_line_is_found_by_its_start() {
        let tree = of(&[("a.toml", "[x]\n  y = 1\n")]);
        let lines = [("a.toml", "y ="), ("a.toml", "z"), ("b.toml", "y")]
            .map(|(path, start)| tree.line_of(path, start));
        assert_eq!(lines, [2, 1, 1]);
    }
}
