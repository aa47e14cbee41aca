//! What a session holds on the disk, for tests that compare it with what was seen.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::path::Path;

use serde_json::Value;

/// The segments of the newest session below a home folder, oldest first, each as its lines.
pub fn segments(home: &Path) -> Vec<Vec<Value>> {
    let sessions = sorted(&home.join(".local/state/carpel/sessions"));
    let Some(newest) = sessions.last() else { return Vec::new() };
    let files = sorted(newest).into_iter().filter(|path| path.extension().is_some_and(|is| is == "jsonl"));
    let lines = |path| -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        // A pod may be writing the last line.
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    files.map(lines).collect()
}

/// Everything of one kind, in order.
pub fn of_kind(segments: &[Vec<Value>], kind: &str) -> Vec<Value> {
    segments.iter().flatten().filter(|line| line["kind"] == kind).cloned().collect()
}

/// The texts of what the person has sent.
pub fn prompts(segments: &[Vec<Value>]) -> Vec<String> {
    of_kind(segments, "user_message").iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

fn sorted(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
