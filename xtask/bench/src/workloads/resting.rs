//! The prompt: how soon it is there, what it costs to wait at it, how fast keys come back.
//!
//! Owns what runs meanwhile: nothing, a command that sleeps, an answer that streams. What is typed and for how long is
//! waited stands in `../perform.rs`.

use std::time::Duration;

use mock_llm::{Answer, Pace, Script, When};
use serde_json::json;

use super::{Job, Kind, Workload, end, markdown, said};

pub(super) const LIST: &[Workload] = &[
    Workload {
        name: "start",
        about: "exec to painted prompt and to the first key on the screen",
        job: || Job::new(Kind::Start, Script::new()),
    },
    Workload {
        name: "idle",
        about: "20 s at the prompt",
        job: || Job::new(Kind::Idle { tool: false }, Script::new()),
    },
    Workload {
        name: "idle-tool",
        about: "20 s with a running command",
        job: || {
            let call = Answer::new().call("c", "Bash", &json!({"command": "sleep 60"}).to_string());
            let script = Script::new().when(When::round(0), call).otherwise(end());
            Job::new(Kind::Idle { tool: true }, script)
        },
    },
    Workload {
        name: "echo",
        about: "200 keys at rest and 200 while Markdown streams, 200 deltas a second",
        job: || {
            let (text, _) = markdown::text(12_000 * 5);
            let answer = said(Answer::new().text(&text), 5, Pace::Every(Duration::from_millis(5)));
            Job::new(Kind::Echo, Script::new().otherwise(answer))
        },
    },
];
