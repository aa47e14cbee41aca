//! What a frame costs, in counts: views asked, cards laid out, calls copied. Sizes differ, the counts do not.
//!
//! The drawings are those of a painter that keeps nothing, whatever happens in whatever order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use carpel_slots::registry::Owner;
use carpel_slots::{Block, CallKey, Card, CardCx, Density, Line, Registry, ToolCall, ToolView};
use carpel_tool_views::tree::Tree;
use proptest::prelude::*;

use super::properties::{Op, apply, hostile};
use super::tests::Stage;
use crate::paint::{Cards, Paint, Place};
use crate::render::painter::{Folders, Painter};
use crate::render::{Highlighter, Look};
use crate::transcript::item::ItemBody;

/// Shows what is written and what comes out, and counts how often it is asked.
struct Counting(Arc<AtomicUsize>);

impl ToolView for Counting {
    fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
        self.0.fetch_add(1, Ordering::Relaxed);
        let said = call.args.partial_str("content").unwrap_or_default();
        Card {
            title: Some(Line::from(format!("{} bytes", said.len()).as_str())),
            body: Some(vec![Block::Output(call.progress.text().to_owned())]),
            ..Card::default()
        }
    }
}

struct Bench {
    stage: Stage<Painter>,
    asked: Arc<AtomicUsize>,
    /// The trees and their rows as of the last frame.
    before: Vec<(Arc<ToolCall>, Cards)>,
}

/// What one frame did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// Cards that views made.
    views: usize,
    /// Cards that were laid out.
    cards: usize,
    /// Calls that were copied.
    calls: usize,
}

impl Bench {
    fn new(density: Density) -> Bench {
        let asked = Arc::new(AtomicUsize::new(0));
        let owner = Owner::built_in("test", "here");
        let mut builder = Registry::default().to_builder();
        builder.tree(&owner, Arc::new(Tree));
        for name in ["T", "a", "b", "c", "d", "A", "B", "C"] {
            builder.view(name, &owner, Arc::new(Counting(Arc::clone(&asked))));
        }
        let painter = Painter::new(Look::PLAIN, builder.build(), Folders::default(), Highlighter::inline());
        let mut stage = Stage::with(painter, 80, 24);
        stage.cx.density = density;
        Bench { stage, asked, before: Vec::new() }
    }

    fn events(&mut self, events: impl IntoIterator<Item = String>) -> &mut Bench {
        for event in events {
            self.stage.events(&event);
        }
        self
    }

    /// Draws, and says what was done for it.
    fn frame(&mut self) -> Cost {
        let asked = self.asked.load(Ordering::Relaxed);
        self.stage.frame();
        let mut cost = Cost { views: self.asked.load(Ordering::Relaxed) - asked, ..Cost::default() };
        let cx = self.stage.cx.paint(Place::Live);
        let journal = &self.stage.flow.journal;
        let live = self.stage.transcript.refreshed().iter().filter(|item| !journal.is_done(item.id));
        let roots = live.filter_map(|item| match &item.body {
            ItemBody::Call(root) => Some(Arc::clone(root)),
            _ => None,
        });
        let after: Vec<(Arc<ToolCall>, Cards)> = roots
            .map(|root| {
                // They are kept from the frame.
                let cards = self.stage.paint.call(&root, None, &cx);
                (root, cards)
            })
            .collect();
        let calls = |trees: &[(Arc<ToolCall>, Cards)]| -> std::collections::HashMap<CallKey, Arc<ToolCall>> {
            let calls = trees.iter().flat_map(|(root, _)| root.walk());
            calls.map(|(_, call)| (call.key.clone(), Arc::clone(call))).collect()
        };
        let (old, new) = (calls(&self.before), calls(&after));
        cost.calls =
            new.iter().filter(|(key, call)| !old.get(key).is_some_and(|old| Arc::ptr_eq(old, call))).count();
        let drawn: std::collections::HashSet<_> =
            self.before.iter().flat_map(|(_, cards)| cards.iter()).map(Arc::as_ptr).collect();
        cost.cards = after
            .iter()
            .flat_map(|(_, cards)| cards.iter())
            .filter(|card| !drawn.contains(&Arc::as_ptr(card)))
            .count();
        self.before = after;
        cost
    }

    /// Draws after that event, then once more without one, which costs nothing.
    fn check(&mut self, event: &str, expected: Cost) {
        self.stage.events(event);
        assert_eq!(self.frame(), expected, "{event}");
        assert_eq!(self.frame(), Cost::default(), "nothing after {event}");
    }
}

fn cost(views: usize, cards: usize, calls: usize) -> Cost {
    Cost { views, cards, calls }
}

fn nested(levels: usize) -> Bench {
    let mut bench = Bench::new(Density::Normal);
    bench.events(["turn 1".to_owned(), "start c0 T".to_owned(), "done c0 {}".to_owned()]);
    bench.events(
        (1..levels).flat_map(|at| [format!("start c{at} T c{}", at - 1), format!("done c{at} {{}}")]),
    );
    bench.frame();
    bench
}

fn siblings(count: usize) -> Bench {
    let mut bench = Bench::new(Density::Normal);
    bench.events(["turn 1".to_owned(), "start root T".to_owned(), "done root {}".to_owned()]);
    bench.events((0..count).flat_map(|at| {
        [format!("start c{at} T root"), format!("done c{at} {{}}"), format!("result c{at} fine")]
    }));
    bench.events(["start last T root".to_owned()]);
    bench.frame();
    bench
}

