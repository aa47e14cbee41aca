//! Faults of programs of this kind, as their users reported them: one test a row of the bug log, named after it.
//!
//! Each does what the report did to the viewport, against the terminal in memory, and says what is right.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/steps.rs"]
mod steps;

use carpel::row::{Row, RowSpan};
use carpel::terminal::dialect::Dialect;
use carpel::terminal::emulator::Emulator;
use carpel::terminal::modes::Modes;
use carpel::terminal::screen::{Frame, InlineTerminal};
use carpel::terminal::sgr::ColorDepth;
use carpel_slots::Printable;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier, Style};
use steps::{check_bytes, without_blanks};

/// A terminal with carpel in it, and what carpel wrote in the last frame.
struct Bench {
    terminal: InlineTerminal,
    emulator: Emulator,
    live: Vec<Row>,
    last: Vec<u8>,
    all: Vec<u8>,
}

impl Bench {
    fn new(cols: u16, rows: u16, shell: usize) -> Self {
        let mut emulator = Emulator::new(cols.into(), rows.into(), 10_000);
        for line in 0..shell {
            emulator.feed(format!("shell {line}\r\n").as_bytes());
        }
        let terminal = InlineTerminal::new(Size::new(cols, rows), emulator.cursor().y);
        let mut bench = Self { terminal, emulator, live: Vec::new(), last: Vec::new(), all: Vec::new() };
        bench.live(&["status", "> draft"]);
        bench
    }

    fn draw(&mut self, commit: &[Row]) {
        self.last.clear();
        let cursor = self.live.iter().rposition(|row| row.text().starts_with('>'));
        let cursor = cursor.map(|row| Position::new(7, row as u16));
        self.terminal.draw(Frame { commit, live: &self.live, cursor }, &mut self.last);
        self.emulator.feed(&self.last);
        self.all.extend_from_slice(&self.last);
    }

    fn live(&mut self, rows: &[&str]) {
        self.live = rows.iter().map(|text| plain(text)).collect();
        self.draw(&[]);
    }

    fn commit(&mut self, texts: impl IntoIterator<Item = String>) {
        let rows: Vec<_> = texts.into_iter().map(|text| plain(&text)).collect();
        self.draw(&rows);
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        self.emulator.resize(cols.into(), rows.into());
        self.terminal.resize(Size::new(cols, rows), Some(self.emulator.cursor()));
        self.draw(&[]);
    }

    /// Everything on the terminal, without empty lines at the end.
    fn check(&self, shell: usize, committed: impl IntoIterator<Item = String>) {
        let mut expected: Vec<_> = (0..shell).map(|line| format!("shell {line}")).collect();
        expected.extend(committed);
        expected.extend(self.live.iter().map(Row::text));
        let mut found = self.emulator.text();
        while found.last().is_some_and(String::is_empty) {
            found.pop();
        }
        assert_eq!(found, expected);
        check_bytes(&self.all);
    }
}

fn plain(text: &str) -> Row {
    Row::of(Style::new(), Printable::prose(text))
}

fn numbered(range: std::ops::Range<usize>) -> impl Iterator<Item = String> + Clone {
    range.map(|number| format!("line {number}"))
}

#[test]
fn log_1_01_each_line_once_after_width_and_height_changes() {
    let mut bench = Bench::new(100, 30, 3);
    bench.commit(numbered(0..80));
    for (cols, rows) in
        [(118, 30), (108, 30), (90, 30), (128, 30), (100, 30), (100, 24), (100, 50), (100, 36)]
    {
        bench.resize(cols, rows);
        bench.check(3, numbered(0..80));
    }
}

#[test]
fn log_1_02_a_dragged_edge_leaves_no_frame_in_the_scrollback() {
    let mut bench = Bench::new(100, 24, 60);
    let mut count = 0;
    for step in 0..60u16 {
        bench.resize(120 - step % 50, 24 - step % 7);
        bench.commit(numbered(count..count + 2));
        count += 2;
    }
    bench.check(60, numbered(0..count));
}

