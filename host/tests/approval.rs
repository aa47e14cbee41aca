//! Questions that wait for a person: what stands on the screen, and what a key answers.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use carpel::chat::event::{Effect, HostEvent, LinkEvent};
use carpel::headless::Headless;
use carpel::key_names::keys;
use carpel::render::look::Look;
use carpel::terminal::input::keystroke::{Arrival, Keystroke};
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
        self.keys(keys(text));
    }

    /// Keys that come together: hardly any time between them, and more behind all but the last.
    fn burst(&mut self, text: &str) {
        let mut burst = keys(text);
        let last = burst.len() - 1;
        for (at, key) in burst.iter_mut().enumerate() {
            let gap = (at > 0).then_some(Duration::from_millis(5));
            key.arrival = Arrival { gap, more_waits: at < last };
        }
        self.keys(burst);
    }

    fn paste(&mut self, text: &str) {
        assert_eq!(self.host.event(HostEvent::Paste(text.to_owned())), []);
        self.host.frame();
    }

    fn draft(&self) -> &str {
        self.host.chat.composer.buffer.text()
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.host.resize(Size::new(width, height));
        self.host.frame();
    }

    fn keys(&mut self, keys: Vec<Keystroke>) {
        for key in keys {
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
    for size in [(120, 40), (80, 24), (40, 12), (20, 6), (20, 5)] {
        let chat = Chat::asked(size, "- old\n+ new");
        let text = chat.text();
        // At 20 columns and 5 rows the first row of the detail has room.
        let words: &[&str] = &["edit c1.rs", "- old", "y once", "n no", "Esc", "s ", "m "];
        for word in words.iter().copied().chain((size.1 > 6).then_some("+ new")) {
            assert!(text.contains(word), "{word:?} at {size:?} in\n{text}");
        }
    }
}

/// Why it is asked stands below the title; in a low window behind what is asked about.
#[test]
fn the_reason_is_told_in_words() {
    let reason = ".git/config is git's own data;\u{1b}[31m writing there always asks.";
    for (size, shown, before) in [((80, 24), true, true), ((80, 8), true, false), ((40, 24), true, true)] {
        let mut chat = Chat::asked(size, "");
        chat.pod(json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"once"}));
        chat.pod(json!({"event":"approval_request","request":"q2","call":"c1","title":"edit .git/config",
            "detail":"- old","reason":reason,"options":[{"kind":"once","label":"once"}]}));
        let text = chat.text();
        let why = text.find("git's own data");
        assert_eq!(why.is_some(), shown, "{size:?} {text}");
        assert_eq!(why < text.find("- old"), before, "{size:?} {text}");
        assert!(text.find("edit .git/config") < why && !text.contains('\u{1b}'), "{size:?} {text}");
    }
}

#[test]
fn keys_answer() {
    let rows = [
        ("y", "q1 once "),
        ("s", "q1 session "),
        ("n", "q1 deny "),
        ("mnot that file<enter>", "q1 deny not that file"),
        ("m<enter>no need<enter>", "q1 deny no need"),
        ("mx<esc>y", "q1 once "),
        ("<enter><enter>n", "q1 deny "),
        ("<esc>ys<esc>n", "q1 deny "),
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
    assert!(chat.text().contains("› why not say  your draft"), "{}", chat.text());
    // Who goes on typing still answers nothing, however long it takes.
    for _ in 0..4 {
        chat.host.advance(Duration::from_millis(500));
        chat.press("n");
    }
    assert_eq!(chat.answers, Vec::<String>::new());
    chat.host.advance(Duration::from_secs(1));
    chat.press("y");
    assert_eq!(chat.answers, ["q9 once "]);
    assert_eq!(chat.host.chat.composer.buffer.text(), "why not saynnnn");
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

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("+ line {line}\n")).collect()
}

