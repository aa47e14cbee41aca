//! Answers, made from results and nothing else: figures, file names, line numbers.
//!
//! Owns the sentences about lists, matches, definitions and counts. Ties, empty results and lists that a tool cut are
//! told with the numbers that there are. Lists are numbered, so that "the second one" can be asked for; their order is
//! the one that `memory.rs` keeps. It refuses to make calls. Read next: `answer/file.rs` (what is said about a file that
//! was read), `answer/about.rs` (about guide itself).

mod about;
mod file;
mod found;

pub use self::about::{hello, help, not_understood, unknown_part};
pub use self::file::{line_count, no_such_file, read};
pub use self::found::found;
use super::calls::{Got, Hits, Matches};
use super::files::told;
use super::kinds;
use super::markdown::{cell, code, line};
use super::memory::Memory;
use super::step::{DefKind, Needle, Scope, Want};
use crate::tools::{count, grouped};

/// Entries of a list that are written out.
const MOST_FILES: usize = 10;
const MOST_PATHS: usize = 20;
/// Lines under one entry, and under all of them.
const MOST_LINES: usize = 4;
const MOST_LINES_IN_ALL: usize = 16;

/// A search and what is known around it.
pub struct Search<'a> {
    /// What was searched in the end.
    pub needle: &'a Needle,
    /// What was asked for.
    pub asked: &'a Needle,
    pub scope: &'a Scope,
    pub want: Want,
    /// One of them, many of them.
    pub noun: (String, String),
    /// How many files there are to search, if that is known.
    pub searched: Option<u64>,
}

/// ` in `src``, for sentences.
pub fn place(scope: &Scope) -> String {
    let mut text = String::new();
    if let Some(path) = &scope.path {
        text.push_str(&format!(" in {}", code(path)));
    }
    if let Some(glob) = &scope.glob {
        text.push_str(&format!(" in files matching {}", code(glob)));
    }
    text
}

/// One and many of what is searched.
pub fn noun(label: &str, is_marker: bool) -> (String, String) {
    if is_marker && !label.contains(" or ") {
        return (label.to_owned(), format!("{label}s"));
    }
    (format!("match of {}", code(label)), format!("matches of {}", code(label)))
}

/// One and many, and how the lines begin.
pub fn definition_noun(kind: DefKind) -> (String, String, &'static str) {
    let (one, many, begin) = match kind {
        DefKind::Function => ("function", "functions", "a function"),
        DefKind::Type => ("type", "types", "a type"),
        DefKind::Constant => ("constant", "constants", "a constant"),
        DefKind::Macro => ("macro", "macros", "a macro"),
        DefKind::Module => ("module", "modules", "a module"),
        DefKind::Test => ("test", "tests", "a test"),
        DefKind::Any => ("definition", "definitions", "a definition"),
    };
    (one.to_owned(), many.to_owned(), begin)
}

pub fn searched(search: &Search<'_>, found: Got<Matches>) -> String {
    let found = match found {
        Ok(found) => found,
        Err(sentence) => return told(&sentence),
    };
    let (one, many) = (&search.noun.0, &search.noun.1);
    let case = if search.needle.ignore_case { ", in capital or small letters" } else { "" };
    if found.total == 0 && found.binary_files > 0 {
        let binary = binary(&found, "");
        return format!("There are no {many}{}{case}, but {binary}.", in_text_files(search.scope));
    }
    if found.total == 0 {
        let among = search.searched.map(|files| format!(" ({} searched)", count(files, "file", "files")));
        return format!("There are no {many}{}{case}{}.", place(search.scope), among.unwrap_or_default());
    }
    let case = if search.needle.ignore_case && !search.asked.ignore_case {
        format!("There are no {many} with this spelling. With capital and small letters alike, there")
    } else {
        "There".to_owned()
    };
    let verb = if found.total == 1 { "is" } else { "are" };
    let mut text = format!("{case} {verb} {}", count(found.total, one, many));
    if found.on_lines != found.total {
        text.push_str(&format!(" on {}", count(found.on_lines, "line", "lines")));
    }
    // "in 1 file in `src/lib.rs`" would say the same twice.
    let one_file = found.files.first().is_some_and(|file| Some(&file.path) == search.scope.path.as_ref());
    match search.searched {
        Some(files) => {
            text.push_str(&format!(
                " in {} of {}",
                grouped(found.total_files),
                count(files, "file", "files")
            ));
        }
        None if one_file => text.push_str(&place(search.scope)),
        None => text.push_str(&in_files(found.total_files, ("file", "files"), search.scope)),
    }
    if search.want != Want::Fewest {
        text.push_str(&most(&found));
    }
    if found.binary_files > 0 {
        text.push_str(&format!("; {}", binary(&found, " too")));
    }
    text.push_str(".\n");
    if search.want == Want::Fewest {
        text.push_str(&fewest(&found));
    } else if search.want != Want::Most && (search.want != Want::Count || found.files.len() > 1) {
        text.push('\n');
        text.push_str(&numbered(&found));
    }
    if found.truncated {
        text.push_str("\nThe tool cut its list; the figures in the first line are whole. Name a folder to see the rest.\n");
    }
    text
}

