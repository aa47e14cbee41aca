//! The header of a call: `glyph Tool  subject  note  elapsed`.
//!
//! Live it is one row: the subject is cut first, in the middle of its path, then the note, then the time goes; the word
//! that tells the state stays. Settled, notes and commands lose nothing: what does not fit goes on in a further row, words
//! whole; a name (a path, a pattern) is cut, so that the header stays one row where the window is not narrow. A command that
//! does not fit is left to the terminal to fold, so that it can be copied whole. The body is in [`super::card`].

use carpel_slots::{CallState, Card, Line, Printable, Role, Span, ToolCall};
use carpel_tool_views::mcp;
use ratatui::style::Style;

use crate::paint::Place;
use crate::render::block::styled;
use crate::render::card::NARROW;
use crate::render::clip::{self, LINE_CELLS};
use crate::render::clock;
use crate::render::glyph::state_role;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks, cut_path, spans_width};
use crate::row::{Row, RowSpan};

/// A subject keeps so many cells before the note is cut.
const SUBJECT: usize = 16;
/// A settled subject takes at most so many rows.
const SUBJECT_ROWS: usize = 3;
/// From this width on names, paths and patterns are cut so that a settled header is one row.
const ONE_ROW: usize = 40;
/// The longest word for a state, with its gap.
const STATE: usize = 17;
/// A part of a subject that is cut keeps so many cells.
const PART: usize = 8;

/// What a header is made of.
pub struct Header<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// What its view made of it.
    pub card: &'a Card,
    /// How long it has run or ran.
    pub elapsed: Option<std::time::Duration>,
    /// Blanks in front.
    pub indent: usize,
}

/// The rows of a header.
pub fn rows(header: &Header<'_>, width: usize, place: Place, look: Look) -> Vec<Row> {
    let parts = Parts::of(header, width, look);
    match place {
        Place::Live => vec![live(&parts, width, look)],
        Place::Settled => settled(&parts, width, look),
    }
}

struct Parts {
    lead: Vec<RowSpan>,
    subject: Vec<RowSpan>,
    /// True for a subject that names things (a file, a pattern): it may be cut. A command is kept whole.
    is_name: bool,
    is_command: bool,
    /// The paths in the subject, also those without a folder: their file names are kept.
    paths: Vec<String>,
    note: Vec<RowSpan>,
    elapsed: Vec<RowSpan>,
    indent: usize,
}

impl Parts {
    fn of(header: &Header<'_>, width: usize, look: Look) -> Parts {
        let call = header.call;
        let mut lead = Row { spans: blanks(header.indent), unbroken: false };
        let state = told_state(call, header.card);
        lead.push(look.theme.role(state_role(state)), Printable::line(look.glyphs.state(state)));
        lead.push(Style::new(), Printable::line(" "));
        push_name(&mut lead, &call.name, width, look);
        let subject = header.card.title.as_ref().map(|title| styled(title, look)).unwrap_or_default();
        let elapsed = header
            .elapsed
            .map(|time| RowSpan { text: Printable::line(&clock::elapsed(time)), style: look.theme.dim() });
        Parts {
            lead: lead.spans,
            subject,
            is_name: header.card.title.as_ref().is_some_and(is_name),
            is_command: is_command(header.card),
            paths: header.card.title.as_ref().map(paths).unwrap_or_default(),
            note: styled(&note(call, header.card, look), look),
            elapsed: elapsed.into_iter().collect(),
            indent: header.indent,
        }
    }
}

/// The tool's name; one that a server offers as `server · tool`, where the window is not narrow.
fn push_name(lead: &mut Row, name: &str, width: usize, look: Look) {
    let title = look.theme.title();
    let Some((server, tool)) = mcp::parts(name) else {
        return lead.push(title, Printable::exact(name));
    };
    if width >= NARROW {
        lead.push(title, Printable::exact(server));
        lead.push(look.theme.dim(), Printable::line(&format!(" {} ", look.glyphs.separator)));
    }
    lead.push(title, Printable::exact(tool));
}

