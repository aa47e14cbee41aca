//! Where a request looks ("in src", "in rust files") and which lines it means ("the first 20 lines", "lines 10-40").
//!
//! Both are taken out of the words of a clause, so that what is left is the thing asked for. What is no place stays.
//! It refuses to know whether a path exists: the tools tell.

use super::super::kinds;
use super::super::step::{Lines, Scope};
use super::super::words::Word;
use super::object::is_project;

pub const FOLDER_WORDS: &[&str] = &["folder", "directory", "dir", "crate", "package", "subfolder"];
const PREPOSITIONS: &[&str] =
    &["in", "inside", "within", "under", "from", "of", "across", "throughout", "below"];
const ARTICLES: &[&str] =
    &["the", "this", "that", "my", "our", "a", "all", "every", "each", "any", "whole", "entire"];

/// Takes every place out of `words`.
pub fn take_scope(words: &mut Vec<Word>) -> Scope {
    let mut scope = Scope::default();
    let mut at = 0;
    while at < words.len() {
        if words[at].is("here") && at + 1 == words.len() {
            words.remove(at);
            continue;
        }
        if words[at].is_one_of(PREPOSITIONS)
            && let Some((place, taken)) = place(&words[at + 1..], words[at].is("of"))
        {
            scope.path = place.path.or(scope.path);
            scope.glob = place.glob.or(scope.glob);
            words.drain(at..=at + taken);
            continue;
        }
        at += 1;
    }
    scope
}

/// Takes every place out of `words`, where they may be several: "in a.md, b.md and docs".
pub fn take_scopes(words: &mut Vec<Word>) -> Vec<Scope> {
    let list = words.iter().position(|word| word.is_one_of(PREPOSITIONS)).map(|at| at + 1);
    let Some(first) = list.filter(|first| words[*first..].iter().any(|word| word.is("and") || word.stop))
    else {
        return vec![take_scope(words)];
    };
    let mut scopes = Vec::new();
    let mut at = first;
    while at < words.len() {
        if words[at].is_one_of(&["and", "in"]) {
            at += 1;
            continue;
        }
        // What follows a place is another one, whatever its name.
        let end = (at..words.len())
            .find(|end| words[*end].stop || words.get(end + 1).is_none_or(|next| next.is("and")))
            .map_or(words.len(), |end| end + 1);
        match place(&words[at..end], false) {
            Some((scope, taken)) if at + taken == end => scopes.push(scope),
            Some(_) | None => return vec![take_scope(words)],
        }
        at = end;
    }
    if scopes.is_empty() {
        return vec![take_scope(words)];
    }
    words.truncate(first - 1);
    scopes
}

