//! What is not as it should be is kept as data or told as an error of its line; nothing panics.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop a test as the tests do")]

use carpel_protocol::frame::LineError;
use carpel_protocol::recording::{DirectiveLine, Step, decode_step};
use carpel_protocol::{Event, EventLine, Item, Method, MethodLine, Record, Unknown, frame};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn event(line: &Value) -> EventLine {
    EventLine::decode(line.to_string().as_bytes()).unwrap()
}

/// The line is kept as data: unknown, with that problem, and written back as it came.
fn check_unknown(line: Value, problem: Option<&str>) {
    let read = event(&line);
    match &read.event {
        Event::Unknown(Unknown { tag, problem: found, .. }) => {
            assert_eq!(Some(tag.as_str()), line["event"].as_str());
            match (found, problem) {
                (Some(found), Some(problem)) => assert!(found.contains(problem), "{found} for {line}"),
                (found, problem) => assert_eq!(found.as_deref(), problem, "{line}"),
            }
        }
        known => panic!("{known:?} for {line}"),
    }
    assert_eq!(serde_json::to_value(&read).unwrap(), line);
}

#[test]
fn kinds_from_the_future_are_kept() {
    check_unknown(json!({"event": "from_the_future", "seq": 4, "at": 5, "x": [1, {"y": null}]}), None);
    check_unknown(json!({"event": "TURN_START", "turn": 1}), None);
    check_unknown(json!({"event": "run", "text": "a method is no event"}), None);
}

#[test]
fn known_kinds_with_wrong_fields_are_kept_and_told() {
    check_unknown(json!({"event": "text_delta", "text": 7}), Some("invalid type"));
    check_unknown(json!({"event": "text_delta"}), Some("missing field `text`"));
    check_unknown(json!({"event": "turn_start", "turn": -1, "extra": true}), Some("invalid value"));
    check_unknown(json!({"event": "turn_start", "turn": 1.5}), Some("invalid type"));
    check_unknown(json!({"event": "state", "state": 3, "seq": 9}), Some("invalid type"));
    check_unknown(json!({"event": "hello", "protocol": 4_294_967_296_u64}), Some("invalid value"));
    check_unknown(json!({"event": "history", "items": [7], "more": false}), Some("invalid type"));
    check_unknown(
        json!({"event": "approval_request", "request": "a", "call": "c", "options": [{}]}),
        Some("missing field `kind`"),
    );
}

#[test]
fn unknown_fields_and_words_survive() {
    let rows = [
        json!({"event": "tool_call_start", "id": "c1", "name": "Read", "kind": "read", "colour": "red"}),
        json!({"event": "tool_call_start", "id": "c1", "name": "Read", "kind": "paint"}),
        json!({"event": "state", "state": "dreaming", "why": {"deep": [1]}}),
        json!({"event": "tool_result", "id": "c1", "summary": "", "outcome": "odd"}),
    ];
    for row in rows {
        let read = event(&row);
        assert!(!matches!(read.event, Event::Unknown(_)), "{row}");
        assert_eq!(serde_json::to_value(&read).unwrap(), row);
    }
}

#[test]
fn common_fields_of_a_wrong_type_do_not_spoil_the_line() {
    for (field, value) in
        [("seq", json!("4")), ("seq", json!(-4)), ("seq", json!(null)), ("at", json!(1.5)), ("at", json!([]))]
    {
        let row = json!({"event": "turn_start", "turn": 1, (field): value});
        let read = event(&row);
        assert!(matches!(read.event, Event::TurnStart(_)), "{row}");
        assert_eq!((read.seq, read.at), (None, None));
        assert_eq!(serde_json::to_value(&read).unwrap(), row);
    }
}

#[test]
fn one_strange_item_does_not_spoil_a_history() {
    let row = json!({"event": "history", "items": [
        {"kind": "assistant_text", "text": "before"},
        {"kind": "from_the_future", "seq": 3},
        {"kind": "tool_call"},
        {"no": "kind"},
        {"kind": 7, "seq": 5},
        {"kind": ""},
        {"kind": "assistant_text", "seq": 6, "text": "after"},
    ], "more": false});
    let read = event(&row);
    let Event::History(history) = &read.event else { panic!("{read:?}") };
    let tags: Vec<&str> = history.items.iter().map(|record| record.item.tag()).collect();
    assert_eq!(tags, ["assistant_text", "from_the_future", "tool_call", "", "", "", "assistant_text"]);
    let Item::Unknown(tagless) = &history.items[3].item else { panic!("{:?}", history.items[3]) };
    assert_eq!(tagless.problem.as_deref(), Some("no string under \"kind\""));
    assert_eq!(serde_json::to_value(&read).unwrap(), row);
}