/// ` in 3 files in `src``, ` in 3 files that match `*.rs``.
fn in_files(number: u64, (one, many): (&str, &str), scope: &Scope) -> String {
    let mut text = format!(" in {}", count(number, one, many));
    if let Some(glob) = &scope.glob {
        text.push_str(if number == 1 { " that matches " } else { " that match " });
        text.push_str(&code(glob));
    }
    if let Some(path) = &scope.path {
        text.push_str(&format!(" in {}", code(path)));
    }
    text
}

fn in_text_files(scope: &Scope) -> String {
    if *scope == Scope::default() { " in text files".to_owned() } else { format!("{} as text", place(scope)) }
}

/// `2 binary files match too (`a`, `b`)`.
fn binary(found: &Matches, too: &str) -> String {
    const MOST: usize = 3;
    let verb = if found.binary_files == 1 { "matches" } else { "match" };
    let mut names: Vec<String> = found.binary_paths.iter().take(MOST).map(|path| code(path)).collect();
    if found.binary_files > names.len() as u64 {
        names.push("…".to_owned());
    }
    format!("{} {verb}{too} ({})", count(found.binary_files, "binary file", "binary files"), names.join(", "))
}

/// The file with the fewest of those that have any, or the files that share it.
fn fewest(found: &Matches) -> String {
    let Some(last) = found.files.last() else { return String::new() };
    let of = if found.truncated { "of those listed" } else { "of the files that have any" };
    let equal: Vec<&Hits> = found.files.iter().filter(|file| file.count == last.count).collect();
    match equal.as_slice() {
        [one] => format!("\n{} has the fewest {of}: {}.\n", code(&one.path), grouped(one.count)),
        many => {
            let listed: String = many
                .iter()
                .take(MOST_FILES)
                .enumerate()
                .map(|(at, file)| format!("{}. {}\n", at + 1, code(&file.path)))
                .collect();
            let rest = many.len().saturating_sub(MOST_FILES);
            let more = if rest > 0 { format!("\n… and {rest} more.\n") } else { String::new() };
            let number = grouped(many.len() as u64);
            format!("\n{number} files share the fewest {of}, {} each:\n\n{listed}{more}", grouped(last.count))
        }
    }
}

/// The file with the most, or the files that share it.
fn most(found: &Matches) -> String {
    let Some(first) = found.files.first().filter(|_| found.files.len() > 1) else { return String::new() };
    let most = if found.truncated { "most of those listed" } else { "most" };
    let equal: Vec<&Hits> = found.files.iter().filter(|file| file.count == first.count).collect();
    match equal.as_slice() {
        [one] => format!("; {} has the {most} ({})", code(&one.path), grouped(one.count)),
        all if all.len() == found.files.len() && !found.truncated => {
            format!(", {} in each", grouped(first.count))
        }
        [one, other] => {
            format!(
                "; {} and {} have the {most} ({} each)",
                code(&one.path),
                code(&other.path),
                grouped(first.count)
            )
        }
        many => format!("; {} files share the {most} ({} each)", many.len(), grouped(first.count)),
    }
}

/// The files with their counts, and some of the lines.
fn numbered(found: &Matches) -> String {
    let mut text = String::new();
    let mut lines_left = MOST_LINES_IN_ALL;
    for (at, file) in found.files.iter().take(MOST_FILES).enumerate() {
        text.push_str(&format!("{}. {}: {}\n", at + 1, code(&file.path), grouped(file.count)));
        let most = if found.files.len() == 1 { MOST_LINES_IN_ALL } else { MOST_LINES };
        let shown = file.lines.len().min(most).min(lines_left);
        for (number, found) in file.lines.iter().take(shown) {
            text.push_str(&format!("   - line {number}: {}\n", line(found)));
        }
        lines_left -= shown;
        if shown > 0 && file.lines.len() > shown {
            text.push_str(&format!("   - … {} more\n", file.lines.len() - shown));
        }
    }
    let rest = found.total_files.saturating_sub(found.files.len().min(MOST_FILES) as u64);
    if rest > 0 {
        text.push_str(&format!("\n… and {}.\n", count(rest, "more file", "more files")));
    }
    text
}

