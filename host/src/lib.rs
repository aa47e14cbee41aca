//! The carpel host: the program that shows what a pod does.
//!
//! It folds the pod's events into a transcript, decides what is live and what is settled, and writes both to the
//! terminal. It is a library so that tests and benchmarks reach its parts; the binary is thin.
//! It knows of the pod only what the protocol says, except in `link` and `cli`, which start one.

pub mod chat;
pub mod cli;
pub mod command_mode;
pub mod commands;
pub mod completion;
pub mod composer;
pub mod export;
pub mod flow;
pub mod gallery;
mod graphemes;
pub mod headless;
pub mod history_file;
pub mod inspector;
pub mod key_names;
pub mod link;
pub mod manifest;
pub mod naming;
pub mod paint;
pub mod plugins;
pub mod render;
pub mod row;
pub mod sentence;
mod status_items;
pub mod terminal;
pub mod transcript;

// The built-in views register themselves; naming their crate links them in.
use carpel_tool_views as _;
