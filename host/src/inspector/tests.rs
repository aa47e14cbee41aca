//! Keys in, what is selected and wished out, with the program's own painter over transcripts made of short lines.

use std::time::Duration;

use carpel_slots::{Density, Registry};

use super::Inspector;
use super::bindings::BINDINGS;
use super::cursor::Spot;
use super::draw::{DrawCx, Picture, draw};
use super::keys::{self, KeyCx, Wish};
use super::needle::Needle;
use super::search::{Search, Way};
use crate::inspector::jump;
use crate::key_names;
use crate::render::painter::{Folders, Painter};
use crate::render::{Highlighter, Look};
use crate::transcript::Transcript;
use crate::transcript::item::ItemBody;
use crate::transcript::script::line;

/// An inspector over a session, drawn after every key.
pub struct Stage {
    pub transcript: Transcript,
    pub inspector: Inspector,
    pub window: (usize, usize),
    pub wishes: Vec<Wish>,
    pub look: Look,
    painter: Painter,
    registry: Registry,
    now: Duration,
}

impl Stage {
    pub fn new(window: (usize, usize), density: Density, events: &[&str]) -> Stage {
        let registry = Registry::linked();
        let highlighter = Highlighter::inline();
        let mut stage = Stage {
            transcript: Transcript::new(),
            inspector: Inspector::new(density),
            window,
            wishes: Vec::new(),
            look: Look::PLAIN,
            painter: Painter::new(Look::PLAIN, registry.clone(), Folders::default(), highlighter),
            registry,
            now: Duration::from_secs(100),
        };
        stage.events(events);
        stage
    }

    pub fn events(&mut self, events: &[&str]) {
        for event in events {
            self.transcript.apply(&line(event), self.now);
        }
    }

    pub fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    pub fn draw(&mut self) -> Picture {
        self.transcript.refresh();
        self.painter.set_look(self.look);
        let cx = DrawCx {
            items: self.transcript.refreshed(),
            registry: &self.registry,
            look: self.look,
            window: self.window,
            now: self.now,
            waiting: self.transcript.session().approvals.len(),
            is_connected: true,
        };
        draw(&mut self.inspector, &mut self.painter, &cx)
    }

    pub fn rows(&mut self) -> Vec<String> {
        self.draw().rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
    }

    pub fn keys(&mut self, text: &str) -> &mut Stage {
        self.draw();
        for key in key_names::keys(text) {
            let cx = KeyCx { items: self.transcript.refreshed(), registry: &self.registry };
            self.wishes.extend(keys::key(&mut self.inspector, &cx, key.event));
            self.draw();
        }
        self
    }

    /// What is selected, as the call's wire id or the number of the item.
    pub fn selected(&self) -> String {
        match self.inspector.cursor.spot.as_ref() {
            Some(Spot { call: Some(key), .. }) => key.id.to_string(),
            Some(Spot { item, call: None }) => format!("#{}", item.0),
            None => "nothing".to_owned(),
        }
    }

    pub fn word(&self) -> &str {
        self.inspector.word.as_deref().unwrap_or_default()
    }
}

/// A session with a tree: items 0 prompt, 1 call a (b (c failed), d edit), 2 answer, 3 prompt, 4 call e, 5 answer.
pub const SESSION: &[&str] = &[
    "hello idle",
    "turn 1",
    "user find~the~needle",
    "start a Task",
    "done a {\"prompt\":\"look~around\"}",
    "start b Task a",
    "done b {\"prompt\":\"deeper\"}",
    "start c Bash b",
    "done c {\"command\":\"cargo~test\"}",
    "result c exit~101 error 1200",
    "result b went~wrong",
    "start d Edit a",
    "done d {\"file_path\":\"src/a.rs\",\"old_string\":\"one\",\"new_string\":\"NEEDLE\"}",
    "result d edited",
    "result a done",
    "text+ The~needle~is~*there*.",
    "text. The~needle~is~*there*.",
    "end 1",
    "turn 2",
    "user again",
    "start e Grep",
    "done e {\"pattern\":\"nothing\"}",
    "result e no~matches",
    "text+ Nothing.",
    "text. Nothing.",
    "end 2",
];