/// How much there is, and what of it is seen, stands below the text; every key that scrolls does.
#[test]
fn what_is_seen_of_a_long_question_is_told() {
    let rows = [
        ("", "rows 1-18 of 240"),
        ("<down><down>", "rows 3-20 of 240"),
        ("<pagedown>", "rows 19-36 of 240"),
        ("<pagedown><pageup>", "rows 1-18 of 240"),
        ("<end>", "rows 223-240 of 240"),
        ("<end><down><up>", "rows 222-239 of 240"),
        ("<end><home>", "rows 1-18 of 240"),
    ];
    for (pressed, want) in rows {
        let mut chat = Chat::asked((80, 24), &lines(240));
        chat.press(pressed);
        let text = chat.text();
        assert!(text.contains(want) && text.contains("y once"), "{pressed}: {want} in\n{text}");
        assert_eq!(chat.answers, Vec::<String>::new());
    }
    assert!(!Chat::asked((80, 24), "+ one").text().contains("rows"), "nothing to scroll");
}

/// The choices and the place in the text are seen in the lowest window too.
#[test]
fn the_choices_stay_in_sight_in_small_windows() {
    for (width, height) in [(80, 24), (40, 12), (20, 5), (20, 6), (24, 5), (30, 7), (120, 5)] {
        let mut chat = Chat::asked((width, height), &lines(30));
        for key in ["", "<down>", "<end>"] {
            chat.press(key);
            let text = chat.text();
            assert!(chat.rows().len() <= usize::from(height), "{width}x{height}\n{text}");
            for word in ["edit c1.rs", "y once", "s ", "n no", "m ", "+ line", "30"] {
                assert!(text.contains(word), "{word:?} after {key:?} at {width}x{height} in\n{text}");
            }
        }
        chat.press("s");
        assert_eq!(chat.answers, ["q1 session "], "{width}x{height}");
    }
}

/// A name that fills the window is scrolled through, its end is always in sight.
#[test]
fn a_long_title_leaves_room_for_the_choices() {
    let mut chat = Chat::asked((80, 24), "- a");
    let title = format!("edit {}/the-name.md", "folder/".repeat(20));
    chat.pod(json!({"event":"approval_request","request":"q1","call":"c1","title":title,"detail":"- a","options":[]}));
    chat.resize(20, 6);
    for key in ["", "<down>", "<end>"] {
        chat.press(key);
        let text = chat.text();
        assert!(text.contains("the-name.md") && text.contains("y once"), "{text}");
    }
    chat.press("<home>");
    assert!(chat.text().contains("edit folder"), "{}", chat.text());
}

/// A line typed ahead, a paste without markers and Enter answer nothing: what they write is kept.
#[test]
fn only_a_key_that_comes_alone_answers() {
    for typed in ["yes", "no, not that one", "s.", "my file"] {
        let mut chat = Chat::asked((80, 24), "- a");
        chat.burst(typed);
        assert_eq!((chat.answers.len(), chat.draft()), (0, typed), "{typed}");
        let text = chat.text();
        assert!(text.contains(&format!("› {typed}")) && text.contains("by itself"), "{text}");
        chat.host.advance(Duration::from_secs(1));
        chat.press("n");
        assert_eq!((chat.answers.join("|").as_str(), chat.draft()), ("q1 deny ", typed));
    }
    for gap in [20, 100, 149] {
        let mut chat = Chat::asked((80, 24), "- a");
        let mut key = keys("y").remove(0);
        key.arrival.gap = Some(Duration::from_millis(gap));
        chat.keys(vec![key]);
        assert_eq!((chat.answers.len(), chat.draft()), (0, "y"), "{gap} ms after another key");
    }
    let mut chat = Chat::asked((80, 24), "- a");
    chat.paste("y");
    chat.press("<enter>");
    assert_eq!((chat.answers.len(), chat.draft()), (0, "y"));
    chat.host.advance(Duration::from_secs(1));
    chat.press("<enter>");
    assert!(chat.answers.is_empty() && chat.text().contains("Enter answers nothing"), "{}", chat.text());
}

