//! How often processes wake up.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::path::PathBuf;
use std::process::Command;

/// What a process has started, and what that has started.
pub fn below(parent: &str) -> Vec<String> {
    let children = children(parent);
    let deeper = children.iter().flat_map(|child| below(child));
    children.iter().cloned().chain(deeper).collect()
}

/// How often the threads of these processes have waited for something.
pub fn of(processes: &[String]) -> Vec<(PathBuf, u64)> {
    let mut wakes = Vec::new();
    for process in processes {
        for thread in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
            let thread = thread.unwrap().path();
            let status = std::fs::read_to_string(thread.join("status")).unwrap();
            let count =
                status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
            wakes.push((thread, count.trim().parse().unwrap()));
        }
    }
    wakes.sort();
    wakes
}

fn children(parent: &str) -> Vec<String> {
    let output = Command::new("pgrep").args(["-P", parent]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}
