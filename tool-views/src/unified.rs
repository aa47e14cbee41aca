//! Unified diffs, as tools and approvals carry them in plain text, read into blocks.
//!
//! A hunk ends where the counts of its header say, so that a line of the change that looks like a header stays a line.
//! Text that is no diff stands where it stood. Two readings: [`blocks`] folds headers, for results; [`parts`] loses
//! nothing but the counts of hunks, for what a person is asked to approve. Neither knows where a diff came from, and
//! neither guesses: without a whole hunk header there is no diff.

use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use carpel_slots::{Block, Line, Role};

/// The blocks of a text that holds a unified diff; `None` for any other text.
///
/// ```
/// use carpel_slots::Block;
/// use carpel_tool_views::unified;
///
/// let blocks = unified::blocks("@@ -1,2 +1,2 @@\n a\n-b\n+c\n").unwrap();
/// assert!(matches!(&blocks[..], [Block::Diff { hunks, .. }] if hunks[0].lines.len() == 3));
/// assert!(unified::blocks("- a list\n- of things\n").is_none());
/// ```
pub fn blocks(text: &str) -> Option<Vec<Block>> {
    let block = |part| match part {
        Part::Text(lines) => Block::Text(lines.iter().map(|line| Line::of(Role::Dim, line)).collect()),
        Part::Diff { path, hunks } => Block::Diff { path, hunks },
    };
    Some(read(text, Headers::Folded)?.into_iter().map(block).collect())
}

/// A part of a text that holds a diff; everything is raw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Lines that are no diff.
    Text(Vec<String>),
    /// The changes of one file.
    Diff {
        /// The file, where the text names one.
        path: Option<String>,
        /// The hunks, in order.
        hunks: Vec<Hunk>,
    },
}

/// The parts of a text that holds a unified diff; `None` for any other text. What stands in a header besides line
/// numbers stays as text: a command may look like one.
pub fn parts(text: &str) -> Option<Vec<Part>> {
    read(text, Headers::Kept)
}

/// What becomes of the lines around hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Headers {
    /// Two names of one file become one line; what stands behind a hunk's numbers goes.
    Folded,
    /// Everything stays.
    Kept,
}

fn read(text: &str, headers: Headers) -> Option<Vec<Part>> {
    let mut reading = Reading { headers, parts: Vec::new(), text: Vec::new(), path: None, hunks: Vec::new() };
    let mut lines = text.split_terminator('\n').peekable();
    while let Some(line) = lines.next() {
        match Counts::of(line, headers) {
            Some(counts) => reading.hunk(line, counts, &mut lines),
            None => reading.text(line),
        }
    }
    reading.close()
}

/// Follows a last line without a line end.
const OPEN: &str = "\\ No newline at end of file";

/// How many lines a hunk has on each side, and where.
struct Counts {
    old: Side,
    new: Side,
}

#[derive(Clone, Copy)]
struct Side {
    start: u64,
    left: u64,
}

impl Counts {
    /// Reads `@@ -12,3 +12,4 @@`.
    fn of(line: &str, headers: Headers) -> Option<Counts> {
        let (ranges, section) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        if headers == Headers::Kept && !section.is_empty() {
            return None;
        }
        let (old, new) = ranges.split_once(" +")?;
        Some(Counts { old: Side::of(old)?, new: Side::of(new)? })
    }
}

impl Side {
    fn of(range: &str) -> Option<Side> {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        let (start, left) = (start.parse().ok()?, count.parse().ok()?);
        // A side without lines names the line before the change.
        Some(Side { start: if left == 0 { u64::saturating_add(start, 1) } else { start }, left })
    }
}

struct Reading {
    headers: Headers,
    parts: Vec<Part>,
    /// Lines that belong to no hunk, since the last one.
    text: Vec<String>,
    path: Option<String>,
    hunks: Vec<Hunk>,
}

impl Reading {
    fn text(&mut self, line: &str) {
        self.end_of_file();
        self.text.push(line.to_owned());
    }

    fn hunk<'a>(
        &mut self,
        header: &str,
        counts: Counts,
        lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ) {
        let Counts { mut old, mut new } = counts;
        let mut hunk = Hunk { old_start: Some(old.start), new_start: Some(new.start), lines: Vec::new() };
        while let Some(line) = lines.peek() {
            if let Some(last) = hunk.lines.last_mut().filter(|last| !last.open && line.trim_end() == OPEN) {
                last.open = true;
                lines.next();
                continue;
            }
            let Some((tag, text)) = tagged(line, old.left, new.left) else { break };
            old.left -= u64::from(tag != DiffTag::Added);
            new.left -= u64::from(tag != DiffTag::Removed);
            hunk.lines.push(DiffLine::new(tag, text));
            lines.next();
        }
        if hunk.lines.is_empty() {
            return self.text(header);
        }
        self.end_of_text();
        self.hunks.push(hunk);
    }

    /// Texts before a hunk become a block; two names of the file, when they stand last, become its path.
    fn end_of_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let mut lines = std::mem::take(&mut self.text);
        self.path = same_name(&lines);
        if let Some(path) = self.path.as_ref().filter(|_| self.headers == Headers::Folded) {
            lines.truncate(lines.len() - 2);
            while lines
                .last()
                .is_some_and(|line| line.starts_with("diff --git ") || line.starts_with("index "))
            {
                lines.pop();
            }
            lines.push(path.clone());
        }
        self.parts.push(Part::Text(lines));
    }

    fn end_of_file(&mut self) {
        if !self.hunks.is_empty() {
            let hunks = std::mem::take(&mut self.hunks);
            self.parts.push(Part::Diff { path: self.path.take(), hunks });
        }
    }

    fn close(mut self) -> Option<Vec<Part>> {
        self.end_of_file();
        if !self.parts.iter().any(|part| matches!(part, Part::Diff { .. })) {
            return None;
        }
        if !self.text.is_empty() {
            self.parts.push(Part::Text(self.text));
        }
        Some(self.parts)
    }
}

