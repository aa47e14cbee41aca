//! The chat without a terminal: keys and events in, effects and the screen out.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use carpel::chat::event::{Effect, HostEvent, LinkEvent};
use carpel::chat::screen::LiveRows;
use carpel::headless::Headless;
use carpel::key_names::keys;
use carpel::render::look::Look;
use carpel_protocol::{EventLine, Method};
use carpel_slots::Density;
use ratatui::layout::Size;

/// A chat whose pod has said hello, and what it wanted done so far.
struct Chat {
    host: Headless,
    effects: Vec<Effect>,
    bytes: Vec<u8>,
}

const HELLO: &str = r#"{"event":"hello","protocol":1,"provider":"guide","model":"guide","state":"idle"}"#;

impl Chat {
    fn new() -> Chat {
        Chat::sized(80, 24)
    }

    fn sized(cols: u16, rows: u16) -> Chat {
        let host = Headless::new(Size::new(cols, rows), Density::Normal, Look::PLAIN);
        let mut chat = Chat { host, effects: Vec::new(), bytes: Vec::new() };
        chat.pod(&[HELLO]);
        chat
    }

    fn type_in(&mut self, text: &str) -> &mut Chat {
        for key in keys(text) {
            self.effects.extend(self.host.event(HostEvent::Key(key)));
            self.draw();
        }
        self
    }

    fn pod(&mut self, lines: &[&str]) -> &mut Chat {
        for line in lines {
            let line = EventLine::decode(line.as_bytes()).unwrap();
            self.host.event(HostEvent::Link(LinkEvent::Event(Box::new(line))));
            self.draw();
        }
        self
    }

    fn draw(&mut self) {
        self.bytes.extend(self.host.frame());
    }

    /// The rows of the screen without the empty ones at the end.
    fn screen(&self) -> Vec<String> {
        let mut rows = self.host.emulator.screen_rows();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    fn has(&self, text: &str) -> bool {
        self.screen().iter().any(|row| row.contains(text))
    }

    /// The methods that were sent, as their tags, and the text of a prompt.
    fn sent(&self) -> Vec<String> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send(line) => Some(match &line.method {
                Method::Run(run) => format!("run {}", run.text),
                method => method.tag().to_owned(),
            }),
            Effect::Leave
            | Effect::Suspend
            | Effect::Redraw
            | Effect::EditDraft
            | Effect::Copy(_)
            | Effect::OpenFile(_)
            | Effect::ListSessions
            | Effect::Name(_)
            | Effect::Export(_)
            | Effect::Switch(_)
            | Effect::Begin(_)
            | Effect::Plugins(..) => None,
        });
        sent.collect()
    }

    fn left(&self) -> bool {
        self.effects.contains(&Effect::Leave)
    }
}

const RUNNING: &[&str] = &[
    r#"{"event":"state","state":"running"}"#,
    r#"{"event":"turn_start","turn":1}"#,
    r#"{"event":"user_message","text":"go","method":"run-1"}"#,
];

#[test]
fn a_prompt_is_sent_and_the_draft_is_empty() {
    let mut chat = Chat::new();
    chat.type_in("hello<s-enter>there<enter>");
    assert_eq!(chat.sent(), ["run hello\nthere"]);
    assert_eq!(chat.screen(), ["", "sending", "›"]);
}

#[test]
fn an_empty_draft_is_not_sent() {
    let mut chat = Chat::new();
    chat.type_in("  <enter>");
    assert_eq!(chat.sent(), Vec::<String>::new());
}

#[test]
fn while_a_prompt_is_on_its_way_the_draft_stays() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>more<enter>");
    assert_eq!(chat.sent(), ["run go"]);
    assert!(chat.has("› more") && chat.has("on its way"), "{:?}", chat.screen());
}

/// The queue as the pod tells it: `s` for a steer, and the text; `method` is whom it answers.
fn queue(items: &[(&str, &str)], method: Option<&str>) -> String {
    let items: Vec<serde_json::Value> = items
        .iter()
        .map(|(mode, text)| serde_json::json!({"id": text, "text": text, "mode": mode, "method": format!("run-{text}")}))
        .collect();
    serde_json::json!({"event": "queue", "items": items, "method": method}).to_string()
}

