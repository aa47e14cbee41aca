//! Reads the beginning of a JSON text, piece by piece.
//!
//! Where the text ends, what is open is closed and what cannot be told yet is left out: a key without its value, half
//! an escape, half a word, and a number that nothing follows (more digits may come). Where the text is not JSON the
//! reading stops in the same way, with what has been read so far. Two things are forgiven inside strings since models
//! write them: raw control characters, and surrogates without their other half.
//!
//! A [`Reader`] goes on where it stopped, so that a text that grows is read once. Never fails, never goes deeper than
//! [`MAX_DEPTH`]. `scan.rs` reads letters.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use super::ending::{Ending, Lines};
use super::scan::{Escape, Scan};

/// How deep arrays and objects may stand in each other, as in `serde_json`.
const MAX_DEPTH: usize = 128;

/// What can be read of `text`, of which no more will come.
pub(super) fn read_ended(text: &str) -> Option<Value> {
    let mut reader = Reader::default();
    reader.feed(text, true);
    reader.value()
}

/// A reading that can go on.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Arrays and objects that are open.
    levels: Vec<Level>,
    at: At,
    /// The text is not JSON from here on.
    stopped: bool,
    /// The end of the text that can be told only with what follows.
    pending: String,
    /// How many bytes were given.
    read: usize,
    /// The lines of the outermost object's texts that are complete.
    lines: HashMap<String, Lines>,
}

#[derive(Debug, Clone)]
enum Level {
    /// Fields, and the key whose value comes.
    Object(Map<String, Value>, Option<String>),
    Array(Vec<Value>),
}

/// What comes next.
#[derive(Debug, Default)]
enum At {
    #[default]
    Value,
    /// A value or the end of the array.
    FirstItem,
    /// A key or the end of the object.
    FirstKey,
    Key,
    Colon,
    /// A comma or the end.
    After,
    /// The rest of a string, and the lines of what has come.
    Text(String, Lines, IsKey),
    Done(Value),
}

type IsKey = bool;

impl Reader {
    /// How many bytes were given.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// Reads the next piece; `ended` says that no more will come.
    pub(super) fn feed(&mut self, piece: &str, ended: bool) {
        self.read += piece.len();
        if self.is_over() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        let text = if pending.is_empty() {
            piece
        } else {
            pending.push_str(piece);
            &pending
        };
        let mut scan = Scan::new(text, ended);
        while self.step(&mut scan) {}
        if !self.is_over() {
            self.pending = scan.rest().to_owned();
        }
    }

    /// What has been read, with everything closed that is open.
    pub(super) fn value(&self) -> Option<Value> {
        let mut open = match &self.at {
            At::Done(value) => Some(value.clone()),
            At::Text(text, _, false) => Some(Value::String(text.clone())),
            At::Value | At::FirstItem => word(&self.pending),
            At::Text(_, _, true) | At::FirstKey | At::Key | At::Colon | At::After => None,
        };
        for level in self.levels.iter().rev() {
            let mut level = level.clone();
            if let Some(value) = open {
                level.put(value);
            }
            open = Some(level.close());
        }
        open
    }

    /// The end of a text of the outermost object, which is not over yet.
    pub(super) fn ending(&self, field: &str, most: usize) -> Option<Ending> {
        let Some(Level::Object(fields, key)) = self.levels.first() else { return None };
        if let (At::Text(text, lines, false), [_], Some(open)) = (&self.at, self.levels.as_slice(), key)
            && open == field
        {
            return Some(Ending::of(text, *lines, most));
        }
        // A key that comes again has the value that is being written, as far as there is one.
        let is_rewritten = key.as_deref() == Some(field)
            && (self.levels.len() > 1 || (matches!(self.at, At::Value) && word(&self.pending).is_some()));
        if is_rewritten {
            return None;
        }
        let text = fields.get(field)?.as_str()?;
        Some(Ending::of(text, *self.lines.get(field)?, most))
    }

