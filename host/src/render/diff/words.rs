//! Which words of changed lines changed.
//!
//! Removed lines are compared with the added ones that follow them, all together, so that it does not matter how many
//! there are of each. Lines that have little in common are left whole: marks all over them would tell nothing. The work
//! is bounded by lines, tokens and steps, not by time, so that the same diff always looks the same. It knows no rows.

use std::collections::HashMap;
use std::ops::Range;

use carpel_slots::card::{DiffLine, DiffTag, Hunk};
use similar::{Algorithm, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use super::shown::Spot;

/// Changes of more lines than this are not compared.
const LINES: usize = 40;
/// Neither are longer lines; one with one they are compared from both ends, a step a byte.
const LINE_BYTES: usize = 2_000;
/// Nor changes of more tokens on a side than this.
const TOKENS: usize = 400;
/// A comparison takes at most the square of its tokens; a whole diff may take so many steps.
pub const STEPS: usize = 4_000_000;

/// Byte ranges, ascending.
type Ranges = Vec<Range<usize>>;

/// The changed bytes of changed lines.
#[derive(Default)]
pub struct Words {
    lines: HashMap<(usize, usize), Ranges>,
    /// Steps taken at most.
    pub steps: usize,
}

impl Words {
    /// Compares the changes of which a line is shown.
    pub fn of(hunks: &[Hunk], spots: &[Spot<'_>]) -> Words {
        let mut words = Words::default();
        let mut done = (0, 0);
        for spot in spots.iter().filter(|spot| spot.line.tag != DiffTag::Context) {
            if (spot.hunk, spot.at) < done {
                continue;
            }
            let Some(lines) = hunks.get(spot.hunk).map(|hunk| hunk.lines.as_slice()) else { continue };
            if let Some(run) = Run::around(lines, spot.at) {
                done = (spot.hunk, run.added.end);
                words.compare(spot.hunk, lines, run);
            }
        }
        words
    }

    /// The bytes of a line that changed; none where it is to be taken as a whole.
    pub fn of_line(&self, spot: &Spot<'_>) -> &[Range<usize>] {
        self.lines.get(&(spot.hunk, spot.at)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Takes steps while there are enough left.
    fn may_take(&mut self, steps: usize) -> bool {
        let is_enough = self.steps.saturating_add(steps) <= STEPS;
        self.steps += if is_enough { steps } else { 0 };
        is_enough
    }

    fn compare(&mut self, hunk: usize, lines: &[DiffLine], run: Run) {
        if run.removed.is_empty() || run.added.is_empty() {
            return;
        }
        let (removed, added) = (&lines[run.removed.clone()], &lines[run.added.clone()]);
        let is_long = |line: &DiffLine| line.text.len() > LINE_BYTES;
        if removed.iter().chain(added).any(is_long) {
            let ([old], [new]) = (removed, added) else { return };
            if !self.may_take(old.text.len() + new.text.len()) {
                return;
            }
            if let Some((old, new)) = between(&old.text, &new.text) {
                self.lines.insert((hunk, run.removed.start), vec![old]);
                self.lines.insert((hunk, run.added.start), vec![new]);
            }
            return;
        }
        let (Some(old), Some(new)) = (tokens(removed), tokens(added)) else { return };
        if !self.may_take((old.len() + new.len()).pow(2)) {
            return;
        }
        let Some((mut old, mut new)) = changed(&old, &new) else { return };
        if removed.len() == 1 && added.len() == 1 {
            // Where one line only lost or only gained something, both are shown from the same place.
            old.is_empty().then(|| old.extend(new.first().map(|range| range.start..range.start)));
            new.is_empty().then(|| new.extend(old.first().map(|range| range.start..range.start)));
        }
        for (at, ranges) in by_line(removed, &old) {
            self.lines.insert((hunk, run.removed.start + at), ranges);
        }
        for (at, ranges) in by_line(added, &new) {
            self.lines.insert((hunk, run.added.start + at), ranges);
        }
    }
}

/// Removed lines and the added ones that follow them.
struct Run {
    removed: Range<usize>,
    added: Range<usize>,
}

impl Run {
    /// The run that holds a changed line; `None` when it is too long.
    fn around(lines: &[DiffLine], at: usize) -> Option<Run> {
        let is = |at: usize, tag: DiffTag| lines.get(at).is_some_and(|line| line.tag == tag);
        let near = |at: usize| at.saturating_sub(LINES + 1)..at;
        let back = |from: usize, tag: DiffTag| near(from).rev().take_while(|at| is(*at, tag)).count();
        let ahead =
            |from: usize, tag: DiffTag| (from..from + LINES + 1).take_while(|at| is(*at, tag)).count();
        let middle = if is(at, DiffTag::Added) {
            at - back(at, DiffTag::Added)
        } else {
            at + ahead(at, DiffTag::Removed)
        };
        let removed = middle - back(middle, DiffTag::Removed)..middle;
        let added = middle..middle + ahead(middle, DiffTag::Added);
        (removed.len() + added.len() <= LINES).then_some(Run { removed, added })
    }
}

/// The words of lines, with a line feed between lines; `None` when there are too many.
fn tokens(lines: &[DiffLine]) -> Option<Vec<&str>> {
    let mut tokens = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            tokens.push("\n");
        }
        for word in line.text.split_word_bounds() {
            if tokens.len() >= TOKENS {
                return None;
            }
            tokens.push(word);
        }
    }
    Some(tokens)
}

/// The byte ranges of both sides that changed; `None` when the sides have too little in common.
fn changed(old: &[&str], new: &[&str]) -> Option<(Ranges, Ranges)> {
    let (old_text, new_text) = (old.concat(), new.concat());
    let (old_ends, new_ends) = (offsets(old), offsets(new));
    let weight = |tokens: &[&str]| -> usize {
        tokens.iter().filter(|token| !token.trim().is_empty()).map(|token| token.len()).sum()
    };
    let mut same = 0;
    let (mut of_old, mut of_new) = (Vec::new(), Vec::new());
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (tag, in_old, in_new) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            same += weight(&old[in_old]);
            continue;
        }
        join(&mut of_old, old_ends[in_old.start]..old_ends[in_old.end], &old_text);
        join(&mut of_new, new_ends[in_new.start]..new_ends[in_new.end], &new_text);
    }
    let largest = weight(old).max(weight(new));
    (3 * same >= largest).then_some((of_old, of_new))
}

