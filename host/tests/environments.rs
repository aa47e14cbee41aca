//! The program in every environment of `data/env_matrix.tsv`: one test a row, and what is right there.
//!
//! The real binary runs in a pseudo-terminal, a pipe, tmux or GNU screen; a terminal in memory shows what a person
//! would see, and every byte is checked against what that kind of terminal knows. Rows of the fault log are named.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;
#[path = "support/sequences.rs"]
mod sequences;

use std::process::{Command, Stdio};
use std::time::Duration;

use carpel::headless::Headless;
use carpel::render::Look;
use carpel_protocol::recording::decode_step;
use carpel_slots::Density;
use pane::Pane;
use pty::{Place, Pty, Setup};
use ratatui::layout::Size;
use sequences::{check_modern, check_vt100, colours, sequences as found};

const PROGRAM: &str = env!("CARGO_BIN_EXE_carpel");
/// What the status row says once the chat is there.
const READY: &str = "guide (no model)";

/// A row of the table.
struct Row {
    cols: u16,
    rows: u16,
    environment: Vec<(String, Option<String>)>,
}

impl Row {
    /// The row of that name; what is right there is told in the test's output.
    fn named(name: &str) -> Row {
        let line =
            include_str!("data/env_matrix.tsv").lines().find(|line| line.split('\t').next() == Some(name));
        let fields: Vec<&str> = line.unwrap().split('\t').collect();
        eprintln!("environment {name}: {}", fields[4]);
        let variables = fields[3].split(' ').filter_map(|pair| pair.split_once('='));
        Row {
            cols: fields[1].parse().unwrap(),
            rows: fields[2].parse().unwrap(),
            environment: variables.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).collect(),
        }
    }

    fn setup(self) -> Setup {
        Setup { variables: self.environment, ..Setup::new(self.cols, self.rows) }
    }
}

macro_rules! environments {
    ($($name:literal => $test:ident),* $(,)?) => {
        #[test]
        fn every_row_of_the_table_has_a_test() {
            let tests = [$(($name, stringify!($test))),*];
            let rows: Vec<&str> =
                include_str!("data/env_matrix.tsv").lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
            assert_eq!(tests.map(|(name, _)| name).to_vec(), rows);
            $(let _: fn() = $test;)*
        }
    };
}

environments! {
    "tmux" => tmux,
    "tmux-no-passthrough" => log_12_04_tmux_no_passthrough,
    "gnu-screen" => gnu_screen,
    "zellij-like-scroll-region" => log_12_01_zellij_like_scroll_region,
    "dumb" => log_12_17_dumb,
    "term-unset" => log_12_17_term_unset,
    "no-color" => log_12_19_no_color,
    "light-16" => log_12_10_light_16,
    "c-locale" => log_12_12_c_locale,
    "stdin-pipe" => log_12_05_stdin_pipe,
    "stdout-pipe" => log_12_06_stdout_pipe,
    "no-tty" => no_tty,
    "zero-size" => log_12_07_zero_size,
    "one-cell" => log_12_07_one_cell,
    "tiny" => log_12_07_tiny,
    "narrow-tall" => narrow_tall,
    "huge" => huge,
    "height-1" => log_12_07_height_1,
    "winch-storm" => log_12_15_winch_storm,
    "slow-link" => log_12_03_slow_link,
}