/// The place at the start of `words` and how many of them it takes. After "of" a bare word is no place.
fn place(words: &[Word], after_of: bool) -> Option<(Scope, usize)> {
    let skipped = words.iter().take_while(|word| word.is_one_of(ARTICLES)).count();
    let first = words.get(skipped)?;
    let second = words.get(skipped + 1);
    let with_noun = |nouns: &[&str]| usize::from(second.is_some_and(|word| word.is_one_of(nouns)));
    let path = |text: &str| Scope { path: Some(folder(text)), glob: None };
    let glob = |text: String| Scope { path: None, glob: Some(text) };

    // "in the file Makefile", "in the folder src": the noun says what the name is.
    if first.is_one_of(FOLDER_WORDS) || first.is("file") {
        let named = |word: &&Word| !word.is_one_of(PREPOSITIONS) && !word.is_one_of(&["and", "with"]);
        if let Some(name) = second.filter(named) {
            return Some((path(&name.path()), skipped + 2));
        }
    }

    if first.is_plain() && skipped == 0 && !after_of && words.len() == 1 && kinds::may_be_folder(&first.key) {
        // A folder may be called so too; who can look decides (`Scope::glob`).
        return Some((glob(first.text.clone()), 1));
    }
    if first.is_plain() && (is_project(first) || (first.is_one_of(FOLDER_WORDS) && skipped > 0)) {
        return Some((Scope::default(), skipped + 1));
    }
    if !first.is_plain() || looks_like_path(&first.text) {
        let taken = skipped + 1 + with_noun(FOLDER_WORDS) + with_noun(&["file", "files"]);
        if let Some(ending) = bare_ending(&first.text) {
            return Some((glob(format!("*.{ending}")), taken));
        }
        // In quotes a bracket is a part of the name: `app/[id]/page.tsx`.
        let is_pattern = is_glob(&first.text) && (first.is_plain() || first.text.contains('*'));
        let found = if is_pattern { glob(first.text.clone()) } else { path(&first.path()) };
        return Some((found, taken));
    }
    if let Some(language) = kinds::by_word(&first.key) {
        let noun = with_noun(&["files", "file", "code", "sources", "source"]);
        let ends = words.len() == skipped + 1;
        if noun == 1 {
            return Some((glob(language.glob()), skipped + 2));
        }
        // A folder may be called so too; who can look decides (`Scope::glob`).
        if ends && !after_of {
            return Some((glob(first.text.clone()), skipped + 1));
        }
    }
    if second.is_some_and(|word| word.is_one_of(FOLDER_WORDS)) {
        return Some((path(&first.text), skipped + 2));
    }
    let ends = second.is_none_or(|word| word.is_one_of(PREPOSITIONS));
    let bare = ends && !after_of && first.text.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let pronoun =
        first.is_one_of(&["it", "them", "there", "general", "particular", "order", "one", "file", "files"]);
    (bare && !pronoun).then(|| (path(&first.text), skipped + 1))
}

/// A folder or file as Glob and Grep take it: without the slash at its end. What ends as a file name does keeps its slash,
/// since then it says something: `AGENTS.md/` is not the file `AGENTS.md`.
pub fn folder(text: &str) -> String {
    let trimmed = text.trim_end_matches('/');
    if trimmed.is_empty() || (trimmed != text && is_file_name(trimmed)) {
        text.to_owned()
    } else {
        trimmed.to_owned()
    }
}

/// Whether it is the name of a file rather than of a folder, as far as a name tells.
pub fn is_file_name(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text).to_lowercase();
    let bare = [
        "makefile",
        "gnumakefile",
        "dockerfile",
        "containerfile",
        "justfile",
        "gemfile",
        "rakefile",
        "procfile",
        "vagrantfile",
        "jenkinsfile",
        "brewfile",
        "codeowners",
    ];
    let dot_file = name.strip_prefix('.').is_some_and(|name| {
        let whole = ["env", "gitmodules", "gitattributes", "gitconfig", "mailmap", "profile", "htaccess"];
        whole.contains(&name) || ["ignore", "config", "rc", "keep"].iter().any(|end| name.ends_with(end))
    });
    has_ending(text) || dot_file || bare.contains(&name.as_str()) || name.starts_with("license-")
}

/// The bare word in a scope that may be a folder or a kind of file.
pub fn folder_or_kind(scope: &Scope) -> Option<&String> {
    scope.glob.as_ref().filter(|word| kinds::may_be_folder(word))
}

pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '{', '['])
}

pub fn looks_like_path(text: &str) -> bool {
    let dotted = text.starts_with('.') && text.len() > 1;
    text.contains('/') || text == "~" || is_glob(text) || is_file_name(text) || dotted
}

/// Whether it ends as a file name does: a dot, then a short word.
pub fn has_ending(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=10).contains(&ending.chars().count())
            && ending.chars().all(char::is_alphanumeric)
            && ending.chars().any(char::is_alphabetic)
    })
}

/// `rs` of `.rs`.
pub fn bare_ending(text: &str) -> Option<&str> {
    let ending = text.strip_prefix('.')?;
    let known = kinds::LANGUAGES.iter().any(|language| language.endings.contains(&ending));
    known.then_some(ending)
}

