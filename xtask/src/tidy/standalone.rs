//! Rule: the project stands alone: nothing in it names one machine, its folders or a package registry.
//!
//! This file owns the texts that give that away. They are put together from pieces here, so that this file does
//! not find itself. `Cargo.lock` names the one public index by design and is held to that alone.
//! It refuses to know binary files.

use super::finding::Finding;
use super::tree::{File, Tree};

const FOLDER: &str = "it is there on one machine only";
const REGISTRY: &str = "whoever builds behind a mirror has set that up in cargo or npm";

/// A text that must not stand in a file.
struct Text {
    text: &'static str,
    /// Whether it is found only where a path begins, so that `a/work/b` is free.
    begins: bool,
    why: &'static str,
    way_out: &'static str,
}

const TEXTS: &[Text] = &[
    folder(concat!("..", "/shared"), false),
    folder(concat!("/wo", "rk/"), true),
    folder(concat!("/ro", "ot/"), true),
    registry(concat!("static.crates", ".io")),
    registry(concat!("index.crates", ".io")),
    registry(concat!("crates", ".io/api")),
    registry(concat!("registry.npmjs", ".org")),
    registry(concat!("registry.yarnpkg", ".com")),
    registry(concat!("pypi", ".org")),
    registry(concat!("files.pythonhosted", ".org")),
    registry(concat!("deb.debian", ".org")),
    registry(concat!("security.debian", ".org")),
    Text {
        text: concat!("\"resolved\": ", "\"http"),
        begins: false,
        why: REGISTRY,
        way_out: "make the lock file with `npm install --omit-lockfile-registry-resolved`",
    },
];

const fn folder(text: &'static str, begins: bool) -> Text {
    Text {
        text,
        begins,
        why: FOLDER,
        way_out: "copy what is needed into the repository and name it from there",
    }
}

const fn registry(text: &'static str) -> Text {
    Text { text, begins: false, why: REGISTRY, way_out: "name the package, not where it is fetched from" }
}

/// Names of people in examples, who live on no machine.
const EXAMPLE_PEOPLE: &[&str] = &["ada", "me", "user", "you"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let is_lock = file.path == "Cargo.lock";
    let mut findings = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let found = if is_lock { foreign_source(line) } else { listed(line).or_else(|| home(line)) };
        findings.extend(found.map(|(what, why, way_out)| Finding {
            path: file.path.clone(),
            line: at + 1,
            what: format!("`{what}`"),
            why,
            way_out: way_out.to_owned(),
        }));
    }
    findings
}

type Parts = (String, &'static str, &'static str);

fn listed(line: &str) -> Option<Parts> {
    let found = TEXTS
        .iter()
        .find(|text| line.match_indices(text.text).any(|(at, _)| !text.begins || path_begins(line, at)))?;
    Some((found.text.to_owned(), found.why, found.way_out))
}

/// A home folder with somebody's name.
fn home(line: &str) -> Option<Parts> {
    for homes in ["/home/", concat!("/Us", "ers/")] {
        for (at, _) in line.match_indices(homes).filter(|(at, _)| path_begins(line, *at)) {
            let rest = &line[at + homes.len()..];
            let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let name = rest.split(|c| !is_name(c)).next().unwrap_or_default();
            if !name.is_empty() && rest[name.len()..].starts_with('/') && !EXAMPLE_PEOPLE.contains(&name) {
                let way_out =
                    "use a temporary folder, a relative path, or a person called ada, me, user or you";
                return Some((format!("{homes}{name}/"), FOLDER, way_out));
            }
        }
    }
    None
}

/// Whether a path that is found at `at` begins there.
fn path_begins(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~})$*".contains(c))
}

/// Packages come from the public index or from this workspace.
fn foreign_source(line: &str) -> Option<Parts> {
    let source = line.strip_prefix("source = ")?.trim_matches('"');
    let index = "registry+https://github.com/rust-lang/crates.io-index";
    (source != index)
        .then(|| (source.to_owned(), REGISTRY, "take the package from the public index, by version"))
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::tree;
    use super::check;

    fn found(path: &str, text: &str) -> Vec<String> {
        brief(&check(&tree::of(&[(path, text)])))
    }

    #[test]
    fn places_of_one_machine_are_found() {
        for (before, text, after) in [
            ("see ", concat!("..", "/shared"), "/DESIGN.md"),
            ("cd ", concat!("/wo", "rk/"), "main"),
            ("file://", concat!("/wo", "rk/"), "main"),
            ("\"", concat!("/ro", "ot/"), ".cargo\""),
            ("PATH=", concat!("/home", "/jo/"), "bin"),
            ("https://", concat!("registry.npmjs", ".org"), "/x"),
            ("FROM ", concat!("deb.debian", ".org"), ""),
            ("  ", concat!("\"resolved\": ", "\"http"), "://mirror/x.tgz\""),
        ] {
            assert_eq!(
                found("docs/a.md", &format!("\n{before}{text}{after}\n")),
                [format!("docs/a.md:2 `{text}`")]
            );
        }
    }

    #[test]
    fn what_only_looks_alike_is_free() {
        for text in [
            concat!("target", "/wo", "rk/", "x"),
            concat!("$HOME", "/wo", "rk/", "x"),
            concat!("crate", "/ro", "ot/", "x"),
            "/home/ada/src/carpel",
            "/home/NAME",
            concat!("docs", "/home", "/jo/", "x"),
            "https://crates.io/crates/ratatui",
            "registry+https://github.com/rust-lang/crates.io-index",
        ] {
            assert_eq!(found("docs/a.md", text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_lock_file_names_the_public_index_alone() {
        let lock = "name = \"a\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\
                    name = \"b\"\nsource = \"git+https://example.com/b\"\n";
        assert_eq!(found("Cargo.lock", lock), ["Cargo.lock:4 `git+https://example.com/b`"]);
    }
}