#[test]
fn lines_that_are_no_objects_are_errors_of_their_line() {
    let rows: [(&[u8], LineError); 8] = [
        (b"\xff{}", LineError::NotUtf8 { at: 0 }),
        (b"{\"event\":\"\xe4\"}", LineError::NotUtf8 { at: 10 }),
        (b"[1]", LineError::NotAnObject),
        (b"7", LineError::NotAnObject),
        (b"{}", LineError::NoTag { name: "event" }),
        (b"{\"event\":7}", LineError::NoTag { name: "event" }),
        (b"{\"event\":\"\"}", LineError::NoTag { name: "event" }),
        (b"{\"method\":\"run\"}", LineError::NoTag { name: "event" }),
    ];
    for (line, want) in rows {
        assert_eq!(EventLine::decode(line), Err(want), "{}", String::from_utf8_lossy(line));
    }
    for line in ["", "{", "{\"event\":\"state\"", "{} {}", "{'event':1}", &"[".repeat(100_000)] {
        assert!(matches!(EventLine::decode(line.as_bytes()), Err(LineError::NotJson { .. })), "{line:.20}");
    }
    assert_eq!(MethodLine::decode(b"{\"event\":\"state\"}"), Err(LineError::NoTag { name: "method" }));
    assert_eq!(Record::decode(b"{}"), Err(LineError::NoTag { name: "kind" }));
    assert_eq!(decode_step(b"{}"), Err(LineError::NoTag { name: "event" }));
    assert_eq!(decode_step(b"{\"do\":7}"), Err(LineError::NoTag { name: "do" }));
}

#[test]
fn defaults_fill_in_what_old_lines_leave_out() {
    let rows = [
        (json!({"event": "hello", "protocol": 1}), json!("idle"), "/state"),
        (json!({"event": "turn_end", "turn": 1}), json!("completed"), "/reason"),
        (json!({"event": "history"}), json!(false), "/more"),
        (json!({"event": "tool_call_start", "id": "c"}), json!(""), "/name"),
    ];
    for (line, want, pointer) in rows {
        assert_eq!(serde_json::to_value(event(&line)).unwrap().pointer(pointer), Some(&want), "{line}");
    }
    let run = MethodLine::decode(br#"{"method":"run","text":"hi"}"#).unwrap();
    assert_eq!(serde_json::to_value(run).unwrap()["mode"], "now");
}

#[test]
fn log_7_16_a_byte_order_mark_before_a_line_is_no_part_of_it() {
    assert_eq!(Record::decode("\u{feff}{\"kind\":\"new\"}".as_bytes()).unwrap().item.tag(), "new");
}

#[test]
fn a_recording_mixes_events_and_directives() {
    assert!(matches!(decode_step(br#"{"do":"wait","ms":1}"#).unwrap(), Step::Directive(_)));
    assert!(matches!(decode_step(br#"{"event":"bye","reason":""}"#).unwrap(), Step::Event(_)));
    let Step::Directive(later) = decode_step(br#"{"do":"dance","x":1}"#).unwrap() else {
        panic!("no directive")
    };
    assert_eq!(later.tag(), "dance");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
        proptest::sample::select(vec!["idle", "once", "read", "ok", "now", "auto", "info"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((".{0,4}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An object with any tag that is known somewhere, fields that are known somewhere, and any values.
fn any_line() -> impl Strategy<Value = Map<String, Value>> {
    let tags: Vec<&str> = [Event::TAGS, Method::TAGS, Item::TAGS, &["wait", "new", ""]].concat();
    let known =
        |tag: &&str| Event::fields(tag).or(Method::fields(tag)).or(Item::fields(tag)).unwrap_or_default();
    let mut names: Vec<&str> = tags.iter().flat_map(known).copied().collect();
    names.extend(["seq", "at", "id", "other"]);
    let tag_names = proptest::sample::select(vec!["event", "method", "kind", "do"]);
    let fields = proptest::collection::vec((proptest::sample::select(names), any_json()), 0..8);
    (tag_names, proptest::sample::select(tags), fields).prop_map(|(tag_name, tag, fields)| {
        let mut line: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        line.insert(tag_name.to_owned(), Value::from(tag));
        line
    })
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), text in "[{}\\[\\]\":,a-z0-9\\\\]{0,40}") {
        for line in [bytes.as_slice(), text.as_bytes()] {
            let _ = (EventLine::decode(line), MethodLine::decode(line), Record::decode(line));
            let _ = (decode_step(line), DirectiveLine::decode(line));
        }
    }

    #[test]
    fn what_is_written_reads_back_as_it_was(line in any_line()) {
        let bytes = frame::encode(&line);
        if let Ok(read) = EventLine::decode(&bytes) {
            prop_assert_eq!(EventLine::decode(&frame::encode(&read)).unwrap(), read);
        }
        if let Ok(read) = MethodLine::decode(&bytes) {
            prop_assert_eq!(MethodLine::decode(&frame::encode(&read)).unwrap(), read);
        }
        if let Ok(read) = Record::decode(&bytes) {
            prop_assert_eq!(Record::decode(&frame::encode(&read)).unwrap(), read);
        }
    }

    #[test]
    fn no_field_is_lost(line in any_line()) {
        let written = |value: Value| value.as_object().cloned().unwrap_or_default();
        if let Ok(read) = EventLine::from_object(line.clone()) {
            let back = written(serde_json::to_value(&read).unwrap());
            for (name, value) in &line {
                // Only what says nothing may go: a flag that is off, an empty list, a null.
                let says_nothing = matches!(value, Value::Null | Value::Bool(false)) || value == &json!([]);
                prop_assert!(back.get(name) == Some(value) || says_nothing, "{name} of {line:?} in {back:?}");
            }
        }
    }
}
