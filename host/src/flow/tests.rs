//! What is committed when, and what is live meanwhile: events in, rows out.

use std::time::Duration;

use carpel_protocol::recording::{Directive, Step};

use super::plain::Plain;
use super::{Flow, FlowCx, FlowFrame, FlowOptions, Size};
use crate::paint::{Paint, Place};
use crate::row::Row;
use crate::transcript::Transcript;
use crate::transcript::dump::{recording, recordings};
use crate::transcript::script::line;

/// A transcript, its flow and all that it has committed.
pub struct Stage<P = Plain> {
    pub transcript: Transcript,
    pub flow: Flow,
    pub paint: P,
    pub cx: FlowCx,
    pub committed: Vec<String>,
}

impl Stage {
    pub fn new(cols: usize, rows: usize) -> Stage {
        Stage::with(Plain::default(), cols, rows)
    }
}

impl<P: Paint> Stage<P> {
    pub fn with(paint: P, cols: usize, rows: usize) -> Stage<P> {
        Stage {
            transcript: Transcript::new(),
            flow: Flow::new(FlowOptions::default()),
            paint,
            cx: FlowCx {
                window: Size { cols, rows },
                composer_rows: 2,
                now: Duration::from_secs(100),
                density: carpel_slots::Density::Normal,
                active_max: None,
                live_columns: 80,
                hold: false,
            },
            committed: Vec::new(),
        }
    }

    /// Events, one a line.
    pub fn events(&mut self, events: &str) -> &mut Self {
        for event in events.lines().map(str::trim).filter(|event| !event.is_empty()) {
            self.transcript.apply(&line(event), self.cx.now);
        }
        self
    }

    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.cx.now += Duration::from_millis(ms);
        self
    }

    pub fn frame(&mut self) -> FlowFrame {
        let frame = self.flow.frame(&mut self.transcript, &mut self.paint, self.cx);
        self.committed.extend(texts(&frame.commit));
        frame
    }

    /// Draws, and compares what was committed by this frame and what is live.
    #[track_caller]
    fn check(&mut self, commit: &[&str], live: &[&str]) -> &mut Self {
        let frame = self.frame();
        assert_eq!((texts(&frame.commit), texts(&frame.live)), (owned(commit), owned(live)));
        self
    }

    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Event(line) => self.transcript.apply(line, self.cx.now),
            Step::Directive(Directive::Wait(wait)) => self.cx.now += Duration::from_millis(wait.ms),
            Step::Directive(Directive::Drop(_)) => self.transcript.connection_lost(),
            Step::Directive(Directive::Resize(resize)) => {
                self.cx.window = Size { cols: resize.cols.into(), rows: resize.rows.into() };
            }
            Step::Directive(_) => {}
        }
    }
}

pub fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

fn owned(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}

#[test]
fn a_turn_is_committed_as_it_becomes_final() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nuser q").check(&["user q"], &[]);
    stage.events("think\nthink+ hm").check(&[], &["", "thinking open \"hm\""]);
    stage.wait(2000).events("start a A").check(&["", "thinking done 2s \"hm\""], &["", "A pending"]);
    stage.events("done a {}\nresult a fine").check(&[], &["", "A done fine"]);
    stage.events("start b B").check(&["", "A done fine"], &["B pending"]);
    stage.events("notice n\nresult b x").check(&[], &["B done x", "", "notice info n"]);
    stage.events("text+ one\\ntw").check(&["B done x", "", "notice info n", "", "one"], &["tw"]);
    stage.events("text+ o\\n").check(&["two"], &[]);
    stage.events("end 1").check(&[], &[]);
}

#[test]
fn a_running_call_holds_back_what_follows() {
    let mut stage = Stage::new(80, 24);
    stage
        .events("turn 1\nstart a A\nstart b B\nresult b two\ntext+ t\\n")
        .check(&[], &["A pending", "B done two", "", "t"]);
    stage.events("result a one").check(&["A done one", "B done two", "", "t"], &[]);
}

/// Whose words a refusal is in comes with the result: what is committed reads as it does when it is restored.
#[test]
fn a_refused_call_waits_for_its_result() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nstart a A\ndone a {}\nask q a\nanswer q a deny\nstart b B");
    assert_eq!(texts(&stage.frame().commit), [""; 0]);
    stage.events("result a no rejected");
    assert_eq!(texts(&stage.frame().commit), ["A rejected no"]);
}

