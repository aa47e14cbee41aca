//! `:model` on its way to the pod: its record is written when it is known what came of it.
//!
//! Owns what was asked for and not answered yet. Success is told to every client by the event `model`, so an answer is
//! recognised by what it names. It refuses to know which models there are and how the list is completed.

use carpel_protocol::event::{Model, Rejected};
use carpel_protocol::method::SetModel;
use carpel_protocol::word::NoticeLevel;

use crate::chat::state::Chat;
use crate::status_items::who;

/// The method that the pod answers.
pub const METHOD: &str = "set_model";

/// A change that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelChange {
    /// The line of the command, for its record.
    pub line: String,
    pub wanted: SetModel,
}

/// Takes note of a change that the person asked for.
pub fn sent(chat: &mut Chat, change: ModelChange) {
    chat.outbox.models.push_back(change);
}

/// The pod says who answers now.
pub fn told(chat: &mut Chat, model: &Model) {
    let before = &chat.transcript.session().provider;
    let is_it = chat.outbox.models.front().is_some_and(|ModelChange { wanted, .. }| {
        let provider = wanted.provider.as_ref().unwrap_or(before);
        *provider == model.provider && (wanted.model.is_empty() || wanted.model == model.model)
    });
    if is_it && let Some(change) = chat.outbox.models.pop_front() {
        chat.transcript.command(&change.line, true, &who(&model.provider, &model.model), Vec::new());
    }
}

/// The pod does not make the change.
pub fn refused(chat: &mut Chat, rejected: &Rejected) {
    match chat.outbox.models.pop_front() {
        Some(change) => chat.transcript.command(&change.line, false, &rejected.message, Vec::new()),
        // Another connection asked.
        None => chat.transcript.notice(NoticeLevel::Error, &rejected.message),
    }
}

/// Nobody answers any more.
pub fn lost(chat: &mut Chat) {
    while let Some(change) = chat.outbox.models.pop_front() {
        let word = "the connection to the pod broke off before it answered";
        chat.transcript.command(&change.line, false, word, Vec::new());
    }
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

    /// What is wrong only because a turn runs is not wrong any more when it has ended; another mistake is.
    #[test]
    fn a_word_about_a_turn_goes_with_the_turn() {
        let state = |state: &str| format!(r#"{{"event":"state","state":"{state}"}}"#);
        for (line, stays) in [(":model b", false), (":nothing", true), (":model a b", true), ("hello", false)]
        {
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
