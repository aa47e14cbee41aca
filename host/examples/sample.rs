//! Prints sample items with their colours, to look at them: `cargo run --example sample -- 80 normal live`.
//!
//! It draws through the real painter with the linked views. It is for eyes only; tests are elsewhere.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use carpel::paint::{Paint, PaintCx, Place};
use carpel::render::painter::Folders;
use carpel::render::{Highlighter, Look, Painter};
use carpel::row::Row;
use carpel::transcript::item::{FlowItem, ItemBody, ItemId, Thinking, ThinkingState};
use carpel_protocol::event::TurnEnd;
use carpel_protocol::word::{NoticeLevel, Outcome, TurnEndReason};
use carpel_slots::{Approval, Args, CallKey, CallResult, CallState, Density, Line, Registry, Role, ToolCall};
use carpel_tool_views as _;
use ratatui::style::{Color, Modifier, Style};
use serde_json::json;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let width = arguments.first().and_then(|width| width.parse().ok()).unwrap_or(80);
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let density = Density::ALL.into_iter().find(|density| has(density.name())).unwrap_or_default();
    let place = if has("live") { Place::Live } else { Place::Settled };
    let look = if has("plain") { Look::PLAIN } else { Look::COLOUR };
    let cx = PaintCx { width, density, now: Duration::from_secs(60), place };
    let mut painter = Painter::new(look, Registry::linked(), Folders::default(), Highlighter::inline());
    let mut out = std::io::stdout().lock();
    let items = items();
    for (at, item) in items.iter().enumerate() {
        let rows = match &item.body {
            ItemBody::Call(root) => {
                painter.call(root, None, &cx).iter().flat_map(|card| card.all()).cloned().collect()
            }
            ItemBody::Text { text, closed } => {
                let mut rows = painter.settle_text(item.id, text, *closed, &cx).rows;
                rows.extend(painter.tail_text(item.id, text, &cx).rows);
                rows
            }
            _ => painter.item(item, &cx),
        };
        if at > 0 && !rows.is_empty() && painter.gap(&items[at - 1], item, &cx) {
            writeln!(out)?;
        }
        for row in rows {
            writeln!(out, "{}", ansi(&row))?;
        }
    }
    Ok(())
}

fn items() -> Vec<FlowItem> {
    let thinking = |text: &str, state| {
        ItemBody::Thinking(Thinking { text: text.to_owned(), summary: Vec::new(), state })
    };
    let done = |seconds| ThinkingState::Done { elapsed: Some(Duration::from_secs(seconds)) };
    let bodies = vec![
        ItemBody::Earlier { count: 48 },
        ItemBody::User { text: "find every TODO in this project and read the file with the most".to_owned() },
        thinking("look for the markers first, then count them per file\nand more", done(2)),
        ItemBody::Call(grep()),
        ItemBody::Call(read()),
        ItemBody::Text { text: ANSWER.to_owned(), closed: true },
        thinking(
            "so far\nwhat remains is to check whether the tests still pass after the change",
            ThinkingState::Open { since: Duration::from_secs(43) },
        ),
        ItemBody::Call(task()),
        ItemBody::Call(bash(CallState::Error)),
        ItemBody::Call(bash(CallState::Rejected)),
        ItemBody::Call(bash(CallState::Cancelled)),
        ItemBody::Call(bash(CallState::Incomplete)),
        ItemBody::Call(bash(CallState::Executing)),
        ItemBody::Call(bash(CallState::Streaming)),
        ItemBody::Call(bash(CallState::Pending)),
        ItemBody::Call(edit()),
        ItemBody::Call(write(CallState::Streaming)),
        ItemBody::Call(write(CallState::Done)),
        ItemBody::Call(change(CallState::Streaming)),
        ItemBody::Call(change(CallState::AwaitingApproval)),
        ItemBody::Call(change(CallState::Executing)),
        ItemBody::Call(change(CallState::Done)),
        ItemBody::Call(change(CallState::Error)),
        ItemBody::Call(change(CallState::Rejected)),
        ItemBody::Call(skill()),
        ItemBody::Orphan { id: "call_9".to_owned(), summary: "3 files".to_owned() },
        ItemBody::Command {
            line: "compct".to_owned(),
            ok: false,
            outcome: "unknown command `compct`; did you mean `compact`?".to_owned(),
            lines: vec![],
        },
        ItemBody::Command {
            line: "help".to_owned(),
            ok: true,
            outcome: String::new(),
            lines: vec![Line::of(Role::Accent, ":quit").and(Role::Plain, "  leaves")],
        },
        ItemBody::Notice {
            level: NoticeLevel::Warning,
            text: "the provider answers slowly; the request is tried again in 4 s".to_owned(),
        },
        ItemBody::Compaction {
            summary: "The person asked for TODOs.\nThere are seven.".to_owned(),
            before: 184_000,
            after: 21_000,
        },
        ItemBody::CutOff { reason: "connection reset".to_owned() },
        ItemBody::TurnEnded(TurnEnd {
            turn: 1,
            reason: TurnEndReason::Failed,
            message: Some("the model's server answered 529 four times".to_owned()),
            usage: None,
        }),
    ];
    let item = |(at, body)| FlowItem { id: ItemId(at as u64), revision: 0, turn: 1, body };
    bodies.into_iter().enumerate().map(item).collect()
}

