//! What a command asks of the pod, as `:model` and `:compact` do: its record is written when it is known what came of it.
//!
//! Owns what was asked for and not answered yet. Success is told to every client by an event (`model`, `session`, `state`,
//! `compact_start`), so an answer is recognised by what it names. It refuses to know which models there are, how lists
//! are completed and what comes of a compaction that has begun.

use carpel_protocol::Method;
use carpel_protocol::event::{CompactStart, Model, Rejected, Session};
use carpel_protocol::method::SetModel;
use carpel_protocol::word::{CompactTrigger, NoticeLevel, PodState};

use crate::chat::state::{Chat, Link};
use crate::status_items::who;

/// A change that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The line of the command, for its record.
    line: String,
    wanted: Wanted,
}

#[derive(Debug, Clone, PartialEq)]
enum Wanted {
    Model(SetModel),
    Title(String),
    Compaction,
    Pause,
    Resume,
}

impl Wanted {
    /// The method that the pod answers.
    fn method(&self) -> &'static str {
        match self {
            Wanted::Model(_) => "set_model",
            Wanted::Title(_) => "rename",
            Wanted::Compaction => "compact",
            Wanted::Pause => "pause",
            Wanted::Resume => "resume",
        }
    }
}

/// The methods of commands whose record waits for the answer.
const RECORDED: [&str; 5] = ["set_model", "rename", "compact", "pause", "resume"];

impl Change {
    /// What a method changes, when the pod tells of it to every client.
    pub fn of(line: &str, method: &Method) -> Option<Change> {
        let wanted = match method {
            Method::SetModel(wanted) => Wanted::Model(wanted.clone()),
            Method::Rename(rename) => Wanted::Title(rename.title.clone()),
            Method::Compact(_) => Wanted::Compaction,
            Method::Pause(_) => Wanted::Pause,
            Method::Resume(_) => Wanted::Resume,
            _ => return None,
        };
        Some(Change { line: line.to_owned(), wanted })
    }
}

/// Takes note of a change that the person asked for.
pub fn sent(chat: &mut Chat, change: Change) {
    chat.outbox.changes.push_back(change);
    if matches!(chat.link, Link::Gone(_)) {
        give_up(chat, "there is no pod to ask");
    }
}

/// The pod says who answers now. Called before the transcript hears of it.
pub fn model_told(chat: &mut Chat, model: &Model) {
    let before = chat.transcript.session().provider.clone();
    let is_it = |wanted: &Wanted| match wanted {
        Wanted::Model(wanted) => {
            let provider = wanted.provider.as_ref().unwrap_or(&before);
            *provider == model.provider && (wanted.model.is_empty() || wanted.model == model.model)
        }
        Wanted::Title(_) | Wanted::Compaction | Wanted::Pause | Wanted::Resume => false,
    };
    if let Some(change) = take_if(chat, "set_model", is_it) {
        chat.transcript.command(&change.line, true, &who(&model.provider, &model.model), Vec::new());
    }
}

/// The pod says what the session is called now. Called before the transcript hears of it.
pub fn title_told(chat: &mut Chat, session: &Session) {
    let is_it = |wanted: &Wanted| matches!(wanted, Wanted::Title(title) if *title == session.title);
    if let Some(change) = take_if(chat, "rename", is_it) {
        let was = chat.transcript.session().title.trim();
        let outcome = if was.is_empty() { String::new() } else { format!("it was: {was}") };
        chat.transcript.command(&change.line, true, &outcome, Vec::new());
    }
}

/// A compaction begins. What comes of it is told by items of its own.
pub fn compaction_told(chat: &mut Chat, start: &CompactStart) {
    if start.trigger == CompactTrigger::Manual
        && let Some(change) = take_if(chat, "compact", |_| true)
    {
        chat.transcript.command(&change.line, true, "", Vec::new());
    }
}

/// The pod says what it does now.
pub fn state_told(chat: &mut Chat, state: &PodState) {
    let method = match state {
        PodState::Paused => "pause",
        PodState::Running => "resume",
        PodState::Idle
        | PodState::Cancelling
        | PodState::Compacting
        | PodState::Stopping
        | PodState::Other(_) => return,
    };
    if let Some(change) = take_if(chat, method, |_| true) {
        chat.transcript.command(&change.line, true, "", Vec::new());
    }
}