/// A recording of an answer of numbered lines with a pause after each, and of calls in every state that is settled.
fn recording(place: &Place, lines: usize, pause: u64) -> String {
    let mut text = String::from(
        "{\"event\":\"turn_start\",\"turn\":1}\n{\"event\":\"user_message\",\"text\":\"show them\"}\n",
    );
    for (id, name, outcome) in
        [("a", "Good", "ok"), ("b", "Bad", "error"), ("c", "Gone", "cancelled"), ("d", "No", "rejected")]
    {
        text += &format!("{{\"event\":\"tool_call_start\",\"id\":\"{id}\",\"name\":\"{name}\"}}\n");
        text += &format!("{{\"event\":\"tool_call_done\",\"id\":\"{id}\",\"arguments\":\"{{}}\"}}\n");
        text += &format!(
            "{{\"event\":\"tool_result\",\"id\":\"{id}\",\"summary\":\"it is {outcome}\",\"is_error\":{},\"outcome\":\"{outcome}\",\"output\":\"\\u001b[33myellow\\u001b[0m \\u001b[97mwhite\\u001b[0m\"}}\n",
            outcome == "error"
        );
    }
    for line in 1..=lines {
        text += &format!("{{\"event\":\"text_delta\",\"text\":\"line <{line}>\\n\"}}\n");
        if pause > 0 {
            text += &format!("{{\"do\":\"wait\",\"ms\":{pause}}}\n");
        }
    }
    text += "{\"event\":\"text_delta\",\"text\":\"LAST\"}\n{\"event\":\"turn_end\",\"turn\":1,\"reason\":\"completed\"}\n";
    std::fs::write(place.work().join("recording.jsonl"), text).unwrap();
    "recording.jsonl".to_owned()
}

fn each_line_once(text: &str, lines: usize) {
    for line in 1..=lines {
        assert_eq!(text.matches(&format!("line <{line}>")).count(), 1, "line {line} in\n{text}");
    }
}

/// Refused with one sentence that says the way out, and not one byte of a sequence.
fn check_refusal(code: Option<u32>, output: &str) {
    assert_eq!(code, Some(1), "{output}");
    let sentence = output.trim();
    assert!(sentence.starts_with("carpel: ") && sentence.contains("carpel exec"), "{sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
    assert!(!output.contains('\u{1b}'), "{output:?}");
}

#[test]
fn tmux() {
    let row = Row::named("tmux");
    let Some(pane) = Pane::start(row.cols, row.rows) else { return };
    let place = Place::new();
    recording(&place, 60, 30);
    pane.enter(&format!("{PROGRAM} replay {}/recording.jsonl; echo LEFT", place.work().display()));
    pane.wait_for("the stream", |all| all.contains("line <5>"));
    let first = ["-t", ":0.0"];
    let steps: [&[&str]; 7] = [
        &["split-window", "-d", "-h", "sleep 600"],
        &["resize-pane", "-Z"],
        &["resize-pane", "-Z"],
        &["split-window", "-d", "-v", "sleep 600"],
        &["resize-pane", "-y", "7"],
        &["resize-pane", "-x", "60"],
        &["resize-pane", "-Z"],
    ];
    for step in steps {
        let line: Vec<&str> = [&step[..1], &first[..], &step[1..]].concat();
        pane.tmux(&line);
        std::thread::sleep(Duration::from_millis(100));
    }
    let all = || pane.tmux(&["capture-pane", "-t", ":0.0", "-p", "-J", "-S", "-", "-E", "-"]);
    pane.wait_for("the end", |_| all().contains("LAST"));
    pane.tmux(&["send-keys", "-t", ":0.0", "-l", "q"]);
    pane.wait_for("the shell", |_| all().contains("\nLEFT\n"));
    each_line_once(&all(), 60);
}

/// The first frame does not wait for the colour answer, which never comes.
#[test]
fn log_12_04_tmux_no_passthrough() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Row::named("tmux-no-passthrough").setup(), &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    pty.press("hello");
    pty.wait_for("the draft", |text| text.contains("› hello"));
    let bytes = String::from_utf8(pty.bytes()).unwrap();
    let (frame, question) = (bytes.find("\u{1b}[?2026l"), bytes.find("\u{1b}]11;?"));
    assert!(frame.is_some() && frame < question, "{bytes:?}");
    assert_eq!(bytes.matches("\u{1b}]11;?").count(), 1);
    pty.press("\x03");
    assert_eq!(pty.leave(), 0);
    check_modern(&pty.bytes());
}

