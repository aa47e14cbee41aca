//! A value of a manifest, read as the type that its key wants.
//!
//! Each method returns what it read or notes a mistake: what is there, what is wanted, an example. Refuses to know the
//! keys; numbers have their bounds from them.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::mistake::Mistake;

/// The mistakes of one file, as they are found.
pub(super) struct Mistakes {
    pub(super) text: String,
    found: Vec<(usize, Mistake)>,
}

impl Mistakes {
    pub(super) fn new(text: &str) -> Mistakes {
        Mistakes { text: text.to_owned(), found: Vec::new() }
    }

    /// Notes a mistake at a byte of the text.
    pub(super) fn add(&mut self, at: usize, key: &str, what: String) {
        let line = 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        self.found.push((at, Mistake { line: Some(line), key: Some(key.to_owned()), what }));
    }

    /// In the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Mistake> {
        self.found.sort_by_key(|(at, _)| *at);
        self.found.into_iter().map(|(_, mistake)| mistake).collect()
    }
}

/// A value, and the key that it belongs to.
pub(super) struct Value<'v> {
    pub(super) node: &'v Spanned<DeValue<'v>>,
    /// Where it is told to be.
    pub(super) at: usize,
    pub(super) name: &'v str,
    pub(super) example: &'v str,
    pub(super) mistakes: &'v mut Mistakes,
}

impl Value<'_> {
    pub(super) fn text(&mut self) -> Option<String> {
        match self.node.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                self.wrong(&format!("is empty; write {} or take it out", self.sample()))
            }
            DeValue::String(text) => Some(text.to_string()),
            _ => self.type_wrong("text"),
        }
    }

    /// Text that `read` understands; its error is fact and way out.
    pub(super) fn parsed<T>(&mut self, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = self.text()?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(error) => self.wrong(&error),
        }
    }

    /// One of these names.
    pub(super) fn word<T: Copy>(&mut self, names: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = names.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let all = names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return self.wrong(&format!("`{}` is none of its values; there are {all}", bounded(&text)));
        }
        found.map(|(_, value)| *value)
    }

    pub(super) fn whole(&mut self, range: RangeInclusive<u64>) -> Option<u64> {
        let DeValue::Integer(number) = self.node.get_ref() else { return self.type_wrong("a whole number") };
        match i128::from_str_radix(number.as_str(), number.radix())
            .ok()
            .and_then(|number| u64::try_from(number).ok())
        {
            Some(number) if range.contains(&number) => Some(number),
            _ => {
                let number = bounded(number.as_str());
                self.wrong(&format!(
                    "{number} is out of bounds; {} to {} is possible",
                    range.start(),
                    range.end()
                ))
            }
        }
    }

    pub(super) fn fraction(&mut self, range: RangeInclusive<f64>) -> Option<f64> {
        let text = match self.node.get_ref() {
            DeValue::Float(number) => number.as_str(),
            DeValue::Integer(number) => number.as_str(),
            _ => return self.type_wrong("a number"),
        };
        match text.parse::<f64>() {
            Ok(number) if range.contains(&number) => Some(number),
            _ => {
                let text = bounded(text);
                self.wrong(&format!(
                    "{text} is out of bounds; {} to {} is possible",
                    range.start(),
                    range.end()
                ))
            }
        }
    }

    pub(super) fn time(&mut self, range: RangeInclusive<Duration>) -> Option<Duration> {
        let text = self.text()?;
        match humantime::parse_duration(&text) {
            Ok(time) if range.contains(&time) => Some(time),
            Ok(_) => self.wrong(&format!(
                "`{}` is out of bounds; {} to {} is possible",
                bounded(&text),
                humantime::format_duration(*range.start()),
                humantime::format_duration(*range.end())
            )),
            Err(_) => self.wrong(&format!("`{}` is no time; write {}", bounded(&text), self.sample())),
        }
    }

    /// Each entry of a list; one that is wrong is told at its own line.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Value<'_>) -> Option<T>) -> Vec<T> {
        let DeValue::Array(entries) = self.node.get_ref() else {
            self.type_wrong::<()>("a list");
            return Vec::new();
        };
        let mut values = Vec::new();
        for node in entries.iter() {
            let at = node.span().start;
            values.extend(read(&mut Value {
                node,
                at,
                name: self.name,
                example: self.example,
                mistakes: self.mistakes,
            }));
        }
        values
    }

    /// Each entry of a table, by name.
    pub(super) fn entries(&mut self, mut read: impl FnMut(&str, &mut Value<'_>)) {
        let DeValue::Table(entries) = self.node.get_ref() else {
            self.type_wrong::<()>("a table");
            return;
        };
        for (key, node) in entries {
            let name = format!("{}.{}", self.name, key.get_ref());
            let at = key.span().start;
            let mut value = Value { node, at, name: &name, example: self.example, mistakes: self.mistakes };
            read(key.get_ref(), &mut value);
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.node.get_ref().is_str()
    }

    pub(super) fn is_list(&self) -> bool {
        self.node.get_ref().is_array()
    }

    /// Notes that the value is wrong.
    pub(super) fn wrong<T>(&mut self, what: &str) -> Option<T> {
        self.mistakes.add(self.at, self.name, what.to_owned());
        None
    }

    fn type_wrong<T>(&mut self, wanted: &str) -> Option<T> {
        let is = match self.node.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.wrong(&format!("wants {wanted} and has {is}; write {}", self.sample()))
    }

    fn sample(&self) -> String {
        format!("`{}`", self.example)
    }
}

/// What is shown of a value.
fn bounded(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
