//! Reading: from what a person calls a file to its lines.
//!
//! Owns the ways from a name to a path: as it is given, by glob for "the README", by the last list for "the second
//! one"; and what happens when it is not there: a search for the same name elsewhere and for the nearest one.
//! A near name is offered, never read in silence. It refuses to know sentences about lines; `answer.rs` has them.

use super::answer;
use super::calls::{Call, Lines as ReadLines, Paths};
use super::explore;
use super::kinds;
use super::markdown::code;
use super::memory::Picked;
use super::plan::{count_lines as count_scope, lines_per_file, target_text};
use super::script::{Pause, Script};
use super::step::{Lines, Pick, Scope, Target};

/// Lines shown before and after are not asked for; a file is read up to the tool's own bound.
pub fn read(targets: &[Target], lines: Lines, script: &mut Script<'_>) -> Result<String, Pause> {
    let mut paragraphs = Vec::new();
    let mut paths = Vec::new();
    for target in targets {
        match resolve(target, script)? {
            Ok((found, note)) => {
                paragraphs.extend(note);
                paths.extend(found);
            }
            Err(sentence) => paragraphs.push(sentence),
        }
    }
    if paths.is_empty() {
        return Ok(paragraphs.join("\n\n"));
    }
    let (offset, limit) = match lines {
        Lines::All => (None, None),
        Lines::Range(first, last) => (Some(first), Some(last - first + 1)),
        Lines::From(first) => (Some(first), None),
        Lines::First(count) => (None, Some(count.max(1))),
        Lines::Last(_) => (None, Some(1)),
    };
    let calls = paths.iter().map(|path| Call::read(path, offset, limit)).collect();
    let outcomes = script.ask(&which(targets, &paths), calls)?;
    for (path, outcome) in paths.iter().zip(outcomes) {
        let paragraph = match (outcome.lines(), lines) {
            (Ok(first), Lines::Last(count)) => last_lines(path, &first, count, script)?,
            (Ok(read), _) => {
                script.memory.focus = Some(path.clone());
                answer::read(path, &read, lines, &script.memory)
            }
            (Err(sentence), _) => missing(path, &sentence, lines, script)?,
        };
        paragraphs.push(paragraph);
    }
    let paragraphs: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.trim_end()).collect();
    Ok(paragraphs.join("\n\n"))
}

/// What a call to Read does not say: which entry of a list this is.
fn which(targets: &[Target], paths: &[String]) -> String {
    match (targets, paths) {
        ([Target::Pick(Pick::Most)], [path]) => format!("{path} has the most"),
        ([Target::Pick(Pick::Fewest)], [path]) => format!("{path} has the fewest"),
        ([Target::Pick(Pick::Nth(nth))], [path]) => format!("number {nth} of the list is {path}"),
        ([Target::Pick(Pick::Last)], [path]) => format!("the last of the list is {path}"),
        ([Target::Pick(Pick::Longest | Pick::LongestFile)], [path]) => format!("{path} is the longest"),
        ([Target::Pick(_)], [path]) => format!("that is {path}"),
        _ => String::new(),
    }
}

fn last_lines(path: &str, first: &ReadLines, count: u64, script: &mut Script<'_>) -> Result<String, Pause> {
    script.memory.focus = Some(path.to_owned());
    let Some(total) = first.total else {
        return Ok(format!("{} is too long to find its end; search it instead.", code(path)));
    };
    let offset = total.saturating_sub(count) + 1;
    let thinking = format!("it has {total} lines; read the last {count}");
    let outcome = script.ask_one(&thinking, Call::read(path, Some(offset), Some(count.max(1))))?;
    Ok(match outcome.lines() {
        Ok(read) => answer::read(path, &read, Lines::Last(count), &script.memory),
        Err(sentence) => told(&sentence),
    })
}

type Resolved = Result<(Vec<String>, Option<String>), String>;

