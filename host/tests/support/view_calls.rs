//! Calls for the snapshots of `views.rs`: one sample for each view, in any state.
//!
//! A sample holds what a tool is told and answers; the state decides how much of it is there yet.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::word::Outcome;
use carpel_slots::{Approval, Args, CallKey, CallResult, CallState, ToolCall};
use serde_json::{Value, json};

/// What a call of one view goes through.
pub struct Sample {
    pub file: &'static str,
    pub name: &'static str,
    pub arguments: &'static str,
    /// So many bytes of the arguments are there while they stream.
    pub half: usize,
    /// What a person is asked about.
    pub question: &'static str,
    pub progress: &'static str,
    pub summary: &'static str,
    pub output: &'static str,
    pub structured: &'static str,
    /// Summary and text of a failure.
    pub failure: (&'static str, &'static str),
}

pub const SAMPLES: &[Sample] = &[
    Sample {
        file: "read",
        name: "Read",
        arguments: r#"{"file_path":"/w/host/src/render/matches.rs","offset":4,"limit":5}"#,
        half: 31,
        question: "",
        progress: "",
        summary: "lines 4-8 of 165",
        output: "     4\t//! shown around its first hit.\n     5\t\n     6\tuse std::cell::Cell;\n     7\t\n     8\tuse carpel_slots::card::{MatchGroup, MatchLine};\n\n[157 more lines: read on with offset 9]",
        structured: "null",
        failure: (
            "no such file",
            "host/src/render/matches.rs does not exist; there is host/src/render/match.rs",
        ),
    },
    Sample {
        file: "write",
        name: "Write",
        arguments: r#"{"file_path":"/w/src/unescape.rs","content":"pub fn unescape(token: &str) -> Cow<'_, str> {\n    token.into()\n}\n"}"#,
        half: 96,
        question: "pub fn unescape(token: &str) -> Cow<'_, str> {\n    token.into()\n}\n",
        progress: "",
        summary: "Created src/unescape.rs (68 bytes)",
        output: "",
        structured: r#"{"hunks":[{"old_start":1,"new_start":1,"lines":[{"tag":"added","text":"pub fn unescape(token: &str) -> Cow<'_, str> {"},{"tag":"added","text":"    token.into()"},{"tag":"added","text":"}"}]}]}"#,
        failure: ("not written", "src is not a folder"),
    },
    Sample {
        file: "edit",
        name: "Edit",
        arguments: r#"{"file_path":"/w/src/parser.rs","old_string":"fn next() {\n    let token = old(token);\n}","new_string":"fn next() {\n    let token = unescape(token);\n    check(&token);\n}"}"#,
        half: 130,
        question: "@@ -12,3 +12,4 @@\n fn next() {\n-    let token = old(token);\n+    let token = unescape(token);\n+    check(&token);\n }\n",
        progress: "",
        summary: "1 replacement",
        output: "",
        structured: r#"{"hunks":[{"old_start":12,"new_start":12,"lines":[{"tag":"context","text":"fn next() {"},{"tag":"removed","text":"    let token = old(token);"},{"tag":"added","text":"    let token = unescape(token);"},{"tag":"added","text":"    check(&token);"},{"tag":"context","text":"}"}]}]}"#,
        failure: ("not found", "`old_string` is not in src/parser.rs"),
    },
    Sample {
        file: "glob",
        name: "Glob",
        arguments: r#"{"pattern":"**/*.rs","path":"/w/host"}"#,
        half: 17,
        question: "",
        progress: "",
        summary: "11 files",
        output: "",
        structured: r#"{"total":11,"truncated":false,"paths":["host/src/render/table.rs","host/build.rs","host/src/render/diff/words.rs","host/src/render/diff/shown.rs","host/src/lib.rs","host/tests/a.rs","host/tests/b.rs","host/tests/support/mod.rs","host/src/render/wrap.rs","host/src/render/clip.rs","host/tests/c.rs"]}"#,
        failure: ("no such folder", "host does not exist"),
    },
    Sample {
        file: "grep",
        name: "Grep",
        arguments: r#"{"pattern":"TODO","path":"/w/src","glob":"*.rs"}"#,
        half: 14,
        question: "",
        progress: "",
        summary: "5 matches in 2 files",
        output: "",
        structured: r#"{"mode":"content","files":[{"path":"src/parser.rs","count":4,"lines":[{"line":12,"text":"    // TODO: handle escapes","hits":[[7,11]]},{"line":48,"text":"    // TODO: recover from errors, of which there are more than anybody would think before the first of them came","hits":[[7,11]]},{"line":50,"text":"let x = 1; // TODO","hits":[[14,18]]},{"line":120,"text":"// TODO","hits":[[3,7]]}]},{"path":"src/lexer.rs","count":1,"lines":[{"line":7,"text":"// TODO: unicode classes","hits":[[3,7]]}]}]}"#,
        failure: ("the pattern is not valid", "unclosed group\n  (TODO\n  ^"),
    },
    Sample {
        file: "skill",
        name: "skill",
        arguments: r#"{"name":"release"}"#,
        half: 12,
        question: "",
        progress: "",
        summary: "skill release, 2 more files",
        output: "# Release\n\n1. Tag it.\n2. Push the tag.",
        structured: r#"{"name":"release","description":"Makes a release of this project and tells everybody.","path":"/w/.agents/skills/release","files":["notes.md","tag.sh"]}"#,
        failure: ("no such skill", "there are: review, deploy"),
    },
    Sample {
        file: "bash",
        name: "Bash",
        arguments: r#"{"command":"cargo test --workspace","description":"Run all tests","timeout":120000}"#,
        half: 22,
        question: "cargo test --workspace",
        progress: "   Compiling peel v0.3.0\nrunning 12 tests",
        summary: "exit 101",
        output: "   Compiling peel v0.3.0\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n[exit 101]",
        structured: r#"{"exit_code":101}"#,
        failure: ("timed out after 2m", "   Compiling peel v0.3.0"),
    },
    Sample {
        file: "task",
        name: "Task",
        arguments: r#"{"description":"explore the parser","prompt":"Read src/parser.rs.\nSay what is missing, in order of weight.\nDo not change anything.\nAnswer in ten lines."}"#,
        half: 88,
        question: "explore the parser",
        progress: "The parser has two entry points.\nNow the tests.",
        summary: "2 calls, 1 failed",
        output: "",
        structured: r###"{"answer":"## Missing\n\n- **Escapes**, at line 12\n- Recovery from errors","calls":2,"failed":1}"###,
        failure: ("the sub-agent failed: no credit", "The parser has two entry points."),
    },
    Sample {
        file: "generic",
        name: "Deploy",
        arguments: r#"{"name":"staging","force":true,"tags":["a","b"],"notes":"first line\nsecond line"}"#,
        half: 30,
        question: "deploy to staging",
        progress: "uploading\nrestarting",
        summary: "deployed",
        output: "build 412\nhost a: up\nhost b: up",
        structured: "null",
        failure: ("failed", "host b does not answer"),
    },
    Sample {
        file: "mcp",
        name: "mcp__github__list_issues",
        arguments: r#"{"query":"label:bug","limit":3}"#,
        half: 18,
        question: "list_issues of github",
        progress: "",
        summary: "3 issues",
        output: "",
        structured: r#"{"content":[{"type":"text","text":"see data"},{"type":"image","mimeType":"image/png","data":"AAAAAAAA"},{"type":"resource_link","uri":"https://example.org/issues","name":"all issues"}],"structuredContent":{"total":3,"items":[{"number":7,"title":"Cuts fall inside a letter","state":"open"},{"number":12,"title":"A table is wider than the window that it is shown in","state":"closed"},{"number":104,"title":"漢字","state":"open"}]}}"#,
        failure: ("", "the server closed the connection"),
    },
];

