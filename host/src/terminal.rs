//! The terminal layer: rows in, bytes out; bytes in, keys out.
//!
//! Owns everything between the host's rows and a real terminal: the inline viewport whose committed rows stand in
//! the scrollback exactly once (`screen`), its modes and their restoring (`modes`, `guard`, `session`), and the one
//! thread that reads input (`input`). `emulator` is a terminal in memory for `replay --print` and the tests.
//! It knows rows and keys; it refuses to know items, calls, themes and the pod. Start reading at `screen.rs`.

mod alternate;
pub mod announce;
pub mod clipboard;
mod cluster;
pub mod dialect;
pub mod emulator;
mod guard;
pub mod input;
mod jobs;
mod live;
pub mod modes;
pub mod screen;
pub mod session;
pub mod sgr;
pub mod tty;
mod writer;
