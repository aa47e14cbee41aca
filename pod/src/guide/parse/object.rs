//! What a request is about: files, text, markers, definitions.
//!
//! Owns the readings but one (`definition.rs` has definitions), and the order in which they are tried: from the most
//! telling word (a marker, a glob, a quoted text) to the least (a bare word). Several bare words are searched only when
//! the verb says search: elsewhere they are more likely a question that nobody here can answer.
//! It refuses to know where (`place.rs`) and how (`../plan.rs`).

use super::super::kinds::{self, known_file, marker};
use super::super::step::{Files, Needle, Scope, Step, Want, Why};
use super::super::verbs::VerbId;
use super::super::words::{Form, Word};
use super::definition::definitions;
use super::nouns::{folders, usages};
use super::place::{bare_ending, folder_or_kind, has_ending, is_glob, looks_like_path};

/// The verb as it was said.
pub struct Ask {
    pub verb: VerbId,
    pub said: String,
}

const SOFT: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "every",
    "any",
    "each",
    "some",
    "my",
    "our",
    "of",
    "and",
    "or",
    "there",
    "are",
    "is",
    "me",
    "us",
    "comments",
    "comment",
    "markers",
    "left",
    "open",
    "remaining",
    "still",
    "has",
    "have",
    "with",
    "most",
    "fewest",
    "least",
    "file",
    "files",
    "that",
    "do",
    "we",
    "exist",
    "items",
    "does",
    "lines",
    "one",
    "which",
    "this",
];
const PROJECT: &[&str] = &[
    "project",
    "repo",
    "repository",
    "workspace",
    "codebase",
    "here",
    "code",
    "everything",
    "everywhere",
    "tree",
];
const CONTAIN: &[&str] = &[
    "containing",
    "contain",
    "contains",
    "mention",
    "mentioning",
    "mentions",
    "using",
    "use",
    "uses",
    "with",
];

pub fn is_project(word: &Word) -> bool {
    word.is_one_of(PROJECT)
}

/// "what is this project?", "what does this project do", "tell me about this repo".
pub fn is_about_project(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let rest = &words[1..];
    let around = [
        "is",
        "does",
        "this",
        "the",
        "project",
        "repo",
        "repository",
        "codebase",
        "code",
        "do",
        "about",
        "me",
        "of",
        "workspace",
        "structured",
        "an",
        "overview",
        "a",
        "all",
        "what",
        "here",
        "folder",
        "for",
    ];
    let asks = first.is_one_of(&[
        "what",
        "what's",
        "whats",
        "how",
        "tell",
        "give",
        "overview",
        "explain",
        "show",
        "describe",
        "summarize",
        "an",
    ]);
    let named =
        rest.iter().any(|word| word.is_one_of(&["project", "repo", "repository", "codebase", "workspace"]))
            || (rest.len() <= 2 && rest.last().is_some_and(|word| word.is("this")) && !first.is("show"));
    asks && named && rest.iter().all(|word| word.is_one_of(&around))
}

/// What is asked for, in the words that are left when the place is taken out.
pub fn classify(ask: &Ask, words: Vec<Word>, scope: Scope, want: Want) -> Result<Step, Why> {
    let words = words.as_slice();
    if let Some(step) = folders(words, &scope) {
        return Ok(step);
    }
    markers(words, &scope, want)
        .or_else(|| definitions(words, &scope, want))
        .or_else(|| files_that(words, &scope, want))
        .or_else(|| files(ask, words, &scope, want))
        .or_else(|| usages(words, &scope, want))
        .map_or_else(|| text(ask, words, scope, want), Ok)
}

/// A search for one word as it was given.
pub fn search(word: &Word, scope: Scope, want: Want) -> Step {
    let pattern = match word.form {
        Form::Regex => word.text.clone(),
        Form::Plain | Form::Quoted => kinds::escape(&word.text),
    };
    Step::Search { needle: Needle { pattern, label: word.text.clone(), ignore_case: false }, scope, want }
}

