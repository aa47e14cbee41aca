//! The approval overlay: the question that waits longest, how far it is scrolled, and the answer.
//!
//! The pod owns the questions; here is only what this client does with them. A question that appears while a person is
//! typing does not take the next letters for its answer: for a moment they still go to the draft. How it looks is
//! [`super::approval_panel`]'s.

use std::collections::HashSet;
use std::time::Duration;

use carpel_protocol::Method;
use carpel_protocol::event::ApprovalRequest;
use carpel_protocol::method::Approve;
use carpel_protocol::word::Decision;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::approval_panel;
use crate::chat::event::Effect;
use crate::chat::key;
use crate::chat::state::Chat;
use crate::chat::update::send;
use crate::composer::Composer;
use crate::composer::keys::{self, KeyOutcome};

/// For so long after a question appeared a person who was typing goes on typing.
const STARTLE: Duration = Duration::from_millis(700);

/// Rows that Page Up and Page Down scroll.
const PAGE: usize = 10;

/// What this client does with the pod's questions.
#[derive(Debug, Default)]
pub struct Approvals {
    /// Questions that were answered here; the pod has not said so yet.
    answered: HashSet<String>,
    open: Option<Open>,
    /// When a key last went to the draft.
    typed: Option<Duration>,
}

/// The question on the screen.
#[derive(Debug)]
pub struct Open {
    request: String,
    since: Duration,
    /// Rows of the detail above the first that is shown; more than there are counts as all.
    pub scroll: usize,
    /// The words for a refusal, while they are being written.
    pub why: Option<Composer>,
}

impl Approvals {
    /// The question on the screen.
    pub fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// A key went to the draft.
    pub fn typed(&mut self, now: Duration) {
        self.typed = Some(now);
    }

    fn is_startling(&self, now: Duration) -> bool {
        let (Some(open), Some(typed)) = (&self.open, self.typed) else { return false };
        open.since.saturating_sub(typed) < STARTLE && now.saturating_sub(open.since) < STARTLE
    }
}

/// The question that is to be answered, with its place among those that wait: `(question, 1, 2)` is the first of two.
pub fn current(chat: &Chat) -> Option<(&ApprovalRequest, usize, usize)> {
    let open = chat.approvals.open.as_ref()?;
    let all = &chat.transcript.session().approvals;
    let waiting = all.iter().filter(|request| !chat.approvals.answered.contains(&request.request));
    let request = all.iter().find(|request| request.request == open.request)?;
    Some((request, 1, waiting.count()))
}

/// Follows the pod's list of questions; called after each event.
pub fn sync(chat: &mut Chat, now: Duration) {
    let waiting = &chat.transcript.session().approvals;
    let approvals = &mut chat.approvals;
    approvals.answered.retain(|answered| waiting.iter().any(|request| request.request == *answered));
    let next = waiting.iter().find(|request| !approvals.answered.contains(&request.request));
    match (next, &approvals.open) {
        (None, _) => approvals.open = None,
        (Some(next), Some(open)) if open.request == next.request => {}
        (Some(next), _) => {
            approvals.open = Some(Open { request: next.request.clone(), since: now, scroll: 0, why: None });
        }
    }
}

/// Applies a key to the question; `None` when it is not for it.
pub fn key(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Option<Vec<Effect>> {
    chat.approvals.open.as_ref()?;
    if pressed.modifiers.contains(KeyModifiers::CONTROL) || chat.approvals.is_startling(now) {
        return None;
    }
    if chat.approvals.open.as_ref()?.why.is_some() {
        return Some(write_why(chat, pressed, now));
    }
    let is_seen = approval_panel::is_seen(chat);
    let offers_session = current(chat)
        .is_some_and(|(request, ..)| request.options.iter().any(|option| option.kind == Decision::Session));
    let open = chat.approvals.open.as_mut()?;
    match pressed.code {
        KeyCode::Char('y' | 'Y' | 's' | 'S') if !is_seen => {
            chat.below.word = Some("the window is too small to say yes to what it does not show".to_owned());
        }
        KeyCode::Char('y' | 'Y') => return Some(answer(chat, Decision::Once, None, now)),
        KeyCode::Char('s' | 'S') if offers_session => {
            return Some(answer(chat, Decision::Session, None, now));
        }
        KeyCode::Char('n' | 'N') => return Some(answer(chat, Decision::Deny, None, now)),
        KeyCode::Char('m' | 'M') => open.why = Some(Composer::default()),
        KeyCode::Up | KeyCode::Char('k') => open.scroll = open.scroll.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => open.scroll = open.scroll.saturating_add(1),
        KeyCode::PageUp => open.scroll = open.scroll.saturating_sub(PAGE),
        KeyCode::PageDown | KeyCode::Char(' ') => open.scroll = open.scroll.saturating_add(PAGE),
        KeyCode::Home => open.scroll = 0,
        KeyCode::Esc => return Some(key::cancel(chat)),
        _ => {}
    }
    Some(Vec::new())
}

/// Keeps the scroll where there is something to see; the panel knows how far that is.
pub fn bound_scroll(chat: &mut Chat, most: usize) {
    if let Some(open) = &mut chat.approvals.open {
        open.scroll = open.scroll.min(most);
    }
}

fn write_why(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Vec<Effect> {
    let Some(why) = chat.approvals.open.as_mut().and_then(|open| open.why.as_mut()) else {
        return Vec::new();
    };
    if pressed.code == KeyCode::Esc {
        if let Some(open) = &mut chat.approvals.open {
            open.why = None;
        }
        return Vec::new();
    }
    match keys::key(why, pressed, usize::MAX) {
        KeyOutcome::Edited | KeyOutcome::Unused => Vec::new(),
        KeyOutcome::Submit => {
            let words = why.submit();
            let words = Some(words).filter(|words| !words.trim().is_empty());
            answer(chat, Decision::Deny, words, now)
        }
    }
}

fn answer(chat: &mut Chat, decision: Decision, message: Option<String>, now: Duration) -> Vec<Effect> {
    let Some(open) = chat.approvals.open.take() else { return Vec::new() };
    chat.approvals.answered.insert(open.request.clone());
    sync(chat, now);
    vec![send(Method::Approve(Approve { request: open.request, decision, message }), None)]
}
