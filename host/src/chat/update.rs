//! What an event does to the chat. Pure: the chat changes, effects come out.
//!
//! Keys go to `key`, the pod's events to the transcript; what is kept here is how it stands with the pod and that no
//! prompt is lost on the way to it.

use std::time::Duration;

use carpel_protocol::word::{NoticeLevel, PodState};
use carpel_protocol::{Event, EventLine, Method, MethodLine};

use crate::chat::approval;
use crate::chat::change;
use crate::chat::elsewhere;
use crate::chat::event::{Effect, HostEvent, LinkEvent};
use crate::chat::inspect;
use crate::chat::key;
use crate::chat::picker::Picker;
use crate::chat::plugins;
use crate::chat::queue;
use crate::chat::state::{Chat, Link};
use crate::naming::Told;

/// Applies one event. `now` is the time since the host started.
pub fn update(chat: &mut Chat, event: HostEvent, now: Duration) -> Vec<Effect> {
    match event {
        HostEvent::Key(pressed) => key::key(chat, pressed, now),
        HostEvent::Paste(text) => key::paste(chat, &text, now),
        HostEvent::Edited(outcome) => key::edited(chat, outcome),
        HostEvent::Window(size) => {
            chat.window = size;
            approval::resized(chat);
            Vec::new()
        }
        HostEvent::Background(ground) => {
            chat.themes.ground = Some(ground);
            Vec::new()
        }
        HostEvent::Told(word) => {
            inspect::told(chat, word);
            Vec::new()
        }
        HostEvent::Unasked => {
            inspect::no_output(chat, "there is no pod to ask for the rest");
            Vec::new()
        }
        HostEvent::Sessions(Err(why)) => {
            chat.transcript.command("sessions", false, &why, Vec::new());
            Vec::new()
        }
        HostEvent::Sessions(Ok(rows)) => {
            chat.picker = Some(Picker::new(rows, &chat.transcript.session().id));
            Vec::new()
        }
        HostEvent::NotBegun(reason) => {
            if let Some(dialog) = &mut chat.new_session {
                dialog.refuse(reason);
            }
            Vec::new()
        }
        HostEvent::Named(told) => {
            if let (Some(dialog), Told::Folder(folder, offers)) = (&mut chat.new_session, &told) {
                dialog.told(folder, offers);
            }
            chat.completion.told(told, &chat.registry, now);
            Vec::new()
        }
        HostEvent::Exported(line, outcome) => {
            let ok = outcome.is_ok();
            let (Ok(text) | Err(text)) = outcome;
            chat.transcript.command(&line, ok, &text, Vec::new());
            Vec::new()
        }
        HostEvent::Plugins(news) => {
            plugins::take(chat, news);
            Vec::new()
        }
        HostEvent::Link(event) => {
            link(chat, event, now);
            Vec::new()
        }
    }
}

fn link(chat: &mut Chat, event: LinkEvent, now: Duration) {
    match event {
        LinkEvent::Event(line) => pod(chat, &line, now),
        LinkEvent::Lost => {
            chat.link = Link::Reconnecting;
            inspect::connection_lost(chat);
            chat.transcript.connection_lost();
            change::lost(chat);
        }
        LinkEvent::Gone(reason) => gone(chat, reason, now),
    }
}

fn pod(chat: &mut Chat, line: &EventLine, now: Duration) {
    chat.link = Link::Connected;
    if !matches!(line.event, Event::ApprovalResolved(_)) {
        chat.approvals.answered.other_event();
    }
    match &line.event {
        Event::State(told) => {
            chat.outbox.state_told();
            change::state_told(chat, &told.state);
        }
        Event::CompactStart(start) => change::compaction_told(chat, start),
        Event::UserMessage(message) => chat.outbox.arrived(message.method.as_deref()),
        Event::Rejected(rejected) => {
            match rejected.method.as_str() {
                // Nobody asked for more than a completion.
                "models" => {}
                // What was to be stopped has ended, or never began and says so itself.
                "cancel" if rejected.code == "nothing_runs" => {}
                "dequeue" => chat.outbox.not_taken_back(),
                "output" => inspect::no_output(chat, &rejected.message),
                _ if change::refused(chat, rejected) => {}
                _ => chat.below.word = Some(rejected.message.clone()),
            }
            if rejected.method == "cancel" {
                chat.outbox.state_told();
            }
            elsewhere::rejected(chat, rejected);
            put_back(chat, rejected.id.as_deref());
        }
        Event::Queue(queue) => queue::told(chat, queue),
        Event::Output(piece) => inspect::piece(chat, piece),
        Event::ApprovalResolved(resolved) => elsewhere::resolved(chat, resolved),
        Event::Model(model) => change::model_told(chat, model),
        Event::Session(session) => change::title_told(chat, session),
        Event::Bye(bye) => return gone(chat, format!("the pod has left: {}", bye.reason), now),
        _ => {}
    }
    let rested = matches!(line.event, Event::State(_)).then(|| chat.pod_state() == PodState::Idle);
    chat.transcript.apply(line, now);
    if let Some(rested) = rested {
        let age = chat.transcript.session().time_since(line.at, now);
        chat.work.told(rested, chat.pod_state() == PodState::Idle, age, now);
        if !chat.is_busy() {
            chat.idle_again();
        }
    }
    approval::sync(chat, now);
}

fn gone(chat: &mut Chat, reason: String, now: Duration) {
    if matches!(chat.link, Link::Gone(_)) {
        return;
    }
    chat.transcript.pod_gone(now);
    // Nobody is there any more who could hear an answer.
    approval::sync(chat, now);
    change::lost(chat);
    chat.transcript.notice(NoticeLevel::Error, &reason);
    let waiting = chat.outbox.take();
    restore_draft(chat, waiting);
    chat.link = Link::Gone(reason);
}

/// A prompt that the pod does not take comes back into the draft: nothing that a person wrote is lost.
fn put_back(chat: &mut Chat, id: Option<&str>) {
    let text = chat.outbox.refused(id);
    restore_draft(chat, text);
}

fn restore_draft(chat: &mut Chat, text: Option<String>) {
    if let Some(text) = text
        && chat.composer.buffer.is_empty()
    {
        chat.composer.buffer.replace_all(&text);
    }
}

/// A method as an effect.
pub(super) fn send(method: Method, id: Option<String>) -> Effect {
    Effect::Send(Box::new(MethodLine { id, ..MethodLine::from(method) }))
}