#[test]
fn log_1_03_a_live_area_that_changes_its_height_paints_over_nothing() {
    let mut bench = Bench::new(80, 24, 5);
    let mut count = 0;
    for height in [8, 3, 12, 2, 24, 1, 0, 30, 2] {
        let rows: Vec<_> = (0..height).map(|row| format!("live {row}")).collect();
        bench.live(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        bench.commit(numbered(count..count + 9));
        count += 9;
    }
    bench.check(5, numbered(0..count));
}

#[test]
fn log_1_05_live_rows_that_get_fewer_double_nothing_at_the_seam() {
    let mut bench = Bench::new(80, 24, 30);
    bench.live(&["tail", "spacer", "", "> draft"]);
    bench.commit(numbered(0..40));
    bench.live(&["status", "> draft"]);
    bench.commit(["notice".to_owned()]);
    bench.check(30, numbered(0..40).chain(["notice".to_owned()]));
}

#[test]
fn log_1_06_an_answer_taller_than_the_screen_stands_there_once() {
    let mut bench = Bench::new(80, 24, 2);
    for line in 0..60 {
        bench.live(&[&format!("tail {line}"), "> draft"]);
        bench.commit(numbered(line..line + 1));
    }
    bench.live(&["> draft"]);
    bench.check(2, numbered(0..60));
}

#[test]
fn log_1_07_narrow_and_wide_again_keeps_history_and_one_prompt() {
    let mut bench = Bench::new(100, 24, 10);
    let long = |number: usize| format!("{number:03} {}", "x".repeat(80));
    bench.commit((0..40).map(long));
    for _ in 0..20 {
        bench.resize(50, 24);
        bench.resize(100, 24);
    }
    bench.check(10, (0..40).map(long));
}

#[test]
fn log_1_08_same_size_resize_writes_nothing() {
    let mut bench = Bench::new(80, 24, 3);
    bench.commit(numbered(0..100));
    for _ in 0..5 {
        bench.resize(80, 24);
        assert_eq!(bench.last, b"");
        bench.terminal.resize(Size::new(80, 24), None);
        bench.draw(&[]);
        assert_eq!(bench.last, b"");
    }
}

#[test]
fn log_1_09_a_pane_made_lower_and_higher_piles_up_no_prompts() {
    let mut bench = Bench::new(80, 24, 3);
    bench.commit(numbered(0..50));
    for _ in 0..10 {
        bench.resize(80, 12);
        bench.resize(80, 24);
    }
    bench.check(3, numbered(0..50));
}

#[test]
fn log_1_14_text_before_the_start_survives_and_scrollback_is_never_cleared() {
    let mut bench = Bench::new(120, 30, 60);
    for turn in 0..30 {
        bench.commit(numbered(turn * 4..turn * 4 + 4));
        if turn % 5 == 0 {
            bench.resize(70, 30);
            bench.resize(120, 30);
        }
    }
    bench.check(60, numbered(0..120));
}

#[test]
fn log_1_16_scrolling_grows_with_new_rows_and_not_with_frames() {
    let mut bench = Bench::new(80, 24, 30);
    let before = bench.emulator.history_len();
    for frame in 0..300 {
        bench.live(&[&format!("streaming {frame}"), "> draft"]);
    }
    assert_eq!(bench.emulator.history_len(), before);
    bench.commit(numbered(0..10));
    assert_eq!(bench.emulator.history_len(), before + 10);
}

#[test]
fn log_1_17_each_frame_is_one_synchronised_update() {
    let mut bench = Bench::new(80, 24, 30);
    for action in 0..4 {
        match action {
            0 => bench.commit(numbered(0..3)),
            1 => bench.live(&["other", "> draft"]),
            2 => bench.live(&["a", "b", "c", "d", "> draft"]),
            _ => bench.resize(90, 20),
        }
        let frame = String::from_utf8(bench.last.clone()).unwrap();
        assert!(frame.starts_with("\x1b[?2026h\x1b[?25l"), "{frame:?}");
        assert!(frame.ends_with("\x1b[?25h\x1b[?2026l"), "{frame:?}");
        assert_eq!(frame.matches("2026").count(), 2, "{frame:?}");
    }
}

#[test]
fn an_unchanged_frame_writes_nothing_and_a_changed_cell_little() {
    let mut bench = Bench::new(80, 24, 0);
    bench.live(&["* Bash  cargo test  4s", "> draft"]);
    bench.live(&["* Bash  cargo test  4s", "> draft"]);
    assert_eq!(bench.last, b"");
    bench.live(&["* Bash  cargo test  5s", "> draft"]);
    let frame = String::from_utf8(bench.last.clone()).unwrap();
    assert_eq!(frame, "\x1b[?2026h\x1b[?25l\x1b[1A\x1b[21G5\n\x1b[8G\x1b[?25h\x1b[?2026l");
}

/// The rows of `width.tsv` by name: a cluster and what terminals make of it.
fn widths() -> impl Iterator<Item = (&'static str, String)> {
    include_str!("data/width.tsv").lines().skip(1).map(|line| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap();
        let code_points = fields.next().unwrap().split(' ');
        let text = code_points.map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        (name, text.collect())
    })
}

