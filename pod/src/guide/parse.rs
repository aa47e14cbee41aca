//! Turns a request into steps: pure text to data.
//!
//! Owns clauses ("... and then ...") and the choice of a verb; the words around a verb are `parse/object.rs` (what),
//! `parse/place.rs` (where, which lines), `parse/pick.rs` ("the second one") and `parse/change.rs`. What does not fit becomes
//! [`Step::Unknown`] and is told to the person: nothing is guessed from words that were not understood.
//! It refuses to know files and results.

mod begin;
mod change;
mod count;
mod definition;
mod nouns;
mod object;
mod pick;
mod place;
mod shell;
mod task;

use self::begin::{
    CHANGES, FOR_A_MODEL, PROGRAMS, place_last, social, takes_a_model, trim_end, without_fillers,
};
use self::object::Ask;
pub use self::place::is_file_name;
use self::place::{take_lines, take_scope};
use super::step::{Lines, Scope, Step, Target, Want, Why};
use super::verbs::{self, VerbId};
use super::words::{self, Word, words};

/// A request is carried out up to this many steps; the rest is told as not understood.
pub const MOST_STEPS: usize = 6;
/// A request of more words than this is a text, not a request.
const MOST_WORDS: usize = 300;

/// The steps of a request, at least one.
pub fn parse(text: &str) -> Vec<Step> {
    // A command is taken as it is: its words are not ours.
    if let Some(command) = shell::command(text) {
        return vec![Step::Run { command: command.to_owned() }];
    }
    if let Some(step) = skill_by_sigil(text) {
        return vec![step];
    }
    let all = without_bullets(words(text));
    if all.len() > MOST_WORDS {
        return vec![unknown(&all[..12], Why::NotUnderstood)];
    }
    let mut steps: Vec<Step> = clauses(&all).into_iter().filter_map(clause).collect();
    if steps.iter().any(|step| !matches!(step, Step::Hello | Step::Thanks)) {
        steps.retain(|step| !matches!(step, Step::Hello | Step::Thanks));
    }
    if steps.is_empty() {
        return vec![unknown(&all, Why::NotUnderstood)];
    }
    if steps.len() > MOST_STEPS {
        let rest = steps.len() - MOST_STEPS;
        steps.truncate(MOST_STEPS);
        steps.push(Step::Unknown { text: format!("({rest} more steps)"), why: Why::NotUnderstood });
    }
    steps
}

/// `1.` and `-` at the beginning of a line say nothing.
fn without_bullets(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        let begins = kept.last().is_none_or(|before| before.stop);
        let numbered = word.stop && word.is_plain() && word.key.chars().all(|c| c.is_ascii_digit());
        if !(begins && (numbered || word.is_one_of(&["-", "*", "•"]))) {
            kept.push(word);
        }
    }
    kept
}

/// Cuts where a connective or a full stop is followed by the beginning of another request.
fn clauses(all: &[Word]) -> Vec<&[Word]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for at in 1..all.len() {
        let joined = all[at].is_one_of(&["and", "then", "&", "also", "afterwards", "finally"]);
        // "in src, find TODOs" is one request.
        let only_place = all[start].is("in") && at - start <= 2;
        if at > start && !only_place && (joined || all[at - 1].stop) && begins_request(&all[at..]) {
            clauses.push(&all[start..at]);
            start = at;
        }
    }
    clauses.push(&all[start..]);
    clauses
}

fn begins_request(words: &[Word]) -> bool {
    let words = without_fillers(words);
    let Some(first) = words.first() else { return false };
    let (verb, length) = match verbs::leading(keys(words)) {
        Some(found) => found,
        None => {
            return words.len() > 1 && (first.is_one_of(CHANGES) || first.is_one_of(FOR_A_MODEL));
        }
    };
    // A verb at the very end is more likely what is searched for: "search for open and read".
    words.len() > length || verb.id == VerbId::Help
}

pub fn keys(words: &[Word]) -> impl Iterator<Item = &str> {
    words.iter().map(|word| word.key.as_str())
}

