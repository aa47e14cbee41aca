//! What tells this client from the others of a session.
//!
//! It is random, and the only thing in the chat that is: process ids repeat, between containers even at the same time. Who
//! uses it takes it as an argument (`state.rs`).

/// A name that no other client has.
pub fn unique() -> String {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds each of these anew; no other randomness is needed for a name.
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}
