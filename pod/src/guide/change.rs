//! Carries out what changes files: write one, replace a text in many, use a skill.
//!
//! Every file is read before it is changed, and each change is a call of its own, which a person may be asked about. What
//! is told comes from the results: what was changed and how often, what was refused, what failed. A text is found as it
//! is written, capital and small letters told apart. It refuses to know words (`parse/change.rs`) and approvals.

use super::answer;
use super::calls::{Call, Outcome};
use super::files::told;
use super::kinds;
use super::markdown::{block, code};
use super::script::{Pause, Script};
use super::step::{Needle, Scope};
use crate::tools::{count, grouped};

const NO_SKILLS: &str = "none was found. They are folders with a `SKILL.md` in `.agents/skills` or `.claude/skills`, in the \
                         project or in your home folder.";
/// Files that are read and changed before the next ones are read.
const AT_ONCE: usize = 40;
/// Rounds of files in a turn; with more files than that a round has more of them.
const MOST_ROUNDS: usize = 20;
/// Changed files that are listed by name.
const MOST_CHANGED: usize = 40;
/// Names of files in a sentence or a list of what could not be done.
const MOST_NAMES: usize = 12;

pub fn write(path: &str, content: &str, script: &mut Script<'_>) -> Result<String, Pause> {
    if path.ends_with('/') {
        let without = path.trim_end_matches('/');
        return Ok(format!(
            "{} names a folder, so nothing was written. Name a file: {}, or one in that folder.",
            code(path),
            code(if without.is_empty() { "notes.txt" } else { without })
        ));
    }
    let mut text = content.to_owned();
    // A text file ends with the end of a line.
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let not_written = |sentence: &str| format!("{} was not written: {}", code(path), told(sentence));
    // Glob sees no hidden, ignored, linked and outside files, so what it does not see is left to Write: that refuses a
    // file that is there and was not read.
    let is_there = sees(path) && {
        let thinking = format!("see whether {path} is there already");
        script
            .ask_one(&thinking, Call::glob(&literal(path), None))?
            .paths()
            .is_ok_and(|found| found.total > 0)
    };
    if is_there && let Err(sentence) = read_before(path, script)?.lines() {
        return Ok(not_written(&sentence));
    }
    let mut written = script.ask_one(&format!("write {path}"), Call::write(path, &text))?.change();
    if !is_there && written.as_ref().is_err_and(|sentence| wants_reading(sentence)) {
        if let Err(sentence) = read_before(path, script)?.lines() {
            return Ok(not_written(&sentence));
        }
        written = script.ask_one(&format!("write {path}"), Call::write(path, &text))?.change();
    }
    Ok(match written {
        Ok(change) if change.created => {
            format!("Created {} ({}).", code(path), count(change.bytes, "byte", "bytes"))
        }
        Ok(change) => format!("Overwrote {} ({}).", code(path), count(change.bytes, "byte", "bytes")),
        Err(sentence) => not_written(&sentence),
    })
}

fn read_before(path: &str, script: &mut Script<'_>) -> Result<Outcome, Pause> {
    script.ask_one("it is there: read it before it is overwritten", Call::read(path, None, None))
}

/// Whether Glob can see a file of this name, when git ignores it not.
fn sees(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.split('/').any(|part| part.starts_with('.'))
}

/// The sentence of Write and Edit about a file that was not read, or has changed since.
fn wants_reading(sentence: &str) -> bool {
    sentence.contains("read it first") || sentence.contains("read it again")
}

pub fn replace(old: &str, new: &str, scopes: &[Scope], script: &mut Script<'_>) -> Result<String, Pause> {
    let places: Vec<String> = scopes.iter().map(answer::place).collect();
    let place = places.join(" and");
    let needle = Needle { pattern: kinds::escape(old), label: old.to_owned(), ignore_case: false };
    let named: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    let thinking = format!("see which files have {old}{}", named.join(" and"));
    let searches = scopes.iter().map(|scope| Call::grep(&needle, scope, "count")).collect();
    let mut paths: Vec<String> = Vec::new();
    let mut is_cut = false;
    for outcome in script.ask(&thinking, searches)? {
        // A place that is not there may be a slip: then nothing is changed in the others either.
        let found = match outcome.matches() {
            Ok(found) => found,
            Err(sentence) => return Ok(format!("Nothing was changed: {}", told(&sentence))),
        };
        let listed = found.files.iter().filter(|file| file.count > 0).map(|file| file.path.clone());
        let before = paths.len();
        paths.extend(listed);
        is_cut |= found.truncated || found.total_files > (paths.len() - before) as u64;
    }
    paths.sort();
    paths.dedup();
    let folders = scopes.iter().filter_map(|scope| scope.path.as_deref()?.strip_suffix('/'));
    if let Some(only) = folders.into_iter().find(|folder| paths.iter().any(|path| path == folder)) {
        let name = code(only);
        return Ok(format!(
            "{name} is a file, not a folder, so nothing was changed. Say {name} without the slash."
        ));
    }
    if paths.is_empty() {
        return Ok(format!("No text file{place} has {}, so nothing was changed.", code(old)));
    }
    let mut done = Done { files: paths.len(), ..Done::default() };
    let at_once = AT_ONCE.max(paths.len().div_ceil(MOST_ROUNDS));
    let mut first = 0;
    for page in paths.chunks(at_once) {
        let last = first + page.len();
        let which = if paths.len() == page.len() {
            count(page.len() as u64, "file", "files")
        } else {
            format!("files {} to {last} of {}", first + 1, grouped(paths.len() as u64))
        };
        change_page(page, (old, new), &which, &mut done, script)?;
        first = last;
        if done.is_hopeless() {
            done.untried = paths.len() - last;
            break;
        }
    }
    let mut text = done.told(old, new);
    if is_cut {
        text.push_str("\nThe search was cut, so other files may have it too: ask once more.\n");
    }
    Ok(text)
}

