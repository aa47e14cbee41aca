//! Hostile text (`data/hostile`) in every place where text of somebody else is shown.
//!
//! `matrix` plays each text through each of the `carriers` and looks at the bytes with `strict`, at an emulated terminal,
//! and at what a person can read. `pipes` runs the program itself, `tmux` shows all of it in a real terminal, `fuzz` makes
//! more texts of the same kind.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

mod carriers;
mod fuzz;
mod matrix;
mod pipes;
#[path = "../../../xtask/trials/src/strict.rs"]
mod strict;
mod texts;
mod tmux;