#[test]
fn keys_select() {
    let check = |keys: &str, want: &str| {
        let mut stage = Stage::new((80, 24), Density::Normal, SESSION);
        stage.keys(keys);
        assert_eq!(stage.selected(), want, "{keys}: {}", stage.word());
    };
    check("", "#5");
    check("k", "e");
    check("<up><up>", "#3");
    check("j", "#5");
    check("kkkk", "a");
    check("kkkkk", "#0");
    check("kkkkkk", "#0");
    check("g", "#0");
    check("<home>j", "a");
    check("gjJ", "b");
    check("gJJJ", "c");
    check("gJJJJ", "d");
    check("gJJJJJ", "e");
    check("gJJJJJJ", "e");
    check("KK", "d");
    check("KKKKKK", "a");
    check("KKk", "a");
    check("gJJJj", "#2");
    check("gG", "#5");
    check("gu", "#3");
    check("guu", "#3");
    check("U", "#3");
    check("UU", "#0");
    check("F", "c");
    check("gf", "c");
    check("gff", "c");
    check("gd", "d");
    check("D", "d");
    check("DD", "d");
    check("gJJJhhh", "b");
    check("g<pagedown>", "#5");
    check("<pageup>", "#0");
    check("/needle<enter>", "#0");
    check("/needle<enter>n", "d");
    check("/needle<enter>nn", "#2");
    check("/needle<enter>nnn", "#0");
    check("/needle<enter>N", "#2");
    check("/NEEDLE<enter>", "d");
    check("/needle<esc>", "#5");
    check("/<enter>", "#5");
    check("/cargo test<enter>", "c");
    check("/a1<backspace>gain<enter>", "#3");
    check("/needle is there<enter>", "#2");
    check("/needlez<enter>", "#5");
}

#[test]
fn keys_say_when_they_lead_nowhere() {
    let check = |keys: &str, want: &str| {
        let mut stage = Stage::new((80, 24), Density::Normal, SESSION);
        stage.keys(keys);
        assert_eq!(stage.word(), want, "{keys}");
    };
    check("J", "no call further down");
    check("f", "no failure further down");
    check("gU", "no message of yours further up");
    check("n", "nothing was searched yet; / begins");
    check("/zzz<enter>n", "`zzz` is nowhere");
    check("/needle<enter>nnn", "on from the beginning");
    check("o", "there is no file here to open");
    check("l", "only calls fold; Ctrl+O changes how much of everything");
    check("yz", "nothing to copy under `z`");
    check("yq", "nothing to copy under `q`");
}

#[test]
fn every_key_of_every_row_is_read_once() {
    let mut seen = Vec::new();
    for binding in BINDINGS {
        assert!(!binding.meaning.is_empty() && !binding.meaning.ends_with('.'));
        for press in binding.presses() {
            assert!(!seen.contains(press), "{press:?} stands twice");
            seen.push(*press);
        }
    }
}

#[test]
fn keys_wish() {
    let check = |keys: &str, want: &[&str]| {
        let mut stage = Stage::new((80, 24), Density::Normal, SESSION);
        stage.keys(keys);
        let told = stage.wishes.iter().map(|wish| match wish {
            Wish::Leave => "leave".to_owned(),
            Wish::Suspend => "suspend".to_owned(),
            Wish::Copy(copying) => format!("copy {}: {}", copying.what, copying.text),
            Wish::Open(target) => format!("open {} {:?}", target.path, target.line),
        });
        assert_eq!(told.collect::<Vec<_>>(), want, "{keys}");
    };
    check("q", &["leave"]);
    check("<c-t>", &["leave"]);
    check("<esc>", &["leave"]);
    check("<enter><esc>", &[]);
    check("<enter><esc><esc><esc>", &["leave"]);
    check("/q<esc>", &[]);
    check("?q", &[]);
    check("y<esc>", &[]);
    check("yt", &["copy answer: Nothing."]);
    check("gyy", &["copy message: find the needle"]);
    check("gfyc", &["copy command: cargo test"]);
    check("gfya", &["copy arguments: {\"command\":\"cargo test\"}"]);
    check("gfyo", &["copy output: exit 101"]);
    check("gdyp", &["copy path: src/a.rs"]);
    check("gdyd", &["copy diff: --- src/a.rs\n+++ src/a.rs\n@@\n-one\n+NEEDLE\n"]);
    check("gdo", &["open src/a.rs None"]);
    check("gde", &["open src/a.rs None"]);
}