/// Whether the card is about what a shell runs.
pub fn is_command(card: &Card) -> bool {
    card.title.as_ref().is_some_and(|title| title.spans.iter().any(|span| span.role == Role::Command))
}

fn paths(title: &Line) -> Vec<String> {
    let paths = title.spans.iter().filter(|span| span.role == Role::Path && !span.text.is_empty());
    paths.map(|span| span.text.as_str().to_owned()).collect()
}

fn is_name(title: &Line) -> bool {
    title.spans.iter().any(|span| matches!(span.role, Role::Path | Role::Accent) && !span.text.is_empty())
}

/// What the glyph tells: a call that came to its end and whose note begins as an error reads as one that failed. That a
/// command ended is not that it succeeded.
pub fn told_state(call: &ToolCall, card: &Card) -> CallState {
    let first = card.note.as_ref().and_then(|note| note.spans.iter().find(|span| !span.text.is_empty()));
    match (call.state, first) {
        (CallState::Done, Some(span)) if span.role == Role::Error => CallState::Error,
        (state, _) => state,
    }
}

/// The note with the word for the state in front, where the state is not that all went well and the note does not say
/// it already.
fn note(call: &ToolCall, card: &Card, look: Look) -> Line {
    let note = card.note.clone().unwrap_or_default();
    if look.glyphs.are_words {
        // The sign has told the state.
        return dimmed(note);
    }
    let text = note.text();
    let word = call.state.word();
    let role = match call.state {
        CallState::Done => return dimmed(note),
        CallState::Executing if !text.is_empty() => return dimmed(note),
        CallState::Pending | CallState::Streaming | CallState::Executing => Role::Dim,
        CallState::Cancelled | CallState::Incomplete => Role::Dim,
        CallState::AwaitingApproval | CallState::Rejected => Role::Warning,
        CallState::Error => Role::Error,
    };
    if text.is_empty() {
        return Line::of(role, word);
    }
    if text.to_lowercase().contains(word) && call.state != CallState::AwaitingApproval {
        return dimmed(note);
    }
    let joint = if call.state.is_settled() { ": " } else { ", " };
    let mut line = Line::of(role, word).and(role, joint);
    line.spans.extend(dimmed(note).spans);
    line
}

/// A note is of less weight than the subject, except for what its view gave a role.
fn dimmed(note: Line) -> Line {
    let spans = note
        .spans
        .into_iter()
        .map(|span| if span.role == Role::Plain { Span { role: Role::Dim, ..span } } else { span })
        .collect();
    Line { spans }
}

/// Parts in a row, two blanks apart; empty ones leave no gap.
fn joined(parts: &[&[RowSpan]]) -> Vec<RowSpan> {
    let mut row: Vec<RowSpan> = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !row.is_empty() {
            row.extend(blanks(2));
        }
        row.extend_from_slice(part);
    }
    row
}

fn taken(part: &[RowSpan]) -> usize {
    if part.is_empty() { 0 } else { spans_width(part) + 2 }
}

fn live(parts: &Parts, width: usize, look: Look) -> Row {
    let ellipsis = look.glyphs.ellipsis;
    let room = width.saturating_sub(spans_width(&parts.lead));
    let mut elapsed: &[RowSpan] = &parts.elapsed;
    let longest = parts.paths.iter().map(|path| wrap::text_width(file_name(path)) + 2).max().unwrap_or(0);
    let named = taken(&parts.subject).min(SUBJECT.max(longest) + 2);
    // A file name comes before the note, but not before the word that tells the state.
    let (smallest, least_note) = if named + STATE <= room {
        (named, STATE)
    } else {
        (taken(&parts.subject).min(SUBJECT + 2), room * 2 / 3)
    };
    if smallest + taken(&parts.note) + taken(elapsed) > room {
        elapsed = &[];
    }
    let mut note = parts.note.clone();
    let note_room = room.saturating_sub(taken(elapsed) + smallest).max(least_note);
    if taken(&note) > note_room {
        note = wrap::cut_spans(&note, note_room.saturating_sub(2), ellipsis);
    }
    let subject_room = room.saturating_sub(taken(&note) + taken(elapsed)).saturating_sub(2);
    let subject = cut_subject(&parts.subject, &parts.paths, subject_room, look);
    let spans = joined(&[&parts.lead, &subject, &note, elapsed]);
    wrap::cut(&Row { spans, unbroken: false }, width, ellipsis)
}

