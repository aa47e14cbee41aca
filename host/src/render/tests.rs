//! Tests of whole rows: an item or a call in, rows out, at several widths, densities and places.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::TurnEnd;
use carpel_protocol::word::{NoticeLevel, Outcome, TurnEndReason};
use carpel_slots::card::{DiffLine, DiffTag, Hunk, MatchGroup, MatchLine};
use carpel_slots::registry::Owner;
use carpel_slots::{
    Approval, Args, Block, CallKey, CallResult, CallState, Card, CardCx, Density, Line, PlacedCard, Registry,
    Role, ToolCall, ToolTree,
};
use proptest::prelude::*;

use crate::paint::{Paint, PaintCx, Place};
use crate::render::card::{self, CardInk};
use crate::render::painter::{Folders, PATIENCE};
use crate::render::{Highlighter, Look, Painter};
use crate::row::Row;
use crate::transcript::item::{FlowItem, ItemBody, ItemId, Thinking, ThinkingState};

const WIDTHS: [usize; 7] = [1, 2, 3, 8, 20, 40, 120];

fn settled(width: usize) -> PaintCx {
    PaintCx { width, density: Density::Normal, now: Duration::from_secs(100), place: Place::Settled }
}

fn live(width: usize) -> PaintCx {
    PaintCx { place: Place::Live, ..settled(width) }
}

fn call(name: &str, state: CallState) -> ToolCall {
    ToolCall {
        args: Args::complete("{}"),
        state,
        elapsed: state.is_settled().then_some(Duration::from_millis(100)),
        ..ToolCall::new(CallKey { turn: 1, id: name.into(), occurrence: 0 }, name)
    }
}

fn result(summary: &str, outcome: Outcome) -> Option<CallResult> {
    Some(CallResult {
        summary: summary.to_owned(),
        output: None,
        output_total: None,
        outcome,
        structured: None,
    })
}

fn card(title: &str, note: &str, body: Vec<Block>) -> Card {
    Card {
        title: Some(Line::of(Role::Path, title)),
        note: (!note.is_empty()).then(|| Line::from(note)),
        body: Some(body),
        actions: Vec::new(),
    }
}

fn draw(call: ToolCall, card: Card, cx: &PaintCx, body_rows: Option<usize>) -> Vec<Row> {
    let mut highlighter = Highlighter::inline();
    let mut ink = CardInk {
        cx,
        look: Look::COLOUR,
        body_rows,
        most: crate::render::block::ITEM_ROWS,
        highlighter: &mut highlighter,
        waiting: false,
    };
    let elapsed = call.elapsed;
    let placed = PlacedCard { call: Arc::new(call), depth: 0, card };
    let rows = card::rows(&placed, elapsed, &mut ink);
    rows.header.into_iter().chain(rows.body).collect()
}

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

#[track_caller]
fn check_card(state: CallState, card: Card, cx: &PaintCx, want: &[&str]) {
    assert_eq!(texts(&draw(call("Tool", state), card, cx, None)), want);
}

#[track_caller]
fn check_item(body: ItemBody, cx: &PaintCx, want: &[&str]) {
    assert_eq!(texts(&super::items::rows(&body, cx, Look::COLOUR)), want);
}

fn output(lines: usize) -> Block {
    Block::Output((1..=lines).map(|line| format!("line {line}\n")).collect())
}

#[test]
fn every_state_is_told_by_sign_and_word() {
    let rows = [
        (CallState::Pending, "○ Tool  a.rs  pending"),
        (CallState::Streaming, "◌ Tool  a.rs  writing"),
        (CallState::AwaitingApproval, "? Tool  a.rs  waiting for you"),
        (CallState::Executing, "● Tool  a.rs  running"),
        (CallState::Done, "✓ Tool  a.rs  0.1s"),
        (CallState::Error, "✗ Tool  a.rs  failed  0.1s"),
        (CallState::Cancelled, "⊘ Tool  a.rs  cancelled  0.1s"),
        (CallState::Rejected, "⊝ Tool  a.rs  rejected  0.1s"),
        (CallState::Incomplete, "◐ Tool  a.rs  incomplete  0.1s"),
    ];
    for (state, want) in rows {
        check_card(state, card("a.rs", "", vec![]), &settled(80), &[want]);
        check_card(state, card("a.rs", "", vec![]), &live(80), &[want]);
    }
}

#[test]
fn a_note_is_joined_to_its_word_and_not_said_twice() {
    let rows = [
        (CallState::Error, "no such file", "✗ Tool  x  failed: no such file  0.1s"),
        (CallState::Error, "2 tests failed", "✗ Tool  x  2 tests failed  0.1s"),
        (CallState::Rejected, "not now", "⊝ Tool  x  rejected: not now  0.1s"),
        (CallState::Streaming, "41 lines so far", "◌ Tool  x  writing, 41 lines so far"),
        (CallState::Executing, "3 calls", "● Tool  x  3 calls"),
        (CallState::Done, "120 lines", "✓ Tool  x  120 lines  0.1s"),
    ];
    for (state, note, want) in rows {
        check_card(state, card("x", note, vec![]), &settled(80), &[want]);
    }
}