/// What a line of a hunk says; `None` when it belongs to the hunk no more.
fn tagged(line: &str, old_left: u64, new_left: u64) -> Option<(DiffTag, &str)> {
    let (tag, text) = match line.as_bytes().first() {
        // Editors and mailers take the blank off an empty line of context.
        None | Some(b' ') => (DiffTag::Context, line.get(1..).unwrap_or_default()),
        Some(b'-') => (DiffTag::Removed, &line[1..]),
        Some(b'+') => (DiffTag::Added, &line[1..]),
        Some(_) => return None,
    };
    let is_due = match tag {
        DiffTag::Context => old_left > 0 && new_left > 0,
        DiffTag::Removed => old_left > 0,
        DiffTag::Added => new_left > 0,
    };
    is_due.then_some((tag, text))
}

/// The file that `--- a/NAME` and `+++ b/NAME` at the end of `lines` name, when both name the same.
fn same_name(lines: &[String]) -> Option<String> {
    let [.., old, new] = lines else { return None };
    let old = old.strip_prefix("--- ")?;
    let new = new.strip_prefix("+++ ")?;
    let bare = |name: &str, prefix: &str| name.strip_prefix(prefix).unwrap_or(name).to_owned();
    let name = bare(new, "b/");
    (bare(old, "a/") == name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::block_rows;

    #[track_caller]
    fn check(text: &str, want: Option<&[&str]>) {
        let rows = blocks(text).map(|blocks| blocks.iter().flat_map(block_rows).collect::<Vec<_>>());
        let want = want.map(|rows| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>());
        assert_eq!(rows, want, "{text:?}");
    }

    #[test]
    fn hunks_end_where_their_header_says() {
        check(
            "@@ -3,2 +3,2 @@ fn main\n-- a\n++ b\n c\n--- not a header\n",
            Some(&["diff -", "@@ 3 3", "-- a", "++ b", " c", "--- not a header"]),
        );
        check("@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", Some(&["diff -", "@@ 1 1", "+a (open)"]));
        check("@@ -1,3 +1,2 @@\n a\n\n-b\n", Some(&["diff -", "@@ 1 1", " a", " ", "-b"]));
        check("@@ -1,9 +1,9 @@\n a\n(12 more lines)\n", Some(&["diff -", "@@ 1 1", " a", "(12 more lines)"]));
    }

    #[test]
    fn nothing_but_two_equal_names_is_folded() {
        check(
            "Done.\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\nfine\n",
            Some(&["Done.", "x.rs", "diff x.rs", "@@ 1 1", "-a", "+b", "fine"]),
        );
        check(
            "new mode 100755\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n--- a/z\n+++ b/z\n@@ -7 +7 @@\n-c\n+d\n",
            Some(&[
                "new mode 100755",
                "--- a/x",
                "+++ b/y",
                "diff -",
                "@@ 1 1",
                "-a",
                "+b",
                "z",
                "diff z",
                "@@ 7 7",
                "-c",
                "+d",
            ]),
        );
    }

    /// What a person approves may be made to look like a diff.
    #[test]
    fn what_is_asked_loses_nothing() {
        let evil = "@@ -1 +1 @@; rm -rf ~\n@@ -1 +1 @@\n-a\n+b\n\\ rm -rf ~\n@@ -2 +2 @@\n# hidden\nindex 7\n--- a/x\n+++ b/x\n@@ -9 +9 @@\n+c\n";
        let parts = parts(evil).unwrap();
        let mut seen = Vec::new();
        for part in &parts {
            match part {
                Part::Text(lines) => seen.extend(lines.clone()),
                Part::Diff { hunks, .. } => {
                    seen.extend(hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text.clone()));
                }
            }
        }
        let want = [
            "@@ -1 +1 @@; rm -rf ~",
            "a",
            "b",
            "\\ rm -rf ~",
            "@@ -2 +2 @@",
            "# hidden",
            "index 7",
            "--- a/x",
            "+++ b/x",
            "c",
        ];
        assert_eq!(seen, want);
    }

    #[test]
    fn other_texts_are_no_diffs() {
        for text in ["", "- a\n+ b\n", "--- a\n+++ b\n", "@@ what @@\n", "@@ -x +1 @@\n-a\n"] {
            check(text, None);
        }
    }
}
