//! What a glob pattern matches, for a directory it is used in.
//!
//! Owns the forgiving reading: `./x`, an absolute pattern inside the directory, a name without slash at any depth, and
//! leading parts that exist literally although they hold brackets. Refuses patterns that climb out with `..`.
//! Refuses to walk; it looks at the disk only to see whether a literal part exists.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{ToolFailure, quoted};

#[derive(Debug)]
pub struct Pattern {
    globs: GlobSet,
}

impl Pattern {
    /// The pattern `text` below the directory `root`.
    pub fn new(text: &str, root: &Path) -> Result<Self, ToolFailure> {
        let shown = quoted(text);
        let mut below = text;
        while let Some(rest) = below.strip_prefix("./") {
            below = rest;
        }
        if below.starts_with('/') {
            below = root.to_str().and_then(|root| text.strip_prefix(root)?.strip_prefix('/')).ok_or_else(
                || {
                    ToolFailure::new(format!(
                        "pattern {shown} is absolute and not below the directory searched; \
                     make it relative and set `path` to the directory"
                    ))
                },
            )?;
        }
        if below.starts_with("~/") && root.join("~").symlink_metadata().is_err() {
            return Err(ToolFailure::new(format!(
                "pattern {shown} begins in the home folder; make it relative and set `path` to `~/...`"
            )));
        }
        if below.split('/').any(|part| part == "..") {
            return Err(ToolFailure::new(format!(
                "pattern {shown} climbs out with `..`; set `path` to the directory to search instead"
            )));
        }
        if below.is_empty() {
            return Err(ToolFailure::new(format!(
                "pattern {shown} names no file; use `**/*` for every file below `path`"
            )));
        }
        let mut globs = GlobSetBuilder::new();
        let bad = |error: globset::Error| {
            ToolFailure::new(format!("pattern {shown}: {}; correct the glob", error.kind()))
        };
        match literal_start(below, root) {
            // The literal reading adds files; the pattern as written still has to be one, unless nothing of it is.
            Some(literal) => {
                globs.add(glob(&literal).map_err(bad)?);
                if let Ok(written) = glob(&any_depth(below)) {
                    globs.add(written);
                }
            }
            None => {
                globs.add(glob(&any_depth(below)).map_err(bad)?);
            }
        }
        Ok(Self { globs: globs.build().map_err(bad)? })
    }

    /// Whether a path, relative to the root, fits.
    pub fn matches(&self, below: &Path) -> bool {
        self.globs.is_match(below)
    }
}

fn glob(text: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()
}

fn any_depth(pattern: &str) -> String {
    if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") }
}

/// The pattern with its leading parts escaped as far as they exist literally, if that changes anything.
fn literal_start(pattern: &str, root: &Path) -> Option<String> {
    let mut at = root.to_path_buf();
    let mut parts: Vec<String> = Vec::new();
    let mut rest = pattern.split('/');
    for part in rest.by_ref() {
        at.push(part);
        if part.is_empty() || at.symlink_metadata().is_err() {
            parts.push(part.to_owned());
            break;
        }
        parts.push(globset::escape(part));
    }
    parts.extend(rest.map(str::to_owned));
    let literal = parts.join("/");
    (literal != pattern).then_some(literal)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FILES: [&str; 9] = [
        "a.rs",
        "src/b.rs",
        "src/deep/c.rs",
        "src/d.md",
        "app/[id]/page.tsx",
        "app/i/page.tsx",
        "{a,b}/x",
        "a*b",
        "axb",
    ];

    fn check(pattern: &str, expected: Result<&[&str], &str>) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in FILES {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        let pattern = pattern.replace("ROOT", root.to_str().unwrap());
        match (Pattern::new(&pattern, root), expected) {
            (Ok(got), Ok(expected)) => {
                let got: Vec<&str> = FILES.into_iter().filter(|file| got.matches(Path::new(file))).collect();
                assert_eq!(got, expected, "{pattern}");
            }
            (Err(got), Err(expected)) => {
                assert!(got.summary.contains(expected), "{pattern}: {}", got.summary)
            }
            (got, expected) => panic!("{pattern}: got {got:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn patterns_and_what_they_match() {
        check("**/*", Ok(&FILES));
        check("*", Ok(&FILES));
        check("*.rs", Ok(&["a.rs", "src/b.rs", "src/deep/c.rs"]));
        check("**/*.rs", Ok(&["a.rs", "src/b.rs", "src/deep/c.rs"]));
        check("src/*.rs", Ok(&["src/b.rs"]));
        check("./src/**/*.rs", Ok(&["src/b.rs", "src/deep/c.rs"]));
        check("src/**/*.{rs,md}", Ok(&["src/b.rs", "src/deep/c.rs", "src/d.md"]));
        check("ROOT/src/*.md", Ok(&["src/d.md"]));
        check("src", Ok(&[]));
        check("app/[id]/page.tsx", Ok(&["app/[id]/page.tsx", "app/i/page.tsx"]));
        check("app/[id]/*.tsx", Ok(&["app/[id]/page.tsx", "app/i/page.tsx"]));
        check("{a,b}/x", Ok(&["{a,b}/x"]));
        check("a*b", Ok(&["a*b", "axb"]));
        check("a[*]b", Ok(&["a*b"]));
        check("[", Err("unclosed character class"));
        check("a{b", Err("unclosed alternate group"));
        check("", Err("names no file"));
        check("../*", Err("climbs out"));
        check("src/../../x", Err("climbs out"));
        check("/etc/*", Err("not below the directory"));
    }
}
