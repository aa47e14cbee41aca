//! The conversation so far to the next step: thinking and calls, or the answer.
//!
//! Each step of a plan is one function here that asks for results and returns a paragraph. `Script::ask` pauses the
//! plan where results are missing (`script.rs`), so a function reads as if tools answered at once. The earlier turns
//! are run first, only for what they leave in memory. It refuses to know words (`parse.rs`) and sentences (`answer.rs`).
//! Read next: `plan/course.rs`, which says whose turn it is when a person asks for more meanwhile.

mod course;
mod place;

use self::course::{Course, turns};
use super::answer;
use super::calls::Call;
use super::change;
use super::connect;
use super::explore;
use super::files;
use super::kinds;
use super::markdown::code;
use super::memory::Memory;
use super::parse::parse;
use super::run;
use super::script::{Pause, Script};
use super::step::{DefKind, Files, Needle, Scope, Step, Target, Want, Why};
use super::task;
use crate::provider::Request;

#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// `said` answers what was asked meanwhile; empty when nothing was.
    Calls {
        said: String,
        thinking: String,
        calls: Vec<Call>,
    },
    Answer {
        text: String,
    },
}

/// Earlier turns that count for "the second one".
const TURNS_BACK: usize = 20;

/// `home` is the person's home folder, which a path that begins with `~/` means.
pub fn next(request: &Request, home: Option<&str>) -> Next {
    let offered: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let kit = Kit { offered: &offered, skills: &skills(request), home };
    let mut turns = turns(&request.messages);
    let Some(current) = turns.pop() else { return Next::Answer { text: answer::help() } };
    let mut memory = Memory::default();
    let skipped = turns.len().saturating_sub(TURNS_BACK);
    for turn in turns.into_iter().skip(skipped) {
        // An earlier turn that was cut leaves in memory what it came to.
        memory = course::course(turn, &kit, memory).memory;
    }
    let Course { unsaid, waits, .. } = course::course(current, &kit, memory);
    let said = unsaid.join("\n\n");
    match waits {
        None => Next::Answer { text: said },
        Some(Pause { thinking, calls }) => Next::Calls { said, thinking, calls },
    }
}

/// What is the same for every request of a conversation.
struct Kit<'a> {
    offered: &'a [&'a str],
    skills: &'a [&'a str],
    home: Option<&'a str>,
}

impl Kit<'_> {
    fn parsed(&self, text: &str) -> Vec<Step> {
        let mut steps = parse(text);
        if let Some(home) = self.home {
            steps.iter_mut().for_each(|step| place::at_home(step, home));
        }
        steps
    }
}

/// The names that the skill tool takes.
fn skills(request: &Request) -> Vec<&str> {
    let tool = request.tools.iter().find(|tool| tool.name == "skill");
    let names = tool.and_then(|tool| tool.schema["properties"]["name"]["enum"].as_array());
    names.into_iter().flatten().filter_map(|name| name.as_str()).collect()
}

/// Every step after the other; the answer is their paragraphs.
fn carry_all(steps: &[Step], script: &mut Script<'_>) -> Result<String, Pause> {
    let all_unknown = steps.iter().all(|step| matches!(step, Step::Unknown { .. }));
    if all_unknown {
        let text = not_understood(steps, script.memory.introduced);
        script.memory.introduced = true;
        return Ok(text);
    }
    let mut paragraphs = Vec::new();
    for step in steps {
        paragraphs.push(carry_out(step, script)?.trim_end().to_owned());
    }
    let unknown = steps.iter().any(|step| matches!(step, Step::Unknown { .. }));
    if unknown && !script.memory.introduced {
        script.memory.introduced = true;
        paragraphs.push(format!("{} {}", connect::NO_MODEL, connect::CONNECT));
    }
    Ok(paragraphs.join("\n\n"))
}