/// What the sequences that screen does not know would leave behind is not there.
#[test]
fn gnu_screen() {
    let mut row = Row::named("gnu-screen");
    if Command::new("screen").arg("-v").output().is_err() {
        assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "screen is not installed");
        eprintln!("skipped: screen is not installed");
        return;
    }
    // What runs in screen has its name for a terminal; screen itself stands in another one.
    row.environment.clear();
    let place = Place::new();
    let sockets = place.path().join("sockets");
    std::fs::create_dir(&sockets).unwrap();
    std::fs::set_permissions(&sockets, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let setup = row.setup().variable("SCREENDIR", sockets.to_str());
    let file = recording(&place, 40, 0);
    let line = format!("{PROGRAM} replay {file}; {PROGRAM}; echo LEFT$TERM; read wait");
    let mut pty =
        Pty::run(&place, setup, &["screen", "-U", "-c", "/dev/null", "-T", "screen", "sh", "-c", &line]);
    pty.wait_for("the end of the recording", |text| text.contains("LAST"));
    pty.press("q");
    pty.wait_for("the prompt", |text| text.contains(READY));
    pty.press("explore this project\r");
    pty.wait_for("the answer", |text| text.contains("of text.") && text.contains(": for commands"));
    for leftover in ["2026", "2004", "11;?", "1u", "[>", "[<", "[?"] {
        assert!(!pty.text().contains(leftover), "{leftover} in\n{}", pty.text());
    }
    pty.press("\x04");
    pty.wait_for("the shell", |text| text.contains("LEFTscreen"));
    pty.press("\r");
    pty.exit_code();
}

#[test]
fn log_12_01_zellij_like_scroll_region() {
    let place = Place::new();
    let file = recording(&place, 100, 2);
    let mut pty = Pty::carpel(&place, Row::named("zellij-like-scroll-region").setup(), &["replay", &file]);
    pty.wait_for("the end", |text| text.contains("LAST"));
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    each_line_once(&pty.text(), 100);
    check_modern(&pty.bytes());
    assert!(found(&pty.bytes()).iter().all(|sequence| !sequence.ends_with('r')), "no scroll region");
}

#[test]
fn log_12_17_dumb() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Row::named("dumb").setup(), &[]);
    let code = pty.exit_code();
    pty.settle();
    let output = String::from_utf8(pty.bytes()).unwrap();
    check_refusal(Some(code), &output);
    assert!(output.contains("TERM=dumb"), "{output}");
}

#[test]
fn log_12_17_term_unset() {
    let place = Place::new();
    for value in [None, Some("")] {
        let mut pty = Pty::carpel(&place, Row::named("term-unset").setup().variable("TERM", value), &[]);
        let code = pty.exit_code();
        pty.settle();
        check_refusal(Some(code), &String::from_utf8(pty.bytes()).unwrap());
    }
}

#[test]
fn log_12_19_no_color() {
    let place = Place::new();
    let file = recording(&place, 3, 0);
    let mut pty = Pty::carpel(&place, Row::named("no-color").setup(), &["replay", &file]);
    pty.wait_for("the end", |text| text.contains("LAST"));
    for told in ["✓ Good  it is ok", "✗ Bad  failed: it is error", "⊘ Gone  ", "⊝ No  "] {
        assert!(pty.text().contains(told), "{told} in\n{}", pty.text());
    }
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    // The chat says so, too, when somebody wants colours.
    let mut chat = Pty::carpel(&place, Row::named("no-color").setup(), &[]);
    chat.wait_for("the prompt", |text| text.contains(READY));
    chat.press(":theme dark\r");
    chat.wait_for("the word", |text| text.contains("but no colour is written: NO_COLOR is set"));
    chat.press(":theme high-contrast\r");
    chat.wait_for("the other", |text| text.contains("✓ :theme high-contrast"));
    assert_eq!(chat.text().matches("no colour is written").count(), 1, "{}", chat.text());
    assert_eq!(chat.leave(), 0);
    let coloured: Vec<u16> = [colours(&pty.bytes()), colours(&chat.bytes())]
        .concat()
        .into_iter()
        .filter(|code| *code >= 30)
        .collect();
    assert!(coloured.is_empty(), "SGR codes of colours: {coloured:?}");
    assert!(!String::from_utf8_lossy(&pty.bytes()).contains("]11;"), "nobody needs the background");
}

