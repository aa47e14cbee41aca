//! How much of a card is taken from a plugin: what is more is cut and counted.
//!
//! A reply of a megabyte can still hold a hundred thousand cells. Numbers that a drawing counts on from are bounded too, and
//! ranges that do not lie in their text are dropped. What text may hold is `Printable`'s business.

use carpel_slots::card::{Hunk, MatchGroup, MatchLine};
use carpel_slots::{Block, Card, Line, Role, Span};

/// Blocks of a card.
const BLOCKS: usize = 64;
/// Lines of a block, rows of a table, files of a search.
const ROWS: usize = 2_000;
/// Columns of a table.
const COLUMNS: usize = 32;
/// Spans of a line.
const SPANS: usize = 256;
/// Characters of a title and of a note: a row or a few.
const TITLE: usize = 1_000;
const NOTE: usize = 400;
/// Actions of a card.
const ACTIONS: usize = 16;
/// Line numbers; no file is longer.
const NUMBER: u64 = 1_000_000_000;

/// The card with nothing beyond its bounds.
pub(super) fn card(mut card: Card) -> Card {
    let mut cut = 0;
    for (line, most) in
        card.title.iter_mut().map(|title| (title, TITLE)).chain(card.note.iter_mut().map(|note| (note, NOTE)))
    {
        cut += spans(line);
        within(line, most);
    }
    if let Some(body) = &mut card.body {
        cut += shorten(body, BLOCKS);
        cut += body.iter_mut().map(block).sum::<usize>();
        if cut > 0 {
            let words = format!("{cut} more parts of this card are not shown");
            body.push(Block::Text(vec![Line::of(Role::Dim, &words)]));
        }
    }
    shorten(&mut card.actions, ACTIONS);
    card
}

/// About how many bytes a card takes in memory.
pub(super) fn bytes(card: &Card) -> usize {
    let lines = card.title.iter().chain(&card.note).map(line_bytes).sum::<usize>();
    lines + card.body.iter().flatten().map(block_bytes).sum::<usize>()
}

fn block_bytes(block: &Block) -> usize {
    let text = |text: &String| size_of::<String>() + text.len();
    size_of::<Block>()
        + match block {
            Block::Text(lines) => lines.iter().map(line_bytes).sum(),
            Block::Code { text: code, .. } => text(code),
            Block::Diff { hunks, .. } => {
                let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
                size_of_val(hunks.as_slice())
                    + lines.map(|line| size_of_val(line) + line.text.len()).sum::<usize>()
            }
            Block::Matches { groups } => {
                let lines = groups.iter().flat_map(|group| &group.lines);
                let bytes =
                    lines.map(|line| size_of_val(line) + line.text.len() + size_of_val(&line.hits[..]));
                size_of_val(groups.as_slice()) + bytes.sum::<usize>()
            }
            Block::Table { columns, rows } => columns.iter().chain(rows.iter().flatten()).map(text).sum(),
            Block::Fields(fields) => fields.iter().map(|(name, value)| text(name) + text(value)).sum(),
            Block::Markdown(all) | Block::Output(all) => text(all),
        }
}

fn line_bytes(line: &Line) -> usize {
    size_of::<Line>()
        + line.spans.iter().map(|span| size_of::<Span>() + span.text.as_str().len()).sum::<usize>()
}

