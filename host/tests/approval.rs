//! Questions that wait for a person: what stands on the screen, and what a key answers.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use carpel::chat::event::{Effect, HostEvent, LinkEvent};
use carpel::headless::Headless;
use carpel::key_names::keys;
use carpel::render::look::Look;
use carpel_protocol::{EventLine, Method};
use carpel_slots::Density;
use ratatui::layout::Size;
use serde_json::json;

struct Chat {
    host: Headless,
    answers: Vec<String>,
}

impl Chat {
    fn asked(size: (u16, u16), detail: &str) -> Chat {
        let mut chat = Chat {
            host: Headless::new(Size::new(size.0, size.1), Density::Normal, Look::PLAIN),
            answers: Vec::new(),
        };
        chat.pod(json!({"event":"hello","protocol":1,"state":"running"}));
        chat.pod(json!({"event":"turn_start","turn":1}));
        chat.ask("q1", "c1", detail);
        chat
    }

    fn ask(&mut self, request: &str, call: &str, detail: &str) {
        self.pod(json!({"event":"tool_call_start","id":call,"name":"Edit"}));
        self.pod(json!({"event":"tool_call_done","id":call,"arguments":"{\"file_path\":\"a.rs\"}"}));
        self.pod(json!({"event":"approval_request","request":request,"call":call,"title":format!("edit {call}.rs"),
            "detail":detail,"options":[{"kind":"once","label":"once"},{"kind":"session","label":"session"},{"kind":"deny","label":"no"}]}));
        self.host.advance(Duration::from_secs(2));
    }

    fn pod(&mut self, event: serde_json::Value) {
        let line = EventLine::decode(event.to_string().as_bytes()).unwrap();
        self.host.event(HostEvent::Link(LinkEvent::Event(Box::new(line))));
        self.host.frame();
    }

    fn press(&mut self, text: &str) {
        for key in keys(text) {
            for effect in self.host.event(HostEvent::Key(key)) {
                if let Effect::Send(line) = effect {
                    self.answers.push(match line.method {
                        Method::Approve(approve) => format!(
                            "{} {} {}",
                            approve.request,
                            approve.decision,
                            approve.message.unwrap_or_default()
                        ),
                        method => method.tag().to_owned(),
                    });
                }
            }
            self.host.frame();
        }
    }

    fn rows(&self) -> Vec<String> {
        match &self.host.alternate {
            Some(rows) => rows.iter().map(|row| row.text().trim_end().to_owned()).collect(),
            None => self.host.emulator.screen_rows(),
        }
    }

    fn text(&self) -> String {
        self.rows().join("\n")
    }
}

#[test]
fn the_whole_question_and_its_choices_are_seen() {
    for size in [(120, 40), (80, 24), (40, 12), (20, 6)] {
        let chat = Chat::asked(size, "- old\n+ new");
        let text = chat.text();
        for word in ["edit c1.rs", "- old", "+ new", "y once", "n no"] {
            assert!(text.contains(word), "{word:?} at {size:?} in\n{text}");
        }
    }
}

#[test]
fn keys_answer() {
    let rows = [
        ("y", "q1 once "),
        ("s", "q1 session "),
        ("n", "q1 deny "),
        ("mnot that file<enter>", "q1 deny not that file"),
        ("m<enter>", "q1 deny "),
        ("<esc>", "cancel"),
        ("mx<esc>y", "q1 once "),
    ];
    for (pressed, want) in rows {
        let mut chat = Chat::asked((80, 24), "- old\n+ new");
        chat.press(pressed);
        assert_eq!(chat.answers, [want], "{pressed}");
    }
}

#[test]
fn a_long_question_scrolls_on_a_screen_of_its_own() {
    let detail: Vec<String> = (0..100).map(|line| format!("+ line {line}")).collect();
    let mut chat = Chat::asked((80, 24), &detail.join("\n"));
    assert!(chat.host.alternate.is_some());
    assert!(chat.text().contains("+ line 0") && chat.text().contains("y once"));
    let history = chat.host.emulator.history_len();
    for _ in 0..12 {
        chat.press("<pagedown>");
        assert!(chat.text().contains("edit c1.rs") && chat.text().contains("y once"), "{}", chat.text());
    }
    assert!(chat.text().contains("+ line 99"), "{}", chat.text());
    chat.press("<up>");
    assert!(!chat.text().contains("+ line 99"), "{}", chat.text());
    chat.press("y");
    assert!(chat.host.alternate.is_none());
    assert_eq!(chat.host.emulator.history_len(), history, "no row of the history was pushed away");
    assert_eq!(chat.answers, ["q1 once "]);
}

#[test]
fn two_questions_come_one_after_the_other() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.ask("q2", "c2", "- b");
    assert!(chat.text().contains("edit c1.rs") && chat.text().contains("1 of 2"), "{}", chat.text());
    chat.press("y");
    assert!(chat.text().contains("carpel wants to edit c2.rs"), "{}", chat.text());
    chat.host.advance(Duration::from_secs(2));
    chat.press("n");
    assert_eq!(chat.answers, ["q1 once ", "q2 deny "]);
    assert!(!chat.text().contains("carpel wants"), "{}", chat.text());
}

#[test]
fn another_client_can_answer() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.pod(json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"once","by":"other"}));
    assert!(!chat.text().contains("carpel wants"), "{}", chat.text());
}

/// A person who is typing when the question comes does not answer it with the next letter.
#[test]
fn letters_in_flight_go_to_the_draft() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.pod(json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"once","by":"other"}));
    chat.press("why not sa");
    chat.pod(json!({"event":"approval_request","request":"q9","call":"c1","title":"edit","detail":"- a","options":[]}));
    chat.press("y");
    assert_eq!(chat.answers, Vec::<String>::new());
    assert_eq!(chat.host.chat.composer.buffer.text(), "why not say");
    chat.host.advance(Duration::from_secs(1));
    chat.press("y");
    assert_eq!(chat.answers, ["q9 once "]);
}

/// A yes is only to what can be seen.
#[test]
fn a_window_too_small_for_the_question_takes_no_yes() {
    for size in [(10, 3), (80, 2), (6, 24), (1, 1)] {
        let mut chat = Chat::asked((80, 24), "- old\n+ new");
        chat.host.resize(Size::new(size.0, size.1));
        chat.press("ys");
        assert_eq!(chat.answers, Vec::<String>::new(), "{size:?}");
        chat.press("n");
        assert_eq!(chat.answers, ["q1 deny "], "{size:?}");
    }
}

/// LOG 6.02: a timer asks for a frame a second, not for one after the other.
#[test]
fn log_6_02_a_running_call_is_drawn_once_a_second() {
    let mut chat = Chat::asked((80, 24), "- old");
    chat.pod(json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"once"}));
    chat.host.advance(Duration::from_millis(5_300));
    chat.host.frame();
    let left = chat.host.due.unwrap() - chat.host.now();
    assert!(left > Duration::from_millis(100) && left <= Duration::from_secs(1), "{left:?}");
}

/// LOG 3.11, 3.12, 3.21: what is approved is what is seen.
#[test]
fn log_3_11_hidden_characters_are_seen() {
    let chat = Chat::asked((80, 24), "+ rm \u{202e}txt.exe\n+ a\u{200b}b\n+ safe\rrm -rf");
    let text = chat.text();
    for word in ["<U+202E>", "<U+200B>", "safe␍rm -rf"] {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
}
