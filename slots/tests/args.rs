//! `Args::partial` by table and against oracles.

use carpel_slots::Args;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What is read of a text that may go on, and of one that has ended.
fn check(raw: &str, streaming: impl Into<Option<Value>>, complete: impl Into<Option<Value>>) {
    assert_eq!(Args::streaming(raw).partial().cloned(), streaming.into(), "streaming {raw:?}");
    assert_eq!(Args::complete(raw).partial().cloned(), complete.into(), "complete {raw:?}");
}

fn check_both(raw: &str, want: Value) {
    check(raw, want.clone(), want);
}

#[test]
fn open_things_are_closed() {
    check("", None, None);
    check("  ", None, None);
    check_both("{", json!({}));
    check_both(r#"{"a"#, json!({}));
    check_both(r#"{"a""#, json!({}));
    check_both(r#"{"a":"#, json!({}));
    check_both(r#"{"a":""#, json!({"a": ""}));
    check_both(r#"{"a":"x"#, json!({"a": "x"}));
    check_both(r#"{"a":"x","#, json!({"a": "x"}));
    check_both(r#"{"a":[1,{"b":["#, json!({"a": [1, {"b": []}]}));
    check_both(r#"{"a":"x"}"#, json!({"a": "x"}));
    check_both("[", json!([]));
    check_both(r#""ab"#, json!("ab"));
}

#[test]
fn what_may_go_on_is_left_out() {
    check(r#"{"a":1"#, json!({}), json!({"a": 1}));
    check(r#"{"a":1 "#, json!({"a": 1}), json!({"a": 1}));
    check(r#"{"a":-"#, json!({}), json!({}));
    check(r#"{"a":1.5e"#, json!({}), json!({}));
    check_both(r#"{"a":tru"#, json!({}));
    check_both(r#"{"a":true"#, json!({"a": true}));
    check_both(r#"{"a":nul"#, json!({}));
    check_both(r#"{"a":null,"b":false"#, json!({"a": null, "b": false}));
    check("1", None, json!(1));
}

#[test]
fn half_escapes_are_dropped() {
    check_both(r#"{"a":"x\"#, json!({"a": "x"}));
    check_both(r#"{"a":"x\n\"#, json!({"a": "x\n"}));
    check_both(r#"{"a":"x\u00"#, json!({"a": "x"}));
    check_both(r#"{"a":"x\u00e9"#, json!({"a": "xé"}));
    check(r#"{"a":"x\ud83d"#, json!({"a": "x"}), json!({"a": "x\u{fffd}"}));
    check(r#"{"a":"x\ud83d\"#, json!({"a": "x"}), json!({"a": "x\u{fffd}"}));
    check(r#"{"a":"x\ud83d\ude"#, json!({"a": "x"}), json!({"a": "x\u{fffd}"}));
    check_both(r#"{"a":"x\ud83d\ude00"#, json!({"a": "x😀"}));
    check_both(r#"{"a\u00e9\"b":"x"#, json!({"aé\"b": "x"}));
}

#[test]
fn invalid_text_gives_its_beginning() {
    check("not json", None, None);
    check("nothing", None, None);
    check_both(r#"{"a":"x" "b":"y"}"#, json!({"a": "x"}));
    check_both(r#"{"a":"x",,"b":"y"}"#, json!({"a": "x"}));
    check_both(r#"{"a":"x",'b':"y"}"#, json!({"a": "x"}));
    check_both(r#"{"a":[1,2,oops],"b":1}"#, json!({"a": [1, 2]}));
    check_both(r#"{"a":1.2.3,"b":1}"#, json!({}));
    check_both(r#"{"a":"x"}{"b":"y"}"#, json!({"a": "x"}));
    // Models write these; a preview reads on.
    check_both("{\"a\":\"x\ty\nz\",\"b\":\"c\"}", json!({"a": "x\ty\nz", "b": "c"}));
    check_both(r#"{"a":"x\ud83d y","b":"c"}"#, json!({"a": "x\u{fffd} y", "b": "c"}));
    // And these, which could mean anything.
    check_both(r#"{"a":"x\`y","b":"c"}"#, json!({"a": "x"}));
    check_both(r#"{"a":"\U0001F600","b":"c"}"#, json!({"a": ""}));
    check_both(r#"{"a":"\u12é4","b":"c"}"#, json!({"a": ""}));
}

#[test]
fn log_5_06_a_preview_may_guess_acting_may_not() {
    assert_eq!(Args::streaming(r#"{"a":1}"#).value(), None);
    assert_eq!(Args::complete(r#"{"a":1}"#).value(), Some(&json!({"a": 1})));
    assert_eq!(Args::complete(r#"{"a":1"#).value(), None);
    for raw in [
        r#"{"path":"a.txt","content":"first half of the fi"#,
        "{\"path\":\"a.py\",\"old\":\"tab:\there\",\"new\":\"\\U0001F600 \\` \"}",
    ] {
        assert_eq!(Args::complete(raw).value(), None, "{raw}");
        assert!(Args::complete(raw).partial_str("path").is_some(), "{raw}");
    }
}

#[test]
fn log_5_14_nothing_stands_in_place_of_broken_text() {
    for raw in ["", " ", "{", "}", "nul"] {
        assert_eq!(Args::complete(raw).value(), None, "{raw}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = "[".repeat(100_000);
    let mut depth = 0;
    let args = Args::streaming(deep);
    let mut level = args.partial();
    while let Some(value) = level {
        depth += 1;
        level = value.get(0);
    }
    assert_eq!(depth, 128);
}

#[test]
fn pieces_add_up() {
    let mut args = Args::streaming("");
    for piece in ["{\"a\":", "\"x", "y", "\"}"] {
        args.push(piece);
        args.partial();
    }
    assert_eq!(args.partial(), Some(&json!({"a": "xy"})));
    assert_eq!(args.partial_str("a").as_deref(), Some("xy"));
    assert_eq!(args.partial_str("b"), None);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_string().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((any_string(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn any_string() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,8}",
        "[\"\\\\/\n\t\u{1}é漢😀]{0,6}",
        proptest::collection::vec(any::<char>(), 0..5).prop_map(|chars| chars.into_iter().collect())
    ]
}

/// The text of a value, with every character outside ASCII as an escape, as many servers write it.
fn escaped(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

/// True when `part` is what one may know of `whole` from a beginning of its text.
fn is_beginning(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part.iter().zip(whole).enumerate().all(|(at, (item, whole))| {
                    if at + 1 < part.len() { item == whole } else { is_beginning(item, whole) }
                })
        }
        (Value::Object(part), Value::Object(whole)) => {
            let cut = part.iter().filter(|(key, value)| whole.get(*key) != Some(value)).count();
            cut <= 1
                && part
                    .iter()
                    .all(|(key, value)| whole.get(key).is_some_and(|whole| is_beginning(value, whole)))
        }
        (part, whole) => part == whole,
    }
}

proptest! {
    #[test]
    fn every_beginning_of_a_text_gives_a_beginning_of_its_value(value in any_value(), pretty in any::<bool>(), escapes in any::<bool>()) {
        let text = match (pretty, escapes) {
            (true, _) => serde_json::to_string_pretty(&value).unwrap(),
            (false, true) => escaped(&value),
            (false, false) => value.to_string(),
        };
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut longest = 0;
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Some(part) = Args::streaming(&text[..end]).partial() {
                prop_assert!(is_beginning(part, &value), "{:?} gave {part}", &text[..end]);
                let size = part.to_string().len();
                prop_assert!(size >= longest, "{:?} gave less than before: {part}", &text[..end]);
                longest = size;
            }
        }
        let args = Args::complete(text.as_str());
        prop_assert_eq!(args.value(), Some(&value));
        prop_assert_eq!(args.partial(), Some(&value));
        let streaming = Args::streaming(text);
        if !value.is_number() {
            prop_assert_eq!(streaming.partial(), Some(&value));
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in any::<String>(), json in "[\\[\\]{}\",:\\\\u0-9a-fd-e. ntr\u{e9}-]{0,40}") {
        for text in [text, json] {
            let partial = Args::streaming(text.as_str()).partial().cloned();
            // A strict parser never knows better.
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert!(partial.is_none_or(|partial| is_beginning(&partial, &value)));
                prop_assert_eq!(Args::complete(text.as_str()).partial().cloned(), Some(value));
            }
        }
    }
}
