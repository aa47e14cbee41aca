//! Whatever is cut off the end of a log: the whole records before the cut come back, and the log goes on.

use carpel_pod::log::outputs::Outputs;
use carpel_pod::log::problem::{Oddity, Problem};
use carpel_pod::log::restore::Restored;
use carpel_protocol::item::Compaction;
use carpel_protocol::{Item, Record};
use proptest::prelude::*;

use super::common::{Sessions, item, said};

fn any_item() -> impl Strategy<Value = Item> {
    let text = prop_oneof![any::<String>(), "[a-z{}\"\\\\:v\u{2028}\n\r\0]{0,40}"];
    (0..6, text, any::<String>()).prop_map(|(kind, text, other)| {
        let json = match kind {
            0 => serde_json::json!({"kind": "user_message", "text": text, "mood": other}),
            1 => serde_json::json!({"kind": "assistant_text", "text": text, "parent": other}),
            2 => serde_json::json!({"kind": "tool_call", "id": other, "name": "x", "arguments": text}),
            3 => serde_json::json!({"kind": "tool_result", "id": other, "summary": text, "structured": {"v": 1, "kind": "user_message", "text": text}}),
            4 => serde_json::json!({"kind": "hologram", "v": 7, "seq": "odd", "deep": [[other], {"v": 1}]}),
            _ => serde_json::json!({"kind": "user_message", "text": [other]}),
        };
        item(&json.to_string())
    })
}

/// Some of the items are ill-typed on purpose.
fn is_of_the_data(problem: &Problem) -> bool {
    matches!(problem.what, Oddity::IllTyped { .. })
}

fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    let piece = |bytes: &[u8]| Just(bytes.to_vec());
    prop_oneof![
        3 => piece(br#"{"v":1,"seq":3,"at":1,"kind":"notice","level":"info","text":"a"}"#),
        2 => piece(br#"{"v":1,"seq":9,"kind":"header","title":"b"}"#),
        2 => piece(br#"{"v":1,"seq":4,"kind":"progress"}"#),
        2 => piece(br#"{"v":1,"seq":5,"kind":"user_mess"#),
        4 => piece(b"\n"),
        1 => piece(b"\r\n \n"),
        1 => piece(b"\0\0"),
        1 => piece("\u{feff}".as_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

/// An appended record as a reader finds it: `Item` alone carries no fields from elsewhere.
fn contents(records: &[Record]) -> Vec<serde_json::Value> {
    records.iter().map(|record| serde_json::to_value(record).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_is_whole_before_a_cut_is_restored(items in prop::collection::vec(any_item(), 0..8), cut in any::<prop::sample::Index>()) {
        let sessions = Sessions::new();
        let mut log = sessions.create();
        let mut ends = vec![sessions.bytes().len()];
        let mut written = Vec::new();
        for (at, item) in items.iter().enumerate() {
            written.push(log.append(item, at as i64 - 3).unwrap());
            ends.push(sessions.bytes().len());
        }
        drop(log);
        let whole = sessions.open().1;
        prop_assert_eq!(contents(&whole.records), contents(&written));

        let all = sessions.bytes();
        let cut = cut.index(all.len() + 1);
        std::fs::write(sessions.segment(), &all[..cut]).unwrap();
        // A record without its LF is whole.
        let lines = ends.iter().filter(|end| **end <= cut + 1).count();
        let kept = lines.saturating_sub(1);
        let (mut log, restored) = sessions.open();
        prop_assert_eq!(contents(&restored.records), contents(&written[..kept]));
        prop_assert_eq!(restored.next_seq as usize, if lines == 0 { 1 } else { kept + 2 });

        let added = log.append(&said("after the crash"), 9).unwrap();
        drop(log);
        let again = sessions.open().1;
        let odd = |restored: &Restored| restored.problems.iter().filter(|problem| !is_of_the_data(problem)).count();
        prop_assert_eq!(odd(&again), usize::from(lines == 0), "only the header may be gone: {:?}", again.problems);
        prop_assert_eq!(contents(&again.records[..kept]), contents(&written[..kept]));
        prop_assert_eq!(&again.records[kept..], &[added]);

        // Every byte that was there is still somewhere.
        let torn = std::fs::read(sessions.path().join("s/0001.jsonl.torn-1")).unwrap_or_default();
        let now = sessions.bytes();
        prop_assert!(now.starts_with(&all[..cut - torn.len()]));
        prop_assert_eq!(&torn[..], &all[cut - torn.len()..cut]);
    }

    /// Whatever the bytes are: they stay, the session opens, and what is added reads back.
    #[test]
    fn any_bytes_can_be_gone_on_with(pieces in prop::collection::vec(any_piece(), 0..12)) {
        let bytes = pieces.concat();
        let sessions = Sessions::with(&bytes);
        let (mut log, first) = sessions.open();
        let added = log.append(&said("added"), 1).unwrap();
        drop(log);
        let (_, again) = sessions.open();
        prop_assert_eq!(again.records.split_last(), Some((&added, &first.records[..])));
        let torn = std::fs::read(sessions.path().join("s/0001.jsonl.torn-1")).unwrap_or_default();
        prop_assert!(sessions.bytes().starts_with(&bytes[..bytes.len() - torn.len()]));
        prop_assert!(bytes.ends_with(&torn));
    }

    #[test]
    fn pieces_of_an_output_make_the_whole(text in "[aé世👩\n]{0,60}", max in 1usize..9) {
        let sessions = Sessions::new();
        let log = sessions.create();
        let whole = text.repeat(70_000 / text.len().max(1) + 1);
        let whole = if text.is_empty() { "x".repeat(70_000) } else { whole };
        let spilled = log.outputs().spill(&whole).unwrap();
        let reference = spilled.reference.unwrap();
        prop_assert!(spilled.text.len() <= 64 << 10);
        prop_assert_eq!(spilled.total, whole.len() as u64);
        read_all(log.outputs(), &reference, &whole, max * 997)?;
        let from = whole.len() as u64 - 40;
        let mut offset = whole.char_indices().map(|(at, _)| at as u64).find(|at| *at >= from).unwrap();
        let mut tail = String::new();
        let start = offset as usize;
        loop {
            let piece = log.outputs().read(&reference, offset, max).unwrap();
            prop_assert!(!piece.text.is_empty());
            tail.push_str(&piece.text);
            match piece.next { Some(next) => offset = next, None => break }
        }
        prop_assert_eq!(tail, &whole[start..]);
    }
}

fn read_all(outputs: &Outputs, reference: &str, whole: &str, max: usize) -> Result<(), TestCaseError> {
    let (mut offset, mut text) = (0, String::new());
    loop {
        let piece = outputs.read(reference, offset, max).unwrap();
        prop_assert_eq!((piece.offset, piece.total), (offset, whole.len() as u64));
        text.push_str(&piece.text);
        match piece.next {
            Some(next) => offset = next,
            None => break,
        }
    }
    prop_assert_eq!(text, whole);
    Ok(())
}

#[test]
fn outputs_are_named_by_what_they_hold() {
    let sessions = Sessions::new();
    let log = sessions.create();
    let outputs = log.outputs();
    let short = outputs.spill("short").unwrap();
    assert_eq!((short.text.as_str(), short.total, short.reference), ("short", 5, None));
    let long = "é".repeat(50_000);
    let spilled = outputs.spill(&long).unwrap();
    assert_eq!(outputs.spill(&long).unwrap(), spilled);
    assert_eq!(std::fs::read_dir(sessions.path().join("s/outputs")).unwrap().count(), 1);
    assert!(spilled.text.contains("\n[... 38560 bytes left out ...]\n"), "{}", &spilled.text[40_950..41_010]);
    let reference = spilled.reference.unwrap();
    // In the middle of a character: the piece begins behind it.
    let piece = outputs.read(&reference, 1, 3).unwrap();
    assert_eq!((piece.text.as_str(), piece.offset, piece.next), ("é", 2, Some(4)));
    assert_eq!(outputs.read(&reference, 1 << 40, 3).unwrap().next, None);
    for wrong in ["../lock", "", "0", &"0".repeat(64)] {
        let error = outputs.read(wrong, 0, 9).unwrap_err().to_string();
        assert_eq!(error, format!("{wrong:?} names no output of this session"));
    }
}

#[test]
fn rotation_goes_on_with_the_numbers() {
    let sessions = Sessions::new();
    let mut log = sessions.create();
    log.append(&said("old"), 1).unwrap();
    log.rename("renamed", 2).unwrap();
    let first = sessions.bytes();
    let compaction =
        Compaction { summary: "short".into(), before: 9, after: 1, from_segment: 77, kept_from: None };
    let mark = log.rotate(compaction, 3).unwrap();
    let Item::Compaction(done) = &mark.item else { panic!("{mark:?}") };
    assert_eq!((mark.seq, done.from_segment), (Some(5), 1));
    log.append(&said("new"), 4).unwrap();
    drop(log);
    assert_eq!(sessions.bytes(), first, "the old segment stays as it was");

    let (log, restored) = sessions.open();
    let numbers: Vec<_> =
        restored.records.iter().map(|record| (record.seq.unwrap(), record.item.tag())).collect();
    assert_eq!(numbers, [(2, "assistant_text"), (5, "compaction"), (6, "assistant_text")]);
    assert_eq!((log.next_seq(), log.header().segment, log.header().title.as_str()), (7, 2, "renamed"));
    assert_eq!((restored.header.from_segment, restored.header.created_at), (Some(1), Some(1000)));
    assert_eq!(restored.problems, []);
}

#[test]
fn a_rotation_that_fails_changes_nothing() {
    let sessions = Sessions::new();
    let mut log = sessions.create();
    log.append(&said("one"), 1).unwrap();
    let compaction =
        || Compaction { summary: "s".into(), before: 2, after: 1, from_segment: 0, kept_from: None };
    // A folder under the name that the new segment is written under.
    let blocked = sessions.path().join("s/0002.jsonl.new");
    std::fs::create_dir(&blocked).unwrap();
    let error = log.rotate(compaction(), 2).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot create {}: ", blocked.display())), "{error}");
    assert_eq!(log.append(&said("two"), 3).unwrap().seq, Some(3));
    std::fs::remove_dir(&blocked).unwrap();
    assert_eq!(log.rotate(compaction(), 4).unwrap().seq, Some(5));
    log.rotate(compaction(), 5).unwrap();
    drop(log);
    assert_eq!(sessions.open().1.records.len(), 4);
    let info = carpel_pod::log::list::list(sessions.path()).unwrap().remove(0);
    assert!((4..=7).contains(&info.items), "the segment in the middle counts: {info:?}");
}

#[test]
fn a_log_without_a_header_can_be_given_one() {
    let sessions = Sessions::with(b"");
    let (mut log, _) = sessions.open();
    log.describe(carpel_pod::log::header::Header::new("other", "t", "/w"), 1).unwrap();
    drop(log);
    let header = sessions.open().1.header;
    assert_eq!((header.id.as_str(), header.title.as_str(), header.cwd.as_str()), ("s", "t", "/w"));
}
