//! What authors test with: samples in every state, hostile calls, and cards as text.

#![allow(clippy::unwrap_used, clippy::panic, reason = "views that go wrong are what is tested")]

use carpel_slots::card::{Action, DiffLine, DiffTag, Hunk, MatchGroup, MatchLine};
use carpel_slots::testing::{Sample, all_states, card_text, faults, hostile, snapshot};
use carpel_slots::{Block, CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

/// Says of a call what there is of it.
struct Told;

impl ToolView for Told {
    fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
        let what = call.args.partial_str("what").unwrap_or_default();
        let result = call.result.as_ref();
        let output = result.and_then(|result| result.output.clone());
        let lines = call.approval.iter().map(|approval| Line::from(approval.detail.as_str()));
        let progress = call.progress.text().lines().map(Line::from);
        let body = [Block::Text(lines.chain(progress).collect())];
        Card {
            title: Some(Line::of(Role::Accent, &what)),
            body: Some(body.into_iter().chain(output.map(Block::Output)).collect()),
            ..Card::default()
        }
    }
}

fn sample() -> Sample {
    Sample::new("tell")
        .arguments(r#"{"what":"a tale"}"#)
        .progress("once\nupon")
        .summary("told")
        .output("the end")
}

#[test]
fn every_state_has_its_parts() {
    let want = "\
-- pending
○ tell  pending
-- writing
◌ tell  writing
-- waiting for you
? tell  a tale  waiting for you
    {\"what\":\"a tale\"}
-- running
● tell  a tale  running
    once
    upon
-- done
✓ tell  a tale  told
    the end
-- failed
✗ tell  a tale  failed: told
    the end
-- cancelled
⊘ tell  a tale  cancelled
-- rejected
⊝ tell  a tale  rejected
-- incomplete
◐ tell  a tale  incomplete
";
    assert_eq!(all_states(&Told, &sample(), 40, Density::Normal), want);
    let overview = "✓ tell  a tale  told\n";
    assert_eq!(snapshot(&Told, &sample().in_state(CallState::Done), 40, Density::Overview), overview);
    assert_eq!(snapshot(&Told, &sample().streaming(14), 40, Density::Normal), "◌ tell  a tal  writing\n");
}

fn blocks() -> Vec<Block> {
    let lines = |count: usize| (1..=count).map(|at| format!("line {at}\n")).collect::<String>();
    vec![
        Block::Text((1..=10).map(|at| Line::from(format!("text {at}").as_str())).collect()),
        Block::Code { lang: None, first_line: Some(9), text: lines(6) },
        Block::Code { lang: None, first_line: None, text: lines(3) },
        Block::Diff {
            path: None,
            hunks: vec![Hunk {
                lines: vec![
                    DiffLine::new(DiffTag::Removed, "a"),
                    DiffLine::new(DiffTag::Added, "b\u{1b}[1m"),
                    DiffLine::new(DiffTag::Context, "c"),
                ],
                ..Hunk::default()
            }],
        },
        Block::Matches {
            groups: vec![MatchGroup {
                path: "a.rs".into(),
                count: 1,
                lines: vec![MatchLine { line: 3, text: "x\ty".into(), hits: vec![(0, 1)] }],
            }],
        },
        Block::Table {
            columns: vec!["name".into(), "count".into()],
            rows: vec![vec!["漢字".into(), "7".into()], vec!["b".into()], vec!["c".into(), "1200".into()]],
        },
        Block::Fields(vec![("rows".into(), "3".into()), ("a".into(), "b".into())]),
        Block::Markdown("# a\n\nb".into()),
        Block::Output("10%\r50%\rdone\r\nok\u{1b}[31m!\n".into()),
    ]
}

#[test]
fn every_block_has_a_picture() {
    let text = |block: Block, width: usize, density: Density| {
        let card = Card { title: Some(Line::default()), body: Some(vec![block]), ..Card::default() };
        let call = Sample::new("t").in_state(CallState::Done);
        let text = card_text(&card, &call, width, density);
        text.strip_prefix("✓ t\n").unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let want = [
        "    text 1\n    text 2\n    text 3\n    text 4\n    text 5\n    text 6\n    text 7\n    text 8\n    … 2 more lines\n",
        "    9 line 1\n    10 line 2\n    11 line 3\n    … 3 more lines\n",
        "    line 1\n    line 2\n    line 3\n",
        "    -a\n    +b\n     c\n",
        "    a.rs  1\n      3  x   y\n",
        "    name  count\n    漢字      7\n    b\n    c      1200\n",
        "    rows  3\n    a     b\n",
        "    # a\n\n    b\n",
        "    done\n    ok!\n",
    ];
    for (block, want) in blocks().into_iter().zip(want) {
        assert_eq!(text(block, 40, Density::Normal), want);
    }
    assert_eq!(text(blocks()[0].clone(), 40, Density::Detail).lines().count(), 10);
    assert_eq!(
        text(blocks()[5].clone(), 14, Density::Normal),
        "    name   漢…\n    count  7\n    name   b\n    count\n    … 2 more …\n"
    );
    assert_eq!(
        text(blocks()[5].clone(), 14, Density::Detail),
        "    name   漢…\n    count  7\n    name   b\n    count\n    name   c\n    count  12…\n"
    );
    let card = Card {
        actions: vec![
            Action::OpenFile { path: "a\u{7}.rs".into(), line: Some(3) },
            Action::OpenUrl("https://a.invalid".into()),
        ],
        ..Card::default()
    };
    let call = Sample::new("t").summary("fine").in_state(CallState::Done);
    assert_eq!(
        card_text(&card, &call, 40, Density::Normal),
        "✓ t  (generic title)  fine\n    (generic body)\n    -> opens a␇.rs:3\n    -> opens https://a.invalid\n"
    );
}

#[test]
fn no_row_is_too_wide_and_none_is_obeyed() {
    let calls = hostile(&Sample::new("tell\u{1b}[2J")).into_iter().chain(sample().all());
    for (what, call) in calls {
        for width in [1, 2, 7, 20, 80] {
            for density in Density::ALL {
                let card = Card { body: Some(blocks()), ..Told.card(&call, &CardCx::default()) };
                for card in [card, Told.card(&call, &CardCx::default())] {
                    let text = card_text(&card, &call, width, density);
                    for row in text.lines() {
                        assert!(row.width() <= width, "{what} at {width}: {row:?}");
                        assert!(
                            !row.contains(|c: char| c.is_control() || c == '\u{202e}'),
                            "{what}: {row:?}"
                        );
                    }
                    assert!(text.lines().count() < 1_000, "{what}");
                }
            }
        }
    }
}

/// Goes wrong in a way for each of what `faults` finds.
struct Rash;

impl ToolView for Rash {
    fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
        let rows = call.result.as_ref().and_then(|result| result.structured.as_ref());
        if let Some(rows) = rows.filter(|rows| rows.is_object()) {
            return Card {
                body: Some(vec![Block::Output(rows["rows"][0][0].as_u64().unwrap().to_string())]),
                ..Card::default()
            };
        }
        let repeated = call.progress.text().repeat(20);
        Card { body: Some(vec![Block::Output(repeated)]), ..Card::default() }
    }
}

#[test]
fn faults_are_found() {
    assert_eq!(faults(&Told, &sample()), Vec::<String>::new());
    let found = faults(&Rash, &sample().structured(json!({"rows": [[1]]})));
    let is_found = |what: &str| found.iter().any(|fault| fault.starts_with(what));
    assert!(is_found("the data {}, at overview: the view panicked"), "{found:#?}");
    assert!(is_found("one long line for every text, running, at normal: the card has"), "{found:#?}");
    for fine in ["done", "running", "the data {\"columns\":[\"a\",\"b\"]", "blanks"] {
        assert!(!is_found(fine), "{fine} in {found:#?}");
    }
}
