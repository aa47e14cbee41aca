//! Hunks in, rows out; and the bounds on what a diff may cost, counted in steps and bytes.

use carpel_slots::card::DiffLine;
use proptest::prelude::*;

use super::*;
use crate::render::Highlighter;
use crate::render::look::Look;
use crate::render::theme::Theme;

const CHANGE: &str = " fn a() {\n-    // TODO: handle escapes\n+    let token = unescape(token);\n }\n";

/// Lines with their sign in front.
fn lines(text: &str) -> Vec<DiffLine> {
    let line = |line: &str| {
        let tag = match line.as_bytes()[0] {
            b'+' => DiffTag::Added,
            b'-' => DiffTag::Removed,
            _ => DiffTag::Context,
        };
        DiffLine::new(tag, &line[1..])
    };
    text.split_terminator('\n').map(line).collect()
}

fn hunk(start: u64, text: &str) -> Hunk {
    Hunk { old_start: Some(start), new_start: Some(start), lines: lines(text) }
}

fn unnumbered(text: &str) -> Hunk {
    Hunk { old_start: None, new_start: None, lines: lines(text) }
}

/// Settled at normal density, 60 columns wide, indented by 4.
struct Draw {
    width: usize,
    density: Density,
    live_rows: Option<usize>,
    theme: Theme,
}

impl Default for Draw {
    fn default() -> Draw {
        Draw { width: 60, density: Density::Normal, live_rows: None, theme: Theme::COLOUR }
    }
}

impl Draw {
    fn rows(&self, path: Option<&str>, hunks: &[Hunk]) -> Vec<Row> {
        let mut highlighter = Highlighter::inline();
        let mut ink = Ink {
            look: Look { theme: self.theme, ..Look::COLOUR },
            width: self.width,
            indent: 4,
            nested: None,
            density: self.density,
            place: if self.live_rows.is_some() { Place::Live } else { Place::Settled },
            most: crate::render::block::ITEM_ROWS,
            end_tells: false,
            live_rows: self.live_rows,
            highlighter: &mut highlighter,
            waiting: false,
        };
        rows(path, hunks, &mut ink)
    }

    #[track_caller]
    fn check(&self, hunks: &[Hunk], want: &[&str]) {
        assert_eq!(self.rows(None, hunks).iter().map(Row::text).collect::<Vec<_>>(), want);
    }
}

/// The marked parts of every row.
fn marked(rows: &[Row]) -> Vec<String> {
    let is_marked = |span: &&RowSpan| span.style.add_modifier.contains(Modifier::UNDERLINED);
    rows.iter()
        .map(|row| row.spans.iter().filter(is_marked).map(|span| span.text.as_str()).collect())
        .collect()
}

#[test]
fn a_line_has_its_number_and_its_sign() {
    Draw::default().check(
        &[hunk(11, CHANGE)],
        &[
            "      11   fn a() {",
            "      12 -     // TODO: handle escapes",
            "      12 +     let token = unescape(token);",
            "      13   }",
        ],
    );
    Draw::default().check(&[unnumbered("-a\n+b\n")], &["    - a", "    + b"]);
    Draw { width: 19, ..Draw::default() }.check(&[hunk(1, "-a\n+b\n")], &["    - a", "    + b"]);
    Draw { width: 28, ..Draw::default() }.check(&[hunk(1, "-a\n+b\n")], &["    1 - a", "    1 + b"]);
}

#[test]
fn hunks_stand_apart() {
    Draw::default().check(
        &[hunk(1, "-a\n+b\n c\n"), Hunk { new_start: Some(10_000), ..hunk(9_999, "-d\n+e\n") }],
        &["        1 - a", "        1 + b", "        2   c", "        …", "     9999 - d", "    10000 + e"],
    );
}

#[test]
fn a_long_diff_loses_context_first_and_its_middle_then() {
    let many =
        |sign: &str, count: usize| -> String { (0..count).map(|at| format!("{sign}{at}\n")).collect() };
    Draw::default().check(
        &[hunk(1, &format!("{}-a\n+b\n{}", many(" ", 5), many(" ", 5)))],
        &["       5   4", "       6 - a", "       6 + b", "       7   0", "    … 8 more lines"],
    );
    Draw::default().check(
        &[hunk(1, &format!("{}{}", many("-", 10), many("+", 10)))],
        &[
            "       1 - 0",
            "       2 - 1",
            "       3 - 2",
            "       4 - 3",
            "    … 12 more lines",
            "       7 + 6",
            "       8 + 7",
            "       9 + 8",
            "      10 + 9",
        ],
    );
    let added = many("+", 20);
    let rows = Draw::default().rows(None, &[hunk(1, &added)]);
    assert_eq!(
        (rows[7].text(), rows[8].text()),
        ("       8 + 7".to_owned(), "    … 12 more lines".to_owned())
    );
    assert_eq!(rows.len(), 9);
    assert_eq!(Draw { density: Density::Detail, ..Draw::default() }.rows(None, &[hunk(1, &added)]).len(), 20);
}

