//! Keys of the chat: what the composer does not use, and what sends, cancels and leaves.
//!
//! A draft that begins with `:` is in command mode, see [`super::command_key`].

use std::time::Duration;

use carpel_protocol::Method;
use carpel_protocol::method::{Nothing, Run};
use carpel_protocol::word::{PodState, RunMode};
use carpel_slots::Density;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::approval;
use crate::chat::command_key;
use crate::chat::completion_key;
use crate::chat::event::Effect;
use crate::chat::inspect;
use crate::chat::new_session;
use crate::chat::picker;
use crate::chat::queue;
use crate::chat::screen;
use crate::chat::state::{Chat, Link};
use crate::chat::update::send;
use crate::command_mode::SIGIL;
use crate::composer::keys::{self, KeyOutcome};
use crate::composer::search::{self, Search};
use crate::terminal::input::keystroke::Keystroke;

/// How long a first Ctrl+C on an empty draft counts.
pub(super) const LEAVE_PATIENCE: Duration = Duration::from_secs(2);

/// Keys of the chat that are not written anywhere else on the screen; those of the draft are
/// [`crate::composer::bindings`].
pub const KEYS: &[(&str, &str)] = &[
    ("Enter", "send; while a turn runs: steer it, behind its next results"),
    ("Tab", "take the chosen or first row of a list; while a turn runs: queue the draft behind it"),
    ("Up", "in an empty draft: take the last prompt that waits back, else the one before"),
    ("Esc", "cancel the turn, close a list"),
    ("Ctrl+C", "clear the draft or cancel; twice leaves"),
    ("Ctrl+D", "leave, when nothing is written"),
    ("Ctrl+O", "next density"),
    ("Ctrl+T", "inspect the whole session"),
    ("Ctrl+G", "write the draft in your editor"),
    ("Ctrl+L", "draw the live rows anew"),
    ("Ctrl+Z", "to the background"),
];

/// Applies a key.
pub fn key(chat: &mut Chat, stroke: Keystroke, now: Duration) -> Vec<Effect> {
    let pressed = stroke.event;
    // A word stands in place of a list: what was not seen is not taken.
    let covered = chat.below.word.take().is_some();
    chat.below.of_turn = false;
    if let Some(effects) = new_session::key(chat, pressed) {
        return effects;
    }
    if let Some(effects) = picker::key(chat, pressed) {
        return effects;
    }
    if let Some(effects) = inspect::key(chat, pressed, now) {
        return effects;
    }
    if let Some(effects) = approval::key(chat, stroke, now) {
        return effects;
    }
    chat.approvals.typed(now);
    if search::key(&mut chat.composer, pressed) {
        chat.below.word = chat.composer.search.as_ref().map(Search::word);
        return Vec::new();
    }
    let armed = chat.leave_armed.take().is_some_and(|since| now.saturating_sub(since) < LEAVE_PATIENCE);
    let ctrl = pressed.modifiers == KeyModifiers::CONTROL;
    if inspect::is_opened_by(pressed) {
        inspect::open(chat);
        return Vec::new();
    }
    match pressed.code {
        KeyCode::Char('c' | 'C') if ctrl => interrupt(chat, armed, now),
        KeyCode::Char('d' | 'D') if ctrl && chat.composer.buffer.is_empty() => vec![Effect::Leave],
        KeyCode::Char('z' | 'Z') if ctrl => vec![Effect::Suspend],
        KeyCode::Char('o' | 'O') if ctrl => next_density(chat),
        KeyCode::Char('l' | 'L') if ctrl => vec![Effect::Redraw],
        KeyCode::Char('g' | 'G') if ctrl => vec![Effect::EditDraft],
        _ if is_command(chat) => command_key::key(chat, pressed, covered),
        _ if !covered && completion_key::key(chat, pressed) => completion_key::goes_on(chat, now),
        KeyCode::Esc => cancel(chat),
        _ => queue::key(chat, pressed).unwrap_or_else(|| write(chat, pressed, now)),
    }
}

/// Puts pasted text into the draft.
pub fn paste(chat: &mut Chat, text: &str, now: Duration) -> Vec<Effect> {
    chat.below.word = None;
    if let Some(dialog) = &mut chat.new_session {
        dialog.paste(text);
        return Vec::new();
    }
    if inspect::paste(chat, text) || approval::paste(chat, text) {
        return Vec::new();
    }
    chat.approvals.typed(now);
    chat.composer.search = None;
    chat.composer.buffer.insert_paste(text);
    chat.below.closed = false;
    chat.below.selected = 0;
    Vec::new()
}

