//! Which rows are on the screen: the position of [`super::cursor`] carried out.
//!
//! From the selected call or item rows are counted upwards and downwards, never further than the screen goes, so that a
//! drawing costs the same in a session of any length. The selection is always in sight, and no row of the screen stays
//! empty while there is something to show in it. It draws nothing.

use crate::inspector::cursor::{Cursor, Spot, Want, place_of};
use crate::inspector::folds::{self, Folds};
use crate::inspector::layout::{Laid, LayCx, Layouts};
use crate::paint::{Inspect, PaintCx, Place};
use crate::transcript::item::{FlowItem, ItemBody};

/// A row of the screen, by where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewRow {
    /// Between two items.
    Gap,
    /// A row of a part of an item.
    Part {
        /// The item's place in the list.
        item: usize,
        /// The part.
        part: usize,
        /// The row within the part.
        row: usize,
    },
}

/// The items and what lays them out.
pub struct Stage<'a> {
    /// All items.
    pub items: &'a [FlowItem],
    /// What is folded.
    pub folds: &'a Folds,
    /// The rows.
    pub layouts: &'a mut Layouts,
    /// Draws.
    pub paint: &'a mut dyn Inspect,
    /// For which width and when.
    pub cx: LayCx,
}

/// A row: the item and the line within it, its gap counted in.
type At = (usize, usize);

impl Stage<'_> {
    /// The rows of an item.
    pub fn laid(&mut self, item: usize) -> &Laid {
        self.layouts.lay(&self.items[item], self.folds, self.paint, &self.cx)
    }

    /// 1 where a blank row stands above an item.
    fn gap(&mut self, item: usize) -> usize {
        if item == 0 || self.laid(item).parts.is_empty() {
            return 0;
        }
        let Some(above) = (0..item).rev().find(|above| !self.laid(*above).parts.is_empty()) else { return 0 };
        let density = self.folds.density();
        let cx = PaintCx { width: self.cx.width, density, now: self.cx.now, place: Place::Settled };
        usize::from(self.paint.gap(&self.items[above], &self.items[item], &cx))
    }

    fn lines(&mut self, item: usize) -> usize {
        self.laid(item).height() + self.gap(item)
    }

    /// The first line of a part.
    fn line_of(&mut self, item: usize, part: usize) -> usize {
        self.gap(item) + self.laid(item).parts[..part].iter().map(|part| part.rows.len()).sum::<usize>()
    }

    /// So many lines further up, or the first of all; and how many that were.
    fn up(&mut self, from: At, most: usize) -> (At, usize) {
        let ((mut item, mut line), mut left) = (from, most);
        loop {
            if line >= left {
                return ((item, line - left), most);
            }
            left -= line;
            if item == 0 {
                return ((0, 0), most - left);
            }
            item -= 1;
            line = self.lines(item);
        }
    }

    /// How many lines there are from one on, counted up to a number.
    fn below(&mut self, from: At, most: usize) -> usize {
        let (mut item, mut count) = (from.0, 0);
        let mut skipped = from.1;
        while item < self.items.len() && count < most {
            count += self.lines(item).saturating_sub(skipped);
            skipped = 0;
            item += 1;
        }
        count.min(most)
    }

    /// How far down the second line is from the first; `None` when it is further than a number of lines.
    fn distance(&mut self, from: At, to: At, most: usize) -> Option<isize> {
        if to < from {
            return self.distance(to, from, most).map(|lines| -lines);
        }
        let mut lines = 0;
        for item in from.0..to.0 {
            lines += self.lines(item);
            if lines > most + from.1 {
                return None;
            }
        }
        Some(signed(lines + to.1) - signed(from.1))
    }

    /// The part that a spot names, or the one that stands in for it: a call above, or a neighbour with rows.
    fn find(&mut self, spot: &Spot, is_upward: bool) -> Option<(usize, usize)> {
        let place = place_of(self.items, spot.item);
        let item = self.items.get(place)?;
        if item.id == spot.item && !self.laid(place).parts.is_empty() {
            return Some((place, self.part_in(place, spot)));
        }
        let above = |stage: &mut Self| (0..place).rev().find(|item| !stage.laid(*item).parts.is_empty());
        let below =
            |stage: &mut Self| (place..stage.items.len()).find(|item| !stage.laid(*item).parts.is_empty());
        let found =
            if is_upward { above(self).or_else(|| below(self)) } else { below(self).or_else(|| above(self)) };
        found.map(|item| (item, 0))
    }

    fn part_in(&mut self, place: usize, spot: &Spot) -> usize {
        let Some(key) = &spot.call else { return 0 };
        let at = |stage: &mut Self, key| {
            stage.laid(place).parts.iter().position(|part| part.call.as_ref() == Some(key))
        };
        if let Some(part) = at(self, key) {
            return part;
        }
        let ItemBody::Call(root) = &self.items[place].body else { return 0 };
        let above = folds::path(root, key).unwrap_or_default();
        above.into_iter().rev().find_map(|call| at(self, &call.key)).unwrap_or_default()
    }

    fn spot(&mut self, item: usize, part: usize) -> Spot {
        Spot { item: self.items[item].id, call: self.laid(item).parts[part].call.clone() }
    }

    /// The last part of all.
    fn last(&mut self) -> Option<(usize, usize)> {
        let item = (0..self.items.len()).rev().find(|item| !self.laid(*item).parts.is_empty())?;
        Some((item, self.laid(item).parts.len() - 1))
    }

    fn rows(&mut self, from: At, height: usize) -> Vec<ViewRow> {
        let mut rows = Vec::new();
        let mut skipped = from.1;
        for item in from.0..self.items.len() {
            let gap = self.gap(item);
            let parts = self.laid(item).parts.iter().enumerate();
            let parts = parts.flat_map(|(part, laid)| {
                (0..laid.rows.len()).map(move |row| ViewRow::Part { item, part, row })
            });
            let all = std::iter::repeat_n(ViewRow::Gap, gap).chain(parts).skip(skipped);
            rows.extend(all.take(height - rows.len()));
            skipped = 0;
            if rows.len() >= height {
                break;
            }
        }
        rows
    }
}