pub fn markers(words: &[Word], scope: &Scope, want: Want) -> Option<Step> {
    let mut found: Vec<&str> = Vec::new();
    for word in words {
        // "`TODO`" in backticks is the marker as well.
        match marker(&word.text) {
            Some(marker) if !found.contains(&marker) => found.push(marker),
            Some(_) => {}
            None if word.is_one_of(SOFT) || is_project(word) => {}
            None => return None,
        }
    }
    if found.is_empty() {
        return None;
    }
    let most = words.iter().any(|word| word.is("most"));
    let files = words.iter().any(|word| word.is("files")) && want != Want::Count;
    let fewest = words.iter().any(|word| word.is_one_of(&["fewest", "least"]));
    let want = if most {
        Want::Most
    } else if fewest {
        Want::Fewest
    } else if files {
        Want::Files
    } else {
        want
    };
    let text = found.join("|");
    let needle = Needle { pattern: text, label: found.join(" or "), ignore_case: false };
    Some(Step::Search { needle, scope: scope.clone(), want })
}

/// "files containing X", "rust files that use X", "files named X", "files with TODOs".
fn files_that(words: &[Word], scope: &Scope, want: Want) -> Option<Step> {
    let at = words.iter().position(|word| word.is_one_of(&["file", "files"]))?;
    let after: Vec<&Word> = words[at + 1..]
        .iter()
        .filter(|word| !word.is_one_of(&["that", "which", "are", "is", "the"]))
        .collect();
    let (link, subject) = match after.as_slice() {
        [link, subject] => (*link, *subject),
        [link, word, subject] if word.is_one_of(&["word", "text", "string", "name"]) => (*link, *subject),
        _ => return None,
    };
    if link.is_one_of(&["named", "called"]) {
        let text = &subject.text;
        let glob =
            if text.contains(['.', '*', '/']) { anywhere(text) } else { format!("**/{{{text},{text}.*}}") };
        let files = Files { glob, label: format!("files named `{}`", subject.text) };
        return Some(Step::Find { files, scope: scope.clone(), want });
    }
    if !link.is_one_of(CONTAIN) {
        return None;
    }
    let mut scope = scope.clone();
    if let Some(language) = words[..at].iter().find_map(|word| kinds::by_word(&word.key)) {
        if let Some(word) = folder_or_kind(&scope).cloned() {
            scope.path = Some(word);
        }
        scope.glob = Some(language.glob());
    }
    let want = if want == Want::Count { Want::Count } else { Want::Files };
    Some(search(subject, scope, want))
}

/// Files by glob, path, language or nothing but the word "files".
pub fn files(ask: &Ask, words: &[Word], scope: &Scope, want: Want) -> Option<Step> {
    let words = bare(words);
    let find = |glob: String, label: &str| {
        let mut scope = scope.clone();
        // With a kind of files named as well, the word in the place is a folder.
        if glob != "**/*"
            && let Some(word) = folder_or_kind(&scope).cloned()
        {
            scope = Scope { path: Some(word), glob: None };
        }
        Some(Step::Find { files: Files { glob, label: label.to_owned() }, scope, want })
    };
    let scoped = || match &scope.glob {
        Some(glob) if folder_or_kind(scope).is_none() => anywhere(glob),
        _ => "**/*".to_owned(),
    };
    let is_files =
        |word: &Word| word.is_one_of(&["files", "file", "sources", "code", "modules", "documents", "docs"]);
    match words.as_slice() {
        [] if ask.verb != VerbId::Search => find(scoped(), "files"),
        [word]
            if word.is_one_of(&["files", "everything", "file"])
                || (is_project(word) && ask.verb != VerbId::Search) =>
        {
            find(scoped(), "files")
        }
        [first, second, ..]
            if words.len() == 2 && first.is_one_of(&["test", "tests"]) && is_files(second) =>
        {
            find(kinds::TEST_FILES.to_owned(), "test files")
        }
        [first, rest @ ..] if rest.is_empty() || (rest.len() == 1 && is_files(rest[0])) => {
            let named = !rest.is_empty();
            let text = first.text.as_str();
            if let Some(ending) = bare_ending(text) {
                return find(format!("**/*.{ending}"), &format!("`.{ending}` files"));
            }
            if first.is_plain() && (named || ask.verb != VerbId::Search) {
                if let Some((name, glob)) = known_file(&first.key) {
                    return find(anywhere(glob), &format!("{name} files"));
                }
                if named && let Some(language) = kinds::by_word(&first.key) {
                    return find(anywhere(&language.glob()), &format!("{} files", language.name));
                }
            }
            if ask.verb == VerbId::Search || first.form == Form::Regex {
                return None;
            }
            if is_glob(text)
                || (looks_like_path(text) && (first.is_plain() || !text.contains(' ') || has_ending(text)))
            {
                if let Some(folder) = text.strip_suffix('/') {
                    return list_folder(folder, want);
                }
                return find(anywhere(text), &format!("files matching `{text}`"));
            }
            let lists = matches!(ask.said.as_str(), "list" | "ls") && !named && first.is_plain();
            if lists { list_folder(text, want) } else { None }
        }
        _ => None,
    }
}