/// What came of a command: one line for its record.
pub(super) fn outcome(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(NOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Lines that a command says, bounded alike.
pub(super) fn lines(mut lines: Vec<Line>) -> Vec<Line> {
    let mut cut = shorten(&mut lines, ROWS);
    cut += lines.iter_mut().map(spans).sum::<usize>();
    if cut > 0 {
        lines.push(Line::of(Role::Dim, &format!("{cut} more lines are not shown")));
    }
    lines
}

fn block(block: &mut Block) -> usize {
    match block {
        Block::Text(lines) => shorten(lines, ROWS) + lines.iter_mut().map(spans).sum::<usize>(),
        Block::Code { first_line, .. } => {
            number(first_line);
            0
        }
        Block::Diff { hunks, .. } => shorten(hunks, ROWS) + hunks.iter_mut().map(hunk).sum::<usize>(),
        Block::Matches { groups } => shorten(groups, ROWS) + groups.iter_mut().map(group).sum::<usize>(),
        Block::Table { columns, rows } => {
            let cut = shorten(columns, COLUMNS) + shorten(rows, ROWS);
            let wide = columns.len();
            cut + rows.iter_mut().map(|row| shorten(row, wide)).sum::<usize>()
        }
        Block::Fields(fields) => shorten(fields, ROWS),
        Block::Markdown(_) | Block::Output(_) => 0,
    }
}

fn hunk(hunk: &mut Hunk) -> usize {
    number(&mut hunk.old_start);
    number(&mut hunk.new_start);
    shorten(&mut hunk.lines, ROWS)
}

fn group(group: &mut MatchGroup) -> usize {
    group.count = group.count.min(NUMBER);
    let cut = shorten(&mut group.lines, ROWS);
    group.lines.iter_mut().for_each(hits);
    cut
}

/// Hits in order that lie in the text, one behind the other.
fn hits(line: &mut MatchLine) {
    line.line = line.line.min(NUMBER);
    let text = &line.text;
    let mut from = 0;
    line.hits.retain(|(start, end)| {
        let stands = *start >= from && end > start && text.get(*start..*end).is_some();
        if stands {
            from = *end;
        }
        stands
    });
}

fn number(number: &mut Option<u64>) {
    if let Some(number) = number {
        *number = (*number).min(NUMBER);
    }
}

fn spans(line: &mut Line) -> usize {
    let cut = shorten(&mut line.spans, SPANS);
    if cut > 0 {
        line.spans.push(Span::new(Role::Dim, "…"));
    }
    cut
}

/// At most so many characters.
fn within(line: &mut Line, most: usize) {
    let mut left = most;
    let ends = line.spans.iter().position(|span| {
        let length = span.text.as_str().chars().take(left + 1).count();
        let is_within = length <= left;
        left -= if is_within { length } else { 0 };
        !is_within
    });
    if let Some(at) = ends {
        let (role, kept) =
            (line.spans[at].role, line.spans[at].text.as_str().chars().take(left).collect::<String>());
        line.spans.truncate(at);
        line.spans.extend([Span::new(role, &kept), Span::new(Role::Dim, "…")]);
    }
}

fn shorten<T>(list: &mut Vec<T>, most: usize) -> usize {
    let cut = list.len().saturating_sub(most);
    list.truncate(most);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(json: &str) -> Vec<Block> {
        card(Card { body: Some(vec![serde_json::from_str(json).unwrap()]), ..Card::default() }).body.unwrap()
    }

    #[test]
    fn numbers_and_ranges_stay_within_their_text() {
        let matches = r#"{"matches":{"groups":[{"path":"a","count":18446744073709551615,"lines":[
            {"line":18446744073709551615,"text":"é!","hits":[[0,1],[0,2],[1,3],[2,3],[5,9],[3,2]]}]}]}}"#;
        let Block::Matches { groups } = &body(matches)[0] else { panic!() };
        assert_eq!((groups[0].count, groups[0].lines[0].line), (NUMBER, NUMBER));
        assert_eq!(groups[0].lines[0].hits, [(0, 2), (2, 3)]);
        let code = r#"{"code":{"lang":null,"first_line":18446744073709551615,"text":"x"}}"#;
        assert!(matches!(&body(code)[0], Block::Code { first_line: Some(NUMBER), .. }));
    }

    #[test]
    fn a_header_is_a_few_rows() {
        let rows = [(3, 3), (NOTE, NOTE), (NOTE + 1, NOTE + 1), (100_000, NOTE + 1)];
        for (length, want) in rows {
            let note = Line::of(Role::Plain, "n").and(Role::Dim, &"é".repeat(length - 1));
            let note = card(Card { note: Some(note), ..Card::default() }).note.unwrap();
            assert_eq!(note.text().chars().count(), want, "{length}");
        }
        assert_eq!(outcome(" done\nmore"), "done");
        assert_eq!(outcome(&"o".repeat(100_000)).chars().count(), NOTE + 1);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let rows: Vec<Vec<String>> = (0..ROWS + 7).map(|at| vec![at.to_string()]).collect();
        let table = Block::Table { columns: vec!["n".to_owned()], rows };
        let cut = card(Card { body: Some(vec![table]), ..Card::default() }).body.unwrap();
        let Block::Text(lines) = &cut[1] else { panic!() };
        assert_eq!(lines[0].text(), "7 more parts of this card are not shown");
        let Block::Table { rows, .. } = &cut[0] else { panic!() };
        assert_eq!(rows.len(), ROWS);
        assert_eq!(card(Card::default()), Card::default());
    }
}
