//! Hostile text (`data/hostile`) in every place where text of somebody else is shown.
//!
//! `matrix` plays each text through each of the `carriers` and looks at the bytes with `strict`, at an emulated terminal,
//! and at what a person can read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

mod carriers;
mod matrix;
mod strict;
mod texts;
