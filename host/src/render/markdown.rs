//! Markdown of an answer: rows that are final, as soon as they are, and a tail that may still change.
//!
//! [`MarkdownStream`] keeps the state of one text. `blocks` finds what is final, `chunk` draws it; code of a fence goes
//! through the highlighter line by line. What was settled is never read again, and all settled rows together are the
//! rows of the whole text, however it came. It knows no scrollback and no other items.

use std::collections::VecDeque;
use std::time::Duration;

use carpel_slots::{Density, Printable};
use ratatui::style::Style;

use crate::paint::{PaintCx, Place, SettledText, TailText};
use crate::render::highlight::{DocId, Lookup};
use crate::render::painter::PATIENCE;
use crate::render::wrap::{self, Indent, blanks};
use crate::render::{Highlighter, Look, code};
use crate::row::{Row, RowSpan};

pub mod blocks;
pub mod chunk;
pub mod inline;
pub mod line;
mod nesting;
pub mod open;
pub mod table;

use blocks::{Blocks, Segment};
use chunk::Chunk;

/// Of text that is not final so much is drawn, its end.
const TAIL_BYTES: usize = 32 * 1024;

/// The state of one text.
#[derive(Default)]
pub struct MarkdownStream {
    blocks: Blocks,
    due: VecDeque<Due>,
    fence: Option<Fence>,
    /// A blank row is due before the next one.
    is_apart: bool,
    /// Something was given already.
    has_begun: bool,
    /// The number of the next item, while a numbered list goes on, and what stands behind it.
    next_number: Option<(u64, char)>,
    waiting_since: Option<Duration>,
}

/// Something final that has not been given yet.
enum Due {
    Segment(Segment),
    Code { doc: DocId, number: usize, line: String },
    End(DocId),
}

struct Fence {
    doc: DocId,
    fed: usize,
}

impl MarkdownStream {
    /// The rows that became final since the last call. `text` is the whole text so far.
    pub fn settle(
        &mut self,
        text: &str,
        closed: bool,
        cx: &PaintCx,
        look: Look,
        highlighter: &mut Highlighter,
    ) -> SettledText {
        if cx.density == Density::Overview {
            return self.settle_row(text, closed, cx, look, highlighter);
        }
        self.read(text, closed, highlighter);
        let mut settled = SettledText { rows: Vec::new(), ready: true };
        while let Some(due) = self.due.pop_front() {
            let patient = self.waiting_since.is_none_or(|since| cx.now.saturating_sub(since) < PATIENCE);
            let Some(rows) = self.rows(&due, text, cx.width, look, highlighter, patient) else {
                self.waiting_since.get_or_insert(cx.now);
                self.due.push_front(due);
                settled.ready = false;
                break;
            };
            if !matches!(due, Due::Code { .. }) || patient {
                self.waiting_since = None;
            }
            self.give(rows, &mut settled.rows);
        }
        settled
    }

    /// The rows of what [`MarkdownStream::settle`] has not given yet.
    pub fn tail(&mut self, text: &str, cx: &PaintCx, look: Look, highlighter: &mut Highlighter) -> TailText {
        if cx.density == Density::Overview {
            let row = if self.has_begun { None } else { first_row(text, cx.width, look, highlighter) };
            return TailText { rows: row.into_iter().collect(), held_by: None };
        }
        let mut rows = Vec::new();
        let (mut has_begun, mut is_apart) = (self.has_begun, self.is_apart);
        let mut add = |more: Vec<Row>, is_apart: &mut bool| {
            if !more.is_empty() && std::mem::take(is_apart) && has_begun {
                rows.push(Row::default());
            }
            has_begun |= !more.is_empty();
            rows.extend(more);
        };
        for due in &self.due {
            is_apart |= matches!(due, Due::Segment(Segment::Blank));
            add(draw(due, text, cx.width, look, highlighter, None).0, &mut is_apart);
        }
        add(self.unfinished(text, cx.width, look, highlighter), &mut is_apart);
        let cut = |row: &Row| match cx.place {
            Place::Live => wrap::cut(row, cx.width.max(1), look.glyphs.ellipsis),
            Place::Settled => row.clone(),
        };
        TailText { rows: rows.iter().map(cut).collect(), held_by: self.blocks.held_by() }
    }

    /// Gives back what the highlighter keeps for this text.
    pub fn close(&mut self, highlighter: &mut Highlighter) {
        if let Some(fence) = self.fence.take() {
            highlighter.close(fence.doc);
        }
        for due in self.due.drain(..) {
            if let Due::End(doc) = due {
                highlighter.close(doc);
            }
        }
    }