/// The rows of the list at a width where it stands alone.
fn list(stage: &mut Stage) -> Vec<String> {
    let mut rows = stage.rows();
    rows.remove(0);
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

#[test]
fn calls_fold_one_by_one() {
    let check = |keys: &str, want: &[&str]| {
        let mut stage = Stage::new((60, 40), Density::Normal, SESSION);
        stage.keys(keys);
        assert_eq!(list(&mut stage)[2..2 + want.len()], *want, "{keys}");
    };
    let (deeper, failed) =
        ("    ✓ Task  deeper  went wrong  0.0s", "      ✗ Bash  cargo test  failed: exit 101  1s");
    check("gj", &["▌ ✓ Task  look around  done  0.0s", deeper, failed]);
    // A failure stays in sight.
    check("gj ", &["▌ ✓ Task  look around  done", failed, ""]);
    check("gjh", &["▌ ✓ Task  look around  done", failed, ""]);
    check("gj j", &["▸ ✓ Task  look around  done", failed, ""]);
    check("gj  ", &["▌ ✓ Task  look around  done  0.0s", deeper, failed]);
    check("gjJhh", &["▌ ✓ Task  look around  done  0.0s", "▸   ✓ Task  deeper  went wrong", failed]);
    // A jump into what is folded unfolds it.
    check("gj d", &["  ✓ Task  look around  done  0.0s", deeper, failed]);
    let mut stage = Stage::new((60, 40), Density::Normal, SESSION);
    stage.keys("gj  <c-o><c-o>");
    assert_eq!(list(&mut stage)[1], "▌ ✓ Task  look around  done");
}

/// Copying of an excerpt leaves out what its tool put in front of each line.
#[test]
fn excerpts_are_copied_without_numbers() {
    let read = r#"{"event":"tool_result","id":"r","summary":"2 lines","output":"     7\tlet a = 1;\n     8\tlet b = 2;\n","is_error":false,"outcome":"ok"}"#;
    let mut stage = Stage::new(
        (80, 24),
        Density::Normal,
        &["hello idle", "turn 1", "start r Read", "done r {\"file_path\":\"src/b.rs\"}"],
    );
    let read = carpel_protocol::EventLine::decode(read.as_bytes()).unwrap();
    stage.transcript.apply(&read, Duration::from_secs(100));
    stage.keys("Kyoo");
    let Wish::Copy(copying) = &stage.wishes[0] else { panic!("{:?}", stage.wishes) };
    assert_eq!(copying.text.trim_end(), "let a = 1;\nlet b = 2;");
    let Wish::Open(target) = &stage.wishes[1] else { panic!("{:?}", stage.wishes) };
    assert_eq!((target.path.as_str(), target.line), ("src/b.rs", Some(7)));
}

/// Ten thousand items open at the cost of a screen, and a key costs the same.
#[test]
fn a_long_session_opens_at_the_cost_of_a_screen() {
    for (count, window) in [(100, (80, 24)), (10_000, (80, 24)), (10_000, (120, 40)), (10_000, (40, 12))] {
        let mut stage = Stage::new(window, Density::Normal, &["hello idle"]);
        for number in 0..count / 4 {
            stage.events(&[
                &format!("turn {}", number + 1),
                &format!("user prompt~{number}"),
                &format!("start c{number} Grep"),
                &format!("done c{number} {{\"pattern\":\"x{number}\"}}"),
                &format!("result c{number} found"),
                &format!("text+ answer~{number}"),
                &format!("text. answer~{number}"),
                &format!("notice n{number}"),
                &format!("end {}", number + 1),
            ]);
        }
        stage.draw();
        assert_eq!(stage.transcript.refreshed().len(), count);
        // Each item takes a row at least; those next to the screen are looked at to know what stands between.
        let most = window.1 as u64 + 4;
        assert!(stage.inspector.layouts.made <= most, "{count}: {}", stage.inspector.layouts.made);
        for keys in ["k", "g", "j", "<pagedown>", "G", "u", "U"] {
            let before = stage.inspector.layouts.made;
            stage.keys(keys);
            let made = stage.inspector.layouts.made - before;
            assert!(made <= 3 * most, "{count} {keys}: {made}");
        }
        // Nothing changed: nothing is laid out again.
        let before = stage.inspector.layouts.made;
        stage.draw();
        assert_eq!(stage.inspector.layouts.made, before);
        stage.keys("/answer 7<enter>");
        let hits = stage.rows()[0].clone();
        let want = (0..count / 4).filter(|number| format!("answer {number}").contains("answer 7")).count();
        assert!(hits.contains(&format!("/answer 7 1 of {want}")), "{hits}");
    }
}

#[test]
fn running_calls_are_live() {
    let mut stage = Stage::new((60, 16), Density::Normal, &["hello running", "turn 1", "user go"]);
    stage.events(&["start a Task", "done a {\"prompt\":\"look\"}"]);
    assert!(stage.rows().iter().any(|row| row.starts_with("▌ ● Task  look")), "{:#?}", stage.rows());
    let due = stage.draw().due;
    assert_eq!(due, Some(Duration::from_secs(101)), "the clock ticks");
    stage.wait(3);
    assert!(stage.rows().iter().any(|row| row.contains("3s")), "{:#?}", stage.rows());
    // What comes at the end is followed.
    stage.events(&["start b Grep a", "done b {\"pattern\":\"x\"}"]);
    stage.draw();
    assert_eq!(stage.selected(), "b");
    // Once the person is elsewhere they stay there.
    stage.keys("g");
    stage.events(&["result b found", "result a done", "text+ more", "end 1"]);
    let rows = stage.rows();
    assert_eq!(stage.selected(), "#0");
    assert!(rows.iter().any(|row| row == "  ✓ Task  look  done  3s"), "{rows:#?}");
    assert_eq!(stage.draw().due, None, "nothing ticks any more");
}

#[test]
fn a_question_is_told_and_the_keys_stay() {
    let mut stage = Stage::new((70, 12), Density::Normal, &["hello running", "turn 1", "user go"]);
    stage.events(&["start a Bash", "done a {\"command\":\"rm\"}", "ask q a"]);
    assert!(stage.rows()[0].contains("1 waits for you: q"), "{:?}", stage.rows());
    stage.keys("y");
    assert!(stage.wishes.is_empty());
    assert!(stage.rows().last().unwrap().starts_with(" copy  "), "{:#?}", stage.rows());
}

#[test]
fn what_was_taken_back_leaves_the_selection_near() {
    let mut stage =
        Stage::new((60, 16), Density::Normal, &["hello running", "turn 1", "user go", "text+ half"]);
    stage.draw();
    assert_eq!(stage.selected(), "#1");
    stage.keys("kj");
    stage.events(&["abandon died"]);
    stage.draw();
    assert!(
        jump::item_of(stage.transcript.refreshed(), stage.inspector.cursor.spot.as_ref().unwrap()).is_some()
    );
}

#[test]
fn needles() {
    let check = |needle: &str, text: &str, want: &[&str]| {
        let found = Needle::new(needle).find_all(text);
        assert_eq!(
            found.into_iter().map(|range| &text[range]).collect::<Vec<_>>(),
            want,
            "{needle} in {text}"
        );
    };
    check("todo", "TODO Todo todo", &["TODO", "Todo", "todo"]);
    check("Todo", "TODO Todo todo", &["Todo"]);
    check("ä", "Ä ä a", &["Ä", "ä"]);
    check("strasse", "STRASSE Straße", &["STRASSE"]);
    check("aa", "aaaa a", &["aa", "aa"]);
    check("", "text", &[]);
    check("text", "", &[]);
    check("\u{307}x", "İX", &[]);
    check("漢", "漢字漢", &["漢", "漢"]);
}

#[test]
fn the_search_reads_on_and_counts_what_grows() {
    let mut stage = Stage::new((80, 24), Density::Normal, SESSION);
    stage.transcript.refresh();
    let mut search = Search::default();
    search.look_for("needle", None);
    let mut counts = Vec::new();
    while !search.read_bytes(stage.transcript.refreshed(), 1) {
        counts.push(search.count());
    }
    counts.push(search.count());
    assert_eq!(counts, [1, 2, 3, 3, 3, 3]);
    stage.events(&["turn 3", "text+ no"]);
    stage.transcript.refresh();
    assert!(search.read(stage.transcript.refreshed()));
    assert_eq!(search.count(), 3);
    stage.events(&["text+ Needle"]);
    stage.transcript.refresh();
    assert!(search.read(stage.transcript.refreshed()));
    assert_eq!(search.count(), 4);
    let items = stage.transcript.refreshed();
    let last = items.iter().rfind(|item| matches!(item.body, ItemBody::Text { .. })).unwrap();
    assert_eq!(search.go(items, &Spot::of(&items[0]), Way::Up, false), Some(Spot::of(last)));
}