fn clause(all: &[Word]) -> Option<Step> {
    if all.is_empty() {
        return None;
    }
    if let Some(step) = social(all) {
        return Some(step);
    }
    let mut words = without_fillers(all).to_vec();
    trim_end(&mut words);
    if let Some(number) = task::take_number(&mut words) {
        let rest = clause(&words)?;
        return Some(match rest {
            Step::Unknown { .. } => rest,
            rest => task::step(number, &rest, &words),
        });
    }
    let Some(first) = words.first() else { return Some(unknown(all, Why::NotUnderstood)) };
    if first.is_one_of(&["don't", "do", "never", "not"]) {
        return Some(unknown(all, Why::NotUnderstood));
    }
    if first.is("?") && words.len() == 1 {
        return Some(Step::Help);
    }
    name_paths(&mut words);
    place_last(&mut words);
    if let Some(step) = change::skill_request(&words) {
        return Some(step);
    }
    let Some(first) = words.first() else { return Some(unknown(all, Why::NotUnderstood)) };
    let about = first.is_one_of(&["what", "how"]) && words.get(1).is_some_and(|word| word.is("about"));
    let longest_files = words
        .windows(2)
        .any(|pair| pair[0].is_one_of(&["longest", "largest", "biggest"]) && pair[1].is("files"));
    if longest_files && pick::asks_for_longest(&words) {
        return Some(Step::CountLines { target: None, scope: Scope::default() });
    }
    if pick::asks_for_longest(&words) {
        let targets = vec![Target::Pick(super::step::Pick::LongestFile)];
        return Some(Step::Read { targets, lines: Lines::All });
    }
    if words.len() > 2 && words[0].is("how") && words[1].is("often") {
        let times = ["how", "many", "times"].map(words::word);
        words.splice(..2, times);
    }
    let found = match verbs::leading(keys(&words)) {
        _ if about => without_verb(&words),
        _ if object::is_about_project(&words) => {
            return Some(Step::Explore { path: None });
        }
        Some((verb, length)) => {
            let ask = Ask { verb: verb.id, said: keys(&words[..length]).collect::<Vec<_>>().join(" ") };
            carry_out(&ask, words[length..].to_vec())
        }
        None => without_verb(&words),
    };
    Some(found.unwrap_or_else(|why| {
        let for_model = words.len() > 2 && takes_a_model(&words[0], &words[1]);
        let why = match why {
            Why::NotUnderstood if words[0].is_one_of(PROGRAMS) => Why::MarkToRun,
            Why::NotUnderstood
                if words.len() == 1 && words[0].is_one_of(&["exit", "quit", "bye", "logout"]) =>
            {
                Why::Leaves
            }
            Why::NotUnderstood if for_model => Why::NeedsModel,
            why => why,
        };
        unknown(&words, why)
    }))
}

/// `@PATH` is a path where one is expected; elsewhere it is text: people search for `@media`.
fn name_paths(words: &mut [Word]) {
    let opens = match verbs::leading(keys(words)) {
        Some((verb, _)) => matches!(verb.id, VerbId::Read | VerbId::Explore | VerbId::Count | VerbId::Define),
        None => true,
    };
    for at in 0..words.len() {
        let behind_place =
            at > 0 && words[at - 1].is_one_of(&["in", "to", "into", "from", "of", "under", "inside"]);
        if (opens || behind_place)
            && let Some(path) = words::named_path(&words[at])
        {
            words[at] = path;
        }
    }
}

/// `/pdf` and what follows it: the skill of that name. A path has another slash.
fn skill_by_sigil(text: &str) -> Option<Step> {
    let name = text.strip_prefix('/')?.split_whitespace().next()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    (is_name && !text[1..].starts_with(char::is_whitespace))
        .then(|| Step::Skill { name: Some(name.to_owned()) })
}

fn carry_out(ask: &Ask, mut words: Vec<Word>) -> Result<Step, Why> {
    while words.first().is_some_and(|word| word.is_one_of(&["me", "us"])) {
        words.remove(0);
    }
    match ask.verb {
        VerbId::Help => help(&words),
        VerbId::Read => read(ask, words),
        VerbId::Explore => explore(ask, words),
        VerbId::Count if ask.said.ends_with(" is") => count::lines_of(words),
        VerbId::Count => count::count(ask, words),
        VerbId::Define => definition::define(ask, words),
        VerbId::Write => change::write(&words),
        VerbId::Replace => change::replace(&ask.said, &words),
        VerbId::Skill => change::skill(&words),
        VerbId::Run => shell::run(&words),
        VerbId::Task if words.is_empty() => Err(Why::NotUnderstood),
        VerbId::Task => Ok(Step::Task { prompt: task::said(&words) }),
        VerbId::Find | VerbId::Search => {
            if let Some(step) = shell::grep(&ask.said, &words) {
                return step;
            }
            let scope = take_scope(&mut words);
            object::classify(ask, words, scope, Want::Lines)
        }
    }
}

fn help(words: &[Word]) -> Result<Step, Why> {
    // "help me write a poem" is no request for this table.
    if words.len() <= 2 { Ok(Step::Help) } else { Err(Why::NeedsModel) }
}