#[test]
fn while_a_turn_runs_enter_steers_it_and_tab_queues_behind_it() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>").pod(RUNNING).type_in("left<enter>");
    let line = r#"{"event":"queue","items":[{"id":"q1","text":"left","mode":"steer","method":"run-2"}]}"#;
    chat.pod(&[line]).type_in("then<tab>");
    let modes: Vec<String> = chat
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(line) => match &line.method {
                Method::Run(run) => Some(format!("{} {}", run.mode.as_str(), run.text)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(modes, ["now go", "steer left", "follow_up then"]);
    assert!(chat.has("steers  left"), "{:?}", chat.screen());
}

#[test]
fn the_last_prompt_that_waits_is_taken_back() {
    let all = [("steer", "a"), ("follow_up", "b\u{1b}[2J"), ("follow_up", "c"), ("follow_up", "d")];
    let mut chat = Chat::new();
    chat.type_in("go<enter>").pod(RUNNING).pod(&[&queue(&all, None)]);
    assert!(
        chat.has("… 2 more wait") && chat.has("queued  c") && chat.has("queued  d"),
        "{:?}",
        chat.screen()
    );
    chat.type_in("<up>");
    assert_eq!(chat.sent().last().unwrap(), "dequeue");
    // Not before the pod has let it go, and not by what it tells others.
    chat.pod(&[&queue(&all[..3], None)]);
    assert!(!chat.has("› d"));
    chat.type_in("x").pod(&[&queue(&all[..3], Some("dequeue-d"))]);
    assert!(chat.has("› d") && chat.has("  x"), "{:?}", chat.screen());
    // It was sent meanwhile: nothing comes back.
    let gone = r#"{"event":"rejected","method":"dequeue","id":"dequeue-c","code":"no_such_item","message":"it was sent"}"#;
    chat.type_in("<c-c><up>").pod(&[gone, &queue(&[], Some("dequeue-c"))]);
    assert!(chat.has("›") && !chat.has("› c"), "{:?}", chat.screen());
}

#[test]
fn a_refused_prompt_comes_back() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>")
        .pod(&[r#"{"event":"rejected","method":"run","id":"run-1","code":"busy","message":"not now"}"#]);
    assert!(chat.has("› go") && chat.has("not now"), "{:?}", chat.screen());
}

#[test]
fn a_prompt_on_its_way_comes_back_when_the_pod_is_gone() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>");
    chat.host.event(HostEvent::Link(LinkEvent::Gone("the pod ended (exit status: 1)".to_owned())));
    chat.draw();
    assert!(chat.has("› go") && chat.has("the pod ended") && chat.has("no pod"), "{:?}", chat.screen());
    chat.type_in("<enter>");
    assert!(chat.has("› go") && chat.has("stays here"), "{:?}", chat.screen());
}

/// LOG 4.19: the frame says so at once, whatever the tool does.
#[test]
fn log_4_19_a_cancel_is_told_at_once() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>").pod(RUNNING).type_in("<esc>");
    assert_eq!(chat.sent(), ["run go", "cancel"]);
    assert!(chat.has("cancelling"), "{:?}", chat.screen());
    chat.type_in("<esc>");
    assert_eq!(chat.sent(), ["run go", "cancel"]);
    chat.pod(&[
        r#"{"event":"turn_end","turn":1,"reason":"cancelled"}"#,
        r#"{"event":"state","state":"idle"}"#,
    ]);
    assert!(!chat.has("cancelling"), "{:?}", chat.screen());
}

#[test]
fn ctrl_c_clears_then_arms_then_leaves() {
    let mut chat = Chat::new();
    chat.type_in("draft<c-c>");
    assert!(!chat.left() && !chat.has("draft"));
    chat.type_in("<c-c>");
    assert!(!chat.left() && chat.has("Ctrl+C again leaves"));
    chat.type_in("<c-c>");
    assert!(chat.left());
}

#[test]
fn a_first_ctrl_c_is_forgotten_after_a_while() {
    let mut chat = Chat::new();
    chat.type_in("<c-c>");
    chat.host.advance(Duration::from_secs(3));
    chat.draw();
    assert!(!chat.has("Ctrl+C again leaves"));
    chat.type_in("<c-c>");
    assert!(!chat.left());
}

