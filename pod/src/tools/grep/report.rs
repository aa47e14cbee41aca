//! Words and data for the results of a search.
//!
//! Owns the summary, the text for a model (`path:12:text`, context `path-13-text`, `--` between groups, a note when more
//! follows) and the data for views. Pure. Refuses to search.

use std::fmt::Write;

use serde_json::{Value, json};

use super::super::{ToolOutput, count, grouped, walk};
use super::page::{FileEntry, Page};
use super::{Mode, Request};

pub fn report(page: &Page, request: &Request) -> ToolOutput {
    let text = text(page, request);
    ToolOutput {
        summary: match walk::withheld(page.withheld) {
            withheld if withheld.is_empty() => summary(page),
            withheld => format!("{}; {withheld}", summary(page)),
        },
        output: (!text.is_empty()).then_some(text),
        structured: Some(structured(page)),
    }
}

fn summary(page: &Page) -> String {
    let binary = count(page.binary_files, "binary file", "binary files");
    let verb = if page.binary_files == 1 { "matches" } else { "match" };
    match (page.matches, page.binary_files) {
        (0, 0) => "no matches".to_owned(),
        (0, _) => format!("{binary} {verb}"),
        (_, 0) => in_text(page),
        (_, _) => format!("{}; {binary} {verb} too", in_text(page)),
    }
}

/// How many matches, and on how many lines when some have several.
fn in_text(page: &Page) -> String {
    let files = count(page.files_with_matches, "file", "files");
    let matches = count(page.occurrences, "match", "matches");
    if page.occurrences == page.matches {
        return format!("{matches} in {files}");
    }
    format!("{matches} on {} in {files}", count(page.matches, "line", "lines"))
}

fn text(page: &Page, request: &Request) -> String {
    let mut text = String::new();
    for file in &page.files {
        match page.mode {
            Mode::Files => push(&mut text, format_args!("{}", file.path)),
            Mode::Content | Mode::Count if file.binary => {
                push(&mut text, format_args!("{}: binary file matches", file.path));
            }
            Mode::Content => push_lines(&mut text, file, request),
            Mode::Count => push(&mut text, format_args!("{}:{}", file.path, file.count)),
        }
    }
    for note in notes(page) {
        push(&mut text, format_args!("({note})"));
    }
    text
}

fn push_lines(text: &mut String, file: &FileEntry, request: &Request) {
    let with_context = (request.before > 0 || request.after > 0) && !request.only_matching;
    for (at, line) in file.lines.iter().enumerate() {
        let between_files = at == 0 && !text.is_empty();
        if with_context && (line.after_gap || between_files) {
            text.push_str("--\n");
        }
        let mark = if line.context { '-' } else { ':' };
        let shown = &line.excerpt.text;
        if request.numbers {
            push(text, format_args!("{}{mark}{}{mark}{shown}", file.path, line.number));
        } else {
            push(text, format_args!("{}{mark}{shown}", file.path));
        }
    }
}

fn notes(page: &Page) -> Vec<String> {
    let mut notes = Vec::new();
    let what = if page.mode == Mode::Content { "lines" } else { "files" };
    if let Some(next) = page.next_offset() {
        let first = page.window.start + 1;
        let total = grouped(page.entries);
        notes.push(format!(
            "{what} {first}-{next} of {total}; go on with offset {next}, or narrow the search"
        ));
    } else if page.window.start > 0 && page.window.start >= page.entries && page.entries > 0 {
        let total = grouped(page.entries);
        notes.push(format!("offset {} is past the last of {total} {what}", page.window.start));
    }
    notes.extend(page.problems.note());
    notes.extend(Some(walk::withheld(page.withheld)).filter(|withheld| !withheld.is_empty()));
    notes
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

fn structured(page: &Page) -> Value {
    let mode = match page.mode {
        Mode::Content => "content",
        Mode::Files => "files_with_matches",
        Mode::Count => "count",
    };
    let mut value = json!({
        "mode": mode,
        "total_matches": page.matches,
        "total_files": page.files_with_matches,
        "truncated": page.next_offset().is_some(),
        "files": page.files.iter().map(|file| file_value(file, page.mode)).collect::<Vec<_>>(),
    });
    // Told only where they say more than the counts of lines do.
    if page.occurrences != page.matches {
        value["total_occurrences"] = page.occurrences.into();
    }
    if page.withheld > 0 {
        value["withheld"] = page.withheld.into();
    }
    if page.binary_files > 0 {
        value["binary_files"] = page.binary_files.into();
    }
    value
}

fn file_value(file: &FileEntry, mode: Mode) -> Value {
    let mut value = json!({"path": file.path, "count": file.count});
    if file.occurrences != file.count {
        value["occurrences"] = file.occurrences.into();
    }
    if file.binary {
        // It has no lines that could be counted.
        value["count"] = 0.into();
        value["binary"] = true.into();
    }
    if mode == Mode::Content {
        let lines = file.lines.iter().map(|line| {
            let hits: Vec<[usize; 2]> = line.excerpt.hits.iter().map(|hit| [hit.start, hit.end]).collect();
            json!({"line": line.number, "text": line.excerpt.text, "hits": hits, "context": line.context})
        });
        value["lines"] = lines.collect();
    }
    value
}
