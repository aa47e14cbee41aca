//! `docs/manifest.md` and the reader say the same: every key is described, and every example in it is read.

use std::path::Path;

use super::keys::{KEYS, Key};
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
            let Key { name, about, values, default, example, .. } = key;
            format!("| `{name}` | {about} | {values} | {default} | `{example}` | {folder} |")
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

/// What the table says that a key may be is what the reader takes, and nothing else.
#[test]
fn values_are_those_that_are_read() {
    let read = |key: &Key, value: &str| {
        let (table, name) =
            key.name.rsplit_once('.').map_or((None, key.name), |(table, name)| (Some(table), name));
        let text = match table {
            Some(table) => format!("[{table}]\n{name} = {value}"),
            None if name == "base_url" => format!("provider = \"openai\"\n{name} = {value}"),
            None => format!("{name} = {value}"),
        };
        from_bytes(Path::new(key.name), text.as_bytes(), Whose::Person).is_ok()
    };
    let mut words_seen = 0;
    for key in KEYS {
        let (kind, words) = key.values.split_once("text: ").unwrap_or((key.values, ""));
        let words = words.split_once(';').map_or(words, |(words, _)| words);
        for word in words.split(", ").filter(|word| !word.is_empty() && !word.contains(' ')) {
            assert!(read(key, &format!("\"{word}\"")), "{}: {word}", key.name);
            words_seen += 1;
        }
        if words.contains(", ") && !words.contains("time") {
            assert!(!read(key, "\"nonsense\""), "{}", key.name);
            // A default that is a word is one of these.
            let default = key.default;
            assert!(default.contains(' ') || words.split(", ").any(|word| word == default), "{}", key.name);
        }
        if let Some((_, bounds)) = key.values.split_once("number from ") {
            let (least, most) = bounds.split_once(" to ").unwrap();
            assert!(read(key, least) && read(key, most), "{}", key.name);
            let beyond = |bound: &str, by: f64| (bound.parse::<f64>().unwrap() + by).to_string();
            assert!(!read(key, &beyond(least, -1.0)) && !read(key, &beyond(most, 1.0)), "{}", key.name);
        }
        let is_list = kind.starts_with("list");
        assert_eq!(is_list, read(key, "[]"), "{}", key.name);
    }
    assert!(words_seen > 15);
}
