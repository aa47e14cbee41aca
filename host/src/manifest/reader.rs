//! Reads a manifest: bytes in, settings or every mistake out.
//!
//! The syntax is the `toml` crate's to judge; this file walks the tables, hands each value to its key and tells of keys
//! that nobody knows, with the nearest one. Where the text is no TOML only that is told: what follows from it would
//! mislead. Refuses to know what the keys mean: `keys.rs`.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key, sections};
use super::mistake::{BadManifest, Mistake};
use super::value::{Mistakes, Value};
use super::{Manifest, Whose, file};

/// The manifest in that file; one without settings where there is no file.
///
/// # Errors
/// [`BadManifest`] with every mistake.
pub fn read(file: &Path, whose: Whose) -> Result<Manifest, BadManifest> {
    match file::bytes(file)? {
        None => Ok(Manifest::default()),
        Some(bytes) => from_bytes(file, &bytes, whose),
    }
}

/// The manifest in these bytes, which are those of `file`.
///
/// # Errors
/// [`BadManifest`] with every mistake.
pub fn from_bytes(file: &Path, bytes: &[u8], whose: Whose) -> Result<Manifest, BadManifest> {
    let bad = |mistakes| BadManifest { file: file.to_owned(), mistakes };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let what = "is not UTF-8 here; save the file as UTF-8".to_owned();
        bad(vec![Mistake { line: Some(line_of(bytes, error.valid_up_to())), key: None, what }])
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let mut mistakes: Vec<Mistake> = errors.iter().map(|error| no_toml(text, error)).collect();
        mistakes.sort_by_key(|mistake| mistake.line);
        // What follows on the same line is mostly the same mistake seen again.
        mistakes.dedup_by_key(|mistake| mistake.line);
        return Err(bad(mistakes));
    }
    let mut walk = Walk { manifest: Manifest::default(), mistakes: Mistakes::new(text), whose };
    walk.table(table.get_ref(), "");
    walk.whole();
    for listed in &mut walk.manifest.plugins {
        listed.folder = file.parent().unwrap_or(Path::new("")).to_owned();
    }
    match walk.mistakes.into_sorted() {
        mistakes if mistakes.is_empty() => Ok(walk.manifest),
        mistakes => Err(bad(mistakes)),
    }
}

fn no_toml(text: &str, error: &toml::de::Error) -> Mistake {
    let line = error.span().map(|span| line_of(text.as_bytes(), span.start));
    let what = format!("is no TOML: {}; mend this line", error.message().lines().next().unwrap_or_default());
    Mistake { line, key: None, what }
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes.iter().take(at).filter(|byte| **byte == b'\n').count()
}

struct Walk {
    manifest: Manifest,
    mistakes: Mistakes,
    whose: Whose,
}

impl Walk {
    fn table(&mut self, table: &DeTable<'_>, section: &str) {
        for (key, value) in table {
            let name = if section.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{section}.{}", key.get_ref())
            };
            let at = key.span().start;
            match KEYS.iter().find(|known| known.name == name) {
                Some(known) => self.value(known, at, value),
                None if sections().any(|section| section == name) => match value.get_ref() {
                    DeValue::Table(below) => self.table(below, &name),
                    _ => self.mistakes.add(
                        at,
                        &name,
                        format!("is a table; write `[{name}]` and its keys below"),
                    ),
                },
                None => self.mistakes.add(at, &name, unknown(&name)),
            }
        }
    }

    fn value(&mut self, key: &Key, at: usize, value: &Spanned<DeValue<'_>>) {
        if self.whose == Whose::Folder && !key.of_folder {
            let what = "a folder's manifest cannot say this, only your own can; take it out".to_owned();
            return self.mistakes.add(at, key.name, what);
        }
        let mut value =
            Value { node: value, at, name: key.name, example: key.example, mistakes: &mut self.mistakes };
        (key.read)(&mut self.manifest, &mut value);
    }

    /// What no single key can see.
    fn whole(&mut self) {
        let model = &self.manifest.model;
        if model.base_url.is_some() && model.provider.is_none() {
            let what = "stands alone; say with `provider` who is to be spoken to there".to_owned();
            let at = self.mistakes.text.find("base_url").unwrap_or_default();
            self.mistakes.add(at, "base_url", what);
        }
    }
}

fn unknown(name: &str) -> String {
    match nearest(name) {
        Some(near) => format!("there is no such key; did you mean `{near}`?"),
        None => "there is no such key; docs/manifest.md lists them".to_owned(),
    }
}

/// The known key or table that is written most like `name`, with or without its table.
fn nearest(name: &str) -> Option<&'static str> {
    let last = |name: &'_ str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |known: &str| {
        let short = strsim::osa_distance(&last(name), &last(known));
        // Another table is one step further away than the same.
        (short + usize::from(parent(name) != parent(known))).min(strsim::osa_distance(name, known))
    };
    let all = KEYS.iter().map(|key| key.name).chain(sections());
    let (far, near) = all.map(|known| (distance(known), known)).min()?;
    (far <= 1 + last(near).len() / 4).then_some(near)
}

fn parent(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(parent, _)| parent)
}