fn change_page(
    page: &[String],
    (old, new): (&str, &str),
    which: &str,
    done: &mut Done,
    script: &mut Script<'_>,
) -> Result<(), Pause> {
    let reads = page.iter().map(|path| Call::read(path, None, None)).collect();
    let read = script.ask(&format!("read {which} before changing anything"), reads)?;
    let mut ready = Vec::new();
    for (path, outcome) in page.iter().zip(read) {
        match outcome.lines() {
            Ok(_) => ready.push(path.clone()),
            Err(sentence) => done.failed.push((path.clone(), sentence)),
        }
    }
    if ready.is_empty() {
        return Ok(());
    }
    let edits = ready.iter().map(|path| Call::edit_all(path, old, new)).collect();
    let edited = script.ask(&format!("replace {old} with {new} in each of them"), edits)?;
    for (path, outcome) in ready.into_iter().zip(edited) {
        done.take(path, &outcome);
    }
    Ok(())
}

pub fn skill(name: Option<&str>, script: &mut Script<'_>) -> Result<String, Pause> {
    let Some(name) = name else {
        return Ok(match script.skills() {
            [] => format!("There are no skills here: {NO_SKILLS}"),
            names => {
                let listed: String = names.iter().map(|name| format!("- {}\n", code(name))).collect();
                format!(
                    "{}:\n\n{listed}\nSay \"use the skill NAME\" to load one.",
                    count(names.len() as u64, "skill is here", "skills are here")
                )
            }
        });
    };
    if script.skills().is_empty() {
        return Ok(format!("There is no skill {}: {}", code(name), NO_SKILLS));
    }
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
    /// All that have the text.
    files: usize,
    changed: Vec<(String, u64)>,
    failed: Vec<(String, String)>,
    /// Those that were left alone, since they would have been refused as the others were.
    untried: usize,
}

impl Done {
    fn take(&mut self, path: String, outcome: &Outcome) {
        match outcome.change() {
            Ok(change) => self.changed.push((path, change.replacements)),
            Err(sentence) => self.failed.push((path, sentence)),
        }
    }

    /// Whether nothing was changed, and for one reason that holds for every file: nobody can be asked, or may write.
    fn is_hopeless(&self) -> bool {
        self.changed.is_empty()
            && self
                .failed
                .iter()
                .all(|(_, said)| said.contains("Nobody is there") || said.contains("read-only, so"))
    }

    fn told(&self, old: &str, new: &str) -> String {
        let times: u64 = self.changed.iter().map(|(_, times)| times).sum();
        let mut text = if self.changed.is_empty() {
            format!("Nothing was changed: {} was not replaced with {}.\n", code(old), code(new))
        } else {
            let mut files = count(self.changed.len() as u64, "file", "files");
            if self.changed.len() < self.files {
                files = format!(
                    "{} of {}",
                    grouped(self.changed.len() as u64),
                    count(self.files as u64, "file", "files")
                );
            }
            format!(
                "Replaced {} with {} {} in {files}:\n\n",
                code(old),
                code(new),
                count(times, "time", "times")
            )
        };
        for (path, times) in self.changed.iter().take(MOST_CHANGED) {
            text.push_str(&format!("- {}: {times}\n", code(path)));
        }
        let rest = self.changed.len().saturating_sub(MOST_CHANGED);
        if rest > 0 {
            text.push_str(&format!("- … and {}\n", count(rest as u64, "more file", "more files")));
        }
        if !self.failed.is_empty() {
            text.push_str("\nNot changed:\n\n");
            self.reasons().iter().for_each(|reason| text.push_str(reason));
        }
        if self.untried > 0 {
            let rest = count(self.untried as u64, "more file", "more files");
            text.push_str(&format!(
                "\n{rest} with {} not tried: the answer would be the same.\n",
                were(self.untried, old)
            ));
        }
        text
    }

    /// Each reason once, with the names of the files that it holds for.
    fn reasons(&self) -> Vec<String> {
        let mut groups: Vec<(String, Vec<&(String, String)>)> = Vec::new();
        for failure in &self.failed {
            let reason = without_name(&failure.1, &failure.0);
            match groups.iter_mut().find(|group| group.0 == reason) {
                Some(group) => group.1.push(failure),
                None => groups.push((reason, vec![failure])),
            }
        }
        let group = |(reason, failures): &(String, Vec<&(String, String)>)| match failures.as_slice() {
            [(path, sentence)] => format!("- {}: {}\n", code(path), told(sentence)),
            several => {
                let names: Vec<String> =
                    several.iter().take(MOST_NAMES).map(|(path, _)| code(path)).collect();
                let rest = several.len().saturating_sub(MOST_NAMES);
                let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                format!("- {}{more}: {}\n", names.join(", "), told(reason))
            }
        };
        groups.iter().map(group).collect()
    }
}

fn were(files: usize, old: &str) -> String {
    format!("{} {}", code(old), if files == 1 { "was" } else { "were" })
}

/// A sentence about one file as one about each of several.
fn without_name(sentence: &str, path: &str) -> String {
    sentence.replace(&code(path), "each").replace(path, "each of them")
}

/// A glob for this very path.
fn literal(path: &str) -> String {
    path.chars().flat_map(|c| if "*?[]{}!\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}
