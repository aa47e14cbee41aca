//! The real providers against the scripted server: what is sent, what is heard, what runs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

mod asked;
mod common;
mod conversation;
mod cuts;
mod misbehaviours;
mod trouble;
