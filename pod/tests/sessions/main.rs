//! Sessions of whole pods: resumed, killed, refused to a second pod, on a full disk.
//!
//! `common.rs` has a provider that writes one file after the other and a client that takes notes; `killed.rs` ends pods with
//! SIGKILL at random moments, `compacted.rs` in the middle of compactions, `resumed.rs` goes on with what they left.

#[cfg(test)]
mod common;
#[cfg(test)]
mod compacted;
#[cfg(test)]
mod killed;
#[cfg(test)]
mod resumed;
