//! How a chat ended, and what becomes of its session without it.
//!
//! A pod goes on when its clients leave, so what is true of the session then is what the pod has said last. It refuses
//! to know in which words a person is told, and what the next chat does.

use carpel_protocol::word::PodState;

use crate::chat::approval;
use crate::chat::new_session::Wanted;
use crate::chat::state::{Chat, Link};

/// How the chat ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The person left.
    Left,
    /// A signal ended it, or the terminal went away.
    Stopped,
    /// The person wants another session.
    Switch(String),
    /// The person wants a session that is not there yet.
    Begin(Wanted),
}

/// A session that is left, in which something was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    /// Its identity.
    pub session: String,
    /// The folder that it belongs to; empty where the pod has not told.
    pub folder: String,
    /// What it does.
    pub does: Does,
}

/// What a session does when its client has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Nothing: it can be gone on with.
    Rest,
    /// It works on.
    Work,
    /// It works, and asks for something that only a person may allow.
    Ask,
}

/// What becomes of the session; nothing where nobody has said anything in it.
pub fn remains(chat: &Chat) -> Option<Remains> {
    let session = chat.transcript.session();
    let is_begun = chat.transcript.turn().0 > 0 && !session.id.is_empty();
    is_begun.then(|| Remains { session: session.id.clone(), folder: session.cwd.clone(), does: does(chat) })
}

fn does(chat: &Chat) -> Does {
    if chat.link != Link::Connected {
        return Does::Rest;
    }
    match chat.pod_state() {
        PodState::Idle | PodState::Cancelling | PodState::Stopping => Does::Rest,
        PodState::Running if approval::waiting(chat) > 0 => Does::Ask,
        PodState::Running | PodState::Paused | PodState::Compacting | PodState::Other(_) => Does::Work,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carpel_protocol::EventLine;
    use carpel_slots::{Density, Registry};
    use ratatui::layout::Size;

    use super::*;
    use crate::chat::event::{HostEvent, LinkEvent};
    use crate::chat::update::update;
    use crate::flow::FlowOptions;

    #[test]
    fn what_becomes_of_a_session() {
        let state = |state: &str| format!(r#"{{"event":"state","state":"{state}"}}"#);
        let ask = r#"{"event":"approval_request","request":"q","call":"c","title":"t","options":[]}"#;
        let turn = r#"{"event":"turn_start","turn":1}"#;
        let gone = "gone";
        for (events, expected) in [
            (&[][..], None),
            (&[state("running").as_str(), turn], Some(Does::Work)),
            (&[&state("running"), turn, ask], Some(Does::Ask)),
            (&[&state("running"), turn, &state("cancelling")], Some(Does::Rest)),
            (&[&state("running"), turn, &state("idle")], Some(Does::Rest)),
            (&[&state("running"), turn, ask, gone], Some(Does::Rest)),
        ] {
            let mut chat = Chat::new(
                Registry::linked(),
                FlowOptions { resume: false },
                Size::new(80, 24),
                Density::Normal,
            );
            let hello = r#"{"event":"hello","protocol":1,"session":"s","cwd":"/w","state":"idle"}"#;
            for line in [hello].iter().chain(events) {
                let event = match *line == gone {
                    true => LinkEvent::Gone(gone.to_owned()),
                    false => LinkEvent::Event(Box::new(EventLine::decode(line.as_bytes()).unwrap())),
                };
                update(&mut chat, HostEvent::Link(event), Duration::ZERO);
            }
            let expected = expected.map(|does| Remains { session: "s".into(), folder: "/w".into(), does });
            assert_eq!(remains(&chat), expected, "{events:?}");
        }
    }
}
