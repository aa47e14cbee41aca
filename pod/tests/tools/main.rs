//! The file tools from outside: rows of the bug log on the hard tree, and agreement with `rg`.
//!
//! `results.rs` has the shapes of results, `hard_tree.rs` one test for each row, named after it, and `against_rg.rs` the
//! comparison with the real program; `writing.rs` is for Write and Edit. Readers go through
//! `run_tool`, the seam of `carpel tool`.

#[cfg(test)]
mod against_rg;
#[cfg(test)]
mod common;
#[cfg(test)]
mod hard_tree;
#[cfg(test)]
mod results;
#[cfg(test)]
mod writing;