#[test]
fn the_last_call_of_a_turn_is_committed_at_its_end() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nstart a A\nresult a one").check(&[], &["A done one"]);
    stage.events("end 1").check(&["A done one"], &[]);
}

/// LOG 1.12: a table is held until it ends, then all of it is committed.
#[test]
fn log_1_12_a_table_is_held() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\ntext+ a\\n|b|\\n|c|\\n").check(&["a"], &["|b|", "|c|"]);
    stage.events("text+ d\\n").check(&["|b|", "|c|", "d"], &[]);
    stage.events("text+ |e|\\n").check(&[], &["|e|"]);
    stage.events("end 1").check(&["|e|"], &[]);
}

#[test]
fn empty_thinking_leaves_no_row_and_no_gap() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nuser q\nthink\nthink.\nstart a A").check(&["user q"], &["", "A pending"]);
}

#[test]
fn the_region_shrinks_only_with_a_commit_the_turn_or_the_composer() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nstart a A\nout a 1\\n2\\n3").check(&[], &["A pending", "1", "2", "3"]);
    stage.events("out= a 1").check(&[], &["A pending", "1", "", ""]);
    stage.cx.composer_rows = 3;
    stage.check(&[], &["A pending", "1"]);
    stage.events("out= a 1\\n2").check(&[], &["A pending", "1", "2"]);
    stage.events("result a x\nstart b B").check(&["A done x"], &["B pending"]);
    stage.events("out b 1\\n2").frame();
    stage.events("out= b 1\nend 1").check(&["B incomplete", "1"], &[]);
}

#[test]
fn what_gives_way_and_in_which_order() {
    let mut stage = Stage::new(80, 20);
    let body = |call: &str, rows: usize| format!("out= {call} {}\n", vec!["x"; rows].join("\\n"));
    stage.events("turn 1\nstart a A\ndone a {}\nstart b B\nresult b b\nstart c C\n");
    stage.events(&body("a", 3));
    let mut look = |events: &str, active_max: usize| {
        stage.events(events);
        stage.cx.active_max = Some(active_max);
        // A change of the composer lets the region shrink.
        stage.cx.composer_rows = if stage.cx.composer_rows == 2 { 3 } else { 2 };
        texts(&stage.frame().live)
    };
    let full = ["A running", "x", "x", "x", "B done b", "C pending"];
    assert_eq!(look("", 10), full);
    assert_eq!(look("", 5), ["A running", "x", "x", "B done b", "C pending"], "bodies shorten");
    assert_eq!(look("", 3), ["A running", "B done b", "C pending"]);
    assert_eq!(look("", 2), ["A running", "B done b", "C pending"], "a count would take as many rows");
    assert_eq!(
        look("start d D\nresult d d", 1),
        ["A running", "C pending", "+2 calls"],
        "what runs may go over the budget"
    );
    assert_eq!(look("", 5), ["A running", "x", "B done b", "C pending", "D done d"]);
    let held = "text+ 1\\n2\\n3\\n4\\n5";
    assert_eq!(
        look(held, 10),
        [
            "A running",
            "x",
            "x",
            "x",
            "B done b",
            "C pending",
            "D done d",
            "",
            "4 rows held until A ends",
            "5"
        ],
        "held text gives way before bodies"
    );
    assert_eq!(
        look("", 5),
        ["A running", "B done b", "C pending", "D done d", "5 rows held until A ends"],
        "then its tail goes"
    );
    assert_eq!(look("", 1), ["A running", "C pending", "+2 calls"]);
}

#[test]
fn what_asks_a_person_is_never_counted_away() {
    let mut stage = Stage::new(80, 8);
    stage.cx.composer_rows = 5;
    stage.events("turn 1");
    for call in 0..9 {
        stage.events(&format!("start c{call} C{call}"));
    }
    stage.events("ask q c7").check(&[], &["C0 pending", "C7 waiting for you", "+7 calls"]);
}

