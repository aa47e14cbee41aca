//! A session as Markdown: the items of a transcript and the cards of its calls, as text for people to keep.
//!
//! Pure: items and a registry in, a string out; who reads the items and where the string goes is for others (`cli/export`,
//! the chat). Headings of levels 1 to 3 are the structure, and only this module writes them: the title, `You`, then
//! `Answer` and calls; sub-calls stand one level deeper each. All text of others goes through [`text`], which makes it
//! printable and literal, through a fence that it cannot close, or through [`answer`], which keeps a model's Markdown
//! within its place. Read [`call`] for calls, `file` for how a file is written.

pub mod answer;
mod blocks;
mod call;
pub mod file;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
pub mod text;

use std::collections::BTreeMap;

use carpel_protocol::event::TurnEnd;
use carpel_protocol::word::{NoticeLevel, TurnEndReason};
use carpel_slots::{CardCx, Registry};

use crate::render::{clock, command, items};
use crate::transcript::item::{FlowItem, ItemBody, Thinking};
use text::{fence, inline, literal, quoted, table};

/// What is told of the session at the top; all strings are raw, empty ones are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Its title.
    pub title: String,
    /// Its identity.
    pub session: String,
    /// When it began, for people.
    pub began: String,
    /// When it was written down, for people.
    pub exported: String,
    /// The workspace folder.
    pub folder: String,
    /// Who answered, and with which model.
    pub provider: String,
    /// What a reader has to know, e.g. that the session goes on.
    pub note: String,
}

/// What an export goes by.
pub struct ExportCx<'a> {
    /// Views of calls and of commands.
    pub registry: &'a Registry,
    /// Where paths are shortened, and the density.
    pub card: CardCx,
    /// Whether thinking is written.
    pub thinking: bool,
    /// Where the whole of a long output is kept, by the call's id.
    pub side_files: BTreeMap<String, String>,
}

/// The whole text.
pub fn markdown(about: &About, items: &[FlowItem], cx: &ExportCx<'_>) -> String {
    let mut parts = top(about);
    for item in items {
        parts.extend(of_item(&item.body, cx));
    }
    if items.is_empty() {
        parts.push("Nothing was said in this session.".to_owned());
    }
    let mut page = parts.join("\n\n");
    page.push('\n');
    page
}

/// Who answered: the provider and its model, which may name the provider itself.
pub fn answerer(provider: &str, model: &str) -> String {
    if model.starts_with(provider) {
        model.to_owned()
    } else {
        format!("{provider} {model}").trim().to_owned()
    }
}

/// This moment, for people.
pub fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).ok().and_then(date).unwrap_or_default()
}

/// A moment, given in Unix milliseconds, for people; `None` for one that no calendar has.
pub fn date(at: i64) -> Option<String> {
    const LAST: u64 = 253_402_300_799;
    let seconds = u64::try_from(at / 1000).ok().filter(|seconds| *seconds <= LAST)?;
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    let text = humantime::format_rfc3339_seconds(time).to_string();
    Some(text.replace('T', " ").replace('Z', " UTC"))
}

fn top(about: &About) -> Vec<String> {
    let title = if about.title.trim().is_empty() { "A session without a title" } else { &about.title };
    let facts = [
        ("began", &about.began),
        ("exported", &about.exported),
        ("folder", &about.folder),
        ("provider", &about.provider),
        ("note", &about.note),
    ];
    let rows: Vec<(String, String)> = facts
        .into_iter()
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    let rows = rows.iter().map(|(name, value)| vec![name.as_str(), value.as_str()]);
    vec![format!("# {}", text::heading(title)), table(&["session", &about.session], rows)]
}

fn of_item(body: &ItemBody, cx: &ExportCx<'_>) -> Vec<String> {
    match body {
        ItemBody::User { text } => vec!["## You".to_owned(), literal(text)],
        ItemBody::Thinking(thinking) if cx.thinking => of_thinking(thinking),
        ItemBody::Thinking(_) => Vec::new(),
        ItemBody::Text { text, .. } if text.trim().is_empty() => Vec::new(),
        ItemBody::Text { text, .. } => vec!["### Answer".to_owned(), answer::contained(text)],
        ItemBody::Call(root) => call::tree(root, cx),
        ItemBody::Orphan { id, summary } => vec![sign("◐", "result without a call", &joined(id, summary))],
        ItemBody::Command { line, ok, outcome, lines } => {
            let record = command::record(line, *ok, outcome, lines);
            let card = command::card(&record, cx.registry, &cx.card);
            let glyph = if *ok { "✓" } else { "✗" };
            let title = card.title.unwrap_or_default().text();
            let note = card.note.unwrap_or_default().text();
            let word = text::code(&format!(":{} {title}", record.name()));
            let mut parts = vec![signed(glyph, &word, &note)];
            parts.extend(card.body.iter().flatten().flat_map(blocks::parts));
            parts
        }
        ItemBody::Notice { level, text } => vec![of_notice(level, text)],
        ItemBody::Compaction { summary, before, after } => {
            let figures = format!("{} to {} tokens", clock::tokens(*before), clock::tokens(*after));
            let mut parts = vec![sign("·", "compacted", &figures)];
            if !summary.trim().is_empty() {
                parts.push(quoted(&literal(summary)));
            }
            parts
        }
        ItemBody::CutOff { reason } => vec![sign("·", "cut off, started again", reason)],
        ItemBody::TurnEnded(end) => of_end(end).into_iter().collect(),
        ItemBody::Earlier { count } => vec![format!("… {count} earlier items")],
    }
}

fn of_thinking(thinking: &Thinking) -> Vec<String> {
    let summary = thinking.summary.join("\n");
    let text = if thinking.text.trim().is_empty() { &summary } else { &thinking.text };
    let is_empty = text.trim().is_empty();
    let Some(label) = items::label(thinking.state, std::time::Duration::ZERO, is_empty) else {
        return Vec::new();
    };
    let label = format!("*{label}*");
    vec![quoted(&if is_empty { label } else { format!("{label}\n\n{}", literal(text)) })]
}

fn of_notice(level: &NoticeLevel, text: &str) -> String {
    let word = match level {
        NoticeLevel::Info | NoticeLevel::Other(_) => return quoted(&literal(text)),
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    };
    quoted(&match text.trim() {
        line if !line.contains('\n') => format!("**{word}:** {}", inline(line)),
        lines => format!("**{word}:**\n\n{}", literal(lines)),
    })
}

fn of_end(end: &TurnEnd) -> Option<String> {
    let (glyph, word) = match &end.reason {
        TurnEndReason::Completed => return None,
        TurnEndReason::Cancelled => ("⊘", "cancelled".to_owned()),
        TurnEndReason::Failed => ("✗", "the turn failed".to_owned()),
        TurnEndReason::Limit => ("◐", "the turn stopped at a limit".to_owned()),
        TurnEndReason::Other(word) => ("◐", format!("the turn ended: {word}")),
    };
    Some(sign(glyph, &word, end.message.as_deref().unwrap_or_default()))
}

/// A sign, a word in bold, and what there is to say of it.
fn sign(glyph: &str, word: &str, about: &str) -> String {
    signed(glyph, &format!("**{}**", inline(word)), about)
}

fn signed(glyph: &str, word: &str, about: &str) -> String {
    let about = inline(about);
    if about.is_empty() { format!("{glyph} {word}") } else { format!("{glyph} {word} — {about}") }
}

fn joined(id: &str, summary: &str) -> String {
    [id, summary].into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join(", ")
}

/// A text of several lines that nobody may read as Markdown.
fn verbatim(text: &str) -> Vec<String> {
    fence("text", text::lines(text))
}
