//! The book of `docs/`: every page is in its summary, and every link of the project's pages leads somewhere.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The Markdown files of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.sort();
    pages
}

/// The prose of a page: its lines outside of fences, without what stands in backticks.
fn prose(text: &str) -> String {
    let mut is_open = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_open = !is_open;
        } else if !is_open {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// Where the links of a text lead, in their order.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The names by which headings of a page are linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_page_is_in_the_summary_once() {
    let docs = root().join("docs");
    let summary = links(&std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap());
    let mut listed = summary.clone();
    listed.sort();
    let names = pages(&docs).into_iter().map(|page| page.file_name().unwrap().to_string_lossy().into_owned());
    let there: Vec<String> = names.filter(|name| name != "SUMMARY.md").collect();
    assert!(there.len() > 15);
    assert_eq!(listed, there, "docs/SUMMARY.md");
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in pages(&root().join("docs")).into_iter().chain(pages(&root())) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, at)| (file, Some(at)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if let Some(anchor) = anchor {
                let text = std::fs::read_to_string(&target).unwrap();
                assert!(anchors(&text).contains(anchor), "{}: {link} is no heading", page.display());
            }
            followed += 1;
        }
    }
    assert!(followed > 40, "{followed} links");
}

#[test]
fn links_and_anchors_are_found() {
    let text = "# A `b` c, d\n[x](y.md) and `[no](code)`\n```\n[no](fence)\n```\n[z](../w#a-b)\n";
    assert_eq!(links(text), ["y.md", "../w#a-b"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b-c-d".to_owned()]));
}
