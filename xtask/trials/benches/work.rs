//! The work of `work.rs` by the clock: `cargo bench -p trials`, or `cargo bench -p trials -- NAME` for some of it.

use divan::Bencher;
use trials::work::flat::FLAT;
use trials::work::parts::WORK;
use trials::work::{Flat, Work};

fn main() {
    trials::work::warm();
    divan::main();
}

/// A part of the host.
#[divan::bench(args = WORK)]
fn part(bencher: Bencher, work: &Work) {
    bencher.with_inputs(work.prepare).bench_local_values(|task| task());
}

/// The same with little before it.
#[divan::bench(args = FLAT, sample_count = 10)]
fn early(bencher: Bencher, flat: &Flat) {
    bencher.with_inputs(flat.early).bench_local_values(|task| task());
}

/// The same with much.
#[divan::bench(args = FLAT, sample_count = 10)]
fn late(bencher: Bencher, flat: &Flat) {
    bencher.with_inputs(flat.late).bench_local_values(|task| task());
}