fn carry_out(step: &Step, script: &mut Script<'_>) -> Result<String, Pause> {
    if let Step::Again { scope } = step {
        return again(scope, script);
    }
    let step = &place::settled(step, script)?;
    if matches!(
        step,
        Step::Find { .. }
            | Step::Search { .. }
            | Step::Define { .. }
            | Step::CountLines { .. }
            | Step::Explore { .. }
    ) {
        script.memory.last = Some(step.clone());
    }
    match step {
        Step::Read { targets, lines } => files::read(targets, *lines, script),
        Step::Find { files, scope, want } => find(files, scope, *want, script),
        Step::Search { needle, scope, want } => search(needle, scope, *want, script),
        Step::Define { kind, name: Some(name), scope, want } => define(*kind, name, scope, *want, script),
        Step::Define { kind, name: None, scope, want } => define_all(*kind, scope, *want, script),
        Step::CountLines { target: Some(target), .. } => files::count_lines(target, script),
        Step::CountLines { target: None, scope } => count_lines(scope, script),
        Step::Folders { path } => explore::folders(path.as_deref(), script),
        Step::CountWords { target } => {
            let lines = files::count_lines(target, script)?;
            Ok(format!("Words are not counted here, only lines. {lines}"))
        }
        Step::CountList => Ok(answer::count_list(&script.memory)),
        Step::Explore { path: None } => explore::project(script),
        Step::Explore { path: Some(path) } => explore::folder(path, script),
        Step::Write { path, content } => change::write(path, content, script),
        Step::Replace { old, new, scopes } => change::replace(old, new, scopes, script),
        Step::Skill { name } => change::skill(name.as_deref(), script),
        Step::Run { command } => run::run(command, script),
        Step::Task { prompt } => task::one(prompt, script),
        Step::Tasks { path, number } => task::many(path.as_deref(), *number, script),
        Step::Again { .. } => Ok(String::new()),
        Step::Help => {
            script.memory.introduced = true;
            Ok(answer::help())
        }
        Step::Hello => {
            script.memory.introduced = true;
            Ok(answer::hello())
        }
        Step::Thanks => Ok("You are welcome.".to_owned()),
        Step::Unknown { text, why } => Ok(answer::unknown_part(text, *why)),
    }
}

fn not_understood(steps: &[Step], introduced: bool) -> String {
    let parts: Vec<(&str, Why)> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Unknown { text, why } => Some((text.as_str(), *why)),
            _ => None,
        })
        .collect();
    answer::not_understood(&parts, introduced)
}

fn find(files: &Files, scope: &Scope, want: Want, script: &mut Script<'_>) -> Result<String, Pause> {
    // The call says all there is to say.
    let found = script.ask_one("", Call::glob(&files.glob, scope.path.as_deref()))?.paths();
    if let Ok(paths) = &found {
        script.memory.remember_paths(paths);
    }
    Ok(answer::found(files, scope, want, found))
}

fn search(needle: &Needle, scope: &Scope, want: Want, script: &mut Script<'_>) -> Result<String, Pause> {
    let is_marker =
        needle.label.split(" or ").all(|part| kinds::marker(part).is_some() && part == part.to_uppercase());
    let mode = if want == Want::Lines { "content" } else { "count" };
    let mut calls = Vec::new();
    let whole = *scope == Scope::default();
    let thinking = if is_marker {
        // How many files there are says what "in 3 files" means.
        if whole {
            calls.push(Call::glob("**/*", None));
        }
        "look for the markers first, then count them per file".to_owned()
    } else {
        // The call says all there is to say.
        String::new()
    };
    calls.push(Call::grep(needle, scope, mode));
    let mut outcomes = script.ask(&thinking, calls)?;
    let mut found = outcomes.pop().unwrap_or_default().matches();
    let searched = outcomes.pop().and_then(|paths| paths.paths().ok()).map(|paths| paths.total);

    let has_letters = needle.pattern.chars().any(char::is_alphabetic);
    let nothing = matches!(&found, Ok(matches) if matches.total == 0 && matches.binary_files == 0);
    let mut used = needle.clone();
    if nothing && has_letters && !needle.ignore_case && !is_marker {
        used.ignore_case = true;
        let thinking = "nothing with this spelling; try capital and small letters alike";
        found = script.ask_one(thinking, Call::grep(&used, scope, mode))?.matches();
    }
    if mode == "content"
        && let Ok(matches) = &mut found
        && matches.truncated
    {
        let thinking = "the list was cut; count per file, for figures that are whole";
        if let Ok(mut counted) = script.ask_one(thinking, Call::grep(&used, scope, "count"))?.matches() {
            for file in &mut counted.files {
                let lines = matches.files.iter().find(|other| other.path == file.path);
                file.lines = lines.map(|other| other.lines.clone()).unwrap_or_default();
            }
            *matches = counted;
        }
    }
    let noun = answer::noun(&needle.label, is_marker);
    if let Ok(matches) = &found {
        script.memory.remember_matches(matches, (&noun.0, &noun.1));
    }
    Ok(answer::searched(&answer::Search { needle: &used, asked: needle, scope, want, noun, searched }, found))
}

