//! Plugins as the chat has them: real processes, asked through the registry, and never waited for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod chat;
#[path = "../support/chat_pty.rs"]
#[allow(dead_code)]
mod chat_pty;
mod faults;
mod libraries;
mod needs;
mod reload;
mod seats;
mod stage;
