//! `docs/manifest.md` and the reader say the same: every key is described, and every example in it is read.

use std::path::Path;

use super::keys::KEYS;
use super::{Whose, from_bytes};

const DOC: &str = include_str!("../../../docs/manifest.md");

/// The fenced blocks marked `toml`, each with the fence's further words.
fn examples() -> Vec<(&'static str, String)> {
    let mut examples: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in DOC.lines() {
        match (open, line.strip_prefix("```toml")) {
            (false, Some(words)) => {
                examples.push((words.trim(), String::new()));
                open = true;
            }
            (true, _) if line == "```" => open = false,
            (true, _) => {
                if let Some((_, text)) = examples.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            (false, None) => {}
        }
    }
    examples
}

#[test]
fn every_key_has_its_row_and_no_other_has_one() {
    let rows: Vec<&str> = DOC.lines().filter(|line| line.starts_with("| `")).collect();
    let wanted: Vec<String> = KEYS
        .iter()
        .map(|key| {
            let folder = if key.of_folder { "yes" } else { "" };
            format!("| `{}` | {} | `{}` | {folder} |", key.name, key.about, key.example)
        })
        .collect();
    for row in &wanted {
        assert!(rows.contains(&row.as_str()), "docs/manifest.md lacks the row\n{row}");
    }
    assert_eq!(rows.len(), wanted.len(), "docs/manifest.md has a row of a key that is none");
}

#[test]
fn examples_are_read() {
    let examples = examples();
    assert!(examples.len() >= 2);
    for (words, text) in examples {
        let whose = if words == "folder" { Whose::Folder } else { Whose::Person };
        let read = from_bytes(Path::new("docs/manifest.md"), text.as_bytes(), whose);
        assert!(read.is_ok(), "{}\n{text}", read.unwrap_err());
    }
    for key in KEYS {
        let text = match key.name.rsplit_once('.') {
            Some((table, _)) => format!("[{table}]\n{}", key.example),
            None if key.name == "base_url" => format!("provider = \"openai\"\n{}", key.example),
            None => key.example.to_owned(),
        };
        let read = from_bytes(Path::new(key.name), text.as_bytes(), Whose::Person);
        assert!(read.is_ok(), "{}", read.unwrap_err());
        let name = key.name.rsplit('.').next().unwrap();
        assert!(key.example.starts_with(&format!("{name} = ")) && key.about.ends_with('.'), "{}", key.name);
    }
}