/// Where each token begins, and the end of the last.
fn offsets(tokens: &[&str]) -> Vec<usize> {
    let mut end = 0;
    let mut offsets = vec![0];
    offsets.extend(tokens.iter().map(|token| {
        end += token.len();
        end
    }));
    offsets
}

/// Adds a range; a single blank between two changes belongs to them.
fn join(ranges: &mut Ranges, range: Range<usize>, text: &str) {
    if range.is_empty() {
        return;
    }
    match ranges.last_mut() {
        Some(last) if matches!(text.get(last.end..range.start), Some("" | " ")) => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// Ranges over the joined lines as ranges within each; a line that changed as a whole has none.
fn by_line(lines: &[DiffLine], ranges: &[Range<usize>]) -> Vec<(usize, Ranges)> {
    let mut begin = 0;
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = line.text.as_str();
        let end = begin + text.len();
        let within: Ranges = ranges
            .iter()
            .filter(|range| range.start <= end && range.end >= begin)
            .map(|range| range.start.max(begin) - begin..range.end.min(end) - begin)
            .filter(|range| lines.len() == 1 || !is_indent(text, range))
            .collect();
        if !within.is_empty() && !is_whole(text, &within) {
            all.push((at, within));
        }
        begin = end + 1;
    }
    all
}

/// The indent of one of several lines is matched with any other's, so that it says nothing; a tab always does.
fn is_indent(text: &str, range: &Range<usize>) -> bool {
    text.get(..range.end).is_some_and(|head| head.bytes().all(|byte| byte == b' '))
}

/// True when nothing but blanks stands outside of the ranges.
fn is_whole(text: &str, ranges: &[Range<usize>]) -> bool {
    let begins = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain(std::iter::once(text.len()));
    begins.zip(ends).all(|(begin, end)| text.get(begin..end).is_none_or(|part| part.trim().is_empty()))
}

/// What stands between the common beginning and the common end of two long lines.
fn between(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let same = |(old, new): &(u8, u8)| old == new;
    let head = old.bytes().zip(new.bytes()).take_while(same).count();
    // Both sides are the same up to here, so that a boundary of one is a boundary of the other.
    let head = old.floor_char_boundary(head).min(new.floor_char_boundary(head));
    let tail = old[head..].bytes().rev().zip(new[head..].bytes().rev()).take_while(same).count();
    let (old_end, new_end) =
        (old.ceil_char_boundary(old.len() - tail), new.ceil_char_boundary(new.len() - tail));
    let tail = (old.len() - old_end).min(new.len() - new_end);
    (head + tail > 0).then(|| (head..old.len() - tail, head..new.len() - tail))
}