    /// How many bytes were looked at to find what is final.
    pub fn work(&self) -> u64 {
        self.blocks.work()
    }

    fn read(&mut self, text: &str, closed: bool, highlighter: &mut Highlighter) {
        let mut segments = Vec::new();
        self.blocks.read(text, closed, &mut segments);
        for segment in segments {
            match segment {
                Segment::FenceOpen(info) => {
                    let doc = highlighter.open(chunk::language(&text[info]));
                    self.fence = Some(Fence { doc, fed: 0 });
                    // Also for a fence without lines: it ends a numbered list.
                    self.due.push_back(Due::Segment(Segment::FenceClose));
                }
                Segment::FenceClose => {
                    if let Some(fence) = self.fence.take() {
                        self.due.push_back(Due::End(fence.doc));
                    }
                }
                Segment::CodeLine(range) if self.fence.is_some() => {
                    if let Some(fence) = &mut self.fence {
                        let line = code::source_line(&text[range]).into_owned();
                        highlighter.feed(fence.doc, &line);
                        self.due.push_back(Due::Code { doc: fence.doc, number: fence.fed, line });
                        fence.fed += 1;
                    }
                }
                segment => self.due.push_back(Due::Segment(segment)),
            }
        }
    }

    /// The rows of something final; `None` while its colours are awaited.
    fn rows(
        &mut self,
        due: &Due,
        text: &str,
        width: usize,
        look: Look,
        highlighter: &mut Highlighter,
        patient: bool,
    ) -> Option<Vec<Row>> {
        let number = self.number_of(due);
        let (rows, waiting) = draw(due, text, width, look, highlighter, number.map(|(number, _)| number));
        if waiting && patient {
            return None;
        }
        match due {
            Due::Code { doc, .. } if waiting => highlighter.give_up(*doc),
            Due::Code { .. } => {}
            Due::End(doc) => highlighter.close(*doc),
            Due::Segment(Segment::Blank) => {
                self.is_apart = true;
                return Some(Vec::new());
            }
            Due::Segment(_) => self.next_number = number.map(|(number, sign)| (number + 1, sign)),
        }
        Some(rows)
    }

    /// The number of an item: the next one within a list, its own at the beginning of one.
    fn number_of(&self, due: &Due) -> Option<(u64, char)> {
        match due {
            Due::Segment(Segment::Item { number: Some((number, sign)), .. }) => match self.next_number {
                Some((next, same)) if same == *sign => Some((next, same)),
                _ => Some((*number, *sign)),
            },
            _ => None,
        }
    }

    fn give(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_apart) && self.has_begun {
            out.push(Row::default());
        }
        self.has_begun = true;
        out.extend(rows);
    }

    /// The rows of the block that is still open, as it would be if it ended here.
    fn unfinished(&self, text: &str, width: usize, look: Look, highlighter: &mut Highlighter) -> Vec<Row> {
        let line = text.get(self.blocks.line_from()..).unwrap_or_default();
        let mut chunk = Chunk { width: width.max(1), look, highlighter, waiting: false };
        if let Some(mark) = self.blocks.open_fence() {
            if line.is_empty() || line.trim_start().chars().all(|c| c == mark) {
                return Vec::new();
            }
            return vec![chunk::code_row(
                code::spans(&code::source_line(line), &[], look.theme),
                width,
                look,
            )];
        }
        let pending = text.get(self.blocks.pending_from()..).unwrap_or_default();
        if pending.trim().is_empty() {
            return Vec::new();
        }
        if self.blocks.in_html() {
            return literal(line, width, look);
        }
        let pending = end_of(pending);
        let held = &pending[..pending.len().saturating_sub(line.len())];
        // A line that may become a fence or an underline says nothing yet.
        let is_mark = !line.trim().is_empty()
            && (line.trim_start().starts_with("```")
                || line.trim_start().starts_with("~~~")
                || line.trim().chars().all(|c| "`~=-*_#".contains(c)));
        let shown = if is_mark { held } else { pending };
        let mut shown = shown.to_owned();
        for closer in open::closers(shown.rsplit("\n\n").next().unwrap_or_default()) {
            shown.push_str(&closer);
        }
        if self.blocks.in_paragraph() { chunk.paragraph(&shown) } else { chunk.rows(&shown, None) }
    }

    /// At overview a text is one row, once it is whole.
    fn settle_row(
        &mut self,
        text: &str,
        closed: bool,
        cx: &PaintCx,
        look: Look,
        highlighter: &mut Highlighter,
    ) -> SettledText {
        let mut settled = SettledText { rows: Vec::new(), ready: true };
        if closed && !self.has_begun {
            self.has_begun = true;
            settled.rows.extend(first_row(text, cx.width, look, highlighter));
        }
        settled
    }
}

