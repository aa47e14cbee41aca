//! Where a text stands in another, literally.
//!
//! Owns one rule: to replace all, occurrences are taken from left to right without overlap; to replace one, occurrences
//! that overlap count too, since it would be a guess which of them is meant. Pure.

use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

pub fn find(text: &[u8], wanted: &[u8], all: bool) -> Vec<Range<usize>> {
    let finder = Finder::new(wanted);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(&text[from..]) {
        let start = from + at;
        found.push(start..start + wanted.len());
        from = if all { start + wanted.len() } else { start + 1 };
    }
    found
}

/// The numbers of the lines in which ascending places are.
pub fn line_numbers(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut counted) = (1, 0);
    places
        .map(|place| {
            line += memchr_iter(b'\n', &text[counted..place]).count();
            counted = place;
            line
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str, all: bool, places: &[usize], lines: &[usize]) {
        let found: Vec<usize> =
            find(text.as_bytes(), wanted.as_bytes(), all).into_iter().map(|range| range.start).collect();
        assert_eq!(found, places);
        assert_eq!(line_numbers(text.as_bytes(), found.into_iter()), lines);
    }

    #[test]
    fn places_and_their_lines() {
        check("a.b a+b", "a.b", false, &[0], &[1]);
        check("x\nax\n\nx", "x", true, &[0, 3, 6], &[1, 2, 4]);
        check("aaa", "aa", true, &[0], &[1]);
        check("aaa", "aa", false, &[0, 1], &[1, 1]);
        check("abc", "d", true, &[], &[]);
    }
}
