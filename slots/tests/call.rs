//! Calls: the tail of what grows without bound, and the walk over a tree.

use std::sync::Arc;

use carpel_slots::call::CallKey;
use carpel_slots::{CallState, Tail, ToolCall};
use proptest::prelude::*;

fn call(id: &str, sub_calls: Vec<Arc<ToolCall>>) -> Arc<ToolCall> {
    Arc::new(ToolCall {
        state: CallState::Executing,
        sub_calls: sub_calls.into(),
        ..ToolCall::new(CallKey { turn: 1, id: id.into(), occurrence: 0 }, "Task")
    })
}

#[test]
fn a_walk_goes_parents_first_in_start_order() {
    let root = call("a", vec![call("b", vec![call("c", vec![])]), call("d", vec![])]);
    let seen: Vec<(usize, &str)> =
        root.walk().into_iter().map(|(depth, call)| (depth, &*call.key.id)).collect();
    assert_eq!(seen, [(0, "a"), (1, "b"), (2, "c"), (1, "d")]);
}

#[test]
fn a_deep_tree_is_walked_without_recursion() {
    let mut root = call("leaf", vec![]);
    for depth in 0..400 {
        root = call(&depth.to_string(), vec![root]);
    }
    assert_eq!(root.walk().len(), 401);
}

#[test]
fn a_tail_begins_at_a_line_where_one_is_near() {
    let mut tail = Tail::default();
    for number in 0..40_000 {
        tail.push(&format!("line {number}\n"));
    }
    assert!(tail.text().starts_with("line "), "{:.40}", tail.text());
    assert!(tail.text().ends_with("line 39999\n"));
    tail.clear();
    assert_eq!(tail, Tail::default());
}

#[test]
fn a_line_feed_at_the_end_does_not_take_all() {
    let mut tail = Tail::default();
    tail.push(&"x".repeat(2 * Tail::KEPT));
    tail.push("\n");
    assert_eq!(tail.text().len(), Tail::KEPT);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn log_6_10_a_tail_is_the_bounded_end_of_everything(pieces in proptest::collection::vec(("[a漢\n]{1,3}", 1usize..30_000), 0..12)) {
        let mut tail = Tail::default();
        let mut all = String::new();
        for (piece, times) in pieces {
            let piece = piece.repeat(times);
            tail.push(&piece);
            all.push_str(&piece);
            prop_assert!(all.ends_with(tail.text()));
            prop_assert_eq!(tail.dropped() + tail.text().len() as u64, all.len() as u64);
            prop_assert!(tail.text().len() <= 2 * Tail::KEPT);
            prop_assert!(tail.text().len() >= all.len().min(Tail::KEPT));
        }
    }
}