/// LOG 1.18: the live rows always leave room for composer and status.
#[test]
fn log_1_18_live_rows_fit_the_window() {
    for (cols, rows) in [(20, 6), (80, 10), (1, 1), (1, 2), (3, 3), (120, 40)] {
        let mut stage = Stage::new(cols, rows);
        stage.events("turn 1\nuser q\nthink\nthink+ hm\ntext+ t");
        for call in 0..30 {
            stage.events(&format!("start c{call} Call{call}\ndone c{call} {{}}\nout c{call} 1\\n2\\n3"));
            let frame = stage.frame();
            assert!(frame.live.len() <= rows.saturating_sub(2), "{cols}x{rows}: {:?}", texts(&frame.live));
            assert!(frame.live.iter().all(|row| row.width() <= cols), "{:?}", texts(&frame.live));
        }
    }
}

#[test]
fn forty_calls_at_24_rows() {
    let mut stage = Stage::new(80, 24);
    for step in recording("r07") {
        stage.step(&step);
        let frame = stage.frame();
        assert!(frame.live.len() <= 22);
    }
    let heads: Vec<&String> = stage.committed.iter().filter(|row| row.starts_with("Read ")).collect();
    let want: Vec<String> = (0..40).map(|call| format!("Read done SUMMARY_{call}")).collect();
    assert_eq!(heads, want.iter().collect::<Vec<_>>());
    assert_eq!(stage.committed.last().map(String::as_str), Some("END_MARK"));
}

/// LOG 1.05 and 1.06: rows are committed once, however the answer grows and the live rows shrink.
#[test]
fn log_1_05_1_06_no_row_is_doubled() {
    for frames in [1, 2, 3, 7, 100] {
        let mut stage = Stage::new(80, 24);
        for (place, step) in recording("e16").iter().enumerate() {
            stage.step(step);
            if place % frames == 0 {
                stage.frame();
            }
        }
        stage.frame();
        let lines: Vec<&String> = stage.committed.iter().filter(|row| row.starts_with("line ")).collect();
        let want: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
        assert_eq!(lines, want.iter().collect::<Vec<_>>());
        assert_eq!(stage.committed.last().map(String::as_str), Some("notice info working"));
    }
}

#[test]
fn an_abandoned_step_leaves_what_is_out_and_a_mark() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nuser q\ntext+ out\\nnot").check(&["user q", "", "out"], &["not"]);
    stage.events("start a GHOST").check(&["not"], &["", "GHOST pending"]);
    stage.events("abandon died").check(&["", "cut off died"], &[]);
    stage.events("text+ again\\nthen").check(&["", "again"], &["then"]);
    stage.events("abandon died").check(&["", "cut off died"], &[]);
    stage.events("text+ x\nabandon died").check(&[], &[]);
    stage.events("text+ last\nend 1").check(&["", "last"], &[]);
}

#[test]
fn an_abandoned_step_that_was_only_live_leaves_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nuser q\nstart a GHOST\nargs a x\ntext+ t").check(
        &["user q"],
        &["", "GHOST pending", "", "t"].map(|row| if row == "GHOST pending" { "GHOST writing" } else { row }),
    );
    stage.events("abandon died").check(&[], &["", "", "", ""]);
    assert_eq!(
        stage.paint.forgotten.len(),
        3,
        "the user message, and the two that went: {:?}",
        stage.paint.forgotten
    );
    stage.events("text+ t\nend 1").check(&["", "t"], &[]);
}

#[test]
fn replaced_text_is_cut_off_and_begins_again() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\ntext+ out\\nnot").check(&["out"], &["not"]);
    stage.events("text= other\\n").check(&["", "cut off", "", "other"], &[]);
}

#[test]
fn nothing_is_written_while_the_other_screen_is_up() {
    let mut stage = Stage::new(80, 24);
    stage.cx.hold = true;
    stage.events("turn 1\nuser q\ntext+ a\\n").check(&[], &[]);
    stage.events("start a A\nresult a x\nend 1").check(&[], &[]);
    stage.cx.hold = false;
    stage.check(&["user q", "", "a", "", "A done x"], &[]);
}

