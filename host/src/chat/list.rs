//! What stands below the draft: a word about the last key, the list of what may be meant, or why a step is asked again.
//!
//! A list is at most so many rows, in columns, the letters that fit what is typed strong. Where there are more rows than
//! room its last one counts them. A long path loses its middle and keeps its name. Refuses to know what is listed.

use carpel_slots::{Printable, Role};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::chat::command_key;
use crate::chat::key::is_command;
use crate::chat::screen::PROMPT;
use crate::chat::state::Chat;
use crate::completion::{Open, filter};
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, text_width};
use crate::row::{Row, RowSpan};

/// Cells before the text of a row: the sign of the chosen one stands in them.
const MARGIN: usize = 4;

/// The rows, at most `most` of them where it is a list.
pub(super) fn rows(chat: &Chat, look: &Look, width: usize, most: usize) -> Vec<Row> {
    if let Some(word) = &chat.below.word {
        return said(word, look, width, most);
    }
    let buffer = &chat.composer.buffer;
    if is_command(chat) {
        return commands(chat).draw(look, width, most);
    }
    match chat.completion.list(buffer.text(), buffer.cursor()) {
        Some(open) if chat.composer.search.is_none() => offers(open).draw(look, width, most),
        _ => {
            let again = chat.transcript.session().again.as_ref();
            again.map(|word| said(word, look, width, most)).unwrap_or_default()
        }
    }
}

/// The chosen row in words, with its place, where a list is open and a row of it is chosen.
pub(super) fn chosen(chat: &Chat) -> Option<String> {
    let buffer = &chat.composer.buffer;
    let list = match is_command(chat) {
        true => commands(chat),
        false => offers(chat.completion.list(buffer.text(), buffer.cursor())?),
    };
    let at = list.selected?;
    let Entry { text, summary, .. } = list.entries.get(at)?;
    let summary = if summary.is_empty() { String::new() } else { format!(": {summary}") };
    Some(format!("{text}{summary}, {} of {}", at + 1, list.fitting))
}

fn said(word: &str, look: &Look, width: usize, most: usize) -> Vec<Row> {
    let spans = [RowSpan { text: Printable::line(word), style: look.theme.role(Role::Warning) }];
    let mut rows = wrap::wrap(&spans, width, &Indent::blanks(PROMPT.min(width / 2)));
    rows.truncate(most.max(1));
    rows
}

/// One row as it is to be drawn. Strings are raw.
struct Entry {
    text: String,
    /// Clusters of `text` that fit what is typed.
    marks: Vec<u32>,
    summary: String,
    is_disabled: bool,
}

struct List {
    /// Makes the entry of a row.
    entries: Vec<Entry>,
    selected: Option<usize>,
    /// How many fit altogether, and of how many; the list says so where not all are seen.
    fitting: usize,
    /// True when there may be others that are not known.
    more: bool,
}

fn commands(chat: &Chat) -> List {
    let candidates = command_key::candidates(chat);
    let selected = chat.below.selected.min(candidates.len().saturating_sub(1));
    let entries = candidates.into_iter().map(|row| Entry {
        is_disabled: row.disabled.is_some(),
        summary: row.disabled.unwrap_or(row.summary),
        text: row.label,
        marks: row.marks,
    });
    let entries: Vec<Entry> = entries.collect();
    let fitting = entries.len();
    List { entries, selected: Some(selected), fitting, more: false }
}

fn offers(open: &Open) -> List {
    let offers = (0..open.filter.shown()).filter_map(|row| open.filter.offer(row));
    let pattern = &open.filter.offers().pattern;
    let entries = offers.map(|offer| Entry {
        marks: filter::marks(pattern, &offer.shown),
        text: offer.shown.clone(),
        summary: offer.summary.clone(),
        is_disabled: false,
    });
    let fitting = open.filter.fitting();
    List { entries: entries.collect(), selected: open.selected, fitting, more: open.filter.offers().more }
}