#[test]
fn log_12_10_light_16() {
    let place = Place::new();
    let file = recording(&place, 3, 0);
    let mut pty = Pty::carpel(&place, Row::named("light-16").setup(), &["replay", &file]);
    pty.wait_for("the end", |text| text.contains("LAST"));
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    let codes = colours(&pty.bytes());
    for (code, name) in [
        (30, "black"),
        (33, "yellow"),
        (37, "white"),
        (90, "grey"),
        (93, "bright yellow"),
        (97, "bright white"),
        (32, "green"),
        (36, "cyan"),
    ] {
        assert!(!codes.contains(&code), "{name} on white");
    }
    assert!(codes.contains(&34) && codes.contains(&31), "blue and red read on it: {codes:?}");
    assert!(!String::from_utf8_lossy(&pty.bytes()).contains("]11;"), "the variable says it already");
}

#[test]
fn log_12_12_c_locale() {
    let place = Place::new();
    let file = recording(&place, 3, 0);
    let setup = Row::named("c-locale").setup().variable("LANG", Some(""));
    let mut pty = Pty::carpel(&place, setup, &["replay", &file]);
    pty.wait_for("the end", |text| text.contains("LAST"));
    assert!(pty.text().contains("+ Good  it is ok"), "{}", pty.text());
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    assert!(pty.bytes().is_ascii(), "{}", pty.text());
}

#[test]
fn log_12_05_stdin_pipe() {
    let place = Place::new();
    let line = format!("echo hi | {PROGRAM}; echo RC$?");
    let mut pty = Pty::run(&place, Row::named("stdin-pipe").setup(), &["sh", "-c", &line]);
    pty.exit_code();
    pty.settle();
    let output = String::from_utf8(pty.bytes()).unwrap();
    let (sentence, code) = output.trim().rsplit_once("RC").unwrap();
    check_refusal(code.parse().ok(), sentence);
    assert!(sentence.contains("`carpel exec -`"), "the way for a prompt on stdin: {sentence}");

    // And that way works.
    let line = format!("echo 'read src/parser.rs' | {PROGRAM} exec -; echo RC$?");
    let mut pty = Pty::run(&place, Row::named("stdin-pipe").setup(), &["sh", "-c", &line]);
    pty.exit_code();
    pty.settle();
    let text = pty.text();
    assert!(text.contains("Read  src/parser.rs") && text.contains("RC0"), "{text}");
}

#[test]
fn log_12_06_stdout_pipe() {
    Row::named("stdout-pipe");
    let place = Place::new();
    let shell = |line: &str| {
        // Standard input and error are the terminal, output is a pipe.
        let mut pty = Pty::run(&place, Setup::new(80, 24), &["sh", "-c", line]);
        pty.exit_code();
        pty.settle();
        String::from_utf8(pty.bytes()).unwrap()
    };
    let output = shell(&format!("{{ {PROGRAM}; echo RC$?; }} | cat"));
    let (sentence, code) = output.trim().rsplit_once("RC").unwrap();
    check_refusal(code.parse().ok(), sentence);
    for arguments in ["exec 'read src/parser.rs'", "--help", "sessions"] {
        let output = shell(&format!("{PROGRAM} {arguments} | cat"));
        assert!(!output.contains('\u{1b}'), "{arguments}: {output:?}");
    }
}

