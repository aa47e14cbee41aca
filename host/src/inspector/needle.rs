//! What is looked for, and where it stands in a text.
//!
//! Smart case: a query in lower case finds any case, a capital in it makes case count. Matches of plain letters are
//! found byte by byte, which is what nearly all searches are; others letter by letter. It knows no items.

use std::ops::Range;

/// A query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needle {
    text: String,
    /// Its letters in lower case, where case does not count.
    folded: Option<Vec<char>>,
}

impl Needle {
    /// A query as a person writes it.
    pub fn new(text: &str) -> Needle {
        let any_case = !text.chars().any(char::is_uppercase);
        Needle {
            text: text.to_owned(),
            folded: any_case.then(|| text.chars().flat_map(char::to_lowercase).collect()),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// True when it stands in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The bytes of the first match.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        if self.is_empty() {
            return None;
        }
        match &self.folded {
            None => text.find(&self.text).map(|at| at..at + self.text.len()),
            Some(_) if self.text.is_ascii() && text.is_ascii() => {
                let at = find_ascii(text.as_bytes(), self.text.as_bytes())?;
                Some(at..at + self.text.len())
            }
            Some(folded) => find_folded(text, folded),
        }
    }

    /// All matches, none within another.
    pub fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        let mut from = 0;
        while let Some(found) = self.find(&text[from..]) {
            all.push(from + found.start..from + found.end);
            from += found.end.max(1);
        }
        all
    }
}

/// `needle` is in lower case.
fn find_ascii(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, last) = (*needle.first()?, text.len().checked_sub(needle.len())?);
    let upper = first.to_ascii_uppercase();
    text.get(..=last)?.iter().enumerate().position(|(at, byte)| {
        (*byte == first || *byte == upper)
            && text.get(at..at + needle.len()).is_some_and(|found| found.eq_ignore_ascii_case(needle))
    })
}

fn find_folded(text: &str, needle: &[char]) -> Option<Range<usize>> {
    text.char_indices().find_map(|(at, _)| {
        let bytes = matched(&text[at..], needle)?;
        Some(at..at + bytes)
    })
}

/// How many bytes of a text the needle takes at its beginning.
fn matched(text: &str, needle: &[char]) -> Option<usize> {
    let mut wanted = needle.iter();
    for (at, letter) in text.char_indices() {
        if wanted.as_slice().is_empty() {
            return Some(at);
        }
        for folded in letter.to_lowercase() {
            if wanted.next() != Some(&folded) {
                return None;
            }
        }
    }
    wanted.as_slice().is_empty().then_some(text.len())
}