/// The rows of a screen of that height. The cursor is where it can be afterwards.
pub fn view(stage: &mut Stage<'_>, cursor: &mut Cursor, height: usize) -> Vec<ViewRow> {
    if stage.items.is_empty() || height == 0 {
        return Vec::new();
    }
    if !cursor.has_begun {
        cursor.follow();
    }
    let want = std::mem::take(&mut cursor.want);
    let last = stage.last();
    let found = match &cursor.spot {
        Some(spot) if !cursor.follows => {
            let spot = spot.clone();
            stage.find(&spot, cursor.is_upward)
        }
        _ => last,
    };
    let Some((mut item, mut part)) = found else { return Vec::new() };
    let mut at = (item, stage.line_of(item, part));
    let size = signed(stage.laid(item).parts[part].rows.len());
    let tall = signed(height);
    let before = before(stage, cursor, at, height);
    let is_scroll = matches!(want, Want::Pages(_) | Want::Rows(_));
    let mut row = match want {
        _ if cursor.follows => tall - size,
        Want::Stay => before.unwrap_or(0),
        Want::Near => entered(before, size, tall, cursor.is_upward),
        Want::Jump => match before {
            Some(row) if row >= 0 && row + size.min(tall) <= tall => row,
            _ => tall / 3,
        },
        Want::Pages(hundredths) => {
            let rows = (tall - 1).max(1) * isize::try_from(hundredths).unwrap_or_default() / 100;
            before.unwrap_or(0) - rows
        }
        Want::Rows(rows) => before.unwrap_or(0) - isize::try_from(rows).unwrap_or_default(),
    };
    if !is_scroll {
        row = row.clamp((tall - size).min(0), (tall - size).max(0));
    }
    row = filled(stage, at, row, height);
    let mut top = top_of(stage, at, row);
    let mut rows = stage.rows(top, height);
    if is_scroll {
        let is_seen = |rows: &[ViewRow]| rows.iter().any(|row| is_of(row, item, part));
        let stuck = before == Some(row);
        let down = matches!(want, Want::Pages(n) | Want::Rows(n) if n > 0);
        if stuck || !is_seen(&rows) {
            (item, part) = chosen(&rows, down, stuck).unwrap_or((item, part));
            at = (item, stage.line_of(item, part));
            row = stage.distance(top, at, height).unwrap_or_default();
            // What was chosen may still begin above the screen; it is in sight all the same.
            row = filled(stage, at, row, height);
            top = top_of(stage, at, row);
            rows = stage.rows(top, height);
        }
    }
    let spot = stage.spot(item, part);
    if want != Want::Stay {
        cursor.follows =
            last == Some((item, part)) && rows.last().is_some_and(|row| is_end(stage, row, last));
    }
    cursor.spot = Some(spot.clone());
    cursor.drawn = Some((spot, row));
    rows
}

