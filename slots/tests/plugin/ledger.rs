//! A plugin whose view writes down all that it was given, so that a transcript shows what reached it.

use carpel_slots::plugin::{CommandAnswer, Plugin, PluginCommand};
use carpel_slots::wire::{CommandLine, CompletionLine, RunCx};
use carpel_slots::{Block, Card, CardCx, Line, Role, ToolCall, ToolView};

pub fn plugin() -> Plugin {
    Plugin::new("ledger", "1.2.3").view("book", Ledger).view("mcp__book__*", Ledger).command(Add)
}

struct Ledger;

impl ToolView for Ledger {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let field = |name: &str, value: String| (name.to_owned(), value);
        let below = call.sub_calls.below();
        let mut fields = vec![
            field("name", call.name.clone()),
            field("kind", call.kind.as_ref().map(ToString::to_string).unwrap_or_default()),
            field("value", call.args.value().map(ToString::to_string).unwrap_or_default()),
            field("partial", call.args.partial().map(ToString::to_string).unwrap_or_default()),
            field("progress", call.progress.text().to_owned()),
            field("elapsed", call.elapsed.map(|it| format!("{} ms", it.as_millis())).unwrap_or_default()),
            field(
                "below",
                format!(
                    "{} calls, {} failed, {} waiting, {} running",
                    below.calls, below.failed, below.waiting, below.running
                ),
            ),
            field(
                "cx",
                format!("{}, {}, {}", cx.cwd, cx.home.as_deref().unwrap_or("no home"), cx.density.name()),
            ),
        ];
        if let Some(approval) = &call.approval {
            fields.push(field("approval", format!("{}: {}", approval.title, approval.detail)));
        }
        let mut body = vec![Block::Fields(fields)];
        if let Some(result) = &call.result {
            body.push(Block::Text(vec![
                Line::of(Role::Dim, result.outcome.as_str()),
                Line::from(&*result.summary),
            ]));
            let total = result.output_total.map(|total| format!("of {total} bytes"));
            body.extend(total.map(|total| Block::Text(vec![Line::from(total.as_str())])));
            body.extend(result.output.clone().map(Block::Output));
            body.extend(result.structured.as_ref().map(|value| Block::Code {
                lang: Some("json".to_owned()),
                first_line: None,
                text: value.to_string(),
            }));
        }
        Card {
            title: Some(Line::of(Role::Strong, call.state.word())),
            note: call.args.partial_str("note").map(|note| Line::from(note.as_str())),
            body: Some(body),
            actions: Vec::new(),
        }
    }
}

struct Add;

impl PluginCommand for Add {
    fn about(&self) -> CommandLine {
        CommandLine {
            name: "add".to_owned(),
            summary: "adds two numbers".to_owned(),
            usage: "A B".to_owned(),
            example: ":add 1 2".to_owned(),
        }
    }

    fn complete(&self, typed: &str) -> Vec<CompletionLine> {
        vec![CompletionLine { insert: format!("{typed}0"), summary: "ten times".to_owned() }]
    }

    fn run(&self, arguments: &str, cx: &RunCx) -> Result<CommandAnswer, String> {
        let numbers: Result<Vec<u64>, _> = arguments.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|_| format!("add: `{arguments}` are no numbers; write `:add 1 2`"))?;
        let lines = vec![Line::of(Role::Path, &cx.cwd).and(Role::Plain, cx.density.name())];
        Ok(CommandAnswer { outcome: numbers.iter().sum::<u64>().to_string(), lines })
    }
}