#[test]
fn a_settled_header_loses_nothing_in_a_narrow_window() {
    let grep = || card("TODO", "GREP_SUMMARY 3 matches", vec![]);
    check_card(
        CallState::Done,
        grep(),
        &settled(20),
        &["✓ Tool  TODO", "  GREP_SUMMARY 3", "  matches  0.1s"],
    );
    let word = || card("abcdefghijklmnopqr", "", vec![]);
    check_card(CallState::Done, word(), &settled(20), &["✓ Tool", "  abcdefghijklmnopqr", "  0.1s"]);
}

#[test]
fn a_live_header_is_one_row_and_keeps_the_file_name_and_the_word() {
    let deep = || card("src/a/very/deep/folder/parser.rs", "", vec![]);
    check_card(CallState::AwaitingApproval, deep(), &live(40), &["? Tool  src/…/parser.rs  waiting for you"]);
    check_card(CallState::Done, deep(), &live(30), &["✓ Tool  src/a…/parser.rs  0.1s"]);
}

#[test]
fn bodies_are_bounded_by_density_and_what_is_hidden_is_counted() {
    let code = || Block::Code { lang: None, first_line: Some(9), text: "a\nb\nc\nd\ne\nf\n".to_owned() };
    check_card(
        CallState::Done,
        card("x", "", vec![code()]),
        &settled(60),
        &["✓ Tool  x  0.1s", "       9  a", "      10  b", "      11  c", "    … 3 more lines"],
    );
    let blank = Block::Code { lang: None, first_line: Some(1), text: "a\nb\n\n\n\n".to_owned() };
    let rows = ["✓ Tool  x  0.1s", "       1  a", "       2  b", "    … 3 more lines"];
    check_card(CallState::Done, card("x", "", vec![blank]), &settled(60), &rows);
    let counts = [(Density::Overview, 1), (Density::Normal, 5), (Density::Detail, 7)];
    for (density, want) in counts {
        let cx = PaintCx { density, ..settled(60) };
        let rows = draw(call("Tool", CallState::Done), card("x", "", vec![code()]), &cx, None);
        assert_eq!(rows.len(), want, "{density:?}");
    }
    check_card(
        CallState::Done,
        card("x", "", vec![output(9)]),
        &settled(60),
        &[
            "✓ Tool  x  0.1s",
            "  line 1",
            "  line 2",
            "  line 3",
            "  line 4",
            "  line 5",
            "  line 6",
            "  … 3 more lines",
        ],
    );
    let failed = draw(call("Tool", CallState::Error), card("x", "", vec![output(20)]), &settled(60), None);
    assert_eq!(
        texts(&failed)[1..],
        ["  line 1", "  line 2", "  line 3", "  … 14 more lines", "  line 18", "  line 19", "  line 20"]
    );
}

#[test]
fn what_grows_keeps_its_end() {
    let rows = draw(call("Tool", CallState::Executing), card("x", "", vec![output(50)]), &live(60), None);
    assert_eq!(
        texts(&rows)[1..],
        ["    … 45 more lines", "    line 46", "    line 47", "    line 48", "    line 49", "    line 50"]
    );
    for body_rows in 0..5 {
        let rows = draw(
            call("Tool", CallState::Executing),
            card("x", "", vec![output(50)]),
            &live(60),
            Some(body_rows),
        );
        assert!(rows.len() <= 1 + body_rows, "{body_rows}: {:?}", texts(&rows));
    }
}

#[test]
fn hits_stand_below_their_file() {
    let line =
        |line, text: &str, at: usize| MatchLine { line, text: text.to_owned(), hits: vec![(at, at + 4)] };
    let groups = vec![
        MatchGroup {
            path: "src/parser.rs".to_owned(),
            count: 4,
            lines: vec![line(12, "  // TODO: a", 5), line(48, "// TODO: b", 3), line(50, "TODO", 0)],
        },
        MatchGroup { path: "src/lexer.rs".to_owned(), count: 1, lines: vec![line(7, "// TODO", 3)] },
        MatchGroup { path: "src/main.rs".to_owned(), count: 2, lines: vec![line(7, "// TODO", 3)] },
    ];
    let rows = draw(
        call("Grep", CallState::Done),
        card("TODO", "", vec![Block::Matches { groups }]),
        &settled(60),
        None,
    );
    assert_eq!(
        texts(&rows)[1..],
        [
            "    src/parser.rs",
            "      12  // TODO: a",
            "      48  // TODO: b",
            "    src/lexer.rs",
            "       7  // TODO",
            "    … 4 more in 2 files",
        ]
    );
    let hit = &rows[2].spans.iter().find(|span| span.text.as_str() == "TODO").unwrap();
    assert_eq!(hit.style, Look::COLOUR.theme.hit());
}

