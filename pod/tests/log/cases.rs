//! Each file of `data/sessions` as a log: what loads, what is reported, what the disk holds afterwards.
//!
//! The files have generic names of kinds. The reader takes them as they are (kinds from elsewhere are kept), and `as_ours`
//! maps a record to the real kind where a test is about its meaning.

use std::collections::BTreeSet;
use std::path::Path;

use carpel_pod::log::pairing::{interrupted, pairing};
use carpel_pod::log::restore::{Restored, restore};
use carpel_protocol::{Item, Record};
use serde_json::{Value, json};

use super::common::{Sessions, problems, said};

/// Loads a case, appends to it, reads it back, and checks what was there and what was told.
/// `records` are seq and kind of each, `told` a part of each problem.
fn check(name: &str, records: &[&str], told: &[&str]) -> (Sessions, Restored) {
    let bytes = std::fs::read(folder().join(name)).unwrap();
    let sessions = Sessions::with(&bytes);
    let seen = restore(sessions.path(), "s").unwrap();
    assert_eq!(sessions.bytes(), bytes, "{name}: reading changes nothing");

    let (mut log, restored) = sessions.open();
    assert_eq!(brief(&restored.records), records, "{name}");
    assert_eq!(seen.records, restored.records, "{name}: with and without the lock");
    let sentences = problems(&restored);
    assert_eq!(sentences.len(), told.len(), "{name}: {sentences:?}");
    for (sentence, part) in sentences.iter().zip(told) {
        let path = sessions.segment();
        assert!(sentence.starts_with(&path.display().to_string()), "{name}: {sentence}");
        assert!(sentence.contains(part), "{name}: {sentence} does not say {part}");
        assert!(!sentence.contains("delete") && !sentence.contains("remove"), "{name}: {sentence}");
    }

    let added = log.append(&said("added"), 5).unwrap();
    assert_eq!(added.seq, Some(restored.next_seq), "{name}");
    drop(log);
    let again = sessions.open().1;
    assert_eq!(again.records.split_last(), Some((&added, &restored.records[..])), "{name}: reads back");
    assert_eq!(again.next_seq, restored.next_seq + 1, "{name}");
    (sessions, restored)
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sessions")
}

fn brief(records: &[Record]) -> Vec<String> {
    let number = |record: &Record| record.seq.map_or_else(|| "-".to_owned(), |seq| seq.to_string());
    records.iter().map(|record| format!("{} {}", number(record), record.item.tag())).collect()
}

/// The generic names of the cases in the words of carpel.
fn as_ours(record: &Record) -> Record {
    let mut fields = match serde_json::to_value(record).unwrap() {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    };
    let kind = match record.item.tag() {
        "user" => "user_message",
        "assistant" => "assistant_text",
        "tool_use" => "tool_call",
        other => other,
    };
    fields.insert("kind".into(), json!(kind));
    for (theirs, ours) in [("text", "summary"), ("args", "arguments")] {
        if kind.starts_with("tool_")
            && let Some(value) = fields.remove(theirs)
        {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            fields.insert(ours.into(), json!(text));
        }
    }
    Record::from_object(fields).unwrap()
}

