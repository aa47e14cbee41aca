//! The inspector within the chat: opened and left, over a turn that runs, over a question, by a command.

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
    effects: Vec<Effect>,
}

impl Chat {
    /// A chat whose turn runs, with one call.
    fn new() -> Chat {
        let host = Headless::new(Size::new(80, 24), Density::Normal, Look::PLAIN);
        let mut chat = Chat { host, effects: Vec::new() };
        chat.pod(json!({"event":"hello","protocol":1,"state":"running"}));
        chat.pod(json!({"event":"turn_start","turn":1}));
        chat.pod(json!({"event":"user_message","text":"go"}));
        chat.pod(json!({"event":"tool_call_start","id":"c1","name":"Bash"}));
        chat.pod(json!({"event":"tool_call_done","id":"c1","arguments":"{\"command\":\"make\"}"}));
        chat
    }

    fn pod(&mut self, event: serde_json::Value) {
        let line = EventLine::decode(event.to_string().as_bytes()).unwrap();
        self.host.event(HostEvent::Link(LinkEvent::Event(Box::new(line))));
        self.host.frame();
    }

    fn press(&mut self, text: &str) {
        for key in keys(text) {
            self.effects.extend(self.host.event(HostEvent::Key(key)));
            self.host.frame();
        }
    }

    fn ask(&mut self) {
        self.pod(
            json!({"event":"approval_request","request":"q","call":"c1","title":"run make","detail":"make",
            "options":[{"kind":"once","label":"once"},{"kind":"deny","label":"no"}]}),
        );
        self.host.advance(Duration::from_secs(5));
    }

    fn alternate(&self) -> Vec<String> {
        self.host.alternate.iter().flatten().map(|row| row.text().trim_end().to_owned()).collect()
    }

    fn answers(&self) -> Vec<String> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send(line) => match &line.method {
                Method::Approve(approve) => Some(approve.decision.as_str().to_owned()),
                _ => None,
            },
            _ => None,
        });
        sent.collect()
    }
}

#[test]
fn what_happens_under_it_is_live_in_it_and_committed_on_leaving() {
    let mut chat = Chat::new();
    chat.press("<c-t>");
    let bytes = chat.host.frame();
    assert!(bytes.is_empty(), "nothing goes to the main screen");
    assert!(chat.alternate()[0].starts_with(" 2 of 2 · follows"), "{:#?}", chat.alternate());
    chat.pod(json!({"event":"tool_call_progress","id":"c1","text":"cc a.c\n"}));
    assert!(chat.alternate().iter().any(|row| row.contains("cc a.c")), "{:#?}", chat.alternate());
    chat.pod(json!({"event":"tool_result","id":"c1","summary":"built","is_error":false,"outcome":"ok"}));
    chat.pod(json!({"event":"text_done","text":"All built."}));
    chat.pod(json!({"event":"turn_end","turn":1,"reason":"completed"}));
    assert!(chat.alternate().contains(&"▌ All built.".to_owned()), "{:#?}", chat.alternate());
    assert!(!chat.host.emulator.screen_rows().iter().any(|row| row.contains("All built.")));
    chat.press("q");
    assert_eq!(chat.alternate(), Vec::<String>::new());
    let rows = chat.host.emulator.screen_rows();
    for text in ["✓ Bash  make  built", "All built."] {
        assert_eq!(rows.iter().filter(|row| row.contains(text)).count(), 1, "{text}: {rows:#?}");
    }
}

#[test]
fn a_question_waits_below_it_and_no_key_of_it_answers() {
    let mut chat = Chat::new();
    chat.press("<c-t>");
    chat.ask();
    assert!(chat.alternate()[0].contains("1 waits for you: q"), "{:#?}", chat.alternate());
    chat.press("yyns");
    assert_eq!(chat.answers(), Vec::<String>::new());
    // A key that comes right after leaving was meant for the inspector.
    chat.press("qy");
    assert_eq!(chat.answers(), Vec::<String>::new());
    assert!(chat.host.emulator.screen_rows().iter().any(|row| row.contains("y once")));
    chat.host.advance(Duration::from_secs(2));
    chat.press("y");
    assert_eq!(chat.answers(), ["once"]);
}

#[test]
fn it_opens_over_a_question() {
    let mut chat = Chat::new();
    chat.ask();
    chat.press("<c-t>");
    assert!(chat.alternate()[0].contains("1 waits for you: q"), "{:#?}", chat.alternate());
    chat.press("<esc>");
    assert!(chat.host.emulator.screen_rows().iter().any(|row| row.contains("y once")));
}

#[test]
fn the_command_opens_it_and_leaves_no_record() {
    let mut chat = Chat::new();
    chat.press(":inspect<enter>");
    assert!(chat.alternate()[0].starts_with(" 2 of 2"), "{:#?}", chat.alternate());
    chat.press("q:");
    assert!(
        !chat.host.emulator.screen_rows().iter().any(|row| row.contains(":inspect") && row.contains('✓'))
    );
}

#[test]
fn its_wishes_are_effects() {
    let mut chat = Chat::new();
    chat.press("<c-t>yc");
    assert!(
        matches!(&chat.effects[..], [Effect::Copy(copying)] if copying.text == "make"),
        "{:?}",
        chat.effects
    );
    chat.host.event(HostEvent::Told("copied".to_owned()));
    chat.host.frame();
    assert_eq!(chat.alternate().last().map(String::as_str), Some(" copied"));
    chat.press("g");
    assert_ne!(chat.alternate().last().map(String::as_str), Some(" copied"));
    // A paste is no keys.
    chat.host.event(HostEvent::Paste("q".to_owned()));
    chat.host.frame();
    assert!(!chat.alternate().is_empty());
    chat.press("<c-z>");
    assert_eq!(chat.effects.last(), Some(&Effect::Suspend));
}

/// A draft that was begun is as it was.
#[test]
fn the_draft_stays() {
    let mut chat = Chat::new();
    chat.press("half a sen<c-t>jkjkq");
    assert_eq!(chat.host.chat.composer.buffer.text(), "half a sen");
}