#[test]
fn tables() {
    let strings = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let columns = strings(&["id", "title", "state"]);
    let mut rows = vec![
        strings(&["7", "漢字 and a title that goes on for a while", "open"]),
        strings(&["12", "short\nmore", ""]),
    ];
    let table = |rows: &[Vec<String>]| {
        card("x", "", vec![Block::Table { columns: columns.clone(), rows: rows.to_vec() }])
    };
    let head = "✓ Tool  x  0.1s";
    check_card(
        CallState::Done,
        table(&rows),
        &settled(80),
        &[
            head,
            "    id  title                                     state",
            "     7  漢字 and a title that goes on for a whi…  open",
            "    12  short …",
        ],
    );
    check_card(
        CallState::Done,
        table(&rows),
        &settled(40),
        &[
            head,
            "    id  title                      state",
            "     7  漢字 and a title that go…  open",
            "    12  short …",
        ],
    );
    check_card(
        CallState::Done,
        table(&rows),
        &settled(20),
        &[
            head,
            "  id",
            "    7",
            "  title",
            "    漢字 and a title",
            "    that goes on for",
            "    a while",
            "  state",
            "    open",
            "",
            "  id",
            "    12",
            "  title",
            "    short",
            "    more",
        ],
    );
    rows.extend(vec![strings(&["1", "a", "b"]); 10]);
    let drawn = texts(&draw(call("Tool", CallState::Done), table(&rows), &settled(80), None));
    assert_eq!((drawn.len(), drawn[8].as_str()), (9, "    … 6 more rows"));
}

/// LOG 10.19: a long hit is shown around the match.
#[test]
fn log_10_19_a_long_line_is_shown_around_its_hit() {
    let text = format!("{}NEEDLE{}", "x".repeat(70_000), "y".repeat(70_000));
    let lines = vec![MatchLine { line: 1, text, hits: vec![(70_000, 70_006)] }];
    let groups = vec![MatchGroup { path: "long.txt".to_owned(), count: 1, lines }];
    let rows = draw(
        call("Grep", CallState::Done),
        card("x", "", vec![Block::Matches { groups }]),
        &settled(40),
        None,
    );
    assert!(rows[2].text().contains("NEEDLE"), "{:?}", texts(&rows));
    assert!(rows.iter().all(|row| row.width() <= 40));
}

/// LOG 2.03, 2.04: tabs go to stops before anything is measured. LOG 2.05: a NUL has no width of its own.
#[test]
fn log_2_03_2_05_control_characters_never_become_cells() {
    let text = "\tat a.b.C\u{0}\u{7}(C.java:1)\u{c}\u{b}";
    for block in [
        Block::Output(text.to_owned()),
        Block::Code { lang: None, first_line: Some(1), text: text.to_owned() },
        Block::Fields(vec![("a\tb".to_owned(), text.to_owned())]),
        Block::Markdown(text.to_owned()),
    ] {
        for width in WIDTHS {
            for cx in [settled(width), live(width)] {
                let rows =
                    draw(call("T\tool", CallState::Done), card("x", "", vec![block.clone()]), &cx, None);
                for row in &rows {
                    assert!(!row.text().chars().any(char::is_control), "{:?}", row.text());
                }
            }
        }
    }
}

/// LOG 2.09: right-to-left text stays in its logical order, with nothing put inside a run.
#[test]
fn log_2_09_right_to_left_text_keeps_its_order() {
    let text = "مرحبا gpt-5 123 بالعالم";
    let rows = super::markdown::whole(text, 80, Look::COLOUR, &mut Highlighter::inline());
    assert_eq!(texts(&rows), [text]);
}

/// LOG 2.14: no cut falls inside a letter, at any width, in any part of a header.
#[test]
fn log_2_14_cuts_never_fall_inside_a_letter() {
    let long = "漢".repeat(60);
    for width in 1..140 {
        for cx in [settled(width), live(width)] {
            let body = vec![Block::Output(long.clone()), Block::Text(vec![Line::from(long.as_str())])];
            let mut failed = call(&long, CallState::Error);
            failed.result = result(&long, Outcome::Error);
            for row in draw(failed, card(&format!("{long}/{long}"), &long, body), &cx, None) {
                assert!(row.unbroken || row.width() <= width, "{width}: {:?}", row.text());
            }
        }
    }
}