#[test]
fn resume_commits_the_last_three_screens() {
    let items: Vec<String> =
        (0..100).map(|place| format!("{{\"kind\":\"user_message\",\"text\":\"p{place}\"}}")).collect();
    let history =
        format!("hello idle\nhistory [{}] more\nhistory [{}]", items[..50].join(","), items[50..].join(","));
    let mut stage = Stage::new(80, 10);
    stage.flow = Flow::new(FlowOptions { resume: true });
    stage.events(&history).frame();
    assert_eq!(stage.committed[..3], ["earlier 70", "", "user p70"]);
    assert_eq!(stage.committed.last().map(String::as_str), Some("user p99"));
    stage.events("turn 101\nuser new").check(&["", "user new"], &[]);

    let mut stage = Stage::new(80, 10);
    stage.events(&history).frame();
    assert_eq!(stage.committed[..3], ["user p0", "", "user p1"], "replay commits all");
}

#[test]
fn a_history_is_placed_when_it_is_whole() {
    let mut stage = Stage::new(80, 24);
    stage.events("hello idle\nhistory [{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"A\"},{\"kind\":\"assistant_text\",\"text\":\"t\"}] more");
    stage.check(&[], &[]);
    stage
        .events("history [{\"kind\":\"tool_result\",\"id\":\"a\",\"summary\":\"x\"}]")
        .check(&["A done x", "", "t"], &[]);
}

#[test]
fn what_is_awaited_is_asked_again() {
    let mut stage = Stage::new(80, 24);
    stage.paint.ready_at = Duration::from_millis(100_100);
    stage.events("turn 1\ntext+ a\\n");
    assert_eq!(stage.frame().due_later, Some(super::AWAIT));
    stage.wait(100).check(&["a"], &[]);
    assert_eq!(stage.frame().due_later, None);
}

/// LOG 6.02: a timer draws once a second, and only while something runs.
#[test]
fn log_6_02_timers_are_slow_and_stop() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\nuser q");
    assert_eq!(stage.frame().due_later, None);
    stage.wait(300).events("think").frame();
    stage.wait(400);
    assert_eq!(stage.frame().due_later, Some(Duration::from_millis(600)));
    stage.events("think. x\nstart a A\ndone a {}");
    assert_eq!(stage.frame().due_later, Some(Duration::from_millis(300)));
    stage.events("ask q a");
    assert_eq!(stage.frame().due_later, None, "it waits for a person");
    stage.events("answer q a once\nresult a x");
    assert_eq!(stage.frame().due_later, None);
}

/// LOG 6.03: what is out is never painted again, and a frame costs what is live.
#[test]
fn log_6_03_a_frame_costs_what_is_live() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1");
    for call in 0..500 {
        stage.events(&format!("start c{call} C{call}\nresult c{call} x")).frame();
    }
    stage.events("start last LAST").frame();
    let before = stage.paint.calls.clone();
    for _ in 0..100 {
        stage.wait(1000).events("out last .").frame();
    }
    for (call, count) in &stage.paint.calls {
        let grown = count - before.get(call).copied().unwrap_or(0);
        assert_eq!(grown, if call.0 == "LAST" { 100 } else { 0 }, "{call:?}");
        assert!(call.1 == Place::Live || *count == 1, "{call:?} settled once");
    }
    assert_eq!(stage.paint.forgotten.len(), 500);
}

/// LOG 6.05: open text is asked for only when it has changed.
#[test]
fn log_6_05_unchanged_text_is_not_settled_again() {
    let mut stage = Stage::new(80, 24);
    stage.events("turn 1\ntext+ a\\nb");
    for _ in 0..10 {
        stage.frame();
    }
    let settled: usize = stage
        .paint
        .asked
        .iter()
        .filter(|((_, place), _)| *place == Place::Settled)
        .map(|(_, count)| count)
        .sum();
    assert_eq!(settled, 1);
}

#[test]
fn every_recording_at_every_size_commits_the_same() {
    for (name, steps) in recordings() {
        let mut want: Option<Vec<String>> = None;
        for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 6), (1, 1)] {
            let mut stage = Stage::new(cols, rows);
            for step in &steps {
                stage.step(step);
                let frame = stage.frame();
                let most = stage.cx.window.rows.saturating_sub(2);
                assert!(frame.live.len() <= most, "{name} {cols}x{rows}");
            }
            let frame = stage.frame();
            assert_eq!(texts(&frame.live), Vec::<String>::new(), "{name}: nothing stays live");
            let want = want.get_or_insert_with(|| stage.committed.clone());
            assert_eq!(&stage.committed, want, "{name} {cols}x{rows}");
        }
    }
}
