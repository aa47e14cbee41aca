//! A call's arguments: raw text that may still grow, and two ways to read it.
//!
//! [`Args::value`] is the whole JSON, once it is complete and valid; only that may be acted on. [`Args::partial`] is a
//! best-effort reading of what has arrived, for previews only: what it shows may be cut off, and it reads on where a
//! strict parser stops. Both are read when first asked for and kept; copies share what was read. `args/partial.rs` is the
//! tolerant reader, `args/text.rs` the text that grows.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;

mod ending;
mod partial;
#[cfg(test)]
mod partial_oracle;
mod scan;
mod text;

pub use ending::Ending;
use ending::Lines;
use partial::Reader;
use text::Text;

/// The arguments of a call.
///
/// ```
/// use carpel_slots::Args;
///
/// let mut args = Args::streaming(r#"{"file_path": "src/li"#);
/// assert_eq!(args.partial_str("file_path").as_deref(), Some("src/li"));
/// assert_eq!(args.value(), None);
///
/// args.push(r#"b.rs", "limit": 2"#);
/// assert_eq!(args.partial_str("file_path").as_deref(), Some("src/lib.rs"));
/// assert_eq!(args.partial().and_then(|partial| partial.get("limit")), None, "the number may go on");
///
/// let args = Args::complete(r#"{"file_path": "src/lib.rs", "limit": 20}"#);
/// assert_eq!(args.value().and_then(|value| value["limit"].as_u64()), Some(20));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Args {
    text: Text,
    complete: bool,
    value: Arc<OnceLock<Option<Value>>>,
    partial: Arc<OnceLock<Option<Value>>>,
    /// Shared by all copies of which one is the beginning of the other.
    reading: Arc<Mutex<Reading>>,
}

/// How far a text that grows has been read.
#[derive(Debug, Default)]
struct Reading {
    reader: Reader,
    /// Length of the longest text that is read here: only that may grow.
    longest: usize,
}

impl Args {
    /// Arguments as far as they have come.
    pub fn streaming(raw: impl Into<String>) -> Args {
        let text = Text::new(raw.into());
        let reading = Reading { longest: text.len(), ..Reading::default() };
        Args { text, reading: Arc::new(Mutex::new(reading)), ..Args::default() }
    }

    /// Arguments of which nothing more will come.
    pub fn complete(raw: impl Into<String>) -> Args {
        Args { text: Text::new(raw.into()), complete: true, ..Args::default() }
    }

    /// Adds a piece of raw text. Copies made before stay as they were, and share what has been read so far.
    pub fn push(&mut self, piece: &str) {
        let before = self.text.len();
        self.text.push(piece);
        self.value = Arc::default();
        self.partial = Arc::default();
        let is_shared = {
            let mut reading = locked(&self.reading);
            let goes_on = reading.longest == before;
            if goes_on {
                reading.longest = self.text.len();
            }
            goes_on
        };
        if !is_shared {
            let reading = Reading { longest: self.text.len(), ..Reading::default() };
            self.reading = Arc::new(Mutex::new(reading));
        }
    }

    /// The text as it came.
    pub fn raw(&self) -> &str {
        self.text.whole()
    }

    /// The last lines of the text as it came, in so many bytes; where it is one longer line, its beginning. However long
    /// the text is, this costs what is given back.
    pub fn raw_end(&self, most: usize) -> String {
        let end = self.text.end(most);
        if end.len() == self.text.len() {
            return end;
        }
        let beginning = self.text.beginning(most);
        if !end.trim_end_matches('\n').contains('\n') && !beginning.contains('\n') {
            return beginning.to_owned();
        }
        end.split_once('\n').map(|(_, rest)| rest.to_owned()).filter(|rest| !rest.is_empty()).unwrap_or(end)
    }

    /// True once nothing more will come.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The whole JSON; `None` while it is incomplete and where it is not valid.
    pub fn value(&self) -> Option<&Value> {
        if !self.complete {
            return None;
        }
        self.value.get_or_init(|| serde_json::from_str(self.raw()).ok()).as_ref()
    }

