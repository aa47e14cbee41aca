//! The blocks of a card as parts of a Markdown document.
//!
//! One function from a block to its parts, each of which stands between empty lines. What was written by others is in a
//! fence, in a cell of a table or behind [`answer::contained`]. It knows no calls. Read `text.rs` next.

use carpel_slots::card::{DiffTag, Hunk, MatchGroup};
use carpel_slots::{Block, Line, Printable};

use super::answer;
use super::text::{fence, inline, lines, table};
use crate::render::output::Screen;
use crate::render::theme::Theme;

/// A value of a field is in the table up to so many characters.
const CELL: usize = 200;

/// The parts of one block.
pub fn parts(block: &Block) -> Vec<String> {
    match block {
        Block::Text(text) if text.iter().all(|line| line.text().trim().is_empty()) => Vec::new(),
        Block::Text(text) => fence("text", text.iter().map(Line::text).collect()),
        Block::Code { text, .. } if text.is_empty() => Vec::new(),
        Block::Code { lang, first_line, text } => {
            let from = first_line.filter(|first| *first > 1).map(|first| format!("From line {first}:"));
            let code = fence(lang.as_deref().unwrap_or_default(), lines(text));
            from.into_iter().chain(code).collect()
        }
        Block::Diff { path, hunks } => diff(path.as_deref(), hunks),
        Block::Matches { groups } => groups.iter().flat_map(matches).collect(),
        Block::Fields(fields) => self::fields(fields),
        Block::Table { columns, .. } if columns.is_empty() => Vec::new(),
        Block::Table { columns, rows } => {
            let head: Vec<&str> = columns.iter().map(String::as_str).collect();
            vec![table(&head, rows.iter().map(|row| row.iter().map(String::as_str).collect()))]
        }
        Block::Markdown(text) if text.trim().is_empty() => Vec::new(),
        Block::Markdown(text) => vec![answer::contained(text)],
        Block::Output(text) => output(text),
    }
}

/// Named values: a table of those of one line, a fence for each of the others.
pub fn fields(fields: &[(String, String)]) -> Vec<String> {
    let is_short = |value: &str| value.lines().count() <= 1 && value.chars().nth(CELL).is_none();
    let (short, long): (Vec<_>, Vec<_>) = fields.iter().cloned().partition(|(_, value)| is_short(value));
    let mut parts = Vec::new();
    if !short.is_empty() {
        let rows = short.iter().map(|(name, value)| vec![name.as_str(), value.as_str()]);
        parts.push(table(&["argument", "value"], rows));
    }
    for (name, value) in long {
        parts.push(format!("Argument {}:", inline(&name)));
        parts.extend(fence("text", lines(&value)));
    }
    parts
}

fn diff(path: Option<&str>, hunks: &[Hunk]) -> Vec<String> {
    let mut rows = Vec::new();
    if let Some(path) = path {
        let path = path_text(path);
        rows.extend([format!("--- {path}"), format!("+++ {path}")]);
    }
    for hunk in hunks {
        rows.push(hunk_head(hunk));
        for line in &hunk.lines {
            let sign = match line.tag {
                DiffTag::Context => ' ',
                DiffTag::Added => '+',
                DiffTag::Removed => '-',
            };
            rows.push(format!("{sign}{}", Printable::line(&line.text)));
            if line.open {
                rows.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    if hunks.is_empty() { Vec::new() } else { fence("diff", rows) }
}

/// `@@ -12,3 +12,4 @@`; without numbers where they are not known.
fn hunk_head(hunk: &Hunk) -> String {
    let count = |not: DiffTag| hunk.lines.iter().filter(|line| line.tag != not).count();
    let side = |start: u64, count: usize| match count {
        0 => format!("{},0", start.saturating_sub(1)),
        count => format!("{start},{count}"),
    };
    match (hunk.old_start, hunk.new_start) {
        (Some(old), Some(new)) => {
            format!("@@ -{} +{} @@", side(old, count(DiffTag::Added)), side(new, count(DiffTag::Removed)))
        }
        _ => "@@ @@".to_owned(),
    }
}

fn matches(group: &MatchGroup) -> Vec<String> {
    let noun = if group.count == 1 { "match" } else { "matches" };
    let mut rows = vec![format!("{}  {} {noun}", path_text(&group.path), group.count)];
    let width = group.lines.iter().map(|line| line.line).max().unwrap_or_default().to_string().len();
    rows.extend(
        group.lines.iter().map(|line| format!("{:>width$}  {}", line.line, Printable::line(&line.text))),
    );
    fence("text", rows)
}

/// A path in one line, not escaped: it stands in a fence.
fn path_text(path: &str) -> String {
    Printable::exact(path).to_string()
}

/// What a terminal would have shown, without colours.
fn output(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Vec::new();
    }
    let mut screen = Screen::new(Theme::NONE);
    let row = |line: &str| -> String {
        let spans = screen.line(line);
        spans.iter().map(|span| span.text.as_str()).collect::<String>().trim_end().to_owned()
    };
    fence("text", text.split('\n').map(row).collect())
}
