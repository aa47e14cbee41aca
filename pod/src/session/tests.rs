//! Records by number, titles, and a session over its end and beginning.

use carpel_protocol::item::AssistantText;

use super::*;

fn said(text: &str) -> Item {
    Item::AssistantText(AssistantText { text: text.to_owned(), parent: None })
}

fn texts(records: &[Record]) -> Vec<String> {
    let text = |record: &Record| match &record.item {
        Item::AssistantText(text) => text.text.clone(),
        Item::ToolResult(result) => format!("{} {}", result.id, result.settled()),
        item => item.tag().to_owned(),
    };
    records.iter().map(text).collect()
}

/// Restores a log of these lines; `since` gives `expected`.
fn check(lines: &[&str], since: &[(u64, &[&str])], notices: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("s")).unwrap();
    std::fs::write(dir.path().join("s/0001.jsonl"), lines.join("\n") + "\n").unwrap();
    let before = std::fs::read(dir.path().join("s/0001.jsonl")).unwrap();
    let (session, told) = Session::resume(dir.path(), "s", 1).unwrap();
    for (since, expected) in since {
        assert_eq!(texts(session.after(*since)), *expected, "after {since}");
    }
    assert_eq!(told.iter().map(|notice| notice.code.as_str()).collect::<Vec<_>>(), notices);
    drop(session);
    let (again, _) = Session::resume(dir.path(), "s", 2).unwrap();
    assert_eq!(texts(again.after(0)), *since[0].1, "restored once more");
    assert_eq!(std::fs::read(dir.path().join("s/0001.jsonl")).unwrap(), before, "the log is not changed");
}

const HEADER: &str = r#"{"v":1,"seq":1,"at":1,"kind":"header","id":"s","title":"t","cwd":"/w","segment":1}"#;

#[test]
fn records_are_found_by_number() {
    let (a, b) = (
        r#"{"kind":"assistant_text","seq":2,"text":"a"}"#,
        r#"{"kind":"assistant_text","seq":5,"text":"b"}"#,
    );
    check(
        &[HEADER, a, b],
        &[(0, &["a", "b"]), (1, &["a", "b"]), (2, &["b"]), (4, &["b"]), (5, &[]), (900, &[])],
        &[],
    );
}

#[test]
fn records_without_numbers_are_counted_where_they_can_be() {
    let no = |text: &str| format!(r#"{{"kind":"assistant_text","text":"{text}"}}"#);
    let (a, b, d) = (no("a"), no("b"), no("d"));
    let c = r#"{"kind":"assistant_text","seq":3,"text":"c"}"#;
    check(&[HEADER, &a, &b, c, &d], &[(0, &["a", "b", "c", "d"]), (1, &["b", "c", "d"]), (3, &["d"])], &[]);
    // No room between two numbers: it is told again rather than never.
    let e = r#"{"kind":"assistant_text","seq":4,"text":"e"}"#;
    check(&[HEADER, c, &a, e], &[(0, &["c", "a", "e"]), (3, &["a", "e"]), (4, &[])], &[]);
}

#[test]
fn an_open_call_is_interrupted_at_the_end_of_its_turn() {
    let user = r#"{"kind":"user_message","seq":2,"text":"go"}"#;
    let call = |seq: u64, id: &str| {
        format!(r#"{{"kind":"tool_call","seq":{seq},"id":"{id}","name":"Read","arguments":"{{}}"}}"#)
    };
    let result = r#"{"kind":"tool_result","seq":5,"id":"c2","summary":"x","outcome":"ok"}"#;
    let next = r#"{"kind":"user_message","seq":6,"text":"next"}"#;
    let done = r#"{"kind":"assistant_text","seq":7,"text":"done"}"#;
    let all = ["user_message", "tool_call", "tool_call", "c2 ok", "c1 interrupted", "user_message", "done"];
    check(&[HEADER, user, &call(3, "c1"), &call(4, "c2"), result, next, done], &[(0, &all), (7, &[])], &[]);
    check(
        &[HEADER, user, &call(3, "c1")],
        &[(0, &["user_message", "tool_call", "c1 interrupted"]), (3, &["c1 interrupted"])],
        &["interrupted"],
    );
}

#[test]
fn nothing_is_left_of_a_session_without_a_prompt() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = dir.path().join("sessions");
    let mut session = Session::on_disk("s", "/w", &sessions);
    session.rename("mine", 1).unwrap();
    session.sync().unwrap();
    drop(session);
    assert!(!sessions.exists());
    let mut session = Session::on_disk("s", "/w", &sessions);
    assert!(session.begin("\n  look at\tthis  \nand that", 1).unwrap());
    assert_eq!(session.append(said("a"), 2).unwrap(), 2);
    assert!(!session.begin("another", 3).unwrap());
    drop(session);
    let (session, notices) = Session::resume(&sessions, "s", 4).unwrap();
    assert_eq!((session.title(), notices.len()), ("look at this", 0));
    assert_eq!(texts(session.after(0)), ["a"]);
}

#[test]
fn titles_are_one_row() {
    for (prompt, expected) in [
        ("hello", "hello".to_owned()),
        ("", String::new()),
        ("\n\n a  b \n c", "a b".to_owned()),
        (&"x".repeat(80), "x".repeat(80)),
        (&"x".repeat(81), format!("{}\u{2026}", "x".repeat(79))),
    ] {
        assert_eq!(title_of(prompt), expected);
    }
}

/// Many problems of one kind are one sentence for the person.
#[test]
fn damage_of_one_kind_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("s")).unwrap();
    let lines = format!("{HEADER}\n{}", "x\n".repeat(7));
    std::fs::write(dir.path().join("s/0001.jsonl"), lines).unwrap();
    let (_, told) = Session::resume(dir.path(), "s", 1).unwrap();
    let told: Vec<&str> = told.iter().map(|notice| notice.text.as_str()).collect();
    let [only] = told[..] else { panic!("{told:?}") };
    assert!(
        only.contains("line 2: no record") && only.ends_with("and 6 more like this in that file"),
        "{only}"
    );
}

