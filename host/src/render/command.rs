//! Records of commands: `✓ :name arguments  outcome`, and below it what the command had to say.
//!
//! The slot `command.view` gives the card, the generic command card fills in what it leaves out ([`card`]). What a
//! command says was asked for, so from normal density on it is shown whole; at overview a record is one row. Records are
//! committed at once: code in them gets the colours that are there. It knows no commands and does not run any.

use carpel_slots::record::{CommandRecord, RecordState};
use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Printable, Registry, Role};

use crate::paint::{PaintCx, Place};
use crate::render::Highlighter;
use crate::render::block::{self, ITEM_ROWS, Ink, styled};
use crate::render::clip;
use crate::render::glyph::state_role;
use crate::render::items::one_line;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks, text_width};
use crate::row::{Row, RowSpan};

/// The record that an item holds.
pub fn record(line: &str, ok: bool, outcome: &str, lines: &[Line]) -> CommandRecord {
    CommandRecord {
        line: line.to_owned(),
        state: if ok { RecordState::Done } else { RecordState::Failed },
        outcome: outcome.to_owned(),
        lines: lines.to_vec(),
    }
}

/// The card of a record, with nothing left out: its view's, completed by the generic one.
pub fn card(record: &CommandRecord, registry: &Registry, cx: &CardCx) -> Card {
    let card = registry.command_view(record.name()).map(|view| view.card(record, cx)).unwrap_or_default();
    let generic = generic(record);
    Card {
        title: card.title.or(generic.title),
        note: card.note.or(generic.note),
        body: card.body.or(generic.body),
        actions: card.actions,
    }
}

/// Arguments, outcome and lines as they are.
fn generic(record: &CommandRecord) -> Card {
    let body = if record.lines.is_empty() { Vec::new() } else { vec![Block::Text(record.lines.clone())] };
    Card {
        title: Some(Line::from(record.arguments())),
        note: Some(Line::of(Role::Dim, &one_line(&record.outcome))),
        body: Some(body),
        actions: Vec::new(),
    }
}

/// The rows of a record that has no view.
pub fn generic_rows(record: &CommandRecord, cx: &PaintCx, look: Look) -> Vec<Row> {
    let mut rows = head(record, &generic(record), cx, look);
    if cx.density != Density::Overview {
        rows.extend(text(&record.lines, cx, look));
    }
    rows
}

/// The rows of a record with its whole card.
pub fn rows(
    record: &CommandRecord,
    card: &Card,
    cx: &PaintCx,
    look: Look,
    highlighter: &mut Highlighter,
) -> Vec<Row> {
    let mut rows = head(record, card, cx, look);
    if cx.density == Density::Overview {
        return rows;
    }
    let mut ink = Ink {
        look,
        width: cx.width.max(1),
        indent: indent(cx.width),
        nested: None,
        density: Density::Detail,
        place: cx.place,
        most: ITEM_ROWS,
        end_tells: true,
        live_rows: None,
        highlighter,
        waiting: false,
    };
    for block in card.body.iter().flatten() {
        rows.extend(match block {
            Block::Text(lines) => text(lines, cx, look),
            other => block::rows(other, &mut ink),
        });
    }
    match cx.place {
        Place::Settled => rows,
        Place::Live => rows.iter().map(|row| wrap::cut(row, cx.width.max(1), look.glyphs.ellipsis)).collect(),
    }
}

fn head(record: &CommandRecord, card: &Card, cx: &PaintCx, look: Look) -> Vec<Row> {
    let state = match record.state {
        RecordState::Done => CallState::Done,
        RecordState::Failed => CallState::Error,
    };
    let span = |role, text: &str| RowSpan { text: Printable::prose(text), style: look.theme.role(role) };
    let mut spans = vec![
        span(state_role(state), look.glyphs.state(state)),
        span(Role::Plain, " "),
        span(Role::Strong, &format!(":{}", record.name())),
    ];
    let title = styled(&card.title.clone().unwrap_or_default(), look);
    if !title.is_empty() {
        spans.push(span(Role::Plain, " "));
        spans.extend(title);
    }
    let note = styled(&card.note.clone().unwrap_or_default(), look);
    if !note.is_empty() {
        spans.extend(blanks(2));
        spans.extend(note);
    }
    let spans = clip::long_line(spans, clip::LINE_CELLS, look);
    let width = cx.width.max(1);
    if cx.density == Density::Overview {
        return vec![wrap::cut(&Row { spans, unbroken: false }, width, look.glyphs.ellipsis)];
    }
    wrap::wrap(&spans, width, &Indent { first: Vec::new(), rest: blanks(indent(width)) })
}

