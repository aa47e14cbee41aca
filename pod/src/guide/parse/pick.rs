//! Names of files in a request: paths, "the README", and words that point at the last list ("the second one").
//!
//! A list of words is a list of targets only as a whole: one word that is none of these, and there is no target.
//! It refuses to know the list itself; `memory.rs` has it.

use super::super::kinds;
use super::super::step::{Pick, Target};
use super::super::words::{Form, Word};
use super::place::{has_ending, looks_like_path, number};

const SOFT: &[&str] =
    &["the", "and", "file", "files", "both", "a", "of", "only", "contents", "content", "whole", "at"];
const NOUNS: &[&str] = &["one", "ones", "file", "match", "result", "hit", "entry", "files"];

/// The files that these words name, or `None` when some word names none.
pub fn targets(words: &[Word]) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if let Some((pick, taken)) = pick(&words[at..]) {
            targets.push(Target::Pick(pick));
            at += taken;
            continue;
        }
        let word = &words[at];
        if !word.is_one_of(SOFT) {
            targets.push(target(word, words.get(at + 1))?);
        }
        at += 1;
    }
    (!targets.is_empty()).then_some(targets)
}

/// `names/two words.txt` without quotes: plain words in a row, the last of which ends as a file name does. The plan
/// reads the words as files of their own where there is no such file.
pub fn path_with_blanks(words: &[Word]) -> Option<String> {
    let skipped = words.iter().take_while(|word| word.is_one_of(SOFT)).count();
    let words = &words[skipped..];
    let [before @ .., last] = words else { return None };
    let links = [
        "and", "or", "of", "in", "from", "about", "with", "to", "for", "the", "then", "file", "files", "all",
    ];
    let is_part = |word: &Word| word.is_plain() && !word.stop && !word.is_one_of(&links);
    let fits = !before.is_empty()
        && before.iter().all(is_part)
        && last.is_plain()
        && has_ending(&last.text)
        && pick(words).is_none();
    let parts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    fits.then(|| parts.join(" "))
}

/// "which is the biggest file", "what is the longest file in this project".
pub fn asks_for_longest(words: &[Word]) -> bool {
    let around = [
        "which", "what", "find", "show", "list", "me", "are", "what's", "is", "the", "of", "all", "in",
        "this", "project", "here", "file", "files",
    ];
    let superlatives = ["longest", "largest", "biggest"];
    words.first().is_some_and(|word| word.is_one_of(&["which", "what", "what's", "find", "show", "list"]))
        && words.iter().any(|word| word.is_one_of(&["file", "files"]))
        && words.iter().any(|word| word.is_one_of(&superlatives))
        && words.iter().all(|word| word.is_one_of(&around) || word.is_one_of(&superlatives))
}

fn target(word: &Word, next: Option<&Word>) -> Option<Target> {
    match word.form {
        Form::Quoted => Some(Target::Path(word.text.clone())),
        // `/etc/` was meant as a path here.
        Form::Regex => Some(Target::Path(word.path())),
        Form::Plain => {
            let listing = next.is_some_and(|word| word.is("files"));
            if let Some((name, _)) = kinds::known_file(&word.key)
                && !listing
            {
                // A person who writes `LICENSE` or `README` may mean just the name; both are found by their glob.
                return Some(Target::Known(name));
            }
            let is_path = looks_like_path(&word.text) && !word.text.contains(['*', '{']) && !listing;
            is_path.then(|| Target::Path(word.text.clone()))
        }
    }
}

/// A pointer at the start of `words`, and how many of them it takes.
pub fn pick(words: &[Word]) -> Option<(Pick, usize)> {
    let key = |at: usize| words.get(at).map_or("", |word| word.key.as_str());
    let skipped = usize::from(key(0) == "the");
    let noun = |at: usize| usize::from(NOUNS.contains(&key(at)));
    let has = |at: usize| matches!(key(at), "with" | "has" | "containing");
    let first = key(skipped);

    // "the one with the most TODOs", "the file that has the fewest".
    if noun(skipped) == 1 && (has(skipped + 1) || (key(skipped + 1) == "that" && has(skipped + 2))) {
        let mut at = skipped + if key(skipped + 1) == "that" { 3 } else { 2 };
        at += usize::from(key(at) == "the");
        let pick = match key(at) {
            "most" | "highest" | "greatest" => Pick::Most,
            "fewest" | "least" | "lowest" => Pick::Fewest,
            _ => return None,
        };
        let rest = words.len().saturating_sub(at + 1).min(2);
        let counted = (0..rest).take_while(|ahead| !matches!(key(at + 1 + ahead), "and" | "then")).count();
        let by_lines = (1..=counted).any(|ahead| matches!(key(at + ahead), "lines" | "code"));
        return Some((if by_lines && pick == Pick::Most { Pick::Longest } else { pick }, at + 1 + counted));
    }
    if let Some(nth) = ordinal(first) {
        let named = noun(skipped + 1);
        return (named == 1 || words.len() == skipped + 1).then_some((nth, skipped + 1 + named));
    }
    match first {
        "longest" | "largest" | "biggest" => {
            let pick = if key(skipped + 1) == "file" { Pick::LongestFile } else { Pick::Longest };
            Some((pick, skipped + 1 + noun(skipped + 1)))
        }
        "it" if skipped == 0 => Some((Pick::It, 1)),
        "that" | "this" if skipped == 0 && (noun(1) == 1 || words.len() == 1) => {
            Some((Pick::It, 1 + noun(1)))
        }
        "them" | "those" | "these" if skipped == 0 => Some((Pick::All, 1 + noun(1))),
        "all" | "each" | "every" if key(1) == "of" && matches!(key(2), "them" | "those" | "these") => {
            Some((Pick::All, 3))
        }
        "number" | "no" => Some((nth(number(key(skipped + 1))?)?, skipped + 2)),
        _ => {
            let hash = first.strip_prefix('#')?;
            Some((nth(number(hash)?)?, skipped + 1))
        }
    }
}

fn ordinal(word: &str) -> Option<Pick> {
    let words =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    if let Some(at) = words.iter().position(|ordinal| *ordinal == word) {
        return Some(Pick::Nth(at + 1));
    }
    if word == "last" {
        return Some(Pick::Last);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    nth(number(digits)?)
}

fn nth(number: u64) -> Option<Pick> {
    usize::try_from(number).ok().filter(|number| *number > 0).map(Pick::Nth)
}
