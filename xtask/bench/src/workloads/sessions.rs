//! Sessions that go on: logs of many items, as a pod would have left them.
//!
//! Owns the records of such a log, as `docs/protocol.md` has them. What counts is that the last turn is on the screen: how
//! much of the rest is loaded is the program's choice.

use std::path::Path;

use mock_llm::Script;
use serde_json::{Value, json};

use super::{Check, END, Job, Kind, Workload};

/// The session's name.
pub const NAME: &str = "bench";

/// Records of a turn.
const TURN: usize = 6;

pub(super) const LIST: &[Workload] = &[
    Workload { name: "resume-200", about: "a session of 200 items goes on", job: || job(200) },
    Workload { name: "resume-2000", about: "a session of 2,000 items goes on", job: || job(2_000) },
    Workload { name: "resume-20000", about: "a session of 20,000 items goes on", job: || job(20_000) },
];

fn job(items: usize) -> Job {
    let last = items / TURN - 1;
    let checks = vec![Check::Shown(vec![format!("question-{last}."), format!("answer-{last}.")])];
    Job { checks, ..Job::new(Kind::Resume(items), Script::new()) }
}

/// A log of about so many items, in whole turns: a question, words, a call and its result, an answer, the end.
pub fn log(items: usize, cwd: &Path) -> String {
    let header = json!({"v": 1, "seq": 1, "kind": "header", "id": NAME, "title": "a long session", "cwd": cwd, "segment": 1});
    let turns = items / TURN;
    let records = (0..turns).flat_map(|turn| records(turn, turn + 1 == turns));
    let mut log = format!("{header}\n");
    for (mut record, seq) in records.zip(2..) {
        record["v"] = 1.into();
        record["seq"] = Value::from(seq);
        record["at"] = Value::from(1_760_000_000_000_i64 + seq * 1_000);
        log.push_str(&format!("{record}\n"));
    }
    log
}

fn records(turn: usize, is_last: bool) -> [Value; TURN] {
    let call = format!("c{turn}");
    let end = if is_last { format!("\n\n{END}") } else { String::new() };
    let listing: String =
        (0..12).map(|line| format!("src/part_{line}.rs:{turn}: let value = {line};\n")).collect();
    [
        json!({"kind": "user_message", "text": format!("This is question-{turn}. What of it?")}),
        json!({"kind": "assistant_text", "text": "I look at the **parts** first, then at `value`."}),
        json!({"kind": "tool_call", "id": call, "name": "Bash", "tool_kind": "execute",
            "arguments": json!({"command": format!("grep -n {turn} src/part_*.rs")}).to_string()}),
        json!({"kind": "tool_result", "id": call, "summary": "exit 0, 12 lines", "output": listing, "outcome": "ok",
            "elapsed_ms": 12}),
        json!({"kind": "assistant_text", "text": format!(
            "This is answer-{turn}. It has a paragraph of its own, with **bold** words and some `code`, and a list:\n\n\
            - one\n- two, which is longer\n\n```rust\nfn value() -> u32 {{ {turn} }}\n```{end}")}),
        json!({"kind": "turn_end", "turn": turn + 1, "reason": "completed"}),
    ]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{END, log};

    #[test]
    fn a_log_is_lines_with_rising_numbers_and_ends_with_the_last_words() {
        let log = log(200, Path::new("/tmp"));
        let lines: Vec<serde_json::Value> =
            log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 199);
        assert!(lines.iter().zip(1..).all(|(line, seq)| line["seq"] == seq));
        assert_eq!(log.matches(END).count(), 1);
        assert!(lines[lines.len() - 2]["text"].as_str().unwrap().ends_with(END));
    }
}
