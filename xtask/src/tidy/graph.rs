//! The package graph: the part of `cargo metadata` that rules look at.
//!
//! This file owns the shape of that JSON and walks over it: the workspace's own crates, and what lies beneath one.
//! It refuses to know rules, and it never resolves anything: cargo has done that.
//!
//! Read next: `packages.rs`, `edges.rs`, `fences.rs`.

use std::collections::BTreeSet;

use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Graph {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    pub workspace_root: String,
    resolve: Resolve,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub license: Option<String>,
    pub manifest_path: String,
    /// As the manifest names them: normal, dev and build, for every platform.
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// Absent for a normal dependency, else "dev" or "build".
    pub kind: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDep>,
}

#[derive(Debug, Clone, Deserialize)]
struct NodeDep {
    pkg: String,
    dep_kinds: Vec<DepKind>,
}

#[derive(Debug, Clone, Deserialize)]
struct DepKind {
    /// Absent for a normal dependency, else "dev" or "build".
    kind: Option<String>,
}

impl Graph {
    /// The workspace's own crates.
    pub fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.is_member(&package.id))
    }

    pub fn is_member(&self, id: &str) -> bool {
        self.workspace_members.iter().any(|member| member == id)
    }

    pub fn package(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    /// The manifest of a member, relative to the root.
    pub fn manifest<'a>(&self, member: &'a Package) -> &'a str {
        let path = &member.manifest_path;
        path.strip_prefix(&self.workspace_root)
            .map_or(path.as_str(), |path| path.trim_start_matches(['/', '\\']))
    }

    /// Ids of what is needed to build `id`, one step down: tests' needs are no burden to a user.
    pub fn needs(&self, id: &str) -> impl Iterator<Item = &str> {
        let node = self.resolve.nodes.iter().find(|node| node.id == id);
        let deps = node.into_iter().flat_map(|node| &node.deps);
        deps.filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev")))
            .map(|dep| dep.pkg.as_str())
    }

    /// Ids of everything needed to build `id`, itself left out. `enter` says whether to look beneath a package.
    pub fn beneath<'a>(&'a self, id: &'a str, enter: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            for next in self.needs(at) {
                if seen.insert(next) && enter(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

/// One package of a graph for tests: its name and what it needs; a need after `dev:` is a test's.
#[cfg(test)]
pub type Row<'a> = (&'a str, &'a [&'a str]);

/// A graph of these packages, for the tests of rules. The members are the first `members` rows; a member's folder
/// has its name.
#[cfg(test)]
pub fn of(members: usize, rows: &[Row]) -> Graph {
    let plain = |need: &str| need.trim_start_matches("dev:").to_owned();
    let kind = |need: &str| need.starts_with("dev:").then(|| "dev".to_owned());
    let package = |(name, needs): &Row| Package {
        id: (*name).to_owned(),
        name: (*name).to_owned(),
        version: "1.0.0".to_owned(),
        license: Some("MIT".to_owned()),
        manifest_path: format!("/r/{name}/Cargo.toml"),
        dependencies: needs.iter().map(|need| Dependency { name: plain(need), kind: kind(need) }).collect(),
    };
    let node = |(name, needs): &Row| Node {
        id: (*name).to_owned(),
        deps: needs
            .iter()
            .map(|need| NodeDep { pkg: plain(need), dep_kinds: vec![DepKind { kind: kind(need) }] })
            .collect(),
    };
    Graph {
        packages: rows.iter().map(package).collect(),
        workspace_members: rows.iter().take(members).map(|(name, _)| (*name).to_owned()).collect(),
        workspace_root: "/r".to_owned(),
        resolve: Resolve { nodes: rows.iter().map(node).collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn beneath_is_everything_a_build_needs_once() {
        let graph = of(
            2,
            &[
                ("a", &["b", "x", "dev:t"]),
                ("b", &["x", "y"]),
                ("x", &["z"]),
                ("y", &["z"]),
                ("z", &["x"]),
                ("t", &[]),
            ],
        );
        let all = |id| graph.beneath(id, |_| true).into_iter().collect::<Vec<_>>();
        assert_eq!((all("a"), all("b"), all("t")), (vec!["b", "x", "y", "z"], vec!["x", "y", "z"], vec![]));
        let outside: Vec<_> = graph.beneath("a", |id| !graph.is_member(id)).into_iter().collect();
        assert_eq!(outside, ["b", "x", "z"]);
    }

    #[test]
    fn a_manifest_is_named_from_the_root() {
        let graph = of(1, &[("host", &[])]);
        assert_eq!(
            graph.members().map(|member| graph.manifest(member)).collect::<Vec<_>>(),
            ["host/Cargo.toml"]
        );
    }
}
