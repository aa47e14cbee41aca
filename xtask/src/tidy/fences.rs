//! Rule: the screen belongs to the host, HTTP and the file tools belong to the pod.
//!
//! This file owns the table of fenced packages. A crate breaks a fence by naming such a package, and also by
//! naming one that needs it: a view library over ratatui would bring the terminal into `slots` all the same.
//! It refuses to know the edges between our own crates (`edges.rs`): what lies beneath another member is that
//! member's business.

use super::finding::Finding;
use super::graph::{Graph, Package};
use super::tree::Tree;

struct Fence {
    owner: &'static str,
    /// A name that ends in `-` stands for every package that starts with it.
    packages: &'static [&'static str],
    why: &'static str,
}

/// What every part is tried with names what they name, and ships with none.
const TRIALS: &str = "trials";

const FENCES: &[Fence] = &[
    Fence {
        owner: "carpel",
        packages: &["ratatui", "ratatui-", "crossterm", "libloading"],
        why: "only the host draws and opens libraries, so that a view is plain data everywhere else",
    },
    Fence {
        owner: "carpel-pod",
        packages: &[
            "attohttpc",
            "awc",
            "curl",
            "eventsource-stream",
            "h2",
            "http",
            "hyper",
            "hyper-",
            "isahc",
            "minreq",
            "reqwest",
            "reqwest-",
            "surf",
            "ureq",
            "ureq-",
        ],
        why: "only the pod talks to the network, so that what the screen shows came over one protocol",
    },
    Fence {
        owner: "carpel-pod",
        packages: &["globset", "grep", "grep-", "ignore"],
        why: "only the pod runs tools, so that there is one place where files are walked and rules are kept",
    },
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let graph = &tree.everywhere;
    let mut findings = Vec::new();
    for member in graph.members().filter(|member| member.name != TRIALS) {
        for fence in FENCES.iter().filter(|fence| fence.owner != member.name) {
            findings.extend(broken(tree, graph, member, fence));
        }
    }
    findings
}

fn broken(tree: &Tree, graph: &Graph, member: &Package, fence: &Fence) -> Vec<Finding> {
    let path = graph.manifest(member);
    let mut findings = Vec::new();
    for need in &member.dependencies {
        if graph.members().any(|other| other.name == need.name) {
            continue;
        }
        let Some(reached) = reached(graph, member, &need.name, fence) else { continue };
        let through = if reached == need.name { String::new() } else { format!(" through `{}`", need.name) };
        findings.push(Finding {
            path: path.to_owned(),
            line: tree.line_of(path, &need.name),
            what: format!("`{}` reaches `{reached}`{through}", member.name),
            why: fence.why,
            way_out: format!("do this in `{}` and hand the result over as data", fence.owner),
        });
    }
    findings
}

/// The fenced package that `need`, named by `member`, is or needs. A package that only tests name is not looked
/// beneath.
fn reached<'a>(graph: &'a Graph, member: &'a Package, need: &'a str, fence: &Fence) -> Option<&'a str> {
    if fence.holds(need) {
        return Some(need);
    }
    let ids =
        graph.needs(&member.id).filter(|id| graph.package(id).is_some_and(|package| package.name == need));
    ids.flat_map(|id| graph.beneath(id, |_| true))
        .filter_map(|id| graph.package(id))
        .map(|package| package.name.as_str())
        .find(|name| fence.holds(name))
}

impl Fence {
    fn holds(&self, name: &str) -> bool {
        self.packages
            .iter()
            .any(|fenced| *fenced == name || (fenced.ends_with('-') && name.starts_with(fenced)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::graph::{self, Row};
    use super::super::tree::Tree;
    use super::check;

    fn found(members: usize, rows: &[Row]) -> Vec<String> {
        brief(&check(&Tree { everywhere: graph::of(members, rows), ..Tree::default() }))
    }

    #[test]
    fn owners_may_name_what_is_theirs() {
        let rows: &[Row] = &[
            ("carpel", &["carpel-pod", "ratatui", "crossterm", "libloading"]),
            ("carpel-pod", &["ignore", "grep-searcher", "reqwest"]),
            ("trials", &["crossterm", "carpel"]),
            ("ratatui", &["ratatui-core"]),
        ];
        assert_eq!(found(3, rows), Vec::<String>::new());
    }

    #[test]
    fn others_may_not() {
        for (rows, expected) in [
            (
                &[("carpel-slots", &["ratatui-core"] as &[_])] as &[Row],
                "`carpel-slots` reaches `ratatui-core`",
            ),
            (&[("carpel-pod", &["dev:crossterm"])], "`carpel-pod` reaches `crossterm`"),
            (&[("carpel", &["globset"])], "`carpel` reaches `globset`"),
            (&[("xtask", &["ureq"])], "`xtask` reaches `ureq`"),
            (
                &[
                    ("carpel-slots", &["pretty"]),
                    ("pretty", &["deep"]),
                    ("deep", &["crossterm"]),
                    ("crossterm", &[]),
                ],
                "`carpel-slots` reaches `crossterm` through `pretty`",
            ),
        ] {
            let path = rows[0].0;
            assert_eq!(found(1, rows), [format!("{path}/Cargo.toml:1 {expected}")]);
        }
    }

    #[test]
    fn names_that_only_look_alike_are_free() {
        assert_eq!(found(1, &[("carpel-slots", &["ignored", "httparse", "grepper"])]), Vec::<String>::new());
    }
}
