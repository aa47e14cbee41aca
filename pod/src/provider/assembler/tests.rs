//! Pieces in, events out: which call a piece belongs to, and what ends a step.

use proptest::prelude::*;

use super::*;
use crate::provider::StreamEvent;
use crate::provider::played::settled;

/// The calls as they ended, and how the step did.
fn calls(pieces: &[(Option<u64>, &str, &str, &str)]) -> Vec<String> {
    let mut assembler = Assembler::default();
    for &(index, id, name, arguments) in pieces {
        assembler.call(CallPiece { index, id, name, arguments, ..CallPiece::default() });
    }
    assembler.finish();
    settled(&assembler.events())
}

fn check(pieces: &[(Option<u64>, &str, &str, &str)], expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.push("ToolUse");
    assert_eq!(calls(pieces), expected, "{pieces:?}");
}

const NONE: Option<u64> = None;

#[test]
fn misbehaviour_01_no_index() {
    check(
        &[
            (NONE, "a", "Read", ""),
            (NONE, "", "", r#"{"p":"#),
            (NONE, "", "", "1}"),
            (NONE, "b", "Grep", r#"{"q":2}"#),
        ],
        &[r#"Read {"p":1}"#, r#"Grep {"q":2}"#],
    );
}

#[test]
fn misbehaviour_02_every_call_has_index_0() {
    check(
        &[(Some(0), "a", "Read", r#"{"p":1}"#), (Some(0), "b", "Read", r#"{"p":2}"#)],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
    // In pieces, each call's pieces after its head.
    check(
        &[
            (Some(0), "a", "Read", ""),
            (Some(0), "", "", r#"{"p""#),
            (Some(0), "", "", ":1}"),
            (Some(0), "b", "Grep", ""),
            (Some(0), "", "", r#"{"q":2}"#),
        ],
        &[r#"Read {"p":1}"#, r#"Grep {"q":2}"#],
    );
    // Without arguments.
    check(&[(Some(0), "a", "Now", ""), (Some(0), "b", "Now", "")], &["Now ", "Now "]);
}

#[test]
fn misbehaviour_03_a_continuation_has_another_index() {
    check(
        &[(Some(0), "a", "Read", r#"{"p""#), (Some(1), "", "", ":1"), (Some(2), "", "", "}")],
        &[r#"Read {"p":1}"#],
    );
}

#[test]
fn misbehaviour_04_interleaved_with_ids_on_the_first_only() {
    check(
        &[
            (Some(0), "a", "Read", ""),
            (Some(1), "b", "Grep", ""),
            (Some(1), "", "", r#"{"q":"#),
            (Some(0), "", "", r#"{"p":"#),
            (Some(1), "", "", "2}"),
            (Some(0), "", "", "1}"),
        ],
        &[r#"Read {"p":1}"#, r#"Grep {"q":2}"#],
    );
}

#[test]
fn misbehaviour_05_no_id() {
    check(
        &[(Some(0), "", "Read", r#"{"p":1}"#), (Some(1), "", "Read", r#"{"p":2}"#)],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
    check(
        &[(NONE, "", "Read", r#"{"p":1}"#), (NONE, "", "Read", r#"{"p":2}"#)],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
}

#[test]
fn misbehaviour_06_the_id_changes() {
    for name in ["", "Read"] {
        check(
            &[
                (Some(0), "a", "Read", r#"{"p""#),
                (Some(0), "b", name, ":1"),
                (Some(0), "c", name, "}"),
                (Some(0), "d", "", ""),
            ],
            &[r#"Read {"p":1}"#],
        );
    }
    check(&[(NONE, "a", "Read", r#"{"p""#), (NONE, "b", "", ":1}")], &[r#"Read {"p":1}"#]);
}

#[test]
fn misbehaviour_07_a_continuation_has_no_id() {
    check(
        &[
            (NONE, "a", "Read", r#"{"p""#),
            (NONE, "", "", ":1}"),
            (NONE, "b", "Grep", r#"{"q""#),
            (NONE, "", "", ":2}"),
        ],
        &[r#"Read {"p":1}"#, r#"Grep {"q":2}"#],
    );
}

#[test]
fn misbehaviour_08_two_calls_share_an_id() {
    check(
        &[(Some(0), "a", "Read", r#"{"p":1}"#), (Some(1), "a", "Read", r#"{"p":2}"#)],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
    check(
        &[
            (Some(0), "a", "Read", ""),
            (Some(0), "", "", r#"{"p":1}"#),
            (Some(1), "a", "Read", ""),
            (Some(1), "", "", r#"{"p":2}"#),
        ],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
    check(
        &[(NONE, "a", "Read", r#"{"p":1}"#), (NONE, "a", "Read", r#"{"p":2}"#)],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#],
    );
}

#[test]
fn misbehaviour_12_and_13_empty_fragments_and_no_arguments() {
    check(
        &[(Some(0), "a", "Read", ""), (Some(0), "", "", ""), (Some(0), "", "", r#"{"p":1}"#)],
        &[r#"Read {"p":1}"#],
    );
    check(&[(Some(0), "a", "Now", "")], &["Now "]);
}

#[test]
fn misbehaviour_14_fragments_need_not_parse() {
    check(
        &[
            (Some(0), "a", "Read", "{"),
            (Some(0), "", "", r#""p":"\"#),
            (Some(0), "", "", r#""}"#),
            (Some(0), "", "", r#"{"}"#),
        ],
        &[r#"Read {"p":"\"}{"}"#],
    );
}

#[test]
fn misbehaviour_15_opening_characters_are_lost() {
    check(
        &[(Some(0), "a", "Read", r#""p":"#), (Some(0), "", "", "1}"), (Some(1), "b", "Grep", "{}")],
        &[r#"Read "p":1}"#, "Grep {}"],
    );
}

#[test]
fn misbehaviour_16_two_objects_are_glued_together() {
    let expected = [r#"Read {"p":1}"#, r#"Read {"p":2}"#];
    check(&[(Some(0), "a", "Read", r#"{"p":1}{"p":2}"#)], &expected);
    check(&[(NONE, "", "Read", r#"{"p":1"#), (NONE, "", "", r#"}{"p":2}"#)], &expected);
    check(&[(Some(0), "a", "Read", r#"{"p":1}"#), (Some(0), "", "", r#"{"p":2}"#)], &expected);
}

#[test]
fn misbehaviour_17_the_whole_comes_at_the_end() {
    let whole = |pieces: &[&str]| {
        let mut assembler = Assembler::default();
        let head = CallPiece { index: Some(0), id: "a", name: "Read", ..CallPiece::default() };
        assembler.call(CallPiece { whole: Some(r#"{"p":1}"#), ..head });
        for arguments in pieces {
            assembler.call(CallPiece { index: Some(0), arguments, ..CallPiece::default() });
        }
        assembler.finish();
        settled(&assembler.events())
    };
    assert_eq!(whole(&[]), [r#"Read {"p":1}"#, "ToolUse"]);
    assert_eq!(whole(&[r#"{"p""#, ":2}"]), [r#"Read {"p":2}"#, "ToolUse"]);
    // The same whole after its pieces is one call.
    check(
        &[(Some(0), "a", "Read", r#"{"p""#), (Some(0), "", "", ":1}"), (Some(0), "a", "Read", r#"{"p":1}"#)],
        &[r#"Read {"p":1}"#],
    );
}

#[test]
fn misbehaviour_18_pieces_before_the_name() {
    check(
        &[
            (Some(0), "", "", r#"{"p""#),
            (Some(0), "", "", ":"),
            (Some(0), "a", "Read", ""),
            (Some(0), "", "", "1}"),
        ],
        &[r#"Read {"p":1}"#],
    );
    check(&[(Some(0), "a", "", "{}")], &[" {}"]);
    // A number that is new goes on with nothing that is whole, and takes no other call's name.
    check(
        &[(Some(0), "a", "Read", r#"{"p":1}"#), (Some(1), "", "", r#"{"q":2}"#), (Some(1), "", "Grep", "")],
        &[r#"Read {"p":1}"#, r#"Grep {"q":2}"#],
    );
}

#[test]
fn misbehaviour_19_broken_arguments_stay_broken() {
    for broken in [r#"{"p":1} junk"#, r#"{"p":"\u12"}"#, r#"{"p":1}}"#, r#"{"p":"#, "null null"] {
        check(&[(Some(0), "a", "Read", broken)], &[&format!("Read {broken}")]);
    }
}

#[test]
fn misbehaviour_23_the_cost_grows_with_the_text() {
    let mut extent = json::Extent::default();
    let mut looked_at = extent.take("{\"p\":\"");
    for _ in 0..1_000_000 {
        looked_at += extent.take("xy");
    }
    assert_eq!(looked_at, 6 + 2_000_000);
    assert!(!extent.is_complete());
}

#[test]
fn text_and_thinking_take_turns_where_nothing_is_numbered() {
    let mut assembler = Assembler::default();
    assembler.run(BlockKind::Thinking, "hm");
    assembler.keep(0, |opaque| *opaque = Some("sig".into()));
    assembler.run(BlockKind::Text, "");
    assembler.run(BlockKind::Text, "a");
    assembler.run(BlockKind::Text, "b");
    assembler.call(CallPiece { name: "Read", ends_text: true, ..CallPiece::default() });
    assembler.run(BlockKind::Text, "c");
    assembler.stop(StopReason::EndTurn);
    assembler.finish();
    assert_eq!(
        settled(&assembler.events()),
        [r#"thinking hm <"sig">"#, "text ab", "Read ", "text c", "ToolUse"]
    );
}

#[test]
fn ends() {
    let end = |act: &dyn Fn(&mut Assembler)| {
        let mut assembler = Assembler::default();
        act(&mut assembler);
        assembler.finish();
        assembler.fail(Failure::passing("too late"));
        settled(&assembler.events()).pop().unwrap()
    };
    assert_eq!(end(&|_| {}), "EndTurn");
    assert_eq!(end(&|assembler| assembler.stop(StopReason::ToolUse)), "EndTurn");
    assert_eq!(end(&|assembler| assembler.stop(StopReason::MaxTokens)), "MaxTokens");
    assert_eq!(end(&Assembler::refuse), "Refusal");
    assert_eq!(end(&|assembler| assembler.fail(Failure::passing("no"))), "failed true no");
    // The first reason counts, unless there are calls (misbehaviours 24 and 26).
    assert_eq!(
        end(&|assembler| {
            assembler.stop(StopReason::MaxTokens);
            assembler.stop(StopReason::EndTurn);
        }),
        "MaxTokens"
    );
}

#[test]
fn misbehaviour_37_tokens_are_neither_lost_nor_counted_twice() {
    let mut assembler = Assembler::default();
    let tokens = |input, output| Tokens { input, output, cached: 0 };
    for (input, output) in [(10, 1), (10, 1), (0, 5), (10, 3), (0, 0)] {
        assembler.usage(tokens(input, output));
    }
    assert_eq!(assembler.events(), [StreamEvent::Usage(tokens(10, 1)), StreamEvent::Usage(tokens(10, 5))]);
}

#[test]
fn an_answer_has_bounds() {
    let mut many = Assembler::default();
    for index in 0..1_000 {
        many.call(CallPiece { index: Some(index), name: "Read", ..CallPiece::default() });
    }
    let ends = |mut assembler: Assembler| {
        let failed =
            |event: &&StreamEvent| matches!(event, StreamEvent::Failed(Failure { retryable: false, .. }));
        assembler.events().iter().filter(failed).count()
    };
    assert_eq!(ends(many), 1);
    let mut large = Assembler::default();
    let piece = "x".repeat(1024 * 1024);
    for _ in 0..100 {
        large.run(BlockKind::Text, &piece);
    }
    assert_eq!(ends(large), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever the order of pieces, however they are numbered: parts begin and end once, and the end is one.
    #[test]
    fn any_pieces_give_whole_parts(
        pieces in prop::collection::vec(
            (prop::option::of(0..3_u64), "[ab]?", "(Read|Grep)?", r#"(\{|\}|"|\\|x| |\{\}|\{"a":1\}){0,3}"#, 0..6),
            0..12,
        ),
    ) {
        let mut assembler = Assembler::default();
        for (index, id, name, arguments, kind) in &pieces {
            let number = index.unwrap_or(0);
            match kind {
                0 => assembler.run(BlockKind::Text, arguments),
                1 => assembler.run(BlockKind::Thinking, arguments),
                2 => assembler.end_block(number),
                3 => assembler.end_call(number),
                _ => assembler.call(CallPiece { index: *index, id, name, arguments, ..CallPiece::default() }),
            }
        }
        assembler.finish();
        settled(&assembler.events());
    }

    /// Calls that are numbered well come through as they are, however their pieces are cut and mixed.
    #[test]
    fn well_numbered_calls_are_not_mended(
        calls in prop::collection::vec(("[A-Z][a-z]{1,5}", prop::collection::btree_map(".*", ".*", 0..3)), 1..4),
        order in prop::collection::vec((0..4_usize, 1..9_usize), 0..60),
    ) {
        let texts: Vec<String> = calls.iter().map(|(_, map)| serde_json::to_string(map).unwrap()).collect();
        let mut left: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut assembler = Assembler::default();
        for (index, (name, _)) in (0..).zip(&calls) {
            let id = format!("id{index}");
            assembler.call(CallPiece { index: Some(index), id: &id, name, ..CallPiece::default() });
        }
        let rest = (0..calls.len()).map(|call| (call, usize::MAX));
        for (call, most) in order.into_iter().filter(|(call, _)| *call < calls.len()).chain(rest) {
            let cut = left[call].ceil_char_boundary(most.min(left[call].len()));
            let (arguments, behind) = left[call].split_at(cut);
            left[call] = behind;
            assembler.call(CallPiece { index: Some(call as u64), arguments, ..CallPiece::default() });
        }
        assembler.finish();
        let mut expected: Vec<String> = calls.iter().zip(&texts).map(|((name, _), text)| format!("{name} {text}")).collect();
        expected.push("ToolUse".to_owned());
        prop_assert_eq!(settled(&assembler.events()), expected);
    }
}
