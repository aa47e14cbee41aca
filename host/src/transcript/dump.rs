//! For tests: recordings and events from text, and a transcript as lines of text.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::recording::{Directive, Step, decode_step};
use carpel_slots::ToolCall;

use super::Transcript;
use super::item::{FlowItem, ItemBody, ThinkingState};

/// The recordings, by name.
pub fn recordings() -> Vec<(String, Vec<Step>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/recordings");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let steps = std::fs::read_to_string(&path)
                .unwrap()
                .lines()
                .map(|line| decode_step(line.as_bytes()).unwrap())
                .collect();
            (name, steps)
        })
        .collect();
    all.sort_by(|a: &(String, _), b| a.0.cmp(&b.0));
    all
}

/// One recording.
pub fn recording(name: &str) -> Vec<Step> {
    let found = recordings().into_iter().find(|(found, _)| found.starts_with(name));
    found.unwrap_or_else(|| panic!("no recording {name}")).1
}

/// Folds steps on a virtual clock.
pub fn fold(steps: &[Step]) -> Transcript {
    let mut transcript = Transcript::new();
    let mut now = Duration::from_secs(100);
    for step in steps {
        match step {
            Step::Event(line) => transcript.apply(line, now),
            Step::Directive(Directive::Wait(wait)) => now += Duration::from_millis(wait.ms),
            Step::Directive(Directive::Drop(_)) => transcript.connection_lost(),
            Step::Directive(_) => {}
        }
    }
    transcript
}

/// A line an item and call.
pub fn dump(transcript: &mut Transcript) -> Vec<String> {
    transcript.items().iter().flat_map(lines).collect()
}

/// The lines of one item.
pub fn lines(item: &FlowItem) -> Vec<String> {
    match &item.body {
        ItemBody::User { text } => vec![format!("user {text}")],
        ItemBody::Thinking(thinking) => {
            let state = match thinking.state {
                ThinkingState::Open { .. } => "open".to_owned(),
                ThinkingState::Done { elapsed } => format!("done {}", seconds(elapsed)),
                ThinkingState::Interrupted { elapsed } => format!("interrupted {}", seconds(elapsed)),
            };
            let summary = thinking.summary.join("|");
            vec![format!("thinking {state} {:?} {summary}", thinking.text).trim_end().to_owned()]
        }
        ItemBody::Text { text, closed } => {
            vec![format!("text {}{text:?}", if *closed { "" } else { "open " })]
        }
        ItemBody::Call(root) => root.walk().into_iter().map(|(depth, call)| call_line(depth, call)).collect(),
        ItemBody::Orphan { id, summary } => vec![format!("orphan {id} {summary}")],
        ItemBody::Command { line, outcome, .. } => vec![format!("command {line}: {outcome}")],
        ItemBody::Notice { level, text } => vec![format!("notice {level} {text}")],
        ItemBody::Compaction { summary, before, after } => {
            vec![format!("compaction {before} to {after} {summary}")]
        }
        ItemBody::CutOff { reason } => vec![format!("cut off {reason}").trim_end().to_owned()],
        ItemBody::TurnEnded(end) => vec![format!("turn ended {}", end.reason)],
        ItemBody::Earlier { count } => vec![format!("earlier {count}")],
    }
}

fn call_line(depth: usize, call: &Arc<ToolCall>) -> String {
    let mut line = format!("{}{} {}", "  ".repeat(depth), call.name, call.state.word());
    if !call.args.raw().is_empty() {
        line += &format!(" {}{}", call.args.raw(), if call.args.is_complete() { "" } else { "…" });
    }
    if !call.progress.text().is_empty() {
        line += &format!(" tail {:?}", call.progress.text());
    }
    if let Some(result) = &call.result {
        line += &format!(" = {}", result.summary);
    }
    if let Some(approval) = &call.approval {
        line += &format!(" ask {}", approval.title);
    }
    line
}

fn seconds(elapsed: Option<Duration>) -> String {
    elapsed.map_or_else(|| "-".to_owned(), |elapsed| format!("{}s", elapsed.as_secs()))
}
