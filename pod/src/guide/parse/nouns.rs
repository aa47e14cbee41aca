//! Nouns that say what the next word is ("uses of X", "how many times is X used"), or are the whole thing ("folders").
//!
//! It refuses to know where; `place.rs` has taken the place out before.

use super::super::step::{Scope, Step, Want};
use super::super::words::Word;
use super::object::{bare, search};
use super::place::folder_or_kind;

/// "folders", "the directories", "which folders are there".
pub fn folders(words: &[Word], scope: &Scope) -> Option<Step> {
    let names = ["folders", "directories", "dirs", "subfolders", "subdirectories", "subdirs"];
    match bare(words).as_slice() {
        [word] if word.is_one_of(&names) => {
            Some(Step::Folders { path: scope.path.clone().or_else(|| folder_or_kind(scope).cloned()) })
        }
        _ => None,
    }
}

/// "uses of X", "callers of X", "X used".
pub fn usages(words: &[Word], scope: &Scope, want: Want) -> Option<Step> {
    let words = bare(words);
    let nouns = [
        "use",
        "uses",
        "usage",
        "usages",
        "occurrences",
        "occurrence",
        "references",
        "calls",
        "callers",
        "mentions",
        "matches",
        "text",
        "word",
        "string",
        "times",
    ];
    let times = words.first().is_some_and(|word| word.is("times"));
    let words: Vec<&Word> = words
        .into_iter()
        .filter(|word| !times || !word.is_one_of(&["is", "are", "does", "was", "been", "has", "the", "word"]))
        .collect();
    match words.as_slice() {
        [noun, rest @ ..] if noun.is_one_of(&nouns) => match rest {
            [link, one] if link.is_one_of(&["of", "to", "for"]) => Some(search(one, scope.clone(), want)),
            [one] => Some(search(one, scope.clone(), want)),
            [one, tail @ ..]
                if tail.iter().all(|word| {
                    word.is_one_of(&[
                        "is",
                        "used",
                        "appears",
                        "occurs",
                        "called",
                        "appear",
                        "occur",
                        "mentioned",
                    ])
                }) =>
            {
                Some(search(one, scope.clone(), want))
            }
            _ => None,
        },
        [one, noun]
            if noun.is_one_of(&["uses", "usages", "calls", "occurrences", "references", "matches"]) =>
        {
            Some(search(one, scope.clone(), want))
        }
        _ => None,
    }
}
