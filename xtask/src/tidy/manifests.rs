//! Rule: versions and lints stand in the root `Cargo.toml`, in one table each.
//!
//! This file owns that check: a member takes a dependency with `workspace = true` and never by its own version,
//! path or address, and it takes the workspace's lints whole.
//! It refuses to know which dependencies there are.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::finding::Finding;
use super::tree::{File, Tree};

const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let graph = &tree.everywhere;
    let manifests = graph.members().filter_map(|member| tree.file(graph.manifest(member)));
    manifests.flat_map(check_manifest).collect()
}

fn check_manifest(file: &File) -> Vec<Finding> {
    // Cargo has read the file already, so it is TOML.
    let Ok(manifest) = DeTable::parse(&file.text) else { return Vec::new() };
    let manifest = manifest.get_ref();
    let mut findings = Vec::new();
    check_dependencies(file, manifest, &mut findings);
    if let Some(targets) = table(manifest, "target") {
        for target in targets.values().filter_map(|target| target.get_ref().as_table()) {
            check_dependencies(file, target, &mut findings);
        }
    }
    if !table(manifest, "lints").is_some_and(takes_from_workspace) {
        findings.push(Finding {
            path: file.path.clone(),
            line: 1,
            what: "the lints of the workspace are not taken".to_owned(),
            why: "a crate with its own lints, or none, is where panics and prints come back",
            way_out: "write `[lints]` and `workspace = true`".to_owned(),
        });
    }
    findings
}

/// Looks at the tables of dependencies within `parent`: the manifest itself or one `target`.
fn check_dependencies(file: &File, parent: &DeTable<'_>, findings: &mut Vec<Finding>) {
    for dependencies in KINDS.iter().filter_map(|kind| table(parent, kind)) {
        for (name, value) in dependencies {
            if value.get_ref().as_table().is_some_and(takes_from_workspace) {
                continue;
            }
            findings.push(Finding {
                path: file.path.clone(),
                line: line_at(&file.text, name.span().start),
                what: format!("`{}` is not taken from the workspace", name.get_ref()),
                why: "a version that stands in one place cannot differ between crates",
                way_out: "name it in the root Cargo.toml and write `workspace = true` here".to_owned(),
            });
        }
    }
}

fn table<'a, 'i>(parent: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    parent.get(key)?.get_ref().as_table()
}

fn takes_from_workspace(table: &DeTable<'_>) -> bool {
    table.get("workspace").map(Spanned::get_ref).and_then(DeValue::as_bool) == Some(true)
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::graph;
    use super::super::tree;
    use super::check;

    fn found(manifest: &str) -> Vec<String> {
        let everywhere = graph::of(1, &[("a", &[])]);
        let files =
            tree::of(&[("a/Cargo.toml", manifest), ("plugin/Cargo.toml", "[dependencies]\nx = \"1\"\n")]);
        brief(&check(&tree::Tree { everywhere, ..files }))
    }

    #[test]
    fn a_member_takes_everything_from_the_workspace() {
        let good = "[dependencies]\nx = { workspace = true, features = [\"f\"] }\ny.workspace = true\n\
                    [lints]\nworkspace = true\n";
        assert_eq!(found(good), Vec::<String>::new());
        for (table, line, name) in [
            ("[dependencies]\nx = \"1\"\n", 2, "x"),
            ("[dependencies]\n# why\nx = { version = \"1\" }\n", 3, "x"),
            ("[dev-dependencies.x]\nversion = \"1\"\n", 1, "x"),
            ("[build-dependencies]\nb = { path = \"../b\" }\n", 2, "b"),
            ("[target.'cfg(unix)'.dependencies]\nu = { workspace = false, version = \"1\" }\n", 2, "u"),
        ] {
            let found = found(&format!("{table}[lints]\nworkspace = true\n"));
            assert_eq!(
                found,
                [format!("a/Cargo.toml:{line} `{name}` is not taken from the workspace")],
                "{table}"
            );
        }
    }

    #[test]
    fn own_lints_are_found() {
        for manifest in ["", "[lints.rust]\nunused = \"allow\"\n"] {
            assert_eq!(found(manifest), ["a/Cargo.toml:1 the lints of the workspace are not taken"]);
        }
    }
}
