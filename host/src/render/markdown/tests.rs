//! Tests of streaming: however a text comes, its settled rows are the rows of the whole.

use std::time::Duration;

use carpel_slots::Density;
use proptest::prelude::*;

use super::chunk::Chunk;
use super::{MarkdownStream, whole};
use crate::paint::{PaintCx, Place};
use crate::render::{Highlighter, Look};
use crate::row::Row;

fn cx(width: usize) -> PaintCx {
    PaintCx { width, density: Density::Normal, now: Duration::ZERO, place: Place::Settled }
}

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

fn render(text: &str, width: usize) -> Vec<String> {
    texts(&whole(text, width, Look::COLOUR, &mut Highlighter::inline()))
}

/// Settled rows of a text that comes in pieces ending at `cuts`, each followed by a frame.
fn streamed(text: &str, cuts: &[usize], width: usize) -> Vec<Row> {
    let mut highlighter = Highlighter::inline();
    let mut stream = MarkdownStream::default();
    let mut rows = Vec::new();
    for cut in cuts {
        let part = &text[..text.floor_char_boundary(*cut)];
        rows.extend(stream.settle(part, false, &cx(width), Look::COLOUR, &mut highlighter).rows);
        let tail = stream.tail(part, &cx(width), Look::COLOUR, &mut highlighter);
        for row in tail.rows {
            assert!(row.unbroken || row.width() <= width, "{:?}", row.text());
        }
    }
    rows.extend(stream.settle(text, true, &cx(width), Look::COLOUR, &mut highlighter).rows);
    rows
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(render(text, 40), want, "{text:?}");
    let every: Vec<usize> = (0..text.len()).collect();
    assert_eq!(texts(&streamed(text, &every, 40)), want, "byte by byte: {text:?}");
}

/// The backslash that ends an escape string is no escape of Markdown's: what follows it is kept.
#[test]
fn the_end_of_an_escape_string_takes_nothing_with_it() {
    check("\u{1b}]0;t\u{1b}\\*stars*", &["stars"]);
    check("a \u{1b}]0;t\u{1b}\\[b] c", &["a [b] c"]);
    check("\u{1b}P+q\u{1b}\\`code` d", &["code d"]);
}

#[test]
fn blocks_look_as_they_should() {
    check("# Title #\n\ntext", &["Title", "", "text"]);
    check("a **b** *c* `d` ~~e~~", &["a b c d e"]);
    check("one\ntwo  \nthree\\\nfour", &["one", "two", "three", "four"]);
    check("* a\n* b\n\n\n* c", &["• a", "• b", "", "• c"]);
    check("1. a\n1. b\n1. c", &["1. a", "2. b", "3. c"]);
    check("3. a\n\n   more\n4. b", &["3. a", "", "   more", "4. b"]);
    check("- a\n  - b\n    - c\n- [x] d", &["• a", "  • b", "    • c", "• [x] d"]);
    check("> q\n> r\n\nafter", &["│ q", "│ r", "", "after"]);
    check("a\n***\nb", &["a", "───", "b"]);
    check("[t](http://x) <http://y>", &["t (http://x) http://y"]);
    check("![alt](p.png)", &["alt (p.png)"]);
    check("a &amp; b &lt;", &["a & b <"]);
    check("```rs\nfn a() {}\n\tb\n```\nend", &["  fn a() {}", "      b", "end"]);
    check("    code\n\n    more", &["  code", "", "  more"]);
    check("<div>\n**raw**\n</div>\n\ntext", &["<div>", "**raw**", "</div>", "", "text"]);
    check("[x]: http://x\n\nsee [x]", &["[x]: http://x", "", "see [x]"]);
    check("- [x]: http://x", &["•", "[x]: http://x"]);
    check("2. foo\nbar", &["2. foo", "   bar"]);
    check("year\n1986. great", &["year", "1986. great"]);
    check("", &[]);
    check("\n\n\n", &[]);
}

/// LOG 6.07: lines that change the block above: fences, underline headings, list looseness, spans over lines.
#[test]
fn log_6_07_later_lines_change_the_block_above() {
    check("text\n===\nmore", &["text", "more"]);
    check("text\n---\nmore", &["text", "more"]);
    check("a\nb\n===\nc", &["a", "b", "===", "c"]);
    check("```\nnever closed\n# no title", &["  never closed", "  # no title"]);
    check("- a\n\n- b", &["• a", "", "• b"]);
    check("**bold\nover lines** x", &["bold", "over lines x"]);
    check("**never closed\nat all\n\nb", &["**never closed", "at all", "", "b"]);
    check("- a\nlazy\n\nafter", &["• a", "  lazy", "", "after"]);
    check("- ```\n  code\n  ```\n- b", &["•", "  code", "• b"]);
    let heading = whole("text\n===", 40, Look::COLOUR, &mut Highlighter::inline());
    assert_eq!(heading[0].spans[0].style, Look::COLOUR.theme.title());
}

