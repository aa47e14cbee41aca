//! What guide says about itself: a greeting, the table of requests, and what it did not understand.
//!
//! Suggestions are requests about the names that an unknown request has in it, else such as work in every folder, so
//! nothing has to be looked up for them. It refuses to guess what an unknown request meant.

use super::super::connect::{CONNECT, NO_MODEL};
use super::super::markdown::code;
use super::super::parse::is_file_name;
use super::super::step::Why;
use super::super::verbs;
use super::super::words;

/// A request of two steps that has an answer in every folder with a text in it.
const JOINED: &str = "count the lines of code and read the longest file";

pub fn hello() -> String {
    format!(
        "Hello. {NO_MODEL}\n\nTry one of these:\n\n- explore this project\n- {JOINED}\n- help\n\n{CONNECT}"
    )
}

pub fn help() -> String {
    format!(
        "{NO_MODEL} I know these requests:\n\n{}\nSteps can be joined: \"{JOINED}\". \
         What stands in quotes or backticks is taken as it is, `/.../` as a regular expression. After a list, \"read the \
         first one\" and \"count them\" work.\n\n{CONNECT}",
        verbs::list()
    )
}

/// One part of a request whose other parts were carried out.
pub fn unknown_part(text: &str, why: Why) -> String {
    let takes = if why == Why::NeedsModel { " That takes a model." } else { "" };
    format!("I did not carry out this part: \"{}\".{takes}{}", shortened(text), reason(why))
}

/// `introduced` says that the person knows already that no model is there.
pub fn not_understood(parts: &[(&str, Why)], introduced: bool) -> String {
    let mut text = String::new();
    for (part, why) in parts {
        let fact = if *why == Why::NeedsModel { "Only a model can do this" } else { "I do not understand" };
        text.push_str(&format!("{fact}: \"{}\".{}\n", shortened(part), reason(*why)));
    }
    if !introduced {
        text.push_str(&format!("{NO_MODEL}\n"));
    }
    if parts.iter().all(|(_, why)| {
        // The reason shows how it is said.
        matches!(why, Why::Changes | Why::Leaves | Why::QuotesToWrite | Why::QuotesToReplace | Why::MarkToRun)
    }) {
        text.push_str("\n\"help\" shows all that I know.");
        return text;
    }
    let mut tries: Vec<String> = parts.iter().flat_map(|(part, _)| nearby(part)).collect();
    tries.truncate(MOST_TRIES);
    if tries.is_empty() {
        let always = ["explore this project", "list all files", JOINED];
        tries.extend(always.map(str::to_owned));
    }
    let listed: String = tries.iter().map(|request| format!("- {request}\n")).collect();
    text.push_str(&format!("\nWhat works here:\n\n{listed}\n\"help\" shows the whole table."));
    if !introduced || parts.iter().any(|(_, why)| *why == Why::NeedsModel) {
        text.push_str(&format!(" {CONNECT}"));
    }
    text
}

const MOST_TRIES: usize = 4;

/// Requests about the files, the texts and the code that an unknown request names.
fn nearby(part: &str) -> Vec<String> {
    let mut tries = Vec::new();
    let words = words::words(part);
    // "what does Printable do": in English a capital letter that begins no sentence begins a name.
    let asks = words.first().is_some_and(|word| {
        word.is_one_of(&[
            "what", "show", "explain", "tell", "how", "why", "where", "fix", "refactor", "describe",
        ])
    });
    for (at, word) in words.into_iter().enumerate() {
        let text = &word.text;
        let is_name = asks && at > 0 && text.len() > 2 && text.starts_with(char::is_uppercase);
        if !word.is_plain() && text.contains(' ') {
            tries.push(format!("search for \"{text}\""));
        } else if is_file_name(text) {
            tries.push(format!("read {}", code(text)));
        } else if text.len() > 1 && text.ends_with('/') {
            tries.push(format!("explore {}", code(text)));
        } else if is_name || !word.is_plain() || text.contains(['_', '(']) || text.contains("::") {
            tries.push(format!("where is {} defined", code(text)));
            tries.push(format!("search for {}", code(text)));
        }
    }
    tries
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::NotUnderstood => "",
        Why::Leaves => " `:quit` or Ctrl+D leaves the chat.",
        Why::Changes => {
            " I delete, move and rename no files by myself; a command can (run: mv a b). I can write a file (write \"hello\" to notes.txt) and replace a text (replace \"foo\" with \"bar\" in every .md file)."
        }
        Why::MarkToRun => " A command is run when it stands behind `run:` or in backticks: run: ls",
        Why::NeedsModel => " I look at files and repeat what they hold, and understand nothing of it.",
        Why::NeedsQuotes => " Put a text of several words in quotes: search for \"some words\".",
        Why::QuotesToWrite => {
            " Say the text in quotes and the file: write \"some words\" to notes.txt, or: create an empty file notes.txt."
        }
        Why::QuotesToReplace => {
            " Say both texts, in quotes when they have several words: replace \"some words\" with \"others\" in every .md file."
        }
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let head: String = text.chars().take(MOST).collect();
    format!("{head}…")
}