impl Sample {
    pub fn call(&self, state: CallState) -> ToolCall {
        let mut call = bare(self.name, state);
        call.args = match state {
            CallState::Pending => Args::default(),
            CallState::Streaming => Args::streaming(&self.arguments[..self.half]),
            _ => Args::complete(self.arguments),
        };
        match state {
            CallState::AwaitingApproval => {
                let title = format!("carpel asks before {} runs", self.name);
                call.approval = Some(Approval { title, detail: self.question.to_owned() });
            }
            CallState::Executing => call.progress.push(self.progress),
            CallState::Done => {
                let structured = serde_json::from_str(self.structured).unwrap();
                call.result = Some(result(Outcome::Ok, self.summary, self.output, structured));
            }
            CallState::Error => {
                call.result = Some(result(Outcome::Error, self.failure.0, self.failure.1, Value::Null));
            }
            CallState::Cancelled => {
                call.result = Some(result(Outcome::Cancelled, "cancelled", "", Value::Null));
            }
            CallState::Rejected => {
                call.result = Some(result(Outcome::Rejected, "not now, first the tests", "", Value::Null));
            }
            CallState::Pending | CallState::Streaming | CallState::Incomplete => {}
        }
        if self.name == "Task"
            && !matches!(state, CallState::Pending | CallState::Streaming | CallState::Rejected)
        {
            call.sub_calls =
                vec![Arc::new(SAMPLES[0].call(CallState::Done)), Arc::new(SAMPLES[3].call(CallState::Error))]
                    .into();
        }
        call
    }
}