/// The pod does not make a change; false when that was not one that is recorded.
pub fn refused(chat: &mut Chat, rejected: &Rejected) -> bool {
    match take_if(chat, &rejected.method, |_| true) {
        Some(change) => chat.transcript.command(&change.line, false, &rejected.message, Vec::new()),
        // Another connection asked; the command stands in the flow, so its answer does too.
        None if RECORDED.contains(&rejected.method.as_str()) => {
            chat.transcript.notice(NoticeLevel::Error, &rejected.message);
        }
        None => return false,
    }
    true
}

/// Nobody answers any more.
pub fn lost(chat: &mut Chat) {
    give_up(chat, "the connection to the pod broke off before it answered");
}

fn give_up(chat: &mut Chat, word: &str) {
    while let Some(change) = chat.outbox.changes.pop_front() {
        chat.transcript.command(&change.line, false, word, Vec::new());
    }
}

/// The oldest change that this method asked for, if it is the one.
fn take_if(chat: &mut Chat, method: &str, is_it: impl Fn(&Wanted) -> bool) -> Option<Change> {
    let changes = &mut chat.outbox.changes;
    let oldest = changes.iter().position(|change| change.wanted.method() == method)?;
    changes.get(oldest).filter(|change| is_it(&change.wanted))?;
    changes.remove(oldest)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carpel_protocol::EventLine;
    use carpel_slots::{Density, Registry};
    use crossterm::event::{KeyCode, KeyEvent};
    use ratatui::layout::Size;

    use super::*;
    use crate::chat::event::{HostEvent, LinkEvent};
    use crate::chat::update::update;
    use crate::flow::FlowOptions;
    use crate::terminal::input::keystroke::Keystroke;
    use crate::transcript::item::ItemBody;

    const HELLO: &str = r#"{"event":"hello","protocol":1,"provider":"openai","model":"a","state":"idle"}"#;

    fn happens(chat: &mut Chat, event: HostEvent) {
        update(chat, event, Duration::ZERO);
    }

    fn pod(chat: &mut Chat, line: &str) {
        let line = EventLine::decode(line.as_bytes()).unwrap();
        happens(chat, HostEvent::Link(LinkEvent::Event(Box::new(line))));
    }

    fn types(chat: &mut Chat, line: &str) {
        for code in line.chars().map(KeyCode::Char).chain([KeyCode::Enter]) {
            happens(chat, HostEvent::Key(Keystroke::from(KeyEvent::from(code))));
        }
    }

    fn chat() -> Chat {
        let mut chat =
            Chat::new(Registry::linked(), FlowOptions { resume: false }, Size::new(80, 24), Density::Normal);
        pod(&mut chat, HELLO);
        chat
    }

    fn records(chat: &mut Chat) -> Vec<String> {
        let record = |item: &crate::transcript::item::FlowItem| match &item.body {
            ItemBody::Command { line, ok, outcome, .. } => Some(format!("{ok} {line}: {outcome}")),
            ItemBody::Notice { text, .. } => Some(text.clone()),
            _ => None,
        };
        chat.transcript.items().iter().filter_map(record).collect()
    }

    #[test]
    fn a_record_says_what_came_of_it() {
        let told = |model: &str| format!(r#"{{"event":"model","provider":"openai","model":"{model}"}}"#);
        let refused = r#"{"event":"rejected","method":"set_model","code":"no_model","message":"which?"}"#;
        let rows: [(&str, &[&str], &[&str]); 6] = [
            (":model b", &[], &[]),
            (":model b", &[&told("b")], &["true model b: b by openai"]),
            // The window of the model that was there is told meanwhile.
            (":model b", &[&told("a"), &told("b")], &["true model b: b by openai"]),
            (":model openai:", &[refused], &["false model openai:: which?"]),
            (":model openai:", &[&told("usual")], &["true model openai:: usual by openai"]),
            (":model", &[&told("b")], &["true model: a by openai"]),
        ];
        for (line, events, expected) in rows {
            let mut chat = chat();
            types(&mut chat, line);
            events.iter().for_each(|event| pod(&mut chat, event));
            assert_eq!(records(&mut chat), expected, "{line} {events:?}");
        }
        let mut gone = chat();
        types(&mut gone, ":model b");
        happens(&mut gone, HostEvent::Link(LinkEvent::Lost));
        let lost = "false model b: the connection to the pod broke off before it answered";
        assert_eq!(records(&mut gone), [lost]);
    }

    #[test]
    fn a_title_is_recorded_as_the_pod_keeps_it() {
        let named = |title: &str| format!(r#"{{"event":"session","id":"s","title":"{title}","segment":1}}"#);
        let model = |model: &str| format!(r#"{{"event":"model","provider":"openai","model":"{model}"}}"#);
        let full =
            r#"{"event":"rejected","method":"rename","code":"log_failed","message":"the disk is full"}"#;
        // Each is lines that are typed, events, the records and the title that is known then.
        type Row<'a> = (&'a [&'a str], &'a [&'a str], &'a [&'a str], &'a str);
        let rows: [Row<'_>; 7] = [
            (&[":rename b"], &[], &[], "old"),
            (&[":rename b"], &[&named("b")], &["true rename b: it was: old"], "b"),
            (&[":rename  b   c "], &[&named("b c")], &["true rename b   c: it was: old"], "b c"),
            (&[":rename b"], &[full], &["false rename b: the disk is full"], "old"),
            // Another client was first.
            (&[":rename b"], &[&named("x"), &named("b")], &["true rename b: it was: x"], "b"),
            (
                &[":rename b", ":rename c"],
                &[&named("b"), full],
                &["true rename b: it was: old", "false rename c: the disk is full"],
                "b",
            ),
            // Answers of another kind leave it waiting.
            (
                &[":model m", ":rename b"],
                &[&named("b"), &model("m")],
                &["true rename b: it was: old", "true model m: m by openai"],
                "b",
            ),
        ];
        for (lines, events, expected, title) in rows {
            let mut chat = chat();
            pod(&mut chat, &named("old"));
            lines.iter().for_each(|line| types(&mut chat, line));
            events.iter().for_each(|event| pod(&mut chat, event));
            assert_eq!(records(&mut chat), expected, "{lines:?} {events:?}");
            assert_eq!(chat.transcript.session().title, title);
        }
    }

    #[test]
    fn what_is_refused_is_recorded_as_refused() {
        let no = |method: &str| {
            format!(r#"{{"event":"rejected","method":"{method}","code":"busy","message":"not now"}}"#)
        };
        let state = |state: &str| format!(r#"{{"event":"state","state":"{state}"}}"#);
        let begins = |trigger: &str| format!(r#"{{"event":"compact_start","trigger":"{trigger}"}}"#);
        // Each is a line that is typed, what the pod says, and the records.
        type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);
        let rows: [Row<'_>; 10] = [
            (":compact", &[], &[]),
            (":compact", &[&no("compact")], &["false compact: not now"]),
            (":compact a b", &[&begins("manual")], &["true compact a b: "]),
            // One that begins by itself is not the one that was asked for.
            (":compact", &[&begins("auto")], &[]),
            (":compact", &[&begins("auto"), &no("compact")], &["false compact: not now"]),
            (":pause", &[&no("pause")], &["false pause: not now"]),
            (":pause", &[&state("running"), &state("paused")], &["true pause: "]),
            (":resume", &[&no("resume")], &["false resume: not now"]),
            (":resume", &[&state("paused"), &state("running")], &["true resume: "]),
            // Another client, or what was asked before, is answered in the flow too.
            ("", &[&no("compact")], &["not now"]),
        ];
        for (line, events, expected) in rows {
            let mut chat = chat();
            types(&mut chat, line);
            events.iter().for_each(|event| pod(&mut chat, event));
            assert_eq!(records(&mut chat), expected, "{line} {events:?}");
        }
    }

    #[test]
    fn nothing_is_asked_of_a_pod_that_is_gone() {
        for line in ["model b", "rename b", "compact", "pause", "resume"] {
            let mut chat = chat();
            happens(&mut chat, HostEvent::Link(LinkEvent::Gone("it ended".to_owned())));
            types(&mut chat, &format!(":{line}"));
            let expected = ["it ended".to_owned(), format!("false {line}: there is no pod to ask")];
            assert_eq!(records(&mut chat), expected);
        }
    }

    /// What is wrong only because a turn runs is not wrong any more when it has ended; another mistake is.
    #[test]
    fn a_word_about_a_turn_goes_with_the_turn() {
        let state = |state: &str| format!(r#"{{"event":"state","state":"{state}"}}"#);
        for (line, stays) in [(":model b", false), (":nothing", true), (":model a b", true)] {
            let mut chat = chat();
            pod(&mut chat, &state("running"));
            types(&mut chat, line);
            assert!(chat.below.word.is_some(), "{line}");
            pod(&mut chat, &state("idle"));
            assert_eq!(chat.below.word.is_some(), stays, "{line}: {:?}", chat.below.word);
            assert_eq!(chat.composer.buffer.text(), line);
        }
    }
}
