//! Requests that change files or use a skill: what to write and where, what to replace by what.
//!
//! A text of several words stands in quotes, so that nothing is written that was not meant as text. What is not said
//! clearly is not done. It refuses to know whether a file exists and who allows the change.

use super::super::step::{Step, Why};
use super::super::words::Word;
use super::place::{folder, has_ending, take_scope};

const TO: &[&str] = &["to", "into", "in", "as", "onto"];
const WITH: &[&str] = &["with", "by", "to", "into", "->", "=>", "for"];
const CONTENT: &[&str] =
    &["with", "containing", "saying", "that", "contains", "says", "content", "text", "the"];
const BEFORE_PATH: &[&str] =
    &["a", "an", "the", "new", "file", "called", "named", "empty", "text", "document"];

/// `"hello" to notes.txt`, or `docs/x.md with "hello"`.
pub fn write(words: &[Word]) -> Result<Step, Why> {
    let file = |word: &Word| !word.is_plain() || has_ending(&word.text) || word.text.contains('/');
    if let [content, to, rest @ ..] = words
        && to.is_one_of(TO)
        && let [path] = without(rest, BEFORE_PATH)
        && file(path)
    {
        return step(path, &content.text);
    }
    let said_empty = words.iter().any(|word| word.is("empty"));
    match without(words, BEFORE_PATH) {
        [path] if file(path) && said_empty => step(path, ""),
        [path, with, rest @ ..] if file(path) && with.is_one_of(CONTENT) => match without(rest, CONTENT) {
            [content] => step(path, &content.text),
            _ => Err(Why::NeedsQuotes),
        },
        [_, ..] if words.iter().any(|word| word.is_one_of(TO)) && words.last().is_some_and(file) => {
            Err(Why::NeedsQuotes)
        }
        _ => Err(Why::Changes),
    }
}

fn step(path: &Word, content: &str) -> Result<Step, Why> {
    Ok(Step::Write { path: folder(&path.text), content: content.to_owned() })
}

/// `foo with bar in every .md file`. `said` is the verb.
pub fn replace(said: &str, words: &[Word]) -> Result<Step, Why> {
    let words =
        without(words, &["all", "every", "each", "the", "text", "word", "occurrences", "occurrence", "of"]);
    let [old, with, new, rest @ ..] = words else { return Err(Why::Changes) };
    if !with.is_one_of(WITH) {
        let says_new = words.iter().any(|word| word.is_one_of(WITH));
        return Err(if says_new { Why::NeedsQuotes } else { Why::Changes });
    }
    // A file gets another name with no tool that is here.
    if said == "rename" && old.is_plain() && (has_ending(&old.text) || old.text.contains('/')) {
        return Err(Why::Changes);
    }
    let mut rest = rest.to_vec();
    let scope = take_scope(&mut rest);
    rest.retain(|word| !word.is_one_of(&["everywhere", "there", "here", "and"]));
    if !rest.is_empty() {
        return Err(Why::NeedsQuotes);
    }
    Ok(Step::Replace { old: old.text.clone(), new: new.text.clone(), scope })
}

/// The name of a skill, or none for the list of them.
pub fn skill(words: &[Word]) -> Result<Step, Why> {
    let said =
        |word: &&Word| !word.is_one_of(&["the", "skill", "called", "named", "are", "is", "there", "here"]);
    match words.iter().filter(said).collect::<Vec<_>>().as_slice() {
        [] => Ok(Step::Skill { name: None }),
        [name] => Ok(Step::Skill { name: Some(name.text.clone()) }),
        _ => Err(Why::NotUnderstood),
    }
}

fn without<'a>(mut words: &'a [Word], skipped: &[&str]) -> &'a [Word] {
    while let [first, rest @ ..] = words
        && !rest.is_empty()
        && first.is_one_of(skipped)
    {
        words = rest;
    }
    words
}
