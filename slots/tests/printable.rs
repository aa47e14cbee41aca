//! `Printable` by table: what goes in, what comes out in each form.

use carpel_slots::Printable;
use carpel_slots::printable::MARKS_KEPT;

fn check(text: &str, exact: &str, line: &str, prose: &str) {
    assert_eq!(Printable::exact(text).as_str(), exact, "exact of {text:?}");
    assert_eq!(Printable::line(text).as_str(), line, "line of {text:?}");
    assert_eq!(Printable::prose(text).as_str(), prose, "prose of {text:?}");
}

/// The same in all forms.
fn check_all(text: &str, want: &str) {
    check(text, want, want, want);
}

/// The same in the forms that drop escape sequences.
fn check_dropped(text: &str, want: &str) {
    assert_eq!(Printable::line(text).as_str(), want, "line of {text:?}");
    assert_eq!(Printable::prose(text).as_str(), want, "prose of {text:?}");
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "",
        " ",
        "plain ASCII ~",
        "čeština",
        "日本語",
        "שלום",
        "🎉",
        "한국어",
        "ü composed",
        "\u{e000}",
        "a\u{fffd}b",
    ] {
        check_all(text, text);
    }
}

#[test]
fn log_2_05_controls_become_pictures() {
    check_all("a\0b", "a␀b");
    check_all("a\nb", "a␊b");
    check_all("a\rb", "a␍b");
    check_all("\u{7}\u{8}\u{7f}", "␇␈␡");
    check_all("v\u{b}t\u{c}f", "v␋t␌f");
    check_all("a\u{80}b\u{85}c", "a<U+0080>b<U+0085>c");
}

#[test]
fn log_3_13_sequences_go_whole() {
    for sequence in [
        "\u{1b}[31m",
        "\u{1b}[?1049h",
        "\u{1b}[38;2;1;2;3m",
        "\u{1b}[0 q",
        "\u{1b}[ 1m",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]0;title\u{1b}\\",
        "\u{1b}]0;title\u{9c}",
        "\u{1b}]0;title\u{18}",
        "\u{1b}Pq data\u{1b}\\",
        "\u{1b}_Ga=T\u{1b}\\",
        "\u{1b}^pm\u{1b}\\",
        "\u{1b}Xsos\u{1b}\\",
        "\u{1b}ktitle\u{1b}\\",
        "\u{1b}Ptmux;\u{1b}\u{1b}]52;c;aGk=\u{7}\u{1b}\\",
        "\u{1b}c",
        "\u{1b}7",
        "\u{1b}Z",
        "\u{1b}=",
        "\u{1b}(0",
        "\u{1b}%@",
        "\u{1b}#8",
        "\u{1b} F",
        "\u{9b}31m",
        "\u{9d}0;t\u{9c}",
        "\u{9d}0;t\u{7}",
        "\u{90}q\u{9c}",
        "\u{98}q\u{1b}\\",
        "\u{9e}q\u{9c}",
        "\u{9f}q\u{9c}",
        "\u{9c}",
        "\u{1b}\u{1b}[1m",
    ] {
        check_dropped(&format!("a{sequence}b"), "ab");
    }
}

#[test]
fn what_only_looks_like_a_sequence_keeps_its_text() {
    check_dropped("a\u{1b}", "a␛");
    check_dropped("a\u{1b}é", "a␛é");
    check_dropped("a\u{1b}\rb", "a␛␍b");
    check_dropped("a\u{1b}[31é", "aé");
    check_dropped("a\u{1b}[31\rb", "a␍b");
    check_dropped("a\u{1b}(é", "aé");
    // Text decoded with the wrong table is full of C1 code points; without an end they open no string.
    check_dropped("a \u{9d}quoted\u{9d} b", "a <U+009D>quoted<U+009D> b");
    check_dropped("a \u{90}b", "a <U+0090>b");
}