    /// A best-effort reading of what has arrived: open strings, arrays and objects are closed where the text ends;
    /// what cannot be told yet (half a key, half an escape, a number that may go on) is left out. Where the text is
    /// not JSON, the readable beginning. The same as [`Args::value`] where there is one; `None` while nothing can be
    /// read. Each piece is read once, however often this is asked while the text grows.
    pub fn partial(&self) -> Option<&Value> {
        if let Some(value) = self.value() {
            return Some(value);
        }
        self.partial.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Value> {
        if self.complete {
            return partial::read_ended(self.raw());
        }
        let mut reading = locked(&self.reading);
        if reading.reader.read() <= self.text.len() {
            return go_on(&mut reading.reader, &self.text);
        }
        // A longer copy has been read already.
        drop(reading);
        go_on(&mut Reader::default(), &self.text)
    }

    /// The end of a string field of [`Args::partial`] as far as it has come, in so many bytes, and how many lines it has.
    /// While the text grows this costs what is new and what is given back, however much has come before: what a frame
    /// can ask for a file that is being written.
    ///
    /// ```
    /// use carpel_slots::Args;
    ///
    /// let args = Args::streaming(r#"{"content": "one\ntwo\nthr"#);
    /// let end = args.partial_end("content", 8).unwrap_or_default();
    /// assert_eq!((end.lines, end.text.as_str()), (3, "two\nthr"));
    /// ```
    pub fn partial_end(&self, field: &str, most: usize) -> Option<Ending> {
        if !self.complete {
            let mut reading = locked(&self.reading);
            if reading.reader.read() <= self.text.len() {
                for piece in self.text.behind(reading.reader.read()) {
                    reading.reader.feed(piece, false);
                }
                if !reading.reader.is_done() {
                    return reading.reader.ending(field, most);
                }
            }
        }
        let text = self.partial()?.get(field)?.as_str()?;
        Some(Ending::of(text, Lines::of(text), most))
    }

    /// A string field of [`Args::partial`], as far as it has come.
    pub fn partial_str(&self, field: &str) -> Option<String> {
        self.partial()?.get(field)?.as_str().map(str::to_owned)
    }
}

fn go_on(reader: &mut Reader, text: &Text) -> Option<Value> {
    for piece in text.behind(reader.read()) {
        reader.feed(piece, false);
    }
    reader.value()
}

/// A panic while the lock was held leaves a reading that is only a preview.
fn locked(reading: &Mutex<Reading>) -> MutexGuard<'_, Reading> {
    reading.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_read(args: &Args) -> usize {
        locked(&args.reading).reader.read()
    }

    /// LOG 5: a preview of a text that grows costs what comes, however often it is asked and whoever keeps copies.
    #[test]
    fn each_byte_is_read_once() {
        let mut args = Args::streaming(r#"{"content":""#);
        let mut kept = Vec::new();
        let mut fed = 0;
        for _ in 0..2_000 {
            args.push("0123456789");
            let before = bytes_read(&args);
            let frozen = args.clone();
            assert!(frozen.partial().is_some());
            fed += bytes_read(&args) - before;
            kept.push(frozen);
        }
        assert_eq!(fed, 12 + 20_000);
        assert!(args.text.clone().behind(0).count() <= 16, "few pieces");
        assert_eq!(kept[0].partial_str("content").as_deref(), Some("0123456789"));
        assert_eq!(kept[1999].partial_str("content").map(|text| text.len()), Some(20_000));
    }

    /// What a frame asks for costs the same whatever has come before: no text is put together and none is copied whole.
    #[test]
    fn the_end_of_a_long_text_is_told_without_the_rest() {
        let mut args = Args::streaming(r#"{"file_path":"a.rs","content":""#);
        for line in 1..=20_000 {
            args.push(&format!(r"line {line}\n"));
            let frozen = args.clone();
            if line % 1_000 == 0 {
                let end = frozen.partial_end("content", 24).unwrap();
                let wanted = format!("line {}\nline {line}\n", line - 1);
                assert_eq!((end.lines, end.text.as_str()), (line, wanted.as_str()));
                assert_eq!(frozen.partial_end("file_path", 24).unwrap().text, "a.rs");
                assert_eq!(frozen.raw_end(8), r#"{"file_p"#);
                assert!(frozen.partial.get().is_none() && !frozen.text.is_joined(), "{line}: made whole");
                assert_eq!(bytes_read(&frozen), frozen.text.len());
            }
        }
        let late = Args::streaming("{\n\"a\": 1,\n\"b\": 2");
        assert_eq!(late.raw_end(8), "\"b\": 2");
        for (raw, field, wanted) in [
            (r#"{"a":"x\ny","b":"#, "a", Some((2, "x\ny"))),
            (r#"{"a":"x\ny"}"#, "a", Some((2, "x\ny"))),
            (r#"{"a":{"b":"x"#, "b", None),
            (r#"{"a":["x"#, "a", None),
            (r#"{"a":7,"#, "a", None),
            (r#"{"a"#, "a", None),
            (r#"["a"#, "a", None),
        ] {
            let end = Args::streaming(raw).partial_end(field, 99);
            assert_eq!(end.as_ref().map(|end| (end.lines, end.text.as_str())), wanted, "{raw}");
        }
    }

    #[test]
    fn copies_that_part_share_nothing_wrong() {
        let mut one = Args::streaming(r#"{"a":"x"#);
        let mut other = one.clone();
        one.push("1");
        other.push("2");
        assert_eq!(one.partial_str("a").as_deref(), Some("x1"));
        assert_eq!(other.partial_str("a").as_deref(), Some("x2"));
        let late = other.clone();
        other.push("3");
        assert_eq!(other.partial_str("a").as_deref(), Some("x23"));
        assert_eq!(late.partial_str("a").as_deref(), Some("x2"), "asked after a longer copy");
    }
}
