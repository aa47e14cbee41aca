//! What is said about a file that was read: its length, the lines asked for, or an outline.
//!
//! A few lines are shown as they are; a long file is told by what was searched in it before, by its headings or by its
//! definitions. An outline is read from the lines that the tool returned and is marked when those are not all.

use super::super::calls::{Hits, Lines as ReadLines};
use super::super::kinds;
use super::super::markdown::{block, code, line};
use super::super::memory::Memory;
use super::super::step::Lines;
use crate::tools::count;

/// A file of this many lines or fewer is shown whole.
const SHORT: u64 = 30;
/// Lines that were asked for by number are shown up to this many.
const MOST_SHOWN: usize = 60;
const MOST_OUTLINE: usize = 12;
/// Lines before and after a match, and how many such places are shown.
const AROUND: u64 = 2;
const MOST_WINDOWS: usize = 4;
/// The head that is shown when there is nothing to outline.
const HEAD: usize = 10;

pub fn read(path: &str, read: &ReadLines, asked: Lines, memory: &Memory) -> String {
    let shown_path = if read.path.is_empty() { path } else { &read.path };
    let name = code(shown_path);
    let all = read.total == Some(read.count) && read.first <= 1;
    if read.total == Some(0) {
        return format!("{name} is empty.");
    }
    let last = read.first.saturating_add(read.count.saturating_sub(1));
    let length = match read.total {
        Some(total) => format!("{name} has {}", count(total, "line", "lines")),
        None => format!("{name} has more lines than were counted"),
    };
    if asked != Lines::All || (all && read.count <= SHORT && memory.hits(shown_path).is_none()) {
        let which = if all {
            String::new()
        } else if read.first == last {
            format!("; this is line {last}")
        } else {
            format!("; these are lines {} to {last}", read.first)
        };
        return format!("{length}{which}:\n\n{}", shown(shown_path, read, MOST_SHOWN));
    }
    // A long text loses its middle on the way; what is said then rests on the rest.
    let lost = read.count.saturating_sub(read.lines.len() as u64);
    let part = if lost > 0 {
        format!("; {} in the middle did not come with the result", count(lost, "line", "lines"))
    } else if all {
        String::new()
    } else {
        format!("; lines {} to {last} were read", read.first)
    };
    if let Some(hits) = memory.hits(shown_path) {
        return format!("{length}{part}. {}", around(shown_path, read, hits, &memory.noun.1));
    }
    let outline = outline(shown_path, read);
    if outline.is_empty() {
        return format!("{length}{part}. It begins:\n\n{}", shown(shown_path, read, HEAD));
    }
    let what = if is_markdown(shown_path) { "Its headings" } else { "It defines" };
    let mut text = format!("{length}{part}. {what}:\n\n");
    for (number, found) in outline.iter().take(MOST_OUTLINE) {
        text.push_str(&format!("- line {number}: {}\n", line(found)));
    }
    text.push_str(&rest(outline.len()));
    if let Some(request) = request(shown_path, read, 1) {
        text.push_str(&format!("\nIts text: {request}\n"));
    }
    text
}

/// How to ask for the lines from this one on, as many as are shown; `None` behind the end.
fn request(path: &str, read: &ReadLines, from: u64) -> Option<String> {
    let to = from.saturating_add(MOST_SHOWN as u64 - 1).min(read.total.unwrap_or(u64::MAX));
    let path = if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() };
    (from <= to).then(|| code(&format!("show lines {from}-{to} of {path}")))
}

fn rest(all: usize) -> String {
    if all > MOST_OUTLINE { format!("- … {} more\n", all - MOST_OUTLINE) } else { String::new() }
}

