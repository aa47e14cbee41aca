//! What carpel is tried with: fuzz targets, work whose cost is counted, and a long random session.
//!
//! `fuzz` owns the targets: plain functions that take bytes and hold them against an oracle. `work` owns pieces of work
//! for the benchmarks and for `counts`, which counts their instructions. `soak` owns the real program in a
//! pseudo-terminal under random work. It is no part of the program, and knows nothing of `cargo xtask`, which starts
//! its binaries. Read `fuzz.rs` next.

pub mod counts;
pub mod fuzz;
pub mod random;
pub mod soak;
pub mod strict;
pub mod work;