/// LOG 5.17: progress over carriage returns is its last text.
#[test]
fn log_5_17_progress_is_its_last_text() {
    let text: String = (0..=50_000).map(|step| format!("\r{step} of 50000")).collect();
    check_card(
        CallState::Done,
        card("x", "", vec![Block::Output(format!("begin\n{text}\nend\n"))]),
        &settled(60),
        &["✓ Tool  x  0.1s", "  begin", "  50000 of 50000", "  end"],
    );
}

/// LOG 5.20: a line of 10k characters is many rows on the screen; a million lines cost what is seen of them.
#[test]
fn log_5_20_outputs_are_bounded_in_rows_of_the_screen() {
    for density in [Density::Normal, Density::Detail] {
        let cx = PaintCx { density, ..settled(80) };
        let one = Block::Output("x".repeat(10_000_000));
        let rows = draw(call("Bash", CallState::Done), card("x", "", vec![one]), &cx, None);
        assert_eq!(rows.len(), 2);
        assert!(rows[1].width() < 2_100, "{}", rows[1].width());
        assert!(rows[1].text().ends_with("more characters"));
        let rows = draw(call("Bash", CallState::Done), card("x", "", vec![output(1_000_000)]), &cx, None);
        assert!(rows.len() <= 402);
        assert!(rows.last().unwrap().text().ends_with("more lines"));
    }
    let one = draw(
        call("Bash", CallState::Done),
        card("x", "", vec![Block::Output("x".repeat(10_000))]),
        &settled(80),
        None,
    );
    assert!(one[1].width() <= 3 * 80 + 40, "at normal a line takes about three rows of the screen");
}

/// What people copy whole carries at most two blanks and no gutter.
#[test]
fn output_is_left_to_the_terminal() {
    let rows = draw(
        call("Bash", CallState::Done),
        card("x", "", vec![Block::Output("word ".repeat(30))]),
        &settled(60),
        None,
    );
    assert!(rows[1].unbroken);
    assert!(rows[1].text().starts_with("  word"));
    assert!(
        !draw(
            call("Bash", CallState::Done),
            card("x", "", vec![Block::Output("word ".repeat(30))]),
            &live(60),
            None
        )[1]
        .unbroken
    );
}

#[test]
fn an_open_approval_shows_both_sides() {
    let mut waiting = call("Edit", CallState::AwaitingApproval);
    let old: String = (0..30).map(|line| format!("- old {line}\n")).collect();
    let new: String = (0..30).map(|line| format!("+ new {line}\n")).collect();
    waiting.approval = Some(Approval { title: "edit a.rs".to_owned(), detail: format!("{old}{new}") });
    let live_rows = texts(&draw(waiting.clone(), card("a.rs", "", vec![]), &live(60), None));
    assert_eq!(live_rows[..3], ["? Edit  a.rs  waiting for you", "    edit a.rs", "    - old 0"]);
    assert!(live_rows.iter().any(|row| row == "    … 48 more lines"), "{live_rows:?}");
    assert_eq!(live_rows.last().unwrap(), "    + new 29");
    assert_eq!(draw(waiting, card("a.rs", "", vec![]), &settled(60), None).len(), 62);
}

/// The question decides what is drawn; a card only gives its form, and only where it says the same.
#[test]
fn an_approval_is_drawn_as_a_diff_where_it_is_one() {
    let asked = |detail: &str, body: Vec<Block>| {
        let mut waiting = call("Edit", CallState::AwaitingApproval);
        waiting.approval = Some(Approval { title: "edit a.rs".to_owned(), detail: detail.to_owned() });
        texts(&draw(waiting, card("a.rs", "", body), &live(60), None))[2..].to_vec()
    };
    let added = |text: &str| {
        let lines = text.lines().map(|line| DiffLine::new(DiffTag::Added, line)).collect();
        let hunks = vec![Hunk { old_start: None, new_start: None, lines }];
        vec![Block::Diff { path: Some("a.rs".to_owned()), hunks }]
    };
    assert_eq!(
        asked("@@ -12 +12 @@\n-old\n+n\u{1b}[31mew\n(3 more lines)\n", added("harmless")),
        ["      12 - old", "      12 + n␛[31mew", "    (3 more lines)"]
    );
    assert_eq!(asked("one\ntwo\n", added("one\ntwo\n")), ["    + one", "    + two"]);
    assert_eq!(asked("one\ntwo\n", added("harmless\n")), ["    one", "    two"]);
    assert_eq!(asked("one\ntwo\n", vec![]), ["    one", "    two"]);
    assert_eq!(asked("", added("one\n")), ["    + one"]);
}

fn thinking(text: &str, state: ThinkingState) -> ItemBody {
    ItemBody::Thinking(Thinking { text: text.to_owned(), summary: Vec::new(), state })
}