pub fn defined(name: &str, scope: &Scope, want: Want, found: Got<Matches>) -> String {
    let found = match found {
        Ok(found) => found,
        Err(sentence) => return told(&sentence),
    };
    let places: Vec<(&Hits, &(u64, String))> =
        found.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line))).collect();
    let place = place(scope);
    if let [(file, (number, text))] = places.as_slice()
        && found.total == 1
    {
        let at = code(&format!("{}:{number}", file.path));
        return format!("{} is defined at {at}{place}: {}\n", code(name), line(text));
    }
    let mut text = format!(
        "{} looks defined at {}{}",
        code(name),
        count(found.total, "place", "places"),
        in_files(found.total_files, ("file", "files"), scope)
    );
    if want == Want::Count {
        text.push_str(".\n");
        return text;
    }
    text.push_str(":\n\n");
    text.push_str(&numbered(&found));
    if found.truncated {
        text.push_str("\nThe tool cut its list; the figures in the first line are whole.\n");
    }
    text
}

pub fn undefined(name: &str, scope: &Scope, used: Got<Matches>) -> String {
    let none = format!(
        "No line{} defines {} in a way that I know (a keyword such as `fn`, `struct`, `class`, `def` or `const` before it).",
        place(scope),
        code(name)
    );
    match used {
        Ok(used) if used.total > 0 => {
            format!(
                "{none} The name occurs {}{}:\n\n{}",
                count(used.total, "time", "times"),
                in_files(used.total_files, ("file", "files"), scope),
                numbered(&used)
            )
        }
        Ok(_) => format!("{none} The name does not occur there at all."),
        Err(sentence) => format!("{none} {}", told(&sentence)),
    }
}

pub fn line_counts(scope: &Scope, found: Got<Matches>) -> String {
    let found = match found {
        Ok(found) => found,
        Err(sentence) => return told(&sentence),
    };
    if found.total == 0 {
        return format!("There are no lines to count{}.", place(scope));
    }
    let files = if scope.glob.is_some() { ("file", "files") } else { ("text file", "text files") };
    let verb = if found.total == 1 { "is" } else { "are" };
    let mut text = format!(
        "There {verb} {}{}",
        count(found.total, "line", "lines"),
        in_files(found.total_files, files, scope)
    );
    text.push_str(", blank lines and comments included.\n");
    let paths: Vec<String> = found.files.iter().map(|file| file.path.clone()).collect();
    let kinds = by_language(&paths);
    if kinds.len() > 1 && !found.truncated {
        text.push_str(&language_table(&kinds, Some(&found)));
    }
    if found.files.len() > 1 {
        let cut = if found.truncated { " of those that the tool listed" } else { "" };
        text.push_str(&format!("\nThe longest{cut}:\n\n"));
        text.push_str(&longest(&found, 5));
    }
    text
}

pub fn longest(found: &Matches, most: usize) -> String {
    let entry = |(at, file): (usize, &Hits)| {
        format!("{}. {}: {}\n", at + 1, code(&file.path), count(file.count, "line", "lines"))
    };
    found.files.iter().take(most).enumerate().map(entry).collect()
}

pub fn count_list(memory: &Memory) -> String {
    if memory.list.is_empty() {
        return "There is no list to count: nothing was found before.".to_owned();
    }
    let files = count(memory.list.len() as u64, "file", "files");
    let cut = if memory.partial { " (the tool cut it, so there may be more)" } else { "" };
    if !memory.counted {
        return format!("The last list has {files}{cut}.");
    }
    let total = memory.list.iter().map(|entry| entry.count).sum();
    format!("The last list has {files} with {}{cut}.", count(total, &memory.noun.0, &memory.noun.1))
}

/// Languages with their number of files, most first.
pub fn by_language(paths: &[String]) -> Vec<(&'static str, u64)> {
    let mut kinds: Vec<(&'static str, u64)> = Vec::new();
    for path in paths {
        let name = kinds::of_path(path).map_or("other", |language| language.name);
        match kinds.iter_mut().find(|kind| kind.0 == name) {
            Some(kind) => kind.1 += 1,
            None => kinds.push((name, 1)),
        }
    }
    kinds.sort_by(|one, other| {
        (one.0 == "other").cmp(&(other.0 == "other")).then(other.1.cmp(&one.1)).then(one.0.cmp(other.0))
    });
    kinds
}

/// A table of languages; with line counts when there are any.
pub fn language_table(kinds: &[(&'static str, u64)], lines: Option<&Matches>) -> String {
    let mut text = String::from("\n| language | files |");
    text.push_str(if lines.is_some() { " lines |\n|---|---:|---:|\n" } else { "\n|---|---:|\n" });
    for (name, files) in kinds {
        text.push_str(&format!("| {} | {} |", cell(name), grouped(*files)));
        if let Some(found) = lines {
            let of_kind =
                |path: &str| kinds::of_path(path).map_or("other", |language| language.name) == *name;
            let sum = found.files.iter().filter(|file| of_kind(&file.path)).map(|file| file.count).sum();
            text.push_str(&format!(" {} |", grouped(sum)));
        }
        text.push('\n');
    }
    text
}
