//! Results that are larger than anybody reads.
//!
//! Owns the commands that make them. The floor prints all of it, while a screen shows the end; so the ratio says how much
//! cheaper it is to hide a text than to print it.

use mock_llm::{Answer, Script, When};
use serde_json::json;

use super::{Check, Job, Kind, Workload, end};

pub(super) const LIST: &[Workload] = &[
    Workload {
        name: "result-10mb-line",
        about: "a command that prints 10 MB in one line",
        job: || job("head -c 10000000 /dev/zero | tr '\\0' x", 30_000),
    },
    Workload {
        name: "result-1e6-lines",
        about: "a command that prints a million lines",
        job: || job("seq 1000000", 30_000),
    },
];

fn job(command: &str, least: usize) -> Job {
    let call = Answer::new().call("c", "Bash", &json!({ "command": command }).to_string());
    let script = Script::new().when(When::round(0), call).otherwise(end());
    Job { checks: vec![Check::Results(1), Check::ResultBytes(least)], ..Job::new(Kind::Turn, script) }
}