fn call(id: &str, name: &str, args: &str, state: CallState) -> ToolCall {
    ToolCall {
        args: Args::complete(args),
        state,
        elapsed: state.is_settled().then_some(Duration::from_millis(120)),
        ..ToolCall::new(CallKey { turn: 1, id: format!("{id}{state:?}").into(), occurrence: 0 }, name)
    }
}

fn result(summary: &str, output: Option<&str>, outcome: Outcome) -> Option<CallResult> {
    Some(CallResult {
        summary: summary.to_owned(),
        output: output.map(str::to_owned),
        output_total: None,
        outcome,
        structured: None,
    })
}

fn grep() -> Arc<ToolCall> {
    let mut grep = call("grep", "Grep", r#"{"pattern":"TODO","path":"."}"#, CallState::Done);
    grep.result = result("7 matches in 3 files", None, Outcome::Ok);
    if let Some(result) = &mut grep.result {
        result.structured = serde_json::from_str(
            r#"{"mode":"content","files":[
            {"path":"src/parser.rs","count":4,"lines":[
              {"line":12,"text":"    // TODO: handle escapes","hits":[[7,11]]},
              {"line":48,"text":"// TODO: recover from errors","hits":[[3,7]]},
              {"line":60,"text":"// TODO: x","hits":[[3,7]]},{"line":61,"text":"// TODO: y","hits":[[3,7]]}]},
            {"path":"src/lexer.rs","count":2,"lines":[{"line":7,"text":"// TODO: unicode classes","hits":[[3,7]]},{"line":9,"text":"// TODO: b","hits":[[3,7]]}]},
            {"path":"src/main.rs","count":1,"lines":[{"line":7,"text":"// TODO: z","hits":[[3,7]]}]}]}"#,
        )
        .ok();
    }
    Arc::new(grep)
}