/// LOG 1.12: a streamed table and what follows it.
#[test]
fn tables_are_aligned_and_end() {
    check(
        "intro\n| a | n |\n|:--|--:|\n| x | 1 |\n| long cell | 22 |\n\nafter",
        &["intro", "a           n", "x           1", "long cell  22", "", "after"],
    );
    check("| a |\n|---|", &["a"]);
    check("| a | b |\n|---|", &["| a | b |", "|---|"]);
    let narrow =
        render("| name | remark |\n|--|--|\n| extraordinarily | incomprehensible words |\n| b | c |", 20);
    assert_eq!(
        narrow,
        [
            "name: ",
            "  extraordinarily",
            "remark: ",
            "  incomprehensible",
            "  words",
            "",
            "name: b",
            "remark: c"
        ]
        .map(str::trim_end)
    );
}

#[test]
fn answers_stand_at_column_0_and_long_words_stay_whole() {
    let rows = render("see abcdefghijklmnopqr now", 20);
    assert_eq!(rows, ["see", "abcdefghijklmnopqr", "now"]);
}

#[test]
fn code_is_left_to_the_terminal() {
    let rows = whole(
        "```\n0123456789012345678901234567890123456789\n```",
        10,
        Look::COLOUR,
        &mut Highlighter::inline(),
    );
    assert_eq!(texts(&rows), ["  0123456789012345678901234567890123456789"]);
    assert!(rows[0].unbroken);
}

#[test]
fn what_holds_text_back_is_named() {
    let rows = [
        ("| a |\n|--|\n| b |\n", Some("the table")),
        ("- a\n  more", Some("the list item")),
        ("> a\n", Some("the quotation")),
        ("**a\nb\n", Some("the paragraph")),
        ("a", None),
        ("```\ncode", None),
    ];
    for (text, want) in rows {
        let mut highlighter = Highlighter::inline();
        let mut stream = MarkdownStream::default();
        stream.settle(text, false, &cx(40), Look::COLOUR, &mut highlighter);
        assert_eq!(stream.tail(text, &cx(40), Look::COLOUR, &mut highlighter).held_by, want, "{text:?}");
    }
}

#[test]
fn rows_are_settled_as_soon_as_they_are_final() {
    let rows = [
        ("one\ntwo", 0),
        ("one\ntwo\n", 1),
        ("one\n\n", 1),
        ("```\na\nb", 1),
        ("- a\n- b", 0),
        ("- a\n- b\n", 1),
        ("# t\n", 1),
        ("**a\nb\nc\n", 0),
    ];
    for (text, want) in rows {
        let mut stream = MarkdownStream::default();
        let settled = stream.settle(text, false, &cx(40), Look::COLOUR, &mut Highlighter::inline());
        assert_eq!(settled.rows.len(), want, "{text:?}");
    }
}

/// LOG e15: no flash of plain backticks; the tail looks as if it ended well.
#[test]
fn the_tail_closes_what_is_open() {
    let rows = [
        ("a **bol", "a bol"),
        ("a `cod", "a cod"),
        ("``", ""),
        ("```rus", ""),
        ("```\nx\n``", "  x"),
        ("text\n==", "text"),
        ("see [the man", "see [the man]"),
    ];
    for (text, want) in rows {
        let mut highlighter = Highlighter::inline();
        let mut stream = MarkdownStream::default();
        let mut rows = stream.settle(text, false, &cx(40), Look::COLOUR, &mut highlighter).rows;
        rows.extend(stream.tail(text, &cx(40), Look::COLOUR, &mut highlighter).rows);
        assert_eq!(texts(&rows).join("\n"), want, "{text:?}");
    }
}

/// LOG 6.05: the work for a delta does not grow with what came before.
#[test]
fn log_6_05_work_is_flat() {
    let paragraph = "some words of **prose** with a few spans,\nand a second line.\n\n- item\n- item two\n\n```rs\nlet x = 1;\n```\n\n";
    let text = paragraph.repeat(2_000);
    let mut highlighter = Highlighter::inline();
    let mut stream = MarkdownStream::default();
    let mut spent = Vec::new();
    let mut end = 0;
    while end < text.len() {
        end = (end + 11).min(text.len());
        let before = stream.work();
        stream.settle(&text[..end], false, &cx(80), Look::COLOUR, &mut highlighter);
        spent.push(stream.work() - before);
    }
    let (first, last) = (&spent[..1_000], &spent[spent.len() - 1_000..]);
    let sum = |part: &[u64]| part.iter().sum::<u64>();
    assert!(sum(last) < 2 * sum(first), "{} then {}", sum(first), sum(last));
    assert!(stream.work() < 8 * text.len() as u64, "{}", stream.work());
}