#[test]
fn no_tty() {
    Row::named("no-tty");
    let place = Place::new();
    for arguments in [&[][..], &["--continue"], &["attach"]] {
        let mut command = Command::new("setsid");
        command
            .arg("--wait")
            .arg(PROGRAM)
            .args(arguments)
            .current_dir(place.work())
            .env_clear()
            .envs(place.variables());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let code = output.status.code().map(|code| u32::try_from(code).unwrap());
        assert_eq!(output.stdout, b"");
        let told = String::from_utf8(output.stderr).unwrap();
        if arguments.is_empty() {
            check_refusal(code, &told);
        } else {
            assert_ne!(code, Some(0), "{told}");
            assert!(told.starts_with("carpel: ") && !told.contains('\u{1b}'), "{told:?}");
        }
    }
}

/// A window of no size is waited for; the first real one is drawn on.
#[test]
fn log_12_07_zero_size() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Row::named("zero-size").setup(), &[]);
    pty.press("early");
    pty.settle();
    pty.resize(80, 24);
    pty.wait_for("the prompt", |text| text.contains(READY) && text.contains("› early"));
    pty.press("\x03");
    assert_eq!(pty.leave(), 0);
}

/// A window too small for anything: no panic, no endless drawing, and all is there once it has grown.
fn check_small(name: &str) {
    let place = Place::new();
    let row = Row::named(name);
    let (cols, rows) = (row.cols, row.rows);
    let mut pty = Pty::carpel(&place, row.setup(), &[]);
    check_grows(&mut pty, cols, rows);
    assert_eq!(pty.leave(), 0);
    check_modern(&pty.bytes());
}

fn check_grows(pty: &mut Pty, cols: u16, rows: u16) {
    pty.settle();
    pty.press("漢字 x");
    let before = pty.settle();
    pty.press("y");
    let key = pty.settle() - before;
    assert!(key < 2000, "{key} bytes for a key at {cols}x{rows}");
    pty.resize(80, 24);
    pty.wait_for("the draft", |text| text.contains(READY) && text.contains("› 漢字 xy"));
    pty.press("\x03");
}

/// A window that could show nothing is refused in one sentence, before a byte is written to the terminal: who starts
/// there sees nothing of what they type. One that shrinks to it later is lived with, see
/// `log_12_07_one_program_through_many_small_windows`.
#[test]
fn log_12_07_one_cell() {
    let row = Row::named("one-cell");
    let place = Place::new();
    let mut pty = Pty::carpel(&place, row.setup(), &[]);
    let code = pty.exit_code();
    pty.settle();
    let output = String::from_utf8(pty.bytes()).unwrap();
    check_refusal(Some(code), &output);
    assert!(output.contains("the window is 1x1"), "{output}");
}

/// The draft is seen and can be sent.
#[test]
fn log_12_07_tiny() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Row::named("tiny").setup(), &[]);
    pty.wait_for("the prompt", |text| text.contains('›'));
    pty.press(":theme");
    pty.wait_for("the draft", |text| text.contains(":theme"));
    pty.press(" dark\r");
    pty.wait_for("the record", |text| text.contains("✓"));
    check_grows(&mut pty, 10, 3);
    assert_eq!(pty.leave(), 0);
}

#[test]
fn narrow_tall() {
    check_small("narrow-tall");
}

#[test]
fn log_12_07_height_1() {
    check_small("height-1");
}

/// Any window, anything on it: questions, trees, tables, joined emoji. Nothing panics, at any size and after any change.
#[test]
fn log_12_07_every_size_from_0_to_12() {
    let names = [
        "r01_approval_once_and_denied",
        "r05_three_levels",
        "e14_table_split_over_deltas",
        "e22_grapheme_split",
    ];
    let recordings = names.map(|name| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/recordings");
        let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap();
        text.lines().map(|line| decode_step(line.as_bytes()).unwrap()).collect::<Vec<_>>()
    });
    for cols in 0..=12u16 {
        for rows in 0..=12u16 {
            let steps = &recordings[usize::from(cols + rows) % recordings.len()];
            let mut host = Headless::new(Size::new(cols, rows), Density::Normal, Look::PLAIN);
            host.frame();
            for (at, step) in steps.iter().enumerate() {
                host.play(step);
                if at % 7 == 3 {
                    host.resize(Size::new(rows, cols));
                } else if at % 7 == 6 {
                    host.resize(Size::new(cols, rows));
                }
            }
        }
    }
}

