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

    /// A result of which head and tail came, and the inspector on it.
    fn cut() -> Chat {
        let mut chat = Chat::new();
        chat.pod(json!({"event":"tool_result","id":"c1","summary":"built","outcome":"ok",
            "output":"head\n[... 99 bytes left out ...]\ntail","output_total":131_072,"output_ref":"x"}));
        chat.press("<c-t>");
        assert_eq!(chat.asked(), Vec::<u64>::new(), "nothing is fetched before it is looked at");
        chat
    }

    /// The offsets that the pod was asked for since the last time.
    fn asked(&mut self) -> Vec<u64> {
        let asked = std::mem::take(&mut self.host.asked).into_iter().map(|line| match line.method {
            Method::Output(output) if output.call == "c1" => output.offset,
            other => panic!("{other:?}"),
        });
        asked.collect()
    }

    fn shows(&self, text: &str) -> bool {
        self.alternate().iter().any(|row| row.contains(text))
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

/// Details of a call whose result came as head and tail fetch the whole, piece by piece; then it is shown, found and
/// copied.
#[test]
fn a_long_output_is_fetched_when_its_details_are_opened() {
    let mut chat = Chat::cut();
    chat.press("yo");
    assert!(matches!(&chat.effects[..], [Effect::Copy(copying)] if copying.what == "part of the output"));
    chat.press("<enter>");
    assert_eq!(chat.asked(), [0]);
    assert!(chat.shows("loading the output: 0 bytes of 128 KiB"), "{:#?}", chat.alternate());
    chat.press("jk");
    assert_eq!(chat.asked(), Vec::<u64>::new(), "one piece at a time");
    let (first, second) = (format!("head\n{}", "a\n".repeat(20_000)), "NEEDLE\ntail".to_owned());
    let next = first.len();
    chat.pod(json!({"event":"output","call":"c1","offset":0,"text":first,"next":next,"total":131_072}));
    assert_eq!(chat.asked(), [next as u64]);
    assert!(chat.shows("loading the output: 39 KiB of 128 KiB"), "{:#?}", chat.alternate());
    // A piece that nobody asked for changes nothing.
    chat.pod(json!({"event":"output","call":"c1","offset":0,"text":"other","total":131_072}));
    chat.pod(json!({"event":"output","call":"c1","offset":next,"text":second,"total":131_072}));
    assert_eq!(chat.asked(), Vec::<u64>::new());
    assert!(!chat.shows("loading") && !chat.shows("left out"), "{:#?}", chat.alternate());
    chat.press("G");
    assert!(chat.shows("NEEDLE") && chat.shows("tail"), "{:#?}", chat.alternate());
    chat.press("<esc>/NEEDLE<enter>");
    assert!(chat.alternate()[0].contains("/NEEDLE 1 of 1"), "{:#?}", chat.alternate());
    chat.effects.clear();
    chat.press("yo");
    assert!(matches!(&chat.effects[..], [Effect::Copy(copying)] if copying.text == first.clone() + &second));
}

#[test]
fn an_output_that_cannot_be_fetched_says_why() {
    let mut chat = Chat::cut();
    chat.press("<enter>");
    chat.pod(json!({"event":"rejected","method":"output","code":"no_output","message":"of `c1` no more output is kept"}));
    chat.asked();
    assert!(
        chat.shows("head and tail of 128 KiB only: of `c1` no more output is kept"),
        "{:#?}",
        chat.alternate()
    );
    chat.press("kj");
    assert_eq!(chat.asked(), Vec::<u64>::new(), "it is not asked for again and again");
    chat.press("qq");
    // Without a pod, as in a recording.
    let mut chat = Chat::cut();
    chat.press("<enter>");
    chat.host.event(HostEvent::Unasked);
    chat.host.frame();
    assert!(chat.shows("there is no pod to ask for the rest"), "{:#?}", chat.alternate());
    // A connection that comes back is asked again.
    let mut chat = Chat::cut();
    chat.press("<enter>");
    assert_eq!(chat.asked(), [0]);
    chat.host.event(HostEvent::Link(LinkEvent::Lost));
    chat.host.frame();
    assert_eq!(chat.asked(), Vec::<u64>::new());
    chat.pod(json!({"event":"hello","protocol":1,"state":"running"}));
    assert_eq!(chat.asked(), [0]);
}

/// Beside the list the details are always shown: a selection that moves on leaves what it began.
#[test]
fn passing_over_long_outputs_costs_a_piece_each() {
    let mut chat = Chat::cut();
    chat.host.resize(Size::new(120, 30));
    chat.host.frame();
    assert_eq!(chat.asked(), [0]);
    chat.press("k");
    chat.pod(json!({"event":"output","call":"c1","offset":0,"text":"head","next":4,"total":131_072}));
    assert_eq!(chat.asked(), Vec::<u64>::new());
    chat.press("j");
    assert_eq!(chat.asked(), [4]);
}