impl List {
    fn draw(&self, look: &Look, width: usize, most: usize) -> Vec<Row> {
        let is_counted = (self.fitting > most || self.more) && most > 2;
        let room = if is_counted { most - 1 } else { most };
        let selected = self.selected.unwrap_or(0);
        let first = (selected + 1).saturating_sub(room);
        let seen: Vec<&Entry> = self.entries.iter().skip(first).take(room).collect();
        let has_summaries = seen.iter().any(|entry| !entry.summary.is_empty());
        let inner = width.saturating_sub(MARGIN);
        let widest = if has_summaries && inner >= 40 { inner * 2 / 3 } else { inner };
        let column = seen.iter().map(|entry| text_width(Printable::line(&entry.text).as_str()));
        let column = column.max().unwrap_or(0).min(widest);
        let mut rows: Vec<Row> = Vec::new();
        for (at, entry) in seen.iter().enumerate() {
            rows.push(entry.draw(look, width, column, self.selected == Some(first + at)));
        }
        if is_counted {
            let at = self.selected.map_or(rows.len(), |at| at + 1);
            let more = if self.more { ", and files that are not listed" } else { "" };
            let count = format!("{}{at} of {}{more}", " ".repeat(MARGIN), self.fitting);
            rows.push(wrap::cut(
                &Row::of(look.theme.dim(), Printable::line(&count)),
                width,
                look.glyphs.ellipsis,
            ));
        }
        rows
    }
}

impl Entry {
    fn draw(&self, look: &Look, width: usize, column: usize, is_chosen: bool) -> Row {
        let mut row = Row::default();
        let sign = if is_chosen { look.glyphs.prompt } else { " " };
        row.push(look.theme.role(Role::Accent), Printable::line(&format!("  {sign} ")));
        let style = match (self.is_disabled, is_chosen) {
            (true, _) => look.theme.dim(),
            (false, true) => look.theme.role(Role::Accent),
            (false, false) => look.theme.role(Role::Plain),
        };
        let used = row.width();
        for span in self.text(style, column, look.glyphs.ellipsis) {
            row.push(span.style, span.text);
        }
        if !self.summary.is_empty() {
            let blanks = (used + column + 2).saturating_sub(row.width());
            let summary = format!("{}{}", " ".repeat(blanks), self.summary);
            row.push(look.theme.dim(), Printable::line(&summary));
        }
        wrap::cut(&row, width, look.glyphs.ellipsis)
    }

    /// The text in so many cells: where it is too long its middle goes, and its name, behind the last slash, stays.
    fn text(&self, style: Style, width: usize, ellipsis: &str) -> Vec<RowSpan> {
        let cluster = |(at, text): (usize, &str)| {
            let is_marked = u32::try_from(at).is_ok_and(|at| self.marks.binary_search(&at).is_ok());
            let style =
                if is_marked { style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED) } else { style };
            RowSpan { text: Printable::line(text), style }
        };
        let whole: Vec<RowSpan> = self.text.graphemes(true).enumerate().map(cluster).collect();
        let cells = |spans: &[RowSpan]| spans.iter().map(|span| span.text.width()).sum::<usize>();
        if cells(&whole) <= width {
            return joined(whole);
        }
        let name = self
            .text
            .trim_end_matches('/')
            .rfind('/')
            .map_or(0, |at| self.text[..at].graphemes(true).count());
        let (folders, name) = whole.split_at(name);
        let mark = RowSpan { text: Printable::line(ellipsis), style };
        let room = width.saturating_sub(mark.text.width());
        let (head, tail) = match room.checked_sub(cells(name)) {
            Some(left) if !folders.is_empty() => (head(folders, left), name),
            // The name alone is too long: it loses its end.
            _ => (head(&name[usize::from(!folders.is_empty())..], room), &name[..0]),
        };
        joined(head.iter().cloned().chain([mark]).chain(tail.iter().cloned()).collect())
    }
}

/// As many spans from the beginning as fit.
fn head(spans: &[RowSpan], width: usize) -> &[RowSpan] {
    let mut used = 0;
    let fits = spans.iter().take_while(|span| {
        used += span.text.width();
        used <= width
    });
    &spans[..fits.count()]
}

/// Neighbours that look the same as one span.
fn joined(spans: Vec<RowSpan>) -> Vec<RowSpan> {
    let mut joined: Vec<RowSpan> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.style == span.style => {
                last.text = Printable::prose(&format!("{}{}", last.text, span.text));
            }
            _ => joined.push(span),
        }
    }
    joined
}