#[test]
fn log_3_22_an_unterminated_sequence_ends_with_its_row() {
    for opening in [
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}[31",
        "\u{1b}]0;title",
        "\u{1b}Pq",
        "\u{1b}_x",
        "\u{1b}(",
        "\u{9b}1",
        "\u{9d}0;",
    ] {
        let rows = Printable::lines(&format!("one{opening}\ntwo\r\nthree"));
        let rows: Vec<&str> = rows.iter().map(Printable::as_str).collect();
        assert!(rows[0].starts_with("one"), "{opening:?}: {rows:?}");
        assert_eq!(&rows[1..], ["two", "three"], "{opening:?}");
        let row = Printable::line(&format!("one{opening}\ntwo"));
        assert!(row.as_str().ends_with("␊two"), "{opening:?}: {row}");
    }
}

/// A string that nobody closes hides nothing, whatever it was joined to.
#[test]
fn log_3_22_an_open_string_is_its_opener() {
    let rows = [
        ("a\u{1b}]0;never b", "a0;never b"),
        ("a\u{1b}]0;never\nb\u{7}", "a0;never␊b␇"),
        ("a\u{1b}Pq b", "aq b"),
        ("a\u{1b}]0;closed\u{1b}[1mb", "ab"),
        ("a\u{1b}]0;closed\u{7}b", "ab"),
    ];
    for (text, want) in rows {
        assert_eq!(Printable::line(text).as_str(), want, "{text:?}");
        assert!(Printable::sequence(&text[1..]).is_some(), "{text:?}");
    }
}

#[test]
fn exact_hides_nothing() {
    assert_eq!(Printable::exact("echo \u{1b}]0;$(rm -rf ~)\u{7} hi").as_str(), "echo ␛]0;$(rm -rf ~)␇ hi");
    assert_eq!(Printable::exact("a\tb\u{9b}31m").as_str(), "a␉b<U+009B>31m");
    assert_eq!(Printable::exact("a\u{a0}b\u{3000}c").as_str(), "a<U+00A0>b<U+3000>c");
    let rows = Printable::exact_lines("one\r\ntwo\n");
    assert_eq!(rows.iter().map(Printable::as_str).collect::<Vec<_>>(), ["one␍", "two"]);
}

#[test]
fn log_2_03_tabs_go_to_stops_by_cells() {
    check_dropped("\tx", "    x");
    check_dropped("a\tb\tc", "a   b   c");
    check_dropped("1234\tx", "1234    x");
    check_dropped("漢\tx", "漢  x");
    check_dropped("漢漢\tx", "漢漢    x");
    check_dropped("e\u{301}\tx", "e\u{301}   x");
    check_dropped("\u{1b}[31ma\u{1b}[0m\tb", "a   b");
    check_dropped("\u{7}\tx", "␇   x");
}

#[test]
fn log_3_11_bidi_controls_are_seen() {
    check_all("rm \u{202e}gnp\u{202c}", "rm <U+202E>gnp<U+202C>");
    check_all("\u{2066}a\u{2069}", "<U+2066>a<U+2069>");
    check("a\u{200e}b\u{200f}c\u{61c}", "a<U+200E>b<U+200F>c<U+061C>", "a<U+200E>b<U+200F>c<U+061C>", "abc");
}

#[test]
fn log_3_12_invisible_characters_are_seen_or_gone() {
    for hidden in [
        '\u{ad}',
        '\u{34f}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{180e}',
        '\u{200b}',
        '\u{2060}',
        '\u{2064}',
        '\u{206f}',
        '\u{3164}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{fffb}',
        '\u{fdd0}',
        '\u{fffe}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{10ffff}',
    ] {
        let seen = format!("a<U+{:04X}>b", u32::from(hidden));
        check(&format!("a{hidden}b"), &seen, &seen, "ab");
    }
    check("a\u{2028}b\u{2029}c", "a<U+2028>b<U+2029>c", "a<U+2028>b<U+2029>c", "a b c");
}

