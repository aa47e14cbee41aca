//! Many clients of one pod, some of which do not read: a pod in a process of its own, so that its memory can be measured.
//!
//! The child is this very test, told so by its environment: it serves a socket and answers with 500 pieces a second. The
//! parent is twenty clients that write down what they hear. Read next: `common.rs`.

#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(test)]
mod common;
#[cfg(test)]
mod load;
