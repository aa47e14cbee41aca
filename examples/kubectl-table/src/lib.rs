//! What kubectl prints, as a table: a carpel plugin in Rust.
//!
//! It draws the calls of a tool `kubectl`, whose arguments are `{"command": "get pods -n web"}`, and of the tools that an
//! MCP server `k8s` offers. What is no table is shown as it came. The command `:kubectl-columns` says which columns count.
//!
//! Build it with `cargo build --release`; the plugin is `target/release/libkubectl_table.so`.

use carpel_slots::plugin::{CommandAnswer, PluginCommand};
use carpel_slots::wire::{CommandLine, CompletionLine, RunCx};
use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView};

carpel_slots::export! {
    name: "kubectl-table",
    views: ["kubectl" => Kubectl, "mcp__k8s__*" => Kubectl],
    commands: [Columns],
}

/// Draws a call of kubectl.
struct Kubectl;

impl ToolView for Kubectl {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        let result = call.result.as_ref();
        let output = result.and_then(|result| result.output.as_deref());
        // Only what went well is a table; what kubectl says of a failure is for the eye.
        let table = output.filter(|_| call.state == CallState::Done).and_then(Table::read);
        Card {
            // While the arguments arrive this is what has come of them.
            title: call.args.partial_str("command").map(|command| Line::of(Role::Command, &command)),
            note: table.as_ref().map(Table::note),
            body: match (table, output) {
                (Some(table), _) => Some(vec![table.block(cx.density)]),
                (None, Some(output)) => Some(vec![Block::Output(output.to_owned())]),
                // Nothing yet: the generic body, which shows live output.
                (None, None) => None,
            },
            actions: Vec::new(),
        }
    }
}

/// Columns that matter at normal density; the others are shown at detail.
const COLUMNS: [&str; 9] =
    ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "TYPE", "CLUSTER-IP", "AVAILABLE"];

/// A table of kubectl: names in capitals, each above its values.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// `None` for what is none.
    fn read(output: &str) -> Option<Table> {
        let mut lines = output.lines().filter(|line| !line.trim().is_empty());
        let head = lines.next()?;
        let is_name = |c: char| c.is_ascii_uppercase() || " -()/".contains(c);
        if !head.starts_with(|c: char| c.is_ascii_uppercase()) || !head.chars().all(is_name) {
            return None;
        }
        let starts = starts(head);
        if starts.len() < 2 {
            return None;
        }
        let rows = lines.map(|line| split(line, &starts)).collect();
        Some(Table { columns: split(head, &starts), rows })
    }

    /// How many there are, and how many of them are not well.
    fn note(&self) -> Line {
        let status = self.columns.iter().position(|name| name == "STATUS");
        let is_well = |row: &&Vec<String>| {
            let status = status.and_then(|at| row.get(at));
            status.is_none_or(|word| ["Running", "Completed", "Ready", "Active", "Bound"].contains(&&**word))
        };
        let well = self.rows.iter().filter(is_well).count();
        let note = Line::of(Role::Plain, &format!("{} found", self.rows.len()));
        match self.rows.len() - well {
            0 => note,
            unwell => note.and(Role::Plain, ", ").and(Role::Warning, &format!("{unwell} not well")),
        }
    }

    fn block(self, density: Density) -> Block {
        let is_shown =
            |at: &usize| density == Density::Detail || COLUMNS.contains(&self.columns[*at].as_str());
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(is_shown).collect();
        if shown.is_empty() {
            shown = (0..self.columns.len()).collect();
        }
        let pick = |row: &Vec<String>| -> Vec<String> { shown.iter().map(|at| row[*at].clone()).collect() };
        Block::Table { columns: pick(&self.columns), rows: self.rows.iter().map(pick).collect() }
    }
}

/// Where the columns begin, in characters: after two blanks or more.
fn starts(head: &str) -> Vec<usize> {
    let characters: Vec<char> = head.chars().collect();
    (0..characters.len())
        .filter(|at| {
            let blank = |back: usize| at.checked_sub(back).is_none_or(|at| characters[at] == ' ');
            characters[*at] != ' ' && blank(1) && blank(2)
        })
        .collect()
}

/// The values of a line, as many as there are columns.
fn split(line: &str, starts: &[usize]) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    let cell = |at: usize| {
        let from = starts[at].min(characters.len());
        let to = starts.get(at + 1).copied().unwrap_or(characters.len()).clamp(from, characters.len());
        characters[from..to].iter().collect::<String>().trim().to_owned()
    };
    (0..starts.len()).map(cell).collect()
}

/// `:kubectl-columns [PREFIX]` lists the columns that are shown at normal density.
struct Columns;

impl PluginCommand for Columns {
    fn about(&self) -> CommandLine {
        CommandLine {
            name: "kubectl-columns".to_owned(),
            summary: "lists the columns of kubectl that are shown".to_owned(),
            usage: "[PREFIX]".to_owned(),
            example: ":kubectl-columns N".to_owned(),
        }
    }

    fn complete(&self, typed: &str) -> Vec<CompletionLine> {
        let fits = COLUMNS.into_iter().filter(|name| name.starts_with(typed));
        fits.map(|name| CompletionLine { insert: name.to_owned(), summary: "column".to_owned() }).collect()
    }

    fn run(&self, arguments: &str, _cx: &RunCx) -> Result<CommandAnswer, String> {
        let lines: Vec<Line> =
            COLUMNS.into_iter().filter(|name| name.starts_with(arguments)).map(Line::from).collect();
        if lines.is_empty() {
            return Err(format!(
                "kubectl-columns: no column begins with `{arguments}`; leave it out for all"
            ));
        }
        Ok(CommandAnswer { outcome: format!("{} columns", lines.len()), lines })
    }
}
