//! Where blocks begin and end, found while the text still grows.
//!
//! [`Blocks`] reads each line once, when it is whole, and says which segments became final: a block, a line of code, a
//! list item, lines of a paragraph. What it says is a function of the text alone, not of how it came; nothing that is
//! final is looked at again. It draws nothing; segments are ranges of the text.
//!
//! Where CommonMark would hold back a whole paragraph for the sake of one line, it decides sooner: only a paragraph of one
//! line becomes a heading by an underline, and a span may go over a dozen lines at most.

use std::ops::Range;

use super::line::{self, HtmlEnd, Item, LineKind};
use super::open;

/// A span may be awaited over so many lines.
const SPAN_LINES: usize = 12;
/// And over so many bytes.
const SPAN_BYTES: usize = 4 * 1024;

/// A part of the text that is final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// One blank line or several.
    Blank,
    /// Lines of a paragraph; `more` when the paragraph goes on.
    Paragraph {
        /// Where they are.
        range: Range<usize>,
        /// True when another line follows.
        more: bool,
    },
    /// A block that stands for itself: a heading, a quotation, a table, a thematic break.
    Block(Range<usize>),
    /// An item of a list with all that is in it.
    Item {
        /// Where it is.
        range: Range<usize>,
        /// Its number and what stands behind it.
        number: Option<(u64, char)>,
    },
    /// A code fence begins; the language is the range.
    FenceOpen(Range<usize>),
    /// A line of code, its blanks in front already taken off.
    CodeLine(Range<usize>),
    /// The code fence ends.
    FenceClose,
    /// A line that is shown as it is.
    Literal(Range<usize>),
}

/// What is being read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum State {
    /// No block is open.
    #[default]
    Between,
    /// A paragraph: what is not final of it begins at `from`, its last line at `last`.
    Paragraph { from: usize, last: usize, lines: usize, is_whole: bool },
    /// A code fence.
    Fence { indent: usize, mark: char, length: usize },
    /// An item of a list.
    Item(OpenItem),
    /// A quotation.
    Quote { from: usize, end: usize, is_text: bool },
    /// A table.
    Table { from: usize, end: usize },
    /// HTML, shown as it is.
    Html(HtmlEnd),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenItem {
    from: usize,
    end: usize,
    item: Item,
    fence: Option<(char, usize)>,
    is_blank: bool,
    is_text: bool,
}

/// Reads blocks from a text that grows.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// Where the first line begins that has not been read.
    at: usize,
    /// No line feed stands between `at` and here.
    searched: usize,
    state: State,
    /// How many bytes were looked at in all.
    work: u64,
}

impl Blocks {
    /// Reads what has come; with `closed` all of it is final.
    pub fn read(&mut self, text: &str, closed: bool, out: &mut Vec<Segment>) {
        while let Some(found) = text.get(self.searched..).and_then(|rest| rest.find('\n')) {
            let end = self.searched + found;
            self.work += found as u64 + 1;
            self.line(text, self.at..end, out);
            self.at = end + 1;
            self.searched = self.at;
        }
        self.work += text.len().saturating_sub(self.searched) as u64;
        self.searched = text.len();
        if closed {
            if self.at < text.len() {
                self.line(text, self.at..text.len(), out);
                self.at = text.len();
            }
            self.flush(text.len(), out);
        }
    }

    /// Where what is not final begins.
    pub fn pending_from(&self) -> usize {
        match &self.state {
            State::Between | State::Fence { .. } | State::Html(_) => self.at,
            State::Paragraph { from, .. } | State::Quote { from, .. } | State::Table { from, .. } => *from,
            State::Item(open) => open.from,
        }
    }

    /// Where the unfinished line begins.
    pub fn line_from(&self) -> usize {
        self.at
    }

