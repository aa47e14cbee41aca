//! The hostile texts, and what a person must be able to read of each.

use std::fs;
use std::path::{Path, PathBuf};

/// A text and the words that stay visible wherever it is shown.
#[derive(Debug, Clone)]
pub struct Text {
    /// File, and line where each line is a text of its own.
    pub name: String,
    pub text: String,
    pub words: Vec<String>,
    /// Words that a program's output writes over itself: gone there, as on a terminal, and visible everywhere else.
    pub overwritten: &'static [&'static str],
}

/// Words of each file; blanks do not count.
const FILES: &[(&str, &[&str], &[&str])] = &[
    ("h01_osc52_clipboard.txt", &["copy me", "end", "end2"], &[]),
    ("h02_osc8_link_mismatch.txt", &["see", "https://good.invalid/docs", "and", "plain", "tail"], &[]),
    ("h03_titles_notify_cwd.txt", &["visible"], &[]),
    ("h04_forged_status.txt", &["tests: FAILED 3", "tests: OK 0 failed", "deleted 900 files"], &[]),
    ("h05_modes_left_on.txt", &["modes"], &[]),
    ("h06_reset_clear_scrollback.txt", &["keep", "after"], &[]),
    ("h07_queries_that_answer.txt", &["asked"], &[]),
    ("h08_c1_as_utf8.txt", &["a", "red", "nel", "ri", "z"], &[]),
    ("h09_c1_raw_bytes.bin", &["a", "red", "世", "z"], &[]),
    (
        "h10_bidi.txt",
        &[
            "run: rm",
            "gnp.elif_ngineb",
            "user != \"admin",
            "drawkcab",
            "unbalanced",
            "next line must be normal",
        ],
        &[],
    ),
    (
        "h11_invisible.txt",
        &["pay", "load", "zero", "width", "joiner", "bom", "soft", "hyphen", "filler", "cgj"],
        &[],
    ),
    ("h12_cr_and_backspace.txt", &["safe command: ls"], &["real command: curl evil", "abc"]),
    ("h13_tabs_vt_ff.txt", &["at frame one", "at frame two", "12345678", "漢", "x", "v", "t", "f"], &[]),
    ("h14_passthrough_dcs_apc_pm.txt", &["seen"], &[]),
    ("h15_unterminated_osc.txt", &["first", "second line", "third line"], &[]),
    ("h16_sgr_leak.txt", &["concealed", "blink", "plain line after", "camouflage"], &[]),
    ("h17_charset_shift.txt", &["ok", "lqqk", "end"], &[]),
];

const NAMES: &[&[&str]] = &[
    &["plain.txt"],
    &["name.txt"],
    &["new", "line.txt"],
    &["gpj.exe"],
    &["tab", "here"],
    &["trailing space"],
    &["-rf"],
    &["'quote\"mix'.txt"],
    &["bell"],
    &["over"],
    &["%s%n"],
    &["$(touch x)"],
    &["id"],
];

const TITLES: &[&[&str]] = &[&["ok"], &["t"], &["a", "b"], &["xxxxxxxxxx"], &["title"]];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile")
}

fn read(name: &str) -> String {
    String::from_utf8_lossy(&fs::read(folder().join(name)).unwrap()).into_owned()
}

/// The bytes of a file.
pub fn bytes(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

/// Files that are one text each.
pub fn files() -> Vec<Text> {
    let text = |(name, words, overwritten): &(&str, &[&str], &'static [&'static str])| Text {
        name: (*name).to_owned(),
        text: read(name),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        overwritten,
    };
    FILES.iter().map(text).collect()
}

/// Each name of `h18_file_names.jsonl`.
pub fn names() -> Vec<Text> {
    lines("h18_file_names.jsonl", "name", NAMES)
}

/// Each title of `h19_session_titles.jsonl`.
pub fn titles() -> Vec<Text> {
    lines("h19_session_titles.jsonl", "title", TITLES)
}

fn lines(file: &str, field: &str, words: &[&[&str]]) -> Vec<Text> {
    let line = |(at, line): (usize, &str)| Text {
        name: format!("{file}:{}", at + 1),
        text: serde_json::from_str::<serde_json::Value>(line).unwrap()[field].as_str().unwrap().to_owned(),
        words: words.get(at).copied().unwrap_or_default().iter().map(|word| (*word).to_owned()).collect(),
        overwritten: if file.starts_with("h18") && at == 9 { &["back"] } else { &[] },
    };
    read(file).lines().enumerate().map(line).collect()
}

/// All of them.
pub fn all() -> Vec<Text> {
    [files(), names(), titles()].concat()
}

#[test]
fn every_file_is_used() {
    let mut used: Vec<&str> = FILES.iter().map(|(name, ..)| *name).collect();
    used.extend(["h18_file_names.jsonl", "h19_session_titles.jsonl"]);
    let mut there: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, used);
}
