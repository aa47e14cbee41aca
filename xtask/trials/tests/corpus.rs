//! Every fuzz target over its corpus, then over mutations of it that follow from a fixed seed.
//!
//! `CARPEL_FUZZ=1000000 cargo test -p trials --test corpus` tries more. What fails is made small and written to a file,
//! which goes into the corpus under a name that says what was wrong.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

use std::path::Path;

use trials::fuzz::hunt::{self, Finding};
use trials::fuzz::{TARGETS, digest, target};

const SEED: u64 = 20_260_801;

fn cases(few: u64) -> u64 {
    std::env::var("CARPEL_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(few)
}

fn check(name: &str, few: u64) {
    hunt::quiet();
    let target = target(name).unwrap();
    let files = hunt::corpus(name).unwrap();
    assert!(files.len() >= 8, "the corpus of {name} has {} files", files.len());
    let hunted = hunt::over(target, &files).map(|()| 0);
    let count = cases(few);
    match hunted.and_then(|_| hunt::mutations(target, &files, SEED, |done| done < count)) {
        Ok(done) => assert_eq!(done, count),
        Err(finding) => fail(name, &finding),
    }
}

fn fail(name: &str, finding: &Finding) -> ! {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{:016x}", digest(&finding.input)));
    std::fs::write(&file, &finding.input).unwrap();
    panic!("{name}, {}: {}\nthe input, made small: {}", finding.from, finding.said, file.display());
}

#[test]
fn arguments() {
    check("arguments", 1500);
}

#[test]
fn frames() {
    check("frames", 3000);
}

#[test]
fn keys() {
    check("keys", 5000);
}

#[test]
fn log() {
    check("log", 1000);
}

#[test]
fn markdown() {
    check("markdown", 1000);
}

#[test]
fn printable() {
    check("printable", 3000);
}

#[test]
fn replies() {
    check("replies", 1000);
}

/// Each target is a test here, a folder of the corpus, and a file for cargo-fuzz.
#[test]
fn every_target_is_run() {
    let here = include_str!("corpus.rs");
    for target in TARGETS {
        assert!(here.contains(&format!("fn {}() {{", target.name)), "{}", target.name);
        let file = format!("../../fuzz/fuzz_targets/{}.rs", target.name);
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        assert!(text.contains(&format!("trials::fuzz::{}::run(data)", target.name)), "{text}");
    }
}