#[test]
fn log_2_01_what_follows_a_disputed_cluster_stays_in_its_column() {
    for (name, text) in widths() {
        let mut bench = Bench::new(40, 6, 0);
        let row = plain(&format!("|{text}|"));
        let column = row.width() - 1;
        bench.live = vec![row.clone()];
        bench.draw(&[row]);
        for line in bench.emulator.screen_rows().iter().take(2) {
            // The emulator gives such clusters fewer cells or more; both bars stand where we laid them out.
            assert!(line.starts_with('|') && line.ends_with('|'), "{name}: {line:?}");
        }
        let live = String::from_utf8(bench.last.clone()).unwrap();
        let disputed = ["keycap-1", "heart-vs16", "recycle-vs16", "cloud-vs16", "stopwatch-vs16"];
        if disputed.contains(&name) {
            let moved = format!("\x1b[{}G|", column + 1);
            assert_eq!(live.matches(&moved).count(), 2, "{name}: {live:?}");
        }
    }
}

#[test]
fn log_2_02_a_joined_emoji_over_old_text_leaves_nothing_of_it() {
    let mut bench = Bench::new(40, 6, 0);
    bench.live(&["aaaaaaaa|"]);
    bench.live(&["👩\u{200d}🔬b"]);
    let row = &bench.emulator.screen_rows()[0];
    assert!(row.starts_with("👩\u{200d}") && row.ends_with('b') && !row.contains('a'), "{row:?}");
    bench.live(&["x"]);
    assert_eq!(bench.emulator.screen_rows()[0], "x");
}

#[test]
fn log_2_03_2_04_2_05_no_control_character_reaches_the_terminal() {
    for control in ["\t", "\0", "\r", "\u{b}", "\u{c}", "\u{7f}", "\u{9b}31m", "\u{85}", "\x1b[2J", "\x07"] {
        let mut bench = Bench::new(40, 6, 0);
        let row = plain(&format!("a{control}b"));
        bench.live = vec![row.clone()];
        bench.draw(&[row]);
        let text = String::from_utf8(bench.last.clone()).unwrap();
        let stray = text.replace("\r\n", "").replace('\n', "").replace("\x1b[", "");
        assert!(!stray.contains(char::is_control), "{control:?}: {text:?}");
        assert!(!text.contains("\x1b[2J"), "{text:?}");
    }
}

#[test]
fn log_2_06_a_row_with_a_soft_hyphen_is_cleared_whole() {
    let mut bench = Bench::new(40, 6, 0);
    bench.live(&["co\u{ad}op and more", "second"]);
    bench.live(&["", "second"]);
    assert_eq!(bench.emulator.screen_rows()[..2], ["", "second"]);
}

#[test]
fn log_2_08_every_code_point_of_a_cluster_is_written() {
    let text = "กำลังทดสอบ e\u{301}\u{302} 👨\u{200d}👩\u{200d}👧 नमस्ते";
    let mut bench = Bench::new(60, 6, 0);
    bench.live(&[text]);
    bench.commit([text.to_owned()]);
    let written = String::from_utf8(bench.all.clone()).unwrap();
    for character in text.chars() {
        assert!(written.contains(character), "{character:?}");
    }
}

#[test]
fn log_12_01_no_scroll_region_is_ever_set_even_with_the_live_area_at_the_top() {
    let mut bench = Bench::new(80, 10, 0);
    bench.live(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "> draft"]);
    bench.commit(numbered(0..30));
    bench.live(&["> draft"]);
    bench.check(0, numbered(0..30));
}

