//! The bytes of an answer, as JSON values for a wire's reader.
//!
//! Owns what an answer is made of: server-sent events, or one JSON document from a server that does not stream, or a web
//! page from something that is no such server; the first byte tells. Values that cannot be read end the step, keep-alive
//! words do not. It refuses to know what values mean, and where bytes come from: every test can push them as it likes.

use serde_json::Value;

use super::assembler::Assembler;
use super::sse::{Events, MAX_EVENT, TooLong};
use super::step::Reader;
use super::trouble::{Failure, Unreadable};

pub struct Decoder<R> {
    reader: R,
    form: Form,
    /// A value or a word of the service has come.
    heard: bool,
}

enum Form {
    /// Nothing but blanks yet.
    Unknown,
    Events(Events),
    Document(Vec<u8>),
}

impl<R: Reader> Decoder<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, form: Form::Unknown, heard: false }
    }

    pub fn push(&mut self, mut bytes: &[u8], to: &mut Assembler) {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return,
                Some(b'{' | b'[') => self.form = Form::Document(Vec::new()),
                Some(b'<') => {
                    return self.reader.unreadable(Unreadable::NotTheApi("HTML"), to);
                }
                Some(_) => self.form = Form::Events(Events::default()),
            }
        }
        let taken = match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Events(events) => {
                let (reader, heard) = (&mut self.reader, &mut self.heard);
                events.push(bytes, &mut |data| *heard |= take(reader, data, to))
            }
            Form::Document(whole) if whole.len() + bytes.len() > MAX_EVENT => Err(TooLong),
            Form::Document(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
        };
        if let Err(TooLong) = taken {
            self.reader.unreadable(Unreadable::TooLarge, to);
        }
    }

    /// No more bytes will come.
    pub fn end(&mut self, failure: Option<Failure>, to: &mut Assembler) {
        let is_document = matches!(self.form, Form::Document(_));
        let (reader, heard) = (&mut self.reader, &mut self.heard);
        match std::mem::replace(&mut self.form, Form::Unknown) {
            // What was broken off is not whole.
            _ if failure.is_some() => {}
            Form::Unknown => {}
            Form::Events(mut events) => events.end(&mut |data| *heard |= take(reader, data, to)),
            Form::Document(whole) => *heard |= take(reader, &String::from_utf8_lossy(&whole), to),
        }
        // A whole document that is no answer will be none the next time either.
        if is_document && failure.is_none() && !(to.is_answered() || to.has_said_anything()) {
            reader.unreadable(Unreadable::NotTheApi("something that is no answer"), to);
        }
        if failure.is_none() && !*heard {
            reader.unreadable(Unreadable::Nothing, to);
        }
        reader.end(failure, to);
    }
}

/// True when it was of the service.
fn take<R: Reader>(reader: &mut R, data: &str, to: &mut Assembler) -> bool {
    let data = data.trim();
    if to.is_over() {
        return true;
    }
    if data == "[DONE]" {
        reader.done(to);
        return true;
    }
    let read = serde_json::from_str::<Value>(data);
    // A server that cuts its text in UTF-16 sends halves of characters, which no string can hold.
    match read.or_else(|error| without_halves(data).map_or(Err(error), |data| serde_json::from_str(&data))) {
        Ok(value) => {
            reader.take(&value, to);
            true
        }
        Err(error) if data.starts_with('{') => {
            tracing::warn!(%error, "an event cannot be read");
            reader.unreadable(Unreadable::Event, to);
            true
        }
        Err(_) => false,
    }
}

/// JSON text with replacement characters for halves of UTF-16 pairs; `None` when there are none.
fn without_halves(data: &str) -> Option<String> {
    let mut whole = String::with_capacity(data.len());
    let mut rest = data;
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                whole.push('\u{fffd}');
                rest = &rest[6..];
                continue;
            }
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    whole.push_str(rest);
    Some(whole).filter(|whole| whole.len() != data.len())
}

/// The unit of UTF-16 that an escape at the beginning stands for.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_replaced_and_pairs_stay() {
        let check =
            |data: &str, expected: Option<&str>| assert_eq!(without_halves(data).as_deref(), expected);
        check(r#"{"a":"b\n\ud83d\ude00"}"#, None);
        check(r#"{"a":"\ud83d"}"#, Some("{\"a\":\"\u{fffd}\"}"));
        check(r#""\ude00\ud83d x""#, Some("\"\u{fffd}\u{fffd} x\""));
        check(r#""\\ud83d""#, None);
        check(r#""\ud83d\u00e9""#, Some("\"\u{fffd}\\u00e9\""));
        check("\\", None);
        check("\\u12漢", None);
        check("\\漢", None);
    }
}