fn list_folder(folder: &str, want: Want) -> Option<Step> {
    let files = Files { glob: "**/*".to_owned(), label: "files".to_owned() };
    Some(Step::Find { files, scope: Scope { path: Some(folder.to_owned()), glob: None }, want })
}

/// The glob at any depth, unless it says where.
fn anywhere(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if glob.contains('/') && !glob.starts_with('{') { glob.to_owned() } else { format!("**/{glob}") }
}

fn text(ask: &Ask, words: &[Word], scope: Scope, want: Want) -> Result<Step, Why> {
    let ignore_case = words.windows(2).any(|pair| pair[0].is("ignoring") && pair[1].is("case"))
        || words.iter().any(|word| word.is_one_of(&["case-insensitively", "case-insensitive"]));
    let words: Vec<&Word> = bare(words)
        .into_iter()
        .filter(|word| !word.is_one_of(&["ignoring", "case", "case-insensitively", "case-insensitive"]))
        .collect();
    // These words begin questions that nobody here can answer as often as they ask for a name.
    let shows = ask.verb == VerbId::Read || matches!(ask.said.as_str(), "what" | "which" | "get");
    let quoted: Vec<&&Word> = words.iter().filter(|word| !word.is_plain()).collect();
    let said = if let [one] = quoted.as_slice() {
        (**one).clone()
    } else {
        match words.as_slice() {
            [] => return Err(Why::NotUnderstood),
            [one] => (*one).clone(),
            many if ask.verb == VerbId::Search => {
                let text: Vec<&str> = many.iter().map(|word| word.text.as_str()).collect();
                Word { text: text.join(" "), key: String::new(), form: Form::Quoted, stop: false }
            }
            _ if shows => return Err(Why::NotUnderstood),
            _ => return Err(Why::NeedsQuotes),
        }
    };
    if said.text.is_empty() {
        return Err(Why::NeedsQuotes);
    }
    if shows && said.is_plain() && !is_code_name(&said.text) {
        return Err(Why::NotUnderstood);
    }
    Ok(match search(&said, scope, want) {
        Step::Search { needle, scope, want } => {
            Step::Search { needle: Needle { ignore_case, ..needle }, scope, want }
        }
        other => other,
    })
}

/// The words without those that only lead to it.
pub fn bare(words: &[Word]) -> Vec<&Word> {
    let front = [
        "the", "a", "an", "all", "every", "any", "each", "some", "my", "our", "me", "us", "for", "of", "out",
    ];
    let end = ["there", "are", "is", "exist", "here", "please", "do", "we", "have", "in"];
    let mut words: Vec<&Word> = words.iter().collect();
    while words.len() > 1 && words[0].is_one_of(&front) {
        words.remove(0);
    }
    while words.len() > 1 && words.last().is_some_and(|word| word.is_one_of(&end)) {
        words.pop();
    }
    words
}

/// Names in code have a mark that plain words lack: `parse_args`, `HashMap`, `std::fs`, `run()`.
fn is_code_name(text: &str) -> bool {
    text.contains(['_', ':', '(', '.', '#', '<', '!']) || text.chars().skip(1).any(char::is_uppercase)
}
