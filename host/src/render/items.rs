//! Items of the flow that are neither calls nor answers: prompts, thinking, commands, notices, marks.
//!
//! Each kind is one function from its values to rows. Signs and words tell what it is; colours repeat it. It keeps
//! nothing and knows no order of items, except which of them stand close.

use std::time::Duration;

use carpel_protocol::event::TurnEnd;
use carpel_protocol::word::{NoticeLevel, TurnEndReason};
use carpel_slots::{CallState, Density, Printable, Role};
use ratatui::style::Style;

use crate::paint::{PaintCx, Place};
use crate::render::block::ITEM_ROWS;
use crate::render::card::NARROW;
use crate::render::clip::{self, Keep, Room};
use crate::render::clock;
use crate::render::command;
use crate::render::glyph::state_role;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks, expand_tabs, spans_width};
use crate::row::{Row, RowSpan};
use crate::transcript::item::{ItemBody, Thinking, ThinkingState};

/// A prompt shows so many rows at normal density.
const PROMPT_ROWS: usize = 40;
/// The summary of a hidden thought takes so many rows.
const SUMMARY_ROWS: usize = 8;
/// The first line of a thought takes so many rows.
const THOUGHT_ROWS: usize = 3;
/// A live thought shows so many rows of its last line.
const LIVE_THOUGHT_ROWS: usize = 2;

/// The rows of an item; none for calls and answers, which the painter draws otherwise. A command's record has its
/// generic card here; the painter asks its view.
pub fn rows(body: &ItemBody, cx: &PaintCx, look: Look) -> Vec<Row> {
    let draw = Draw { cx, look, width: cx.width.max(1) };
    let rows = match body {
        ItemBody::User { text } => draw.user(text),
        ItemBody::Thinking(thinking) => draw.thinking(thinking),
        ItemBody::Text { .. } | ItemBody::Call(_) => Vec::new(),
        ItemBody::Orphan { id, summary } => draw.orphan(id, summary),
        ItemBody::Command { line, ok, outcome, lines } => {
            command::generic_rows(&command::record(line, *ok, outcome, lines), cx, look)
        }
        ItemBody::Notice { level, text } => draw.notice(level, text),
        ItemBody::Compaction { summary, before, after } => draw.compaction(summary, *before, *after),
        ItemBody::CutOff { reason } => draw.mark("cut off", reason, Role::Warning),
        ItemBody::TurnEnded(end) => draw.turn_ended(end),
        ItemBody::Earlier { count } => draw.earlier(*count),
    };
    match cx.place {
        Place::Settled => rows,
        Place::Live => rows.iter().map(|row| wrap::cut(row, draw.width, look.glyphs.ellipsis)).collect(),
    }
}

/// True when two items stand close: calls of one group, and everything at overview.
pub fn stand_close(above: &ItemBody, below: &ItemBody, density: Density) -> bool {
    match (above, below) {
        _ if density == Density::Overview => !matches!(below, ItemBody::User { .. }),
        (ItemBody::Call(_) | ItemBody::Orphan { .. }, ItemBody::Call(_) | ItemBody::Orphan { .. }) => true,
        (ItemBody::Command { .. }, ItemBody::Command { .. }) => true,
        (ItemBody::Notice { .. }, ItemBody::Notice { .. }) => true,
        _ => false,
    }
}

struct Draw<'a> {
    cx: &'a PaintCx,
    look: Look,
    width: usize,
}