/// A session remembers who answered in it, says so when somebody else goes on, and a lost header is written again.
#[test]
fn who_answers_is_kept_and_a_change_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let goes_on = |id: &str, provider: &str, model: &str| {
        let (mut session, _) = Session::resume(dir.path(), id, 1).unwrap();
        let told = session.goes_on_with(provider, model, "/here").map(|notice| notice.text);
        session.begin("more", 2).unwrap();
        session.append(said("x"), 3).unwrap();
        told
    };
    let mut first = Session::on_disk("s", "/w", dir.path());
    assert_eq!(first.goes_on_with("guide", "guide", "/w"), None);
    first.begin("hello", 1).unwrap();
    first.append(said("a"), 1).unwrap();
    drop(first);
    assert_eq!(goes_on("s", "guide", "guide"), None);
    let told = goes_on("s", "anthropic", "claude").unwrap();
    assert!(told.contains("so far guide answered") && told.contains("claude (anthropic)"), "{told}");
    assert_eq!(goes_on("s", "anthropic", "claude"), None, "it is told once");
    let (back, _) = Session::resume(dir.path(), "s", 9).unwrap();
    assert_eq!((back.title(), back.cwd.as_str(), back.records().len()), ("hello", "/w", 4));
    drop(back);
    let told = goes_on("s", "guide", "guide (no model)").unwrap();
    assert!(told.contains("from now on guide (no model) does"), "{told}");

    std::fs::create_dir(dir.path().join("emptied")).unwrap();
    std::fs::write(dir.path().join("emptied/0001.jsonl"), "").unwrap();
    assert_eq!(goes_on("emptied", "guide", "guide"), None);
    let (back, told) = Session::resume(dir.path(), "emptied", 9).unwrap();
    assert_eq!((back.title(), back.cwd.as_str(), told.len()), ("more", "/here", 0), "{told:?}");
}

/// Calls that were being written when their pod was killed are there, as interrupted ones, and stay where they were.
#[test]
fn log_5_22_calls_being_written_count_only_where_a_pod_went_away() {
    let asked = r#"{"kind":"user_message","seq":2,"text":"go"}"#;
    let draft = |id: &str, arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        format!(
            r#"{{"v":1,"at":3,"kind":"draft","call":{{"id":"{id}","name":"Edit","arguments":{arguments}}}}}"#
        )
    };
    let (bare, one, two) = (draft("c1", ""), draft("c1", "{\"a\":1}"), draft("c2", ""));
    let lost = ["user_message", "tool_call", "tool_call", "c1 interrupted", "c2 interrupted"];
    check(
        &[HEADER, asked, &bare, &one, &two],
        &[(0, &lost), (2, &lost[1..]), (3, &lost[2..])],
        &["interrupted"],
    );
    let next = r#"{"kind":"user_message","seq":5,"text":"next"}"#;
    let answer = r#"{"kind":"assistant_text","seq":6,"text":"a"}"#;
    let both: Vec<&str> = lost.iter().copied().chain(["user_message", "a"]).collect();
    check(&[HEADER, asked, &bare, &one, &two, next, answer], &[(0, &both), (4, &both[3..])], &[]);
    let end = r#"{"kind":"turn_end","seq":3,"turn":1,"reason":"cancelled"}"#;
    check(&[HEADER, asked, &one, &two, end], &[(0, &["user_message", "turn_end"])], &[]);
    let given_up = r#"{"v":1,"at":3,"kind":"draft"}"#;
    check(&[HEADER, asked, &one, given_up], &[(0, &["user_message"])], &["interrupted"]);
    let call = r#"{"kind":"tool_call","seq":3,"id":"c1","name":"Edit","arguments":"{}"}"#;
    check(
        &[HEADER, asked, &one, call],
        &[(0, &["user_message", "tool_call", "c1 interrupted"])],
        &["interrupted"],
    );
}