/// The lines around what was searched before, so that a reader sees it where it stands.
fn around(path: &str, read: &ReadLines, hits: &Hits, noun: &str) -> String {
    let mut windows: Vec<(u64, u64)> = Vec::new();
    for (number, _) in &hits.lines {
        let (first, last) = (number.saturating_sub(AROUND), number.saturating_add(AROUND));
        match windows.last_mut() {
            Some(window) if first <= window.1.saturating_add(1) => window.1 = last,
            _ => windows.push((first, last)),
        }
    }
    let mut text = format!("Its {noun} where they stand:\n");
    let mut shown = 0;
    for (first, last) in windows.iter().take(MOST_WINDOWS) {
        let lines: Vec<&(u64, String)> =
            read.lines.iter().filter(|line| (*first..=*last).contains(&line.0)).take(MOST_SHOWN).collect();
        let (Some(begin), Some(end)) = (lines.first(), lines.last()) else { continue };
        let which = if begin.0 == end.0 {
            format!("Line {}", begin.0)
        } else {
            format!("Lines {} to {}", begin.0, end.0)
        };
        shown += hits.lines.iter().filter(|hit| (begin.0..=end.0).contains(&hit.0)).count() as u64;
        let texts: Vec<&str> = lines.iter().map(|line| line.1.as_str()).collect();
        text.push_str(&format!("\n{which}:\n\n{}", block(language_of(path), &texts.join("\n"))));
    }
    let left = hits.on_lines.saturating_sub(shown);
    if left > 0 {
        text.push_str(&format!("\n… and {}.\n", count(left, "more line", "more lines")));
    }
    text
}

fn language_of(path: &str) -> &str {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |parts| parts.1);
    if ending.chars().all(|c| c.is_ascii_alphanumeric()) { ending } else { "" }
}

fn shown(path: &str, read: &ReadLines, most: usize) -> String {
    let lines: Vec<&str> = read.lines.iter().take(most).map(|line| line.1.as_str()).collect();
    let mut text = block(language_of(path), &lines.join("\n"));
    if let Some((next, _)) = read.lines.get(most) {
        let more = count((read.lines.len() - most) as u64, "more line", "more lines");
        let how = request(path, read, *next).map(|request| format!(": {request}")).unwrap_or_default();
        text.push_str(&format!("\n… {more}{how}\n"));
    }
    text
}

fn is_markdown(path: &str) -> bool {
    kinds::of_path(path).is_some_and(|language| language.name == "Markdown")
}

/// Headings of Markdown, sections of TOML, definitions of code.
fn outline<'a>(path: &str, read: &'a ReadLines) -> Vec<&'a (u64, String)> {
    let language = kinds::of_path(path).map_or("", |language| language.name);
    let mut in_fence = false;
    read.lines
        .iter()
        .filter(|(_, text)| match language {
            "Markdown" => {
                in_fence ^= text.trim_start().starts_with("```");
                !in_fence && text.starts_with('#')
            }
            "TOML" => text.starts_with('['),
            "JSON" | "YAML" | "Text" | "HTML" | "CSS" | "" => false,
            _ => defines(text),
        })
        .collect()
}

/// Whether a line of code begins a definition at the outer level or one below it.
fn defines(text: &str) -> bool {
    let keywords = [
        "fn",
        "struct",
        "enum",
        "trait",
        "impl",
        "mod",
        "class",
        "def",
        "function",
        "func",
        "interface",
        "type",
        "macro_rules!",
        "namespace",
    ];
    let before = [
        "pub", "async", "unsafe", "export", "default", "static", "public", "private", "abstract", "final",
        "const",
    ];
    if text.len() - text.trim_start().len() > 4 {
        return false;
    }
    for word in text.split_whitespace() {
        if keywords.contains(&word) || word.starts_with("impl<") {
            return true;
        }
        if !before.contains(&word) && !word.starts_with("pub(") {
            return false;
        }
    }
    false
}

pub fn line_count(path: &str, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{} has {}.", code(path), count(total, "line", "lines")),
        None => format!("{} has more lines than the tool counts.", code(path)),
    }
}

pub fn no_such_file(path: &str, near: &[String]) -> String {
    let name = code(path);
    match near {
        [] => format!(
            "There is no file {name}, and none with a name near it; \"list all files\" shows what is there."
        ),
        [one] => format!("There is no file {name}. The nearest name is {}; \"read it\" shows it.", code(one)),
        many => {
            let list: String = many
                .iter()
                .take(10)
                .enumerate()
                .map(|(at, path)| format!("{}. {}\n", at + 1, code(path)))
                .collect();
            format!(
                "There is no file {name}. Near it:\n\n{list}\nSay which, for example \"read the first one\"."
            )
        }
    }
}