/// The row on which the selection would stand if nothing moved; `None` where that is far away.
fn before(stage: &mut Stage<'_>, cursor: &Cursor, at: At, height: usize) -> Option<isize> {
    let (spot, row) = cursor.drawn.clone()?;
    let (item, part) = stage.find(&spot, cursor.is_upward)?;
    let from = (item, stage.line_of(item, part));
    Some(row + stage.distance(from, at, 4 * height)?)
}

/// A step: what is taller than the screen begins at its top, what was far away comes in at the nearer edge.
fn entered(row: Option<isize>, size: isize, tall: isize, is_upward: bool) -> isize {
    match row {
        _ if size > tall => 0,
        Some(row) => row,
        None if is_upward => 0,
        None => tall,
    }
}

/// The row moved so that the screen is full where there is enough to fill it.
fn filled(stage: &mut Stage<'_>, at: At, row: isize, height: usize) -> isize {
    let tall = signed(height);
    let wanted = usize::try_from(tall - row).unwrap_or_default();
    let below = signed(stage.below(at, wanted));
    let row = row.max(tall - below);
    let above = stage.up(at, usize::try_from(row).unwrap_or_default()).1;
    row.min(signed(above))
}

fn top_of(stage: &mut Stage<'_>, at: At, row: isize) -> At {
    match usize::try_from(row) {
        Ok(rows) => stage.up(at, rows).0,
        Err(_) => {
            let mut at = at;
            let mut left = row.unsigned_abs();
            while left > 0 && at.0 < stage.items.len() {
                let lines = stage.lines(at.0).saturating_sub(at.1);
                if left < lines {
                    return (at.0, at.1 + left);
                }
                left -= lines;
                at = (at.0 + 1, 0);
            }
            at
        }
    }
}

/// What is selected after scrolling: the first that begins on the screen; at an end the outermost.
fn chosen(rows: &[ViewRow], down: bool, stuck: bool) -> Option<(usize, usize)> {
    let mut parts = rows.iter().filter_map(|row| match row {
        ViewRow::Part { item, part, row } => Some((*item, *part, *row)),
        ViewRow::Gap => None,
    });
    let found = match (down, stuck) {
        (true, true) => parts.next_back(),
        (false, true) => parts.next(),
        (true, false) => parts.clone().find(|(.., row)| *row == 0).or_else(|| parts.next()),
        (false, false) => parts.clone().rfind(|(.., row)| *row == 0).or_else(|| parts.next_back()),
    };
    found.map(|(item, part, _)| (item, part))
}

fn is_of(row: &ViewRow, of: usize, its: usize) -> bool {
    matches!(row, ViewRow::Part { item, part, .. } if (*item, *part) == (of, its))
}

/// True for the very last row of the session.
fn is_end(stage: &mut Stage<'_>, row: &ViewRow, last: Option<(usize, usize)>) -> bool {
    match row {
        ViewRow::Gap => false,
        ViewRow::Part { item, part, row } => {
            Some((*item, *part)) == last && row + 1 == stage.laid(*item).parts[*part].rows.len()
        }
    }
}

fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}
