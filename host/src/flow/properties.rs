//! Random sequences of events, frames, windows: nothing panics, every row is committed once and in order, and what is
//! committed does not depend on when frames are drawn.

use proptest::prelude::*;

use super::Size;
use super::plain::Plain;
use super::tests::{Stage, texts};
use crate::paint::{Paint, PaintCx, Place};
use crate::transcript::dump::{lines, recordings};
use crate::transcript::item::{FlowItem, ItemBody};

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Op {
    Event(String),
    Frame,
    Wait(u64),
    Window(usize, usize),
    Composer(usize),
    Hold(bool),
}

/// Anything, with few ids so that they clash: repeated, unknown, circular, late.
pub fn hostile() -> impl Strategy<Value = Op> {
    let id = || prop_oneof![Just("a"), Just("b"), Just("c"), Just("d")];
    let text = || prop_oneof![Just("x"), Just("y\\n"), Just("|t|\\n"), Just("\\n\\n"), Just("漢")];
    let event = prop_oneof![
        4 => (id(), prop::option::of(id())).prop_map(|(id, parent)| match parent {
            Some(parent) => format!("start {id} {id} {parent}"),
            None => format!("start {id} {id}"),
        }),
        2 => (id(), text()).prop_map(|(id, text)| format!("args {id} {text}")),
        1 => (id(), text()).prop_map(|(id, text)| format!("args= {id} {text}")),
        2 => id().prop_map(|id| format!("done {id} {{}}")),
        1 => id().prop_map(|id| format!("done {id} {{ bad")),
        2 => (id(), text()).prop_map(|(id, text)| format!("out {id} {text}")),
        3 => (id(), prop_oneof![Just("ok"), Just("error"), Just("rejected"), Just("interrupted")])
            .prop_map(|(id, outcome)| format!("result {id} r {outcome}")),
        1 => (id(), id()).prop_map(|(request, call)| format!("ask {request} {call}")),
        1 => (id(), id(), prop_oneof![Just("once"), Just("deny"), Just("withdrawn"), Just("odd")])
            .prop_map(|(request, call, answer)| format!("answer {request} {call} {answer}")),
        4 => text().prop_map(|text| format!("text+ {text}")),
        1 => (text(), id()).prop_map(|(text, parent)| format!("text+ {text} {parent}")),
        1 => text().prop_map(|text| format!("text= {text}")),
        1 => text().prop_map(|text| format!("text. {text}")),
        1 => Just("think".to_owned()),
        1 => text().prop_map(|text| format!("think+ {text}")),
        1 => text().prop_map(|text| format!("think. {text}")),
        1 => (1..3_u64).prop_map(|turn| format!("turn {turn}")),
        1 => (1..3_u64, prop_oneof![Just("completed"), Just("cancelled")])
            .prop_map(|(turn, reason)| format!("end {turn} {reason}")),
        1 => text().prop_map(|text| format!("user {text}")),
        1 => Just("abandon died".to_owned()),
        1 => Just("notice n".to_owned()),
        1 => prop_oneof![Just("hello idle"), Just("hello running")].prop_map(str::to_owned),
        1 => (id(), any::<bool>()).prop_map(|(id, more)| {
            let more = if more { " more" } else { "" };
            format!("history [{{\"kind\":\"user_message\",\"text\":\"h\"}},{{\"kind\":\"tool_call\",\"id\":\"{id}\"}},{{\"kind\":\"tool_result\",\"id\":\"c\"}}]{more}")
        }),
        1 => (0..4_u64, id()).prop_map(|(seq, id)| format!("#{seq} user {id}")),
    ];
    with_frames(event.boxed())
}

fn with_frames(event: BoxedStrategy<String>) -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => event.prop_map(Op::Event),
        4 => Just(Op::Frame),
        1 => (0..3000_u64).prop_map(Op::Wait),
        1 => (0..130_usize, 0..50_usize).prop_map(|(cols, rows)| Op::Window(cols, rows)),
        1 => (0..20_usize).prop_map(Op::Composer),
        1 => any::<bool>().prop_map(Op::Hold),
    ]
}

