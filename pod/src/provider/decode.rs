//! The bytes of an answer, as JSON values for a wire's reader.
//!
//! Owns what an answer is made of: server-sent events, or one JSON document from a server that does not stream, or a web
//! page from something that is no such server; the first byte tells. Values that cannot be read end the step, keep-alive
//! words do not. It refuses to know what values mean, and where bytes come from: every test can push them as it likes.

use serde_json::Value;

use super::assembler::Assembler;
use super::sse::{Events, MAX_EVENT, TooLong};
use super::step::Reader;
use super::trouble::Failure;

pub struct Decoder<R> {
    reader: R,
    form: Form,
}

enum Form {
    /// Nothing but blanks yet.
    Unknown,
    Events(Events),
    Document(Vec<u8>),
}

impl<R: Reader> Decoder<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, form: Form::Unknown }
    }

    pub fn push(&mut self, mut bytes: &[u8], to: &mut Assembler) {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return,
                Some(b'{' | b'[') => self.form = Form::Document(Vec::new()),
                Some(b'<') => {
                    return self.reader.unreadable("answered with a web page; check the base URL", false, to);
                }
                Some(_) => self.form = Form::Events(Events::default()),
            }
        }
        let taken = match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Events(events) => {
                let reader = &mut self.reader;
                events.push(bytes, &mut |data| take(reader, data, to))
            }
            Form::Document(whole) if whole.len() + bytes.len() > MAX_EVENT => Err(TooLong),
            Form::Document(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
        };
        if let Err(TooLong) = taken {
            self.reader.unreadable("sent one event of more than 32 MiB", false, to);
        }
    }

    /// No more bytes will come.
    pub fn end(&mut self, failure: Option<Failure>, to: &mut Assembler) {
        let reader = &mut self.reader;
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => {}
            Form::Events(mut events) if failure.is_none() => events.end(&mut |data| take(reader, data, to)),
            Form::Events(_) => {}
            Form::Document(whole) => take(reader, &String::from_utf8_lossy(&whole), to),
        }
        reader.end(failure, to);
    }
}

fn take<R: Reader>(reader: &mut R, data: &str, to: &mut Assembler) {
    let data = data.trim();
    if to.is_over() {
        return;
    }
    if data == "[DONE]" {
        return reader.done(to);
    }
    match serde_json::from_str::<Value>(data) {
        Ok(value) => reader.take(&value, to),
        Err(error) if data.starts_with('{') => {
            tracing::warn!(%error, "an event cannot be read");
            reader.unreadable("sent an event that cannot be read", true, to);
        }
        Err(_) => {}
    }
}
