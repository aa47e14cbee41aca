//! Counting in a request: lines of a file or a place, files, markers, matches, what is in the last list.
//!
//! Owns the words around "how many". Words of a text are not counted by any tool, which is its own step, so that the
//! answer can say so. It refuses to know how a thing is counted; `../plan.rs` has that.

use super::super::kinds;
use super::super::step::{Scope, Step, Target, Want, Why};
use super::super::words::Word;
use super::object::{self, Ask};
use super::pick;
use super::place::{self, take_scope};

pub fn count(ask: &Ask, mut words: Vec<Word>) -> Result<Step, Why> {
    words.retain(|word| !word.is_one_of(&["there", "exist", "do", "does", "we"]));
    if words.first().is_some_and(|word| word.is_one_of(&["them", "those", "these", "it"])) && words.len() == 1
    {
        return Ok(Step::CountList);
    }
    if words.first().is_some_and(|word| word.is("words")) {
        let rest: Vec<Word> = words[1..].iter().filter(|word| !word.is_one_of(SOFT)).cloned().collect();
        return match pick::targets(&rest).as_deref() {
            Some([target]) => Ok(Step::CountWords { target: target.clone() }),
            _ => Err(Why::NotUnderstood),
        };
    }
    let is_lines = words.first().is_some_and(|word| word.is_one_of(&["lines", "loc"]))
        || (words.first().is_some_and(|word| word.is("the"))
            && words.get(1).is_some_and(|word| word.is("lines")));
    if is_lines {
        let skipped = if words[0].is("the") { 2 } else { 1 };
        words.drain(..skipped);
        return lines_of(words);
    }
    let scope = take_scope(&mut words);
    object::classify(ask, words, scope, Want::Count)
}

const SOFT: &[&str] =
    &["of", "code", "are", "is", "in", "has", "have", "the", "long", "big", "contain", "this", "does"];

/// "how many lines are in X", in the words after "lines".
pub fn lines_of(mut words: Vec<Word>) -> Result<Step, Why> {
    let soft = SOFT;
    let whole = words.clone();
    words.retain(|word| !word.is_one_of(soft));
    if let Some(targets) = pick::targets(&words)
        && let [target] = targets.as_slice()
        && !matches!(target, Target::Path(path) if path.ends_with('/') || place::is_glob(path) || !place::is_file_name(path))
    {
        return Ok(Step::CountLines { target: Some(target.clone()), scope: Scope::default() });
    }
    let mut rest = whole.clone();
    let mut scope = take_scope(&mut rest);
    rest.retain(|word| !word.is_one_of(soft) && !object::is_project(word));
    match rest.as_slice() {
        [] => Ok(Step::CountLines { target: None, scope }),
        [one, ..] if rest.len() <= 2 && kinds::by_word(&one.key).is_some() => {
            let is_kind = rest.len() == 2 || whole.iter().any(|word| word.is("code"));
            let kind = kinds::by_word(&one.key).map(kinds::Language::glob);
            scope.glob = if is_kind { kind } else { Some(one.text.clone()) };
            Ok(Step::CountLines { target: None, scope })
        }
        [one] => Ok(Step::CountLines { target: Some(Target::Path(one.text.clone())), scope }),
        _ => Err(Why::NeedsQuotes),
    }
}