/// One changed call makes its ancestors anew, and no card but its own: they show no more of it than counts.
#[test]
fn a_change_deep_below_costs_one_card() {
    for levels in [10, 250, 400] {
        let mut bench = nested(levels);
        let deepest = levels - 1;
        // A tree has at most 257 levels; what is deeper stands beside its parent.
        let ancestors = levels.min(257);
        bench.check(&format!("out c{deepest} x"), cost(1, 1, ancestors));
        bench.check(&format!("out c{deepest} y"), cost(1, 1, ancestors));
        // A failure is told on all of them.
        bench.check(&format!("result c{deepest} bad error"), cost(ancestors, ancestors, ancestors));
    }
}

#[test]
fn a_change_of_one_of_many_siblings_costs_one_card() {
    for count in [10, 1_000] {
        let mut bench = siblings(count);
        bench.check("args last {\"content\":\"x", cost(1, 1, 2));
        bench.check("args last yz", cost(1, 1, 2));
        // One more is counted above.
        bench.check("start more T root", cost(2, 2, 2));
        bench.check("result more fine", cost(1, 1, 2));
    }
}

/// LOG 6.01 and 6.03: a second that passes draws the timers of what runs.
#[test]
fn log_6_03_a_timer_costs_what_runs() {
    for count in [10, 1_000] {
        let mut bench = siblings(count);
        bench.stage.events("done last {}");
        bench.frame();
        for _ in 0..3 {
            bench.stage.wait(1000);
            // The root and the one that runs.
            assert_eq!(bench.frame(), cost(2, 2, 0));
            bench.stage.wait(300);
            assert_eq!(bench.frame(), Cost::default(), "within the second");
            bench.stage.wait(700);
            bench.frame();
        }
    }
}

/// Eight calls whose arguments arrive in turns: a piece costs one card, whatever came before.
#[test]
fn pieces_of_parallel_calls_cost_one_card_each() {
    let mut bench = Bench::new(Density::Normal);
    bench.events(["turn 1".to_owned()]);
    bench.events((0..8).flat_map(|at| [format!("start c{at} T"), format!("args c{at} {{\"content\":\"")]));
    bench.frame();
    for _ in 0..200 {
        for at in 0..8 {
            bench.stage.events(&format!("args c{at} 0123456789"));
            assert_eq!(bench.frame(), cost(1, 1, 1));
        }
    }
}

/// LOG 6.03 and 6.09: what is out costs nothing, whatever there is of it.
#[test]
fn log_6_09_a_frame_costs_the_same_after_any_history() {
    for history in [10, 20_000] {
        let mut bench = Bench::new(Density::Normal);
        bench.events((0..history).map(|at| format!("user p{at}")));
        bench.events(["turn 1".to_owned(), "start c T".to_owned()]);
        bench.frame();
        assert!(bench.before.len() == 1);
        bench.check("args c {\"content\":\"x", cost(1, 1, 1));
        bench.check("notice n", cost(0, 0, 0));
    }
}

/// LOG 6.10: a result of any size is looked at when it comes, and never again.
#[test]
fn log_6_10_a_large_result_is_looked_at_once() {
    for output in ["x".repeat(10 << 20), "line\n".repeat(1_000_000)] {
        let mut bench = siblings(3);
        bench.stage.events("start big T root\ndone big {}");
        bench.frame();
        let event =
            serde_json::json!({"event": "tool_result", "id": "big", "summary": "s", "output": output});
        let event = carpel_protocol::EventLine::decode(event.to_string().as_bytes()).unwrap();
        bench.stage.transcript.apply(&event, bench.stage.cx.now);
        // Above it is counted that one less runs.
        assert_eq!(bench.frame(), cost(2, 2, 2));
        bench.stage.wait(1000);
        assert_eq!(bench.frame().cards, 1, "the timer of the root");
        let result = |bench: &Bench| {
            let root = &bench.before[0].0;
            let big = root
                .walk()
                .into_iter()
                .find(|(_, call)| &*call.key.id == "big")
                .map(|(_, call)| call.clone());
            big.and_then(|call| Some(call.result.as_ref()?.output.as_ref()?.as_ptr())).unwrap()
        };
        let held = result(&bench);
        bench.check("args last {", cost(1, 1, 2));
        assert_eq!(result(&bench), held, "not copied");
    }
}

proptest! {
    /// The oracle is a painter that forgets all rows before each frame.
    #[test]
    fn what_is_kept_is_what_would_be_drawn(
        density in prop_oneof![Just(Density::Overview), Just(Density::Normal), Just(Density::Detail)],
        ops in proptest::collection::vec(hostile(), 0..60),
    ) {
        let (mut kept, mut fresh) = (Bench::new(density).stage, Bench::new(density).stage);
        for op in ops {
            if let Op::Frame = op {
                fresh.paint.set_look(Look::COLOUR);
                fresh.paint.set_look(Look::PLAIN);
                prop_assert_eq!(kept.frame(), fresh.frame());
            } else {
                apply(&mut kept, &op);
                apply(&mut fresh, &op);
            }
        }
        kept.wait(1000);
        fresh.wait(1000);
        fresh.paint.set_look(Look::COLOUR);
        fresh.paint.set_look(Look::PLAIN);
        prop_assert_eq!(kept.frame(), fresh.frame());
    }
}