impl Draw<'_> {
    fn span(&self, role: Role, text: &str) -> RowSpan {
        RowSpan { text: Printable::prose(text), style: self.look.theme.role(role) }
    }

    fn more(&self, hidden: usize, indent: usize) -> Row {
        clip::more_lines(hidden, indent, self.width, self.look)
    }

    fn user(&self, text: &str) -> Vec<Row> {
        let text = text.trim_end_matches(['\n', '\r', ' ']);
        let lines: Vec<&str> = text.split('\n').collect();
        let sign = if self.look.glyphs.are_words { "you:" } else { self.look.glyphs.prompt };
        let sign = vec![self.span(Role::Accent, sign), self.span(Role::Plain, " ")];
        if self.cx.density == Density::Overview {
            let mut row = Row { spans: sign, unbroken: false };
            row.push(Style::new(), Printable::prose(lines.first().copied().unwrap_or_default()));
            if lines.len() > 1 {
                row.push(self.look.theme.dim(), Printable::line(&format!(" {}", self.look.glyphs.ellipsis)));
            }
            return vec![wrap::cut(&row, self.width, self.look.glyphs.ellipsis)];
        }
        let rows = if self.cx.density == Density::Detail { ITEM_ROWS } else { PROMPT_ROWS };
        let shown = Room { rows, keep: Keep::Head }.choose(lines.len());
        let mut first = sign;
        let row = |line: &str| {
            let line = expand_tabs(line.trim_end_matches('\r'), 4);
            let indent = Indent::hanging(std::mem::replace(&mut first, blanks(2)));
            let spans = clip::long_line(vec![self.span(Role::Plain, &line)], clip::LINE_CELLS, self.look);
            wrap::wrap_prose(&spans, self.width, &indent)
        };
        shown.rows(lines[..shown.head].to_vec(), row, |hidden| self.more(hidden, 2))
    }

    fn thinking(&self, thinking: &Thinking) -> Vec<Row> {
        let summary = thinking.summary.join("\n");
        let text = if thinking.text.trim().is_empty() { summary.as_str() } else { thinking.text.as_str() };
        let lines: Vec<&str> =
            text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        let Some(label) = label(thinking.state, self.cx.now, lines.is_empty()) else {
            return Vec::new();
        };
        let is_open = matches!(thinking.state, ThinkingState::Open { .. });
        let indent = self.thought_indent();
        let mut head = blanks(indent);
        head.push(self.span(Role::Dim, &label));
        // A provider that hides its thinking says of it what it will say: all of that is short, and shown.
        let is_summary = !summary.is_empty() && text == summary;
        match self.cx.density {
            Density::Normal if is_summary && lines.len() > 1 => self.summary(head, &lines, is_open),
            Density::Overview => vec![self.cut(head)],
            Density::Normal if is_open => {
                self.beside(head, lines.last().copied(), LIVE_THOUGHT_ROWS, Keep::Tail)
            }
            Density::Normal => self.beside(head, lines.first().copied(), THOUGHT_ROWS, Keep::Head),
            Density::Detail => self.whole_thought(head, text, ITEM_ROWS, is_open),
        }
    }

    fn thought_indent(&self) -> usize {
        if self.width < 8 { 0 } else { 2 }
    }

    /// The blanks in front of what is thought, below its label.
    fn thought_text_indent(&self) -> usize {
        self.thought_indent() + if self.width < 16 { 0 } else { 2 }
    }

    fn cut(&self, spans: Vec<RowSpan>) -> Row {
        wrap::cut(&Row { spans, unbroken: false }, self.width, self.look.glyphs.ellipsis)
    }

    /// A label whole: wrapped where it is written once, cut where it is live.
    fn fitted(&self, head: Vec<RowSpan>) -> Vec<Row> {
        match self.cx.place {
            Place::Live => vec![self.cut(head)],
            Place::Settled => {
                let rest = blanks(self.thought_indent());
                wrap::wrap(&head, self.width, &Indent { first: Vec::new(), rest })
            }
        }
    }

    /// A line of a thought beside its label where it fits, else wrapped below it.
    fn beside(&self, head: Vec<RowSpan>, line: Option<&str>, limit: usize, keep: Keep) -> Vec<Row> {
        let Some(line) = line else {
            return self.fitted(head);
        };
        let text = self.span(Role::Dim, &expand_tabs(line.trim(), 4));
        let used = spans_width(&head) + 2;
        if used + wrap::text_width(text.text.as_str()) <= self.width {
            let mut spans = head;
            spans.extend(blanks(2));
            spans.push(text);
            return vec![Row { spans, unbroken: false }];
        }
        let text = clip::long_line(vec![text], clip::LINE_CELLS, self.look);
        let rest = blanks(self.thought_text_indent());
        // Beside the label only where some words find room there; a live thought below it, so that it does not jump.
        let is_roomy = keep == Keep::Head && self.width >= NARROW && used + NARROW / 2 <= self.width;
        let mut rows = Vec::new();
        let first = if is_roomy {
            let mut first = head;
            first.extend(blanks(2));
            first
        } else {
            rows.extend(self.fitted(head));
            rest.clone()
        };
        let mut wrapped = wrap::wrap(&text, self.width, &Indent { first, rest });
        let surplus = wrapped.len().saturating_sub(limit);
        if surplus > 0 && keep == Keep::Tail {
            wrapped.drain(..surplus);
        } else if surplus > 0 {
            wrapped.truncate(limit);
            if let Some(last) = wrapped.last_mut() {
                last.push(self.look.theme.dim(), Printable::line(&format!(" {}", self.look.glyphs.ellipsis)));
                *last = wrap::cut(last, self.width, self.look.glyphs.ellipsis);
            }
        }
        rows.extend(wrapped);
        rows
    }

    /// The lines of a summary, the first beside the label.
    fn summary(&self, head: Vec<RowSpan>, lines: &[&str], is_open: bool) -> Vec<Row> {
        if is_open {
            return self.whole_thought(head, &lines.join("\n"), SUMMARY_ROWS, is_open);
        }
        let Some((first, others)) = lines.split_first() else { return self.fitted(head) };
        let mut rows = self.beside(head, Some(first), ITEM_ROWS, Keep::Head);
        let room = Room { rows: SUMMARY_ROWS.saturating_sub(1), keep: Keep::Head };
        rows.extend(self.thought_lines(others, room));
        rows
    }

    fn whole_thought(&self, head: Vec<RowSpan>, text: &str, rows: usize, is_open: bool) -> Vec<Row> {
        let limit = rows;
        let mut rows = self.fitted(head);
        if text.trim().is_empty() {
            return rows;
        }
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let keep = if is_open { Keep::Tail } else { Keep::Head };
        rows.extend(self.thought_lines(&lines, Room { rows: limit, keep }));
        rows
    }

    /// Lines of a thought below its label.
    fn thought_lines(&self, lines: &[&str], room: Room) -> Vec<Row> {
        let indent = self.thought_text_indent();
        let shown = room.choose(lines.len());
        let chosen = lines[..shown.head].iter().chain(&lines[lines.len() - shown.tail..]).copied().collect();
        let row = |line: &str| {
            let spans = vec![self.span(Role::Dim, &expand_tabs(line, 4))];
            wrap::wrap(
                &clip::long_line(spans, clip::LINE_CELLS, self.look),
                self.width,
                &Indent::blanks(indent),
            )
        };
        shown.rows(chosen, row, |hidden| self.more(hidden, indent))
    }

    /// A sign, a title, and what there is to say of it, hanging under itself.
    fn signed(&self, sign: RowSpan, title: RowSpan, text: &str) -> Vec<Row> {
        let mut spans = vec![sign, self.span(Role::Plain, " "), title];
        if self.look.glyphs.are_words {
            // The title says the state again.
            spans.drain(..2);
        }
        if !text.trim().is_empty() {
            spans.extend(blanks(2));
            spans.push(self.span(Role::Dim, &one_line(text)));
        }
        let rest = blanks(if self.width < 8 { 0 } else { 2 });
        let spans = clip::long_line(spans, clip::LINE_CELLS, self.look);
        let rows = wrap::wrap(&spans, self.width, &Indent { first: Vec::new(), rest });
        if self.cx.density == Density::Overview { vec![self.cut(spans)] } else { rows }
    }

    fn state_sign(&self, state: CallState) -> RowSpan {
        self.span(state_role(state), self.look.glyphs.state(state))
    }

    fn orphan(&self, id: &str, summary: &str) -> Vec<Row> {
        let title = self.span(Role::Plain, &format!("result without a call  {}", one_line(id)));
        self.signed(self.state_sign(CallState::Incomplete), title, summary)
    }

    fn notice(&self, level: &NoticeLevel, text: &str) -> Vec<Row> {
        let (role, word) = match level {
            NoticeLevel::Info | NoticeLevel::Other(_) => (Role::Dim, None),
            NoticeLevel::Warning => (Role::Warning, Some("warning:")),
            NoticeLevel::Error => (Role::Error, Some("error:")),
        };
        let mut rows = Vec::new();
        for (at, line) in text.trim_end().lines().enumerate().take(ITEM_ROWS) {
            let body = if word.is_some() { Role::Plain } else { Role::Dim };
            let mut spans = Vec::new();
            if let Some(word) = word.filter(|_| at == 0) {
                spans.extend([self.span(role, word), self.span(Role::Plain, " ")]);
            }
            spans.push(self.span(body, &expand_tabs(line, 4)));
            let indent = blanks(if self.width < 8 { 0 } else { 2 });
            let first = if at == 0 { Vec::new() } else { indent.clone() };
            let spans = clip::long_line(spans, clip::LINE_CELLS, self.look);
            rows.extend(wrap::wrap_prose(&spans, self.width, &Indent { first, rest: indent }));
        }
        if self.cx.density == Density::Overview {
            rows.truncate(1);
        }
        rows
    }

    fn compaction(&self, summary: &str, before: u64, after: u64) -> Vec<Row> {
        let figures = format!("{} to {} tokens", clock::tokens(before), clock::tokens(after));
        let mut rows = self.mark("compacted", &figures, Role::Dim);
        let limit = match self.cx.density {
            Density::Overview => return rows,
            Density::Normal => 3,
            Density::Detail => ITEM_ROWS,
        };
        let lines: Vec<&str> = summary.trim().lines().filter(|line| !line.trim().is_empty()).collect();
        let indent = self.thought_indent();
        let shown = Room { rows: limit, keep: Keep::Head }.choose(lines.len());
        let row = |line: &str| {
            let spans = vec![self.span(Role::Dim, &expand_tabs(line, 4))];
            wrap::wrap(
                &clip::long_line(spans, clip::LINE_CELLS, self.look),
                self.width,
                &Indent::blanks(indent),
            )
        };
        rows.extend(shown.rows(lines[..shown.head].to_vec(), row, |hidden| self.more(hidden, indent)));
        rows
    }

    fn mark(&self, what: &str, text: &str, role: Role) -> Vec<Row> {
        self.signed(self.span(role, self.look.glyphs.mark), self.span(role, what), text)
    }

    fn turn_ended(&self, end: &TurnEnd) -> Vec<Row> {
        let (state, word) = match &end.reason {
            TurnEndReason::Completed => return Vec::new(),
            TurnEndReason::Cancelled => (CallState::Cancelled, "cancelled".to_owned()),
            TurnEndReason::Failed => (CallState::Error, "the turn failed".to_owned()),
            TurnEndReason::Limit => (CallState::Incomplete, "the turn stopped at a limit".to_owned()),
            TurnEndReason::Other(word) => {
                (CallState::Incomplete, format!("the turn ended: {}", one_line(word)))
            }
        };
        let title = self.span(state_role(state), &word);
        self.signed(self.state_sign(state), title, end.message.as_deref().unwrap_or_default())
    }

    fn earlier(&self, count: usize) -> Vec<Row> {
        let noun = if count == 1 { "item" } else { "items" };
        let text = format!("{} {count} earlier {noun}: Ctrl+T", self.look.glyphs.ellipsis);
        wrap::wrap(&[self.span(Role::Dim, &text)], self.width, &Indent::default())
    }
}

/// What is said of a block, with its time from a second on; `None` for one that leaves no row.
pub fn label(state: ThinkingState, now: Duration, is_empty: bool) -> Option<String> {
    let told = |time: &Duration| *time >= Duration::from_secs(1);
    let (word, time) = match state {
        ThinkingState::Open { since } => ("Thinking...", Some(now.saturating_sub(since))),
        ThinkingState::Done { elapsed } => ("Thought", elapsed),
        ThinkingState::Interrupted { elapsed } => ("Thinking interrupted", elapsed),
    };
    let is_open = matches!(state, ThinkingState::Open { .. });
    match time.map(|time| (time, told(&time))) {
        Some((_, false)) if is_empty && !is_open => None,
        None | Some((_, false)) => Some(word.to_owned()),
        Some((time, true)) if word == "Thought" => Some(format!("{word} for {}", clock::seconds(time))),
        Some((time, true)) => Some(format!("{word} ({})", clock::seconds(time))),
    }
}

/// Line breaks become blanks, so that a name stays one row.
pub fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