/// What goes on in another row stands where its line began, so that indented lines read as parts of what is above.
fn text(lines: &[Line], cx: &PaintCx, look: Look) -> Vec<Row> {
    let width = cx.width.max(1);
    let at = indent(cx.width);
    let wrapped = |line: &Line, first, rest| {
        wrap::wrap(&styled(line, look), width, &Indent { first: blanks(first), rest: blanks(rest) })
    };
    let rows = lines.iter().flat_map(|line| match columns(line) {
        None => {
            let own = line.text().chars().take_while(|is| *is == ' ').count();
            wrapped(line, at, (at + own).min(width / 2).max(at))
        }
        // The second column goes on below itself,
        Some((_, _, column)) if at + column <= width / 2 => wrapped(line, at, at + column),
        // or stands below the first where there is no room beside it.
        Some((name, meaning, _)) => {
            let mut rows = wrapped(&name, at, at);
            rows.extend(wrapped(&meaning, 2 * at, 2 * at));
            rows
        }
    });
    rows.collect()
}

/// A line of two columns, two blanks apart: the first, the second, and where that begins.
fn columns(line: &Line) -> Option<(Line, Line, usize)> {
    let (name, meaning) = line.spans.split_first()?;
    let (first, rest) = meaning.split_first()?;
    let text = first.text.as_str().strip_prefix("  ")?;
    let column = text_width(name.text.as_str()) + 2;
    let mut below = Line::of(first.role, text);
    below.spans.extend(rest.iter().cloned());
    Some((Line::of(name.role, name.text.as_str().trim_end()), below, column))
}

fn indent(width: usize) -> usize {
    if width < 8 { 0 } else { 2 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use carpel_slots::record::CommandView;
    use carpel_slots::registry::{Owner, RegistryBuilder};

    use super::*;

    /// Counts words: a title and a body of its own, the note is the generic one.
    struct Words;

    impl CommandView for Words {
        fn card(&self, record: &CommandRecord, _cx: &CardCx) -> Card {
            let fields = vec![("words".to_owned(), record.arguments().split(' ').count().to_string())];
            Card {
                title: Some(Line::of(Role::Path, "of it")),
                body: Some(vec![Block::Fields(fields)]),
                ..Card::default()
            }
        }
    }

    fn registry() -> Registry {
        let mut builder = RegistryBuilder::default();
        builder.command_view("words", &Owner::built_in("test", "here"), Arc::new(Words));
        builder.build()
    }

    fn check(record: &CommandRecord, density: Density, width: usize, want: &[&str]) {
        let cx = PaintCx { width, density, now: Duration::ZERO, place: Place::Settled };
        let card = card(record, &registry(), &CardCx::default());
        let rows = rows(record, &card, &cx, Look::PLAIN, &mut Highlighter::inline());
        let texts: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(texts, want, "{record:?} {density:?} {width}");
        if registry().command_view(record.name()).is_none() {
            assert_eq!(generic_rows(record, &cx, Look::PLAIN), rows);
        }
    }

    #[test]
    fn records() {
        let lines = [Line::from("one"), Line::from("two")];
        let seen = record("words a b c", true, "counted", &lines);
        check(&seen, Density::Normal, 60, &["✓ :words of it  counted", "  words  3"]);
        check(&seen, Density::Overview, 60, &["✓ :words of it  counted"]);
        check(&seen, Density::Overview, 12, &["✓ :words of…"]);
        let plain = record("model opus", true, "", &lines);
        check(&plain, Density::Normal, 60, &["✓ :model opus", "  one", "  two"]);
        let parts =
            [Line::from("a head of it"), Line::from("  a part that goes on"), Line::from("          x y")];
        let wrapped = record("plugins", true, "", &parts);
        let rows = [
            "✓ :plugins",
            "  a head of",
            "  it",
            "    a part",
            "    that goes",
            "    on",
            "            x",
            "      y",
        ];
        check(&wrapped, Density::Normal, 13, &rows);
        let refused =
            record("compact", false, "not while a turn runs; press Esc first or wait for the end", &[]);
        check(
            &refused,
            Density::Normal,
            80,
            &["✗ :compact  not while a turn runs; press Esc first or wait for the end"],
        );
        let hostile = record("x \u{1b}]0;t\u{7}\u{202e}y", true, "a\u{1b}[2J\nb", &[]);
        check(&hostile, Density::Detail, 60, &["✓ :x <U+202E>y  a b"]);
    }

    #[test]
    fn the_second_column_goes_on_below_itself() {
        let lines = [Line::of(Role::Accent, "Ctrl+L  ").and(Role::Plain, "  draw the live rows anew")];
        let seen = record("keys", true, "", &lines);
        check(&seen, Density::Normal, 40, &["✓ :keys", "  Ctrl+L    draw the live rows anew"]);
        check(&seen, Density::Normal, 26, &["✓ :keys", "  Ctrl+L    draw the live", "            rows anew"]);
        check(&seen, Density::Normal, 20, &["✓ :keys", "  Ctrl+L", "    draw the live", "    rows anew"]);
    }

    #[test]
    fn what_a_command_says_is_shown_whole() {
        let lines: Vec<Line> = (0..30).map(|at| Line::from(at.to_string().as_str())).collect();
        let cx = PaintCx { width: 40, density: Density::Normal, now: Duration::ZERO, place: Place::Settled };
        assert_eq!(generic_rows(&record("keys", true, "", &lines), &cx, Look::PLAIN).len(), 31);
    }
}
