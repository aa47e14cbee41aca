//! One block of Markdown as rows: parsed by pulldown-cmark, drawn here.
//!
//! Headings are bold without their signs, lists hang behind their marker, quotations carry a dim bar, code stands
//! without a gutter. A soft line break stays one, and a blank row stands where the source has a blank line. It is given
//! text that is final or taken for final; where blocks end is known by `blocks`. Read `inline` for spans within a line,
//! `table` for tables.

use std::ops::Range;

use carpel_slots::Printable;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};
use ratatui::style::Style;

use super::inline::{self, GUARD, Spans};
use super::line;
use super::nesting;
use super::table::{self, Table};
use crate::render::clip::{self, LINE_CELLS};
use crate::render::code;
use crate::render::highlight::Lookup;
use crate::render::wrap::{self, Indent, blanks, spans_width};
use crate::render::{Highlighter, Look, block};
use crate::row::{Row, RowSpan};

/// How a chunk is drawn.
pub struct Chunk<'a> {
    /// Columns of a row.
    pub width: usize,
    /// Styles and glyphs.
    pub look: Look,
    /// Colours source text.
    pub highlighter: &'a mut Highlighter,
    /// Set when something was drawn plain because its colours are not there yet.
    pub waiting: bool,
}

impl Chunk<'_> {
    /// The rows of any Markdown. `number` replaces that of a first list item.
    pub fn rows(&mut self, source: &str, number: Option<u64>) -> Vec<Row> {
        self.draw(source, number, false)
    }

    /// The rows of lines of a paragraph, whatever they would begin elsewhere.
    pub fn paragraph(&mut self, source: &str) -> Vec<Row> {
        self.draw(&format!("{GUARD}{}", source.trim_start()), None, true)
    }

    fn draw(&mut self, source: &str, number: Option<u64>, is_guarded: bool) -> Vec<Row> {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let source: &str = &line::terminated(source);
        let parser = Parser::new_ext(source, options);
        let mut hidden: Vec<(usize, String)> = parser
            .reference_definitions()
            .iter()
            .map(|(label, definition)| (definition.span.start, format!("[{label}]: {}", definition.dest)))
            .collect();
        hidden.sort();
        // An escape sequence in pieces would not be known as one.
        let events: Vec<(Event<'_>, Range<usize>)> =
            TextMergeWithOffset::new(parser.into_offset_iter()).collect();
        if nesting::is_too_deep(&events) {
            return nesting::as_written(source, self.width, self.look);
        }
        let mut walk = Walk { chunk: self, source, events, at: 0, rows: Vec::new(), number, is_guarded };
        walk.blocks(&mut Margin::default(), None);
        let mut rows = walk.rows;
        // A definition has no place in the parsed text; its target is shown all the same.
        for (_, definition) in hidden {
            let span = RowSpan { text: Printable::prose(&definition), style: self.look.theme.dim() };
            rows.extend(wrap::wrap_prose(&[span], self.width, &Indent::default()));
        }
        rows
    }
}

/// What stands in front of the rows of a container.
#[derive(Default, Clone)]
struct Margin {
    first: Option<Vec<RowSpan>>,
    rest: Vec<RowSpan>,
}

impl Margin {
    fn take(&mut self) -> Indent {
        let first = self.first.take().unwrap_or_else(|| self.rest.clone());
        Indent { first, rest: self.rest.clone() }
    }

    /// The margin of a container within this one: its sign in front of its first row, `rest` in front of the others.
    fn within(&mut self, sign: Vec<RowSpan>, rest: Vec<RowSpan>) -> Margin {
        let outer = self.take();
        let join = |mut left: Vec<RowSpan>, right: Vec<RowSpan>| {
            left.extend(right);
            left
        };
        Margin { first: Some(join(outer.first, sign)), rest: join(outer.rest, rest) }
    }
}

struct Walk<'a, 'b, 'c> {
    chunk: &'a mut Chunk<'b>,
    source: &'c str,
    events: Vec<(Event<'c>, Range<usize>)>,
    at: usize,
    rows: Vec<Row>,
    number: Option<u64>,
    is_guarded: bool,
}

impl<'c> Walk<'_, '_, 'c> {
    fn next(&mut self) -> Option<(Event<'c>, Range<usize>)> {
        let event = self.events.get(self.at).cloned();
        self.at += 1;
        event
    }