/// A call is said not to have been started only where that is known.
#[test]
fn what_never_began_is_told_from_what_may_have_run() {
    let check = |lines: &[&str], expected: &[(&str, &str)]| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("s")).unwrap();
        let head = [HEADER, r#"{"kind":"user_message","seq":2,"text":"go"}"#];
        let text = [&head, lines].concat().join("\n") + "\n";
        std::fs::write(dir.path().join("s/0001.jsonl"), text).unwrap();
        let (session, _) = Session::resume(dir.path(), "s", 1).unwrap();
        let summaries = session.after(0).iter().filter_map(|record| match &record.item {
            Item::ToolResult(result) => Some((result.id.as_str(), result.summary.as_str())),
            _ => None,
        });
        assert_eq!(summaries.collect::<Vec<_>>(), expected, "{lines:#?}");
        let extra = session.after(0).iter().any(|record| !record.extra.is_empty());
        assert!(!extra, "what the log notes for itself is not told");
    };
    let call = |seq: u64, id: &str, begun: &str| {
        format!(
            r#"{{"v":1,"kind":"tool_call","seq":{seq},"id":"{id}","name":"Edit","arguments":"{{}}"{begun}}}"#
        )
    };
    let (first, second) = (call(3, "c1", r#","begun":false"#), call(4, "c2", r#","begun":false"#));
    let begun = |id: &str| format!(r#"{{"v":1,"at":1,"kind":"begun","id":"{id}"}}"#);
    let (unknown, not_begun) = ("interrupted: nothing is known of what it did", "not started");
    check(&[&first, &second], &[("c1", not_begun), ("c2", not_begun)]);
    check(&[&first, &second, &begun("c1")], &[("c1", unknown), ("c2", not_begun)]);
    check(&[&first, &begun("c1"), &second, &begun("c9")], &[("c1", unknown), ("c2", not_begun)]);
    // A program that notes no beginnings.
    check(&[&call(3, "c1", "")], &[("c1", unknown)]);
    // What was still being written never ran, whoever wrote the log.
    let draft = r#"{"v":1,"at":3,"kind":"draft","call":{"id":"c1","name":"Edit","arguments":"{"}}"#;
    check(&[draft], &[("c1", not_begun)]);
    // The same id once more, in a turn of its own.
    let (next, again) =
        (r#"{"kind":"user_message","seq":5,"text":"next"}"#, call(6, "c1", r#","begun":false"#));
    check(&[&first, next, &again, &begun("c1")], &[("c1", not_begun), ("c1", unknown)]);
}

/// A line that somebody copied (an editor, a merge) is told as a copy and changes nothing: no second writer, no turn
/// that was cut off.
#[test]
fn a_copied_line_is_a_copy() {
    let ask = r#"{"v":1,"seq":2,"at":2,"kind":"user_message","text":"q"}"#;
    let answer = r#"{"v":1,"seq":3,"at":3,"kind":"assistant_text","text":"a"}"#;
    let end = r#"{"v":1,"seq":4,"at":4,"kind":"turn_end","turn":1,"reason":"completed"}"#;
    let other = r#"{"v":1,"seq":2,"at":2,"kind":"user_message","text":"another"}"#;
    let rows: [(&[&str], &[&str], &str); 4] = [
        (
            &[ask, answer, end, ask],
            &["user_message", "a", "turn_end"],
            "line 5: a copy of record number 2, skipped",
        ),
        (
            &[ask, ask, answer, end],
            &["user_message", "a", "turn_end"],
            "line 3: a copy of record number 2, skipped",
        ),
        (
            &[ask, answer, end, ask, answer],
            &["user_message", "a", "turn_end"],
            "line 5: a copy of record number 2, and 1 more after it, skipped",
        ),
        (
            &[ask, other, answer, end],
            &["user_message", "user_message", "a", "turn_end"],
            "line 3: record number 2 for the second time; two programs wrote here, both records are kept",
        ),
    ];
    for (lines, expected, told) in rows {
        let lines = [&[HEADER], lines].concat();
        check(&lines, &[(0, expected)], &["log_problem"]);
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("s")).unwrap();
        std::fs::write(dir.path().join("s/0001.jsonl"), lines.join("\n") + "\n").unwrap();
        let (_, notices) = Session::resume(dir.path(), "s", 1).unwrap();
        assert!(notices[0].text.ends_with(told), "{}", notices[0].text);
    }
}

/// A steer begins no turn; a turn that was cut off has had its number.
#[test]
fn turns_are_counted_by_their_ends() {
    let user = r#"{"kind":"user_message","text":"a"}"#;
    let end = |turn: u64| format!(r#"{{"kind":"turn_end","turn":{turn},"reason":"completed"}}"#);
    let check = |lines: &[&str], expected: u64| {
        let records: Vec<Record> =
            lines.iter().map(|line| Record::decode(line.as_bytes()).unwrap()).collect();
        assert_eq!(Numbers::of(&records).turns, expected, "{lines:?}");
    };
    check(&[], 0);
    check(&[user, user], 2);
    check(&[user, user, &end(1)], 1);
    check(&[user, user, &end(1), user, user], 2);
    check(&[user, &end(1), user, &end(2)], 2);
}
