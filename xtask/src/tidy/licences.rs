//! Rule: every package in the graph comes under a licence that lets us ship it under ours.
//!
//! This file owns that judgement, for the packages of every platform. The names that are fine stand in
//! `xtask/tidy.toml`; reading licence expressions is the spdx crate's work.
//! It refuses to know licence texts: what a package says of itself is believed.

use spdx::{Expression, LicenseReq, ParseMode};

use super::finding::Finding;
use super::graph::Package;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let packages = tree.everywhere.packages.iter();
    packages
        .filter_map(|package| judge(package, &tree.limits.licences).map(|what| finding(tree, package, what)))
        .collect()
}

fn judge(package: &Package, allowed: &[String]) -> Option<String> {
    let Package { name, version, .. } = package;
    let Some(licence) = &package.license else { return Some(format!("`{name}` {version} names no licence")) };
    // Old manifests write `MIT/Apache-2.0` for a choice; the lax mode reads that.
    let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else {
        return Some(format!("`{name}` {version} has a licence that is no SPDX expression: {licence}"));
    };
    let is_allowed = |part: &LicenseReq| allowed.iter().any(|name| *name == part.to_string());
    (!expression.evaluate(is_allowed)).then(|| format!("`{name}` {version} comes under {licence}"))
}

fn finding(tree: &Tree, package: &Package, what: String) -> Finding {
    Finding {
        path: "Cargo.lock".to_owned(),
        line: tree.line_of("Cargo.lock", &format!("name = \"{}\"", package.name)),
        what,
        why: "carpel is shipped under MIT OR Apache-2.0 together with what it is built from",
        way_out:
            "choose another package, or add a licence that asks no more than MPL-2.0 does to xtask/tidy.toml"
                .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::brief;
    use super::super::graph;
    use super::super::limits::Limits;
    use super::super::tree;
    use super::check;

    fn found(licence: Option<&str>) -> Vec<String> {
        let mut everywhere = graph::of(0, &[("x", &[])]);
        everywhere.packages[0].license = licence.map(str::to_owned);
        let licences = ["MIT", "Apache-2.0", "BSD-3-Clause"].map(str::to_owned).to_vec();
        let limits = Limits { licences, ..Limits::default() };
        let lock = tree::of(&[("Cargo.lock", "[[package]]\nname = \"x\"\n")]);
        brief(&check(&tree::Tree { everywhere, limits, ..lock }))
    }

    #[test]
    fn a_choice_needs_one_and_a_sum_needs_all() {
        for licence in [
            "MIT",
            "MIT OR Apache-2.0",
            "GPL-3.0-only OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / GPL-2.0-only",
            "(MIT OR GPL-2.0-only) AND BSD-3-Clause",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert_eq!(found(Some(licence)), Vec::<String>::new(), "{licence}");
        }
        for licence in [
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "(GPL-2.0-only OR AGPL-3.0-only) AND MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert_eq!(found(Some(licence)), [format!("Cargo.lock:2 `x` 1.0.0 comes under {licence}")]);
        }
    }

    #[test]
    fn what_cannot_be_judged_is_found() {
        assert_eq!(found(None), ["Cargo.lock:2 `x` 1.0.0 names no licence"]);
        assert_eq!(
            found(Some("ask me")),
            ["Cargo.lock:2 `x` 1.0.0 has a licence that is no SPDX expression: ask me"]
        );
    }
}
