//! The inline viewport against a terminal in memory: random work, then everything once and in order.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/steps.rs"]
mod steps;

use carpel::terminal::emulator::Emulator;
use proptest::prelude::{ProptestConfig, proptest};
use ratatui::layout::{Position, Size};
use steps::{Bounds, Oracle, Run, Step, Text, steps};

impl Oracle for Emulator {
    fn feed(&mut self, bytes: &[u8]) {
        Emulator::feed(self, bytes);
    }

    fn resize(&mut self, size: Size) {
        Emulator::resize(self, size.width.into(), size.height.into());
    }

    fn cursor(&mut self) -> Position {
        Emulator::cursor(self)
    }

    fn lines(&mut self) -> Vec<String> {
        self.text()
    }
}

const SIZE: Size = Size { width: 40, height: 12 };

/// Windows at least as wide as the live rows.
const WIDE: Bounds = Bounds {
    widths: (24, 60),
    heights: (9, 16),
    live_rows: 8,
    live_width: 24,
    text: Text::Wide,
    caret: 23,
    unseen: 0,
};
/// Windows narrower and wider than the live rows.
const FEW: Bounds = Bounds { widths: (20, 60), live_rows: 3, live_width: 40, caret: 18, ..WIDE };
const NARROW: Bounds = Bounds { widths: (9, 60), live_width: 40, caret: 39, ..WIDE };

/// So low that live rows are pushed above the window, and so narrow too that they are folded there.
const LOW: Bounds = Bounds { heights: (1, 16), widths: (40, 60), ..WIDE };
const LOW_NARROW: Bounds = Bounds { heights: (1, 16), widths: (3, 60), ..NARROW };

/// Windows that change their height, often before anybody tells.
const UNSEEN: Bounds = Bounds { widths: (40, 40), unseen: 6, ..WIDE };
/// So low that the live rows have no room.
const UNSEEN_LOW: Bounds = Bounds { heights: (1, 16), ..UNSEEN };
/// Windows of other widths too, but never narrower than a live row. A frame that meets a width that folds or unfolds live
/// rows before anybody tells counts rows that are not there: once in a thousand such sequences a row above is lost. The
/// program asks for the size before each frame, so that this takes a change between the question and the write.
const UNSEEN_ANY: Bounds = Bounds { unseen: 6, ..WIDE };

fn run(start: Size, bounds: Bounds, shell: usize, work: &[Step]) -> Run<Emulator> {
    let emulator = Emulator::new(start.width.into(), start.height.into(), 100_000);
    let mut run = Run::start(emulator, start, shell, bounds);
    for step in work {
        run.perform(step);
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_row_once_and_in_order(work in steps(WIDE, 1..40), shell in 0..30usize) {
        run(SIZE, WIDE, shell, &work).check();
    }

    /// Frames are drawn while the window's height is not the one that was told; the last one is told.
    #[test]
    fn heights_that_nobody_told_lose_nothing(work in steps(UNSEEN, 1..40), shell in 0..30usize) {
        let mut run = run(SIZE, UNSEEN, shell, &work);
        run.resize(SIZE);
        run.check();
    }

    #[test]
    fn low_windows_that_nobody_told_lose_no_committed_row(work in steps(UNSEEN_LOW, 1..40), shell in 0..30usize) {
        let mut run = run(SIZE, UNSEEN_LOW, shell, &work);
        run.resize(SIZE);
        run.check_committed();
    }

    #[test]
    fn windows_that_nobody_told_lose_no_committed_row(work in steps(UNSEEN_ANY, 1..40), shell in 0..30usize) {
        let mut run = run(SIZE, UNSEEN_ANY, shell, &work);
        run.resize(SIZE);
        run.check_committed();
    }

    #[test]
    fn emoji_lose_nothing_either(work in steps(Bounds { text: Text::Joined, ..WIDE }, 1..20), shell in 0..30usize) {
        run(SIZE, Bounds { text: Text::Joined, ..WIDE }, shell, &work).check();
    }

    /// Live rows that a low window pushed into the scrollback are taken back when they are seen again, unless rows were
    /// committed meanwhile: then they stand above those, where nothing can be erased.
    #[test]
    fn low_windows_leave_nothing_behind_until_a_commit(work in steps(LOW, 1..40), shell in 0..30usize) {
        let without_commit = |step: Step| match step {
            Step::Insert { .. } => None,
            Step::Stream { live, seed, .. } => Some(Step::Live { rows: live, seed }),
            step => Some(step),
        };
        let work: Vec<Step> = work.into_iter().filter_map(without_commit).collect();
        let mut run = run(SIZE, LOW, shell, &work);
        run.resize(Size::new(60, 40));
        run.check();
    }

    #[test]
    fn low_windows_lose_no_committed_row(work in steps(LOW_NARROW, 1..40), shell in 0..30usize) {
        let mut run = run(SIZE, LOW_NARROW, shell, &work);
        run.resize(SIZE);
        run.check_committed();
    }

    /// Where the folded live rows still fit into the window, nothing of them is left behind either.
    #[test]
    fn few_live_rows_leave_nothing_behind_in_a_narrow_window(work in steps(FEW, 1..40), shell in 20..40usize) {
        run(SIZE, FEW, shell, &work).check();
    }

    #[test]
    fn narrower_than_the_live_rows_no_committed_row_is_lost_or_doubled(
        work in steps(NARROW, 1..40), shell in 0..30usize
    ) {
        run(SIZE, NARROW, shell, &work).check_committed();
    }
}

/// Found by the property above: a terminal folds between the two characters of a Thai cluster.
#[test]
fn a_fold_inside_a_cluster_is_counted() {
    let work =
        [Step::Live { rows: 6, seed: 2666067788051436292 }, Step::Resize(Size { width: 13, height: 11 })];
    run(SIZE, NARROW, 6, &work).check_committed();
}
