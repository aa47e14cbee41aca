//! The session: settled records with their numbers.
//!
//! Owns the order of records and the numbers that never repeat. In this version it is kept in memory and gone with the
//! pod. It refuses to know clients, turns in progress and the clock (a time is given with each record). What a model
//! is told of it is computed by `session/conversation.rs`, read that next.

pub mod conversation;

use carpel_protocol::{Extra, Item, Record};

#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    id: String,
    pub title: String,
    records: Vec<Record>,
}

impl Session {
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), title: String::new(), records: Vec::new() }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds what is settled; `at` is Unix milliseconds. Returns its number, from 1.
    pub fn append(&mut self, item: Item, at: i64) -> u64 {
        let seq = self.records.len() as u64 + 1;
        self.records.push(Record { seq: Some(seq), at: Some(at), item, extra: Extra::new() });
        seq
    }

    /// The records after number `since`. A number from elsewhere, larger than any here, gives none.
    pub fn after(&self, since: u64) -> &[Record] {
        let from = usize::try_from(since).unwrap_or(usize::MAX).min(self.records.len());
        &self.records[from..]
    }
}