#[test]
fn thinking_has_its_labels() {
    let done = |ms| ThinkingState::Done { elapsed: Some(Duration::from_millis(ms)) };
    let open = ThinkingState::Open { since: Duration::from_secs(88) };
    let stopped = |elapsed| ThinkingState::Interrupted { elapsed };
    check_item(thinking("a\nb\n\n", open), &live(60), &["  Thinking... (12s)  b"]);
    check_item(thinking("", open), &live(60), &["  Thinking... (12s)"]);
    check_item(thinking("a\nb", done(12_000)), &settled(60), &["  Thought for 12s  a"]);
    check_item(thinking("", done(83_000)), &settled(60), &["  Thought for 1m23s"]);
    check_item(thinking("", done(900)), &settled(60), &[]);
    check_item(thinking("a", done(900)), &settled(60), &["  Thought  a"]);
    check_item(thinking("a", ThinkingState::Done { elapsed: None }), &settled(60), &["  Thought  a"]);
    check_item(
        thinking("a", stopped(Some(Duration::from_secs(12)))),
        &settled(60),
        &["  Thinking interrupted (12s)  a"],
    );
    check_item(thinking("a", stopped(None)), &settled(60), &["  Thinking interrupted  a"]);
    let overview = PaintCx { density: Density::Overview, ..settled(60) };
    check_item(thinking("a\nb", done(2_000)), &overview, &["  Thought for 2s"]);
    let detail = PaintCx { density: Density::Detail, ..settled(60) };
    check_item(thinking("a\n\nb", done(2_000)), &detail, &["  Thought for 2s", "    a", "", "    b"]);
    check_item(
        thinking("abcdefghijklmnopqr x", done(2_000)),
        &settled(20),
        &["  Thought for 2s", "    abcdefghijklmnop", "    qr x"],
    );
    let summary = Thinking { text: String::new(), summary: vec!["so".to_owned()], state: done(2_000) };
    check_item(ItemBody::Thinking(summary), &settled(60), &["  Thought for 2s  so"]);
    let lines = ["one", "two", "three"].map(str::to_owned).to_vec();
    let past = ThinkingState::Done { elapsed: None };
    let summary = Thinking { text: String::new(), summary: lines, state: past };
    check_item(ItemBody::Thinking(summary), &settled(60), &["  Thought  one", "    two", "    three"]);
}

/// LOOK 2: a header that names something is one row from 40 columns on, and its note stays.
#[test]
fn a_settled_header_of_a_name_is_one_row() {
    let deep = format!("{}parser.rs", "folder/".repeat(200));
    let name = format!("src/{}.rs", "n".repeat(250));
    let pattern = "a long pattern of words ".repeat(20);
    let titles = [
        Line::of(Role::Path, &deep),
        Line::of(Role::Path, &name),
        Line::of(Role::Path, &name[4..]),
        Line::of(Role::Accent, &pattern),
        Line::of(Role::Accent, &pattern).and(Role::Plain, " in ").and(Role::Path, &deep),
    ];
    for title in titles {
        let names_two = title.spans.len() > 1;
        for width in [if names_two { 50 } else { 40 }, 60, 80, 120] {
            let card = Card { title: Some(title.clone()), ..card("", "7 lines", Vec::new()) };
            let rows = texts(&draw(call("Tool", CallState::Done), card, &settled(width), None));
            assert_eq!(rows.len(), 1, "{rows:?}");
            assert!(rows[0].ends_with("  7 lines  0.1s"), "{rows:?}");
            assert_eq!(rows[0].contains("parser.rs"), title.text().ends_with("parser.rs"), "{rows:?}");
        }
    }
    // A file name that a row can hold is kept, and the note goes below it.
    let file = format!("src/{}.rs", "n".repeat(40));
    let rows = [format!("✓ Tool  {file}"), "  7 lines  0.1s".to_owned()];
    check_card(CallState::Done, card(&file, "7 lines", Vec::new()), &settled(56), &[&rows[0], &rows[1]]);
    // A command is what people copy: it is not cut.
    let command = Some(Line::of(Role::Plain, &"word ".repeat(20)));
    let long = Card { title: command, ..card("", "exit 0", Vec::new()) };
    let rows = texts(&draw(call("Bash", CallState::Done), long, &settled(60), None));
    assert_eq!(rows.join(" ").matches("word").count(), 20, "{rows:?}");
}

