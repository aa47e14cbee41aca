//! Requests for sub-agents: `explore src in three tasks`, `use a task to find TODOs`.
//!
//! Owns the words at the end of a request that ask for tasks, and how a request is written down for another agent. It
//! refuses to know how tasks are carried out (`../task.rs`).

use super::super::step::Step;
use super::super::words::{Form, Word};

/// More tasks than this are no plan.
const MOST: usize = 12;

const NUMBERS: &[&str] =
    &["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Takes "in three parallel tasks" from the end of a request; the number, at least 1.
pub fn take_number(words: &mut Vec<Word>) -> Option<usize> {
    let last = words
        .last()
        .filter(|word| word.is_one_of(&["task", "tasks", "sub-agents", "subagents", "agents"]))?;
    let many = last.key.ends_with('s');
    let mut end = words.len() - 1;
    let parallel = |word: &Word| word.is_one_of(&["parallel", "separate", "several", "sub"]);
    while end > 0 && parallel(&words[end - 1]) {
        end -= 1;
    }
    let said = words[..end].last().and_then(number);
    let end = if said.is_some() { end - 1 } else { end };
    let by =
        end.checked_sub(1).filter(|at| words[*at].is_one_of(&["in", "with", "by", "using", "as", "over"]))?;
    // "find tasks" asks for no sub-agent.
    if by == 0 {
        return None;
    }
    words.truncate(by);
    Some(said.unwrap_or(if many { 3 } else { 1 }).min(MOST))
}

fn number(word: &Word) -> Option<usize> {
    if word.is_one_of(&["one", "an"]) {
        return Some(1);
    }
    let by_name = NUMBERS.iter().position(|name| word.is(name)).map(|at| at + 1);
    by_name.or_else(|| word.key.parse().ok().filter(|number| *number > 0))
}

/// A step in so many tasks: an exploration is split by folders, anything else is one task.
pub fn step(number: usize, rest: &Step, words: &[Word]) -> Step {
    match rest {
        Step::Explore { path } if number > 1 => Step::Tasks { path: path.clone(), number },
        _ => Step::Task { prompt: said(words) },
    }
}

/// A request as it may be given to another agent.
pub fn said(words: &[Word]) -> String {
    let said = |word: &Word| match word.form {
        Form::Plain => word.text.clone(),
        Form::Quoted => format!("`{}`", word.text),
        Form::Regex => word.path(),
    };
    words.iter().map(said).collect::<Vec<_>>().join(" ")
}