    /// True when the outermost value is complete.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.at, At::Done(_))
    }

    fn is_over(&self) -> bool {
        self.stopped || matches!(self.at, At::Done(_))
    }

    /// One step; false where the text ends or is not JSON.
    fn step(&mut self, scan: &mut Scan<'_>) -> bool {
        if self.is_over() {
            return false;
        }
        if matches!(self.at, At::Text(..)) {
            return self.text(scan);
        }
        scan.blanks();
        let Some(byte) = scan.peek() else { return false };
        let is_object = matches!(self.levels.last(), Some(Level::Object(..)));
        match (&self.at, byte) {
            (At::Value | At::FirstItem, b'"') => {
                self.go(scan, At::Text(String::new(), Lines::default(), false))
            }
            (At::Value | At::FirstItem, b'{' | b'[') if self.levels.len() < MAX_DEPTH => {
                if byte == b'{' {
                    self.levels.push(Level::Object(Map::new(), None));
                    self.go(scan, At::FirstKey)
                } else {
                    self.levels.push(Level::Array(Vec::new()));
                    self.go(scan, At::FirstItem)
                }
            }
            (At::Value | At::FirstItem, b'-' | b'0'..=b'9') => {
                let number = scan.token(|byte| byte.is_ascii_digit() || b"-+.eE".contains(&byte));
                self.told(number, |text| serde_json::from_str::<Number>(text).ok().map(Value::Number))
            }
            (At::Value | At::FirstItem, b'a'..=b'z') => {
                let letters = scan.token(|byte| byte.is_ascii_lowercase());
                self.told(letters, word)
            }
            (At::FirstKey | At::Key, b'"') => self.go(scan, At::Text(String::new(), Lines::default(), true)),
            (At::Colon, b':') => self.go(scan, At::Value),
            (At::After, b',') => self.go(scan, if is_object { At::Key } else { At::Value }),
            (At::FirstKey, b'}') | (At::FirstItem, b']') => self.close(scan),
            (At::After, b'}') if is_object => self.close(scan),
            (At::After, b']') if !is_object => self.close(scan),
            _ => self.stop(),
        }
    }

    /// Takes a byte.
    fn go(&mut self, scan: &mut Scan<'_>, at: At) -> bool {
        scan.skip();
        self.at = at;
        true
    }

    fn stop(&mut self) -> bool {
        self.stopped = true;
        false
    }

    /// A number or a word; `None` when it may go on.
    fn told(&mut self, token: Option<&str>, value: impl Fn(&str) -> Option<Value>) -> bool {
        let Some(token) = token else { return false };
        match value(token) {
            Some(value) => self.put(value),
            None => self.stop(),
        }
    }

    fn text(&mut self, scan: &mut Scan<'_>) -> bool {
        let At::Text(text, lines, is_key) = &mut self.at else { return false };
        let run = scan.run(|byte| !matches!(byte, b'"' | b'\\'));
        lines.add(text, run);
        text.push_str(run);
        match scan.peek() {
            Some(b'"') => {
                scan.skip();
                let (text, lines, is_key) = (std::mem::take(text), *lines, *is_key);
                if let [Level::Object(_, Some(key))] = self.levels.as_slice()
                    && !is_key
                {
                    self.lines.insert(key.clone(), lines);
                }
                match (self.levels.last_mut(), is_key) {
                    (Some(Level::Object(_, key)), true) => {
                        *key = Some(text);
                        self.at = At::Colon;
                        true
                    }
                    _ => self.put(Value::String(text)),
                }
            }
            Some(_) => match scan.escape() {
                Escape::Char(c) => {
                    lines.add(text, c.encode_utf8(&mut [0; 4]));
                    text.push(c);
                    true
                }
                Escape::Unfinished => false,
                Escape::None => self.stop(),
            },
            None => false,
        }
    }

    fn close(&mut self, scan: &mut Scan<'_>) -> bool {
        scan.skip();
        match self.levels.pop() {
            Some(level) => self.put(level.close()),
            None => self.stop(),
        }
    }

    fn put(&mut self, value: Value) -> bool {
        match self.levels.last_mut() {
            Some(level) => {
                level.put(value);
                self.at = At::After;
            }
            None => self.at = At::Done(value),
        }
        true
    }
}

impl Level {
    fn put(&mut self, value: Value) {
        match self {
            Level::Object(fields, key) => {
                if let Some(key) = key.take() {
                    fields.insert(key, value);
                }
            }
            Level::Array(items) => items.push(value),
        }
    }

    fn close(self) -> Value {
        match self {
            Level::Object(fields, _) => Value::Object(fields),
            Level::Array(items) => Value::Array(items),
        }
    }
}

fn word(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => None,
    }
}
