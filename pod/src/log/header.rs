//! The header: what a log says of its session.
//!
//! Each segment begins with one; a later one in the same segment replaces what is told (a new title). It is a record with
//! a number like any other, but no item: clients learn the same from `hello` and `session`. Fields that are missing or of
//! another type are defaults here, and those that this version does not know are carried on.

use carpel_protocol::Extra;
use serde::Serialize;
use serde_json::Value;

use super::entry::VERSION;

/// The word under `"kind"`.
pub(super) const KIND: &str = "header";

/// What is known of a session as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Header {
    pub id: String,
    /// May be empty. Raw: a model or a person wrote it.
    pub title: String,
    /// The workspace folder.
    pub cwd: String,
    /// Who answered last, and with which model; empty in older logs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// When the session began, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// Number of the segment that the header stands in.
    pub segment: u64,
    /// The segment before it; absent in the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_segment: Option<u64>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Header {
    pub fn new(id: impl Into<String>, title: impl Into<String>, cwd: impl Into<String>) -> Self {
        Self { id: id.into(), title: title.into(), cwd: cwd.into(), segment: 1, ..Self::default() }
    }

    /// Whether the log does not say yet what `now` does: its header was lost, or somebody else answers. A log of before
    /// the names of models were kept is left as it is.
    pub(crate) fn is_behind(&self, now: &Header) -> bool {
        let lost = self.cwd.is_empty() && !now.cwd.is_empty();
        lost || !self.provider.is_empty() && (self.provider != now.provider || self.model != now.model)
    }

    pub(super) fn from_fields(mut fields: Extra) -> Self {
        for name in ["v", "seq", "at", "kind"] {
            fields.remove(name);
        }
        Self {
            id: take_text(&mut fields, "id"),
            title: take_text(&mut fields, "title"),
            cwd: take_text(&mut fields, "cwd"),
            provider: take_text(&mut fields, "provider"),
            model: take_text(&mut fields, "model"),
            created_at: take(&mut fields, "created_at", Value::as_i64),
            segment: take(&mut fields, "segment", Value::as_u64).unwrap_or(1),
            from_segment: take(&mut fields, "from_segment", Value::as_u64),
            extra: fields,
        }
    }

    /// The line with its LF.
    pub(super) fn line(&self, seq: u64, at: i64) -> Vec<u8> {
        #[derive(Serialize)]
        struct Line<'a> {
            v: u64,
            seq: u64,
            at: i64,
            kind: &'a str,
            #[serde(flatten)]
            header: &'a Header,
        }
        carpel_protocol::frame::encode(&Line { v: VERSION, seq, at, kind: KIND, header: self })
    }
}

fn take_text(fields: &mut Extra, name: &str) -> String {
    take(fields, name, |value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A field of another type than expected is dropped: were it kept, the next header would hold the name twice.
fn take<T>(fields: &mut Extra, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
    fields.remove(name).and_then(|value| read(&value))
}
