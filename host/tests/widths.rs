//! Text of disputed width in everything that is aligned, in terminals of every opinion.
//!
//! Each row of `data/width.tsv` stands in a table, in aligned fields, in the draft and in a question. What follows it
//! is looked for in the terminal in memory, in models of both schools of counting, and in tmux where it is there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/model.rs"]
mod model;
#[path = "support/steps.rs"]
mod steps;
#[path = "support/tmux.rs"]
mod tmux;

use carpel::headless::Headless;
use carpel::render::Look;
use carpel_protocol::recording::decode_step;
use carpel_slots::{Density, Printable};
use model::{Model, Opinion};
use ratatui::layout::Size;
use serde_json::json;
use steps::Oracle as _;
use tmux::Tmux;

const OPINIONS: [Opinion; 3] = [Opinion::Clusters, Opinion::Characters, Opinion::Narrow];

/// The rows of `width.tsv` by name.
fn rows() -> Vec<(&'static str, String)> {
    let table = include_str!("data/width.tsv").lines().skip(1).map(|line| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap();
        let code_points = fields.next().unwrap().split(' ');
        let text = code_points.map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        (name, text.collect())
    });
    table.collect()
}

/// The host, and every byte that it wrote.
struct Stage {
    host: Headless,
    bytes: Vec<u8>,
}

impl Stage {
    fn new(density: Density) -> Self {
        let mut host = Headless::new(Size::new(80, 24), density, Look::PLAIN);
        let bytes = host.frame();
        Self { host, bytes }
    }

    fn play(&mut self, event: &serde_json::Value) {
        let bytes = self.host.play(&decode_step(event.to_string().as_bytes()).unwrap());
        self.bytes.extend(bytes);
    }

    fn keys(&mut self, keys: &str) {
        self.play(&json!({"do": "key", "keys": keys}));
    }

    fn paste(&mut self, text: &str) {
        self.host.event(carpel::chat::event::HostEvent::Paste(text.to_owned()));
        self.bytes.extend(self.host.frame());
    }

    fn seen_by(&self, opinion: Opinion) -> Model {
        let mut model = Model::new(opinion, 80, 24);
        model.feed(&self.bytes);
        model
    }
}

fn answer(stage: &mut Stage, text: &str, is_over: bool) {
    stage.play(&json!({"event": "turn_start", "turn": 1}));
    stage.play(&json!({"event": "text_delta", "text": text}));
    if is_over {
        stage.play(&json!({"event": "turn_end", "turn": 1, "reason": "completed"}));
    }
}

/// Markdown takes a carriage return for the end of the line, and with it of the table's row.
fn in_a_table() -> impl Iterator<Item = (&'static str, String)> {
    rows().into_iter().filter(|(_, text)| !text.contains('\r'))
}

fn table(text: &str) -> String {
    format!("| left | right |\n|---|---|\n| X{text}Y | Z |\n| plain XY here | Z |\n")
}

/// Some terminals show more of a joined emoji than we count, and in the scrollback what is drawn over is lost. So there
/// it pushes what follows to the right; live rows, which are drawn again, keep their columns.
fn is_joined(name: &str) -> bool {
    name.starts_with("emoji-zwj") || name == "soft-hyphen"
}

/// LOG 2.01: the second column of a table, live and committed.
#[test]
fn log_2_01_columns_of_a_table_stay_in_place() {
    for (name, text) in in_a_table() {
        for is_over in [false, true] {
            let mut stage = Stage::new(Density::Normal);
            answer(&mut stage, &table(&text), is_over);
            for opinion in OPINIONS {
                let model = stage.seen_by(opinion);
                let (disputed, plain) = (model.column_of("X", "Z"), model.column_of("plain", "Z"));
                assert!(plain.is_some(), "{name}: {:#?}", model.rows());
                let seen: Vec<usize> = model
                    .rows()
                    .iter()
                    .filter(|row| row.contains('Z') && !row.contains("plain"))
                    .filter_map(|row| row.contains('Y').then(|| model.column_of(row, "Z")).flatten())
                    .collect();
                assert!(disputed.is_some() && !seen.is_empty(), "{name} {opinion:?}: {:#?}", model.rows());
                let in_place = seen.iter().all(|column| Some(*column) == plain);
                let pushed = is_over && is_joined(name) && opinion != Opinion::Clusters;
                assert!(in_place || pushed, "{name}, over: {is_over}, {opinion:?}: {:#?}", model.rows());
            }
        }
    }
}

