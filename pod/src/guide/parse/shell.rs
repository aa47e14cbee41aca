//! `run: cargo test`, and `grep -n TODO src`: what is typed as in a shell.
//!
//! Owns how a command is told from a request: by `run:` in front, or in backticks or quotes; nothing else is run. Of a
//! search that is typed so it owns the flags that mean something here and the difference between the expressions of `grep` and of Grep. A flag that
//! is not known makes the request not understood, since leaving it out would answer another question.

use super::super::kinds;
use super::super::step::{Needle, Scope, Step, Want, Why};
use super::super::words::{Form, Word};
use super::place::{folder, is_glob, looks_like_path};

/// The command of a request that begins with `run:`; all behind it, with its lines.
pub fn command(text: &str) -> Option<&str> {
    let text = text.trim();
    let head = text.get(..4)?;
    let command = text.get(4..)?.trim();
    (head.eq_ignore_ascii_case("run:") && !command.is_empty()).then_some(command)
}

/// A command that is marked as one by backticks or quotes.
pub fn run(words: &[Word]) -> Result<Step, Why> {
    match words {
        [one] if one.form == Form::Quoted && !one.text.trim().is_empty() => {
            Ok(Step::Run { command: one.text.clone() })
        }
        _ => Err(Why::MarkToRun),
    }
}

/// The search, or `None` when these words are no shell command.
pub fn grep(said: &str, words: &[Word]) -> Option<Result<Step, Why>> {
    if !matches!(said, "grep" | "rg") {
        return None;
    }
    let is_flag = |word: &&Word| word.is_plain() && word.text.len() > 1 && word.text.starts_with('-');
    let flags: Vec<&Word> = words.iter().filter(is_flag).collect();
    let rest: Vec<&Word> = words.iter().filter(|word| !is_flag(word)).collect();
    let is_path = |word: &Word| word.is_plain() && (looks_like_path(&word.text) || word.text == ".");
    match rest.as_slice() {
        [_, place] if !flags.is_empty() || is_path(place) => {}
        [_] if !flags.is_empty() => {}
        _ if flags.is_empty() => return None,
        _ => return Some(Err(Why::NeedsQuotes)),
    }
    Some(search(said, &flags, &rest))
}

fn search(said: &str, flags: &[&Word], rest: &[&Word]) -> Result<Step, Why> {
    let letters: String = flags.iter().map(|flag| flag.text.trim_start_matches('-')).collect();
    if flags.iter().any(|flag| flag.text.starts_with("--"))
        || letters.contains(|c| !"niIrRlcEFPHsoe".contains(c))
    {
        return Err(Why::NotUnderstood);
    }
    let [what, place @ ..] = rest else { return Err(Why::NotUnderstood) };
    let has = |letter: char| letters.contains(letter);
    let pattern = match (what.form, has('F'), has('E') || has('P') || said == "rg") {
        (Form::Regex, _, _) | (_, false, true) => what.text.clone(),
        (_, true, _) => kinds::escape(&what.text),
        (_, false, false) => from_basic(&what.text),
    };
    let scope = match place {
        [place] if is_glob(&place.text) => Scope { path: None, glob: Some(place.text.clone()) },
        [place] if place.text != "." => Scope { path: Some(folder(&place.text)), glob: None },
        _ => Scope::default(),
    };
    let want = match (has('l'), has('c')) {
        (true, _) => Want::Files,
        (_, true) => Want::Count,
        _ => Want::Lines,
    };
    let needle = Needle { pattern, label: what.text.clone(), ignore_case: has('i') };
    Ok(Step::Search { needle, scope, want })
}

/// In the expressions of plain `grep`, `(` is a letter and `\(` a group.
fn from_basic(text: &str) -> String {
    const SWAPPED: &str = "+?(){}|";
    let mut pattern = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match (character, rest.clone().next()) {
            ('\\', Some(next)) if SWAPPED.contains(next) => {
                pattern.push(next);
                rest.next();
            }
            ('\\', Some(next)) => {
                pattern.extend(['\\', next]);
                rest.next();
            }
            _ if SWAPPED.contains(character) => pattern.extend(['\\', character]),
            _ => pattern.push(character),
        }
    }
    pattern
}