fn read(ask: &Ask, mut words: Vec<Word>) -> Result<Step, Why> {
    let whole = words.clone();
    let (lines, spoken) = take_lines(&mut words);
    if let Some(path) = pick::path_with_blanks(&words) {
        return Ok(Step::Read { targets: vec![Target::Path(path)], lines });
    }
    if let Some(targets) = pick::targets(&words) {
        return Ok(Step::Read { targets, lines });
    }
    if words.is_empty() && spoken {
        return Ok(Step::Read { targets: vec![Target::Pick(super::step::Pick::It)], lines });
    }
    let opens = matches!(ask.said.as_str(), "read" | "open" | "cat" | "view" | "look at" | "look into");
    if opens && words.len() == 1 {
        return Ok(Step::Read { targets: vec![Target::Path(words[0].text.clone())], lines });
    }
    let mut words = whole;
    let scope = take_scope(&mut words);
    object::classify(ask, words, scope, Want::Lines)
}

fn explore(ask: &Ask, mut words: Vec<Word>) -> Result<Step, Why> {
    words.retain(|word| !word.is_one_of(&["of", "the", "a", "an", "this", "my", "our", "through", "there"]));
    if words.len() > 1 && words[0].is_one_of(place::FOLDER_WORDS) {
        words.remove(0);
    }
    match words.as_slice() {
        [] => Ok(Step::Explore { path: None }),
        [one] if object::is_project(one) => Ok(Step::Explore { path: None }),
        [one] | [one, _] if words.len() == 1 || words[1].is_one_of(place::FOLDER_WORDS) => {
            // A file is read, a folder is listed.
            if place::is_file_name(&one.text) && ask.said != "explore" {
                return Ok(Step::Read { targets: vec![Target::Path(one.text.clone())], lines: Lines::All });
            }
            if ask.said == "describe" || ask.said == "tell me about" {
                return Err(Why::NeedsModel);
            }
            Ok(Step::Explore { path: Some(place::folder(&one.path())) })
        }
        _ => Err(Why::NotUnderstood),
    }
}

/// A request that begins with none of the verbs but says clearly enough what is meant.
fn without_verb(words: &[Word]) -> Result<Step, Why> {
    let first = &words[0];
    if first.is_one_of(CHANGES) {
        // "add error handling" is no text to be put somewhere.
        let names = words[1..].iter().any(|word| !word.is_plain() || place::is_file_name(&word.text));
        let vague = first.is_one_of(&["add", "update", "edit", "remove"]) && !names;
        return Err(if vague { Why::NeedsModel } else { Why::Changes });
    }
    if words.len() > 1 && takes_a_model(first, &words[1]) {
        return Err(Why::NeedsModel);
    }
    if let [who, does, rest @ ..] = words
        && who.is_one_of(&["who", "what"])
        && does.is_one_of(&["calls", "uses"])
        && let [one] = rest
    {
        return Ok(object::search(one, Scope::default(), Want::Lines));
    }
    let about = first.is_one_of(&["what", "how"]) && words.get(1).is_some_and(|word| word.is("about"));
    let rest = if about { &words[2..] } else { words };
    let mut place = rest.to_vec();
    let scope = take_scope(&mut place);
    if place.is_empty() && scope != Scope::default() {
        return Ok(Step::Again { scope });
    }
    let mut bare = rest.to_vec();
    let (lines, _) = take_lines(&mut bare);
    if let Some(targets) = pick::targets(&bare) {
        return Ok(Step::Read { targets, lines });
    }
    if let ([one], true) = (bare.as_slice(), about) {
        return Ok(Step::Again { scope: Scope { path: Some(place::folder(&one.text)), glob: None } });
    }
    let there = words.len() > 2 && first.is_one_of(&["is", "are"]) && words[1].is_one_of(&["there", "any"]);
    let mut rest = if there { words[2..].to_vec() } else { words.to_vec() };
    let scope = take_scope(&mut rest);
    let ask = Ask { verb: VerbId::Find, said: "find".to_owned() };
    match object::classify(&ask, rest, scope, Want::Lines) {
        // Without a verb a bare word is not enough to search for it.
        Ok(Step::Search { needle, .. }) if !there && super::kinds::marker(&needle.label).is_none() => {
            Err(Why::NotUnderstood)
        }
        Ok(step) => Ok(step),
        Err(_) => Err(Why::NotUnderstood),
    }
}

fn unknown(words: &[Word], why: Why) -> Step {
    Step::Unknown { text: task::said(words), why }
}

#[cfg(test)]
mod tests;
