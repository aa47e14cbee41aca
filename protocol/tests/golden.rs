//! The golden lines: at least one for each kind, each field and each word of the wire, read and written unchanged.
//!
//! `tests/data/golden.jsonl` is what other programs may rely on; `docs/protocol.md` shows the same lines. A kind, a
//! field or a word that is added without a golden line and without its place in the reference fails here.

use std::collections::{BTreeMap, BTreeSet};

use carpel_protocol::event::{ApprovalOption, QueueItem, Usage};
use carpel_protocol::recording::{Directive, DirectiveLine};
use carpel_protocol::word::{
    CompactTrigger, Decision, NoticeLevel, Outcome, PodState, RunMode, ToolKind, TurnEndReason,
};
use carpel_protocol::{Event, EventLine, Item, Method, MethodLine, Record};
use serde_json::Value;

const GOLDEN: &str = include_str!("data/golden.jsonl");
const REFERENCE: &str = include_str!("../../docs/protocol.md");

/// The families of lines: the field that holds the tag, every tag, and the fields under a tag.
type Family = (&'static str, &'static [&'static str], fn(&str) -> Option<&'static [&'static str]>);
const FAMILIES: [Family; 4] = [
    ("event", Event::TAGS, Event::fields),
    ("method", Method::TAGS, Method::fields),
    ("kind", Item::TAGS, Item::fields),
    ("do", Directive::TAGS, Directive::fields),
];

/// Objects inside lines: where they stand and what they hold.
const NESTED: [(&str, &str, &[&str]); 3] = [
    ("approval_request", "/options/0", ApprovalOption::FIELDS),
    ("queue", "/items/0", QueueItem::FIELDS),
    ("usage", "", Usage::FIELDS),
];

/// Where a word may stand: the tag of a line, and the pointer to the word in it.
type Place = (&'static str, &'static str);

/// Each set of words with its places.
const WORDS: [(&str, &[&str], &[Place]); 8] = [
    ("PodState", PodState::WORDS, &[("state", "/state")]),
    ("ToolKind", ToolKind::WORDS, &[("tool_call_start", "/kind")]),
    ("Outcome", Outcome::WORDS, &[("tool_result", "/outcome")]),
    ("TurnEndReason", TurnEndReason::WORDS, &[("turn_end", "/reason")]),
    ("RunMode", RunMode::WORDS, &[("run", "/mode")]),
    ("Decision", Decision::WORDS, &[("approval_resolved", "/decision"), ("approve", "/decision")]),
    ("CompactTrigger", CompactTrigger::WORDS, &[("compact_start", "/trigger")]),
    ("NoticeLevel", NoticeLevel::WORDS, &[("notice", "/level")]),
];

/// A golden line with its family and its tag.
struct Line {
    text: &'static str,
    value: Value,
    family: &'static str,
    tag: String,
}

fn golden() -> Vec<Line> {
    let line = |text: &'static str| {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        // In this order, since events have a field `kind` and items a field `method`.
        let families = ["event", "do", "kind", "method"];
        let family = families.into_iter().find(|family| value.get(family).is_some()).unwrap_or("none");
        let tag = value[family].as_str().unwrap_or_default().to_owned();
        Line { text, value, family, tag }
    };
    GOLDEN.lines().map(line).collect()
}

#[test]
fn each_line_reads_and_writes_unchanged() {
    for Line { text, value, family, tag } in golden() {
        let bytes = text.as_bytes();
        let (known, back) = match family {
            "event" => {
                let line = EventLine::decode(bytes).unwrap();
                (
                    !matches!(line.event, Event::Unknown(_)) && line.extra.is_empty(),
                    serde_json::to_value(&line),
                )
            }
            "method" => {
                let line = MethodLine::decode(bytes).unwrap();
                (
                    !matches!(line.method, Method::Unknown(_)) && line.extra.is_empty(),
                    serde_json::to_value(&line),
                )
            }
            "kind" => {
                let line = Record::decode(bytes).unwrap();
                (!matches!(line.item, Item::Unknown(_)) && line.extra.is_empty(), serde_json::to_value(&line))
            }
            "do" => {
                let line = DirectiveLine::decode(bytes).unwrap();
                let known = !matches!(line.directive, Directive::Unknown(_)) && line.extra.is_empty();
                (known, serde_json::to_value(&line))
            }
            other => panic!("{other}: {text}"),
        };
        assert!(known, "{tag}: {text}");
        assert_eq!(back.unwrap(), value, "{text}");
    }
}

#[test]
fn each_kind_and_each_field_has_a_line() {
    let mut seen: BTreeMap<(&str, String), BTreeSet<String>> = BTreeMap::new();
    for Line { value, family, tag, .. } in golden() {
        let fields = value.as_object().unwrap().keys().cloned();
        seen.entry((family, tag)).or_default().extend(fields);
    }
    for (family, tags, fields) in FAMILIES {
        for tag in tags {
            let seen = seen
                .get(&(family, (*tag).to_owned()))
                .unwrap_or_else(|| panic!("{family} {tag}: no golden line"));
            for field in fields(tag).unwrap() {
                assert!(seen.contains(*field), "{family} {tag}: no golden line with `{field}`");
            }
        }
    }
    for (tag, pointer, fields) in NESTED {
        let lines: Vec<Line> =
            golden().into_iter().filter(|line| line.family == "event" && line.tag == tag).collect();
        for field in fields {
            let has =
                |line: &Line| line.value.pointer(pointer).is_some_and(|object| object.get(field).is_some());
            assert!(lines.iter().any(has), "{tag}{pointer}: no golden line with `{field}`");
        }
    }
}

#[test]
fn each_word_has_a_line() {
    let lines = golden();
    for (name, words, places) in WORDS {
        for word in words {
            let found = lines.iter().any(|line| {
                places.iter().any(|(tag, pointer)| {
                    line.tag == *tag && line.value.pointer(pointer).and_then(Value::as_str) == Some(word)
                })
            });
            assert!(found, "{name}: no golden line with `{word}`");
        }
    }
}

/// The part of the reference under `### \`heading\`` within the chapter `## chapter`, up to the next heading.
fn section<'a>(chapter: &str, heading: &str) -> &'a str {
    let chapter = REFERENCE.split("\n## ").find(|part| part.starts_with(chapter)).unwrap_or_default();
    chapter.split("\n### ").find(|part| part.starts_with(&format!("`{heading}`\n"))).unwrap_or_default()
}

#[test]
fn the_reference_names_everything() {
    let chapters = ["Events", "Methods", "Items", "Directives"];
    for ((family, tags, fields), chapter) in FAMILIES.into_iter().zip(chapters) {
        for tag in tags {
            let section = section(chapter, tag);
            assert!(!section.is_empty(), "docs/protocol.md: no section `{tag}` in {chapter}");
            for field in fields(tag).unwrap() {
                let row = format!("\n| `{field}` |");
                assert!(section.contains(&row), "docs/protocol.md: {chapter}, `{tag}`: no row for `{field}`");
            }
            for line in golden().into_iter().filter(|line| line.family == family && line.tag == *tag) {
                assert!(section.contains(line.text), "docs/protocol.md: `{tag}` does not show {}", line.text);
            }
        }
        let here = REFERENCE.split("\n## ").find(|part| part.starts_with(chapter)).unwrap_or_default();
        let sections = here.matches("\n### ").count();
        assert_eq!(sections, tags.len(), "docs/protocol.md: {chapter} has sections that are no kind");
    }
    for (name, words, _) in WORDS {
        let section = section("Words", name);
        for word in words {
            assert!(
                section.contains(&format!("\n| `{word}` |")),
                "docs/protocol.md: {name}: no row for `{word}`"
            );
        }
    }
    for (name, fields) in [
        ("ApprovalOption", ApprovalOption::FIELDS),
        ("QueueItem", QueueItem::FIELDS),
        ("Usage", Usage::FIELDS),
    ] {
        let section = section("Objects", name);
        for field in fields {
            assert!(
                section.contains(&format!("\n| `{field}` |")),
                "docs/protocol.md: {name}: no row for `{field}`"
            );
        }
    }
}
