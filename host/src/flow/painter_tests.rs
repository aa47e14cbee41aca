//! The flow with the program's own painter: every recording, at several sizes and densities.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use carpel_protocol::recording::Step;
use carpel_slots::registry::{Owner, RegistryBuilder};
use carpel_slots::{Card, CardCx, Density, Line, Registry, ToolCall, ToolView};

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

/// A view whose cards are made elsewhere, and whether they have come.
struct Elsewhere(Arc<AtomicBool>);

impl ToolView for Elsewhere {
    fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
        let has_come = self.0.load(Ordering::Relaxed);
        let title = if has_come { "its card" } else { "of an earlier state" };
        Card { title: Some(Line::from(title)), ..Default::default() }
    }

    fn is_awaited(&self, _call: &ToolCall, _cx: &CardCx) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// Three calls that settle together wait once; what is late is the built-in card, what comes is its own.
#[test]
fn a_batch_of_calls_waits_once_for_its_cards() {
    for comes in [false, true] {
        let has_come: Arc<AtomicBool> = Arc::default();
        let mut builder = RegistryBuilder::linked();
        let owner = Owner::plugin("elsewhere", "here");
        builder.view("T", &owner, Arc::new(Elsewhere(Arc::clone(&has_come))));
        let painter = Painter::new(Look::PLAIN, builder.build(), Folders::default(), Highlighter::inline());
        let mut stage = Stage::with(painter, 80, 24);
        stage.events("turn 1\nstart a T\nstart b T\nstart c T");
        for id in ["a", "b", "c"] {
            stage.events(&format!("done {id} {{\"path\":\"file-{id}\"}}\nresult {id} fine ok"));
        }
        stage.events("end 1");
        assert_eq!(texts(&stage.frame().commit), Vec::<String>::new());
        stage.wait(100);
        if comes {
            has_come.store(true, Ordering::Relaxed);
            stage.paint.cards_came();
        }
        let early = texts(&stage.frame().commit).join("\n");
        stage.wait(2_400);
        let late = texts(&stage.frame().commit).join("\n");
        let (drawn, empty, title) = if comes { (early, late, "its card") } else { (late, early, "file-") };
        assert_eq!(drawn.matches(title).count(), 3, "{drawn}");
        assert!(!drawn.contains("earlier") && empty.is_empty(), "{drawn}");
    }
}
