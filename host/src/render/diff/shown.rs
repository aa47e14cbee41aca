//! Which lines of a diff are shown, and their numbers.
//!
//! Lines are chosen by tag and place alone, so that a million of them cost a count and no more. Where not all fit,
//! context goes first: what stays are the changes and one line around each. It knows no rows and looks at no text except
//! at the ends of the lines that it has chosen.

use carpel_slots::card::{DiffLine, DiffTag, Hunk};

use crate::render::clip::Room;

/// The lines that are shown.
pub struct Shown<'a> {
    /// In order.
    pub spots: Vec<Spot<'a>>,
    /// So many of them stand before what is hidden.
    pub head: usize,
    /// So many lines are not shown.
    pub hidden: usize,
    /// Whether some changed lines end with a carriage return and others do not.
    pub mixes_line_ends: bool,
}

/// One line and where it stands.
pub struct Spot<'a> {
    /// Its hunk.
    pub hunk: usize,
    /// Its place in the hunk.
    pub at: usize,
    /// Its number: a removed line's in the old text, any other's in the new one.
    pub number: Option<u64>,
    /// The line.
    pub line: &'a DiffLine,
}

impl Spot<'_> {
    /// True when nothing stands between `above` and this one.
    pub fn follows(&self, above: &Spot<'_>) -> bool {
        self.hunk == above.hunk && self.at == above.at + 1
    }
}

/// The lines of `hunks` that fit into `room`; a `thin` diff loses far context where not all fit.
pub fn choose(hunks: &[Hunk], room: Room, thin: bool) -> Shown<'_> {
    let total: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let all_fit = total <= room.rows.saturating_add(1);
    let is_candidate = |hunk: &Hunk, at: usize| all_fit || !thin || is_near_change(hunk, at);
    let candidates: usize = if all_fit || !thin {
        total
    } else {
        hunks.iter().map(|hunk| (0..hunk.lines.len()).filter(|at| is_candidate(hunk, *at)).count()).sum()
    };
    let choice = room.choose(candidates);
    let tail = candidates - choice.tail;
    let mut spots = Vec::with_capacity(choice.head + choice.tail);
    let mut candidate = 0;
    for (number_of_hunk, hunk) in hunks.iter().enumerate() {
        let mut numbers = Numbers { old: hunk.old_start, new: hunk.new_start };
        for (at, line) in hunk.lines.iter().enumerate() {
            let number = numbers.next(line.tag);
            if !is_candidate(hunk, at) {
                continue;
            }
            if candidate < choice.head || candidate >= tail {
                spots.push(Spot { hunk: number_of_hunk, at, number, line });
            }
            candidate += 1;
        }
    }
    let hidden = total - spots.len();
    Shown { mixes_line_ends: mixes_line_ends(&spots), head: choice.head, hidden, spots }
}

/// True for a change and for a line beside one.
fn is_near_change(hunk: &Hunk, at: usize) -> bool {
    let is_change = |at: usize| hunk.lines.get(at).is_some_and(|line| line.tag != DiffTag::Context);
    is_change(at) || is_change(at + 1) || (at > 0 && is_change(at - 1))
}

fn mixes_line_ends(spots: &[Spot<'_>]) -> bool {
    let mut changed = spots.iter().filter(|spot| spot.line.tag != DiffTag::Context && !spot.line.open);
    let Some(first) = changed.next() else { return false };
    changed.any(|spot| spot.line.text.ends_with('\r') != first.line.text.ends_with('\r'))
}

/// The numbers of the next line in both texts.
struct Numbers {
    old: Option<u64>,
    new: Option<u64>,
}

impl Numbers {
    fn next(&mut self, tag: DiffTag) -> Option<u64> {
        let number = if tag == DiffTag::Removed { self.old } else { self.new };
        if tag != DiffTag::Added {
            self.old = self.old.map(|old| old.saturating_add(1));
        }
        if tag != DiffTag::Removed {
            self.new = self.new.map(|new| new.saturating_add(1));
        }
        number
    }
}