/// LOG 2.01, 2.12: the draft. What is typed behind it stands before the cursor, and nothing is left when it is erased.
#[test]
fn log_2_01_2_12_the_cursor_stands_behind_what_was_typed() {
    for (name, text) in rows() {
        let mut stage = Stage::new(Density::Normal);
        stage.paste(&format!("X{text}"));
        stage.keys("Y");
        for opinion in OPINIONS {
            let model = stage.seen_by(opinion);
            if !text.contains(['\r', '\u{b}', '\u{c}', '\u{85}']) {
                assert_eq!(model.before_cursor(), "Y", "{name} {opinion:?}: {:#?}", model.rows());
            }
        }
        stage.keys(&"<backspace>".repeat(text.chars().count() + 2));
        for opinion in OPINIONS {
            let model = stage.seen_by(opinion);
            let left: Vec<String> = model.rows().into_iter().filter(|row| row.starts_with('›')).collect();
            assert_eq!(left, ["›"], "{name} {opinion:?}");
        }
    }
}

/// LOG 2.01: a question is live: its rows are where they are laid out, whatever stands in them.
#[test]
fn log_2_01_a_question_stays_as_it_is_laid_out() {
    for (name, text) in rows() {
        let mut stage = Stage::new(Density::Normal);
        stage.play(&json!({"event": "turn_start", "turn": 1}));
        stage.play(&json!({"event": "tool_call_start", "id": "a", "name": "Write"}));
        stage.play(&json!({"event": "tool_call_done", "id": "a", "arguments": "{}"}));
        let detail = format!("first X{text}Z\nsecond");
        stage.play(&json!({"event": "approval_request", "request": "q", "call": "a", "title": format!("write {text}Q"),
            "detail": detail, "options": [{"kind": "once", "label": "once"}, {"kind": "deny", "label": "no"}]}));
        let places = OPINIONS.map(|opinion| {
            let model = stage.seen_by(opinion);
            (
                model.column_of("first", "Z"),
                model.column_of("carpel wants to", "Q"),
                model.column_of("once", "n"),
            )
        });
        assert!(places[0].0.is_some() || text.contains(char::is_control), "{name}: {places:?}");
        assert!(places.iter().all(|place| *place == places[0]), "{name}: {places:?}");
    }
}

/// LOG 2.15: a long Thai answer at 40 columns: marks stay on their base, every row fits, nothing is lost.
#[test]
fn log_2_15_thai_is_folded_between_clusters() {
    use unicode_segmentation::UnicodeSegmentation as _;
    use unicode_width::UnicodeWidthStr as _;
    let word = "สวัสดีครับยินดีต้อนรับเข้าสู่น้ำใจที่ยิ่งใหญ่";
    let text = word.repeat(8);
    let mut host = Headless::new(Size::new(40, 24), Density::Normal, Look::PLAIN);
    for event in [
        json!({"event": "turn_start", "turn": 1}),
        json!({"event": "text_delta", "text": text}),
        json!({"event": "turn_end", "turn": 1, "reason": "completed"}),
    ] {
        host.play(&decode_step(event.to_string().as_bytes()).unwrap());
    }
    let rows: Vec<String> = host.emulator.rows().into_iter().filter(|row| row.contains('\u{e2a}')).collect();
    assert!(rows.len() > 4, "{rows:#?}");
    for row in &rows {
        assert!(row.width() <= 40, "{row}");
        let first = row.trim_start().graphemes(true).next().unwrap();
        assert!(
            first.width() > 0 && !first.starts_with(['\u{e33}', '\u{e31}', '\u{e34}', '\u{e35}', '\u{e48}']),
            "{row}"
        );
    }
    let whole: String = host.emulator.rows().iter().map(|row| row.trim()).collect();
    assert!(whole.contains(Printable::prose(&text).as_str()), "{whole}");
}

/// The same table in a real tmux, which takes emoji with a variation selector for one cell.
#[test]
fn log_2_01_columns_of_a_table_stay_in_place_in_tmux() {
    let Some(mut tmux) = Tmux::start(Size::new(80, 24)) else { return };
    for (name, text) in in_a_table().filter(|(name, _)| !is_joined(name)) {
        let mut stage = Stage::new(Density::Normal);
        answer(&mut stage, &table(&text), true);
        tmux.feed(b"\x1b[2J\x1b[H");
        tmux.feed(&stage.bytes);
        // A cursor that is sent to the column of a letter finds it there: the row is as wide as the plain one.
        let lines = tmux.lines();
        let row =
            lines.iter().rfind(|line| line.starts_with('X')).unwrap_or_else(|| panic!("{name}: {lines:#?}"));
        let before: String = row.chars().take_while(|character| *character != 'Z').collect();
        tmux.feed(b"\r\n\x1b[K");
        tmux.feed(before.trim_end().as_bytes());
        let text_end = usize::from(tmux.cursor().x);
        let blanks = before.len() - before.trim_end().len();
        let plain = lines.iter().rfind(|line| line.starts_with("plain")).unwrap();
        assert_eq!(text_end + blanks, plain.find('Z').unwrap(), "{name}: {row:?}");
    }
}