    /// Blocks up to the end of the container.
    fn blocks(&mut self, margin: &mut Margin, end: Option<TagEnd>) {
        let mut before: Option<usize> = None;
        while let Some((event, range)) = self.events.get(self.at).cloned() {
            if matches!(&event, Event::End(tag) if Some(*tag) == end) {
                self.at += 1;
                return;
            }
            if before.is_some_and(|before| self.is_apart(before, range.start)) {
                self.blank(margin);
            }
            before = Some(range.end.max(before.unwrap_or(0)));
            match event {
                Event::Start(tag) => self.block(tag, margin),
                Event::Rule => {
                    self.at += 1;
                    self.rule(margin);
                }
                Event::End(_) => self.at += 1,
                // Text of a tight list item stands without a paragraph around it.
                Event::Text(_)
                | Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::TaskListMarker(_) => {
                    let (lines, until) = self.inline(None, Style::new());
                    before = Some(until);
                    self.lines(&lines, margin);
                }
            }
        }
    }

    /// True when a blank line stands between two blocks.
    fn is_apart(&self, end: usize, start: usize) -> bool {
        let head = self.source.get(..end).unwrap_or_default();
        let content = head.trim_end_matches([' ', '\t', '\n', '\r', '>']).len();
        let between = self.source.get(content..start).unwrap_or_default();
        between.bytes().filter(|byte| *byte == b'\n').count() > 1
    }

    fn blank(&mut self, margin: &Margin) {
        self.rows.push(wrap::trimmed(Row { spans: margin.rest.clone(), unbroken: false }));
    }