/// Takes the lines that are asked for out of `words`; true when any were named.
pub fn take_lines(words: &mut Vec<Word>) -> (Lines, bool) {
    let found =
        (0..words.len()).find_map(|at| lines_at(&words[at..]).map(|(lines, taken)| (at, lines, taken)));
    if let Some((mut at, lines, mut taken)) = found {
        // "the", "from", "only" before them and "of", "in", "from" after them belong to the lines.
        while at > 0 && words[at - 1].is_one_of(&["the", "only", "from", "just", "at"]) {
            at -= 1;
            taken += 1;
        }
        if words.get(at + taken).is_some_and(|word| word.is_one_of(&["of", "in", "from"])) {
            taken += 1;
        }
        words.drain(at..at + taken);
        return (lines, true);
    }
    for word in words.iter_mut().filter(|word| word.is_plain()) {
        if let Some((path, range)) = word.text.split_once(':')
            && let Some((first, last)) = range_of(range)
        {
            let lines = Lines::Range(first, last);
            *word = Word { text: path.to_owned(), key: path.to_lowercase(), ..word.clone() };
            return (lines, true);
        }
    }
    (Lines::All, false)
}

fn lines_at(words: &[Word]) -> Option<(Lines, usize)> {
    let key = |at: usize| words.get(at).map_or("", |word| word.key.as_str());
    let number = |at: usize| number(key(at));
    let is_lines = |at: usize| matches!(key(at), "line" | "lines");
    match key(0) {
        "first" | "top" | "last" | "bottom" => {
            let from_end = matches!(key(0), "last" | "bottom");
            let (count, taken) = match number(1) {
                Some(count) if is_lines(2) => (count, 3),
                None if key(1) == "line" => (1, 2),
                None if key(1) == "few" && is_lines(2) => (10, 3),
                _ => return None,
            };
            Some((if from_end { Lines::Last(count) } else { Lines::First(count) }, taken))
        }
        "beginning" | "start" | "head" if key(1) == "of" => Some((Lines::First(20), 1)),
        "end" | "tail" if key(1) == "of" => Some((Lines::Last(20), 1)),
        "line" | "lines" => {
            if let (Some(first), Some(last)) = (number(1), number(3))
                && matches!(key(2), "to" | "-" | "–" | "until" | "through" | "till" | "and")
            {
                return Some((ordered(first, last), 4));
            }
            let (first, last) = range_of(key(1))?;
            match key(2) {
                "on" | "onwards" | "onward" => Some((Lines::From(first), 3)),
                _ => Some((ordered(first, last), 2)),
            }
        }
        "from" if is_lines(1) => {
            let (lines, taken) = lines_at(&words[1..])?;
            match lines {
                Lines::Range(first, last) if first == last => Some((Lines::From(first), taken + 1)),
                Lines::All | Lines::Range(..) | Lines::From(_) | Lines::First(_) | Lines::Last(_) => {
                    Some((lines, taken + 1))
                }
            }
        }
        _ => None,
    }
}

fn ordered(first: u64, last: u64) -> Lines {
    Lines::Range(first.min(last).max(1), first.max(last).max(1))
}

/// `10`, `10-40`, `10..40`, `L10-L40`.
fn range_of(text: &str) -> Option<(u64, u64)> {
    let parts: Vec<&str> = ["..", "-", "–", ":"]
        .iter()
        .find_map(|separator| text.split_once(separator))
        .map_or(vec![text], |(first, last)| vec![first, last]);
    let first = number(parts[0])?;
    let last = parts.get(1).map_or(Some(first), |last| number(last))?;
    Some((first.min(last).max(1), first.max(last).max(1)))
}

pub fn number(text: &str) -> Option<u64> {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    if let Some(at) = words.iter().position(|word| *word == text) {
        return Some(at as u64 + 1);
    }
    match text {
        "twenty" => Some(20),
        "fifty" => Some(50),
        "hundred" => Some(100),
        _ => {
            let digits = text.trim_start_matches(['l', 'L']);
            // More digits than any file has lines are no line number.
            (digits.len() <= 9).then(|| digits.parse().ok()).flatten()
        }
    }
}
