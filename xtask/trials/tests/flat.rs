//! What a delta costs early and late in a text, by the processor's own clock for this thread: other programs have no say.
//!
//! `cargo xtask counts` holds the same closely, by instructions; these hold everywhere that a cost which grows with the
//! text is found.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use trials::work::screen::{Screen, deltas, event};

const THOUGHT: &str = "考えること、それは漢字とかな交じりの文であり、絵文字👩‍👩‍👧もある。\n";
/// Deltas of a window in which the cost is measured, and of the whole text.
const WINDOW: usize = 400;
const WHOLE: usize = 12_000;

fn now() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// The least time that a part of the work takes: what comes on top is not the work's.
fn least(parts: impl Iterator<Item = Duration>) -> Duration {
    parts.min().unwrap()
}

/// A chat at a density in which a turn has begun.
fn begun(density: &str) -> Screen {
    let mut screen = Screen::default();
    screen.type_letters(&format!(":density {density}\r"));
    screen.event(&event(serde_json::json!({"event": "turn_start", "turn": 1})));
    screen.frame();
    screen
}

/// Plays a thought of 12,000 deltas; the cost of a part of `WINDOW` early and late in it, in which `cost` is taken.
fn check(density: &str, cost: impl Fn(&mut Screen, &[carpel_protocol::EventLine]) -> Duration) {
    let mut screen = begun(density);
    let all = deltas("thinking_delta", &THOUGHT.repeat(WHOLE), 5);
    let parts: Vec<Duration> = all[..WHOLE].chunks(20).map(|part| cost(&mut screen, part)).collect();
    // The first parts fill the window.
    let window = WINDOW / 20;
    let early = least(parts[window..2 * window].iter().copied());
    let late = least(parts[parts.len() - window..].iter().copied());
    assert!(late < early * 2, "{density}: {early:?} early, {late:?} late");
}

fn timed(work: impl FnOnce()) -> Duration {
    let before = now();
    work();
    now() - before
}

/// LOG 6.06: a delta of thinking costs the same however much was thought before.
#[test]
fn log_6_06_a_thought_of_any_length_costs_the_same_for_each_piece() {
    for density in ["normal", "detail"] {
        check(density, |screen, part| timed(|| screen.play(part, 2)));
    }
}

/// LOG 6.08: frames for which nothing of it is new cost the same however long a text of wide clusters has become.
#[test]
fn log_6_08_frames_do_not_split_a_long_text_again() {
    for density in ["normal", "detail"] {
        check(density, |screen, part| {
            screen.play(part, part.len());
            timed(|| screen.type_letters("ab\u{7f}\u{7f}"))
        });
    }
}