#[test]
fn ctrl_c_cancels_a_turn() {
    let mut chat = Chat::new();
    chat.type_in("go<enter>").pod(RUNNING).type_in("<c-c>");
    assert_eq!(chat.sent(), ["run go", "cancel"]);
    assert!(!chat.left());
}

/// The pod has not said yet that it runs; it hears one behind the other.
#[test]
fn a_cancel_right_behind_enter_is_sent() {
    for stroke in ["<c-c>", "<esc>"] {
        let mut chat = Chat::new();
        chat.type_in(&format!("go<enter>{stroke}"));
        assert_eq!(chat.sent(), ["run go", "cancel"], "{stroke}");
        let full =
            r#"{"event":"rejected","id":"run-1","method":"run","code":"log_failed","message":"no room"}"#;
        let idle = r#"{"event":"rejected","method":"cancel","code":"nothing_runs","message":"nothing runs"}"#;
        chat.pod(&[full, idle]);
        assert!(chat.has("no room") && chat.has("› go") && !chat.has("nothing runs"), "{:?}", chat.screen());
    }
}

#[test]
fn enter_takes_the_selected_offer_where_the_line_is_not_enough() {
    for typed in [":density o<enter>", ":den<enter>o<enter>", ":density <down><up>ov<enter>"] {
        let mut chat = Chat::new();
        chat.type_in(typed);
        assert_eq!(chat.host.chat.density, Density::Overview, "{typed}: {:?}", chat.screen());
    }
}

#[test]
fn esc_leaves_command_mode_at_once() {
    for draft in [":", ":den", ":nonsense<enter>"] {
        let mut chat = Chat::new();
        chat.type_in(&format!("{draft}<esc><c-d>"));
        assert!(chat.left(), "{draft}");
    }
}

#[test]
fn log_4_17_ctrl_d_leaves_only_an_empty_draft() {
    let mut chat = Chat::new();
    chat.type_in("abc<c-a><c-d>");
    assert!(!chat.left() && chat.has("› bc"));
    chat.type_in("<c-c><c-d>");
    assert!(chat.left());
}

#[test]
fn commands_are_listed_and_completed() {
    let mut chat = Chat::new();
    chat.type_in(":");
    assert!(chat.has(":density overview|normal|detail") && chat.has(":help [NAME]") && chat.has(":keys"));
    chat.type_in("den<tab>det<tab>");
    assert!(chat.has(":density detail"), "{:?}", chat.screen());
    chat.type_in("<enter>");
    assert_eq!(chat.host.chat.density, Density::Detail);
    assert!(chat.has("✓ :density detail"), "{:?}", chat.screen());
    assert_eq!(chat.sent(), Vec::<String>::new());
}

/// LOG 9.02: an unknown command never reaches the pod, and the line stays to be mended.
#[test]
fn log_9_02_an_unknown_command_is_told_on_the_spot() {
    let mut chat = Chat::new();
    chat.type_in(":compost<enter>");
    assert!(chat.has(":compost") && chat.has("unknown command `compost`"), "{:?}", chat.screen());
    assert_eq!(chat.sent(), Vec::<String>::new());
    chat.type_in("<esc>");
    assert!(!chat.has(":compost"), "{:?}", chat.screen());
}

/// LOG 9.01: a path at the beginning is text.
#[test]
fn log_9_01_a_path_is_text() {
    for text in ["/etc/hosts is odd", "/tmp", "/a/b 接口", "/compact", "#compact"] {
        let mut chat = Chat::new();
        chat.type_in(&format!("{text}<enter>"));
        assert_eq!(chat.sent(), [format!("run {text}")]);
    }
}