#[test]
fn what_grows_shows_its_end() {
    Draw { live_rows: Some(3), ..Draw::default() }
        .check(&[unnumbered("-a\n-b\n+c\n+d\n+e\n")], &["    + c", "    + d", "    + e"]);
}

#[test]
fn words_are_marked_within_changed_lines() {
    let rows = [
        ("-let a = one(b);\n+let a = two(b);\n", &["one", "two"][..]),
        ("-one two three\n+six five four\n", &["", ""]),
        ("-a b c d\n+a x y d\n", &["b c", "x y"]),
        ("-same words here\n+same words here too\n", &["", " too"]),
        // Two lines become three: the one that came is no change of words.
        ("-fn a() {\n-    b(1)\n+fn a() {\n+    c();\n+    b(2)\n", &["", "1", "", "", "2"]),
        (" a\n-b\n c\n", &["", "", ""]),
    ];
    for (text, want) in rows {
        assert_eq!(marked(&Draw::default().rows(None, &[hunk(1, text)])), want, "{text}");
    }
}

#[test]
fn colour_only_repeats_the_sign() {
    let rows = |theme| Draw { theme, ..Draw::default() }.rows(Some("a.rs"), &[hunk(11, CHANGE)]);
    let (colour, plain) = (rows(Theme::COLOUR), rows(Theme::NONE));
    for (row, other) in colour.iter().zip(&plain) {
        assert_eq!(row.text(), other.text());
        assert!(other.spans.iter().all(|span| span.style.fg.is_none()));
    }
    let style =
        |row: &Row, text: &str| row.spans.iter().find(|span| span.text.as_str() == text).unwrap().style;
    assert_eq!(style(&colour[1], "- "), Theme::COLOUR.role(Role::Removed));
    assert_eq!(style(&colour[2], "+ "), Theme::COLOUR.role(Role::Added));
    assert_eq!(style(&colour[0], "fn"), Theme::COLOUR.syntax(crate::render::theme::Syntax::Keyword));
}

/// LOG 3.19: what reads differently to a person and to a machine is made visible, tabs, ends of lines and blanks too.
#[test]
fn log_3_19_nothing_invisible_tells_lines_apart() {
    let mut open = hunk(1, "-a\n+a\n");
    open.lines[0].open = true;
    Draw::default().check(&[open], &["       1 - a (no line end)", "       1 + a"]);
    Draw::default().check(&[hunk(1, "-a\r\n+a\n")], &["       1 - a␍", "       1 + a"]);
    Draw::default().check(&[hunk(1, "-a\r\n+b\r\n")], &["       1 - a", "       1 + b"]);
    Draw::default().check(
        &[hunk(1, "-\tif (x) return;\n+    if (x) return;\n")],
        &["       1 - ␉   if (x) return;", "       1 +     if (x) return;"],
    );
    Draw::default().check(
        &[hunk(1, "-admin\n+ad\u{202e}min\u{200b}\u{1b}[31m\n")],
        &["       1 - admin", "       1 + ad<U+202E>min<U+200B>␛[31m"],
    );
    let blanks = Draw::default().rows(None, &[hunk(1, "-return the_value\n+return the_value  \n")]);
    assert_eq!(blanks[1].text(), "       1 + return the_value  ");
}

#[test]
fn a_cut_line_is_shown_around_its_change() {
    let long = |word: &str| format!("{} {word} {}", "x ".repeat(60), "y ".repeat(60));
    let text = format!("-{}\n+{}\n", long("old"), long("new"));
    Draw { width: 40, ..Draw::default() }.check(
        &[hunk(1, &text)],
        &["       1 - …x x x x  old y y y y y y y…", "       1 + …x x x x  new y y y y y y y…"],
    );
    let huge = |word: &str| format!("{}{word}{}", "é".repeat(20_000), "漢".repeat(20_000));
    for (old, new) in [("old", "new"), ("", "new"), ("a", "ab"), ("é", "è"), ("漢x", "漢"), ("", "")] {
        let hunks = [hunk(1, &format!("-{}\n+{}\n", huge(old), huge(new)))];
        for density in [Density::Normal, Density::Detail] {
            let rows = Draw { width: 40, density, ..Draw::default() }.rows(None, &hunks);
            let seen = |sign: &str| rows.iter().any(|row| row.text().contains(&format!("{sign} …éé")));
            assert_eq!((seen("-"), seen("+")), (old != new, old != new), "{old:?} {new:?}");
        }
    }
    let whole = Draw { width: 40, density: Density::Detail, ..Draw::default() }.rows(None, &[hunk(1, &text)]);
    assert!(whole[0].text().starts_with("       1 - x x"), "{:?}", whole[0].text());
}

