//! Calls for tests, made in one expression, and cards as text.

use std::sync::Arc;

use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use carpel_slots::protocol::word::{Outcome, ToolKind};
use carpel_slots::{Approval, Args, Block, CallKey, CallResult, CallState, Card, Line, ToolCall};
use serde_json::Value;

/// A call under construction.
pub struct Fixture(ToolCall);

impl Fixture {
    pub fn new(name: &str) -> Fixture {
        Fixture(ToolCall::new(CallKey { turn: 1, id: Arc::from(name), occurrence: 0 }, name))
    }

    pub fn state(mut self, state: CallState) -> Fixture {
        self.0.state = state;
        self
    }

    pub fn streaming(mut self, raw: &str) -> Fixture {
        self.0.args = Args::streaming(raw);
        self.state(CallState::Streaming)
    }

    pub fn arguments(mut self, raw: &str) -> Fixture {
        self.0.args = Args::complete(raw);
        self.state(CallState::Executing)
    }

    pub fn kind(mut self, kind: ToolKind) -> Fixture {
        self.0.kind = Some(kind);
        self
    }

    /// Waiting for an answer to a question with that detail.
    pub fn asked(mut self, detail: &str) -> Fixture {
        self.0.approval = Some(Approval { title: "carpel asks".to_owned(), detail: detail.to_owned() });
        self.state(CallState::AwaitingApproval)
    }

    pub fn progress(mut self, text: &str) -> Fixture {
        self.0.progress.push(text);
        self
    }

    pub fn done(self, summary: &str, output: Option<&str>) -> Fixture {
        self.result(CallState::Done, Outcome::Ok, summary, output, None)
    }

    pub fn structured(mut self, structured: Value) -> Fixture {
        if let Some(result) = &mut self.0.result {
            result.structured = Some(structured);
        }
        self
    }

    pub fn result(
        mut self,
        state: CallState,
        outcome: Outcome,
        summary: &str,
        output: Option<&str>,
        structured: Option<Value>,
    ) -> Fixture {
        self.0.result = Some(CallResult {
            summary: summary.to_owned(),
            output: output.map(str::to_owned),
            output_total: None,
            outcome,
            structured,
        });
        self.state(state)
    }

    pub fn sub_calls(mut self, calls: Vec<ToolCall>) -> Fixture {
        self.0.sub_calls = calls.into_iter().map(Arc::new).collect();
        self
    }

    pub fn build(self) -> ToolCall {
        self.0
    }
}

/// A card as text: `title | note`, then a row for each line of its body, indented.
pub fn dump(card: &Card) -> String {
    let text = |line: &Option<Line>| line.as_ref().map(Line::text).unwrap_or_default();
    let mut rows = vec![match text(&card.note) {
        note if note.is_empty() => text(&card.title),
        note => format!("{} | {note}", text(&card.title)),
    }];
    for block in card.body.iter().flatten() {
        rows.extend(block_rows(block).into_iter().map(|row| format!("  {row}")));
    }
    rows.join("\n")
}

pub fn block_rows(block: &Block) -> Vec<String> {
    match block {
        Block::Text(lines) => lines.iter().map(Line::text).collect(),
        Block::Code { lang, first_line, text } => {
            let head =
                format!("code {} from {}:", lang.as_deref().unwrap_or("-"), first_line.unwrap_or_default());
            std::iter::once(head).chain(text.lines().map(str::to_owned)).collect()
        }
        Block::Diff { path, hunks } => {
            let head = format!("diff {}", path.as_deref().unwrap_or("-"));
            std::iter::once(head).chain(hunks.iter().flat_map(hunk_rows)).collect()
        }
        Block::Matches { groups } => groups
            .iter()
            .flat_map(|group| {
                let head = format!("{} ({})", group.path, group.count);
                let lines =
                    group.lines.iter().map(|line| format!("{}: {} {:?}", line.line, line.text, line.hits));
                std::iter::once(head).chain(lines)
            })
            .collect(),
        Block::Table { columns, rows } => {
            std::iter::once(columns).chain(rows).map(|row| format!("| {} |", row.join(" | "))).collect()
        }
        Block::Fields(fields) => fields.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
        Block::Markdown(text) => vec![format!("markdown: {text}")],
        Block::Output(text) => text.lines().map(|line| format!("output: {line}")).collect(),
    }
}

fn hunk_rows(hunk: &Hunk) -> Vec<String> {
    let number = |start: Option<u64>| start.map_or("?".to_owned(), |start| start.to_string());
    let head = format!("@@ {} {}", number(hunk.old_start), number(hunk.new_start));
    let line = |line: &DiffLine| {
        let sign = match line.tag {
            DiffTag::Context => " ",
            DiffTag::Added => "+",
            DiffTag::Removed => "-",
        };
        format!("{sign}{}{}", line.text, if line.open { " (open)" } else { "" })
    };
    std::iter::once(head).chain(hunk.lines.iter().map(line)).collect()
}