/// A letter that comes while a question has hardly been in sight was meant for something else: the draft, or the question
/// before it, which another client has answered meanwhile. One's own answers may follow each other.
#[test]
fn a_question_is_answered_only_once_it_was_in_sight() {
    let rows = [(0, false), (100, false), (499, false), (500, true), (2000, true)];
    for (ms, answers) in rows {
        let mut chat = Chat::asked((80, 24), "- a");
        chat.ask("q2", "c2", "- b");
        chat.pod(
            json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"deny","by":"carpel-9"}),
        );
        chat.host.advance(Duration::from_millis(ms));
        chat.press("y");
        assert_eq!(chat.answers.len(), usize::from(answers), "{ms} ms after somebody else's answer");
        assert_eq!(chat.draft(), if answers { "" } else { "y" }, "{ms} ms");
    }
    let mut chat = Chat::asked((80, 24), "- a");
    chat.ask("q2", "c2", "- b");
    chat.press("n");
    chat.press("y");
    assert_eq!(chat.answers, ["q1 deny ", "q2 once "]);
}

#[test]
fn a_paste_goes_into_the_words_for_a_refusal() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.press("m");
    chat.paste("see NOTES.md\nline 3");
    assert!(chat.text().contains("no, because see NOTES.md"), "{}", chat.text());
    chat.press("<enter>");
    assert_eq!((chat.answers.join("|").as_str(), chat.draft()), ("q1 deny see NOTES.md\nline 3", ""));
}

/// Why a yes is not taken is said in the panel.
#[test]
fn a_window_that_is_too_small_says_so() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.resize(20, 3);
    chat.press("y");
    assert_eq!(chat.answers, Vec::<String>::new());
    for ((width, height), word) in [
        ((20, 3), Some("too small for a yes")),
        ((60, 3), Some("too small to say yes: this window does not show what to")),
        ((10, 3), Some("too small")),
        ((80, 24), None),
        ((20, 3), None),
    ] {
        chat.resize(width, height);
        let text = chat.text();
        let said = text.lines().find(|line| line.trim_start().starts_with("too small")).map(str::trim);
        assert_eq!(said, word, "{width}x{height}:\n{text}");
    }
}

/// Esc shows the chat, where a command can run, and the question again; Ctrl+C ends the turn whatever is in the draft.
/// Nobody is there any more who could hear an answer.
#[test]
fn a_question_goes_with_its_pod() {
    let mut chat = Chat::asked((80, 24), "- a\n+ b");
    assert!(chat.text().contains("y once"));
    chat.host.event(HostEvent::Link(LinkEvent::Gone("it was killed".to_owned())));
    chat.host.frame();
    assert!(!chat.text().contains("y once"), "{}", chat.text());
    chat.press("y");
    assert_eq!((chat.draft(), chat.answers.as_slice()), ("y", &[][..]));
    assert!(!chat.text().contains("too small"), "{}", chat.text());
}

/// Where it began on the screen, and what sizes the window had meanwhile, is all one.
#[test]
fn a_question_is_inline_where_the_window_holds_it() {
    let detail = lines(14);
    let mut chat = Chat::asked((80, 24), &detail);
    for (width, height, is_inline) in
        [(79, 24, true), (80, 24, true), (40, 12, false), (80, 24, true), (80, 60, true), (80, 22, true)]
    {
        chat.resize(width, height);
        chat.host.frame();
        assert_eq!(chat.host.alternate.is_none(), is_inline, "{width}x{height}\n{}", chat.text());
        assert!(chat.text().contains("y once"), "{}", chat.text());
    }
    chat.press("y");
    for at in 2..6 {
        chat.ask(&format!("q{at}"), &format!("c{at}"), &detail);
        assert!(chat.host.alternate.is_none(), "question {at}\n{}", chat.text());
        chat.press("y");
    }
    assert_eq!(chat.answers.len(), 5);
}

#[test]
fn a_question_can_be_put_aside() {
    let mut chat = Chat::asked((80, 24), "- a");
    assert!(
        chat.text().contains("Esc back to the chat") && chat.text().contains("Ctrl+C cancels"),
        "{}",
        chat.text()
    );
    chat.press("<esc>");
    let text = chat.text();
    assert!(text.contains("waiting for you · Esc shows the question") && !text.contains("y once"), "{text}");
    assert!(text.contains("? Edit  a.rs  waiting for you"), "{text}");
    chat.press(":density detail<enter>");
    assert_eq!(chat.host.chat.density, Density::Detail);
    chat.press("yes sir<enter>");
    assert!(chat.text().contains("a question waits for you"), "{}", chat.text());
    assert_eq!((chat.answers.len(), chat.draft()), (0, "yes sir"));
    chat.press("<esc>");
    assert!(chat.text().contains("y once"), "{}", chat.text());
    chat.press("<c-c>");
    assert_eq!((chat.answers.join("|").as_str(), chat.draft()), ("cancel", "yes sir"));
    chat.pod(json!({"event":"approval_resolved","request":"q1","call":"c1","decision":"withdrawn"}));
    assert!(!chat.text().contains("elsewhere"), "{}", chat.text());
}

