//! What differs, by line, with three lines around it: for views as data, for an approval as a unified diff.
//!
//! Owns the way from changed byte ranges to hunks. Only lines that a range touches are compared, so the cost follows
//! the change, not the file; a range of very many lines is shown as all of them removed and added. A budget bounds
//! what comes out, and a line that is too long is shown around its first difference.
//! Pure. Refuses to know files and colours.

use std::fmt::Write;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::text::{MARK, Region, in_common};
use crate::tools::{count, grouped};

const CONTEXT: usize = 3;
/// Lines of a change, old times new, beyond which they are not paired: the comparison may take that many steps.
const COMPARED: usize = 4_000_000;

#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub lines: usize,
    pub bytes: usize,
    pub line_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunks {
    pub hunks: Vec<Hunk>,
    /// Lines beyond the budget.
    pub left_out: usize,
    /// Whether a line was cut.
    pub cut: bool,
}

/// `old_start` and `new_start` are the number that the first line has, or would have, in the old and in the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: usize,
    pub new_start: usize,
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub tag: Tag,
    pub text: String,
    /// The last line of a file, without a line end.
    pub open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Context,
    Added,
    Removed,
}

impl Hunks {
    pub fn truncated(&self) -> bool {
        self.cut || self.left_out > 0
    }

    /// `[{"old_start", "new_start", "lines": [{"tag", "text"}]}]`; a last line without a line end says `"open": true`.
    pub fn to_value(&self) -> Value {
        let line = |line: &Line| {
            let tag = match line.tag {
                Tag::Context => "context",
                Tag::Added => "added",
                Tag::Removed => "removed",
            };
            let mut value = json!({"tag": tag, "text": line.text});
            if line.open {
                value["open"] = true.into();
            }
            value
        };
        self.hunks
            .iter()
            .map(|hunk| {
                let lines: Vec<Value> = hunk.lines.iter().map(line).collect();
                json!({"old_start": hunk.old_start, "new_start": hunk.new_start, "lines": lines})
            })
            .collect()
    }

    pub fn unified(&self) -> String {
        let mut text = String::new();
        for hunk in &self.hunks {
            let header = |start: usize, without: Tag| {
                let lines = hunk.lines.iter().filter(|line| line.tag != without).count();
                format!("{},{lines}", if lines == 0 { start - 1 } else { start })
            };
            // Writing to a string cannot fail, so the results are dropped.
            let (old, new) = (header(hunk.old_start, Tag::Added), header(hunk.new_start, Tag::Removed));
            let _ = writeln!(text, "@@ -{old} +{new} @@");
            for line in &hunk.lines {
                let mark = match line.tag {
                    Tag::Context => ' ',
                    Tag::Added => '+',
                    Tag::Removed => '-',
                };
                let _ = writeln!(text, "{mark}{}", line.text);
                if line.open {
                    text.push_str("\\ No newline at end of file\n");
                }
            }
        }
        if self.left_out > 0 {
            let _ = writeln!(text, "({} more)", count(self.left_out as u64, "line", "lines"));
        }
        text
    }
}

/// The hunks of a change that consists of `regions`, ascending. A byte order mark that stays is not shown.
pub fn hunks(old: &[u8], new: &[u8], regions: &[Region], budget: &Budget) -> Hunks {
    let mark = if old.starts_with(MARK) && new.starts_with(MARK) { MARK.len() } else { 0 };
    let shifted = |range: &Range<usize>| range.start - mark..range.end - mark;
    let regions: Vec<Region> = regions
        .iter()
        .map(|region| Region { old: shifted(&region.old), new: shifted(&region.new) })
        .collect();
    hunks_of(&old[mark..], &new[mark..], &regions, budget)
}

fn hunks_of(old: &[u8], new: &[u8], regions: &[Region], budget: &Budget) -> Hunks {
    let mut writer = Writer { old, new, budget, out: Hunks::default(), lines: 0, bytes: 0 };
    let (mut old_line, mut new_line) = (1, 1);
    let mut done = Region { old: 0..0, new: 0..0 };
    let mut open = false;
    for change in whole_lines(old, new, regions).iter().flat_map(|span| changes(old, new, span)) {
        let gap = &old[done.old.end..change.old.start];
        let lines = line_count(gap);
        old_line += lines;
        new_line += lines;
        if open && lines <= 2 * CONTEXT {
            writer.lines(gap, Tag::Context, 0);
        } else {
            if open {
                writer.lines(first_lines(gap), Tag::Context, 0);
            }
            let before = last_lines(gap);
            let lead = line_count(before);
            writer.out.hunks.push(Hunk {
                old_start: old_line - lead,
                new_start: new_line - lead,
                lines: Vec::new(),
            });
            writer.lines(before, Tag::Context, 0);
        }
        writer.change(&change);
        old_line += line_count(&old[change.old.clone()]);
        new_line += line_count(&new[change.new.clone()]);
        (done, open) = (change, true);
    }
    if open {
        writer.lines(first_lines(&old[done.old.end..]), Tag::Context, 0);
    }
    writer.out.hunks.retain(|hunk| !hunk.lines.is_empty());
    writer.out
}

