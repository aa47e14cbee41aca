//! One line of a result, short enough to show: the part around its first match, with what was left out counted.
//!
//! Pure: bytes and match ranges in, text and ranges into that text out. Bytes that are not UTF-8 become replacement
//! marks, and the ranges follow. Refuses to know files and line numbers.

use std::ops::Range;

/// A line up to this length is shown whole.
const SHOWN: usize = 500;
/// Of a longer one, this much before the first match.
const LEAD: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    pub text: String,
    /// Byte ranges of `text` that match, in order.
    pub hits: Vec<Range<usize>>,
}

/// `hits` are byte ranges of `line`, in order and apart from each other.
pub fn excerpt(line: &[u8], hits: &[Range<usize>]) -> Excerpt {
    let shown = shown(line, hits);
    let mut made = Excerpt::default();
    if shown.start > 0 {
        made.text.push_str(&format!("[{} bytes] ", super::super::grouped(shown.start as u64)));
    }
    let mut at = shown.start;
    for hit in hits {
        let hit = hit.start.max(shown.start)..hit.end.min(shown.end);
        if hit.start >= hit.end {
            continue;
        }
        push(&mut made.text, &line[at..hit.start]);
        let start = made.text.len();
        push(&mut made.text, &line[hit.clone()]);
        made.hits.push(start..made.text.len());
        at = hit.end;
    }
    push(&mut made.text, &line[at..shown.end]);
    if shown.end < line.len() {
        made.text.push_str(&format!(" [{} bytes]", super::super::grouped((line.len() - shown.end) as u64)));
    }
    made
}

/// The part of the line to show.
fn shown(line: &[u8], hits: &[Range<usize>]) -> Range<usize> {
    if line.len() <= SHOWN {
        return 0..line.len();
    }
    let first = hits.first().map_or(0, |hit| hit.start);
    // Near the end the window moves back, so that it is always full.
    let start = boundary(line, first.saturating_sub(LEAD).min(line.len() - SHOWN));
    start..boundary(line, (start + SHOWN).min(line.len()))
}

/// `at`, or just before it when it is inside a character.
fn boundary(line: &[u8], at: usize) -> usize {
    let is_continuation = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    (at.saturating_sub(3)..=at).rev().find(|at| !line.get(*at).is_some_and(is_continuation)).unwrap_or(at)
}

fn push(text: &mut String, bytes: &[u8]) {
    // A NUL only gets here from a file that is not searched as binary; it is no text.
    text.push_str(&String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}"));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The excerpt with its hits in angle brackets.
    fn check(line: &[u8], hits: &[(usize, usize)], expected: &str) {
        let hits: Vec<Range<usize>> = hits.iter().map(|(start, end)| *start..*end).collect();
        let got = excerpt(line, &hits);
        let mut marked = got.text.clone();
        for hit in got.hits.iter().rev() {
            marked.insert(hit.end, '>');
            marked.insert(hit.start, '<');
        }
        assert_eq!(marked, expected);
    }

    #[test]
    fn lines_and_their_excerpts() {
        check(b"one two one", &[(0, 3), (8, 11)], "<one> two <one>");
        check(b"", &[], "");
        check(b"two \x99 x", &[(6, 7)], "two \u{fffd} <x>");
        check(b"\x99\x99", &[(0, 1)], "<\u{fffd}>\u{fffd}");
        let x = |count: usize| "x".repeat(count);
        check(
            format!("needle{}", x(70_000)).as_bytes(),
            &[(0, 6)],
            &format!("<needle>{} [69,506 bytes]", x(494)),
        );
        check(
            format!("{}needle", x(70_000)).as_bytes(),
            &[(70_000, 70_006)],
            &format!("[69,506 bytes] {}<needle>", x(494)),
        );
        check(
            format!("{}needle{}", x(1000), x(1000)).as_bytes(),
            &[(1000, 1006)],
            &format!("[880 bytes] {}<needle>{} [626 bytes]", x(120), x(374)),
        );
        check(x(600).as_bytes(), &[(0, 600)], &format!("<{}> [100 bytes]", x(500)));
        check(x(600).as_bytes(), &[], &format!("{} [100 bytes]", x(500)));
    }

    proptest! {
        #[test]
        fn hits_are_the_matched_text(line in "[ab\u{e9}\u{6f22}]{0,400}", cuts in prop::collection::vec(0usize..400, 0..6)) {
            let ends: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| ends[cut % ends.len()]).collect();
            cuts.sort_unstable();
            let hits: Vec<Range<usize>> = cuts.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let got = excerpt(line.as_bytes(), &hits);
            let broken = got.text.contains(char::REPLACEMENT_CHARACTER);
            prop_assert!(!broken);
            prop_assert!(got.text.len() < SHOWN + 60);
            if line.len() <= SHOWN {
                prop_assert_eq!(&got.text, &line);
                let solid: Vec<Range<usize>> = hits.into_iter().filter(|hit| !hit.is_empty()).collect();
                prop_assert_eq!(got.hits, solid);
            } else {
                for hit in &got.hits {
                    prop_assert!(line.contains(&got.text[hit.clone()]));
                }
            }
        }
    }
}
