//! The work of `work.rs` by the clock: `cargo bench -p trials`, or `cargo bench -p trials -- NAME` for some of it.

use divan::Bencher;
use trials::work::flat::FLAT;
use trials::work::parts::WORK;

fn main() {
    trials::work::warm();
    divan::main();
}

/// A part of the host.
#[divan::bench(args = WORK.map(|work| work.name))]
fn part(bencher: Bencher, name: &str) {
    if let Some(work) = WORK.iter().find(|work| work.name == name) {
        bencher.with_inputs(work.prepare).bench_local_values(|task| task());
    }
}

/// The same with little before it and with much.
#[divan::bench(args = FLAT.map(|flat| flat.name), sample_count = 10)]
fn early(bencher: Bencher, name: &str) {
    if let Some(flat) = FLAT.iter().find(|flat| flat.name == name) {
        bencher.with_inputs(flat.early).bench_local_values(|task| task());
    }
}

#[divan::bench(args = FLAT.map(|flat| flat.name), sample_count = 10)]
fn late(bencher: Bencher, name: &str) {
    if let Some(flat) = FLAT.iter().find(|flat| flat.name == name) {
        bencher.with_inputs(flat.late).bench_local_values(|task| task());
    }
}
