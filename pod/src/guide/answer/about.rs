//! What guide says about itself: a greeting, the table of requests, and what it did not understand.
//!
//! Suggestions are requests that work in every folder, so nothing has to be looked up for them. It refuses to guess what
//! an unknown request meant.

use super::super::connect::{CONNECT, NO_MODEL};
use super::super::step::Why;
use super::super::verbs;

pub fn hello() -> String {
    format!(
        "Hello. {NO_MODEL}\n\nTry one of these:\n\n- explore this project\n- find every TODO in this project and read \
         the file with the most\n- help\n\n{CONNECT}"
    )
}

pub fn help() -> String {
    format!(
        "{NO_MODEL} I know these requests:\n\n{}\nSteps can be joined: \"find every TODO in this project and read the file with the most\". \
         What stands in quotes or backticks is taken as it is, `/.../` as a regular expression. After a list, \"read the \
         second one\" works, and \"and in docs?\" asks the same elsewhere.\n\n{CONNECT}",
        verbs::list()
    )
}

/// One part of a request whose other parts were carried out.
pub fn unknown_part(text: &str, why: Why) -> String {
    format!("I did not understand this part: \"{}\".{}", shortened(text), reason(why))
}

pub fn not_understood(parts: &[(&str, Why)]) -> String {
    let mut text = String::new();
    for (part, why) in parts {
        text.push_str(&format!("I do not understand \"{}\".{}\n", shortened(part), reason(*why)));
    }
    text.push_str(&format!(
        "{NO_MODEL}\n\nWhat works:\n\n- explore this project\n- list all files\n- find every TODO in this project and \
         read the file with the most\n\n\"help\" shows the whole table. {CONNECT}"
    ));
    text
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::NotUnderstood => "",
        Why::Changes => {
            " I write a file or replace a text when it is said as in the table (\"help\" shows it); I run no programs."
        }
        Why::NeedsQuotes => " Put a text of several words in quotes: search for \"some words\".",
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
