//! Definitions in a request: "where is X defined", "the struct Parser", "functions".
//!
//! Owns the words around a name that is defined somewhere, and the places where "where is" means something else: a use,
//! a file, the tests. It refuses to know how a definition is found; `../kinds.rs` has the regular expressions.

use super::super::kinds::{self, def_kind};
use super::super::step::{DefKind, Scope, Step, Want, Why};
use super::super::words::{Form, Word};
use super::object::{Ask, bare, files, markers, search};
use super::place::take_scope;

/// "where is X defined", "definition of X", "where is X used", "where is main.rs", "where are the tests".
pub fn define(ask: &Ask, mut words: Vec<Word>) -> Result<Step, Why> {
    let scope = take_scope(&mut words);
    let used = words.last().is_some_and(|word| {
        word.is_one_of(&["used", "called", "referenced", "mentioned", "needed", "imported"])
    });
    let defined = words
        .last()
        .is_some_and(|word| word.is_one_of(&["defined", "declared", "implemented", "definition", "from"]));
    if used || defined {
        words.pop();
    }
    if let [one] = words.as_slice()
        && let Some((kind, name)) = one.text.split_once(' ')
        && def_kind(kind).is_some()
        && !name.contains(char::is_whitespace)
    {
        // `fn main` in quotes is still a kind and a name.
        words = vec![super::super::words::word(kind), Word { text: name.to_owned(), ..one.clone() }];
    }
    words.retain(|word| !word.is_one_of(&["the", "a", "an", "all", "definition", "definitions", "of", "is"]));
    if !used
        && !defined
        && let Some(step) =
            files(ask, &words, &scope, Want::Lines).or_else(|| markers(&words, &scope, Want::Lines))
    {
        return Ok(step);
    }
    let kind = words.iter().find_map(|word| def_kind(&word.key)).unwrap_or(DefKind::Any);
    let names: Vec<&Word> = words.iter().filter(|word| def_kind(&word.key).is_none()).collect();
    match names.as_slice() {
        [one] if used => Ok(search(one, scope, Want::Lines)),
        [one] if is_name(one) => Ok(Step::Define { kind, name: Some(name(one)), scope, want: Want::Lines }),
        [] if kind == DefKind::Test => Ok(Step::Define { kind, name: None, scope, want: Want::Files }),
        [] if kind != DefKind::Any => Ok(Step::Define { kind, name: None, scope, want: Want::Lines }),
        [] => Err(Why::NotUnderstood),
        _ => Err(Why::NeedsQuotes),
    }
}

/// "functions", "the struct Parser", "definitions of X", "parse_args function".
pub fn definitions(words: &[Word], scope: &Scope, want: Want) -> Option<Step> {
    let words: Vec<&Word> = bare(words);
    let (kind, rest): (DefKind, Vec<&Word>) = match words.as_slice() {
        [first, rest @ ..] if def_kind(&first.key).is_some() => (def_kind(&first.key)?, rest.to_vec()),
        [rest @ .., last] if rest.len() == 1 && def_kind(&last.key).is_some() => {
            (def_kind(&last.key)?, rest.to_vec())
        }
        _ => return None,
    };
    let rest: Vec<&Word> =
        rest.into_iter().filter(|word| !word.is_one_of(&["named", "called", "of", "for", "are"])).collect();
    let scope = scope.clone();
    match rest.as_slice() {
        [] if kind == DefKind::Any => None,
        [] => {
            let want = if kind == DefKind::Test && want == Want::Lines { Want::Files } else { want };
            Some(Step::Define { kind, name: None, scope, want })
        }
        [one] if one.is("files") || kinds::by_word(&one.key).is_some() => None,
        [one] if is_name(one) => Some(Step::Define { kind, name: Some(name(one)), scope, want }),
        _ => None,
    }
}

fn is_name(word: &Word) -> bool {
    word.form != Form::Regex && !word.text.is_empty() && !word.text.contains(char::is_whitespace)
}

fn name(word: &Word) -> String {
    word.text.trim_end_matches("()").to_owned()
}
