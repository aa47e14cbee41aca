//! What a question asks about, as rows: the whole of it, exactly, wrapped and never cut.
//!
//! A unified diff gets its line numbers, sign and colours, as diffs have everywhere; of it only the counts of its hunks
//! are not shown. Any other text stands as it is. Carriage returns are left out only where every line has one. It does
//! not look at the call that is asked about: what is shown is what the pod says will be done.

use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use carpel_slots::{Printable, Role};
use carpel_tool_views::unified::{self, Part};
use ratatui::style::Style;

use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks};
use crate::row::{Row, RowSpan};

/// A narrower window has neither indentation nor line numbers.
const NARROW: usize = 30;

/// The rows of a request's detail.
pub fn rows(detail: &str, look: &Look, width: usize) -> Vec<Row> {
    match unified::parts(detail) {
        Some(parts) => parts.iter().flat_map(|part| part_rows(part, look, width)).collect(),
        None => text_rows(&detail.split_terminator('\n').collect::<Vec<_>>(), look, width),
    }
}

fn part_rows(part: &Part, look: &Look, width: usize) -> Vec<Row> {
    match part {
        Part::Text(lines) => text_rows(lines, look, width),
        Part::Diff { hunks, .. } => diff_rows(hunks, look, width),
    }
}

fn text_rows<T: AsRef<str>>(lines: &[T], look: &Look, width: usize) -> Vec<Row> {
    let returns = lines.iter().all(|line| line.as_ref().ends_with('\r'));
    let rows = lines.iter().flat_map(|line| {
        let line = shown(line.as_ref(), returns);
        let style = look.theme.role(line_role(line));
        wrap::wrap(&[RowSpan { text: Printable::exact(line), style }], width, &Indent::blanks(indent(width)))
    });
    rows.collect()
}

fn diff_rows(hunks: &[Hunk], look: &Look, width: usize) -> Vec<Row> {
    let returns = hunks.iter().flat_map(|hunk| &hunk.lines).all(|line| line.text.ends_with('\r'));
    let numbered: Vec<Vec<(u64, &DiffLine)>> = hunks.iter().map(numbered).collect();
    let largest = numbered.iter().flatten().map(|(number, _)| *number).max().unwrap_or_default();
    let digits = largest.to_string().len();
    let mut rows = Vec::new();
    for (at, lines) in numbered.iter().enumerate() {
        if at > 0 {
            let text = Printable::line(look.glyphs.ellipsis);
            let gap = [RowSpan { text, style: look.theme.dim() }];
            rows.extend(wrap::wrap(&gap, width, &Indent::blanks(indent(width))));
        }
        for (number, line) in lines {
            let (sign, role) = match line.tag {
                DiffTag::Context => (" ", Role::Plain),
                DiffTag::Added => ("+", Role::Added),
                DiffTag::Removed => ("-", Role::Removed),
            };
            let style = look.theme.role(role);
            let mut first = blanks(indent(width));
            if width >= NARROW {
                let text = Printable::line(&format!("{number:>digits$} "));
                first.push(RowSpan { text, style: look.theme.dim() });
            }
            first.push(RowSpan { text: Printable::line(&format!("{sign} ")), style });
            let spans = spans(line, returns, style, look);
            rows.extend(wrap::wrap(&spans, width, &Indent::hanging(first)));
        }
    }
    rows
}

fn spans(line: &DiffLine, returns: bool, style: Style, look: &Look) -> Vec<RowSpan> {
    let mut spans = vec![RowSpan { text: Printable::exact(shown(&line.text, returns)), style }];
    if line.open && line.tag != DiffTag::Context {
        spans.push(RowSpan { text: Printable::line(" (no line end)"), style: look.theme.dim() });
    }
    spans
}

/// The lines with their numbers: what goes has its old one, everything else its new one.
fn numbered(hunk: &Hunk) -> Vec<(u64, &DiffLine)> {
    let (mut old, mut new) = (hunk.old_start.unwrap_or(1), hunk.new_start.unwrap_or(1));
    let lines = hunk.lines.iter().map(|line| {
        let number = if line.tag == DiffTag::Removed { old } else { new };
        old += u64::from(line.tag != DiffTag::Added);
        new += u64::from(line.tag != DiffTag::Removed);
        (number, line)
    });
    lines.collect()
}

fn indent(width: usize) -> usize {
    if width < NARROW { 0 } else { 2 }
}

fn shown(line: &str, returns: bool) -> &str {
    if returns { line.strip_suffix('\r').unwrap_or(line) } else { line }
}

/// A line that looks like one of a diff is coloured by its sign.
fn line_role(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'@', b'@', ..] => Role::Dim,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(detail: &str, width: usize, want: &[&str]) {
        let rows: Vec<String> = rows(detail, &Look::PLAIN, width).iter().map(Row::text).collect();
        assert_eq!(rows, want, "{detail:?}");
    }

    #[test]
    fn a_diff_has_its_line_numbers() {
        let diff = "@@ -9,2 +9,2 @@\n a\n-b\n+c\n@@ -40,1 +40,2 @@\n d\n+e\n\\ No newline at end of file\n";
        check(diff, 40, &["   9   a", "  10 - b", "  10 + c", "  …", "  40   d", "  41 + e (no line end)"]);
        check(diff, 20, &["  a", "- b", "+ c", "…", "  d", "+ e (no line end)"]);
    }

    #[test]
    fn nothing_is_gone_and_nothing_is_cut() {
        check(
            "@@ -1 +1 @@\n-\u{1b}[8ma\n+b\u{202e}\u{200b} 12345678901234567890 tail\n",
            30,
            &["  1 - ␛[8ma", "  1 + b<U+202E><U+200B>", "      12345678901234567890", "      tail"],
        );
        check("rm x\u{1b}[8m -rf\n\n+ a\r", 40, &["  rm x␛[8m -rf", "", "  + a␍"]);
        // Line ends that differ are what changes; where all are alike they are not.
        check("@@ -1 +1 @@\n-a\r\n+a\n", 40, &["  1 - a␍", "  1 + a"]);
        check("@@ -1 +1 @@\n-a\r\n+b\r\n", 40, &["  1 - a", "  1 + b"]);
        // What only looks like the header of a hunk may be a command.
        check("@@ -1 +1 @@; rm -rf ~\n", 40, &["  @@ -1 +1 @@; rm -rf ~"]);
    }
}