/// One line that never ends is looked at once.
#[test]
fn a_long_line_is_searched_once() {
    let text = "word ".repeat(20_000);
    let mut stream = MarkdownStream::default();
    let mut highlighter = Highlighter::inline();
    for end in (0..text.len()).step_by(50) {
        stream.settle(&text[..end], false, &cx(80), Look::COLOUR, &mut highlighter);
    }
    assert!(stream.work() <= 2 * text.len() as u64);
}

/// Blocks that mean the same alone and among others.
fn blocks() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "# title",
        "one line with **bold** and `code`",
        "two lines\nof *text* here",
        "- a\n- b\n  - c\n    more of c\n- d",
        "- a\n\n  second paragraph\n\n- b",
        "1. one\n2. two\n   ```sh\n   ls -l\n   ```\n3. three",
        "> quoted\n> text\n>\n> - with a list",
        "```rs\nfn main() {\n\n    let x = 1;\n}\n```",
        "| a | b |\n|---|--:|\n| 1 | 2 |",
        "***",
        "title\n===",
        "**a span\nover lines** and an end",
        "[text](http://x.y) and <http://z>",
        "    indented code",
    ]);
    prop::collection::vec(block, 1..8).prop_map(|blocks| blocks.join("\n\nbetween\n\n"))
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "word",
        " ",
        "  ",
        "    ",
        "\n",
        "\n",
        "\n\n",
        "```",
        "```rs\n",
        "~~~",
        "# ",
        "===",
        "---",
        "- ",
        "1. ",
        "2) ",
        "> ",
        "| a | b |\n",
        "|---|---|\n",
        "|",
        "**",
        "*",
        "_",
        "`",
        "[",
        "](u)",
        "[x]: u\n",
        "<b>",
        "<div>\n",
        "</div>",
        "<!-- ",
        "-->",
        "&amp;",
        "\\",
        "\t",
        "漢字",
        "é👩‍👩‍👧",
        "https://x.y/z",
        "~~",
        "!",
        "- [ ] ",
        "\r\n",
        "***\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn settled_rows_do_not_depend_on_how_the_text_came(
        text in pieces(), cuts in prop::collection::vec(0usize..200, 0..12), width in 1usize..50,
    ) {
        let mut cuts = cuts;
        cuts.sort();
        let want = whole(&text, width, Look::COLOUR, &mut Highlighter::inline());
        prop_assert_eq!(streamed(&text, &cuts, width), want.clone());
        for row in want {
            prop_assert!(row.unbroken || row.width() <= width, "{:?} is too wide", row.text());
            prop_assert!(!row.text().chars().any(char::is_control));
        }
    }

    /// LOG 6.07: the final rows are those of the parser's reading of the whole text. Lists side by side are one list
    /// to it, so a paragraph is put between blocks.
    #[test]
    fn log_6_07_settled_rows_are_those_of_the_whole(text in blocks()) {
        let mut highlighter = Highlighter::inline();
        let mut chunk = Chunk { width: 30, look: Look::COLOUR, highlighter: &mut highlighter, waiting: false };
        prop_assert_eq!(whole(&text, 30, Look::COLOUR, &mut Highlighter::inline()), chunk.rows(&text, None), "{:?}", text);
    }

    /// Words are all seen, whatever stands around them. Left out: what stands behind a code fence, which is a language,
    /// and cells for which a table has no column.
    #[test]
    fn no_word_is_lost(text in pieces()) {
        let text = text.replace("```", "").replace("~~~", "").replace('|', "");
        let shown: String = render(&text, 30).concat().replace([' ', '│'], "");
        for (word, seen) in [("word", "word"), ("漢字", "漢字"), ("x.y", "x.y")] {
            let (want, got) = (text.matches(word).count(), shown.matches(seen).count());
            prop_assert!(got >= want, "{want} of {word} in {text:?} are {got} in {shown:?}");
        }
    }
}

/// LOG 3.12: a name in an answer hides nothing.
#[test]
fn log_3_12_code_in_a_sentence_shows_what_is_invisible() {
    let rows = whole("Created `.g\u{200b}it/x`.", 60, Look::COLOUR, &mut Highlighter::inline());
    let text: Vec<String> = rows.iter().map(Row::text).collect();
    assert_eq!(text, ["Created .g<U+200B>it/x."]);
}

#[test]
fn what_is_nested_without_end_is_shown_as_it_was_written() {
    check("> > a\n> > b", &["│ │ a", "│ │ b"]);
    for sign in ["> ", "* ", "1. ", "> * "] {
        let text = format!("{}x", sign.repeat(10_000));
        let rows = render(&text, 60);
        assert!(rows[0].starts_with(&sign.repeat(10)), "{sign}: {}", rows[0]);
        assert_eq!(render(&format!("{text}\n\nbehind it"), 60).last().unwrap(), "behind it");
    }
    let lists: String = (0..300).map(|depth| format!("{}- item {depth}\n", "  ".repeat(depth))).collect();
    assert!(render(&lists, 60).iter().any(|row| row.contains("item 299")));
}
