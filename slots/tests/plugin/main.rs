//! A plugin as an author has it: what it answers, what it answered under each ABI, and what it is as a C library.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a fixture that cannot be set up should stop the test")]

mod answers;
mod document;
mod examples;
mod ledger;
mod needs;
mod table;
mod transcripts;