fn bare(name: &str, state: CallState) -> ToolCall {
    ToolCall {
        state,
        elapsed: (state == CallState::Done).then_some(Duration::from_millis(1_200)),
        ..ToolCall::new(CallKey { turn: 1, id: name.into(), occurrence: 0 }, name)
    }
}

fn result(outcome: Outcome, summary: &str, output: &str, structured: Value) -> CallResult {
    CallResult {
        summary: summary.to_owned(),
        output: (!output.is_empty()).then(|| output.to_owned()),
        output_total: None,
        outcome,
        structured: (!structured.is_null()).then_some(structured),
    }
}

/// What has lines that can be hidden.
pub const LISTS: &[&str] = &["output", "read", "glob", "grep", "table", "added", "changed", "script"];

/// A call that went well and has so many lines, each with `L#` at its beginning and more words than a row holds.
pub fn list(kind: &str, lines: usize) -> ToolCall {
    let line =
        |at: usize| format!("L#{at} and words that go on beyond the end of most windows that a person has");
    let all = || (0..lines).map(line);
    let joined = |start: &str| all().map(|line| format!("{start}{line}\n")).collect::<String>();
    let (name, arguments, output, structured) = match kind {
        "answer" => ("Task", json!({"description": "d"}), joined("- ").replace("#", "\\#"), Value::Null),
        "read" => {
            let numbered = all().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect();
            ("Read", json!({"path": "a.rs"}), numbered, Value::Null)
        }
        "glob" => {
            let paths: Vec<String> = all().map(|line| line.replace(' ', "-")).collect();
            ("Glob", json!({"pattern": "*"}), String::new(), json!({"paths": paths}))
        }
        "grep" => {
            let file = |name: &str, from: usize, to: usize| {
                let lines: Vec<Value> = (from..to)
                    .map(|at| json!({"line": at + 1, "text": line(at), "hits": [[0, 2]]}))
                    .collect();
                json!({"path": name, "count": lines.len(), "lines": lines})
            };
            let files: Vec<Value> = [file("a.rs", 0, lines / 2), file("b.rs", lines / 2, lines)].into();
            ("Grep", json!({"pattern": "L"}), String::new(), json!({"mode": "content", "files": files}))
        }
        "table" => {
            let rows: Vec<Value> = all().map(|line| json!({"id": line, "name": "x", "state": "y"})).collect();
            ("Unknown", json!({}), String::new(), json!(rows))
        }
        "added" => ("Write", json!({"path": "a.rs", "content": joined("")}), String::new(), Value::Null),
        "changed" => {
            let lines: Vec<Value> = all()
                .enumerate()
                .map(|(at, line)| json!({"tag": if at % 5 == 0 { "added" } else { "context" }, "text": line}))
                .collect();
            let hunks = json!({"hunks": [{"old_start": 1, "new_start": 1, "lines": lines}]});
            ("Edit", json!({"path": "a.rs", "old_string": "", "new_string": ""}), String::new(), hunks)
        }
        "script" => {
            ("Bash", json!({"command": format!("first\n{}", joined(""))}), String::new(), Value::Null)
        }
        _ => ("Unknown", json!({}), joined(""), Value::Null),
    };
    let mut call = bare(name, CallState::Done);
    call.args = Args::complete(arguments.to_string());
    call.result = Some(result(Outcome::Ok, "fine", &output, structured));
    call
}
