//! The view for **Bash**: the command, its output as it comes, and how it ended.
//!
//! A command of one line is the title, whole; of more lines the first is, and the others follow as code. That a command
//! ended is not that it succeeded: an exit code other than 0 is in the note. How it ended comes from the tool's typed data;
//! where that is absent or has another shape the tool's own summary tells it.

use std::borrow::Cow;

use carpel_slots::number::grouped;
use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView, register_view};
use serde::Deserialize;
use serde_json::Value;

use crate::argument::{self, COMMAND};
use crate::generic;
use crate::path::short;
use crate::typed;

register_view!("Bash", Bash);

pub struct Bash;

impl ToolView for Bash {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let Some(command) = command(call) else {
            return Card::default();
        };
        let command = command.trim_matches('\n');
        let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
        let ended = ended(call);
        let note = note(call, ended.as_ref());
        Card {
            title: Some(Line::of(Role::Command, first.trim_end_matches('\r'))),
            body: (!is_broken(call, cx)).then(|| body(call, rest, ended.as_ref(), note.is_some(), cx)),
            note,
            ..Card::default()
        }
    }
}

/// True where arguments that never were whole are shown as they came.
fn is_broken(call: &ToolCall, cx: &CardCx) -> bool {
    cx.density == Density::Detail && call.state.is_settled() && call.args.value().is_none()
}

/// What a shell is to run; some tools give it as a list, the shell in front.
fn command(call: &ToolCall) -> Option<Cow<'_, str>> {
    if let Some(text) = argument::text(call, COMMAND) {
        return Some(text.into());
    }
    let words = argument::find(call, COMMAND)?.as_array()?;
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [_, "-c" | "-lc", script] => Some((*script).into()),
        words => Some(words.join(" ").into()),
    }
}

/// The typed data of the tool, as far as it is drawn.
#[derive(Deserialize)]
struct Ended {
    exit_code: Option<i64>,
    signal: Option<String>,
    /// Where the whole output is, when the result has a part of it.
    output_file: Option<String>,
    /// Lines of the whole output.
    output_lines: Option<u64>,
}

impl Ended {
    /// How it ended, where that is no success.
    fn ill(&self) -> Option<String> {
        match (self.exit_code, &self.signal) {
            (Some(0), _) | (None, None) => None,
            (Some(code), _) => Some(format!("exit {code}")),
            (None, Some(signal)) => Some(format!("killed by {signal}")),
        }
    }
}

fn ended(call: &ToolCall) -> Option<Ended> {
    typed::of(call)
}

/// `None` leaves the tool's summary; an empty line is no note.
fn note(call: &ToolCall, ended: Option<&Ended>) -> Option<Line> {
    let ended = ended.filter(|_| call.state == CallState::Done)?;
    if let Some(ill) = ended.ill() {
        return Some(Line::of(Role::Error, &ill));
    }
    ended.exit_code?;
    let has_output = call.result.as_ref().is_some_and(|result| result.output.is_some());
    Some(if has_output { Line::default() } else { Line::of(Role::Dim, "no output") })
}

fn body(call: &ToolCall, rest: &str, ended: Option<&Ended>, has_note: bool, cx: &CardCx) -> Vec<Block> {
    let mut blocks = Vec::new();
    // While it runs, what it says is what a person watches.
    let runs = call.state == CallState::Executing && !call.progress.text().is_empty();
    if !rest.is_empty() && !runs {
        blocks.push(Block::Code { lang: Some("bash".to_owned()), first_line: None, text: rest.to_owned() });
    }
    if cx.density == Density::Detail && call.args.is_complete() {
        blocks.extend(about(call));
    }
    // Without a note of ours the summary is the note, and need not be said again.
    let is_told = |output: &String| !has_note && generic::is_told(call, output);
    if let Some(output) = output(call, ended).filter(|output| !is_told(output)) {
        if matches!(blocks.last(), Some(Block::Code { .. })) {
            // Both are left to be copied at the same indent; a gap tells them apart.
            blocks.push(Block::Text(vec![Line::default()]));
        }
        blocks.push(Block::Output(output));
    }
    if let Some(file) = ended.and_then(|ended| ended.output_file.as_deref()) {
        let lines = ended.and_then(|ended| ended.output_lines);
        let lines = lines.map_or_else(String::new, |lines| format!(", {} lines", grouped(lines)));
        let line =
            Line::of(Role::Dim, &format!("the whole output{lines}: ")).and(Role::Path, &short(file, cx));
        blocks.push(Block::Text(vec![line]));
    }
    blocks
}

/// What else was asked for.
fn about(call: &ToolCall) -> Option<Block> {
    let mut rows = Vec::new();
    if let Some(description) = argument::text(call, &["description"]) {
        rows.push(("description".to_owned(), description.to_owned()));
    }
    if let Some(timeout) = argument::number(call, &["timeout", "timeout_ms"]) {
        rows.push(("timeout".to_owned(), format!("{timeout} ms")));
    }
    (!rows.is_empty()).then_some(Block::Fields(rows))
}

/// What it wrote, without what the note tells.
fn output(call: &ToolCall, ended: Option<&Ended>) -> Option<String> {
    let text = match call.result.as_ref().and_then(|result| result.output.as_deref()) {
        Some(output) => {
            let told = ended.and_then(Ended::ill).filter(|_| call.state == CallState::Done);
            told.and_then(|ill| output.strip_suffix(&format!("[{ill}]"))).unwrap_or(output)
        }
        None => call.progress.text(),
    };
    (!text.is_empty()).then(|| text.to_owned())
}
