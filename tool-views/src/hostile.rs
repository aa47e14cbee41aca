//! Views against data of any shape: whatever arguments, results and typed data hold, a card comes of it.

use std::sync::Arc;

use carpel_slots::protocol::word::{Outcome, ToolKind};
use carpel_slots::registry::Registry;
use carpel_slots::{Args, CallState, CardCx, Density, Role, ToolCall};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::fixture::{Fixture, dump};
use crate::tree::card_of;

const NAMES: &[&str] = &[
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
    "skill",
    "Bash",
    "Task",
    "Unknown",
    "mcp__server__tool",
    "mcp__server__read_file",
    "mcp__",
    "",
];

/// Names that views ask for, so that their data is wrong in its values rather than absent.
const FIELDS: &[&str] = &[
    "file_path",
    "path",
    "content",
    "old_string",
    "new_string",
    "command",
    "pattern",
    "offset",
    "limit",
    "name",
    "prompt",
    "description",
    "hunks",
    "lines",
    "old_start",
    "tag",
    "text",
    "open",
    "truncated",
    "mode",
    "files",
    "count",
    "hits",
    "line",
    "paths",
    "total",
    "exit_code",
    "signal",
    "output_file",
    "answer",
    "type",
    "data",
    "mimeType",
    "uri",
    "resource",
    "structuredContent",
    "source",
];

/// And the words that they compare with.
const WORDS: &[&str] = &[
    "",
    "a/b.rs",
    "content",
    "added",
    "text",
    "image",
    "resource",
    "resource_link",
    "@@ -1 +1 @@\n-a\n+b",
    "     1\ta\n",
    "[{\"a\":1}]",
    "{\"content\":[]}",
    "漢\u{202e}\u{1b}[31m\r\n",
    "/",
    "//",
];

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(WORDS).prop_map(Value::from);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0), Just(u64::MAX), 0..9u64].prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word,
        ".{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![4 => prop::sample::select(FIELDS).prop_map(str::to_owned), 1 => ".{0,5}"];
        let fields = prop::collection::vec((name, inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| Value::from(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn any_call() -> impl Strategy<Value = ToolCall> {
    let kinds = vec![None, Some(ToolKind::Read), Some(ToolKind::Edit), Some(ToolKind::Execute)];
    let text = prop_oneof![prop::sample::select(WORDS).prop_map(str::to_owned), ".{0,30}"];
    (
        (
            prop::sample::select(NAMES),
            prop::sample::select(kinds),
            prop::sample::select(CallState::ALL.to_vec()),
        ),
        (any_json(), any::<prop::sample::Index>(), any::<bool>()),
        (text.clone(), prop::option::of(text), prop::option::of(any_json()), any::<bool>()),
    )
        .prop_map(
            |((name, kind, state), (arguments, cut, is_cut), (summary, output, structured, has_result))| {
                let raw = arguments.to_string();
                let cut = raw.floor_char_boundary(cut.index(raw.len() + 1));
                let raw = if is_cut { &raw[..cut] } else { &raw };
                let mut call = Fixture::new(name).asked(&summary).state(state);
                if has_result {
                    call = call.result(state, Outcome::Ok, &summary, output.as_deref(), structured);
                }
                let mut call = call.build();
                call.kind = kind;
                call.args =
                    if state == CallState::Streaming { Args::streaming(raw) } else { Args::complete(raw) };
                call
            },
        )
}

fn card_in(call: &ToolCall, density: Density) -> carpel_slots::Card {
    card_of(call, &Registry::linked(), &CardCx { density, cwd: "/w".into(), ..CardCx::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_card_comes_of_any_data(call in any_call()) {
        let given = call.args.raw().len() + call.result.as_ref().map_or(0, |result| {
            result.summary.len() + result.output.as_ref().map_or(0, String::len)
                + result.structured.as_ref().map_or(0, |value| value.to_string().len())
        });
        for density in Density::ALL {
            let card = card_in(&call, density);
            prop_assert!(card.title.is_some() && card.body.is_some());
            let text = dump(&card);
            prop_assert!(!text.contains("this is the generic card"), "a view panicked: {call:?}");
            prop_assert!(text.len() <= 40 * given + 500, "{} of {given}: {text}", text.len());
        }
    }

    /// LOG 5: typed data that no view knows leaves the text in sight.
    #[test]
    fn what_the_typed_data_does_not_say_the_text_does(
        name in prop::sample::select(vec!["Read", "Grep", "Glob", "skill", "Write", "Edit", "Bash", "Unknown"]),
        structured in prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), ".{0,9}".prop_map(Value::from),
            prop::collection::vec(".{0,3}".prop_map(Value::from), 0..3).prop_map(Value::from)],
    ) {
        let arguments = r#"{"file_path":"a","pattern":"b","command":"c","name":"d","content":"e","old_string":"f"}"#;
        let call = Fixture::new(name).arguments(arguments).done("fine", Some("the only words")).structured(structured);
        prop_assert!(dump(&card_in(&call.build(), Density::Normal)).contains("the only words"));
    }
}

/// A failure is a failure at every density, whatever the view: its reason is in the header or in the body.
#[test]
fn a_failure_keeps_its_reason() {
    let arguments = r#"{"file_path":"a","pattern":"b","command":"c","name":"d","content":"e","prompt":"f"}"#;
    for name in NAMES {
        for summary in ["it went wrong", ""] {
            let call = Fixture::new(name)
                .arguments(arguments)
                .result(CallState::Error, Outcome::Error, summary, Some("the reason"), None)
                .build();
            for density in [Density::Normal, Density::Detail] {
                let text = dump(&card_in(&call, density));
                assert_eq!(text.matches("the reason").count(), 1, "{name} {density:?}: {text}");
            }
            let note = card_in(&call, Density::Overview).note;
            let said = note.as_ref().map(carpel_slots::Line::text).unwrap_or_default();
            let is_own = NAMES[..8].contains(name) && !summary.is_empty();
            assert_eq!(said, if is_own { summary } else { "the reason" }, "{name}");
            assert_eq!(note.unwrap().spans[0].role, Role::Error);
        }
    }
}

/// A deep tree of calls costs no stack in a card.
#[test]
fn deep_data_is_no_danger() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let call = Fixture::new("Unknown").arguments(&deep).done("fine", Some(&deep)).build();
    assert!(dump(&card_in(&Arc::new(call), Density::Detail)).len() <= 3 * deep.len());
}
