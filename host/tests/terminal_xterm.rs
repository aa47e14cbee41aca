//! The inline viewport against xterm.js: the terminal of editors, with a reflow and a width table of its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/steps.rs"]
mod steps;
#[path = "support/xterm.rs"]
mod xterm;

use ratatui::layout::Size;
use steps::{Bounds, Run, Text, samples};
use xterm::Xterm;

const SIZE: Size = Size { width: 40, height: 12 };
const WIDE: Bounds = Bounds {
    widths: (24, 60),
    heights: (9, 16),
    live_rows: 8,
    live_width: 24,
    text: Text::Wide,
    caret: 23,
    unseen: 0,
};
const NARROW: Bounds = Bounds { widths: (9, 60), live_width: 40, caret: 39, ..WIDE };

#[test]
fn every_row_once_and_in_order() {
    run(WIDE, |run| run.check());
}

/// xterm.js gives an emoji one cell and others two. Blanks are not compared, so this holds whatever its table says.
#[test]
fn emoji_lose_nothing_either() {
    run(Bounds { text: Text::Emoji, ..WIDE }, |run| run.check());
}

/// In one window size: when xterm.js reflows, it puts the marks of one cell onto another.
#[test]
fn joined_emoji_lose_nothing_either() {
    run(Bounds { text: Text::Joined, widths: (40, 40), heights: (12, 12), ..WIDE }, |run| run.check());
}

#[test]
fn narrower_than_the_live_rows_no_committed_row_is_lost_or_doubled() {
    run(NARROW, |run| run.check_committed());
}

fn run(bounds: Bounds, check: impl Fn(&mut Run<Xterm>)) {
    for (index, work) in samples(bounds, 12).iter().enumerate() {
        let Some(xterm) = Xterm::start(SIZE) else { return };
        let mut run = Run::start(xterm, SIZE, index % 20, bounds);
        work.iter().for_each(|step| run.perform(step));
        check(&mut run);
    }
}