/// A sub-call's output stands below its own header, not below its neighbour's.
#[test]
fn settled_output_of_a_sub_call_is_indented_as_its_call() {
    let output = vec![Block::Output("test failed\nand why\n".to_owned())];
    for (depth, width, want) in [
        (0, 80, ["✗ Bash  x  failed  0.1s", "  test failed", "  and why"]),
        (1, 80, ["  ✗ Bash  x  failed  0.1s", "    test failed", "    and why"]),
        (2, 80, ["    ✗ Bash  x  failed  0.1s", "      test failed", "      and why"]),
        (2, 29, ["  ✗ Bash  x  failed  0.1s", "    test failed", "    and why"]),
    ] {
        let placed = PlacedCard {
            call: Arc::new(call("Bash", CallState::Error)),
            depth,
            card: card("x", "", output.clone()),
        };
        let cx = settled(width);
        let mut highlighter = Highlighter::inline();
        let mut ink = CardInk {
            cx: &cx,
            look: Look::COLOUR,
            body_rows: None,
            most: crate::render::block::ITEM_ROWS,
            highlighter: &mut highlighter,
            waiting: false,
        };
        let drawn = card::rows(&placed, placed.call.elapsed, &mut ink);
        let rows: Vec<Row> = drawn.header.into_iter().chain(drawn.body).collect();
        assert_eq!(texts(&rows), want);
    }
}

#[test]
fn other_items_look_as_they_should() {
    check_item(
        ItemBody::User { text: "say it\nagain and again\n".to_owned() },
        &settled(12),
        &["› say it", "  again and", "  again"],
    );
    check_item(ItemBody::Earlier { count: 48 }, &settled(60), &["… 48 earlier items: Ctrl+T"]);
    check_item(ItemBody::Earlier { count: 1 }, &settled(60), &["… 1 earlier item: Ctrl+T"]);
    let orphan = ItemBody::Orphan { id: "c9".to_owned(), summary: "fine".to_owned() };
    check_item(orphan, &settled(60), &["◐ result without a call  c9  fine"]);
    let command = |ok, outcome: &str| ItemBody::Command {
        line: "density detail".to_owned(),
        ok,
        outcome: outcome.to_owned(),
        lines: vec![Line::from("a line")],
    };
    check_item(command(true, ""), &settled(60), &["✓ :density detail", "  a line"]);
    check_item(command(false, "unknown"), &settled(60), &["✗ :density detail  unknown", "  a line"]);
    let notice = |level, text: &str| ItemBody::Notice { level, text: text.to_owned() };
    check_item(notice(NoticeLevel::Info, "attached"), &settled(60), &["attached"]);
    check_item(notice(NoticeLevel::Warning, "slow"), &settled(60), &["warning: slow"]);
    check_item(notice(NoticeLevel::Error, "gone\nfor good"), &settled(60), &["error: gone", "  for good"]);
    let compaction = ItemBody::Compaction { summary: "a\nb".to_owned(), before: 184_000, after: 21_000 };
    check_item(compaction, &settled(60), &["· compacted  184k to 21k tokens", "  a", "  b"]);
    let cut = ItemBody::CutOff { reason: "overload".to_owned() };
    check_item(cut, &settled(60), &["· cut off  overload"]);
    let end = |reason, message: Option<&str>| {
        ItemBody::TurnEnded(TurnEnd { turn: 1, reason, message: message.map(str::to_owned), usage: None })
    };
    check_item(end(TurnEndReason::Cancelled, None), &settled(60), &["⊘ cancelled"]);
    check_item(end(TurnEndReason::Failed, Some("no key")), &settled(60), &["✗ the turn failed  no key"]);
    check_item(end(TurnEndReason::Completed, None), &settled(60), &[]);
}

/// A tree that gives every call the same card, to test the painter without any views.
struct Fixed;

impl ToolTree for Fixed {
    fn place(&self, root: &Arc<ToolCall>, _: Option<&CallKey>, _: &Registry, _: &CardCx) -> Vec<PlacedCard> {
        let block =
            Block::Code { lang: Some("rs".to_owned()), first_line: None, text: "fn main() {}\n".to_owned() };
        let placed = |(depth, call): (usize, &Arc<ToolCall>)| PlacedCard {
            call: Arc::clone(call),
            depth,
            card: card("a.rs", "", vec![block.clone()]),
        };
        root.walk().into_iter().map(placed).collect()
    }
}

fn painter(highlighter: Highlighter) -> Painter {
    let mut builder = Registry::default().to_builder();
    builder.tree(&Owner::built_in("test", "here"), Arc::new(Fixed));
    Painter::new(Look::COLOUR, builder.build(), Folders::default(), highlighter)
}

fn item(body: ItemBody) -> FlowItem {
    FlowItem { id: ItemId(1), revision: 0, turn: 1, body }
}

