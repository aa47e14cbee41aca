//! Processes that a test has started, found by what they were started with, and ended by their ids.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// The pods of a folder: they name one below it on their command line.
pub fn pods(folder: &Path) -> Vec<i32> {
    let wanted = folder.display().to_string();
    find(|words, _| words.iter().any(|word| word == "pod") && words.iter().any(|word| word.contains(&wanted)))
}

/// A pod outlives its terminal; a test's must not outlive the test.
pub fn end_pods(folder: &Path) {
    for pid in pods(folder).into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Processes by their command line and folder.
pub fn find(wanted: impl Fn(&[String], &Path) -> bool) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if wanted(&words, &cwd) {
            found.push(pid);
        }
    }
    found
}

/// Ticks of the processor that a process has used; `None` once it has ended.
pub fn ticks(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    if fields.first() == Some(&"Z") {
        return None;
    }
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}
