//! Prompts that wait: how they are sent while the pod works, shown above the draft, and taken back into it.
//!
//! Enter steers the turn that runs, Tab queues a prompt behind it, Up in an empty draft takes the last one back. The queue
//! is the pod's: rows show what it told, and what is taken back is written again only when the pod has let it go.

use carpel_protocol::Method;
use carpel_protocol::event::Queue;
use carpel_protocol::method::Dequeue;
use carpel_protocol::word::{PodState, RunMode};
use carpel_slots::{Printable, Role};
use crossterm::event::{KeyCode, KeyEvent};

use crate::chat::event::Effect;
use crate::chat::key;
use crate::chat::state::Chat;
use crate::chat::update::send;
use crate::render::look::Look;
use crate::render::wrap;
use crate::row::Row;

/// Prompts that are shown; the last ones, since they can be taken back.
const SHOWN: usize = 3;

/// Applies Tab and Up where they mean the queue; `None` where they do not.
pub(super) fn key(chat: &mut Chat, pressed: KeyEvent) -> Option<Vec<Effect>> {
    if !pressed.modifiers.is_empty() {
        return None;
    }
    match pressed.code {
        KeyCode::Tab if chat.pod_state() != PodState::Idle => Some(key::submit(chat, RunMode::FollowUp)),
        KeyCode::Up if chat.composer.buffer.is_empty() => take_back(chat),
        _ => None,
    }
}

fn take_back(chat: &mut Chat) -> Option<Vec<Effect>> {
    let last = chat.transcript.session().queue.last()?.clone();
    let id = chat.outbox.take_back(&last.id, &last.text);
    Some(vec![send(Method::Dequeue(Dequeue { item: last.id }), Some(id))])
}

/// The pod told its queue: a prompt of ours may have come into it, or one may be ours again.
pub(super) fn told(chat: &mut Chat, queue: &Queue) {
    for item in &queue.items {
        chat.outbox.arrived(item.method.as_deref());
    }
    if let Some(text) = chat.outbox.taken_back(queue.method.as_deref()) {
        // What was written meanwhile stays, behind it.
        let since = chat.composer.buffer.expanded();
        let gap = if since.is_empty() { "" } else { "\n" };
        chat.composer.buffer.replace_all(&format!("{text}{gap}{since}"));
    }
}

/// A row for each prompt that waits, above the draft, in at most `room` rows.
pub(super) fn rows(chat: &Chat, look: &Look, width: usize, room: usize) -> Vec<Row> {
    let queue = &chat.transcript.session().queue;
    let most = SHOWN.min(room);
    let hidden = queue.len().saturating_sub(most);
    let mut rows: Vec<Row> = queue
        .iter()
        .skip(hidden)
        .map(|item| {
            let how = if item.mode == RunMode::Steer { "steers" } else { "queued" };
            let mut row = Row::of(look.theme.role(Role::Accent), Printable::line(&format!("{how}  ")));
            let first = item.text.trim().lines().next().unwrap_or_default();
            row.push(look.theme.dim(), Printable::line(first));
            wrap::cut(&row, width, look.glyphs.ellipsis)
        })
        .collect();
    if hidden > 0 && most > 0 {
        let words = format!("{} {} more wait", look.glyphs.ellipsis, hidden + 1);
        rows[0] = wrap::cut(&Row::of(look.theme.dim(), Printable::line(&words)), width, look.glyphs.ellipsis);
    }
    rows
}
