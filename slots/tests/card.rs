//! Cards as authors write them in JSON: every short form, what may be left out, and what is refused in which words.

#![allow(clippy::unwrap_used, reason = "a card that cannot be read should stop the test")]

use carpel_slots::card::{Action, DiffLine, DiffTag, Hunk, MatchGroup, MatchLine};
use carpel_slots::{Block, Card, Line, Role, Span};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::{collection::vec, option, proptest};
use serde_json::{Value, json};

fn read(card: Value) -> Result<Card, String> {
    serde_json::from_value(card).map_err(|error| error.to_string())
}

#[test]
fn a_block_has_short_forms() {
    let plain = |text: &str| Line::from(text);
    let spans = |spans: &[(Role, &str)]| Line {
        spans: spans.iter().map(|(role, text)| Span::new(*role, text)).collect(),
    };
    let table = |columns: &[&str], rows: &[&[&str]]| Block::Table {
        columns: columns.iter().map(ToString::to_string).collect(),
        rows: rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect(),
    };
    let pairs = |pairs: &[(&str, &str)]| {
        Block::Fields(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    };
    let match_line = |line: u64, text: &str, hits: &[(usize, usize)]| MatchLine {
        line,
        text: text.into(),
        hits: hits.into(),
    };
    for (given, want) in [
        (json!("a\nb"), Block::Text(vec![plain("a"), plain("b")])),
        (json!({"text": "a\nb"}), Block::Text(vec![plain("a"), plain("b")])),
        (json!({"text": null}), Block::Text(vec![])),
        (
            json!({"text": ["a", ["b", {"text": "c", "role": "error"}], {"text": "d"}, 3, ["e", 4.5]]}),
            Block::Text(vec![
                plain("a"),
                spans(&[(Role::Plain, "b"), (Role::Error, "c")]),
                plain("d"),
                plain("3"),
                spans(&[(Role::Plain, "e"), (Role::Plain, "4.5")]),
            ]),
        ),
        (json!({"text": [{"text": "x", "role": "sparkling"}]}), Block::Text(vec![plain("x")])),
        (json!({"code": {"text": "x"}}), Block::Code { lang: None, first_line: None, text: "x".into() }),
        (
            json!({"code": {"lang": "sql", "first_line": 3, "text": "x", "theme": "new"}}),
            Block::Code { lang: Some("sql".into()), first_line: Some(3), text: "x".into() },
        ),
        (json!({"diff": {}}), Block::Diff { path: None, hunks: vec![] }),
        (
            json!({"diff": {"path": "a.rs", "hunks": [{"lines": ["-a", "+b", " c", "d", "",
                {"tag": "added", "text": "e", "open": true}, {"tag": "context"}]}]}}),
            Block::Diff {
                path: Some("a.rs".into()),
                hunks: vec![Hunk {
                    lines: vec![
                        DiffLine::new(DiffTag::Removed, "a"),
                        DiffLine::new(DiffTag::Added, "b"),
                        DiffLine::new(DiffTag::Context, "c"),
                        DiffLine::new(DiffTag::Context, "d"),
                        DiffLine::new(DiffTag::Context, ""),
                        DiffLine { open: true, ..DiffLine::new(DiffTag::Added, "e") },
                        DiffLine::new(DiffTag::Context, ""),
                    ],
                    ..Hunk::default()
                }],
            },
        ),
        (
            json!({"matches": {"groups": [{"path": "a.rs", "lines": [{"line": 1, "text": "x"},
                {"line": 2, "text": "yz", "hits": [[0, 1]]}]}, {"path": "b.rs", "count": 7}]}}),
            Block::Matches {
                groups: vec![
                    MatchGroup {
                        path: "a.rs".into(),
                        count: 2,
                        lines: vec![match_line(1, "x", &[]), match_line(2, "yz", &[(0, 1)])],
                    },
                    MatchGroup { path: "b.rs".into(), count: 7, lines: vec![] },
                ],
            },
        ),
        (
            json!({"table": {"columns": ["id", "name"], "rows": [[1, "ada"], [2.5, null], [true]]}}),
            table(&["id", "name"], &[&["1", "ada"], &["2.5", ""], &["true"]]),
        ),
        (json!({"table": {}}), table(&[], &[])),
        (json!({"fields": [["rows", 3], ["ok", true]]}), pairs(&[("rows", "3"), ("ok", "true")])),
        (json!({"fields": {"b": 1, "a": "x"}}), pairs(&[("a", "x"), ("b", "1")])),
        (json!({"markdown": "# a"}), Block::Markdown("# a".into())),
        (json!({"output": "a\u{1b}[1m"}), Block::Output("a\u{1b}[1m".into())),
        (json!({"since": 2, "output": "a"}), Block::Output("a".into())),
    ] {
        let body = |body: Value| read(json!({ "body": body })).map(|card| card.body);
        assert_eq!(body(json!([given])), Ok(Some(vec![want.clone()])), "{given}");
        assert_eq!(body(given.clone()), Ok(Some(vec![want])), "{given} alone");
    }
}

#[test]
fn a_card_has_defaults() {
    for (given, want) in [
        (json!({}), Card::default()),
        (json!({"title": null, "note": null, "body": null, "colour": "red"}), Card::default()),
        (json!({"body": []}), Card { body: Some(vec![]), ..Card::default() }),
        (
            json!({"title": "a", "note": ["b ", {"text": "c", "role": "dim"}]}),
            Card {
                title: Some(Line::from("a")),
                note: Some(Line::from("b ").and(Role::Dim, "c")),
                ..Card::default()
            },
        ),
        (
            json!({"actions": [{"open_file": {"path": "a.rs"}}, {"open_url": "https://a.invalid"}]}),
            Card {
                actions: vec![
                    Action::OpenFile { path: "a.rs".into(), line: None },
                    Action::OpenUrl("https://a.invalid".into()),
                ],
                ..Card::default()
            },
        ),
    ] {
        assert_eq!(read(given.clone()), Ok(want), "{given}");
    }
}

/// The words are for the author of a plugin.
#[test]
fn what_is_wrong_is_named() {
    for (given, want) in [
        (json!({"body": [{"tabel": {}}]}), "unknown variant `tabel`, expected one of `text`, `code`, `diff`"),
        (json!({"body": [{}]}), "unknown variant ``"),
        (json!({"body": [7]}), "expected a string or an object with one of text, code"),
        (json!({"body": 7}), "expected a list of blocks, a block, a string or null"),
        (json!({"title": true}), "expected a string, or a list of strings and {\"text\", \"role\"}"),
        (json!({"title": [[]]}), "expected a string or {\"text\", \"role\"}"),
        (json!({"body": [{"table": {"rows": [[{}]]}}]}), "expected a string, a number, true, false or null"),
        (json!({"body": [{"table": {"rows": ["a"]}}]}), "expected a sequence"),
        (json!({"body": [{"fields": [["a"]]}]}), "invalid length 1"),
        (json!({"body": [{"code": {"first_line": -1}}]}), "invalid value: integer `-1`"),
        (json!({"body": [{"diff": {"hunks": [{"lines": [{"text": "x"}]}]}}]}), "missing field `tag`"),
        (json!({"body": [{"matches": {"groups": [{"lines": [{"hits": [[-1, 2]]}]}]}}]}), "integer `-1`"),
    ] {
        let error = read(given.clone()).unwrap_err();
        assert!(error.contains(want), "{given}: {error}");
    }
}

/// What an escape string holds is part of a command, also when the command came over the wire.
#[test]
fn text_that_came_is_cleaned() {
    let card = read(json!({"title": [{"text": "a \u{1b}]0;b\u{7}\n", "role": "command"}, "\u{1b}[1mc\n"]}));
    assert_eq!(card.unwrap().title.unwrap().text(), "a ␛]0;b␇␊c␊");
}

fn texts() -> impl Strategy<Value = String> {
    "[ -~äé漢\\n\\x1b\\x07\u{202e}]{0,12}"
}

fn lines() -> impl Strategy<Value = Line> {
    let roles = prop_oneof![Just(Role::Plain), Just(Role::Path), Just(Role::Command), Just(Role::Added)];
    vec((roles, texts()).prop_map(|(role, text)| Span::new(role, &text)), 0..3)
        .prop_map(|spans| Line { spans })
}

fn blocks() -> impl Strategy<Value = Block> {
    let tags = prop_oneof![Just(DiffTag::Added), Just(DiffTag::Removed), Just(DiffTag::Context)];
    let diff_line = (tags, texts(), any::<bool>()).prop_map(|(tag, text, open)| DiffLine { tag, text, open });
    let hunk = (option::of(any::<u64>()), option::of(any::<u64>()), vec(diff_line, 0..3))
        .prop_map(|(old_start, new_start, lines)| Hunk { old_start, new_start, lines });
    let match_line = (any::<u64>(), texts(), vec(any::<(usize, usize)>(), 0..2))
        .prop_map(|(line, text, hits)| MatchLine { line, text, hits });
    let group = (texts(), any::<u64>(), vec(match_line, 0..3)).prop_map(|(path, count, lines)| MatchGroup {
        path,
        count,
        lines,
    });
    prop_oneof![
        vec(lines(), 0..3).prop_map(Block::Text),
        (option::of(texts()), option::of(any::<u64>()), texts())
            .prop_map(|(lang, first_line, text)| Block::Code { lang, first_line, text }),
        (option::of(texts()), vec(hunk, 0..3)).prop_map(|(path, hunks)| Block::Diff { path, hunks }),
        vec(group, 0..3).prop_map(|groups| Block::Matches { groups }),
        (vec(texts(), 0..3), vec(vec(texts(), 0..3), 0..3))
            .prop_map(|(columns, rows)| Block::Table { columns, rows }),
        vec((texts(), texts()), 0..3).prop_map(Block::Fields),
        texts().prop_map(Block::Markdown),
        texts().prop_map(Block::Output),
    ]
}

proptest! {
    /// What a Rust view returns is what the host has after the wire.
    #[test]
    fn a_card_survives_the_wire(
        title in option::of(lines()),
        note in option::of(lines()),
        body in option::of(vec(blocks(), 0..4)),
        path in texts(),
        line in option::of(any::<u64>()),
    ) {
        let card = Card { title, note, body, actions: vec![Action::OpenFile { path, line }] };
        let text = serde_json::to_string(&card).unwrap();
        assert_eq!(serde_json::from_str::<Card>(&text).unwrap(), card);
    }
}