/// The paths of a target with a sentence about the choice, or a sentence why there is none.
fn resolve(target: &Target, script: &mut Script<'_>) -> Result<Resolved, Pause> {
    match target {
        Target::Path(path) => Ok(Ok((vec![path.clone()], None))),
        Target::Known(name) => known(name, script),
        Target::Pick(pick) => match script.memory.pick(*pick) {
            Picked::Paths(paths) => Ok(Ok((paths, chosen(*pick, script)))),
            Picked::Nothing(sentence) => Ok(Err(sentence)),
            Picked::NeedsLengths => by_length(*pick, script),
        },
    }
}

/// A choice among equals, or from a list that was cut, is told.
fn chosen(pick: Pick, script: &Script<'_>) -> Option<String> {
    let memory = &script.memory;
    let first = memory.list.first()?;
    let equal = memory.list.iter().filter(|entry| entry.count == first.count).count();
    match pick {
        Pick::Most if equal > 1 => {
            Some(format!("{} files share the most ({}); this is the first of them.", equal, first.count))
        }
        Pick::Most if memory.partial => {
            Some("The list of files was cut, so this is the most among those listed.".to_owned())
        }
        Pick::All if memory.list.len() > 5 => {
            Some(format!("These are the first 5 of {}.", memory.list.len()))
        }
        _ => None,
    }
}

fn known(name: &str, script: &mut Script<'_>) -> Result<Resolved, Pause> {
    let thinking = format!("see which {name} there is");
    Ok(match script.ask_one(&thinking, Call::glob(kinds::known_glob(name), None))?.paths() {
        Ok(paths) => match shallowest(&paths) {
            Some(path) => Ok((vec![path], None)),
            None => Err(format!("There is no {name} file in this project.")),
        },
        Err(sentence) => Err(told(&sentence)),
    })
}

/// The path with the fewest folders, and of those the one with the shortest name.
pub fn shallowest(paths: &Paths) -> Option<String> {
    paths.paths.iter().min_by_key(|path| (path.matches('/').count(), path.len(), (*path).clone())).cloned()
}

fn by_length(pick: Pick, script: &mut Script<'_>) -> Result<Resolved, Pause> {
    let counted = script
        .ask_one("count the lines of every file, to compare them", lines_per_file(&Scope::default()))?;
    let matches = match counted.matches() {
        Ok(matches) => matches,
        Err(sentence) => return Ok(Err(told(&sentence))),
    };
    let listed: Vec<&str> = script.memory.list.iter().map(|entry| entry.path.as_str()).collect();
    let of_list = !listed.is_empty() && pick != Pick::LongestFile;
    let among = |path: &str| !of_list || listed.contains(&path);
    let mut files = matches.files.iter().filter(|file| among(&file.path));
    let chosen = if pick == Pick::Fewest { files.next_back() } else { files.next() };
    let cut = match (of_list, matches.truncated) {
        (true, _) => " in the last list",
        (false, true) => " among those that were counted",
        (false, false) => "",
    };
    let which = if pick == Pick::Fewest { "shortest" } else { "longest" };
    Ok(match chosen {
        Some(file) => {
            let lines = crate::tools::count(file.count, "line", "lines");
            Ok((
                vec![file.path.clone()],
                Some(format!("{} is the {which}{cut}, by lines: {lines}.", code(&file.path))),
            ))
        }
        None => Err("No text file with lines was found to compare.".to_owned()),
    })
}