    fn block(&mut self, tag: Tag<'c>, margin: &mut Margin) {
        match tag {
            Tag::Paragraph => {
                self.at += 1;
                let (lines, _) = self.inline(Some(TagEnd::Paragraph), Style::new());
                self.lines(&lines, margin);
            }
            Tag::Heading { level, .. } => {
                self.at += 1;
                let style = self.chunk.look.theme.title();
                let (lines, _) = self.inline(Some(TagEnd::Heading(level)), style);
                if lines.iter().any(|line| !line.is_empty()) {
                    self.lines(&lines, margin);
                }
            }
            Tag::BlockQuote(kind) => {
                self.at += 1;
                let sign = vec![
                    RowSpan {
                        text: Printable::line(self.chunk.look.glyphs.quote),
                        style: self.chunk.look.theme.dim(),
                    },
                    RowSpan { text: Printable::line(" "), style: Style::new() },
                ];
                let mut inner = margin.within(sign.clone(), sign);
                self.blocks(&mut inner, Some(TagEnd::BlockQuote(kind)));
            }
            Tag::List(first) => {
                self.at += 1;
                let first = first.map(|first| self.number.take().unwrap_or(first));
                self.number = None;
                self.list(first, margin);
            }
            Tag::Item => {
                self.at += 1;
                self.blocks(margin, Some(TagEnd::Item));
            }
            Tag::CodeBlock(kind) => {
                self.at += 1;
                self.code(&kind, margin);
            }
            Tag::HtmlBlock => {
                self.at += 1;
                self.html(margin);
            }
            Tag::Table(alignments) => {
                self.at += 1;
                let table = Table { alignments, rows: self.table_rows() };
                let indent = margin.take();
                let room = self.chunk.width.saturating_sub(spans_width(&indent.rest)).max(1);
                for (at, row) in table::rows(&table, room, self.chunk.look).into_iter().enumerate() {
                    let mut spans = if at == 0 { indent.first.clone() } else { indent.rest.clone() };
                    spans.extend(row.spans);
                    let row = Row { spans, unbroken: false };
                    self.rows.push(wrap::cut(&row, self.chunk.width, self.chunk.look.glyphs.ellipsis));
                }
            }
            // Spans may stand at block level in a tight item.
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                let (lines, _) = self.inline(None, Style::new());
                self.lines(&lines, margin);
            }
            // Not switched on in the parser.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.at += 1,
        }
    }

    fn list(&mut self, first: Option<u64>, margin: &mut Margin) {
        let mut number = first;
        let end = TagEnd::List(first.is_some());
        let mut before: Option<usize> = None;
        while let Some((event, range)) = self.next() {
            match event {
                Event::End(tag) if tag == end => return,
                Event::Start(Tag::Item) => {
                    if before.is_some_and(|before| self.is_apart(before, range.start)) {
                        self.blank(margin);
                    }
                    before = Some(range.end);
                    let marker = match &mut number {
                        Some(number) => {
                            let text = format!("{number}. ");
                            *number += 1;
                            text
                        }
                        None => format!("{} ", self.chunk.look.glyphs.bullet),
                    };
                    let sign = vec![RowSpan { text: Printable::line(&marker), style: Style::new() }];
                    let rest = blanks(spans_width(&sign));
                    let mut inner = margin.within(sign, rest);
                    self.blocks(&mut inner, Some(TagEnd::Item));
                    if inner.first.is_some() {
                        // An empty item is its marker.
                        let spans = inner.take().first;
                        let row = Row { spans, unbroken: false };
                        self.rows.push(wrap::cut(&row, self.chunk.width, self.chunk.look.glyphs.ellipsis));
                    }
                }
                _ => {}
            }
        }
    }

    fn rule(&mut self, margin: &mut Margin) {
        let indent = margin.take();
        let mut row = Row { spans: indent.first, unbroken: false };
        row.push(self.chunk.look.theme.dim(), Printable::line(&self.chunk.look.glyphs.rule.repeat(3)));
        self.rows.push(wrap::cut(&row, self.chunk.width, self.chunk.look.glyphs.ellipsis));
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, margin: &mut Margin) {
        let mut text = String::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::Text(piece) => text.push_str(&piece),
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        if margin.first.as_ref().is_some_and(|first| spans_width(first) > spans_width(&[])) {
            // The marker of the item has a row of its own: code that is copied carries none.
            let row = wrap::trimmed(Row { spans: margin.take().first, unbroken: false });
            self.rows.push(wrap::cut(&row, self.chunk.width, self.chunk.look.glyphs.ellipsis));
        }
        let lang = match kind {
            CodeBlockKind::Fenced(info) => language(info),
            CodeBlockKind::Indented => "",
        };
        let lines: Vec<_> =
            text.strip_suffix('\n').unwrap_or(&text).split('\n').map(code::source_line).collect();
        let doc = self.chunk.highlighter.excerpt(lang, &lines);
        for (number, line) in lines.iter().enumerate() {
            let pieces = match self.chunk.highlighter.line(doc, number) {
                Lookup::Ready(pieces) => pieces.to_vec(),
                Lookup::Waiting => {
                    self.chunk.waiting = true;
                    Vec::new()
                }
            };
            self.rows.push(code_row(
                code::spans(line, &pieces, self.chunk.look.theme),
                self.chunk.width,
                self.chunk.look,
            ));
        }
    }

    fn html(&mut self, margin: &mut Margin) {
        let mut text = String::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::Html(piece) | Event::Text(piece) => text.push_str(&piece),
                Event::End(TagEnd::HtmlBlock) => break,
                _ => {}
            }
        }
        for line in text.trim_end().lines() {
            let spans =
                vec![RowSpan { text: Printable::prose(&code::source_line(line)), style: Style::new() }];
            self.lines(&[spans], margin);
        }
    }

    fn table_rows(&mut self) -> Vec<Vec<Vec<RowSpan>>> {
        let mut rows = Vec::new();
        while let Some((event, _)) = self.next() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
                Event::Start(Tag::TableCell) => {
                    let style = if rows.len() == 1 { self.chunk.look.theme.title() } else { Style::new() };
                    let (lines, _) = self.inline(Some(TagEnd::TableCell), style);
                    if let Some(row) = rows.last_mut() {
                        row.push(lines.into_iter().flatten().collect());
                    }
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        rows
    }

    fn lines(&mut self, lines: &[Vec<RowSpan>], margin: &mut Margin) {
        for line in lines {
            let indent = margin.take();
            let line = clip::long_line(line.clone(), 64 * LINE_CELLS, self.chunk.look);
            self.rows.extend(wrap::wrap_prose(&line, self.chunk.width, &indent));
        }
    }

    /// Inline content as lines of spans, up to `end`, or up to where a block begins or the container ends; and where
    /// it ended in the source.
    fn inline(&mut self, end: Option<TagEnd>, base: Style) -> (Vec<Vec<RowSpan>>, usize) {
        let mut spans = Spans::new(base);
        let mut until = 0;
        while let Some((event, range)) = self.events.get(self.at).cloned() {
            if end.is_none() && inline::is_block(&event) && !spans.is_nested() {
                break;
            }
            until = range.end;
            self.at += 1;
            match event {
                Event::End(tag) if Some(tag) == end => break,
                event => spans.event(event, self.chunk.look, &mut self.is_guarded),
            }
        }
        (spans.into_lines(), until)
    }
}

/// The language in what follows a code fence.
pub fn language(info: &str) -> &str {
    let word = info.trim().split([' ', ',', '\t', '{']).next().unwrap_or_default();
    word.trim_matches(['.', '}'])
}

/// A row of code: no gutter, at most two blanks in front, left to the terminal to fold.
pub fn code_row(spans: Vec<RowSpan>, width: usize, look: Look) -> Row {
    let indent = if width < 8 { 0 } else { 2 };
    block::unbroken(clip::long_line(spans, LINE_CELLS, look), indent)
}
