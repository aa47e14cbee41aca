//! A long random session: the real program in a pseudo-terminal, a terminal in memory at the other end, and a pod that is
//! played here.
//!
//! It owns the order of episodes and what is told of one that failed. An episode is one run of the program under random
//! turns, recordings, keys, sizes, densities, faults of a plugin and restarts of the pod; all of it follows from the
//! episode's seed, but for the times at which things happen to meet. Read `soak/episode.rs` next for what must hold.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

pub mod episode;
pub mod plugin;
pub mod pod;
pub mod recordings;
pub mod tags;
pub mod terminal;
pub mod turn;

use episode::{Episode, Report};

/// What was done in all episodes.
#[derive(Debug, Default)]
struct Sum {
    episodes: u64,
    total: Report,
}

/// Plays episodes for this long, at least one, the first with that seed and the next with the numbers behind it. False when
/// one failed.
///
/// # Errors
/// When no episode can be played at all.
pub fn run(time: Duration, seed: u64, out: &mut dyn Write) -> Result<bool> {
    let since = Instant::now();
    let mut sum = Sum::default();
    while sum.episodes == 0 || since.elapsed() < time {
        let seed = seed.wrapping_add(sum.episodes);
        match Episode::start(seed)?.play() {
            Ok(report) => sum.total.add(&report),
            Err(failed) => {
                writeln!(out, "episode {seed}: {failed:#}")?;
                writeln!(out, "to repeat it: cargo xtask soak --minutes 0 --seed {seed}")?;
                return Ok(false);
            }
        }
        sum.episodes += 1;
    }
    let Report { steps, turns, texts, resizes, restarts, keys, bytes, most_memory } = sum.total;
    writeln!(
        out,
        "{} episodes from seed {seed}: {steps} steps, {turns} turns, {texts} texts, {resizes} sizes, {keys} keys, \
         {restarts} restarts of the pod, {bytes} bytes written, at most {} MiB; all is well",
        sum.episodes,
        most_memory >> 20
    )?;
    Ok(true)
}