/// Other windows of a few cells, one program through all of them.
#[test]
fn log_12_07_one_program_through_many_small_windows() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Setup::new(6, 2), &[]);
    pty.settle();
    pty.press("explore this project\r");
    for (cols, rows) in [(3, 2), (2, 1), (1, 2), (5, 1), (12, 12), (0, 7), (7, 0), (4, 3), (1, 1), (11, 2)] {
        pty.resize(cols, rows);
        std::thread::sleep(Duration::from_millis(150));
    }
    pty.resize(80, 24);
    pty.wait_for("the answer", |text| text.contains("of text.") && text.contains(": for commands"));
    assert_eq!(pty.leave(), 0);
}

#[test]
fn huge() {
    let place = Place::new();
    let file = recording(&place, 500, 1);
    let mut pty = Pty::carpel(&place, Row::named("huge").setup(), &["replay", &file]);
    pty.wait_for("the end", |text| text.contains("LAST"));
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    each_line_once(&pty.text(), 500);
    // About 30 bytes reach the terminal for a line of 10: nothing is written for each cell of the window.
    let written = pty.bytes().len();
    assert!(written < 500 * 1000, "{written} bytes");
}

/// A dragged edge: far fewer frames than sizes, and the last size is the one that is drawn for.
#[test]
fn log_12_15_winch_storm() {
    let place = Place::new();
    let file = recording(&place, 100, 20);
    let mut pty = Pty::carpel(&place, Row::named("winch-storm").setup(), &["replay", &file]);
    pty.wait_for("the stream", |text| text.contains("line <1>"));
    let before = pty.bytes().len();
    for step in 0..200u16 {
        pty.resize(120 - step % 30, 24 - step % 7);
        std::thread::sleep(Duration::from_millis(10));
    }
    let storm = String::from_utf8_lossy(&pty.bytes()[before..]).into_owned();
    let frames = storm.matches("\u{1b}[?2026h").count();
    assert!(frames < 100, "{frames} frames for 200 sizes");
    pty.resize(90, 20);
    pty.wait_for("the end", |text| text.contains("LAST"));
    pty.settle();
    let text = pty.text();
    each_line_once(&text, 100);
    assert_eq!(pty.rows().len(), 20);
    pty.press("q");
    assert_eq!(pty.exit_code(), 0);
    check_modern(&pty.bytes());
}

