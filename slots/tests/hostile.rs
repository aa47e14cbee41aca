//! The hostile inputs, each through every form: nothing in them reaches a terminal, what is visible stays.
//!
//! `tests/data/hostile` holds the bytes; each row here says what a person reads, line by line.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data should stop")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use carpel_slots::Printable;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile")
}

fn text(name: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(folder().join(name)).unwrap()).into_owned()
}

fn check(name: &str, want: &[&str]) {
    let rows = Printable::lines(&text(name));
    assert_eq!(rows.iter().map(Printable::as_str).collect::<Vec<_>>(), want, "{name}");
}

#[test]
fn log_3_01_the_clipboard_is_left_alone() {
    check("h01_osc52_clipboard.txt", &["copy me  end", "end2"]);
}

#[test]
fn log_3_02_no_link_hides_its_target() {
    check("h02_osc8_link_mismatch.txt", &["see https://good.invalid/docs and plain␇ tail"]);
}

#[test]
fn log_3_09_titles_and_notifications_go_whole() {
    check("h03_titles_notify_cwd.txt", &["visible"]);
}

#[test]
fn log_3_02_both_texts_stay_visible() {
    check(
        "h04_forged_status.txt",
        &["tests: FAILED 3", "␍tests: OK 0 failed", "deleted 900 filesdeleted nothing"],
    );
}

#[test]
fn log_3_20_no_mode_changes() {
    check("h05_modes_left_on.txt", &["modes"]);
}

#[test]
fn log_3_20_nothing_is_cleared() {
    check("h06_reset_clear_scrollback.txt", &["keep", "after"]);
}

#[test]
fn log_3_10_no_question_reaches_the_terminal() {
    check("h07_queries_that_answer.txt", &["␅asked"]);
}

#[test]
fn log_3_13_c1_is_inert_and_letters_stay() {
    check("h08_c1_as_utf8.txt", &["ared   <U+0085>nel <U+008D>ri z"]);
}

#[test]
fn log_3_13_raw_c1_bytes_are_marks() {
    check(
        "h09_c1_raw_bytes.bin",
        &["a\u{fffd}31mred\u{fffd}0m \u{fffd}0;T\u{fffd} \u{fffd}( \u{fffd}\u{fffd} 世 z"],
    );
}

#[test]
fn log_3_19_bidi_controls_are_seen() {
    check(
        "h10_bidi.txt",
        &[
            "run: rm <U+202E>gnp.elif_ngineb<U+202C>",
            "if user != \"admin<U+2066> // ok<U+2069>\"",
            "log<U+202D>drawkcab",
            "unbalanced <U+202E><U+202E><U+2067>",
            "next line must be normal",
        ],
    );
}

#[test]
fn log_3_12_invisible_characters_are_seen() {
    check(
        "h11_invisible.txt",
        &[
            "pay<U+200B>load zero<U+200D>width<U+2060>joiner <U+FEFF>bom <U+00AD>soft<U+00AD>hyphen <U+3164>filler <U+034F>cgj",
        ],
    );
}

#[test]
fn log_3_21_no_text_covers_another() {
    check(
        "h12_cr_and_backspace.txt",
        &["real command: curl evil␍safe command: ls      ", "b␈bo␈ol␈ld _␈u", "abc␈␈␈   "],
    );
}

#[test]
fn log_2_03_tabs_expand() {
    check(
        "h13_tabs_vt_ff.txt",
        &["a   b   c", "    at frame one", "    at frame two", "12345678    x", "漢  x", "v␋t␌f"],
    );
}

#[test]
fn log_3_08_passthrough_goes_whole() {
    check("h14_passthrough_dcs_apc_pm.txt", &["seen"]);
}

#[test]
fn log_3_22_an_open_string_hides_nothing() {
    check(
        "h15_unterminated_osc.txt",
        &["first", "0;never ends, so the rest of the stream", "second line", "third line"],
    );
}

#[test]
fn log_3_22_concealed_text_is_readable() {
    check("h16_sgr_leak.txt", &["concealed blink", "plain line after", "camouflage"]);
}

#[test]
fn log_3_22_no_character_set_leaks() {
    check("h17_charset_shift.txt", &["ok ␎ lqqk ␏ lqqk  end"]);
}

#[test]
fn log_3_12_invisible_text_takes_no_stray_cell_in_an_answer() {
    let row = Printable::prose(text("h11_invisible.txt").trim_end());
    assert_eq!(row.as_str(), "payload zero\u{200d}widthjoiner bom softhyphen filler cgj");
    assert_eq!(row.width(), "payload zerowidthjoiner bom softhyphen filler cgj".len());
}

#[test]
fn log_3_06_names_and_titles_are_one_row_each() {
    let names = |file: &str, field: &str| -> Vec<String> {
        text(file)
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()[field].as_str().unwrap().to_owned()
            })
            .map(|name| Printable::line(&name).to_string())
            .collect()
    };
    assert_eq!(
        names("h18_file_names.jsonl", "name"),
        [
            "plain.txt",
            "name.txt",
            "new␊line.txt",
            "<U+202E>gpj.exe",
            "tab here",
            "trailing space ",
            "-rf",
            "'quote\"mix'.txt",
            "␇bell",
            "back␍over",
            "%s%n",
            "$(touch x)",
            "`id`",
        ]
    );
    let titles = names("h19_session_titles.jsonl", "title");
    assert_eq!(&titles[..3], ["ok", "t", "a␊b"]);
    assert_eq!(titles[3], "x".repeat(titles[3].len()));
    assert_eq!(&titles[4..8], ["<U+202E>title", "", "   ", "<U+200B><U+200B>"]);
}

#[test]
fn every_file_is_inert_in_every_form() {
    let mut seen = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = text(&name);
        for row in [Printable::line(&text), Printable::prose(&text), Printable::exact(&text)] {
            assert!(!row.as_str().chars().any(char::is_control), "{name}: {row:?}");
        }
        seen.insert(name);
    }
    assert_eq!(seen.len(), 19, "{seen:?}");
}
