//! The inline viewport against a real tmux.
//!
//! tmux 3.3a has a fault that no program in it can mend: when a window widens and a folded line then has a wide
//! character that does not fit into the new last column, tmux cuts the line in two there and reports the cursor a
//! row above its text. So the runs with wide characters change only the height.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/steps.rs"]
mod steps;
#[path = "support/tmux.rs"]
mod tmux;

use ratatui::layout::Size;
use steps::{Bounds, Run, Text, samples};
use tmux::Tmux;

const SIZE: Size = Size { width: 40, height: 12 };
const WIDE: Bounds = Bounds {
    widths: (24, 60),
    heights: (9, 16),
    live_rows: 8,
    live_width: 24,
    text: Text::Narrow,
    caret: 23,
    unseen: 0,
};
const NARROW: Bounds = Bounds { widths: (9, 60), live_width: 40, caret: 39, ..WIDE };

#[test]
fn every_row_once_and_in_order() {
    run(WIDE, |run| run.check());
}

#[test]
fn heights_that_nobody_told_lose_nothing() {
    run(Bounds { widths: (40, 40), unseen: 6, ..WIDE }, |run| {
        run.resize(SIZE);
        run.check();
    });
}

#[test]
fn windows_that_nobody_told_lose_no_committed_row() {
    run(Bounds { heights: (2, 16), unseen: 6, ..NARROW }, |run| {
        run.resize(SIZE);
        run.check_committed();
    });
}

#[test]
fn wide_characters_and_emoji_lose_nothing_either() {
    run(Bounds { text: Text::Joined, widths: (40, 40), ..WIDE }, |run| run.check());
}

#[test]
fn narrower_than_the_live_rows_no_committed_row_is_lost_or_doubled() {
    run(NARROW, |run| run.check_committed());
}

fn run(bounds: Bounds, check: impl Fn(&mut Run<Tmux>)) {
    for (index, work) in samples(bounds, 15).iter().enumerate() {
        let Some(tmux) = Tmux::start(SIZE) else { return };
        let mut run = Run::start(tmux, SIZE, index % 20, bounds);
        work.iter().for_each(|step| run.perform(step));
        check(&mut run);
    }
}