/// A subject cut to its room: its last path in the middle, anything else at the end.
fn cut_subject(subject: &[RowSpan], paths: &[String], room: usize, look: Look) -> Vec<RowSpan> {
    if spans_width(subject) <= room {
        return subject.to_vec();
    }
    if room < 2 {
        return Vec::new();
    }
    let Some((at, span)) = path_span(subject, paths) else {
        return wrap::cut_spans(subject, room, look.glyphs.ellipsis);
    };
    let others = spans_width(subject) - wrap::text_width(span.text.as_str());
    let mut cut = subject.to_vec();
    let path_room = room.saturating_sub(others).max(room.min(SUBJECT));
    let shorter = cut_path(span.text.as_str(), path_room, look.glyphs.ellipsis);
    cut[at].text = Printable::line(&shorter);
    wrap::cut_spans(&cut, room, look.glyphs.ellipsis)
}

/// A subject of names cut to its room: its longest part first, a path in its middle, anything else at its end.
fn cut_names(subject: &[RowSpan], paths: &[String], room: usize, look: Look) -> Vec<RowSpan> {
    let mut cut = subject.to_vec();
    for _ in 0..cut.len() {
        let surplus = spans_width(&cut).saturating_sub(room);
        if surplus == 0 {
            break;
        }
        let longest = cut.iter_mut().max_by_key(|span| wrap::text_width(span.text.as_str()));
        let Some(span) = longest.filter(|span| wrap::text_width(span.text.as_str()) > PART) else { break };
        let is_path = is_path(span.text.as_str(), paths);
        let name = if is_path { wrap::text_width(file_name(span.text.as_str())) + 2 } else { 0 };
        let least = name.min(room * 2 / 3).max(PART);
        let left = wrap::text_width(span.text.as_str()).saturating_sub(surplus).max(least);
        let ellipsis = look.glyphs.ellipsis;
        span.text = if is_path {
            Printable::prose(&cut_path(span.text.as_str(), left, ellipsis))
        } else {
            let part = wrap::cut_spans(std::slice::from_ref(span), left, ellipsis);
            Printable::prose(&part.iter().map(|span| span.text.as_str()).collect::<String>())
        };
    }
    wrap::cut_spans(&cut, room, look.glyphs.ellipsis)
}

fn is_path(text: &str, paths: &[String]) -> bool {
    (text.contains('/') && !text.contains(' ')) || paths.iter().any(|path| path == text)
}

/// The longest span that is a path: it can lose its middle.
fn path_span<'a>(subject: &'a [RowSpan], paths: &[String]) -> Option<(usize, &'a RowSpan)> {
    subject
        .iter()
        .enumerate()
        .filter(|(_, span)| is_path(span.text.as_str(), paths))
        .max_by_key(|(_, span)| span.text.as_str().len())
}