fn read() -> Arc<ToolCall> {
    let mut read = call("read", "Read", r#"{"file_path":"src/parser.rs"}"#, CallState::Done);
    let text: String =
        ["//! A small parser.", "use crate::lexer::Lexer;", "", "pub fn parse(text: &str) -> Tree {"]
            .iter()
            .chain(std::iter::repeat_n(&"    let x = \"s\";", 116))
            .enumerate()
            .map(|(at, line)| format!("{:>6}\t{line}\n", at + 1))
            .collect();
    read.result = result("120 lines", Some(&text), Outcome::Ok);
    Arc::new(read)
}

fn task() -> Arc<ToolCall> {
    let mut inner = call("t2", "Task", r#"{"description":"check the tests"}"#, CallState::Executing);
    let mut waiting = call("t3", "Bash", r#"{"command":"cargo test"}"#, CallState::AwaitingApproval);
    waiting.approval =
        Some(Approval { title: "carpel wants to run a command".to_owned(), detail: "cargo test".to_owned() });
    inner.sub_calls = vec![grep(), Arc::new(waiting)].into();
    let mut task = call("t1", "Task", r#"{"description":"explore the parser"}"#, CallState::Executing);
    task.sub_calls = vec![read(), Arc::new(inner)].into();
    Arc::new(task)
}

fn bash(state: CallState) -> Arc<ToolCall> {
    let mut bash =
        call("bash", "Bash", r#"{"command":"cargo test --workspace --all-targets --no-fail-fast"}"#, state);
    let output = "\u{1b}[1m\u{1b}[32m   Compiling\u{1b}[0m carpel v0.1.0\nrunning 3 tests\ntest a ... \u{1b}[32mok\u{1b}[0m\ntest b ... \u{1b}[31mFAILED\u{1b}[0m\n\nfailures:\n    b\n\ntest result: FAILED. 2 passed; 1 failed";
    match state {
        CallState::Error => bash.result = result("exit code 101", Some(output), Outcome::Error),
        CallState::Rejected => bash.result = result("not now, please", None, Outcome::Rejected),
        CallState::Executing => bash.progress.push(output),
        CallState::Streaming => bash.args = Args::streaming(r#"{"command":"cargo te"#),
        CallState::Pending => bash.args = Args::streaming(""),
        _ => {}
    }
    Arc::new(bash)
}

fn edit() -> Arc<ToolCall> {
    let mut edit = call(
        "edit",
        "Edit",
        r#"{"file_path":"crates/a/very/deep/folder/src/parser.rs"}"#,
        CallState::AwaitingApproval,
    );
    edit.approval = Some(Approval {
        title: "carpel wants to edit src/parser.rs".to_owned(),
        detail: "12 - // TODO: handle escapes\n12 + let token = unescape(token);".to_owned(),
    });
    Arc::new(edit)
}

fn write(state: CallState) -> Arc<ToolCall> {
    let lines = [
        "//! Unescaping of tokens.",
        "",
        "use std::borrow::Cow;",
        "",
        "/// What a token stands for.",
        "pub fn unescape(token: &str) -> Cow<'_, str> {",
        "    if !token.contains('\\\\') {",
        "        return Cow::Borrowed(token);",
        "    }",
        "    let mut text = String::with_capacity(token.len());",
        "    for part in token.split('\\\\') {",
        "        text.push_str(part);",
        "    }",
        "    Cow::Owned(text)",
        "}",
    ];
    let arguments = json!({"file_path": "src/unescape.rs", "content": lines.join("\n") + "\n"}).to_string();
    let mut write = call("write", "Write", &arguments, state);
    if state == CallState::Streaming {
        write.args = Args::streaming(&arguments[..arguments.len() - 60]);
    }
    if state == CallState::Done {
        write.result = result("Created src/unescape.rs (388 bytes)", None, Outcome::Ok);
        let lines: Vec<_> = lines.iter().map(|line| json!({"tag": "added", "text": line})).collect();
        structured(&mut write, json!({"hunks": [{"old_start": 1, "new_start": 1, "lines": lines}]}));
    }
    Arc::new(write)
}

const REPLACED: [&str; 2] = [
    "    // TODO: handle escapes\n    let token = text.get(start..end)?;\n    Some(Token { kind: Kind::Word, text: token })\n",
    "    let token = unescape(text.get(start..end)?);\n    Some(Token { kind: Kind::Word, text: token, escaped: true })\n",
];

fn change(state: CallState) -> Arc<ToolCall> {
    let [old, new] = REPLACED;
    let arguments = json!({"file_path": "src/parser.rs", "old_string": old, "new_string": new}).to_string();
    let mut edit = call("change", "Edit", &arguments, state);
    let line = |tag: &'static str| move |text: &str| json!({"tag": tag, "text": text});
    match state {
        CallState::Streaming => edit.args = Args::streaming(&arguments[..arguments.len() - 40]),
        CallState::AwaitingApproval => {
            let sign = |sign: &str, text: &str| -> String {
                text.lines().map(|line| format!("{sign}{line}\n")).collect()
            };
            let detail =
                format!("@@ -11,4 +11,3 @@\n     let end = 7;\n{}{}", sign("-", old), sign("+", new));
            edit.approval = Some(Approval { title: "Edit src/parser.rs".to_owned(), detail });
        }
        CallState::Done => {
            edit.result = result("Edited src/parser.rs: 2 replacements", None, Outcome::Ok);
            let mut lines = vec![line("context")("fn token(text: &str) -> Option<Token<'_>> {")];
            lines.push(line("context")(
                "    let end = text.find(' ').unwrap_or(text.len()); // the word's end",
            ));
            lines.extend(old.lines().map(line("removed")));
            lines.extend(new.lines().map(line("added")));
            lines.push(line("context")("}"));
            lines.push(line("context")(""));
            let far = [
                line("removed")("use crate::lexer::Lexer;"),
                line("added")("use crate::lexer::{unescape, Lexer};"),
            ];
            let hunks = json!([
                {"old_start": 10, "new_start": 10, "lines": lines},
                {"old_start": 1204, "new_start": 1203, "lines": far},
            ]);
            structured(&mut edit, json!({ "hunks": hunks }));
        }
        CallState::Error => {
            let reason =
                "`old_string` is in src/parser.rs 3 times; give more lines around it, or set `replace_all`";
            edit.result = result("old_string is ambiguous", Some(reason), Outcome::Error);
        }
        CallState::Rejected => edit.result = result("keep the marker", None, Outcome::Rejected),
        _ => {}
    }
    Arc::new(edit)
}

fn skill() -> Arc<ToolCall> {
    let mut skill = call("skill", "skill", r#"{"name":"release"}"#, CallState::Done);
    skill.result = result("Loaded skill release", Some("# Release\n\n1. Run the tests"), Outcome::Ok);
    structured(
        &mut skill,
        json!({"name": "release", "description": "Makes a release: tag, notes, packages.",
            "path": ".agents/skills/release", "files": ["notes.md", "tag.sh"]}),
    );
    Arc::new(skill)
}

fn structured(call: &mut ToolCall, value: serde_json::Value) {
    if let Some(result) = &mut call.result {
        result.structured = Some(value);
    }
}

const ANSWER: &str = "## What I found

There are **7 TODOs** in 3 files; `src/parser.rs` has the most (4). The one at line 12 is about *escapes*, see
[the manual](https://example.org/manual) and <https://example.org>.

1. First, the parser:
   - it drops `\\n`
   - it never recovers, which means that a long explanation is needed here so that the item is wrapped over rows
2. Then the lexer

```rust
/// Reads a token.
pub fn token(text: &str) -> Option<&str> {
    let end = text.find(' ')?; // TODO: tabs
    Some(&text[..end])
}
```

> A quotation of some length that has to be wrapped in order to be read in a window that is narrow.

| File | TODOs | Remark |
|:-----|------:|--------|
| src/parser.rs | 4 | most of them are about escapes and errors |
| src/lexer.rs | 2 | unicode |

---
Done.";

fn ansi(row: &Row) -> String {
    let mut text: String =
        row.spans.iter().map(|span| format!("{}{}\u{1b}[0m", sgr(span.style), span.text)).collect();
    if row.unbroken {
        text.push_str("\u{1b}[0m");
    }
    text
}

fn sgr(style: Style) -> String {
    let mut codes = String::new();
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if style.add_modifier.contains(modifier) {
            codes.push_str(&format!("\u{1b}[{code}m"));
        }
    }
    let number = style.fg.and_then(|colour| {
        [Color::Red, Color::Green, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan]
            .iter()
            .position(|other| *other == colour)
    });
    if let Some(number) = number {
        codes.push_str(&format!("\u{1b}[{}m", 31 + number));
    }
    codes
}
