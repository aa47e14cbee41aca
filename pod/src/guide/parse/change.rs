//! Requests that change files or use a skill: what to write and where, what to replace by what.
//!
//! A text of several words stands in quotes, so that nothing is written that was not meant as text. What is not said
//! clearly is not done. It refuses to know whether a file exists and who allows the change.

use super::super::step::{Step, Why};
use super::super::words::Word;
use super::place::{looks_like_path, take_scopes};

const TO: &[&str] = &["to", "into", "in", "as", "onto"];
const WITH: &[&str] = &["with", "by", "to", "into", "->", "=>", "for"];
const CONTENT: &[&str] = &[
    "with",
    "containing",
    "saying",
    "that",
    "contains",
    "says",
    "content",
    "contents",
    "text",
    "the",
    "line",
    "in",
    "it",
    "which",
];
const BEFORE_PATH: &[&str] =
    &["a", "an", "the", "new", "file", "called", "named", "empty", "text", "document", "me"];
/// Words after "to" that are no file, whatever is written there.
const NO_FILE: &[&str] =
    &["me", "you", "it", "them", "us", "him", "her", "disk", "screen", "stdout", "there", "here", "file"];

/// `"hello" to notes.txt`, `docs/x.md with "hello"`, `Makefile: "all:"`, `a file with "x" called notes.txt`.
pub fn write(words: &[Word]) -> Result<Step, Why> {
    let file = |word: &Word| !word.is_plain() || looks_like_path(&word.text);
    // Beside a text in quotes a bare word can only be the name.
    let name = |word: &Word| file(word) || !word.is_one_of(NO_FILE);
    let begun = without(words, &["the", "a", "text", "line", "word", "words", "following", "me"]);
    if let [content, to, rest @ ..] = begun
        && !content.is_plain()
        && to.is_one_of(TO)
        && let [path] = without(rest, BEFORE_PATH)
        && name(path)
    {
        return Ok(step(path, &content.text));
    }
    if let [content, to, path] = begun
        && to.is_one_of(TO)
        && file(path)
    {
        return Ok(step(path, &content.text));
    }
    let said_empty = words.iter().any(|word| word.is("empty"));
    match without(words, BEFORE_PATH) {
        [path] if name(path) && said_empty => Ok(step(path, "")),
        [path, content] if name(path) && !content.is_plain() => Ok(step(path, &content.text)),
        [with, content, called, rest @ ..]
            if with.is_one_of(CONTENT)
                && !content.is_plain()
                && called.is_one_of(&["called", "named", "as", "in", "to", "into", "at"]) =>
        {
            match without(rest, BEFORE_PATH) {
                [path] if name(path) => Ok(step(path, &content.text)),
                _ => Err(Why::QuotesToWrite),
            }
        }
        [path, with, rest @ ..] if name(path) && with.is_one_of(CONTENT) => match without(rest, CONTENT) {
            [content] if file(path) || !content.is_plain() => Ok(step(path, &content.text)),
            _ if file(path) => Err(Why::QuotesToWrite),
            _ => Err(Why::NeedsModel),
        },
        [_, ..] if words.iter().any(|word| word.is_one_of(TO)) && words.last().is_some_and(file) => {
            Err(Why::QuotesToWrite)
        }
        [path] if file(path) => Err(Why::QuotesToWrite),
        _ => Err(Why::NeedsModel),
    }
}

fn step(path: &Word, content: &str) -> Step {
    Step::Write { path: path.path(), content: content.to_owned() }
}

/// `foo with bar in every .md file`. `said` is the verb.
pub fn replace(said: &str, words: &[Word]) -> Result<Step, Why> {
    let words =
        without(words, &["all", "every", "each", "the", "text", "word", "occurrences", "occurrence", "of"]);
    let [old, with, new, rest @ ..] = words else { return Err(no_replacement(said)) };
    if old.text.is_empty() {
        return Err(Why::QuotesToReplace);
    }
    if !with.is_one_of(WITH) {
        let says_new = words.iter().any(|word| word.is_one_of(WITH));
        return Err(if says_new { Why::QuotesToReplace } else { no_replacement(said) });
    }
    // A file gets another name with no tool that is here.
    if said == "rename" && old.is_plain() && looks_like_path(&old.text) {
        return Err(Why::Changes);
    }
    let mut rest = rest.to_vec();
    let scopes = take_scopes(&mut rest);
    rest.retain(|word| !word.is_one_of(&["everywhere", "there", "here"]));
    if !rest.is_empty() {
        return Err(Why::QuotesToReplace);
    }
    Ok(Step::Replace { old: old.text.clone(), new: new.text.clone(), scopes })
}

/// "change the colour of the button" is for a model, "rename a.rs" and half a replacement are for the table.
fn no_replacement(said: &str) -> Why {
    if matches!(said, "change" | "swap") { Why::NeedsModel } else { Why::QuotesToReplace }
}

/// `use the pdf skill`, `what skills do you have`: the name in the middle, or no name.
pub fn skill_request(words: &[Word]) -> Option<Step> {
    let around = [
        "what",
        "which",
        "show",
        "list",
        "are",
        "there",
        "do",
        "you",
        "have",
        "me",
        "the",
        "all",
        "any",
        "available",
        "skills",
        "is",
        "can",
        "i",
        "use",
        "here",
        "your",
        "see",
        "get",
        "of",
    ];
    if words.iter().any(|word| word.is("skills")) && words.iter().all(|word| word.is_one_of(&around)) {
        return Some(Step::Skill { name: None });
    }
    let verbs = ["use", "load", "apply", "follow", "run", "open", "show", "read"];
    let said = |word: &&Word| !word.is_one_of(&["the", "my", "me"]);
    match words.iter().filter(said).collect::<Vec<_>>().as_slice() {
        [verb, name, skill] if verb.is_one_of(&verbs) && skill.is("skill") => {
            Some(Step::Skill { name: Some(name.text.clone()) })
        }
        [verb, skill, name] if verb.is_one_of(&verbs) && skill.is("skill") => {
            Some(Step::Skill { name: Some(name.text.clone()) })
        }
        _ => None,
    }
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