/// Answers that come long after their questions are no keys, at the end neither; a key costs few bytes.
#[test]
fn log_12_03_slow_link() {
    let place = Place::new();
    let setup = Setup {
        delay: Duration::from_millis(300),
        rate: Some(960),
        background: Some("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\"),
        ..Row::named("slow-link").setup()
    };
    let mut pty = Pty::carpel(&place, setup, &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    pty.settle();
    let before = pty.bytes().len();
    for key in ["h", "e", "l", "l", "o"] {
        pty.press(key);
    }
    pty.wait_for("the draft", |text| text.contains("› hello"));
    pty.settle();
    let cost = pty.bytes().len() - before;
    assert!(cost < 5 * 120, "{cost} bytes for five keys");
    let draft = pty.rows().into_iter().find(|row| row.starts_with('›')).unwrap();
    assert_eq!(draft, "› hello", "no answer was typed");
    // The answer about the background was heeded: blue, not cyan, from then on.
    pty.press("\x03:density\r");
    pty.wait_for("the list", |text| text.contains("which shall it be"));
    assert!(colours(&pty.bytes()).contains(&34), "{:?}", colours(&pty.bytes()));
    pty.press("\x1b");
    pty.settle();
    assert_eq!(pty.leave(), 0);
}

/// Who leaves before the answers have come finds none of them in the shell.
#[test]
fn log_12_03_no_late_answer_reaches_the_shell() {
    let place = Place::new();
    let setup = Setup {
        delay: Duration::from_millis(300),
        background: Some("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\"),
        ..Setup::new(80, 24)
    };
    let line = format!("{PROGRAM} </dev/tty; echo LEFT; read word; echo \"<$word>\"");
    let pty = Pty::run(&place, setup, &["bash", "-c", &line]);
    pty.press("\x04");
    pty.wait_for("the shell", |text| text.contains("LEFT"));
    pty.settle();
    pty.press("mine\r");
    pty.wait_for("the word", |text| text.contains("<mine>"));
    assert!(!pty.text().contains("rgb"), "{}", pty.text());
}

/// Light comes after the first rows: later ones change, committed ones stay. Without an answer nothing changes.
#[test]
fn the_background_decides_when_it_is_told() {
    let place = Place::new();
    for (answer, wanted, unwanted) in [
        (Some("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}"), 34, 93),
        (Some("\u{1b}]11;rgb:0000/0000/0000\u{1b}\\"), 36, 34),
        (None, 36, 34),
    ] {
        let mut pty = Pty::carpel(&place, Setup { background: answer, ..Setup::new(80, 24) }, &[]);
        pty.wait_for("the prompt", |text| text.contains(READY));
        pty.settle();
        let before = pty.bytes().len();
        pty.press(":density detail\r");
        pty.wait_for("the record", |text| text.contains("✓ :density"));
        let codes = colours(&pty.bytes()[before..]);
        assert!(codes.contains(&wanted) || wanted == 36 && codes.contains(&32), "{answer:?}: {codes:?}");
        assert!(!codes.contains(&unwanted), "{answer:?}: {codes:?}");
        pty.press(":theme high-contrast\r");
        pty.wait_for("the other record", |text| text.contains("✓ :theme"));
        let before = pty.settle();
        pty.press("explore this project\r");
        pty.wait_for("the answer", |text| text.contains("of text.") && text.contains(": for commands"));
        let codes: Vec<u16> =
            colours(&pty.bytes()[before..]).into_iter().filter(|code| *code >= 30 || *code == 2).collect();
        assert!(codes.is_empty(), "neither colours nor dim text: {codes:?}");
        assert_eq!(pty.leave(), 0);
    }
}

/// A VT100 gets what a VT100 knows.
#[test]
fn log_12_17_vt100() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Setup::new(80, 24).variable("TERM", Some("vt100")), &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    pty.press("explore this project\r");
    pty.wait_for("the answer", |text| text.contains("of text.") && text.contains(": for commands"));
    pty.resize(60, 20);
    pty.press("again");
    pty.wait_for("the draft", |text| text.contains("› again"));
    // It has no alternate screen: the picker stands in place of the live rows, and goes.
    pty.press("\x03:sessions\r");
    pty.wait_for("the picker", |text| text.contains("no other sessions yet"));
    pty.press("\x1b");
    pty.wait_for("the draft again", |_| {
        let rows = pty.rows();
        rows.iter().any(|row| row.starts_with('›'))
            && !rows.iter().any(|row| row.contains("no other sessions yet"))
    });
    pty.press("\x03");
    assert_eq!(pty.leave(), 0);
    check_vt100(&pty.bytes());
}

#[test]
fn a_workspace_that_is_not_there_is_told_before_anything_is_drawn() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Setup::new(80, 24), &["--cwd", "nowhere"]);
    assert_eq!(pty.exit_code(), 2);
    pty.settle();
    let output = String::from_utf8(pty.bytes()).unwrap();
    assert!(
        output.contains("`nowhere`") && output.contains("--cwd") && !output.contains('\u{1b}'),
        "{output}"
    );
}
