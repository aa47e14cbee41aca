//! Read, Glob and Grep from outside: rows of the bug log on the hard tree, and agreement with `rg`.
//!
//! `hard_tree.rs` has one test for each row, named after it; `against_rg.rs` compares with the real program.
//! Both go through `run_tool`, the seam of `carpel tool`.

#[cfg(test)]
mod against_rg;
#[cfg(test)]
mod common;
#[cfg(test)]
mod hard_tree;