/// The regions widened to whole lines on both sides. Those that share a line are one.
fn whole_lines(old: &[u8], new: &[u8], regions: &[Region]) -> Vec<Region> {
    let mut joined: Vec<Region> = Vec::new();
    for region in regions {
        match joined.last_mut() {
            Some(last) if memchr(b'\n', &old[last.old.end..region.old.start]).is_none() => {
                last.old.end = region.old.end;
                last.new.end = region.new.end;
            }
            _ => joined.push(region.clone()),
        }
    }
    joined.iter().map(|region| widened(old, new, region)).collect()
}

/// Before and behind a region there is a line end before the next region: up to it both texts are the same.
fn widened(old: &[u8], new: &[u8], region: &Region) -> Region {
    let lead = region.old.start - memrchr(b'\n', &old[..region.old.start]).map_or(0, |at| at + 1);
    let at_start = |text: &[u8], at: usize| at == 0 || text[at - 1] == b'\n';
    let tail = if at_start(old, region.old.end) && at_start(new, region.new.end) {
        0
    } else {
        let rest = &old[region.old.end..];
        memchr(b'\n', rest).map_or(rest.len(), |at| at + 1)
    };
    Region {
        old: region.old.start - lead..region.old.end + tail,
        new: region.new.start - lead..region.new.end + tail,
    }
}

/// The parts of a span that differ, line by line.
fn changes(old: &[u8], new: &[u8], span: &Region) -> Vec<Region> {
    let old_lines: Vec<&[u8]> = lines(&old[span.old.clone()]).collect();
    let new_lines: Vec<&[u8]> = lines(&new[span.new.clone()]).collect();
    if old_lines.len().saturating_mul(new_lines.len()) > COMPARED {
        return vec![span.clone()];
    }
    let (old_at, new_at) = (starts(span.old.start, &old_lines), starts(span.new.start, &new_lines));
    capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            Region { old: old_at[old.start]..old_at[old.end], new: new_at[new.start]..new_at[new.end] }
        })
        .collect()
}

fn starts(mut at: usize, lines: &[&[u8]]) -> Vec<usize> {
    let mut starts = vec![at];
    for line in lines {
        at += line.len();
        starts.push(at);
    }
    starts
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn line_count(text: &[u8]) -> usize {
    memchr_iter(b'\n', text).count() + usize::from(text.last().is_some_and(|last| *last != b'\n'))
}

fn first_lines(text: &[u8]) -> &[u8] {
    let end = memchr_iter(b'\n', text).nth(CONTEXT - 1).map_or(text.len(), |at| at + 1);
    &text[..end]
}

fn last_lines(text: &[u8]) -> &[u8] {
    let body = &text[..text.len().saturating_sub(1)];
    let start = memchr::memrchr_iter(b'\n', body).nth(CONTEXT - 1).map_or(0, |at| at + 1);
    &text[start..]
}

struct Writer<'a> {
    old: &'a [u8],
    new: &'a [u8],
    budget: &'a Budget,
    out: Hunks,
    lines: usize,
    bytes: usize,
}

impl Writer<'_> {
    fn change(&mut self, change: &Region) {
        let (removed, added) = (&self.old[change.old.clone()], &self.new[change.new.clone()]);
        let (lead, _) = in_common(removed, added);
        self.lines(removed, Tag::Removed, lead);
        self.lines(added, Tag::Added, lead);
    }

    /// `focus` is the place in the first line that must be seen.
    fn lines(&mut self, text: &[u8], tag: Tag, focus: usize) {
        let mut rest = text;
        let mut focus = focus;
        while !rest.is_empty() {
            if self.lines >= self.budget.lines || self.bytes >= self.budget.bytes {
                self.out.left_out += line_count(rest);
                return;
            }
            let (line, behind) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |at| at + 1));
            self.line(line, tag, focus);
            (rest, focus) = (behind, 0);
        }
    }

    fn line(&mut self, line: &[u8], tag: Tag, focus: usize) {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let open = body.len() == line.len();
        let body = body.strip_suffix(b"\r").filter(|_| !open).unwrap_or(body);
        let seen = window(body, focus, self.budget.line_bytes);
        let mut text = String::from_utf8_lossy(&body[seen.clone()]).into_owned();
        if seen.start > 0 {
            text.insert_str(0, &format!("[{} bytes] ", grouped(seen.start as u64)));
        }
        if seen.end < body.len() {
            let _ = write!(text, " [{} more bytes]", grouped((body.len() - seen.end) as u64));
        }
        self.out.cut |= seen.len() < body.len();
        self.lines += 1;
        self.bytes += text.len();
        if let Some(hunk) = self.out.hunks.last_mut() {
            hunk.lines.push(Line { tag, text, open });
        }
    }
}