/// A file of one line of 10 MB: what is styled does not grow with it, and no word of it is compared.
#[test]
fn a_line_of_megabytes_is_looked_at_as_far_as_it_is_seen() {
    let long = |word: &str| format!("{}{word}{}", "x".repeat(5_000_000), "漢".repeat(1_700_000));
    let hunks = [hunk(1, &format!(" {0}\n-{0}\n+{1}\n", long("old"), long("new")))];
    for density in [Density::Normal, Density::Detail] {
        for live_rows in [None, Some(5)] {
            let rows = Draw { density, live_rows, ..Draw::default() }.rows(Some("a.json"), &hunks);
            let bytes: usize =
                rows.iter().flat_map(|row| &row.spans).map(|span| span.text.as_str().len()).sum();
            assert!(bytes < 20_000, "{density:?}: {bytes}");
            let text: String = rows.iter().map(Row::text).collect();
            assert!(density == Density::Normal || live_rows.is_some() || text.contains("more characters"));
        }
    }
    let shown = shown::choose(&hunks, Room { rows: 9, keep: Keep::Head }, false);
    assert_eq!(Words::of(&hunks, &shown.spots).steps, 0);
}

#[test]
fn comparing_words_is_bounded() {
    let different = |sign: char, at: usize| {
        (0..30).fold(sign.to_string(), |line, word| format!("{line} {sign}{at}x{word}")) + "\n"
    };
    let run = |at: usize| different('-', at) + &different('+', at) + " same\n";
    let cases = [
        // Many small changes, and few that are too large.
        (0..5_000).map(run).collect::<String>(),
        (0..2_000).map(|at| different('-', at)).chain((0..2_000).map(|at| different('+', at))).collect(),
    ];
    for text in cases {
        let hunks = [hunk(1, &text)];
        let shown = shown::choose(&hunks, Room { rows: 400_000, keep: Keep::Head }, false);
        assert_eq!(shown.hidden, 0);
        let steps = Words::of(&hunks, &shown.spots).steps;
        assert!(steps <= words::STEPS, "{steps}");
        let rows = Draw::default().rows(None, &hunks);
        assert!(rows.len() <= NORMAL + 2);
    }
}

proptest! {
    /// Rows fit, hold no control character, and at detail every changed line is there with its sign.
    #[test]
    fn rows_fit_and_at_detail_nothing_is_missing(
        texts in prop::collection::vec(("[-+ ]", "([a-z]{1,9}|漢|👩‍👩‍👧|é|\t|\r|\u{1b}\\[3|\u{202e}|  ?){0,20}"), 0..30),
        start in prop::option::of(0u64..200_000), width in 1usize..120,
        density in prop::sample::select(Density::ALL.to_vec()), live_rows in prop::option::of(0usize..20),
    ) {
        let text: String = texts.iter().map(|(sign, text)| format!("{sign}{text}\n")).collect();
        let mut hunk = hunk(1, &text);
        hunk.old_start = start;
        hunk.new_start = start;
        let rows = Draw { width, density, live_rows, ..Draw::default() }.rows(Some("a.rs"), &[hunk]);
        for row in &rows {
            prop_assert!(row.width() <= width, "{width}: {:?}", row.text());
            prop_assert!(!row.text().chars().any(char::is_control), "{:?}", row.text());
        }
        if density == Density::Detail && live_rows.is_none() && width > 40 {
            let squeeze = |text: &str| text.split([' ', '␉', '␍']).collect::<String>();
            let all = squeeze(&rows.iter().map(Row::text).collect::<String>());
            for (sign, text) in texts.iter().filter(|(sign, _)| sign != " ") {
                let want = format!("{sign}{}", Printable::exact(&text.replace(['\t', '\r'], " ")));
                prop_assert!(all.contains(&squeeze(&want)), "{want:?} is not in {all:?}");
            }
        }
    }
}