#[test]
fn overview_shows_which_call_waits() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.host.chat.density = Density::Overview;
    for pressed in ["", "<esc>"] {
        chat.press(pressed);
        assert!(chat.text().contains("? Edit  a.rs  waiting for you"), "{}", chat.text());
    }
}

/// A pod that keeps one list of questions, takes the first answer to each and tells every client, as the real one does.
struct Shared {
    clients: Vec<Chat>,
    open: Vec<&'static str>,
}

impl Shared {
    fn asked(questions: &[&'static str]) -> Shared {
        let mut clients: Vec<Chat> = (0..2).map(|_| Chat::asked((80, 24), "- a")).collect();
        for client in &mut clients {
            for question in questions.iter().skip(1) {
                client.ask(question, &question.replace('q', "c"), "- b");
            }
        }
        Shared { clients, open: questions.to_vec() }
    }

    /// Both clients press a key before either hears of the other; the pod takes the first one's.
    fn both_press(&mut self, first: &str, second: &str) {
        self.clients[0].press(first);
        self.clients[1].press(second);
        for who in 0..2 {
            for answer in std::mem::take(&mut self.clients[who].answers) {
                self.take(who, &answer);
            }
        }
    }

    fn take(&mut self, who: usize, answer: &str) {
        let mut words = answer.split(' ');
        let (request, decision) = (words.next().unwrap(), words.next().unwrap());
        let Some(at) = self.open.iter().position(|open| *open == request) else {
            let id = format!("approve-{request}");
            return self.clients[who].pod(json!({"event":"rejected","method":"approve","id":id,
                "code":"no_such_request","message":"no such question"}));
        };
        let mut closed = vec![self.open.remove(at)];
        if decision == "session" {
            closed.append(&mut self.open);
        }
        for request in closed {
            for client in &mut self.clients {
                client.pod(
                    json!({"event":"approval_resolved","request":request,"call":request.replace('q', "c"),
                    "decision":decision,"by":format!("carpel-{who}")}),
                );
            }
        }
    }
}

/// The one who was too late is told what was decided and by whom, and goes on as if they had not answered.
#[test]
fn the_loser_of_two_answers_is_told() {
    let rows = [
        ("n", "y", "answered elsewhere: denied by carpel-0"),
        ("y", "n", "answered elsewhere: allowed once by carpel-0"),
        ("s", "n", "answered elsewhere: allowed for the session by carpel-0"),
        ("y", "y", "answered elsewhere: allowed once by carpel-0"),
        ("n", "", "answered elsewhere: denied by carpel-0"),
        ("n", "mno", "answered elsewhere: denied by carpel-0"),
    ];
    for (first, second, want) in rows {
        let mut pod = Shared::asked(&["q1"]);
        pod.both_press(first, second);
        let text = pod.clients[1].text();
        assert!(text.contains(want) && !text.contains("y once"), "{first} {second}: {want} in\n{text}");
        assert!(!pod.clients[0].text().contains("elsewhere"), "{}", pod.clients[0].text());
        assert_eq!(pod.clients[1].draft(), if second == "mno" { "no" } else { "" }, "words are kept");
        // The turn goes on and can be ended, also with a draft that was hidden by the question.
        pod.clients[1].host.chat.composer.buffer.reset();
        pod.clients[1].press("<c-c>");
        assert_eq!(pod.clients[1].answers, ["cancel"], "{first} {second}");
    }
}

/// With a further question open the word stands in its panel, and Ctrl+C ends the turn though a draft is hidden below.
#[test]
fn the_loser_goes_on_with_the_next_question() {
    let mut pod = Shared::asked(&["q1", "q2"]);
    assert!(pod.clients[1].text().contains("1 of 2"), "{}", pod.clients[1].text());
    pod.clients[1].burst("hm");
    pod.clients[1].host.advance(Duration::from_secs(1));
    pod.both_press("n", "y");
    let text = pod.clients[1].text();
    for word in ["answered elsewhere: denied by carpel-0", "edit c2.rs", "2 of 2", "y once"] {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
    pod.clients[1].press("<c-c>");
    assert_eq!((pod.clients[1].answers.join("|").as_str(), pod.clients[1].draft()), ("cancel", "hm"));
}

#[test]
fn an_answer_for_the_session_settles_what_it_covers() {
    let mut pod = Shared::asked(&["q1", "q2", "q3"]);
    pod.both_press("s", "");
    let texts: Vec<String> = pod.clients.iter().map(Chat::text).collect();
    assert!(texts[0].contains("settles more questions that waited"), "{}", texts[0]);
    assert!(texts[1].contains("answered elsewhere: allowed for the session by carpel-0"), "{}", texts[1]);
    assert!(texts.iter().all(|text| !text.contains("y once")), "{texts:?}");
}

/// An answer that the pod does not take leaves its question open.
#[test]
fn a_question_whose_answer_was_not_taken_comes_back() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.press("s");
    assert!(!chat.text().contains("y once"), "{}", chat.text());
    chat.pod(json!({"event":"rejected","method":"approve","id":"approve-q1","code":"not_offered","message":"not for the session"}));
    let text = chat.text();
    assert!(text.contains("y once") && text.contains("not for the session"), "{text}");
    chat.host.advance(Duration::from_secs(1));
    chat.press("y");
    assert_eq!(chat.answers, ["q1 session ", "q1 once "]);
}

/// A refused cancel does not leave a client that thinks it has cancelled.
#[test]
fn a_refused_cancel_can_be_tried_again() {
    let mut chat = Chat::asked((80, 24), "- a");
    chat.press("<c-c>");
    chat.pod(json!({"event":"rejected","method":"cancel","code":"not_now","message":"not now"}));
    chat.host.advance(Duration::from_secs(3));
    chat.press("<c-c>");
    assert_eq!(chat.answers, ["cancel", "cancel"]);
}

/// A client that attaches, or attaches again, is asked what still waits, also about a call below another.
#[test]
fn a_question_that_waits_is_asked_again_after_an_attach() {
    let mut chat = Chat::asked((80, 24), "- a");
    let attach = |chat: &mut Chat| {
        chat.pod(json!({"event":"hello","protocol":1,"session":"s","state":"running"}));
        chat.pod(json!({"event":"history","more":false,"items":[
            {"kind":"user_message","text":"go","seq":1},
            {"kind":"tool_call","id":"t1","name":"Task","arguments":"{}","seq":2},
            {"kind":"tool_call","id":"k1","name":"Edit","parent":"t1","arguments":"{\"file_path\":\"k.rs\"}","seq":3},
            {"kind":"tool_call","id":"k2","name":"Edit","parent":"t1","arguments":"{\"file_path\":\"l.rs\"}","seq":4}]}));
        chat.pod(json!({"event":"turn_start","turn":1}));
        for (request, call) in [("k-1", "k1"), ("k-2", "k2")] {
            chat.pod(json!({"event":"tool_call_start","id":call,"name":"Edit","parent":"t1"}));
            chat.pod(json!({"event":"approval_request","request":request,"call":call,"title":format!("edit {call}"),"detail":"+ b","options":[]}));
        }
        chat.host.advance(Duration::from_secs(1));
    };
    attach(&mut chat);
    assert!(chat.text().contains("edit k1") && chat.text().contains("1 of 2"), "{}", chat.text());
    assert!(chat.text().contains("? Edit"), "{}", chat.text());
    chat.press("y");
    // The answer was lost with the connection.
    chat.host.event(HostEvent::Link(LinkEvent::Lost));
    attach(&mut chat);
    assert!(chat.text().contains("edit k1") && chat.text().contains("1 of 2"), "{}", chat.text());
    chat.press("y");
    assert!(chat.text().contains("edit k2") && chat.text().contains("2 of 2"), "{}", chat.text());
    chat.press("n");
    assert_eq!(chat.answers, ["k-1 once ", "k-1 once ", "k-2 deny "]);
}