fn define(
    kind: DefKind,
    name: &str,
    scope: &Scope,
    want: Want,
    script: &mut Script<'_>,
) -> Result<String, Pause> {
    let needle = Needle { pattern: kinds::before_name(name), label: name.to_owned(), ignore_case: false };
    let thinking = format!(
        "look for lines in which only words stand before {name}; keep those with fn, struct, class, def or the like"
    );
    let mut found = script.ask_one(&thinking, Call::grep(&needle, scope, "content").whole())?.matches();
    if let Ok(matches) = &mut found {
        matches.keep_lines(|line| kinds::is_definition(line, kind, name));
    }
    if let Ok(matches) = &found {
        script.memory.remember_matches(matches, ("definition", "definitions"));
        if matches.total == 0 {
            let word = Needle { pattern: format!(r"\b{}", kinds::escape(name)), ..needle };
            let thinking = "no definition that I can tell; see whether the name is used at all";
            let used = script.ask_one(thinking, Call::grep(&word, scope, "content"))?.matches();
            if let Ok(matches) = &used {
                script.memory.remember_matches(matches, ("match", "matches"));
            }
            return Ok(answer::undefined(name, scope, used));
        }
    }
    Ok(answer::defined(name, scope, want, found))
}

fn define_all(kind: DefKind, scope: &Scope, want: Want, script: &mut Script<'_>) -> Result<String, Pause> {
    let noun = answer::definition_noun(kind);
    let needle = Needle { pattern: kinds::definitions(kind), label: noun.1.clone(), ignore_case: false };
    let mode = if want == Want::Lines { "content" } else { "count" };
    let thinking = format!("look for lines that begin {}{}", noun.2, place(scope));
    let found = script.ask_one(&thinking, Call::grep(&needle, scope, mode))?.matches();
    if let Ok(matches) = &found {
        script.memory.remember_matches(matches, (&noun.0, &noun.1));
    }
    let search = answer::Search {
        needle: &needle,
        asked: &needle,
        scope,
        want,
        noun: (noun.0, noun.1),
        searched: None,
    };
    Ok(answer::searched(&search, found))
}

pub fn count_lines(scope: &Scope, script: &mut Script<'_>) -> Result<String, Pause> {
    let thinking = format!("count the lines of every text file{}", place(scope));
    let found = script.ask_one(&thinking, lines_per_file(scope))?.matches();
    if let Ok(matches) = &found {
        script.memory.remember_matches(matches, ("line", "lines"));
    }
    Ok(answer::line_counts(scope, found))
}

/// A call that counts lines: each has one beginning. The name in the expression says so to whoever reads the call.
pub fn lines_per_file(scope: &Scope) -> Call {
    let needle =
        Needle { pattern: "(?<every_line>^)".to_owned(), label: "lines".to_owned(), ignore_case: false };
    Call::grep(&needle, scope, "count")
}

fn again(place: &Scope, script: &mut Script<'_>) -> Result<String, Pause> {
    let Some(mut last) = script.memory.last.clone() else {
        return Ok(format!(
            "There is no search to repeat{}. Ask for one, for example: search for \"main\".",
            self::place(place)
        ));
    };
    match &mut last {
        Step::Find { files, scope, .. } => {
            place.clone_into(scope);
            if let Some(glob) = &place.glob {
                let glob = if kinds::may_be_folder(glob) { "*" } else { glob };
                *files = Files { glob: format!("**/{glob}"), label: "files".to_owned() };
            }
        }
        Step::Search { scope, .. } | Step::Define { scope, .. } => {
            place.clone_into(scope);
        }
        Step::CountLines { target, scope } => {
            *target = None;
            place.clone_into(scope);
        }
        Step::Explore { path } => path.clone_from(&place.path),
        _ => {}
    }
    carry_out(&last, script)
}

/// ` in src`, for thinking.
pub fn place(scope: &Scope) -> String {
    scope.to_string()
}

/// The path or the known name of a target, for sentences.
pub fn target_text(target: &Target) -> String {
    match target {
        Target::Path(path) => code(path),
        Target::Known(name) => format!("the {name}"),
        Target::Pick(_) => "it".to_owned(),
    }
}

#[cfg(test)]
mod tests;
