//! Calls: arguments that stream, many calls in a turn, calls below a call.
//!
//! Owns what the model calls and the files that the calls read. That the calls were made is seen in what the provider was
//! sent, since a screen counts what it hides. Results that are large are `results.rs`.

use std::time::Duration;

use mock_llm::{Answer, Pace, Reply, Script, When};
use serde_json::json;

use super::{Check, Job, Kind, Workload, end, said};

/// What a sub-agent is asked for.
const BELOW: &str = "the work below";

pub(super) const LIST: &[Workload] = &[
    Workload {
        name: "parallel-calls",
        about: "8 parallel calls, 200 argument deltas each, 200 a second",
        job: || parallel(Pace::Every(Duration::from_millis(5))),
    },
    Workload {
        name: "parallel-calls-burst",
        about: "the same 8 calls at once",
        job: || parallel(Pace::AtOnce),
    },
    Workload {
        name: "write-1mib",
        about: "a Write of 1 MiB in 10,800 deltas over 10 s",
        job: || write(1 << 20, Pace::Over(Duration::from_secs(10))),
    },
    Workload {
        name: "write-1mib-burst",
        about: "the same Write at once",
        job: || write(1 << 20, Pace::AtOnce),
    },
    Workload {
        name: "nested-400",
        about: "400 calls below a call, 40 a step",
        job: || {
            let task = json!({"description": "look at all of it", "prompt": BELOW}).to_string();
            let mut script = Script::new();
            for round in 0..10 {
                let when = When { prompt: Some(BELOW.to_owned()), ..When::round(round) };
                script = script.when(when, reads(round, 40));
            }
            script = script.when(When::prompt(BELOW), Answer::new().text("looked at"));
            script = script.when(When::round(0), Answer::new().call("task", "Task", &task));
            let job = Job::new(Kind::Turn, script.otherwise(end()));
            Job { files: notes(40), checks: vec![Check::Results(400)], ..job }
        },
    },
    Workload {
        name: "calls-1000",
        about: "1,000 calls in a turn, 100 a step",
        job: || {
            let script = (0..10)
                .fold(Script::new(), |script, round| script.when(When::round(round), reads(round, 100)));
            let job = Job::new(Kind::Turn, script.otherwise(end()));
            Job { files: notes(100), checks: vec![Check::Results(1_000)], ..job }
        },
    },
];

fn parallel(pace: Pace) -> Job {
    let arguments = |call: usize| {
        // 200 fragments of eight characters.
        let words: String = (0..260).map(|word| format!("w{word:04} ")).collect();
        let mut command = format!("cat note-{call}.txt # {words}");
        command.truncate(200 * 8 - r#"{"command":""}"#.len());
        json!({ "command": command }).to_string()
    };
    let calls =
        (0..8).fold(Answer::new(), |answer, call| answer.call(&format!("c{call}"), "Bash", &arguments(call)));
    let script = Script::new().when(When::round(0), said(calls, 8, pace)).otherwise(end());
    let shown = (0..8).map(|note| format!("contents-of-{note}.")).collect();
    let checks = vec![Check::Results(8), Check::Shown(shown)];
    Job { files: notes(8), checks, ..Job::new(Kind::Turn, script) }
}

fn write(bytes: usize, pace: Pace) -> Job {
    let line = "a line of a file that is longer than most, and whose end nobody looks at for long\n";
    let contents: String = line.chars().cycle().take(bytes).collect();
    let arguments = json!({"file_path": "big.txt", "content": contents}).to_string();
    let fragment = arguments.len().div_ceil(10_800);
    let call = said(Answer::new().call("w", "Write", &arguments), fragment, pace);
    let script = Script::new().when(When::round(0), call).otherwise(end());
    let checks = vec![Check::Results(1), Check::File { name: "big.txt", contents }];
    Job { checks, ..Job::new(Kind::Turn, script) }
}

/// So many calls of Read in one answer.
fn reads(round: usize, count: usize) -> Reply {
    let answer = (0..count).fold(Answer::new(), |answer, call| {
        let arguments = json!({"file_path": format!("note-{call}.txt")}).to_string();
        answer.call(&format!("r{round}-{call}"), "Read", &arguments)
    });
    said(answer, 8, Pace::AtOnce)
}

fn notes(count: usize) -> Vec<(String, String)> {
    (0..count).map(|note| (format!("note-{note}.txt"), format!("contents-of-{note}.\n"))).collect()
}
