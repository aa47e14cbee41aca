//! Carries out what changes files: write one, replace a text in many, use a skill.
//!
//! Every file is read before it is changed, and each change is a call of its own, which a person may be asked about. What
//! is told comes from the results: what was changed and how often, what was refused, what failed. A text is found as it
//! is written, capital and small letters told apart. It refuses to know words (`parse/change.rs`) and approvals.

use super::answer;
use super::calls::{Call, Outcome};
use super::files::told;
use super::kinds;
use super::markdown::{block, code, count};
use super::script::{Pause, Script};
use super::step::{Needle, Scope};

/// Files of one request; the rest is told.
const MOST_FILES: usize = 40;

pub fn write(path: &str, content: &str, script: &mut Script<'_>) -> Result<String, Pause> {
    let mut text = content.to_owned();
    // A text file ends with the end of a line.
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let there =
        script.ask_one(&format!("see whether {path} is there already"), Call::glob(&literal(path), None))?;
    if there.paths().is_ok_and(|found| found.total > 0) {
        let read = script.ask_one("it is: read it before it is overwritten", Call::read(path, None, None))?;
        if let Err(sentence) = read.lines() {
            return Ok(format!("{} was not written: {}", code(path), told(&sentence)));
        }
    }
    let written = script.ask_one(&format!("write {path}"), Call::write(path, &text))?;
    Ok(match written.change() {
        Ok(change) if change.created => {
            format!("Created {} ({}).", code(path), count(change.bytes, "byte", "bytes"))
        }
        Ok(change) => format!("Overwrote {} ({}).", code(path), count(change.bytes, "byte", "bytes")),
        Err(sentence) => format!("{} was not written: {}", code(path), told(&sentence)),
    })
}

pub fn replace(old: &str, new: &str, scope: &Scope, script: &mut Script<'_>) -> Result<String, Pause> {
    let place = answer::place(scope);
    let needle = Needle { pattern: kinds::escape(old), label: old.to_owned(), ignore_case: false };
    let thinking = format!("see which files have {old}{scope}");
    let found = match script.ask_one(&thinking, Call::grep(&needle, scope, "count"))?.matches() {
        Ok(found) => found,
        Err(sentence) => return Ok(format!("Nothing was changed: {}", told(&sentence))),
    };
    let mut paths: Vec<String> =
        found.files.iter().filter(|file| file.count > 0).map(|file| file.path.clone()).collect();
    paths.sort();
    let left = paths.len().saturating_sub(MOST_FILES);
    paths.truncate(MOST_FILES);
    if paths.is_empty() {
        return Ok(format!("No text file{place} has {}, so nothing was changed.", code(old)));
    }
    let reads = paths.iter().map(|path| Call::read(path, None, None)).collect();
    let thinking = format!("read {} before changing anything", count(paths.len() as u64, "file", "files"));
    let read = script.ask(&thinking, reads)?;
    let mut done = Done::default();
    let mut ready = Vec::new();
    for (path, outcome) in paths.into_iter().zip(read) {
        match outcome.lines() {
            Ok(_) => ready.push(path),
            Err(sentence) => done.failed.push((path, sentence)),
        }
    }
    if !ready.is_empty() {
        let edits = ready.iter().map(|path| Call::edit_all(path, old, new)).collect();
        let edited = script.ask(&format!("replace {old} with {new} in each of them"), edits)?;
        for (path, outcome) in ready.into_iter().zip(edited) {
            done.take(path, &outcome);
        }
    }
    Ok(done.told(old, new, left))
}

pub fn skill(name: Option<&str>, script: &mut Script<'_>) -> Result<String, Pause> {
    let Some(name) = name else {
        return Ok(match script.skills() {
            [] => "There are no skills here. They are folders with a `SKILL.md` in `.agents/skills` or `.claude/skills`, in the project or in your home folder.".to_owned(),
            names => {
                let listed: String = names.iter().map(|name| format!("- {}\n", code(name))).collect();
                format!("{}:\n\n{listed}\nSay \"use the skill NAME\" to load one.", count(names.len() as u64, "skill is here", "skills are here"))
            }
        });
    };
    let loaded = script.ask_one(&format!("load the skill {name}"), Call::skill(name))?;
    Ok(match loaded.said() {
        Ok(text) => format!(
            "The skill {} says:\n\n{}\n\nWithout a model behind me I can show its instructions, not follow them.",
            code(name),
            block("", text.trim_end()).trim_end()
        ),
        Err(sentence) => format!("The skill {} was not loaded: {}", code(name), told(&sentence)),
    })
}

/// What became of the files.
#[derive(Default)]
struct Done {
    changed: Vec<(String, u64)>,
    failed: Vec<(String, String)>,
}

impl Done {
    fn take(&mut self, path: String, outcome: &Outcome) {
        match outcome.change() {
            Ok(change) => self.changed.push((path, change.replacements)),
            Err(sentence) => self.failed.push((path, sentence)),
        }
    }

    fn told(&self, old: &str, new: &str, left: usize) -> String {
        let times: u64 = self.changed.iter().map(|(_, times)| times).sum();
        let mut text = if self.changed.is_empty() {
            format!("Nothing was changed: {} was not replaced with {}.\n", code(old), code(new))
        } else {
            let files = count(self.changed.len() as u64, "file", "files");
            format!(
                "Replaced {} with {} {} in {files}:\n\n",
                code(old),
                code(new),
                count(times, "time", "times")
            )
        };
        for (path, times) in &self.changed {
            text.push_str(&format!("- {}: {times}\n", code(path)));
        }
        if !self.failed.is_empty() {
            text.push_str("\nNot changed:\n\n");
        }
        for (path, sentence) in &self.failed {
            text.push_str(&format!("- {}: {}\n", code(path), told(sentence)));
        }
        if left > 0 {
            text.push_str(&format!(
                "\n{} were left alone: {MOST_FILES} are changed at a time. Ask again for the rest.\n",
                count(left as u64, "more file", "more files")
            ));
        }
        text
    }
}

/// A glob for this very path.
fn literal(path: &str) -> String {
    path.chars().flat_map(|c| if "*?[]{}!\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}