/// The draft comes back from the editor, or a word why it does not.
pub fn edited(chat: &mut Chat, outcome: Result<String, String>) -> Vec<Effect> {
    match outcome {
        Ok(text) => chat.composer.buffer.replace_all(&text),
        Err(word) => chat.below.word = Some(word),
    }
    Vec::new()
}

/// True while the draft is a command.
pub fn is_command(chat: &Chat) -> bool {
    chat.composer.buffer.text().starts_with(SIGIL)
}

/// A key for the composer.
pub(super) fn edit(chat: &mut Chat, pressed: KeyEvent) -> KeyOutcome {
    let before = chat.composer.buffer.text().len();
    let width = screen::draft_width(chat);
    let outcome = keys::key(&mut chat.composer, pressed, width);
    chat.below.word = chat.composer.search.as_ref().map(Search::word);
    if chat.composer.buffer.text().len() != before {
        chat.below.closed = false;
        chat.below.selected = 0;
    }
    outcome
}

fn write(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Vec<Effect> {
    match edit(chat, pressed) {
        KeyOutcome::Edited => completion_key::follow(chat, pressed, now),
        KeyOutcome::Unused => Vec::new(),
        KeyOutcome::Submit => submit(chat, RunMode::Steer),
    }
}

/// Sends the draft: as a prompt of its own where nothing runs, else as `busy` says.
pub(super) fn submit(chat: &mut Chat, busy: RunMode) -> Vec<Effect> {
    if chat.composer.buffer.text().trim().is_empty() {
        return Vec::new();
    }
    if let Link::Gone(reason) = &chat.link {
        chat.below.word = Some(format!("{reason}; what you wrote stays here"));
        return Vec::new();
    }
    if chat.approvals.is_open() {
        chat.say_busy("a question waits for you; your text stays here until the turn ends");
        return Vec::new();
    }
    if chat.outbox.is_waiting() {
        chat.say_busy("what you sent before is on its way; your text stays here until it has arrived");
        return Vec::new();
    }
    let mode = match chat.pod_state() {
        PodState::Idle => RunMode::Now,
        PodState::Running | PodState::Paused | PodState::Compacting => busy,
        // This turn takes nothing any more.
        PodState::Cancelling => RunMode::FollowUp,
        PodState::Stopping | PodState::Other(_) => {
            chat.say_busy("the pod is leaving; your text stays here");
            return Vec::new();
        }
    };
    let text = chat.composer.submit();
    chat.below.word = completion_key::no_command(chat, &text);
    let id = chat.outbox.put(&text);
    vec![send(Method::Run(Run { text, attachments: Vec::new(), mode }), Some(id))]
}

pub(super) fn cancel(chat: &mut Chat) -> Vec<Effect> {
    match chat.pod_state() {
        PodState::Running | PodState::Paused | PodState::Compacting => {
            // Told at once: the pod's own word follows, however long a tool takes to hear it.
            chat.outbox.cancel_sent();
            vec![send(Method::Cancel(Nothing {}), None)]
        }
        // The pod hears it behind the prompt that is on its way.
        PodState::Idle if chat.outbox.is_waiting() => vec![send(Method::Cancel(Nothing {}), None)],
        PodState::Idle | PodState::Cancelling | PodState::Stopping | PodState::Other(_) => Vec::new(),
    }
}

/// Ctrl+C clears the draft, else cancels the turn; pressed again it leaves. A question may hide the draft: then it is
/// the turn that is meant.
fn interrupt(chat: &mut Chat, armed: bool, now: Duration) -> Vec<Effect> {
    if !chat.approvals.is_open() && !chat.composer.buffer.is_empty() {
        chat.composer.clear();
        return Vec::new();
    }
    if armed {
        return vec![Effect::Leave];
    }
    chat.leave_armed = Some(now);
    chat.below.word = Some("Ctrl+C again leaves".to_owned());
    cancel(chat)
}

fn next_density(chat: &mut Chat) -> Vec<Effect> {
    chat.density = match chat.density {
        Density::Overview => Density::Normal,
        Density::Normal => Density::Detail,
        Density::Detail => Density::Overview,
    };
    chat.below.word = Some(format!("density {}", chat.density.name()));
    Vec::new()
}
