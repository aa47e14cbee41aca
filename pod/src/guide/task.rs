//! Work in tasks: a request handed to a sub-agent, or an exploration split by folders.
//!
//! A sub-agent of guide is guide again, with the prompt that is written here and a context of its own. Nothing is judged:
//! what the sub-agents say is told as they said it, under the folder that it is about. It refuses to know words
//! (`parse/task.rs`) and how sub-agents run. Read next: `explore.rs`.

use super::calls::{Call, Outcome};
use super::explore;
use super::files::told;
use super::markdown::code;
use super::script::{Pause, Script};
use crate::tools::count;

const TASK: &str = "Task";

/// Words of a prompt that name a task.
const WORDS: usize = 5;

/// One request, by a sub-agent.
pub fn one(prompt: &str, script: &mut Script<'_>) -> Result<String, Pause> {
    let thinking = "hand the request to a task, which has a context of its own";
    let outcome = script.ask_one(thinking, Call::task(&description(prompt), prompt))?;
    Ok(answer(&outcome))
}

/// So many tasks, each for one of the greatest folders; the folders below theirs get one task fewer.
pub fn many(path: Option<&str>, number: usize, script: &mut Script<'_>) -> Result<String, Pause> {
    let thinking = "see which folders there are, to give each task one";
    let files = match script.ask_one(thinking, Call::glob("**/*", path))?.paths() {
        Ok(files) => files,
        Err(sentence) => return Ok(told(&sentence)),
    };
    let prefix = path.map_or(String::new(), |path| format!("{}/", path.trim_end_matches('/')));
    let folders = explore::greatest_folders(&files, &prefix);
    if folders.len() < 2 || number < 2 || !script.offers(TASK) {
        return match path {
            Some(path) => explore::folder(path, script),
            None => explore::project(script),
        };
    }
    let chosen: Vec<String> =
        folders.iter().take(number).map(|(folder, _)| format!("{prefix}{folder}")).collect();
    let calls = chosen.iter().map(|folder| {
        let below = explore::greatest_folders(&files, &format!("{folder}/")).len().min(number - 1);
        let prompt = match below {
            0 | 1 => format!("explore {}", code(folder)),
            below => format!("explore {} in {below} tasks", code(folder)),
        };
        Call::task(&format!("Explore {folder}"), &prompt)
    });
    let tasks = count(chosen.len() as u64, "task", "tasks");
    let outcomes =
        script.ask(&format!("explore {} at once, in {tasks}", chosen.join(", ")), calls.collect())?;
    let mut text = format!("{tasks} explored a folder each:\n");
    for (folder, outcome) in chosen.iter().zip(&outcomes) {
        text.push_str(&format!("\n### {}\n\n{}\n", code(&format!("{folder}/")), answer(outcome).trim()));
    }
    let rest: Vec<String> =
        folders.iter().skip(number).map(|(folder, _)| code(&format!("{prefix}{folder}/"))).collect();
    if !rest.is_empty() {
        text.push_str(&format!("\nNot looked at: {}.\n", rest.join(", ")));
    }
    Ok(text)
}

fn answer(outcome: &Outcome) -> String {
    match outcome.structured["answer"].as_str() {
        Some(answer) if !outcome.is_error => answer.to_owned(),
        _ if outcome.is_error => {
            told(outcome.text.lines().next().unwrap_or("the task failed without a word"))
        }
        _ => outcome.text.clone(),
    }
}

/// The first words of a prompt.
fn description(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let first = words[..words.len().min(WORDS)].join(" ");
    if words.len() > WORDS { format!("{first}\u{2026}") } else { first }
}