/// The rows of a whole text.
pub fn whole(text: &str, width: usize, look: Look, highlighter: &mut Highlighter) -> Vec<Row> {
    let cx = PaintCx { width, density: Density::Normal, now: Duration::ZERO, place: Place::Settled };
    let mut stream = MarkdownStream::default();
    let mut rows = stream.settle(text, true, &cx, look, highlighter).rows;
    // What is still awaited is drawn without its colours.
    let late = PaintCx { now: PATIENCE, ..cx };
    while !stream.due.is_empty() {
        rows.extend(stream.settle(text, true, &late, look, highlighter).rows);
    }
    rows
}

/// The first row of a text, with an ellipsis when there is more.
fn first_row(text: &str, width: usize, look: Look, highlighter: &mut Highlighter) -> Option<Row> {
    let begin = text.trim_start();
    let head = &begin[..begin.floor_char_boundary(2_000)];
    let rows = whole(head, 2_000, look, highlighter);
    let rows: Vec<Row> = rows.into_iter().filter(|row| !row.spans.is_empty()).collect();
    let first = rows.first()?;
    let mut spans = blanks(if width < 8 { 0 } else { 2 });
    spans.extend_from_slice(&first.spans);
    if rows.len() > 1 || head.len() < begin.trim_end().len() {
        let text = Printable::line(&format!(" {}", look.glyphs.ellipsis));
        spans.push(RowSpan { text, style: look.theme.dim() });
    }
    Some(wrap::cut(&Row { spans, unbroken: false }, width.max(1), look.glyphs.ellipsis))
}

/// The rows of something final and whether colours are still missing in them.
fn draw(
    due: &Due,
    text: &str,
    width: usize,
    look: Look,
    highlighter: &mut Highlighter,
    number: Option<u64>,
) -> (Vec<Row>, bool) {
    let width = width.max(1);
    let mut chunk = Chunk { width, look, highlighter, waiting: false };
    let rows = match due {
        Due::End(_) | Due::Segment(Segment::Blank | Segment::FenceOpen(_) | Segment::FenceClose) => {
            Vec::new()
        }
        Due::Code { doc, number, line } => {
            let pieces = match chunk.highlighter.line(*doc, *number) {
                Lookup::Ready(pieces) => pieces.to_vec(),
                Lookup::Waiting => {
                    chunk.waiting = true;
                    Vec::new()
                }
            };
            vec![chunk::code_row(code::spans(line, &pieces, look.theme), width, look)]
        }
        Due::Segment(Segment::CodeLine(range)) => {
            vec![chunk::code_row(
                code::spans(&code::source_line(&text[range.clone()]), &[], look.theme),
                width,
                look,
            )]
        }
        Due::Segment(Segment::Paragraph { range, more }) => {
            let mut lines = text[range.clone()].trim_end();
            if *more && lines.ends_with('\\') && !lines.ends_with("\\\\") {
                lines = &lines[..lines.len() - 1];
            }
            chunk.paragraph(lines)
        }
        Due::Segment(Segment::Block(range)) => chunk.rows(&text[range.clone()], None),
        Due::Segment(Segment::Item { range, .. }) => chunk.rows(&text[range.clone()], number),
        Due::Segment(Segment::Literal(range)) => literal(&text[range.clone()], width, look),
    };
    (rows, chunk.waiting)
}

/// A line as it is.
fn literal(line: &str, width: usize, look: Look) -> Vec<Row> {
    let span = RowSpan { text: Printable::prose(&code::source_line(line)), style: Style::new() };
    let spans = crate::render::clip::long_line(vec![span], crate::render::clip::LINE_CELLS, look);
    wrap::wrap_prose(&spans, width, &Indent::default())
}

/// The end of a text, from the beginning of a line where there is one.
fn end_of(text: &str) -> &str {
    if text.len() <= TAIL_BYTES {
        return text;
    }
    let from = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    let end = &text[from..];
    end.find('\n').map_or(end, |at| &end[at + 1..])
}

#[cfg(test)]
mod tests;
