//! Text in grapheme clusters, each with its width and with how far terminals disagree about it.
//!
//! No width table is right everywhere: an emoji with a variation selector takes one cell in tmux and two elsewhere,
//! a joined family two to eight, a plain emoji one in xterm.js. So a cluster carries three widths: `width`, by which
//! carpel lays out, and the narrowest and widest opinion known. Whoever places text moves on absolutely after a
//! cluster that is not `certain`. Control characters are left out here, whatever let them through before.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::graphemes::graphemes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cluster<'a> {
    pub(super) text: &'a str,
    /// Cells by which carpel lays it out: 0, 1 or 2.
    pub(super) width: usize,
    /// The fewest cells a known terminal gives it.
    pub(super) narrowest: usize,
    /// The most cells a known terminal gives it.
    pub(super) widest: usize,
}

impl Cluster<'_> {
    /// Whether every known terminal gives it the same cells.
    pub(super) fn certain(&self) -> bool {
        self.narrowest == self.width && self.widest == self.width
    }

    /// The most cells that a terminal keeps together when it folds a row: it parts a cluster between its characters,
    /// so two only where one character takes two.
    pub(super) fn kept_together(&self) -> usize {
        self.text.chars().map(fewest_cells).max().unwrap_or(0).max(1)
    }
}

/// The clusters of a text, without its control characters.
pub(super) fn clusters(text: &str) -> impl Iterator<Item = Cluster<'_>> {
    graphemes(text).filter(|cluster| !cluster.contains(char::is_control)).map(measure)
}

/// Measures one cluster.
pub(super) fn measure(text: &str) -> Cluster<'_> {
    if text.len() == 1 {
        return Cluster { text, width: 1, narrowest: 1, widest: 1 };
    }
    // Two cells is the most that any layout gives to one cluster; what claims more is drawn over by what follows.
    let width = text.width().min(2);
    let fewest: usize = text.chars().map(fewest_cells).sum();
    let most: usize = text.chars().map(most_cells).sum();
    Cluster { text, width, narrowest: fewest.min(width), widest: most.max(width) }
}

fn fewest_cells(character: char) -> usize {
    let width = character.width().unwrap_or(0);
    // Emoji and the Yijing signs became wide in later versions of Unicode than some terminals know.
    let disputed =
        matches!(character, '\u{2300}'..='\u{2bff}' | '\u{4dc0}'..='\u{4dff}' | '\u{1f000}'..='\u{1ffff}');
    if disputed { width.min(1) } else { width }
}

fn most_cells(character: char) -> usize {
    match character {
        '\u{ad}' => 1,
        other => other.width().unwrap_or(0),
    }
}

/// How many rows the clusters fill at least when the terminal folds them, and the column after the last one.
pub(super) fn fold<'a>(clusters: impl Iterator<Item = Cluster<'a>>, cols: usize) -> Folded {
    let cols = cols.max(1);
    let mut folded = Folded::EMPTY;
    for cluster in clusters {
        folded.certain &= cluster.certain();
        folded.add(cluster.narrowest, cluster.kept_together(), cols);
    }
    folded
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    pub(super) rows: usize,
    pub(super) column: usize,
    /// Whether every known terminal folds it like this.
    pub(super) certain: bool,
}

impl Folded {
    pub(super) const EMPTY: Self = Self { rows: 1, column: 0, certain: true };

    /// Adds cells that the terminal keeps together in pieces of `piece`.
    pub(super) fn add(&mut self, cells: usize, piece: usize, cols: usize) {
        let mut left = cells;
        while left > 0 {
            let width = piece.min(left).min(cols);
            if self.column + width > cols {
                self.rows += 1;
                self.column = 0;
            }
            self.column += width;
            left -= piece.min(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{clusters, fold};

    fn check(text: &str, expected: &[(&str, usize, usize, usize)]) {
        let found: Vec<_> = clusters(text)
            .map(|cluster| (cluster.text, cluster.narrowest, cluster.width, cluster.widest))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn widths_and_where_terminals_disagree() {
        check("a漢", &[("a", 1, 1, 1), ("漢", 2, 2, 2)]);
        check("e\u{301}", &[("e\u{301}", 1, 1, 1)]);
        check("\u{2764}\u{fe0f}", &[("\u{2764}\u{fe0f}", 1, 2, 2)]);
        check("\u{2764}", &[("\u{2764}", 1, 1, 1)]);
        check("1\u{fe0f}\u{20e3}", &[("1\u{fe0f}\u{20e3}", 1, 2, 2)]);
        check("\u{1f600}", &[("\u{1f600}", 1, 2, 2)]);
        check("👩\u{200d}🔬", &[("👩\u{200d}🔬", 2, 2, 4)]);
        check("\u{e19}\u{e49}\u{e33}", &[("\u{e19}\u{e49}\u{e33}", 2, 2, 2)]);
        check("o\u{ad}", &[("o", 1, 1, 1), ("\u{ad}", 0, 0, 1)]);
        check("┃✓●", &[("┃", 1, 1, 1), ("✓", 1, 1, 1), ("●", 1, 1, 1)]);
    }

    #[test]
    fn no_control_character_comes_through() {
        check("a\tb\0\r\n\x1bc\u{9b}d", &[("a", 1, 1, 1), ("b", 1, 1, 1), ("c", 1, 1, 1), ("d", 1, 1, 1)]);
    }

    #[test]
    fn folding_counts_rows_by_the_narrowest_opinion() {
        let count = |text, cols| {
            let folded = fold(clusters(text), cols);
            (folded.rows, folded.column)
        };
        assert_eq!(count("", 10), (1, 0));
        assert_eq!(count("abcdefghij", 10), (1, 10));
        assert_eq!(count("abcdefghijk", 10), (2, 1));
        assert_eq!(count("abcdefghi漢", 10), (2, 2));
        assert_eq!(count("漢字", 1), (2, 1));
        assert_eq!(count("abc", 0), (3, 1));
        // Two characters of one cell each in one cluster: terminals part them.
        assert_eq!(count("abc\u{e19}\u{e33}", 4), (2, 1));
    }
}