fn settled(parts: &Parts, width: usize, look: Look) -> Vec<Row> {
    let one = joined(&[&parts.lead, &parts.subject, &parts.note, &parts.elapsed]);
    if spans_width(&one) <= width {
        return vec![Row { spans: one, unbroken: false }];
    }
    if let Some(row) = one_row(parts, width, look) {
        return vec![row];
    }
    if parts.is_command && parts.indent == 0 {
        return command(parts, width, look);
    }
    let hang = (parts.indent + 2).min(width / 4);
    let mut rows = Vec::new();
    let room = width.saturating_sub(spans_width(&parts.lead) + 2);
    let mut subject = parts.subject.clone();
    if parts.is_name && width >= ONE_ROW && room >= SUBJECT {
        subject = cut_names(&subject, &parts.paths, room, look);
    }
    let next_room = width.saturating_sub(hang).max(room);
    // A path that no row can hold loses folders; everything else is wrapped, a whole word into the next row.
    let path_room = if room >= 2 * SUBJECT { room } else { next_room };
    for span in subject.iter_mut().filter(|span| is_path(span.text.as_str(), &parts.paths)) {
        if wrap::text_width(span.text.as_str()) > path_room {
            span.text = Printable::prose(&cut_path(span.text.as_str(), path_room, look.glyphs.ellipsis));
        }
    }
    let mut head = wrap::wrap(
        &joined(&[&parts.lead, &subject]),
        width,
        &Indent { first: Vec::new(), rest: blanks(hang) },
    );
    if head.len() > SUBJECT_ROWS {
        head.truncate(SUBJECT_ROWS);
        if let Some(last) = head.last_mut() {
            last.push(look.theme.dim(), Printable::line(look.glyphs.ellipsis));
            *last = wrap::cut(last, width, look.glyphs.ellipsis);
        }
    }
    rows.append(&mut head);
    let more = joined(&[&parts.note, &parts.elapsed]);
    let short_last = rows.last().map_or(0, Row::width) + 2;
    match rows.last_mut() {
        Some(last) if !more.is_empty() && rows_fit(short_last, &more, width) => {
            last.spans.extend(blanks(2));
            last.spans.extend(more);
        }
        _ if !more.is_empty() => rows.extend(wrap::wrap(&more, width, &Indent::blanks(hang))),
        _ => {}
    }
    rows
}

/// A settled header whose command is one line, however many rows the terminal makes of it.
fn command(parts: &Parts, width: usize, look: Look) -> Vec<Row> {
    let subject = clip::long_line(parts.subject.clone(), LINE_CELLS, look);
    let head = joined(&[&parts.lead, &subject]);
    let unbroken = spans_width(&head) > width;
    let mut rows = vec![Row { spans: head, unbroken }];
    let more = joined(&[&parts.note, &parts.elapsed]);
    if !more.is_empty() {
        rows.extend(wrap::wrap(&more, width, &Indent::blanks(2.min(width / 4))));
    }
    rows
}

/// A settled header of a name in one row, its note whole; `None` where the name would not keep enough to be known by.
fn one_row(parts: &Parts, width: usize, look: Look) -> Option<Row> {
    let taken = spans_width(&parts.lead) + taken(&parts.note) + taken(&parts.elapsed) + 2;
    let room = width.saturating_sub(taken);
    let may_cut = parts.is_name && width >= ONE_ROW && room >= SUBJECT;
    if !may_cut {
        return None;
    }
    let subject = cut_names(&parts.subject, &parts.paths, room, look);
    let alone = width.saturating_sub(spans_width(&parts.lead) + 2);
    let cut: String = subject.iter().map(|span| span.text.as_str()).collect();
    let keeps =
        parts.subject.iter().all(|whole| keeps_file_name(whole.text.as_str(), &parts.paths, &cut, alone));
    let spans = joined(&[&parts.lead, &subject, &parts.note, &parts.elapsed]);
    keeps.then_some(Row { spans, unbroken: false })
}

/// False where a file name was cut that a row of its own could hold.
fn keeps_file_name(whole: &str, paths: &[String], cut: &str, row: usize) -> bool {
    let name = file_name(whole);
    !is_path(whole, paths) || cut.contains(name) || wrap::text_width(name) + 2 > row
}

fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn rows_fit(used: usize, more: &[RowSpan], width: usize) -> bool {
    used + spans_width(more) <= width
}