/// A part of a turn as a pod that keeps the rules tells it; no two parts share a name.
fn valid_turns() -> impl Strategy<Value = Vec<Vec<String>>> {
    let part = prop_oneof![
        Just(vec![
            "text+ one\\ntw",
            "text+ o\\n|a|\\n",
            "text+ |b|\\nend",
            "text. one\\ntwo\\n|a|\\n|b|\\nend"
        ]),
        Just(vec!["text. whole"]),
        Just(vec!["think", "think+ hm", "think. hm 2000"]),
        Just(vec!["think", "think. ~ 0"]),
        Just(vec!["notice n"]),
        Just(vec!["start I A", "args I {", "done I {}", "out I 1\\n2", "result I r ok 5"]),
        Just(vec!["start I A", "done I {", "ask qI I", "answer qI I deny", "result I no rejected 5"]),
        Just(vec![
            "start I A",
            "start J B",
            "done I {}",
            "done J {}",
            "start K C I",
            "done K {}",
            "result J j error 5",
            "result K k ok 5",
            "result I i ok 5",
        ]),
    ];
    let turn = prop::collection::vec(part, 0..6);
    prop::collection::vec(turn, 1..5).prop_map(|turns| {
        let mut count = 0;
        let turn = |(place, parts): (usize, Vec<Vec<&str>>)| {
            let mut events = vec![format!("turn {}", place + 1), format!("user p{place}")];
            for part in parts {
                count += 1;
                let named = |event: &&str| {
                    let id = |letter: &str| format!("{}{count}", letter.to_lowercase());
                    event.replace('I', &id("I")).replace('J', &id("J")).replace('K', &id("K"))
                };
                events.extend(part.iter().map(named));
            }
            events.push(format!("end {} completed", place + 1));
            events
        };
        turns.into_iter().enumerate().map(turn).collect()
    })
}

pub fn apply<P: Paint>(stage: &mut Stage<P>, op: &Op) {
    match op {
        Op::Event(event) => {
            stage.events(event);
        }
        Op::Wait(ms) => {
            stage.wait(*ms);
        }
        Op::Window(cols, rows) => stage.cx.window = Size { cols: *cols, rows: *rows },
        Op::Composer(rows) => stage.cx.composer_rows = *rows,
        Op::Hold(hold) => stage.cx.hold = *hold,
        Op::Frame => {
            let frame = stage.frame();
            let cx = stage.cx;
            assert!(frame.live.len() <= cx.window.rows.saturating_sub(cx.composer_rows));
            // A character of two cells does not fit into one column.
            let widest = frame.live.iter().map(crate::row::Row::width).max().unwrap_or(0);
            assert!(widest <= cx.window.cols.clamp(2, cx.live_columns), "{cx:?}: {:?}", texts(&frame.live));
        }
    }
}

/// Each root call that is not committed has a live row, or is counted.
fn every_call_is_somewhere(stage: &mut Stage, live: &[String]) {
    let journal = &stage.flow.journal;
    let waiting = stage.transcript.refreshed().iter().filter(|item| !journal.is_done(item.id));
    let calls: Vec<&str> = waiting
        .filter_map(|item| match &item.body {
            ItemBody::Call(call) => Some(call.name.as_str()),
            _ => None,
        })
        .collect();
    let counted: usize =
        live.iter().filter_map(|row| row.strip_prefix('+')?.split(' ').next()?.parse::<usize>().ok()).sum();
    let shown =
        live.iter().filter(|row| calls.iter().any(|name| row.starts_with(&format!("{name} ")))).count();
    if stage.cx.window.cols >= 20 && !live.is_empty() && !stage.transcript.is_restoring() {
        assert!(shown + counted >= calls.len(), "{calls:?} in {live:?}");
    }
}

/// What a whole drawing of the transcript gives, item by item: the rows that may be out.
pub fn drawn(stage: &mut Stage) -> Vec<String> {
    let mut paint = Plain::default();
    let cx = PaintCx {
        width: 80,
        density: carpel_slots::Density::Normal,
        now: stage.cx.now,
        place: Place::Settled,
    };
    let mut rows = Vec::new();
    let mut above: Option<FlowItem> = None;
    for item in stage.transcript.items().to_vec() {
        let own = match &item.body {
            ItemBody::Text { text, .. } => paint.settle_text(item.id, text, true, &cx).rows,
            ItemBody::Call(root) => {
                paint.call(root, None, &cx).iter().flat_map(|card| card.all()).cloned().collect()
            }
            _ => paint.item(&item, &cx),
        };
        if own.is_empty() {
            continue;
        }
        if above.as_ref().is_some_and(|above| paint.gap(above, &item, &cx)) {
            rows.push(String::new());
        }
        rows.extend(texts(&own));
        above = Some(item);
    }
    rows
}

