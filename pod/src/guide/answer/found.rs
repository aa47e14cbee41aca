//! What is said about a list of files: how many, which, and how to reach what a list does not show.
//!
//! Lists keep the order of the tool. It refuses to know matches and definitions; `../answer.rs` has them.

use super::super::calls::{Got, Paths};
use super::super::files::told;
use super::super::markdown::code;
use super::super::step::{Files, Scope, Want};
use super::{MOST_PATHS, by_language, language_table, place};
use crate::tools::{count, grouped};

pub fn found(files: &Files, scope: &Scope, want: Want, found: Got<Paths>) -> String {
    let found = match found {
        Ok(found) => found,
        Err(sentence) => return told(&sentence),
    };
    let label = &files.label;
    let mut at = scope.glob.as_ref().map_or(String::new(), |glob| format!(" matching {}", code(glob)));
    at.push_str(&place(&Scope { glob: None, ..scope.clone() }));
    if found.total == 0 {
        let mut text = format!(
            "There are no {label}{at}. (Hidden files and those that `.gitignore` names are not looked at"
        );
        let name = files.glob.trim_start_matches("**/");
        if label.starts_with("files ") && !name.contains(['*', '{', '[', '?']) {
            let whole = if name.starts_with('.') { name.to_owned() } else { format!("FOLDER/{name}") };
            text.push_str(&format!("; \"read {whole}\" opens one by its path"));
        }
        text.push_str(".)");
        return text;
    }
    let one = label
        .strip_suffix('s')
        .filter(|_| label.ends_with("files"))
        .map_or_else(|| label.replacen("files", "file", 1), str::to_owned);
    let verb = if found.total == 1 { "is" } else { "are" };
    let mut text = format!("There {verb} {}{at}", count(found.total, &one, label));
    if want == Want::Count {
        text.push_str(".\n");
        let kinds = by_language(&found.paths);
        if kinds.len() > 1 {
            text.push_str(&language_table(&kinds, None));
        }
    } else {
        // The order of the tool, so that its list and this one are the same.
        text.push_str(if found.paths.len() > 1 { ", newest first:\n\n" } else { ":\n\n" });
        for (at, path) in found.paths.iter().take(MOST_PATHS).enumerate() {
            text.push_str(&format!("{}. {}\n", at + 1, code(path)));
        }
        let rest = found.total.saturating_sub(found.paths.len().min(MOST_PATHS) as u64);
        if rest > 0 {
            text.push_str(&format!("\n… and {} more.\n", grouped(rest)));
        }
    }
    if found.truncated {
        let listed = grouped(found.paths.len() as u64);
        text.push_str(&format!("\nThe tool listed {listed} of them. Name a folder to see the others.\n"));
    }
    text
}
