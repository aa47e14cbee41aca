//! What a call is about, for what a person does with it: its file and line, its command, the change that it made.
//!
//! An action of the card comes first, since its view knows best; then the arguments by the names that tools give them,
//! then what the card shows. All of it is raw: it goes to an editor or a clipboard, not to the screen.

use std::fmt::Write as _;
use std::sync::Arc;

use carpel_slots::card::{Action, DiffTag, Hunk};
use carpel_slots::{Block, Card, CardCx, Density, Registry, SubCalls, ToolCall};

/// Names of the argument that holds a file.
const FILES: &[&str] = &[
    "file_path",
    "notebook_path",
    "filePath",
    "filepath",
    "absolute_path",
    "target_file",
    "file",
    "filename",
];
/// Names of an argument that may hold a file or a folder.
const PATHS: &[&str] = &["path", "dir_path", "directory", "folder", "dir"];
/// Names of the argument that holds a command.
const COMMANDS: &[&str] = &["command", "cmd", "script"];

/// A file and where in it to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file, raw, as the call names it.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u64>,
}

/// The card of one call with nothing left out.
pub fn card(call: &Arc<ToolCall>, registry: &Registry) -> Card {
    let alone = Arc::new(ToolCall { sub_calls: SubCalls::default(), ..ToolCall::clone(call) });
    let cx = CardCx { density: Density::Detail, ..CardCx::default() };
    let placed = registry.tree().map(|tree| tree.place(&alone, None, registry, &cx)).unwrap_or_default();
    placed.into_iter().next().map(|placed| placed.card).unwrap_or_default()
}

/// The file that a call is about.
pub fn target(call: &ToolCall, card: &Card) -> Option<Target> {
    let opened = card.actions.iter().find_map(|action| match action {
        Action::OpenFile { path, line } => Some(Target { path: path.clone(), line: *line }),
        Action::OpenUrl(_) => None,
    });
    let blocks = card.body.as_deref().unwrap_or_default();
    let named = || argument(call, FILES).map(|path| Target { path, line: blocks.iter().find_map(line) });
    opened.or_else(named).or_else(|| blocks.iter().find_map(hit)).or_else(|| {
        let path = argument(call, PATHS)?;
        Some(Target { path, line: blocks.iter().find_map(line) })
    })
}

/// The first line that a block shows.
fn line(block: &Block) -> Option<u64> {
    match block {
        Block::Code { first_line, .. } => *first_line,
        Block::Diff { hunks, .. } => hunks.first().and_then(changed_line),
        Block::Text(_)
        | Block::Matches { .. }
        | Block::Table { .. }
        | Block::Fields(_)
        | Block::Markdown(_)
        | Block::Output(_) => None,
    }
}

/// The line of the first change in a hunk, as the file stands now.
fn changed_line(hunk: &Hunk) -> Option<u64> {
    let start = hunk.new_start.or(hunk.old_start)?;
    let context = hunk.lines.iter().take_while(|line| line.tag == DiffTag::Context).count();
    Some(start + u64::try_from(context).unwrap_or_default())
}

/// The first hit of a search.
fn hit(block: &Block) -> Option<Target> {
    let Block::Matches { groups } = block else { return None };
    let group = groups.first()?;
    let line = group.lines.iter().find(|line| !line.hits.is_empty()).or_else(|| group.lines.first());
    Some(Target { path: group.path.clone(), line: line.map(|line| line.line) })
}

/// The command that a call runs.
pub fn command(call: &ToolCall) -> Option<String> {
    argument(call, COMMANDS)
}

/// The change that a call makes, as a patch.
pub fn diff(call: &ToolCall, card: &Card) -> Option<String> {
    let path = argument(call, FILES).or_else(|| argument(call, PATHS));
    let mut patch = String::new();
    for block in card.body.as_deref().unwrap_or_default() {
        let Block::Diff { path: of_block, hunks } = block else { continue };
        if let Some(path) = of_block.as_ref().or(path.as_ref()) {
            // Writing into a string cannot fail.
            let _ = write!(patch, "--- {path}\n+++ {path}\n");
        }
        hunks.iter().for_each(|hunk| put_hunk(&mut patch, hunk));
    }
    (!patch.is_empty()).then_some(patch)
}

fn put_hunk(patch: &mut String, hunk: &Hunk) {
    let count = |gone: DiffTag| hunk.lines.iter().filter(|line| line.tag != gone).count();
    let _ = match (hunk.old_start, hunk.new_start) {
        (Some(old), Some(new)) => {
            writeln!(patch, "@@ -{old},{} +{new},{} @@", count(DiffTag::Added), count(DiffTag::Removed))
        }
        _ => writeln!(patch, "@@"),
    };
    for line in &hunk.lines {
        let sign = match line.tag {
            DiffTag::Context => ' ',
            DiffTag::Added => '+',
            DiffTag::Removed => '-',
        };
        let _ = writeln!(patch, "{sign}{}", line.text);
        if line.open {
            patch.push_str("\\ No newline at end of file\n");
        }
    }
}

/// What came of a call: an excerpt without its line numbers, else the raw output, else what has come so far.
pub fn output(call: &ToolCall, card: &Card) -> Option<String> {
    let blocks = card.body.as_deref().unwrap_or_default();
    let excerpt = blocks.iter().find_map(|block| match block {
        Block::Code { first_line: Some(_), text, .. } => Some(text.clone()),
        _ => None,
    });
    let result = call.result.as_ref();
    let told = || result.and_then(|result| result.output.clone());
    let growing = || Some(call.progress.text().to_owned());
    let summary = || result.map(|result| result.summary.clone());
    [excerpt.filter(|_| result.is_some()), told(), growing(), summary()]
        .into_iter()
        .flatten()
        .find(|text| !text.is_empty())
}

fn argument(call: &ToolCall, names: &[&str]) -> Option<String> {
    let fields = call.args.partial()?.as_object()?;
    let text = names.iter().find_map(|name| fields.get(*name))?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}