fn finish<P: Paint>(stage: &mut Stage<P>) {
    stage.wait(1000).frame();
    stage.cx.hold = false;
    stage.cx.window = Size { cols: 80, rows: 24 };
    stage.transcript.pod_gone(stage.cx.now);
    let frame = stage.frame();
    assert_eq!(texts(&frame.live), Vec::<String>::new(), "nothing is open, so nothing stays live");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// LOG 5.10, 5.12, 5.13 and what nobody has reported yet.
    #[test]
    fn hostile_streams_never_panic_and_commit_each_item_once(ops in prop::collection::vec(hostile(), 0..60)) {
        let mut stage = Stage::new(80, 24);
        for op in &ops {
            apply(&mut stage, op);
            if !stage.cx.hold && matches!(op, Op::Frame) {
                let live = texts(&stage.frame().live);
                every_call_is_somewhere(&mut stage, &live);
            }
        }
        finish(&mut stage);
        let settled = |item: &FlowItem| stage.paint.asked.get(&(item.id, Place::Settled)).copied().unwrap_or(0);
        for item in stage.transcript.refreshed() {
            match &item.body {
                ItemBody::Text { .. } | ItemBody::Call(_) => {}
                _ => prop_assert_eq!(settled(item), 1, "{:?}", lines(item)),
            }
        }
        let mut forgotten: Vec<_> = stage.paint.forgotten.clone();
        forgotten.sort_unstable();
        forgotten.dedup();
        prop_assert_eq!(forgotten.len(), stage.paint.forgotten.len(), "nothing is forgotten twice");
        let frame = stage.frame();
        prop_assert!(frame.commit.is_empty(), "nothing is committed twice");
    }

    #[test]
    fn what_is_committed_does_not_depend_on_when_frames_are_drawn(
        turns in valid_turns(),
        noise in prop::collection::vec(with_frames(Just(String::new()).boxed()), 0..200),
    ) {
        let mut stage = Stage::new(80, 24);
        let mut noise = noise.iter();
        for event in turns.iter().flatten() {
            stage.events(event);
            for op in noise.by_ref().take(2) {
                if !matches!(op, Op::Event(_)) {
                    apply(&mut stage, op);
                }
            }
        }
        finish(&mut stage);
        let drawn = drawn(&mut stage);
        prop_assert_eq!(&stage.committed, &drawn);
        let mut once = Stage::new(80, 24);
        for event in turns.iter().flatten() {
            once.events(event);
        }
        finish(&mut once);
        let without_times = |rows: &[String]| -> Vec<String> {
            rows.iter().filter(|row| !row.starts_with("thinking")).cloned().collect()
        };
        prop_assert_eq!(without_times(&once.committed), without_times(&stage.committed));
    }
}

#[test]
fn recordings_commit_their_whole_drawing() {
    for (name, steps) in recordings() {
        // What these settle late can no longer change what is out, see DESIGN.md section 6.
        if name.starts_with("e12") || name.starts_with("r03") {
            continue;
        }
        let mut stage = Stage::new(80, 24);
        for step in &steps {
            stage.step(step);
            stage.frame();
        }
        let drawn = drawn(&mut stage);
        assert_eq!(stage.committed, drawn, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same with the program's own painter: nothing panics, live rows fit.
    #[test]
    fn hostile_streams_through_the_painter(ops in prop::collection::vec(hostile(), 0..60)) {
        let mut stage = super::painter_tests::stage(80, 24, carpel_slots::Density::Normal);
        for op in &ops {
            apply(&mut stage, op);
        }
        finish(&mut stage);
        prop_assert!(stage.frame().commit.is_empty(), "nothing is committed twice");
    }
}
