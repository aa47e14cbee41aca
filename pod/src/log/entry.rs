//! One line of a log as a typed value, and back.
//!
//! Owns the envelope `{v, seq, at, kind, ...}` around what `carpel_protocol` knows as a record. Passing kinds (`progress`,
//! which other versions may have written) are recognised by a look at the envelope alone: a log of 35,000 of them among 14
//! messages must load at once. A draft is a call that a model was still writing: it counts only when its pod went away
//! before the call could be recorded. It refuses to know lines that are damaged; see `salvage.rs`.

use std::borrow::Cow;

use carpel_protocol::frame::LineError;
use carpel_protocol::item::ToolCall;
use carpel_protocol::{Extra, Item, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::header::{self, Header};
use super::queued::{self, Queued, queue_of};

/// The version of the log format that is written here.
pub(super) const VERSION: u64 = 1;

const DRAFT: &str = "draft";
/// A call begins; also the field of a recorded call that has not, by which one knows that its beginning would be noted.
const BEGUN: &str = "begun";
/// Kinds that say nothing once a session is over.
const PASSING: [&str; 1] = ["progress"];

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Header {
        header: Box<Header>,
        version: u64,
        seq: Option<u64>,
        at: Option<i64>,
    },
    Record(Box<Record>),
    /// A recorded call that waits for its turn, or for a person; the line [`Entry::Begun`] tells when it runs.
    Waiting(Box<Record>),
    /// The call of that id may run from here on.
    Begun(String),
    Passing {
        seq: Option<u64>,
    },
    /// A call as far as it is known; without one, what was being written is given up.
    Draft(Option<Box<Record>>),
    /// The prompts that wait.
    Queue(Vec<Queued>),
}

impl Entry {
    pub(super) fn seq(&self) -> Option<u64> {
        match self {
            Self::Header { seq, .. } | Self::Passing { seq } => *seq,
            Self::Record(record) | Self::Waiting(record) => record.seq,
            Self::Draft(_) | Self::Queue(_) | Self::Begun(_) => None,
        }
    }

    pub(super) fn decode(line: &[u8]) -> Result<Self, LineError> {
        #[derive(Deserialize)]
        struct Envelope<'a> {
            #[serde(borrow)]
            kind: Cow<'a, str>,
            seq: Option<u64>,
        }
        if let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line)
            && PASSING.contains(&&*envelope.kind)
        {
            return Ok(Self::Passing { seq: envelope.seq });
        }
        let mut record = Record::decode(line)?;
        let version = match &mut record.item {
            Item::Unknown(unknown) => unknown.fields.remove("v"),
            _ => record.extra.remove("v"),
        };
        match record.item {
            Item::Unknown(unknown) if unknown.tag == header::KIND => {
                let version = version.and_then(|version| version.as_u64()).unwrap_or(VERSION);
                let header = Box::new(Header::from_fields(unknown.fields));
                Ok(Self::Header { header, version, seq: record.seq, at: record.at })
            }
            Item::Unknown(unknown) if unknown.tag == DRAFT => {
                Ok(Self::Draft(drafted(unknown.fields, record.at)))
            }
            Item::Unknown(unknown) if unknown.tag == queued::KIND => {
                Ok(Self::Queue(queue_of(unknown.fields)))
            }
            Item::Unknown(mut unknown) if unknown.tag == BEGUN => {
                let id = unknown.fields.remove("id");
                Ok(Self::Begun(id.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()))
            }
            Item::ToolCall(_) if record.extra.get(BEGUN) == Some(&Value::Bool(false)) => {
                record.extra.remove(BEGUN);
                Ok(Self::Waiting(Box::new(record)))
            }
            item => Ok(Self::Record(Box::new(Record { item, ..record }))),
        }
    }
}

fn drafted(mut fields: Extra, at: Option<i64>) -> Option<Box<Record>> {
    let Some(Value::Object(mut call)) = fields.remove("call") else { return None };
    call.insert("kind".to_owned(), "tool_call".into());
    let record = Record::from_object(call).ok()?;
    matches!(record.item, Item::ToolCall(_)).then(|| Box::new(Record { at, seq: None, ..record }))
}

/// The line of a draft with its LF.
pub(super) fn draft_line(call: Option<&ToolCall>, at: i64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        at: i64,
        kind: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<&'a ToolCall>,
    }
    carpel_protocol::frame::encode(&Line { v: VERSION, at, kind: DRAFT, call })
}

/// The line of a call that may run now, with its LF.
pub(super) fn begun_line(id: &str, at: i64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        at: i64,
        kind: &'a str,
        id: &'a str,
    }
    carpel_protocol::frame::encode(&Line { v: VERSION, at, kind: BEGUN, id })
}

/// The record of an item, and its line with its LF.
pub(super) fn record_line(item: &Item, seq: u64, at: i64) -> (Record, Vec<u8>) {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        #[serde(flatten)]
        record: &'a Record,
        #[serde(skip_serializing_if = "Option::is_none")]
        begun: Option<bool>,
    }
    let begun = matches!(item, Item::ToolCall(_)).then_some(false);
    let item = without_envelope(item.clone());
    let record = Record { seq: Some(seq), at: Some(at), item, extra: Extra::new() };
    let line = carpel_protocol::frame::encode(&Line { v: VERSION, record: &record, begun });
    (record, line)
}

/// An item of an unknown kind may carry any field; those of the envelope would stand twice in the line.
fn without_envelope(mut item: Item) -> Item {
    if let Item::Unknown(unknown) = &mut item {
        for name in ["v", "seq", "at", "kind"] {
            unknown.fields.remove(name);
        }
    }
    item
}