/// LOG 9.13: the list stands in the live rows; nothing scrolls while a name is typed.
#[test]
fn log_9_13_typing_a_command_scrolls_nothing() {
    let mut chat = Chat::sized(40, 10);
    chat.pod(RUNNING).pod(&[r#"{"event":"text_done","text":"one\n\ntwo\n\nthree\n\nfour\n\nfive"}"#]);
    chat.pod(&[r#"{"event":"turn_end","turn":1}"#, r#"{"event":"state","state":"idle"}"#]);
    chat.type_in(":");
    let before = chat.host.emulator.history_len();
    chat.type_in("densityxyz");
    assert_eq!(chat.host.emulator.history_len(), before);
}

#[test]
fn one_call_changes_the_same_rows_until_the_next_item() {
    let mut chat = Chat::new();
    chat.pod(RUNNING);
    let row_of = |chat: &Chat| chat.screen().iter().position(|row| row.contains("Read"));
    let mut rows = Vec::new();
    for line in [
        r#"{"event":"tool_call_start","id":"c1","name":"Read"}"#,
        r#"{"event":"tool_call_args_delta","id":"c1","delta":"{\"file_path\":\"src/pars"}"#,
        r#"{"event":"tool_call_args_delta","id":"c1","delta":"er.rs\"}"}"#,
        r#"{"event":"tool_call_done","id":"c1","arguments":"{\"file_path\":\"src/parser.rs\"}"}"#,
        r#"{"event":"tool_result","id":"c1","summary":"2 lines","output":"     1\ta\n     2\tb\n","outcome":"ok"}"#,
    ] {
        chat.pod(&[line]);
        rows.push(row_of(&chat));
    }
    assert_eq!(rows, vec![rows[0]; 5], "{:?}", chat.screen());
    assert!(rows[0].is_some());
    chat.pod(&[r#"{"event":"text_delta","text":"Done."}"#]);
    assert_eq!(row_of(&chat), rows[0], "the committed frame stands where the live one stood");
    let text = chat.host.emulator.text().join("\n");
    assert_eq!(text.matches("Read").count(), 1, "{text}");
    assert!(text.contains("✓ Read  src/parser.rs  2 lines"), "{text}");
}

#[test]
fn log_1_14_nothing_is_ever_cleared_but_live_rows() {
    let mut chat = Chat::sized(100, 20);
    for turn in 0..30 {
        chat.pod(RUNNING).pod(&[&format!(r#"{{"event":"text_done","text":"answer {turn}"}}"#)]);
        chat.pod(&[r#"{"event":"turn_end","turn":1}"#]);
        let width = if turn % 2 == 0 { 64 } else { 100 };
        chat.host.resize(Size::new(width, 20));
        chat.draw();
    }
    let text = String::from_utf8_lossy(&chat.bytes);
    for sequence in ["\u{1b}[2J", "\u{1b}[3J", "\u{1b}c"] {
        assert!(!text.contains(sequence), "{sequence:?}");
    }
}

#[test]
fn a_frame_without_a_change_writes_nothing() {
    let mut chat = Chat::new();
    chat.type_in("draft");
    chat.host.advance(Duration::from_secs(60));
    assert_eq!(chat.host.frame(), Vec::<u8>::new());
}

#[test]
fn log_1_17_a_frame_is_one_synchronised_update() {
    let mut chat = Chat::new();
    chat.bytes.clear();
    chat.type_in("x");
    let text = String::from_utf8(chat.bytes.clone()).unwrap();
    assert!(text.starts_with("\u{1b}[?2026h") && text.ends_with("\u{1b}[?2026l"), "{text:?}");
    assert_eq!(text.matches("\u{1b}[?2026h").count(), 1);
}

/// LOG 4.14: the terminal's own cursor stands where the next character will.
#[test]
fn log_4_14_the_cursor_is_at_the_insertion_point() {
    let mut chat = Chat::new();
    chat.type_in("漢字a<left>");
    let cursor = chat.host.emulator.cursor();
    assert_eq!((cursor.x, cursor.y), (6, 2));
    chat.pod(RUNNING).pod(&[r#"{"event":"text_delta","text":"streams"}"#]);
    let cursor = chat.host.emulator.cursor();
    assert_eq!(cursor.x, 6);
    assert!(chat.screen()[usize::from(cursor.y)].starts_with("› 漢字a"));
}

/// LOG 12.07: any window, any draft.
#[test]
fn log_12_07_no_window_is_too_small() {
    for cols in 0..13 {
        for rows in 0..13 {
            let mut chat = Chat::sized(cols, rows);
            chat.type_in("some text<s-enter>and 漢字 more").pod(RUNNING).type_in("<c-c>:d");
            chat.host.resize(Size::new(rows, cols));
            chat.draw();
        }
    }
}

#[test]
fn help_is_a_record_in_the_flow() {
    let mut chat = Chat::sized(100, 40);
    chat.type_in(":help<enter>");
    let text = chat.host.emulator.text().join("\n");
    for word in ["✓ :help", ":density overview|normal|detail", ":quit", "Ctrl+D", "Esc"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
}

#[test]
fn the_built_in_ids_are_these() {
    let registry = &Headless::new(Size::new(80, 24), Density::Normal, Look::PLAIN).chat.registry;
    let commands: Vec<&str> = registry.commands().map(|(name, _)| name).collect();
    assert_eq!(
        commands,
        [
            "compact", "density", "export", "help", "inspect", "keys", "model", "new", "pause", "plugins",
            "quit", "rename", "resume", "sessions", "theme"
        ]
    );
    for name in ["Read", "Glob", "Grep", "Bash", "Write", "Edit", "skill"] {
        assert!(registry.view(name, None).is_some(), "{name}");
    }
    assert!(registry.command_view("export").is_some());
    assert!(registry.tree().is_some() && registry.details().is_some());
    assert_eq!(registry.problems(), []);
}

/// LOG 1.15: a person who scrolled up stays where they are: nothing is purged and no row is taken back.
#[test]
fn log_1_15_a_height_change_takes_no_row_of_the_history_away() {
    let mut chat = Chat::sized(80, 24);
    for turn in 0..30 {
        chat.pod(RUNNING).pod(&[&format!(r#"{{"event":"text_done","text":"answer {turn}."}}"#)]);
        chat.pod(&[r#"{"event":"turn_end","turn":1}"#]);
    }
    for rows in [12, 30, 8, 24] {
        chat.host.resize(Size::new(80, rows));
        chat.draw();
        let text = chat.host.emulator.text().join("\n");
        for turn in 0..30 {
            assert_eq!(
                text.matches(&format!("answer {turn}.")).count(),
                1,
                "answer {turn} at {rows} rows in\n{text}"
            );
        }
    }
    assert!(!String::from_utf8_lossy(&chat.bytes).contains("\u{1b}[3J"));
}

/// LOG 2.07: a vowel that joins the letter before it is one cluster; the row is not repeated.
#[test]
fn log_2_07_thai_is_typed_in_one_row() {
    let mut chat = Chat::new();
    chat.type_in("นำabc");
    assert_eq!(chat.screen()[2..], ["› นำabc"]);
    let cursor = chat.host.emulator.cursor();
    chat.type_in("<backspace><backspace><backspace><backspace>");
    assert_eq!(chat.screen()[2..], ["›"]);
    assert_eq!(cursor.y, chat.host.emulator.cursor().y);
}

/// LOG 2.12: conjoining letters are one syllable: one Backspace, no leftovers.
#[test]
fn log_2_12_a_hangul_syllable_is_one_cluster() {
    let mut chat = Chat::new();
    chat.type_in("x\u{1112}\u{1161}\u{11ab}<backspace>y");
    assert_eq!(chat.screen()[2..], ["› xy"]);
}

/// What a person settles about the live rows holds for all of them.
#[test]
fn live_rows_are_as_wide_and_as_many_as_settled() {
    let question = |live: LiveRows| {
        let mut chat = Chat::sized(120, 40);
        chat.host.chat.live = live;
        let text = "word ".repeat(60);
        chat.pod(&[
            r#"{"event":"turn_start","turn":1}"#,
            r#"{"event":"thinking_start"}"#,
            &format!(r#"{{"event":"thinking_delta","text":"{text}"}}"#),
            r#"{"event":"tool_call_start","id":"a","name":"Other"}"#,
            r#"{"event":"tool_call_start","id":"b","name":"Other"}"#,
            r#"{"event":"tool_call_start","id":"c","name":"Other"}"#,
        ]);
        chat.type_in(&"draft ".repeat(20));
        let screen = chat.screen();
        let draft =
            screen.iter().filter(|row| row.contains("draft")).map(|row| row.trim_end().chars().count()).max();
        (draft.unwrap(), screen.iter().filter(|row| row.contains("Other")).count())
    };
    let usual = LiveRows::default();
    assert_eq!(question(usual), (79, 3));
    assert_eq!(question(LiveRows { columns: 40, ..usual }), (40, 3));
    assert_eq!(question(LiveRows { columns: 110, most: Some(2), ..usual }).0, 109);
}
