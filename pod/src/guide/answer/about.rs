//! What guide says about itself: a greeting, the table of requests, and what it did not understand.
//!
//! Suggestions name files that exist. It refuses to guess what an unknown request meant.

use super::super::calls::{Got, Paths};
use super::super::connect::{CONNECT, NO_MODEL};
use super::super::files::shallowest;
use super::super::kinds;
use super::super::step::Why;
use super::super::verbs;
use super::by_language;

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

pub fn not_understood(parts: &[(&str, Why)], here: Got<Paths>) -> String {
    let mut text = String::new();
    for (part, why) in parts {
        text.push_str(&format!("I do not understand \"{}\".{}\n", shortened(part), reason(*why)));
    }
    text.push_str(&format!("{NO_MODEL}\n\n"));
    match here {
        Ok(here) if here.total > 0 => {
            text.push_str("What works here:\n\n");
            for example in examples(&here) {
                text.push_str(&format!("- {example}\n"));
            }
            text.push_str("\n\"help\" shows the whole table. ");
        }
        Ok(_) => text.push_str(
            "There are no files here to work on; start carpel in a project. \"help\" shows what I know. ",
        ),
        Err(_) => text.push_str("\"help\" shows what I know. "),
    }
    text.push_str(CONNECT);
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

/// Three requests that work in this folder.
fn examples(here: &Paths) -> Vec<String> {
    let quoted = |path: &str| if path.contains(' ') { format!("\"{path}\"") } else { path.to_owned() };
    let known = here.paths.iter().find(|path| path.to_lowercase().starts_with("readme")).cloned();
    let named = here.paths.iter().filter(|path| kinds::of_path(path).is_some()).cloned().collect();
    let named = Paths { paths: named, ..Paths::default() };
    let file = known.or_else(|| shallowest(&named)).or_else(|| shallowest(here)).unwrap_or_default();
    let language = by_language(&here.paths)
        .into_iter()
        .find(|kind| kind.0 != "other")
        .and_then(|kind| kinds::LANGUAGES.iter().find(|language| language.name == kind.0));
    vec![
        format!("read {}", quoted(&file)),
        language.map_or("list all files".to_owned(), |language| format!("list the {} files", language.name)),
        "find every TODO in this project and read the file with the most".to_owned(),
    ]
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let head: String = text.chars().take(MOST).collect();
    format!("{head}…")
}