    /// What has to end before the rest can be final.
    pub fn held_by(&self) -> Option<&'static str> {
        match &self.state {
            State::Paragraph { lines, .. } if *lines > 1 => Some("the paragraph"),
            State::Between | State::Fence { .. } | State::Html(_) | State::Paragraph { .. } => None,
            State::Item(_) => Some("the list item"),
            State::Quote { .. } => Some("the quotation"),
            State::Table { .. } => Some("the table"),
        }
    }

    /// The open code fence: its mark.
    pub fn open_fence(&self) -> Option<char> {
        match self.state {
            State::Fence { mark, .. } => Some(mark),
            _ => None,
        }
    }

    /// True while a paragraph is open.
    pub fn in_paragraph(&self) -> bool {
        matches!(self.state, State::Paragraph { .. })
    }

    /// True while lines are shown as they are.
    pub fn in_html(&self) -> bool {
        matches!(self.state, State::Html(_))
    }

    /// How many bytes were looked at in all: grows with the text, not with the number of its pieces.
    pub fn work(&self) -> u64 {
        self.work
    }

    fn line(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Segment>) {
        self.work += range.len() as u64;
        let content = text[range.clone()].trim_end_matches('\r');
        match std::mem::take(&mut self.state) {
            State::Between => self.begin(content, range, out),
            State::Paragraph { from, last, lines, is_whole } => {
                self.paragraph(text, content, range, Pending { from, last, lines, is_whole }, out);
            }
            State::Fence { indent, mark, length } => {
                if line::closes(content, mark, length) {
                    out.push(Segment::FenceClose);
                } else {
                    let blanks = content.len() - content.trim_start_matches(' ').len();
                    out.push(Segment::CodeLine(range.start + blanks.min(indent)..range.end));
                    self.state = State::Fence { indent, mark, length };
                }
            }
            State::Item(open) => self.item(content, range, open, out),
            State::Quote { from, end, is_text } => self.quote(content, range, (from, end, is_text), out),
            State::Table { from, end } => {
                if matches!(
                    line::kind(content),
                    LineKind::Text | LineKind::Definition | LineKind::Html(_, false)
                ) {
                    self.state = State::Table { from, end: range.end };
                } else {
                    out.push(Segment::Block(from..end));
                    self.begin(content, range, out);
                }
            }
            State::Html(end) => self.html(content, range, end, out),
        }
    }

    fn begin(&mut self, content: &str, range: Range<usize>, out: &mut Vec<Segment>) {
        match line::kind(content) {
            LineKind::Blank => {
                if out.last() != Some(&Segment::Blank) {
                    out.push(Segment::Blank);
                }
            }
            LineKind::Fence(fence) => {
                let info_at = range.start + content.trim_end().len() - fence.info.len();
                out.push(Segment::FenceOpen(info_at..info_at + fence.info.len()));
                self.state = State::Fence { indent: fence.indent, mark: fence.mark, length: fence.length };
            }
            LineKind::Heading | LineKind::Rule => out.push(Segment::Block(range)),
            LineKind::Item(item) => {
                let rest = content.get(item.content.min(content.len())..).unwrap_or_default();
                self.state = State::Item(OpenItem {
                    from: range.start,
                    end: range.end,
                    item,
                    fence: line::fence_of(rest),
                    is_blank: false,
                    is_text: line::is_text(rest),
                });
            }
            LineKind::Quote => {
                self.state = State::Quote {
                    from: range.start,
                    end: range.end,
                    is_text: line::is_text(line::unquoted(content)),
                };
            }
            LineKind::Html(end, _) => self.html(content, range, end, out),
            LineKind::Indented => {
                let blanks = content.len() - content.trim_start_matches(' ').len();
                out.push(Segment::CodeLine(range.start + blanks.min(4)..range.end));
            }
            LineKind::Definition => out.push(Segment::Literal(range)),
            LineKind::Text => {
                self.state =
                    State::Paragraph { from: range.start, last: range.start, lines: 1, is_whole: true };
            }
        }
    }

    fn paragraph(
        &mut self,
        text: &str,
        content: &str,
        range: Range<usize>,
        pending: Pending,
        out: &mut Vec<Segment>,
    ) {
        let Pending { from, last, lines, is_whole } = pending;
        let before = from..range.start;
        if is_whole && lines == 1 && line::is_underline(content) {
            out.push(Segment::Block(from..range.end));
            return;
        }
        let header = text[last..range.start].trim_end();
        if line::delimiter_columns(content).is_some_and(|columns| columns == line::row_columns(header)) {
            if last > from {
                out.push(Segment::Paragraph { range: from..last, more: false });
            }
            self.state = State::Table { from: last, end: range.end };
            return;
        }
        if line::interrupts(content) {
            out.push(Segment::Paragraph { range: before, more: false });
            self.begin(content, range, out);
            return;
        }
        let held = &text[before.clone()];
        self.work += held.len() as u64;
        if lines < SPAN_LINES && held.len() < SPAN_BYTES && !open::closers(held).is_empty() {
            self.state = State::Paragraph { from, last: range.start, lines: lines + 1, is_whole };
        } else {
            out.push(Segment::Paragraph { range: before, more: true });
            self.state = State::Paragraph { from: range.start, last: range.start, lines: 1, is_whole: false };
        }
    }

    fn item(&mut self, content: &str, range: Range<usize>, mut open: OpenItem, out: &mut Vec<Segment>) {
        let kind = line::kind(content);
        if kind == LineKind::Blank {
            let was_marker_only =
                open.item.is_empty && open.end <= range.start && !open.is_blank && !open.is_text;
            if was_marker_only {
                self.close_item(open, out);
                out.push(Segment::Blank);
                return;
            }
            open.is_blank = true;
            open.is_text = false;
            self.state = State::Item(open);
            return;
        }
        let is_inside = line::indent(content) >= open.item.content;
        // Within a list every marker begins an item, also one that could not interrupt a paragraph.
        let is_sibling = matches!(kind, LineKind::Item(_));
        let is_lazy =
            !is_inside && !is_sibling && open.fence.is_none() && open.is_text && !line::interrupts(content);
        if !is_inside && !is_lazy {
            self.close_item(open, out);
            self.begin(content, range, out);
            return;
        }
        let rest = content.trim_start_matches([' ', '\t']);
        match open.fence {
            Some((mark, length)) if is_inside && line::closes(rest, mark, length) => {
                open.fence = None;
                open.is_text = false;
            }
            Some(_) => open.is_text = false,
            None => {
                open.fence = line::fence_of(rest);
                open.is_text =
                    line::is_text(rest) || matches!(line::kind(rest), LineKind::Item(item) if !item.is_empty);
            }
        }
        open.end = range.end;
        open.is_blank = false;
        self.state = State::Item(open);
    }

    fn close_item(&mut self, open: OpenItem, out: &mut Vec<Segment>) {
        out.push(Segment::Item { range: open.from..open.end, number: open.item.number });
        if open.is_blank {
            out.push(Segment::Blank);
        }
    }

    fn quote(
        &mut self,
        content: &str,
        range: Range<usize>,
        open: (usize, usize, bool),
        out: &mut Vec<Segment>,
    ) {
        let (from, end, was_text) = open;
        if line::kind(content) == LineKind::Quote {
            self.state =
                State::Quote { from, end: range.end, is_text: line::is_text(line::unquoted(content)) };
        } else if was_text && !content.trim().is_empty() && !line::interrupts(content) {
            self.state = State::Quote { from, end: range.end, is_text: true };
        } else {
            out.push(Segment::Block(from..end));
            self.begin(content, range, out);
        }
    }

    fn html(&mut self, content: &str, range: Range<usize>, end: HtmlEnd, out: &mut Vec<Segment>) {
        let is_last = match end {
            HtmlEnd::Blank => content.trim().is_empty(),
            HtmlEnd::Holds(mark) => content.to_ascii_lowercase().contains(mark),
        };
        if content.trim().is_empty() {
            out.push(Segment::Blank);
        } else {
            out.push(Segment::Literal(range));
        }
        if !is_last {
            self.state = State::Html(end);
        }
    }

    fn flush(&mut self, end: usize, out: &mut Vec<Segment>) {
        match std::mem::take(&mut self.state) {
            State::Between | State::Html(_) => {}
            State::Fence { .. } => out.push(Segment::FenceClose),
            State::Paragraph { from, .. } => out.push(Segment::Paragraph { range: from..end, more: false }),
            State::Item(open) => self.close_item(open, out),
            State::Quote { from, end, .. } | State::Table { from, end } => {
                out.push(Segment::Block(from..end))
            }
        }
    }
}

struct Pending {
    from: usize,
    last: usize,
    lines: usize,
    is_whole: bool,
}
