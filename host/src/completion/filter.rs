//! What of a long list fits what is typed, found a bounded piece at a time.
//!
//! A [`Filter`] looks at so many offers a step and keeps the best; the list shows what it has so far. The letters may
//! stand apart, and capitals count once one is typed. Refuses to know what the offers are and how they look.

use std::cmp::Reverse;

use carpel_slots::completion::{Offer, Offers};
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// How many offers a key, and each frame after it, looks at.
pub const STEP: usize = 8_000;

/// How many fitting rows are kept to be stepped through.
const KEPT: usize = 200;

/// A list that is being filtered.
#[derive(Debug)]
pub struct Filter {
    offers: Offers,
    next: usize,
    /// Best first.
    best: Vec<Hit>,
    fitting: usize,
}

/// Ordered best first: by score, then as offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    score: Reverse<u16>,
    at: usize,
}

impl Filter {
    /// A list of which the first piece has been looked at.
    pub fn new(offers: Offers) -> Filter {
        let mut filter = Filter { offers, next: 0, best: Vec::new(), fitting: 0 };
        filter.step(STEP);
        filter
    }

    /// What is filtered.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Looks at that many more. True while there are others.
    pub fn step(&mut self, most: usize) -> bool {
        let rows = std::sync::Arc::clone(&self.offers.rows);
        let end = rows.len().min(self.next.saturating_add(most));
        if self.next < end {
            let pattern = pattern(&self.offers.pattern);
            let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
            let mut buffer = Vec::new();
            for (at, row) in rows.iter().enumerate().take(end).skip(self.next) {
                let text = Utf32Str::new(&row.shown, &mut buffer);
                if let Some(score) = pattern.score(text, &mut matcher)
                    && !self.offers.exact.contains(row)
                    // A folder that is written out already leads nowhere.
                    && (row.goes_on.is_none() || row.shown != self.offers.pattern)
                {
                    self.keep(Hit { score: Reverse(score), at });
                }
            }
            self.next = end;
        }
        self.next < rows.len()
    }

    fn keep(&mut self, hit: Hit) {
        self.fitting += 1;
        if self.best.len() == KEPT && self.best.last().is_some_and(|last| *last <= hit) {
            return;
        }
        let place = self.best.partition_point(|other| *other < hit);
        self.best.insert(place, hit);
        self.best.truncate(KEPT);
    }

    /// How many offers have been looked at.
    pub fn looked_at(&self) -> usize {
        self.next
    }

    /// How many offers fit, of those that were looked at.
    pub fn fitting(&self) -> usize {
        self.offers.exact.len() + self.fitting
    }

    /// How many of them can be stepped through.
    pub fn shown(&self) -> usize {
        self.offers.exact.len() + self.best.len()
    }

    /// A row, counted from the best.
    pub fn offer(&self, row: usize) -> Option<&Offer> {
        match row.checked_sub(self.offers.exact.len()) {
            None => self.offers.exact.get(row),
            Some(row) => self.offers.rows.get(self.best.get(row)?.at),
        }
    }
}

/// Which characters of a row fit what is typed, counted by grapheme cluster.
pub fn marks(typed: &str, shown: &str) -> Vec<u32> {
    let mut marks = Vec::new();
    let mut buffer = Vec::new();
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    if !typed.is_empty() {
        pattern(typed).indices(Utf32Str::new(shown, &mut buffer), &mut matcher, &mut marks);
    }
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// All that is typed is searched for as it stands: no sign in it means something else.
pub fn pattern(typed: &str) -> Atom {
    Atom::new(typed, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy, false)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn filter(names: impl IntoIterator<Item = String>, typed: &str) -> Filter {
        let rows: Arc<[Offer]> = names.into_iter().map(|name| Offer::new(&name, &name, "")).collect();
        Filter::new(Offers { rows, pattern: typed.to_owned(), ..Offers::default() })
    }

    fn shown(filter: &Filter) -> Vec<&str> {
        (0..filter.shown()).map(|row| filter.offer(row).unwrap().shown.as_str()).collect()
    }

    #[test]
    fn what_fits() {
        let names = ["src/main.rs", "src/domain/list.rs", "README.md", "readme.MD", "!bang", "a b", "café"];
        for (typed, want) in [
            ("main", vec!["src/main.rs", "src/domain/list.rs"]),
            ("mn.rs", vec!["src/main.rs", "src/domain/list.rs"]),
            ("README", vec!["README.md"]),
            ("!ba", vec!["!bang"]),
            ("^a", vec![]),
            ("a b", vec!["a b"]),
            ("cafe", vec!["café"]),
            ("", names.to_vec()),
        ] {
            assert_eq!(shown(&filter(names.map(str::to_owned), typed)), want, "{typed}");
        }
        assert_eq!(marks("mn.rs", "src/main.rs"), [4, 7, 8, 9, 10]);
    }

    #[test]
    fn fifty_thousand_names_are_looked_at_in_bounded_pieces() {
        let names = (0..50_000).map(|number| format!("many/f{number}.txt"));
        let mut filter = filter(names, "f49999");
        let mut looked = vec![filter.looked_at()];
        while filter.step(STEP) {
            looked.push(filter.looked_at());
        }
        looked.push(filter.looked_at());
        assert_eq!(looked, [8_000, 16_000, 24_000, 32_000, 40_000, 48_000, 50_000]);
        assert_eq!(shown(&filter), ["many/f49999.txt"]);
    }

    #[test]
    fn however_much_fits_the_best_are_kept() {
        let filter = filter((0..5_000).map(|number| format!("{number}")).chain(["x1".to_owned()]), "");
        assert_eq!((filter.fitting(), filter.shown()), (5_001, KEPT));
    }
}