/// The part of a long line that is shown, cut between characters.
fn window(line: &[u8], focus: usize, limit: usize) -> Range<usize> {
    if line.len() <= limit {
        return 0..line.len();
    }
    let is_inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let snap = |at: usize| (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at);
    let start = focus.min(line.len()).saturating_sub(limit / 4).min(line.len() - limit);
    snap(start)..snap(start + limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WIDE: Budget = Budget { lines: 1_000, bytes: 1 << 20, line_bytes: 1_000 };

    fn one_region(old: &[u8], new: &[u8]) -> Region {
        let (lead, tail) = in_common(old, new);
        Region { old: lead..old.len() - tail, new: lead..new.len() - tail }
    }

    fn check(old: &str, new: &str, budget: &Budget, expected: &str) {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        assert_eq!(hunks(old, new, &[one_region(old, new)], budget).unified(), expected);
    }

    #[test]
    fn unified_text() {
        check("a\nb\nc\n", "a\nB\nc\n", &WIDE, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        check("", "a\nb\n", &WIDE, "@@ -0,0 +1,2 @@\n+a\n+b\n");
        check("a\n", "", &WIDE, "@@ -1,1 +0,0 @@\n-a\n");
        check("a\nb", "a\nb\n", &WIDE, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n",
            &WIDE,
            "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n",
        );
        check(
            "x1\n2\n3\n4\n5\n6\n7\n8\nx9\n",
            "y1\n2\n3\n4\n5\n6\n7\n8\ny9\n",
            &WIDE,
            "@@ -1,4 +1,4 @@\n-x1\n+y1\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-x9\n+y9\n",
        );
    }

    #[test]
    fn a_budget_bounds_what_comes_out() {
        let few = Budget { lines: 2, ..WIDE };
        check("a\nb\nc\n", "", &few, "@@ -1,2 +0,0 @@\n-a\n-b\n(1 line more)\n");
        let narrow = Budget { line_bytes: 8, ..WIDE };
        check(
            "0123456789abcdef\n",
            "0123456789Xbcdef\n",
            &narrow,
            "@@ -1,1 +1,1 @@\n-[8 bytes] 89abcdef\n+[8 bytes] 89Xbcdef\n",
        );
        check(
            "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
            "",
            &Budget { line_bytes: 3, ..WIDE },
            "@@ -1,1 +0,0 @@\n-\u{e9} [8 more bytes]\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn a_huge_change_is_coarse_and_quick() {
        let old: String = (0..5_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..5_000).map(|n| format!("new {n}\n")).collect();
        let got = hunks(old.as_bytes(), new.as_bytes(), &[one_region(old.as_bytes(), new.as_bytes())], &WIDE);
        assert_eq!((got.hunks.len(), got.hunks[0].lines.len(), got.left_out), (1, 1_000, 9_000));
    }

    /// Lines of `old` with the hunks applied, line ends left out.
    fn applied(old: &str, hunks: &[Hunk]) -> Vec<String> {
        let old: Vec<&str> = old.lines().collect();
        let mut new: Vec<String> = Vec::new();
        let mut at = 0;
        for hunk in hunks {
            while at + 1 < hunk.old_start {
                new.push(old[at].to_owned());
                at += 1;
            }
            assert_eq!(new.len() + 1, hunk.new_start);
            for line in &hunk.lines {
                if line.tag != Tag::Added {
                    assert_eq!(old[at], line.text);
                    at += 1;
                }
                if line.tag != Tag::Removed {
                    new.push(line.text.clone());
                }
            }
        }
        new.extend(old[at..].iter().map(|line| (*line).to_owned()));
        new
    }

    proptest! {
        #[test]
        fn hunks_lead_from_the_old_text_to_the_new(
            pieces in prop::collection::vec(("[ab\n]{0,20}", "[ab\n]{0,4}", "[ab\n]{0,4}"), 0..5),
            end in "[ab\n]{0,20}",
        ) {
            let (mut old, mut new) = (String::new(), String::new());
            let mut regions = Vec::new();
            for (same, removed, added) in &pieces {
                old += same;
                new += same;
                regions.push(Region { old: old.len()..old.len() + removed.len(), new: new.len()..new.len() + added.len() });
                old += removed;
                new += added;
            }
            old += &end;
            new += &end;
            let got = hunks(old.as_bytes(), new.as_bytes(), &regions, &WIDE);
            let expected: Vec<String> = new.lines().map(str::to_owned).collect();
            prop_assert_eq!(applied(&old, &got.hunks), expected);
            for hunk in &got.hunks {
                let first = hunk.lines.iter().take_while(|line| line.tag == Tag::Context).count();
                let last = hunk.lines.iter().rev().take_while(|line| line.tag == Tag::Context).count();
                prop_assert!(first <= CONTEXT && last <= CONTEXT && first < hunk.lines.len());
            }
        }
    }
}