fn text_of(record: &Record) -> String {
    match as_ours(record).item {
        Item::UserMessage(message) => message.text,
        Item::AssistantText(text) => text.text,
        Item::ToolResult(result) => result.summary,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_file_has_a_test() {
    let here = include_str!("cases.rs");
    let names: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() >= 13, "{names:?}");
    for name in names {
        assert!(here.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn log_7_01_s01_torn_tail() {
    let all = ["2 user", "3 assistant", "4 tool_use", "5 tool_result", "6 assistant"];
    let (sessions, restored) = check(
        "s01_torn_tail.jsonl",
        &all,
        &["line 7: the last record was cut off after 48 bytes; they are kept in "],
    );
    let kept = std::fs::read(sessions.path().join("s/0001.jsonl.torn-1")).unwrap();
    assert_eq!(kept, br#"{"v": 1, "seq": 7, "time": "2025-06-01T10:00:07Z"#);
    assert_eq!(restored.header.title, "demo");
    assert_eq!(restored.next_seq, 7);
}

#[test]
fn s02_fragment_glued_to_next() {
    let (_, restored) = check(
        "s02_fragment_glued_to_next.jsonl",
        &["2 user", "3 assistant", "5 user", "6 assistant"],
        &["line 4: damaged ("],
    );
    assert_eq!(text_of(&restored.records[2]), "written after the crash");
}

#[test]
fn s03_nul_block_mid() {
    let all = ["2 user", "3 assistant", "4 tool_use", "5 tool_result", "6 assistant"];
    check("s03_nul_block_mid.jsonl", &all, &["line 4: 512 NUL bytes, skipped"]);
}

#[test]
fn s04_unknown_kind_and_field() {
    let all = ["2 user", "3 assistant", "4 hologram", "5 user"];
    let (_, restored) = check("s04_unknown_kind_and_field.jsonl", &all, &[]);
    let hologram = serde_json::to_value(&restored.records[2]).unwrap();
    assert_eq!(hologram["payload"], json!({"x": 1}), "the unknown kind is kept");
    assert_eq!(as_ours(&restored.records[3]).extra["mood"], json!("new"), "the unknown field is kept");
}

#[test]
fn s05_old_without_fields() {
    let all = ["- user", "- assistant", "- compaction_complete", "- user"];
    let (_, restored) = check("s05_old_without_fields.jsonl", &all, &["no header"]);
    assert_eq!(text_of(&restored.records[0]), "no version, no seq, no time");
    assert_eq!((restored.next_seq, restored.header.id.as_str()), (5, "s"));
}

#[test]
fn s06_orphan_tool_use() {
    let all = ["2 user", "3 assistant", "4 tool_use", "5 tool_use", "6 tool_result", "7 user"];
    let (_, restored) = check("s06_orphan_tool_use.jsonl", &all, &[]);
    let records: Vec<Record> = restored.records.iter().map(as_ours).collect();
    let pairing = pairing(&records);
    assert_eq!((pairing.unanswered.as_slice(), pairing.orphans.as_slice()), (&[2][..], &[][..]));
    let Item::ToolCall(call) = &records[2].item else { panic!("{records:?}") };
    let result = interrupted(call, false);
    assert_eq!((result.id.as_str(), result.settled().as_str()), ("c1", "interrupted"));
}

#[test]
fn s07_orphan_tool_result() {
    let (_, restored) = check("s07_orphan_tool_result.jsonl", &["2 tool_result", "3 user"], &[]);
    let records: Vec<Record> = restored.records.iter().map(as_ours).collect();
    let pairing = pairing(&records);
    assert_eq!((pairing.unanswered.as_slice(), pairing.orphans.as_slice()), (&[][..], &[0][..]));
}

#[test]
fn log_7_13_s08_clock_backwards() {
    let all = ["2 user", "3 assistant", "4 tool_use", "5 tool_result", "6 assistant"];
    let (_, restored) = check("s08_clock_backwards.jsonl", &all, &[]);
    let records: Vec<Record> = restored.records.iter().map(as_ours).collect();
    assert_eq!(pairing(&records), Default::default(), "the result stays behind its call");
}

#[test]
fn s09_two_writers_same_seq() {
    let (_, restored) = check(
        "s09_two_writers_same_seq.jsonl",
        &["2 user", "3 assistant", "4 user", "4 user", "5 assistant", "5 assistant"],
        &["line 5: record number 4 for the second time, and 1 more such records after it"],
    );
    let texts: Vec<String> = restored.records[2..].iter().map(text_of).collect();
    assert_eq!(texts, ["from process A", "from process B", "to A", "to B"]);
}

#[test]
fn s10_line_separator_raw() {
    let (_, restored) = check("s10_line_separator_raw.jsonl", &["1 user", "2 assistant"], &["no header"]);
    assert_eq!(text_of(&restored.records[0]), "pasted\u{2028}line\u{2029}sep\u{85}nel");
}

#[test]
fn s11_bom_crlf_blank_lines() {
    let (sessions, restored) =
        check("s11_bom_crlf_blank_lines.jsonl", &["2 user", "3 assistant", "6 assistant"], &[]);
    assert_eq!(restored.header.title, "demo");
    let original = std::fs::read(folder().join("s11_bom_crlf_blank_lines.jsonl")).unwrap();
    assert!(sessions.bytes().starts_with(&original), "what was there is not rewritten");
}

#[test]
fn s12_zero_bytes() {
    let (_, restored) = check("s12_zero_bytes.jsonl", &[], &["the file is empty"]);
    assert_eq!(restored.next_seq, 1);
}

#[test]
fn s13_non_json_line() {
    let all = ["2 user", "3 assistant", "4 tool_use", "5 tool_result", "6 assistant"];
    check("s13_non_json_line.jsonl", &all, &[r#"line 3: no record, skipped (not JSON"#]);
}
