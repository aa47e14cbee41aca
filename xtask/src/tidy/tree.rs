//! The tree as rules see it: text files with their paths, the package graph, the limits.
//!
//! This file owns what a file is for: production, test, or data.
//! It refuses to know rules, and where the texts come from.
//!
//! Read next: `read.rs` fills it, `graph.rs` for the packages, `rust.rs` for code.

use std::collections::HashSet;
use std::path::Path;

use super::graph::Graph;
use super::limits::Limits;
use super::rust::Code;

#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub files: Vec<File>,
    /// Every package that any platform needs.
    pub everywhere: Graph,
    /// The packages that the one platform needs for which they are counted.
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
pub fn files(texts: Vec<(String, String)>) -> Vec<File> {
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
