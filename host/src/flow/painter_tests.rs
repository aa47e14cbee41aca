//! The flow with the program's own painter: every recording, at several sizes and densities.

use std::time::Duration;

use carpel_protocol::recording::Step;
use carpel_slots::{Density, Registry};

use super::FlowFrame;
use super::restore_tests::{Log, restore};
use super::tests::{Stage, texts};
use crate::render::painter::{Folders, Painter};
use crate::render::{Highlighter, Look};
use crate::row::Row;
use crate::transcript::dump::{recording, recordings};

pub fn stage(cols: usize, rows: usize, density: Density) -> Stage<Painter> {
    let painter = Painter::new(Look::PLAIN, Registry::linked(), Folders::default(), Highlighter::inline());
    let mut stage = Stage::with(painter, cols, rows);
    stage.cx.density = density;
    stage
}

/// Plays a recording in a window that stays as it is; draws after every `every`th step and at the end.
fn play(stage: &mut Stage<Painter>, steps: &[Step], every: usize, mut look: impl FnMut(&FlowFrame)) {
    let window = stage.cx.window;
    for (place, step) in steps.iter().enumerate() {
        stage.step(step);
        stage.cx.window = window;
        if place % every == 0 {
            look(&stage.frame());
        }
    }
    stage.wait(1000);
    let last = stage.frame();
    assert_eq!(texts(&last.live), Vec::<String>::new(), "nothing stays live");
}

#[test]
fn what_is_committed_does_not_depend_on_when_frames_are_drawn() {
    for (name, steps) in recordings() {
        // A frame may catch what the step that is abandoned, or the parent that ends first, had out already.
        if name.starts_with("r03") || name.starts_with("e12") {
            continue;
        }
        let sizes = [(80, 24, Density::Normal), (40, 12, Density::Overview), (20, 6, Density::Detail)];
        for (cols, rows, density) in sizes {
            let mut want = None;
            for every in [1, usize::MAX] {
                let mut stage = stage(cols, rows, density);
                play(&mut stage, &steps, every, |frame| {
                    assert!(frame.live.len() <= rows.saturating_sub(2), "{name} {cols}x{rows}");
                    let widest = frame.live.iter().map(Row::width).max().unwrap_or(0);
                    assert!(widest <= cols, "{name} {cols}x{rows}: {:?}", texts(&frame.live));
                });
                let want = want.get_or_insert_with(|| stage.committed.clone());
                assert_eq!(&stage.committed, want, "{name} {cols}x{rows} {density:?} every {every}");
            }
        }
    }
}

/// LOG 1.12 and 6.07 with the real Markdown.
#[test]
fn log_1_12_all_of_a_table_is_committed_once() {
    let mut stage = stage(80, 24, Density::Normal);
    play(&mut stage, &recording("e14"), 1, |_| ());
    let markers = stage.committed.iter().filter(|row| row.contains("marker after table")).count();
    assert_eq!(markers, 1, "{:#?}", stage.committed);
}

#[test]
fn live_and_restored_draw_the_same() {
    let told = |stage: &Stage<Painter>| -> Vec<String> {
        let mut rows: Vec<String> = stage
            .committed
            .iter()
            // A log does not tell that thinking was cut short.
            .map(|row| row.replace("Thinking interrupted", "Thought"))
            .collect();
        rows.dedup();
        rows
    };
    for (name, steps) in recordings() {
        for density in [Density::Overview, Density::Detail] {
            let mut live = stage(80, 24, density);
            play(&mut live, &steps, usize::MAX, |_| ());
            let mut restored = stage(80, 24, density);
            restored.cx.now = Duration::from_secs(5);
            restore(&mut restored, &Log::of(&steps), 2);
            restored.frame();
            restored.wait(1000).frame();
            assert_eq!(told(&restored), told(&live), "{name} {density:?}");
        }
    }
}