/// A file that was not read: a folder is listed, a name that does not exist is looked for.
fn missing(path: &str, sentence: &str, lines: Lines, script: &mut Script<'_>) -> Result<String, Pause> {
    if sentence.contains("is a directory") {
        return explore::folder(path, script);
    }
    if !sentence.contains("does not exist") {
        return Ok(told(sentence));
    }
    let parts: Vec<&str> = path.split(' ').filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 && parts.iter().all(|part| part.contains(['.', '/'])) {
        // Names in a row, with neither "and" nor a comma between them.
        let targets: Vec<Target> = parts.iter().map(|part| Target::Path((*part).to_owned())).collect();
        return read(&targets, lines, script);
    }
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let kin = match name.rsplit_once('.') {
        Some((_, ending)) if !ending.is_empty() => format!("**/*.{}", glob_literal(ending)),
        _ => "**/*".to_owned(),
    };
    let same = Call::glob(&format!("**/{}", glob_literal(name)), None);
    let calls = vec![same, Call::glob(&kin, None)];
    let mut outcomes = script.ask("there is no such file; look for the nearest name", calls)?;
    let kin = outcomes.pop().unwrap_or_default().paths().unwrap_or_default();
    let same = outcomes.pop().unwrap_or_default().paths().unwrap_or_default();
    if let [only] = same.paths.as_slice()
        && !path.contains('/')
    {
        // A bare name that stands for one file alone is that file.
        let outcome =
            script.ask_one(&format!("it is in another folder; read {only}"), Call::read(only, None, None))?;
        script.memory.focus = Some(only.clone());
        let note = format!("{} is not at the top, but there is one file of this name.", code(path));
        return Ok(match outcome.lines() {
            Ok(read) => format!("{note} {}", answer::read(only, &read, lines, &script.memory)),
            Err(sentence) => format!("{note} {}", told(&sentence)),
        });
    }
    let near = if same.paths.is_empty() { nearest(name, &kin.paths) } else { same.paths };
    script.memory.remember_paths(&Paths { total: near.len() as u64, truncated: false, paths: near.clone() });
    Ok(answer::no_such_file(path, &near))
}

/// The tool's own sentence, as a sentence. Only a plain word gets a capital letter: a name stays as it is written.
pub fn told(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    // The way out that a tool offers is for whoever calls tools; a person asks in words.
    if let Some((fact, _)) = sentence.split_once("; find it with Glob") {
        return told(&format!("{fact}; \"list all files\" shows what is there"));
    }
    let word = sentence.split(char::is_whitespace).next().unwrap_or_default();
    if !word.chars().all(char::is_alphabetic) {
        return format!("{sentence}.");
    }
    let mut rest = sentence.chars();
    let first: String = rest.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}

/// The names nearest to `name`, at most three, none that is far.
fn nearest(name: &str, paths: &[String]) -> Vec<String> {
    let wanted = name.to_lowercase();
    let most = (wanted.chars().count() / 3).clamp(1, 3);
    let mut near: Vec<(usize, &String)> = paths
        .iter()
        .filter_map(|path| {
            let other = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            let within = distance(&wanted, &other, most)?;
            Some((within, path))
        })
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, path)| path.clone()).collect()
}

/// Edits between two names, a swap of neighbours counted as one; `None` when more than `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().filter(|edits| *edits <= most)
}

/// `text` as a glob that matches just it.
pub fn glob_literal(text: &str) -> String {
    text.chars().map(|c| if "*?[]{}".contains(c) { format!("[{c}]") } else { c.to_string() }).collect()
}

pub fn count_lines(target: &Target, script: &mut Script<'_>) -> Result<String, Pause> {
    let paths = match resolve(target, script)? {
        Ok((paths, _)) => paths,
        Err(sentence) => return Ok(sentence),
    };
    let thinking = format!("read one line of {}; the tool says how many there are", target_text(target));
    let calls = paths.iter().map(|path| Call::read(path, None, Some(1))).collect();
    let outcomes = script.ask(&thinking, calls)?;
    let mut sentences = Vec::new();
    for (path, outcome) in paths.iter().zip(outcomes) {
        sentences.push(match outcome.lines() {
            Ok(read) => {
                script.memory.focus = Some(path.clone());
                answer::line_count(path, read.total)
            }
            Err(sentence) if sentence.contains("is a directory") => {
                count_scope(&Scope { path: Some(path.clone()), glob: None }, script)?
            }
            Err(sentence) => missing(path, &sentence, Lines::First(1), script)?,
        });
    }
    Ok(sentences.join("\n"))
}
