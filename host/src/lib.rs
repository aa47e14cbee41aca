//! The carpel host: the program that shows what a pod does.
//!
//! It folds the pod's events into a transcript, decides what is live and what is settled, and writes both to the
//! terminal. It is a library so that tests and benchmarks reach its parts; the binary is thin.
//! It knows of the pod only what the protocol says, except in `link` and `cli`, which start one.

pub mod command_mode;
pub mod commands;
pub mod composer;
pub mod flow;
pub mod paint;
pub mod render;
pub mod row;
pub mod terminal;
pub mod transcript;