#[test]
fn depth_is_two_columns_a_level_and_capped() {
    let mut deep = call("T", CallState::Error);
    for _ in 0..6 {
        let mut parent = call("T", CallState::Done);
        parent.sub_calls = vec![Arc::new(deep)].into();
        deep = parent;
    }
    let root = Arc::new(deep);
    let indents = |width| {
        let rows = painter(Highlighter::inline()).call(&root, None, &settled(width));
        rows.iter()
            .filter_map(|card| Some(card.header.first()?.text().chars().take_while(|c| *c == ' ').count()))
            .collect::<Vec<_>>()
    };
    assert_eq!(indents(80), [0, 2, 4, 6, 8, 8, 8]);
    assert_eq!(indents(20), [0, 2, 2, 2, 2, 2, 2]);
    let overview = PaintCx { density: Density::Overview, ..settled(80) };
    let rows = painter(Highlighter::inline()).call(&root, None, &overview);
    assert_eq!(
        rows.iter().map(|card| (card.depth, card.header.len(), card.body.len())).collect::<Vec<_>>(),
        [(0, 1, 0), (6, 1, 0)]
    );
}

/// LOG 5.21: highlighting never holds anything back for long.
#[test]
fn log_5_21_colours_are_awaited_for_a_bounded_time() {
    let (stalled, _queue) = Highlighter::stalled();
    let mut painter = painter(stalled);
    let item = item(ItemBody::Call(Arc::new(call("T", CallState::Done))));
    let at = |now| PaintCx { now, ..settled(80) };
    assert!(!painter.ready(&item, &at(Duration::ZERO)));
    assert!(!painter.ready(&item, &at(PATIENCE / 2)));
    assert!(painter.ready(&item, &at(PATIENCE)));
    let text = "```rs\nfn a() {}\nfn b() {}\n```\nend\n\n";
    let first = painter.settle_text(ItemId(2), text, false, &at(Duration::ZERO));
    assert_eq!((first.rows.len(), first.ready), (0, false));
    assert_eq!(painter.tail_text(ItemId(2), text, &at(Duration::ZERO)).rows.len(), 3);
    let second = painter.settle_text(ItemId(2), text, false, &at(PATIENCE));
    assert_eq!(
        (texts(&second.rows), second.ready),
        (vec!["  fn a() {}".to_owned(), "  fn b() {}".to_owned(), "end".to_owned()], true)
    );
}

#[test]
fn rows_are_made_again_when_something_changed_only() {
    let mut painter = painter(Highlighter::inline());
    let mut running = call("T", CallState::Executing);
    let at = |seconds| PaintCx { now: Duration::from_secs(seconds), ..live(80) };
    let header = |painter: &mut Painter, call: &ToolCall, seconds| {
        painter.call(&Arc::new(call.clone()), None, &at(seconds))[0].header[0].text()
    };
    assert_eq!(header(&mut painter, &running, 10), "● T  a.rs  running");
    assert_eq!(header(&mut painter, &running, 14), "● T  a.rs  running  4s");
    running.state = CallState::Done;
    running.elapsed = Some(Duration::from_secs(5));
    running.tree_revision += 1;
    assert_eq!(header(&mut painter, &running, 15), "✓ T  a.rs  5s");
}

#[test]
fn an_answer_at_overview_is_whole() {
    let mut painter = painter(Highlighter::inline());
    let overview = PaintCx { density: Density::Overview, ..settled(40) };
    let text = "There are **7**.\n\nAnd more.";
    assert_eq!(texts(&painter.settle_text(ItemId(1), text, false, &overview).rows), ["There are 7."]);
    assert_eq!(texts(&painter.tail_text(ItemId(1), text, &overview).rows), ["", "And more."]);
    assert_eq!(texts(&painter.settle_text(ItemId(1), text, true, &overview).rows), ["", "And more."]);
    let (row, _) = crate::paint::Inspect::inspect_text(
        &mut painter,
        &mut super::markdown::MarkdownStream::default(),
        text,
        true,
        &overview,
    );
    assert_eq!(texts(&row.rows), ["  There are 7. …"]);
    let cx = PaintCx { width: 20, ..overview };
    let rows =
        draw(call("Grep", CallState::Done), card("abcdefgh", "12 matches", vec![output(3)]), &cx, None);
    assert_eq!(rows.len(), 1);
}