#[test]
fn joiners_and_selectors_work_in_prose_only() {
    let technologist = "👩\u{200d}🔬";
    check(technologist, "👩<U+200D>🔬", "👩<U+200D>🔬", technologist);
    check("می\u{200c}خواهم", "می<U+200C>خواهم", "می<U+200C>خواهم", "می\u{200c}خواهم");
    check("❤\u{fe0f}", "❤<U+FE0F>", "❤\u{fe0f}", "❤\u{fe0f}");
    check("1\u{fe0f}\u{20e3}", "1<U+FE0F>\u{20e3}", "1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}");
    check("a\u{fe01}", "a<U+FE01>", "a<U+FE01>", "a\u{fe01}");
    check("葛\u{e0100}", "葛<U+E0100>", "葛<U+E0100>", "葛\u{e0100}");
    // Without something visible before them they do nothing but hide.
    check("\u{200d}a", "<U+200D>a", "<U+200D>a", "a");
    check(" \u{fe0f}a", " <U+FE0F>a", " <U+FE0F>a", " a");
    check("a\u{200d}\u{200d}b", "a<U+200D><U+200D>b", "a<U+200D><U+200D>b", "a\u{200d}b");
    check("❤\u{fe0f}\u{fe0e}", "❤<U+FE0F><U+FE0E>", "❤\u{fe0f}<U+FE0E>", "❤\u{fe0f}");
    // Twenty joiners in a row: the ninth and the eighteenth go, so that no cluster grows without bound.
    let chain = "👩\u{200d}".repeat(20) + "👩";
    let eight = "👩\u{200d}".repeat(8) + "👩";
    assert_eq!(Printable::prose(&chain).as_str(), format!("{eight}{eight}👩\u{200d}👩\u{200d}👩"));
}

#[test]
fn log_2_15_marks_stay_on_their_base_and_are_bounded() {
    check_all("สวัสดี", "สวัสดี");
    check_all("e\u{301}", "e\u{301}");
    check_all("\u{301}", "\u{25cc}\u{301}");
    let zalgo = format!("a{}b", "\u{301}".repeat(50));
    let kept = format!("a{}b", "\u{301}".repeat(MARKS_KEPT));
    check_dropped(&zalgo, &kept);
    assert_eq!(Printable::exact(&zalgo).as_str().matches("<U+0301>").count(), 50 - MARKS_KEPT);
}

#[test]
fn rows_of_a_text() {
    let rows = |text: &str| Printable::lines(text).into_iter().map(String::from).collect::<Vec<_>>();
    assert_eq!(rows(""), Vec::<String>::new());
    assert_eq!(rows("a"), ["a"]);
    assert_eq!(rows("a\n"), ["a"]);
    assert_eq!(rows("a\n\nb\r\n"), ["a", "", "b"]);
    assert_eq!(rows("a\rb\n"), ["a␍b"]);
    assert_eq!(rows("a\u{2028}b\u{85}c"), ["a<U+2028>b<U+0085>c"], "only LF ends a row");
    assert_eq!(Printable::prose_lines("👩\u{200d}🔬\nb")[0].as_str(), "👩\u{200d}🔬");
}

#[test]
fn log_2_14_parts_are_cut_at_characters_only() {
    let text = Printable::line(&"漢".repeat(60));
    assert_eq!(text.get(0..57).unwrap().as_str(), "漢".repeat(19));
    assert_eq!(text.get(0..58), None, "inside a character");
    assert_eq!(text.get(0..1000), None);
    assert_eq!(text.width(), 120);
}

#[test]
fn json_brings_nothing_past_it() {
    let read: Printable = serde_json::from_str(r#""a\u001b[2Jb\u202e\u200b""#).unwrap();
    assert_eq!(read.as_str(), "ab<U+202E><U+200B>");
    assert_eq!(serde_json::to_string(&read).unwrap(), r#""ab<U+202E><U+200B>""#);
}
