//! The window's title: which session this is, and whether it works or waits for its person.
//!
//! What is urgent stands first, since tabs show a title's beginning. It is written only when it changes, never for what
//! streams.

use carpel_protocol::word::PodState;
use carpel_slots::Printable;

use crate::chat::approval;
use crate::chat::state::{Chat, Link};

/// The title now.
pub(super) fn of(chat: &Chat, separator: &str) -> Printable {
    let session = chat.transcript.session();
    let folder = session.cwd.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    let name = if session.title.trim().is_empty() { folder } else { session.title.trim() };
    let state = match (&chat.link, chat.pod_state()) {
        (Link::Gone(_), _) => "no pod",
        _ if approval::waiting(chat) > 0 => "waits for you",
        (_, PodState::Idle) => "",
        _ => "works",
    };
    let parts: Vec<&str> = [state, name, "carpel"].into_iter().filter(|part| !part.is_empty()).collect();
    Printable::line(&parts.join(&format!(" {separator} ")))
}