fn any_block() -> impl Strategy<Value = Block> {
    let text = "(\u{1b}\\[3[0-9]m|[a-z]{1,12}|漢字|👩‍👩‍👧|é|\t|\r|\u{8}|\u{7}|\u{202e}| |\n|/|\\| ){0,40}";
    prop_oneof![
        text.prop_map(Block::Output),
        text.prop_map(Block::Markdown),
        text.prop_map(|text| Block::Code { lang: Some("rs".to_owned()), first_line: Some(98), text }),
        text.prop_map(|text| Block::Fields(vec![("name".to_owned(), text.clone()), (text, "b".to_owned())])),
        (text, 1usize..5).prop_map(|(text, columns)| Block::Table {
            columns: (0..columns).map(|at| format!("column {at}")).collect(),
            rows: text.split(' ').map(|cell| vec![cell.to_owned(); columns]).collect(),
        }),
        text.prop_map(|text| Block::Text(text.lines().map(Line::from).collect())),
        text.prop_map(|text| Block::Diff {
            path: Some("a.rs".to_owned()),
            hunks: vec![Hunk {
                old_start: Some(98),
                new_start: None,
                lines: text
                    .split('\n')
                    .zip([DiffTag::Removed, DiffTag::Added, DiffTag::Context].into_iter().cycle())
                    .map(|(text, tag)| DiffLine::new(tag, text))
                    .collect(),
            }],
        }),
        text.prop_map(|text| Block::Matches {
            groups: vec![MatchGroup {
                path: text.replace('\n', ""),
                count: 3,
                lines: vec![MatchLine { line: 1, hits: vec![(0, 1), (2, 5)], text }],
            }],
        }),
    ]
}

proptest! {
    #[test]
    fn no_row_is_too_wide_and_none_holds_a_control_character(
        blocks in prop::collection::vec(any_block(), 0..3),
        title in "[a-z/漢]{0,40}", note in "[a-z 漢]{0,40}",
        state in prop::sample::select(CallState::ALL.to_vec()),
        density in prop::sample::select(Density::ALL.to_vec()),
        width in 1usize..90, is_live: bool,
    ) {
        let cx = PaintCx { density, ..if is_live { live(width) } else { settled(width) } };
        for row in draw(call("Tool", state), card(&title, &note, blocks), &cx, None) {
            prop_assert!(row.width() <= width || (row.unbroken && !is_live), "{:?}", row.text());
            prop_assert!(!row.text().chars().any(char::is_control), "{:?}", row.text());
        }
    }

    #[test]
    fn prompts_and_thoughts_fit(text in "([a-z]{1,9}|漢|é|\n| ){0,60}", width in 1usize..60) {
        let done = ThinkingState::Done { elapsed: Some(Duration::from_secs(3)) };
        for body in [ItemBody::User { text: text.clone() }, thinking(&text, done)] {
            for row in super::items::rows(&body, &settled(width), Look::COLOUR) {
                prop_assert!(row.width() <= width, "{:?}", row.text());
            }
        }
    }
}

/// A file name is never cut where a row can hold it, with or without folders, with blanks in it, live and settled.
#[test]
fn a_file_name_is_kept() {
    let reason = "This session is read-only, so Edit may not write anything.";
    let names = ["a-rather-long-file-name.md", "docs/guide/a-rather-long-file-name.md", "notes of today.md"];
    for name in names {
        let last = name.rsplit('/').next().unwrap_or_default();
        for width in [40, 48, 60, 72, 80, 100, 120] {
            for (state, note) in [
                (CallState::Rejected, reason),
                (CallState::Rejected, "rejected by the person"),
                (CallState::Error, "old_string was not found in the file"),
                (CallState::Done, "Edited: 2 replacements"),
                (CallState::AwaitingApproval, ""),
            ] {
                for cx in [settled(width), live(width)] {
                    if cx.place == Place::Live && width < 60 {
                        continue;
                    }
                    let rows = texts(&draw(call("Edit", state), card(name, note, vec![]), &cx, None));
                    assert!(rows.iter().any(|row| row.contains(last)), "{width} {:?}: {rows:?}", cx.place);
                }
            }
        }
    }
}

/// LOG 3.19: what a machine reads in a file is seen in its excerpt, its hits and its diff alike; nothing is gone.
#[test]
fn log_3_19_marks_are_visible_in_read_grep_and_diff_frames() {
    let text = "a\u{1b}[31mb \u{202e}txt\u{200b}\u{7}\u{fe0f}";
    let want = "a␛[31mb <U+202E>txt<U+200B>␇<U+FE0F>";
    let line = MatchLine { line: 1, text: text.to_owned(), hits: vec![(0, 1)] };
    let hunk =
        Hunk { old_start: Some(1), new_start: Some(1), lines: vec![DiffLine::new(DiffTag::Added, text)] };
    let blocks = [
        Block::Code { lang: None, first_line: Some(1), text: text.to_owned() },
        Block::Code { lang: Some("rs".into()), first_line: None, text: text.to_owned() },
        Block::Matches { groups: vec![MatchGroup { path: "a".into(), count: 1, lines: vec![line] }] },
        Block::Diff { path: Some("a.rs".into()), hunks: vec![hunk] },
    ];
    for block in blocks {
        for cx in [settled(80), live(80), PaintCx { density: Density::Detail, ..settled(80) }] {
            let rows =
                texts(&draw(call("T", CallState::Done), card("a", "", vec![block.clone()]), &cx, None));
            assert!(rows.join("\n").contains(want), "{rows:?}");
        }
    }
}