#[test]
fn log_12_07_no_size_panics_and_nothing_is_lost_when_it_grows_again() {
    let rows: Vec<_> =
        (0..20).map(|row| plain(&format!("live {row} 漢字 \u{2764}\u{fe0f} 👩\u{200d}🔬"))).collect();
    for cols in 0..12u16 {
        for height in 0..12u16 {
            let mut terminal = InlineTerminal::new(Size::new(cols, height), height);
            let mut out = Vec::new();
            let commit = [plain("committed 漢字"), Row { unbroken: true, ..plain("unbroken 漢字 text") }];
            for count in [0, 1, 20, 2] {
                let cursor = Some(Position::new(count as u16, count as u16));
                terminal.draw(Frame { commit: &commit, live: &rows[..count], cursor }, &mut out);
            }
            terminal.resize(Size::new(height, cols), Some(Position::new(99, 99)));
            terminal.draw(Frame { commit: &[], live: &rows, cursor: None }, &mut out);
            terminal.suspend(&mut out);
            terminal.resume(Size::new(80, 24), None);
            terminal.draw(Frame::default(), &mut out);
            terminal.leave(&mut out);
            let text = without_blanks(&String::from_utf8(out).unwrap());
            assert_eq!(text.matches("committed").count(), 4, "{cols}x{height}");
        }
    }
}

#[test]
fn unbroken_rows_come_back_as_one_line_and_their_colour_ends_with_them() {
    let mut bench = Bench::new(20, 6, 0);
    let text = "cargo test --workspace --all-targets";
    let style = Style::new().bg(Color::Blue);
    let row = Row { spans: vec![RowSpan { text: Printable::line(text), style }], unbroken: true };
    bench.draw(&[row]);
    bench.check(0, [text.to_owned()]);
    let written = String::from_utf8(bench.last.clone()).unwrap();
    assert!(written.contains(&format!("\x1b[44m{text}\x1b[m\x1b[K\r\n")), "{written:?}");
}

#[test]
fn leaving_puts_the_cursor_below_the_last_row() {
    for shell in [0, 3, 30] {
        let mut bench = Bench::new(40, 6, shell);
        let mut out = Vec::new();
        bench.terminal.leave(&mut out);
        bench.emulator.feed(&out);
        bench.emulator.feed(b"prompt$");
        let rows = bench.emulator.rows();
        let prompt = rows.iter().position(|row| row == "prompt$").unwrap();
        assert_eq!(rows[prompt - 1], "> draft", "{rows:?}");
    }
}

#[test]
fn a_stop_in_the_background_leaves_no_live_row_behind() {
    let mut bench = Bench::new(40, 8, 3);
    bench.commit(numbered(0..2));
    let mut out = Vec::new();
    bench.terminal.suspend(&mut out);
    bench.emulator.feed(&out);
    bench.emulator.feed(b"[1]+ Stopped\r\nshell$ fg\r\n");
    bench.terminal.resume(Size::new(40, 8), Some(bench.emulator.cursor().y));
    bench.draw(&[]);
    let between = ["[1]+ Stopped", "shell$ fg"].map(str::to_owned);
    bench.check(3, numbered(0..2).chain(between));
}

/// LOG 12.17: no sequence that the terminal does not know.
#[test]
fn log_12_17_an_old_terminal_gets_only_what_it_knows() {
    let dialect = Dialect::of(Some("vt100"), ColorDepth::Full);
    let size = Size::new(40, 6);
    let mut terminal = InlineTerminal::new(size, 0).in_dialect(dialect);
    let style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD | Modifier::DIM);
    let (mut out, mut modes) = (Vec::new(), Modes::of(dialect.age));
    for number in 0..12 {
        let live = [Row::of(style, Printable::prose(&format!("live {number}"))), plain("> draft 漢")];
        let cursor = Some(Position::new(7, 1));
        terminal.draw(Frame { commit: &live, live: &live[number % 2..], cursor }, &mut out);
        modes.input_on(&mut out);
    }
    terminal.suspend(&mut out);
    modes.off(&mut out);
    let mut emulator = Emulator::new(40, 6, 100);
    emulator.feed(&out);
    assert!(emulator.text().contains(&"live 11".to_owned()));
    for sequence in String::from_utf8(out).unwrap().split("\x1b[").skip(1) {
        let end = sequence.find(|character: char| ('@'..='~').contains(&character)).unwrap();
        let known = ["K", "m", "1m", "?7l", "?7h"].contains(&&sequence[..=end])
            || matches!(sequence.as_bytes()[end], b'A' | b'C') && !sequence.starts_with('?');
        assert!(known, "CSI {:?} was written", &sequence[..=end]);
    }
}
